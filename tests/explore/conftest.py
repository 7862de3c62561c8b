"""An explorer of two small sources, and a page that the command serves."""

from __future__ import annotations

import http.client
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eatlas.explore import Explorer
from eatlas.explore.requests import Request

OTHER = "glove-sample?transform=center"
MINE = """schema = 1

[[test]]
id = "mine"
title = "Jobs & <b>people</b>"
X = { name = "Jobs <i>one</i>", terms = ["nurse", "teacher", "<img src=x onerror=window.bad=1>", "librarian"] }
Y = { name = "People who work in the building trades and in civil engineering", terms = ["carpenter", "engineer", "mechanic"] }
A = { name = "Female", terms = ["she", "woman", "her", "mother"] }
B = { name = "Male", terms = ["he", "man", "his", "father"] }
"""


@pytest.fixture(scope="session")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tests") / "mine.toml"
    path.write_text(MINE)
    return path


@pytest.fixture
def explorer(mine: Path) -> Explorer:
    return Explorer.of(["weat-6", "weat-1", str(mine)], ["glove-sample", OTHER])


@pytest.fixture
def six() -> Request:
    return Request(test="weat-6")


class Served:
    """A running ``eatlas explore``."""

    def __init__(self, *arguments: object) -> None:
        command = [sys.executable, "-m", "eatlas", "explore", *map(str, arguments)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if found is None:
            raise AssertionError(line + self.process.communicate(timeout=30)[1])
        self.address = found[0]
        self.port = int(re.search(r":(\d+)/", self.address)[1])
        self.token = self.address.rstrip("/").rpartition("/")[2]

    def ask(
        self, name: str, body: object = None, method: str = "POST", **headers: str | None
    ) -> tuple[int, str]:
        """A request as any program could make it."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        own = {"Host": f"127.0.0.1:{self.port}", "Origin": f"http://127.0.0.1:{self.port}"}
        sent = {**own, **{key.replace("_", "-"): value for key, value in headers.items()}}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        path = name if name.startswith("/") else f"/{self.token}/{name}"
        connection.putrequest(method, path, skip_host=True)
        for key, value in sent.items():
            if value is not None:
                connection.putheader(key, value)
        connection.putheader("Content-Length", str(len(content)))
        connection.endheaders(content)
        answer = connection.getresponse()
        text = answer.read().decode("utf-8", "replace")
        self.headers = answer.headers
        connection.close()
        return answer.status, text

    def end(self, how: int = signal.SIGINT) -> tuple[int, str]:
        if self.process.poll() is None:
            self.process.send_signal(how)
        said = self.process.communicate(timeout=30)[1]
        return self.process.returncode, said


@pytest.fixture(scope="module")
def serve() -> Iterator[Callable[..., Served]]:
    running: list[Served] = []

    def started(*arguments: object) -> Served:
        running.append(Served(*arguments))
        return running[-1]

    yield started
    for one in running:
        if one.process.poll() is None:
            one.end(signal.SIGKILL)


@pytest.fixture(scope="module")
def server(serve: Callable[..., Served], mine: Path) -> Served:
    """One server for all tests of a module."""
    return serve(
        "--tests",
        "weat-6",
        "--tests",
        mine,
        "--tests",
        "weat-3",
        "--vectors",
        "glove-sample",
        "--vectors",
        OTHER,
    )
