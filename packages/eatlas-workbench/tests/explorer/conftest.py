"""An explorer of two small sources, whose measurements the tests of a module share."""

from __future__ import annotations

from pathlib import Path

import pytest

from eatlas_workbench.explorer import Explorer
from eatlas_workbench.explorer.measuring import Request

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
LISTS = {
    "X": ("Jobs", "nurse, teacher"), "Y": ("Crafts", "carpenter; engineer"),
    "A": ("Female", "she\nwoman"), "B": ("Male", "he\tman"),
}  # fmt: skip


@pytest.fixture(scope="session")
def mine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("tests") / "mine.toml"
    path.write_text(MINE)
    return path


@pytest.fixture(scope="module")
def opened(mine: Path) -> Explorer:
    return Explorer.of(["weat-6", "weat-1", str(mine)], ["glove-sample", OTHER])


@pytest.fixture
def explorer(opened: Explorer) -> Explorer:
    """No list was looked at."""
    opened._looked_at.clear()
    return opened


@pytest.fixture
def six() -> Request:
    return Request(test="weat-6")
