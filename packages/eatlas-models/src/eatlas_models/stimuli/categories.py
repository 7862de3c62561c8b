"""Categories that tests of association and benchmarks have in common, such as gender."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Any

from eatlas.decoding import own_toml


@cache
def _table() -> dict[str, Any]:
    return own_toml(resources.files("eatlas_models.stimuli") / "data" / "categories.toml")


def category_of_test(test: str) -> str:
    """The category of a test by its id; empty of a test that belongs to none.

    >>> category_of_test("sent-weat-6"), category_of_test("weat-1")
    ('gender', '')
    """
    plain = test.removeprefix("sent-")
    return next((name for name, about in _table().items() if plain in about["tests"]), "")


def common_category(text: str) -> str:
    """The category that a benchmark calls by another name; empty for a name of none.

    >>> common_category("Gender_identity"), common_category("Haircut")
    ('gender', '')
    """
    plain = _plain(text)
    return next(
        (name for name, about in _table().items() if plain in map(_plain, about["names"])), ""
    )


def category_of_task(task: str) -> str:
    """The category that the name of a task ends with, as in crows_pairs_english_gender."""
    words = _plain(task).split()
    ends = (" ".join(words[start:]) for start in range(len(words)))
    return next(filter(None, map(common_category, ends)), "")


def _plain(name: str) -> str:
    return " ".join(re.split(r"[\W_]+", name.casefold())).strip()
