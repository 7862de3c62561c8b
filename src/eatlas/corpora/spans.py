"""Associations of targets with groups in spans of sentences, counted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.characters import abbreviations, character_table, one_form
from eatlas.corpora.matching import Matcher, Matches, Rule
from eatlas.corpora.reading import Batch

BESIDE = 2
"""Columns behind the groups of a family: spans with no group, and with several."""


@dataclass(frozen=True)
class WordFamily:
    """Social groups that are distinguished, each with its words."""

    names: tuple[str, ...]
    words: tuple[tuple[str, ...], ...]

    @property
    def label(self) -> str:
        """The names with slashes between."""
        return "/".join(self.names)


@dataclass(frozen=True)
class Search:
    """What is counted, and in what."""

    targets: tuple[str, ...]
    families: tuple[WordFamily, ...]
    rule: Rule = field(default_factory=Rule)
    span: int = 3
    sliding: bool = False

    @cached_property
    def firsts(self) -> tuple[int, ...]:
        """First column of each family, then the number of columns."""
        return tuple(accumulate((len(one.names) + BESIDE for one in self.families), initial=0))

    @cached_property
    def stimuli(self) -> tuple[str, ...]:
        """Every target and every word of a group, once."""
        words = (word for family in self.families for some in family.words for word in some)
        return tuple(dict.fromkeys((*self.targets, *words)))

    def __getstate__(self) -> dict[str, Any]:
        """What other processes need; they make the rest anew."""
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass
class Tally:
    """What was counted; tallies of parts of a corpus add up to that of the whole."""

    table: NDArray[np.int64]
    """Spans with each target, shape (targets, columns); of every family its groups alone, then
    none of its groups, then several."""
    totals: NDArray[np.int64]
    """Documents, sentences, spans and words."""

    @classmethod
    def empty(cls, search: Search) -> Tally:
        """Nothing was counted yet."""
        shape = len(search.targets), search.firsts[-1]
        return cls(np.zeros(shape, np.int64), np.zeros(4, np.int64))

    def add(self, other: Tally) -> None:
        """Add what was counted elsewhere."""
        self.table += other.table
        self.totals += other.totals


class SpanCounter:
    """Takes in documents and counts associations in their spans."""

    def __init__(self, search: Search) -> None:
        from eatlas.corpora import _span_kernels  # noqa: PLC0415  (compiles on import)

        self._kernels = _span_kernels
        self.search = search
        self.tally = Tally.empty(search)
        self._matcher = Matcher(search.stimuli, search.rule)
        self._roles = _roles(search)
        self._tables = _span_kernels.Sentences(character_table(), abbreviations())

    def anew(self) -> Self:
        """Begin again with nothing counted; what finds the stimuli is kept."""
        self.tally = Tally.empty(self.search)
        return self

    def take(self, batch: Batch) -> None:
        """Count the spans of some whole documents."""
        matches = _all_matches(self._matcher, batch)
        self._kernels.count_spans(
            batch.data,
            batch.separator,
            matches.starts,
            matches.stimuli,
            self._roles,
            self._tables,
            self.search.span,
            self.search.sliding,
            self.tally.table,
            self.tally.totals,
        )


def _all_matches(matcher: Matcher, batch: Batch) -> Matches:
    """Matches of a batch, one behind the other."""
    nothing = np.zeros(0, np.int64)
    parts = matcher.matches(batch.data, batch.separator)
    return Matches.joined([Matches(nothing, nothing, nothing), *parts])


def _roles(search: Search) -> Any:
    """Rows and columns of the table by the numbers of the stimuli."""
    from eatlas.corpora._span_kernels import Roles  # noqa: PLC0415

    number = {stimulus: place for place, stimulus in enumerate(search.stimuli)}
    target = np.full(len(number), -1, np.int32)
    target[[number[one] for one in search.targets]] = np.arange(len(search.targets))
    group = np.full((len(search.families), len(number)), -1, np.int32)
    for row, (first, family) in enumerate(zip(search.firsts, search.families, strict=False)):
        for column, words in enumerate(family.words, start=first):
            group[row, [number[word] for word in words]] = column
    return Roles(target, group, np.array(search.firsts, np.int32))


def as_batch(texts: Sequence[str]) -> Batch:
    """Put texts together as documents."""
    coded = "\0".join(text.replace("\0", " ") for text in texts).encode("utf-8", "replace")
    return Batch(np.frombuffer(coded, np.uint8), 0)


def interplay(tests: Sequence[tuple[str, tuple[str, ...]]]) -> Iterator[tuple[str, str, str, str]]:
    """Find stimuli of two tests of which one hides the other where both are looked for together.

    A stimulus of several words hides those within it; of stimuli that differ by case alone, one has
    what could be both.
    """
    for name, stimuli in tests:
        for other, others in tests:
            if other == name:
                continue
            mine = set(stimuli)
            alone = {word: one for one in others if one not in mine for word in _words(one)}
            for one in stimuli:
                if one in others:
                    continue
                words = _words(one)
                hidden = next((alone[word] for word in words if word in alone), None)
                if hidden is not None and (len(words) > 1 or _folded(hidden) == _folded(one)):
                    yield name, one, other, hidden


def _words(stimulus: str) -> list[str]:
    """Words of a stimulus without case, parted at what is no letter or digit."""
    return "".join(c if c.isalnum() else " " for c in _folded(stimulus)).split()


def _folded(stimulus: str) -> str:
    return one_form(stimulus).casefold()
