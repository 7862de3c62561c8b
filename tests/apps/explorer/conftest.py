"""An explorer of two small sources, and a page that the command serves."""

from __future__ import annotations

import json
import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.served import Served, ask

from eatlas.apps.explorer import Explorer
from eatlas.apps.explorer.lists import Request

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


class Explored(Served):
    """A running ``eatlas explore``."""

    def ask(
        self, name: str, body: object = None, method: str = "POST", **headers: str | None
    ) -> tuple[int, str]:
        """A request as any program could make it."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        answer = ask(self.address, name, content, method, **headers)
        self.headers = answer.headers
        return answer.status, answer.text


@pytest.fixture(scope="module")
def serve() -> Iterator[Callable[..., Explored]]:
    running: list[Explored] = []

    def started(*arguments: object) -> Explored:
        running.append(Explored("explore", *arguments))
        return running[-1]

    yield started
    for one in running:
        if one.process.poll() is None:
            one.end(signal.SIGKILL)


@pytest.fixture(scope="module")
def server(serve: Callable[..., Explored], mine: Path) -> Explored:
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
