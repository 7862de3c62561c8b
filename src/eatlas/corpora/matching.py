"""Where stimuli occur in texts, as whole words, and where sentences end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

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
    from eatlas.corpora.kernels import Sentences

Case = Literal["auto", "exact", "ignore"]
Compounds = Literal["either", "written", "head"]
GAP = "gap"
"""A symbol for what separates the words of a compound."""
HYPHENS = ("-", "\u2010", "\u2011")
"""Hyphen-minus, hyphen, and the hyphen at which no line is broken."""
_LAST_PART = re.compile(f"[^{''.join(HYPHENS)}]+[{''.join(HYPHENS)}]*$")
SPACES = (" ", "\t", "\n", "\v", "\f", "\r", "\u00a0")


class Symbol(NamedTuple):
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

    def head(self, stimulus: str) -> str:
        """What is looked for: the stimulus, or its last part."""
        last = _LAST_PART.search(stimulus) if self.compounds == "head" else None
        return last[0] if last else stimulus

    def written(self, stimulus: str) -> tuple[str, ...]:
        """Return the spellings of a stimulus, hyphens and spaces as they are written."""
        stimulus = one_form(self.head(stimulus))
        if self.case != "auto" or stimulus != stimulus.lower():
            return (stimulus,)
        first = stimulus[:1].upper() + stimulus[1:]
        return tuple(dict.fromkeys((stimulus, first, stimulus.upper())))

    def symbols(self, spelling: str) -> list[Symbol]:
        """Return the letters of a spelling in all that the rule takes for the same."""
        symbols: list[Symbol] = []
        gaps = SPACES if self.compounds == "written" else (*SPACES, *HYPHENS)
        for letter in letters(spelling):
            if letter in gaps:
                if not symbols or symbols[-1].name != GAP:
                    symbols.append(Symbol(GAP, gaps, SPACES))
            elif letter == APOSTROPHE:
                symbols.append(Symbol(letter, APOSTROPHES))
            else:
                lower = self.name(letter[0])
                cases = [letter[0], *([lower, lower.upper()] if self.case == "ignore" else [])]
                ways = (ways_to_write(case + letter[1:]) for case in cases if len(case) == 1)
                symbols.append(Symbol(self.name(letter), tuple(dict.fromkeys(chain(*ways)))))
        return symbols

    def name(self, letter: str) -> str:
        """Return what a letter, or the beginning of one, is the same by."""
        characters = unicodedata.normalize("NFD", letter)
        if self.case != "ignore":
            return characters
        return "".join(
            c.upper().lower() if len(c.upper()) == len(c.upper().lower()) == 1 else c
            for c in characters
        )


NOTHING = -1


class _States:
    """States by the way that leads to them, and what follows each byte in them."""

    def __init__(self, rule: Rule) -> None:
        self.name = rule.name
        self.rows: list[dict[int, int]] = [{}]
        self._children: dict[tuple[int, str | bytes], int] = {}

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

    def _child(self, state: int, name: str | bytes) -> int:
        if (state, name) not in self._children:
            self._children[state, name] = len(self.rows)
            self.rows.append({})
        return self._children[state, name]

    def _lead(self, state: int, character: str, child: int) -> None:
        *first_bytes, last = character.encode()
        at = state
        for k, byte in enumerate(first_bytes, start=1):
            at = self.rows[at].setdefault(byte, self._child(state, bytes(first_bytes[:k])))
        self.rows[at][last] = child

    def table(self) -> NDArray[np.int32]:
        """The state after a byte, shape (states, 256)."""
        table = np.full((len(self.rows), 256), NOTHING, np.int32)
        for state, row in enumerate(self.rows):
            table[state, list(row)] = list(row.values())
        return table


_SAME_GAP: dict[int, str] = {ord(character): " " for character in (*HYPHENS, *SPACES)}


class Matches(NamedTuple):
    """Places of stimuli in UTF-8, from the left."""

    starts: NDArray[np.int64]
    ends: NDArray[np.int64]
    stimuli: NDArray[np.int64]
    """Number of the stimulus at each place."""


class Matcher:
    r"""Finds stimuli as whole words: from the left, the longest first, none within another.

    A word ends where a letter, digit, ``_`` or mark of a letter meets another character; soft
    hyphens are passed over. What could be two stimuli, such as EBONY where case is ignored and both
    Ebony and ebony are stimuli, is the one that is written so, and else neither.
    """

    def __init__(self, stimuli: Iterable[str], rule: Rule | None = None) -> None:
        from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

        self.stimuli, self.rule = tuple(stimuli), rule or Rule()
        self.require_heads()
        states, ends = _States(self.rule), dict[int, dict[int, None]]()
        for number, stimulus in enumerate(self.stimuli):
            for spelling in self.rule.written(stimulus):
                state = 0
                for symbol in self.rule.symbols(spelling):
                    state = states.child(state, symbol)
                ends.setdefault(state, {})[number] = None
        following = states.table()
        final = np.full(len(following), NOTHING, np.int32)
        self._endings = [tuple(numbers) for numbers in ends.values()]
        final[list(ends)] = np.arange(len(ends))
        self._alone = np.array([n[0] if len(n) == 1 else -1 for n in self._endings], np.int64)
        characters = character_table()
        beginnings: Any = kernels.beginnings(following, final, characters)
        self._tables = kernels.Tables(following, final, characters, beginnings)

    def require_heads(self) -> None:
        """Refuse compounds that leave one and the same word, which could be either."""
        by_head: dict[str, str] = {}
        for stimulus in self.stimuli if self.rule.compounds == "head" else ():
            head = one_form(self.rule.head(stimulus))
            if (earlier := by_head.setdefault(head, stimulus)) != stimulus:
                raise SourceError(
                    f"two stimuli have the same head, {head!r}",
                    got=f"{earlier}, {stimulus}",
                    allowed="a different head for each stimulus",
                    remedy="keep compounds whole (either, written), or leave one of them out",
                )

    def matches(self, data: NDArray[np.uint8], separator: int) -> Matches:
        """Return the matches in bytes of valid UTF-8, without those that could be several."""
        from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

        starts, ends, endings = kernels.find(data, separator, self._tables)
        stimuli = self._alone[endings]
        for k in np.flatnonzero(stimuli < 0).tolist():
            text = data[starts[k] : ends[k]].tobytes().decode()
            stimuli[k] = self._written_so(text, self._endings[endings[k]])
        sure = stimuli >= 0
        return Matches(starts[sure], ends[sure], stimuli[sure])

    def find_in(self, text: str) -> list[tuple[str, str]]:
        """Return the matches in a text, each with its stimulus."""
        data = np.frombuffer(text.encode(), np.uint8)
        return [
            (data[a:b].tobytes().decode(), self.stimuli[number])
            for a, b, number in zip(*self.matches(data, 0), strict=True)
        ]

    def _written_so(self, text: str, candidates: tuple[int, ...]) -> int:
        """Choose the stimulus that is written as the text is; hyphens and spaces matter last."""
        words = " ".join(text.split())
        for form in (str, one_form, lambda text: one_form(text).translate(_SAME_GAP)):
            exact = [k for k in candidates if form(self.rule.head(self.stimuli[k])) == form(words)]
            if len(exact) == 1:
                return exact[0]
        return NOTHING


def sentence_tables() -> Sentences:
    """What tells where sentences begin."""
    from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

    return kernels.Sentences(character_table(), abbreviations())


def sentences(text: str) -> list[str]:
    """Part a text into sentences."""
    from eatlas.corpora import kernels  # noqa: PLC0415  (compiles on import)

    data, tables = np.frombuffer(text.encode(), np.uint8), sentence_tables()
    words = (match.start() for match in re.finditer(rb"(?<=\s)\S", data.tobytes()))
    cuts = [0, *(k for k in words if kernels.begins(data, k, -1, tables)), len(data)]
    parts = (data[a:b].tobytes().decode().strip() for a, b in pairwise(cuts))
    return [part for part in parts if part]
