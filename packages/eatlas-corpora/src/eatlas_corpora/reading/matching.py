"""Characters of words, where stimuli occur in texts as whole words, and where sentences end."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.stimuli.languages import (
    APOSTROPHE,
    APOSTROPHES,
    capital,
    i_without_dot,
    lower,
    never_composed,
    one_form,
    primary,
    upper,
)
from eatlas_corpora import reading


def letters(text: str) -> list[str]:
    """Part a text into letters with their marks, each decomposed (NFD)."""
    parts: list[str] = []
    for character in unicodedata.normalize("NFC", text):
        if parts and unicodedata.combining(character):
            parts[-1] += character
        else:
            parts.append(character)
    return [unicodedata.normalize("NFD", part) for part in parts]


@cache
def ways_to_write(letter: str) -> tuple[str, ...]:
    """A letter with its marks, decomposed, as one character and as several."""
    composed = unicodedata.normalize("NFC", letter)
    return tuple(dict.fromkeys((composed, letter, *never_composed().get(letter, ()))))


_ALL = 0x110000
_LETTERS = 0x10000
"""Lower case is looked for below; beyond are scripts that few texts are written in."""
_MARKS = 0x20000
"""Marks of letters are below; those beyond choose a variant of a character."""
_NO_MARKS = frozenset(map(chr, range(0xFE00, 0xFE10)))
"""They select how a character is rendered, such as an emoji; they are not letters."""


@cache
def character_table() -> NDArray[np.uint8]:
    """Return the bits of every code point, shape (0x110000,)."""
    kernels = reading.kernels
    points = np.arange(_ALL, dtype="<u4").tobytes()
    characters = points.decode("utf-32-le", "surrogatepass")
    table = np.zeros(_ALL, np.uint8)
    for run in re.finditer(r"\w+", characters):
        table[run.start() : run.end()] |= kernels.WORD
    marks = (c for c in characters[:_MARKS] if unicodedata.category(c) in {"Mn", "Mc"})
    table[[ord(c) for c in marks if c not in _NO_MARKS]] |= kernels.WORD
    table[[ord(c) for c in APOSTROPHES]] &= ~np.uint8(kernels.WORD)
    lower = np.fromiter((c.islower() for c in characters[:_LETTERS]), np.bool_, _LETTERS)
    table[:_LETTERS][lower] |= kernels.LOWER
    for bit, such in kernels.SENTENCE_CHARACTERS.items():
        table[[ord(c) for c in such]] |= bit
    return table


BEFORE_MORE = frozenset(
    {"mr", "mrs", "ms", "messrs", "dr", "prof", "st", "mt", "ft", "rev", "fr", "hon", "gov", "sen"}
    | {"rep", "pres", "gen", "col", "capt", "cmdr", "lt", "sgt", "maj", "adm", "vs", "viz", "cf"}
    | {"e.g", "i.e", "vol", "vols", "fig", "figs", "op", "eds", "pp", "p", "sec", "approx", "ca"}
    | {"dept", "univ"}
)
"""Abbreviations behind which a sentence goes on, in lower case. Those that end sentences as well,
such as etc. and Inc., or are words of their own, such as no. and art., are none of them."""


_BEFORE_MORE = {
    "de": "a d h i n o s u v z z.b d.h u.a u.u i.d.r i.a bzw ca nr hr hrn fr dr prof evtl ggf vgl "
    "abb bd jh jhd st inkl exkl bspw sog geb tel mio mrd mind insb kap zzgl allg dipl ing",
    "fr": "mm mme mlle dr pr st ste cf ex p.ex env av fig p pp vol",
    "es": "sr sra srta sres dr dra d da ud uds vd vds prof gral cap p pp vol av avda fig cf p.ej "
    "ej ee",
    "it": "sig sigg sig.ra dott dott.ssa prof prof.ssa ing avv on es pag pagg p pp cfr fig vol ca "
    "geom rag dr s",
    "pt": "sr sra srs dr dra drs prof profa eng exmo exma p pp vol cf fig av cap ex p.ex",
    "nl": "dhr mevr mw mr dr drs ir ing prof bijv bv d.w.z o.a m.a.w i.p.v t.o.v ca nr blz p pp "
    "vgl resp incl excl zgn evt st",
}
"""The same of other languages, by their tags."""
_ORDINALS = frozenset(
    ["de", "da", "nb", "nn", "no", "is", "fi", "et", "lv", "cs", "sk", "sl", "hr", "sr", "hu", "pl"]
)
"""Languages in which a number of one or two digits with a full stop is an ordinal number."""
_A_NUMBER = "0"


@cache
def abbreviations(language: str = "") -> NDArray[np.uint64]:
    """Return the bytes of each abbreviation as one number: none is longer than eight."""
    code = primary(language)
    words = BEFORE_MORE if code in {"", "en"} else _BEFORE_MORE.get(code, "").split()
    ordinals = [_A_NUMBER] if code in _ORDINALS else []
    return np.array([int.from_bytes(w.encode()) for w in (*words, *ordinals)], np.uint64)


# --- stimuli --------------------------------------------------------------------------------------

Case = Literal["auto", "exact", "ignore"]
Compounds = Literal["either", "written", "head"]
GAP = "gap"
"""A symbol for what separates the words of a compound."""
HYPHENS = ("-", "\u2010", "\u2011")
"""Hyphen-minus, hyphen, and the hyphen at which no line is broken."""
_LAST_PART = re.compile(f"[^{''.join(HYPHENS)}]+[{''.join(HYPHENS)}]*$")
SPACES = (" ", "\t", "\n", "\v", "\f", "\r", "\u00a0")


Symbol = tuple[str, tuple[str, ...], tuple[str, ...]]
"""One letter of a stimulus: its name, how it may be written, and characters that may follow any
number of times."""
Matches = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]
"""Places of stimuli in UTF-8, from the left: where each begins and ends, and its number."""


@dataclass(frozen=True)
class MatchRule:
    """How stimuli and texts are compared.

    Whatever the rule, a letter and its marks may be one character or several (NFC, NFD), and all
    apostrophes are one.
    """

    case: Case = "auto"
    compounds: Compounds = "either"
    language: str = ""
    """Normalise the case of stimuli and texts by the rule."""

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

    def spellings(self, stimulus: str) -> tuple[str, ...]:
        """Return the spellings of a stimulus, hyphens and spaces as they are written."""
        stimulus = one_form(self.head(stimulus))
        if self.case != "auto" or stimulus != lower(stimulus, self.language):
            return (stimulus,)
        cases = (of(stimulus, self.language) for of in (capital, upper))
        return tuple(dict.fromkeys((stimulus, *cases)))

    def symbols(self, spelling: str) -> list[Symbol]:
        """Return the letters of a spelling in all that the rule takes for the same."""
        symbols: list[Symbol] = []
        gaps = SPACES if self.compounds == "written" else (*SPACES, *HYPHENS)
        for letter in letters(spelling):
            if letter in gaps:
                if not symbols or symbols[-1][0] != GAP:
                    symbols.append((GAP, gaps, SPACES))
            elif letter == APOSTROPHE:
                symbols.append((letter, APOSTROPHES, ()))
            elif pair := self._of_i(letter):
                both = (ways_to_write(unicodedata.normalize("NFD", i)) for i in pair)
                symbols.append((pair[0], tuple(chain(*both)), ()))
            else:
                small = self.name(letter[0])
                cases = [letter[0], *([small, small.upper()] if self.case == "ignore" else [])]
                ways = (ways_to_write(case + letter[1:]) for case in cases if len(case) == 1)
                symbols.append((self.name(letter), tuple(dict.fromkeys(chain(*ways))), ()))
        return symbols

    def _of_i(self, letter: str) -> str:
        """An i with or without a dot and its capital, if the language distinguishes them."""
        if self.case != "ignore" or not i_without_dot(self.language):
            return ""
        character = unicodedata.normalize("NFC", letter)
        return next((pair for pair in ("iİ", "ıI") if character in pair), "")

    def name(self, letter: str) -> str:
        """Return what a letter, or the beginning of one, is the same by."""
        if pair := self._of_i(letter):
            return pair[0]
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

    def __init__(self, rule: MatchRule) -> None:
        self.name = rule.name
        self.rows: list[dict[int, int]] = [{}]
        self._children: dict[tuple[int, str | bytes], int] = {}

    def child(self, state: int, symbol: Symbol) -> int:
        """Lead from a state to the one behind a symbol, in every way that it may be written."""
        name, ways, repeats = symbol
        child = self._child(state, name)
        for character in repeats:
            self._lead(child, character, child)
        for way in ways:
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


_AT_ONCE = 1 << 16
"""Matches that there is room for at a time."""


def mark_beginnings(
    following: NDArray[np.int32], final: NDArray[np.int32], outside: NDArray[np.bool_]
) -> NDArray[np.uint8]:
    """Mark the slots of the three bytes with which a spelling and what follows it may begin."""
    first_bytes = np.flatnonzero(following[0] >= 0)
    first = following[0, first_bytes]
    second = following[first]
    over = (final[first] >= 0)[:, None] & outside
    any_third = over | ((second >= 0) & (final[second] >= 0))
    rows, second_bytes = np.nonzero((second >= 0) | over)
    pairs = rows, second_bytes
    thirds = (following[second[pairs]] >= 0) | any_third[pairs][:, None]
    pair, third_bytes = np.nonzero(thirds)
    marked = np.zeros(reading.kernels.SLOTS, np.uint8)
    slots = reading.kernels.slot_of(first_bytes[rows[pair]], second_bytes[pair], third_bytes)
    marked[slots] = 1
    return marked


class Matcher:
    r"""Finds stimuli as whole words: from the left, the longest first, none within another.

    A word ends where a letter, digit, ``_`` or mark of a letter meets another character. Texts have
    no soft hyphens: they are left out where they are read. What could be two stimuli, such as EBONY
    where case is ignored and both Ebony and ebony are stimuli, is the one that is written so, and
    else neither.
    """

    def __init__(self, stimuli: Iterable[str], rule: MatchRule | None = None) -> None:
        kernels = reading.kernels
        self.stimuli, self.rule = tuple(stimuli), rule or MatchRule()
        self.require_heads()
        states, ends = _States(self.rule), dict[int, dict[int, None]]()
        for number, stimulus in enumerate(self.stimuli):
            for spelling in self.rule.spellings(stimulus):
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
        outside = characters[:256] & kernels.WORD == 0
        outside[128:] = True
        marked = mark_beginnings(following, final, outside)
        self._automaton = following, final, characters, marked, outside.astype(np.uint8)

    def require_heads(self) -> None:
        """Refuse two compounds with the same head, because an occurrence could be either."""
        by_head: dict[str, str] = {}
        for stimulus in self.stimuli if self.rule.compounds == "head" else ():
            head = one_form(self.rule.head(stimulus))
            if (earlier := by_head.setdefault(head, stimulus)) != stimulus:
                raise SourceError(
                    f"two stimuli have the same head, {head!r}",
                    got=f"{earlier}, {stimulus}",
                    remedy="keep compounds whole (either, written), or remove one of them",
                )

    def matches(self, data: NDArray[np.uint8], separator: int) -> Matches:
        """Return the matches in bytes of valid UTF-8, without those that could be several."""
        starts, ends, endings = self._find(data, separator)
        stimuli = self._alone[endings]
        for k in np.flatnonzero(stimuli < 0).tolist():
            text = data[starts[k] : ends[k]].tobytes().decode()
            stimuli[k] = self._choose_exact(text, self._endings[endings[k]])
        sure = stimuli >= 0
        return starts[sure], ends[sure], stimuli[sure]

    def _find(self, data: NDArray[np.uint8], separator: int) -> NDArray[np.int64]:
        """Where spellings begin and end, and which they are, shape (3, spellings)."""
        found, at = [np.empty((3, 0), np.int64)], 0
        while at < len(data):
            matches = np.empty((3, _AT_ONCE), np.int64)
            count, at = reading.kernels.find(data, separator, self._automaton, at, matches)
            found.append(matches[:, :count])
        return np.concatenate(found, axis=1)

    def _choose_exact(self, text: str, candidates: tuple[int, ...]) -> int:
        """Choose the stimulus that is written as the text is; hyphens and spaces matter last."""
        words = " ".join(text.split())
        for form in (str, one_form, lambda text: one_form(text).translate(_SAME_GAP)):
            exact = [k for k in candidates if form(self.rule.head(self.stimuli[k])) == form(words)]
            if len(exact) == 1:
                return exact[0]
        return NOTHING
