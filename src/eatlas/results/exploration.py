"""Tests whose words come from a search of the vectors themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eatlas.results.base import AssociationResult


def searched_words(result: AssociationResult) -> tuple[str, ...]:
    """Words of the groups of a result with which its theme was searched for."""
    theme = result.provenance.explored_on
    searched = {word.casefold() for word in theme.words} if theme else set()
    words = (word for group in result.coverage.values() for word in group.used)
    return tuple(word for word in words if word.casefold() in searched)
