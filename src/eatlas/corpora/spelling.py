"""How a stimulus may be written in a text: the case rule, and compounds with hyphen or space."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from eatlas.errors import SourceError

Case = Literal["auto", "exact", "ignore"]
Compounds = Literal["either", "written", "head"]
GAP = "gap"
"""A symbol for what stands between the words of a compound."""
HYPHENS = ("-", "\u2010", "\u2011")
"""Hyphen-minus, hyphen, and the hyphen at which no line is broken."""
_LAST_PART = re.compile(f"[^{''.join(HYPHENS)}]+[{''.join(HYPHENS)}]*$")
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
    compounds : {"either", "written", "head"}
        ``either``: hyphen and space stand for each other, so that fried-chicken finds
        fried chicken; ``written``: a hyphen is a hyphen; ``head``: of a stimulus with hyphens the
        last part alone is looked for, so that fried-chicken finds chicken, as Guo and Caliskan
        (2021) simplify it. A space is any white space.

    Examples
    --------
    >>> Rule("auto").written("love"), Rule("auto").written("Will")
    (('love', 'Love', 'LOVE'), ('Will',))
    >>> Rule("exact", "head").written("fried-chicken")
    ('chicken',)
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
        first = stimulus[0].upper() + stimulus[1:]
        return tuple(dict.fromkeys((stimulus, first, stimulus.upper())))

    def sought(self, stimulus: str) -> str:
        """What is looked for: the stimulus, or its head."""
        last = _LAST_PART.search(stimulus) if self.compounds == "head" else None
        return last[0] if last else stimulus

    def require_heads(self, stimuli: Iterable[str]) -> None:
        """Refuse compounds that leave one and the same word, which could be either.

        Raises
        ------
        SourceError
        """
        by_head: dict[str, str] = {}
        for stimulus in stimuli if self.compounds == "head" else ():
            head = self.sought(stimulus)
            if (other := by_head.setdefault(head, stimulus)) != stimulus:
                raise SourceError(
                    f"two stimuli have the same head, {head!r}",
                    got=f"{other}, {stimulus}",
                    allowed="heads that tell stimuli apart",
                    remedy="keep compounds whole (either, written), or leave one of them out",
                )

    def symbols(self, spelling: str) -> list[Symbol]:
        """Return the places of a spelling."""
        found: list[Symbol] = []
        for character in spelling:
            symbol = self._symbol(character)
            if not (symbol.repeats and found and found[-1] == symbol):
                found.append(symbol)
        return found

    def _symbol(self, character: str) -> Symbol:
        if character in SPACES or (self.compounds != "written" and character in HYPHENS):
            hyphens = HYPHENS if self.compounds != "written" else ()
            return Symbol(GAP, (*SPACES, *hyphens), SPACES)
        if self.case != "ignore":
            return Symbol(character, (character,))
        upper = character.upper()
        name = upper.lower() if len(upper) == 1 and len(upper.lower()) == 1 else character
        both = (character, name, *(c for c in (name.upper(),) if len(c) == 1))
        return Symbol(name, tuple(dict.fromkeys(both)))
