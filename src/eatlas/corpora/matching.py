"""Where stimuli stand in texts, as whole words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.automaton import build
from eatlas.corpora.characters import character_table
from eatlas.corpora.spelling import HYPHENS, SPACES, Rule

if TYPE_CHECKING:
    from eatlas.corpora._kernels import Tables

_AT_ONCE = 1 << 16
"""Matches that are looked at together; bounds the memory that many matches take."""
_SAME_GAP: dict[int, str] = {ord(character): " " for character in (*HYPHENS, *SPACES)}


@dataclass(frozen=True)
class Matches:
    """Places of stimuli in UTF-8, from the left."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    stimuli: NDArray[np.int64]
    """Which stimulus stands there."""

    def __len__(self) -> int:
        return len(self.starts)

    @classmethod
    def joined(cls, parts: Sequence[Matches]) -> Matches:
        """Put matches together that lie one behind the other."""
        return cls(
            np.concatenate([part.starts for part in parts]),
            np.concatenate([part.ends for part in parts]),
            np.concatenate([part.stimuli for part in parts]),
        )

    def at(self, places: NDArray[np.int64]) -> Matches:
        """Return the matches at some places among these."""
        return Matches(self.starts[places], self.ends[places], self.stimuli[places])


class Matcher:
    r"""Finds stimuli as whole words: from the left, the longest first, none within another.

    A word ends where a character of a word (``\w``) meets another one. What could be two stimuli,
    such as EBONY where case is ignored and both Ebony and ebony are asked for, is the one that is
    written so, and else neither.

    Parameters
    ----------
    stimuli : iterable of str
    rule : Rule

    Examples
    --------
    >>> matcher = Matcher(["ant", "South African", "African"], Rule())
    >>> [text for text, _ in matcher.find_in("South African ants; an Ant, African wants.")]
    ['South African', 'Ant', 'African']
    """

    def __init__(self, stimuli: Iterable[str], rule: Rule | None = None) -> None:
        self.stimuli = tuple(stimuli)
        self.rule = rule or Rule()
        self.rule.require_heads(self.stimuli)
        self._automaton = build(self.stimuli, self.rule)
        endings = self._automaton.endings
        self._alone = np.array([one[0] if len(one) == 1 else -1 for one in endings], np.int64)

    def matches(self, data: NDArray[np.uint8], separator: int) -> Iterable[Matches]:
        """Yield the matches in bytes of valid UTF-8, some thousands at a time.

        Parameters
        ----------
        data : array of uint8
        separator : int
            The byte between two texts; no match goes across it.
        """
        from eatlas.corpora import _kernels  # noqa: PLC0415  (compiles on import)

        starts, ends = np.empty((2, _AT_ONCE), np.int64)
        endings = np.empty(_AT_ONCE, np.int32)
        at = 0
        while at < len(data):
            n, at = _kernels.find(data, at, separator, self._tables, starts, ends, endings)
            yield self._resolved(data, starts[:n].copy(), ends[:n].copy(), endings[:n])

    @cached_property
    def _tables(self) -> Tables:
        from eatlas.corpora import _kernels  # noqa: PLC0415

        table = self._automaton
        characters = character_table()
        beginnings: Any = _kernels.beginnings(table.next, table.final, characters)
        return _kernels.Tables(table.next, table.final, characters, beginnings)

    def find_in(self, text: str) -> list[tuple[str, str]]:
        """Return what stands in a text, with the stimulus that it is."""
        data = np.frombuffer(text.encode(), np.uint8)
        return [
            (data[a:b].tobytes().decode(), self.stimuli[number])
            for some in self.matches(data, 0)
            for a, b, number in zip(some.starts, some.ends, some.stimuli, strict=True)
        ]

    def _resolved(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        endings: NDArray[np.int32],
    ) -> Matches:
        stimuli = self._alone[endings]
        for k in np.flatnonzero(stimuli < 0).tolist():
            text = data[starts[k] : ends[k]].tobytes().decode()
            stimuli[k] = self._written_so(text, self._automaton.endings[endings[k]])
        sure = stimuli >= 0
        return Matches(starts[sure], ends[sure], stimuli[sure])

    def _written_so(self, text: str, candidates: tuple[int, ...]) -> int:
        """Choose the stimulus that is written as the text is; hyphens and spaces matter last."""
        words = " ".join(text.split())
        for same in ({}, _SAME_GAP):
            alike = words.translate(same)
            exact = [
                k for k in candidates if self.rule.sought(self.stimuli[k]).translate(same) == alike
            ]
            if len(exact) == 1:
                return exact[0]
        return -1
