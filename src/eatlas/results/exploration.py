"""Tests whose words come from a search of the vectors themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eatlas.results.parts import Coverage
    from eatlas.stimuli.kinds import ExploredOn


def words_of_search(theme: ExploredOn | None, coverage: Coverage) -> tuple[str, ...]:
    """Words of the groups of a test with which its theme was searched for."""
    searched = {word.casefold() for word in theme.words} if theme else set()
    words = (word for group in coverage.values() for word in group.used)
    return tuple(word for word in words if word.casefold() in searched)
