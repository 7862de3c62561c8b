"""Attributes as adjectives, which fit the places of templates where nouns do not."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from importlib import resources

from eatlas.stimuli.sentences.templates import built_in

NO_FORM = "no adjective is known for it"
"""Why a word is left out where adjectives are asked for."""


def adjectives_of(words: Iterable[str]) -> dict[str, str]:
    """Adjectives of those words that have one.

    Examples
    --------
    >>> adjectives_of(["love", "gentle", "diamond"])
    {'love': 'lovable', 'gentle': 'gentle'}
    """
    known, classes = _known(), built_in().words
    found = {
        word: known.get(word, word if classes.get(word) == "adjective" else None) for word in words
    }
    return {word: form for word, form in found.items() if form is not None}


@cache
def _known() -> dict[str, str]:
    data = resources.files("eatlas.stimuli.sentences") / "adjectives.toml"
    document = tomllib.loads(data.read_text(encoding="utf-8"))
    return dict(document["adjectives"])
