"""Adjusted p-values over a declared family of findings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from eatlas.errors import EatlasError
from eatlas.results.base import AssociationResult
from eatlas.results.ml_eat import ThreeLevelResult
from eatlas.results.parts import Level, Tail
from eatlas.results.sc_eat import SCEATResult
from eatlas.results.weat import WEATResult
from eatlas.stats.multiplicity import benjamini_hochberg, benjamini_yekutieli, holm

if TYPE_CHECKING:
    import pandas as pd

Levels = Literal["level1", "level2", "both"]
"""Which effect sizes of each result belong to the family."""
Method = Literal["holm", "bh", "by"]
METHODS = {"holm": holm, "bh": benjamini_hochberg, "by": benjamini_yekutieli}
NAMES = {"holm": "Holm", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}


@dataclass(frozen=True)
class FamilyMember:
    """One finding of a family, with its p-value before and after adjustment."""

    test: str
    source: str
    signature: str
    level: str
    """``level1``, ``level2.X``, ``level2.Y``, or ``level2`` of a single term."""
    term: str | None
    """The term of an SC-EAT."""
    effect_size: float | None
    p: float
    adjusted: float
    """The smallest level at which the procedure rejects this hypothesis."""
    period: int | None = None
    window: int | str | None = None
    """Of results in contexts: words on either side, or the sentence."""
    distance: int | None = None


@dataclass(frozen=True)
class Family:
    """Findings that are judged together, since each is one more chance of a false one."""

    members: tuple[FamilyMember, ...]
    method: Method
    tail: Tail
    levels: Levels

    def __len__(self) -> int:
        return len(self.members)

    def __iter__(self) -> Iterator[FamilyMember]:
        return iter(self.members)

    @property
    def method_name(self) -> str:
        """The procedure as papers call it, such as Holm."""
        return NAMES[self.method]

    def below(self, alpha: float = 0.05) -> tuple[FamilyMember, ...]:
        """Members whose adjusted p is below alpha."""
        return tuple(member for member in self.members if member.adjusted < alpha)

    def adjusted(self, result: AssociationResult, level: str = "level1") -> float | None:
        """Adjusted p of one effect size of a result; None where the family has it not."""
        of = (*_named(result), level)
        for m in self.members:
            if (m.test, m.source, m.signature, m.period, m.window, m.distance, m.level) == of:
                return m.adjusted
        return None

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame, one row for each member."""
        import pandas as pd  # noqa: PLC0415  (0.4 s, and only frames need it)

        return pd.DataFrame([member.__dict__ for member in self.members])


def family_of(
    results: Iterable[AssociationResult], levels: Levels, tail: Tail, method: Method
) -> Family:
    """Adjust the p-values of a family; :meth:`eatlas.Results.family` documents it."""
    for name, value, allowed in (
        ("levels", levels, get_args(Levels)),
        ("tail", tail, get_args(Tail)),
        ("method", method, tuple(METHODS)),
    ):
        if value not in allowed:
            raise EatlasError(
                f"a family has no such {name}", got=repr(value), allowed=", ".join(allowed)
            )
    found = [
        (result, where, term, level)
        for result in results
        for where, term, level in _levels(result)
        if levels == "both" or where.startswith(levels)
    ]
    raw = np.array([level.p.tail(tail) for *_, level in found])
    adjusted = METHODS[method](raw).tolist()
    members = tuple(
        FamilyMember(
            result.test,
            result.source,
            result.signature,
            where,
            term,
            level.effect_size,
            p=level.p.tail(tail),
            adjusted=value,
            period=result.period,
            window=_sizes(result)[0],
            distance=_sizes(result)[1],
        )
        for (result, where, term, level), value in zip(found, adjusted, strict=True)
    )
    return Family(members, method, tail, levels)


def _named(result: AssociationResult) -> tuple[Any, ...]:
    return result.test, result.source, result.signature, result.period, *_sizes(result)


def _sizes(result: AssociationResult) -> tuple[int | str | None, int | None]:
    given = result.contexts
    return (None, None) if given is None else (given.window, given.distance)


def _levels(result: AssociationResult) -> list[tuple[str, str | None, Level]]:
    """The effect sizes of a result that are read and have a p-value: place, term and level."""
    found: list[Any] = []
    if isinstance(result, ThreeLevelResult | WEATResult):
        found.append(("level1", None, result.primary.level1))
    if isinstance(result, ThreeLevelResult):
        found += [(f"level2.{role}", None, result.primary.group(role)) for role in "XY"]
    if isinstance(result, SCEATResult):
        found += [("level2", entry.term, entry.level2) for entry in result.primary_terms]
    return [one for one in found if one[2] is not None]
