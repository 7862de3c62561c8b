"""What the page may send: words and numbers of what it shows, never a path or code."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from eatlas.apps.explorer.lists import MOST_WORDS
from eatlas.apps.serving import table_of
from eatlas.errors import EatlasError
from eatlas.present.numbers import count
from eatlas.stimuli import ROLES

LARGEST = 256 << 10
"""Bytes of the body of a request."""
MOST_TEXTS = 2_000
"""Items of a list of words in a request; those of a group have a lower limit of their own."""
NO_REQUEST = "This is not a request of the page."


@dataclass(frozen=True)
class Request:
    """Which words, of which test, on which source."""

    test: str = ""
    """Id of a test that was named on the command line; empty for pasted lists."""
    lists: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Name and text of each pasted list, by role."""
    off: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    added: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    source: int = 0
    """Number of the source among those of the command line."""
    against: int | None = None
    """Number of the source to compare with."""
    what: str = ""
    """Name of an export."""
    text: str = ""
    """Content of a file of tests, which the browser read."""

    @classmethod
    def read(cls, body: bytes) -> Request:
        """Read the body of a request."""
        given = table_of(body)
        if given is None:
            raise EatlasError(NO_REQUEST)
        return cls(
            test=_text(given.get("test", "")),
            lists=_lists(given.get("lists")),
            off=_words(given.get("off")),
            added=_words(given.get("added")),
            source=_number(given.get("source", 0)),
            against=None if given.get("against") is None else _number(given["against"]),
            what=_text(given.get("what", "")),
            text=_text(given.get("text", "")),
        )


def _text(value: Any) -> str:
    """A text that can be written as UTF-8."""
    if not isinstance(value, str) or any("\ud800" <= char <= "\udfff" for char in value):
        raise EatlasError(NO_REQUEST)
    return value


def _number(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 1_000_000:
        raise EatlasError(NO_REQUEST)
    return value


def _by_role(value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, dict) or not set(value) <= set(ROLES):
        raise EatlasError(NO_REQUEST)
    return value


def _words(value: Any) -> dict[str, tuple[str, ...]]:
    """Lists of words by role."""
    found = _by_role(value)
    if not all(isinstance(words, list) for words in found.values()):
        raise EatlasError(NO_REQUEST)
    if (most := max(map(len, found.values()), default=0)) > MOST_TEXTS:
        raise EatlasError(
            f"A list of {count(most)} words is too long: the explorer takes at most {MOST_WORDS} "
            "in a group. eatlas run measures longer lists."
        )
    return {role: tuple(map(_text, words)) for role, words in found.items()}


def _lists(value: Any) -> dict[str, tuple[str, str]]:
    """Names and texts of four lists."""
    found = _by_role(value)
    if found and set(found) != set(ROLES):
        raise EatlasError(NO_REQUEST)
    if any(not isinstance(one, list) or len(one) != 2 for one in found.values()):
        raise EatlasError(NO_REQUEST)
    return {role: (_text(one[0]), _text(one[1])) for role, one in found.items()}
