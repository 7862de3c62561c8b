"""Sentences of words: templates, the classes and forms of words, and tests made of both.

What makes them is imported when it is used: most runs are of words.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from eatlas.lazy import attributes

if TYPE_CHECKING:
    from eatlas.stimuli.sentences.making import sentence_tests

__all__ = ["PREFIX", "declared", "sentence_tests"]

PREFIX = "sent-"
"""How the ids of tests begin that are made of tests of words."""


@cache
def declared() -> Mapping[str, Mapping[str, Any]]:
    """Return what is declared of each sentence battery, by its name."""
    data = resources.files(__name__) / "batteries.toml"
    document = tomllib.loads(data.read_text(encoding="utf-8"))
    return {battery["id"]: battery for battery in document["battery"]}


__getattr__ = attributes(__name__, {f"{__name__}.making": "sentence_tests"})
