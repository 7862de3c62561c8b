"""The command line, called in this process, with what it prints and how it ends."""

from __future__ import annotations

import sys
from dataclasses import dataclass

import pytest

from eatlas.cli import main


@dataclass
class Ended:
    code: int
    out: str
    err: str


@pytest.fixture
def eatlas_cli(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)

    def call(*arguments: object) -> Ended:
        monkeypatch.setattr(sys, "argv", ["eatlas", *map(str, arguments)])
        code = 0
        try:
            main()
        except SystemExit as stop:
            code = stop.code or 0
        said = capsys.readouterr()
        return Ended(code, said.out, said.err)

    return call
