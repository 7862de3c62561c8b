"""``eatlas explore --save``: a frozen copy."""

from __future__ import annotations

from pathlib import Path


def test_the_command_saves(tmp_path, eatlas_cli, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = eatlas_cli("explore", "--tests", "weat-7", "--save", "page.html")
    assert done.code == 0
    assert done.out == "page: page.html\n"
    assert "Math" in Path("page.html").read_text(encoding="utf-8")
    assert eatlas_cli("explore", "--save", "other.html").code == 2
