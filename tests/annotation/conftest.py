"""Contexts of a small corpus, items of them, and a page that the command serves."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import eatlas
from eatlas.annotation import Items
from eatlas.corpora import Context, Contexts

HOSTILE = (
    '<script>window.bad = 1</script> the nurse <img src=x onerror="window.bad = 1"> & \u202eleft'
)
TEST = "divdist-face-validity"


def context(target: str, text: str) -> Context:
    at = text.index(target)
    return Context(target, text, at, at + len(target))


@pytest.fixture
def contexts() -> Contexts:
    rows = [
        context(target, f"On day {i} the {target} came and {who} read.")
        for target in ("nurse", "pilot", "dancer")
        for i, who in enumerate(("she", "he", "nobody", "mother"))
    ]
    return Contexts.of([*rows, context("nurse", HOSTILE)])


@pytest.fixture
def items(contexts: Contexts) -> Items:
    return eatlas.sample_items(contexts, TEST)


@pytest.fixture
def sheet(items: Items, tmp_path: Path) -> Path:
    path = tmp_path / "items.csv"
    items.write(path)
    return path


class Served:
    """A running ``eatlas annotate serve``."""

    def __init__(self, *arguments: object) -> None:
        command = [sys.executable, "-m", "eatlas", "annotate", "serve", *map(str, arguments)]
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )  # fmt: skip
        line = self.process.stdout.readline()
        found = re.search(r"http://\S+", line)
        if found is None:
            raise AssertionError(line + self.process.communicate(timeout=300)[1])
        self.address = found[0]
        self.port = int(re.search(r":(\d+)/", self.address)[1])
        self.token = self.address.rstrip("/").rpartition("/")[2]

    def end(self, how: int = signal.SIGINT) -> tuple[int, str]:
        if self.process.poll() is None:
            self.process.send_signal(how)
        if not self.process.stderr.closed:
            self.said = self.process.communicate(timeout=300)[1]
        return self.process.returncode, self.said


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    running: list[Served] = []

    def started(*arguments: object) -> Served:
        running.append(Served(*arguments))
        return running[-1]

    yield started
    for one in running:
        one.end(signal.SIGKILL)
