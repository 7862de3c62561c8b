"""Forms of words that templates of language models request: adjectives of nouns, plurals."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from importlib import resources

from eatlas.decoding import own_toml
from eatlas.stimuli.sentences import built_in

NO_FORM = "no adjective is known for it"
"""Why a word is left out where adjectives are needed."""


@cache
def plurals_of_tests() -> frozenset[str]:
    """Plurals of the words of the built-in tests."""
    return frozenset(form.plural for form in built_in().forms.values())


@cache
def _adjectives() -> dict[str, str]:
    """Adjectives by noun, and those among the words of the built-in tests."""
    data = resources.files("eatlas_models.stimuli") / "data" / "adjectives.toml"
    own = {word: word for word, kind in built_in().words.items() if kind == "adjective"}
    return {**own, **own_toml(data)["adjectives"]}


def adjectives_of(words: Iterable[str]) -> dict[str, str]:
    """Adjectives of those words that have one."""
    adjectives = _adjectives()
    return {word: adjectives[word] for word in words if word in adjectives}
