"""Where stimuli occur in texts, as whole words, and where sentences end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.corpora.characters import (
    APOSTROPHE,
    APOSTROPHES,
    abbreviations,
    character_table,
    letters,
    one_form,
    ways_to_write,
)
from eatlas.errors import SourceError

if TYPE_CHECKING:
    from eatlas.corpora.kernels import Tables

Case = Literal["auto", "exact", "ignore"]
Compounds = Literal["either", "written", "head"]
GAP = "gap"
"""A symbol for what separates the words of a compound."""
HYPHENS = ("-", "\u2010", "\u2011")
"""Hyphen-minus, hyphen, and the hyphen at which no line is broken."""
_LAST_PART = re.compile(f"[^{''.join(HYPHENS)}]+[{''.join(HYPHENS)}]*$")
SPACES = (" ", "\t", "\n", "\v", "\f", "\r", "\u00a0")


@dataclass(frozen=True)
class Symbol:
    """One letter of a stimulus, and how it may be written."""

    name: str
    ways: tuple[str, ...]
    repeats: tuple[str, ...] = ()
    """Characters that may follow any number of times."""


@dataclass(frozen=True)
class Rule:
    """How stimuli and texts are compared.

    Whatever the rule, a letter and its marks may be one character or several (NFC, NFD), all
    apostrophes are one, and soft hyphens are left out.
    """

    case: Case = "auto"
    compounds: Compounds = "either"

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("case", self.case, get_args(Case)),
            ("compounds", self.compounds, get_args(Compounds)),
        ):
            if value not in allowed:
                raise SourceError(
                    f"unknown rule for {name}", got=repr(value), allowed=", ".join(allowed)
                )

    def written(self, stimulus: str) -> tuple[str, ...]:
        """Return the spellings of a stimulus, hyphens and spaces as they are written."""
        stimulus = self.sought(stimulus)
        if self.case != "auto" or stimulus != stimulus.lower():
            return (stimulus,)
        first = stimulus[:1].upper() + stimulus[1:]
        return tuple(dict.fromkeys((stimulus, first, stimulus.upper())))

    def sought(self, stimulus: str) -> str:
        """What is looked for, in the form in which it is compared: the stimulus, or its head."""
        return one_form(self.head(stimulus))

    def head(self, stimulus: str) -> str:
        """The stimulus as it is written, or its head."""
        last = _LAST_PART.search(stimulus) if self.compounds == "head" else None
        return last[0] if last else stimulus

    def require_heads(self, stimuli: Iterable[str]) -> None:
        """Refuse compounds that leave one and the same word, which could be either."""
        by_head: dict[str, str] = {}
        for stimulus in stimuli if self.compounds == "head" else ():
            head = self.sought(stimulus)
            if (earlier := by_head.setdefault(head, stimulus)) != stimulus:
                raise SourceError(
                    f"two stimuli have the same head, {head!r}",
                    got=f"{earlier}, {stimulus}",
                    allowed="a different head for each stimulus",
                    remedy="keep compounds whole (either, written), or leave one of them out",
                )

    def symbols(self, spelling: str) -> list[Symbol]:
        """Return the letters of a spelling."""
        symbols: list[Symbol] = []
        for letter in letters(spelling):
            symbol = self._symbol(letter)
            if not (symbol.repeats and symbols and symbols[-1] == symbol):
                symbols.append(symbol)
        return symbols

    def _symbol(self, letter: str) -> Symbol:
        """A letter with its marks in all that the rule takes for the same."""
        if letter in SPACES or (self.compounds != "written" and letter in HYPHENS):
            hyphens = HYPHENS if self.compounds != "written" else ()
            return Symbol(GAP, (*SPACES, *hyphens), SPACES)
        if letter == APOSTROPHE:
            return Symbol(letter, APOSTROPHES)
        base, marks = letter[0], letter[1:]
        bases = [base]
        if self.case == "ignore":
            bases += [c for c in (self._folded(base), self._folded(base).upper()) if len(c) == 1]
        ways = (way for one in bases for way in ways_to_write(one + marks))
        return Symbol(self.name(letter), tuple(dict.fromkeys(ways)))

    def name(self, letter: str) -> str:
        """Return what a letter, or the beginning of one, is the same by."""
        return "".join(map(self._folded, unicodedata.normalize("NFD", letter)))

    def _folded(self, character: str) -> str:
        """A character without its case, where case is ignored."""
        upper = character.upper()
        alone = self.case == "ignore" and len(upper) == 1 and len(upper.lower()) == 1
        return upper.lower() if alone else character


NOTHING = -1


@dataclass(frozen=True)
class Automaton:
    """What the compiled loop walks through, byte by byte of UTF-8, from state 0.

    Every spelling ends in a state of its own, which spellings of several stimuli may share.
    """

    next: NDArray[np.int32]
    """The state after a byte, shape (states, 256); -1 where no stimulus goes on so."""
    final: NDArray[np.int32]
    """Shape (states,): the number of what ends in a state, or -1."""
    endings: tuple[tuple[int, ...], ...]
    """The stimuli of each such number, without repetition."""


class _Building:
    """States by the way that leads to them."""

    def __init__(self, rule: Rule) -> None:
        self.name = rule.name
        self.rows = [np.full(256, NOTHING, np.int32)]
        self.children: dict[tuple[int, str], int] = {}
        self.between: dict[tuple[int, bytes], int] = {}

    def child(self, state: int, symbol: Symbol) -> int:
        """Lead from a state to the one behind a symbol, in every way that it may be written."""
        child = self._child(state, symbol.name)
        for character in symbol.repeats:
            self._lead(child, character, child)
        for way in symbol.ways:
            at = state
            for k, character in enumerate(way[:-1], start=1):
                part = self._child(state, self.name(way[:k]))  # e, which é may begin with
                self._lead(at, character, part)
                at = part
            self._lead(at, way[-1], child)
        return child

    def _child(self, state: int, name: str) -> int:
        if (state, name) not in self.children:
            self.children[state, name] = self._new()
        return self.children[state, name]

    def _lead(self, state: int, character: str, child: int) -> None:
        *first_bytes, last = character.encode()
        at, way = state, b""
        for byte in first_bytes:
            way += bytes([byte])
            if (state, way) not in self.between:
                self.between[state, way] = self._new()
                self.rows[at][byte] = self.between[state, way]
            at = self.between[state, way]
        self.rows[at][last] = child

    def _new(self) -> int:
        self.rows.append(np.full(256, NOTHING, np.int32))
        return len(self.rows) - 1


def build(stimuli: Iterable[str], rule: Rule) -> Automaton:
    """Put stimuli into an automaton; the number of a stimulus is its place among them."""
    building = _Building(rule)
    ends: dict[int, dict[int, None]] = {}
    for number, stimulus in enumerate(stimuli):
        for spelling in rule.written(stimulus):
            state = 0
            for symbol in rule.symbols(spelling):
                state = building.child(state, symbol)
            ends.setdefault(state, {})[number] = None
    table = np.stack(building.rows)
    final = np.full(len(table), NOTHING, np.int32)
    endings: dict[tuple[int, ...], int] = {}
    for state, numbers in ends.items():
        final[state] = endings.setdefault(tuple(numbers), len(endings))
    return Automaton(table, final, tuple(endings))


_AT_ONCE = 1 << 16
"""Matches that are looked at together; bounds the memory that many matches take."""
_SAME_GAP: dict[int, str] = {ord(character): " " for character in (*HYPHENS, *SPACES)}


@dataclass(frozen=True)
class Matches:
    """Places of stimuli in UTF-8, from the left."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    stimuli: NDArray[np.int64]
    """Number of the stimulus at each place."""

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

    A word ends where a letter, digit, ``_`` or mark of a letter meets another character; soft
    hyphens are passed over. What could be two stimuli, such as EBONY where case is ignored and both
    Ebony and ebony are stimuli, is the one that is written so, and else neither.
    """

    def __init__(self, stimuli: Iterable[str], rule: Rule | None = None) -> None:
        self.stimuli = tuple(stimuli)
        self.rule = rule or Rule()
        self.rule.require_heads(self.stimuli)
        self._automaton = build(self.stimuli, self.rule)
        endings = self._automaton.endings
        self._alone = np.array([n[0] if len(n) == 1 else -1 for n in endings], np.int64)

    def matches(self, data: NDArray[np.uint8], separator: int) -> Iterable[Matches]:
        """Yield the matches in bytes of valid UTF-8, some thousands at a time."""
        from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

        starts, ends = np.empty((2, _AT_ONCE), np.int64)
        endings = np.empty(_AT_ONCE, np.int32)
        at = 0
        while at < len(data):
            n, at = kernels.find(data, at, separator, self._tables, starts, ends, endings)
            yield self._resolved(data, starts[:n].copy(), ends[:n].copy(), endings[:n])

    @cached_property
    def _tables(self) -> Tables:
        from eatlas.corpora import kernels  # noqa: PLC0415

        table = self._automaton
        characters = character_table()
        beginnings: Any = kernels.beginnings(table.next, table.final, characters)
        return kernels.Tables(table.next, table.final, characters, beginnings)

    def find_in(self, text: str) -> list[tuple[str, str]]:
        """Return the matches in a text, each with its stimulus."""
        data = np.frombuffer(text.encode(), np.uint8)
        return [
            (data[a:b].tobytes().decode(), self.stimuli[number])
            for matches in self.matches(data, 0)
            for a, b, number in zip(matches.starts, matches.ends, matches.stimuli, strict=True)
        ]

    def _resolved(
        self,
        data: NDArray[np.uint8],
        starts: NDArray[np.int64],
        ends: NDArray[np.int64],
        endings: NDArray[np.int32],
    ) -> Matches:
        """Name the stimulus of each match, and leave out those that could be several."""
        stimuli = self._alone[endings]
        for k in np.flatnonzero(stimuli < 0).tolist():
            text = data[starts[k] : ends[k]].tobytes().decode()
            stimuli[k] = self._written_so(text, self._automaton.endings[endings[k]])
        sure = stimuli >= 0
        return Matches(starts[sure], ends[sure], stimuli[sure])

    def _written_so(self, text: str, candidates: tuple[int, ...]) -> int:
        """Choose the stimulus that is written as the text is; hyphens and spaces matter last."""
        words = " ".join(text.split())
        for form in (str, one_form, _without_gaps):
            alike = form(words)
            exact = [k for k in candidates if form(self.rule.head(self.stimuli[k])) == alike]
            if len(exact) == 1:
                return exact[0]
        return -1


def _without_gaps(text: str) -> str:
    """Text in one form, with hyphens for spaces."""
    return one_form(text).translate(_SAME_GAP)


def sentences(text: str) -> list[str]:
    """Part a text into sentences."""
    from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

    data = np.frombuffer(text.encode(), np.uint8)
    first = kernels.sentence_starts(data, character_table(), abbreviations())
    cuts = [0, *np.flatnonzero(first).tolist(), len(data)]
    parts = (data[a:b].tobytes().decode().strip() for a, b in pairwise(cuts))
    return [part for part in parts if part]
