"""Contexts of a small corpus, items of them, and a page that the command serves."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.served import Served

import eatlas
from eatlas_corpora.reading import Context, Contexts
from eatlas_workbench.annotation import Items

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


@pytest.fixture
def address(sheet: Path) -> Iterator[str]:
    """A page of the items, served beside the test."""
    with eatlas.serve_items(sheet) as page:
        yield page.address


@pytest.fixture
def serve() -> Iterator[Callable[..., Served]]:
    """Serve a page by the command, in a process of its own."""
    running: list[Served] = []

    def started(*arguments: object) -> Served:
        running.append(Served("annotate", "serve", *arguments))
        return running[-1]

    yield started
    for one in running:
        one.end(signal.SIGKILL)
