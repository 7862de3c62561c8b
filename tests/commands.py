"""The command line, called in this process, with what it prints and how it ends."""

from __future__ import annotations

import json
import sys
import warnings
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from eatlas.cli import main
from eatlas.errors import EatlasWarning
from tests.served import running

RUNS = "from pathlib import Path\nPath('it-ran').touch()\n"
"""A module that leaves a trace when it is imported."""


QUICK = ("--measure", "weat(resamples=0)", "--frequency", "off")
"""Of a run whose numbers are not looked at."""


@dataclass
class Ended:
    code: int
    out: str
    err: str

    @property
    def said(self) -> str:
        """The output on one line, however it was wrapped."""
        return " ".join(self.out.split())


@pytest.fixture
def eatlas_cli(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    warnings.filterwarnings("always", ".* had results of another run", EatlasWarning)

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


@pytest.fixture
def evil(tmp_path):
    """A module in the working directory; it leaves a trace when it is imported."""
    (tmp_path / "evil.py").write_text(
        RUNS + "def f(texts):\n    return [[len(t), t.count('a'), 1.0] for t in texts]\n",
        encoding="utf-8",
    )
    yield tmp_path / "it-ran"
    sys.modules.pop("evil", None)


class Listener(BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.asked.append((self.headers.get("Authorization"), self.path))
        texts = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["input"]
        data = [{"index": i, "embedding": [len(t), 1.0]} for i, t in enumerate(texts)]
        payload = json.dumps({"data": data}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(payload)))
        self.end_headers()
        self.wfile.write(payload)

    do_GET = do_POST

    def log_message(self, *_):
        """Say nothing."""


@pytest.fixture
def listener(monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-auditor")
    monkeypatch.delenv("EATLAS_API_KEY", raising=False)
    with running(ThreadingHTTPServer(("127.0.0.1", 0), Listener)) as server:
        server.asked = []
        yield server
