"""How a stimulus may be written in a text: the case rule, and compounds with hyphen or space."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from eatlas.errors import SourceError

Case = Literal["auto", "exact", "ignore"]
Compounds = Literal["either", "written"]
GAP = "gap"
"""A symbol for what stands between the words of a compound."""
HYPHENS = ("-", "\u2010", "\u2011")
"""Hyphen-minus, hyphen, and the hyphen at which no line is broken."""
SPACES = (" ", "\t", "\n", "\v", "\f", "\r", "\u00a0")


@dataclass(frozen=True)
class Symbol:
    """One place of a stimulus, and the characters that may stand there."""

    name: str
    characters: tuple[str, ...]
    repeats: tuple[str, ...] = ()
    """Characters that may follow any number of times."""


@dataclass(frozen=True)
class Rule:
    """How stimuli and texts are compared.

    Parameters
    ----------
    case : {"auto", "exact", "ignore"}
        ``auto``: a stimulus in lower case is found as it is written, with a capital first letter
        and in capitals; one with a capital letter only as it is written, so that Will is no will.
        ``exact``: only as written. ``ignore``: in any case.
    compounds : {"either", "written"}
        ``either``: hyphen and space stand for each other, so that fried-chicken finds
        fried chicken; ``written``: a hyphen is a hyphen. A space is any white space.

    Examples
    --------
    >>> Rule("auto").written("love"), Rule("auto").written("Will")
    (('love', 'Love', 'LOVE'), ('Will',))
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
        if self.case != "auto" or stimulus != stimulus.lower():
            return (stimulus,)
        first = stimulus[0].upper() + stimulus[1:]
        return tuple(dict.fromkeys((stimulus, first, stimulus.upper())))

    def symbols(self, spelling: str) -> list[Symbol]:
        """Return the places of a spelling."""
        found: list[Symbol] = []
        for character in spelling:
            symbol = self._symbol(character)
            if not (symbol.repeats and found and found[-1] == symbol):
                found.append(symbol)
        return found

    def _symbol(self, character: str) -> Symbol:
        if character in SPACES or (self.compounds == "either" and character in HYPHENS):
            hyphens = HYPHENS if self.compounds == "either" else ()
            return Symbol(GAP, (*SPACES, *hyphens), SPACES)
        if self.case != "ignore":
            return Symbol(character, (character,))
        upper = character.upper()
        name = upper.lower() if len(upper) == 1 and len(upper.lower()) == 1 else character
        both = (character, name, *(c for c in (name.upper(),) if len(c) == 1))
        return Symbol(name, tuple(dict.fromkeys(both)))
