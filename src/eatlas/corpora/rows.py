"""Contexts one by one: where a stimulus, or two of a pair, stand in a real text."""

from __future__ import annotations

from typing import Literal, NamedTuple

SENTENCE = "sentence"
Window = int | Literal["sentence"]
"""Words on either side, or the whole sentence."""


class Context(NamedTuple):
    """A stimulus in a text."""

    stimulus: str
    text: str
    start: int
    """Where the stimulus begins: characters of the text."""
    end: int
    """Behind its last character."""


class Count(NamedTuple):
    """How often a stimulus was found, and how many contexts of it are kept."""

    stimulus: str
    found: int
    """Places in the corpus, the same text counted as often as it stands there."""
    kept: int
    """Different contexts; fewer than were asked for only where there are no more."""


class PairContext(NamedTuple):
    """A target and an attribute in one text; places are characters of the text."""

    target: str
    attribute: str
    text: str
    target_start: int
    target_end: int
    attribute_start: int
    attribute_end: int


class PairCount(NamedTuple):
    """How often a target and an attribute were found together, and how many contexts are kept."""

    target: str
    attribute: str
    found: int
    kept: int
