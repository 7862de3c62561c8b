"""Adjusted p-values over a declared family of findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from eatlas.errors import EatlasError
from eatlas.lazy import as_frame
from eatlas.results.base import AssociationResult
from eatlas.results.levels import PValues
from eatlas.results.parts import Tail
from eatlas.results.settings import Settings
from eatlas.stats.multiplicity import benjamini_hochberg, benjamini_yekutieli, holm

if TYPE_CHECKING:
    import pandas as pd

SettingKey = tuple[Any, ...]
"""Source, signature, period, window, distance, and which time."""
FACTS = ("test", "source", "signature", "period", "window", "distance")
"""What distinguishes a result from others: its test and its setting."""
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
    p_low: float | None = None
    """Certain lower bound of a p of which only bounds are known; `p` is then the upper one."""
    adjusted_low: float | None = None
    """Lower bound of the adjusted p, where any p of the family has one."""
    period: int | None = None
    window: int | str | None = None
    """Of results in contexts: words on either side, or the sentence."""
    distance: int | None = None
    setting: str = ""
    """What distinguishes its setting from the others, such as the source; may be empty."""
    together: int = 1
    """How many p-values were adjusted together, this one included."""

    @property
    def place(self) -> tuple[Any, ...]:
        """What distinguishes the finding from others."""
        return *(getattr(self, name) for name in FACTS), self.level, self.term


@dataclass(frozen=True)
class Setting:
    """Findings of different tests in one setting, adjusted together."""

    name: str
    """What distinguishes it from the other settings; empty where there is one."""
    members: tuple[FamilyMember, ...]

    def __len__(self) -> int:
        return len(self.members)

    def below(self, alpha: float = 0.05) -> tuple[FamilyMember, ...]:
        """Members whose adjusted p is below alpha."""
        return tuple(member for member in self.members if member.adjusted < alpha)


@dataclass(frozen=True)
class Family:
    """Findings that are judged together, since each is one more chance of a false one.

    The tests are the family. One test in several settings (sources, layers, prompts, windows,
    distances, periods, parameters of measures) is one chance, seen in several ways: p-values are
    adjusted over the tests of each setting, unless settings were declared to count.
    """

    members: tuple[FamilyMember, ...]
    """In the order of the results."""
    method: Method
    tail: Tail
    levels: Levels
    settings: tuple[Setting, ...] = ()
    """Members that are adjusted together; one where settings were declared to count."""

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
        of = (*named(result), level)
        return next((m.adjusted for m in self.members if m.place[:-1] == of), None)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame, one row for each member."""
        return as_frame(member.__dict__ for member in self.members)


def family_of(
    results: Iterable[AssociationResult],
    levels: Levels,
    tail: Tail,
    method: Method,
    *,
    settings: bool = False,
) -> Family:
    """Adjust the p-values of a family; :meth:`eatlas.Results.family` documents it."""
    _require_known(levels, tail, method)
    found = [
        (result, key, effect, effect.p)
        for result, key in _with_settings(results)
        for effect in result.effects()
        if effect.in_family and effect.p is not None
        if levels == "both" or effect.place.startswith(levels)
    ]
    several = Settings.among(result for result, *_ in found)
    names = _names(list(dict.fromkeys(key for _, key, *_ in found)), several)
    groups: dict[SettingKey | None, list[int]] = {}
    for place, (_, key, *_) in enumerate(found):
        groups.setdefault(None if settings else key, []).append(place)
    members: dict[int, FamilyMember] = {}
    for places in groups.values():
        adjusted = _adjusted([found[place][-1] for place in places], tail, method)
        for place, (p, low) in zip(places, adjusted, strict=True):
            result, key, effect, given = found[place]
            facts: dict[str, Any] = dict(zip(FACTS, named(result), strict=True))
            members[place] = FamilyMember(
                level=effect.place, term=effect.term, effect_size=effect.d,
                p=given.tail(tail), p_low=given.low(tail), adjusted=p, adjusted_low=low,
                setting=names[key], together=len(places), **facts,
            )  # fmt: skip
    apart = (
        Setting("" if key is None else names[key], tuple(map(members.__getitem__, places)))
        for key, places in groups.items()
    )
    ordered = tuple(members[place] for place in range(len(found)))
    return Family(ordered, method, tail, levels, tuple(apart))


def _require_known(levels: Levels, tail: Tail, method: Method) -> None:
    """Refuse what is no choice of a family."""
    for name, value, allowed in (
        ("levels", levels, get_args(Levels)),
        ("tail", tail, get_args(Tail)),
        ("method", method, tuple(METHODS)),
    ):
        if value not in allowed:
            raise EatlasError(
                f"a family has no such {name}", got=repr(value), allowed=", ".join(allowed)
            )


def _adjusted(
    given: Sequence[PValues], tail: Tail, method: Method
) -> list[tuple[float, float | None]]:
    """Adjusted p-values that are taken together, with lower bounds where only bounds are known."""
    raw = [p.tail(tail) for p in given]
    adjusted = METHODS[method](np.array(raw)).tolist()
    # these procedures are monotone: lower p-values give lower adjusted ones
    least = [
        high if (low := p.low(tail)) is None else low for p, high in zip(given, raw, strict=True)
    ]
    bounds = METHODS[method](np.array(least)).tolist() if least != raw else [None] * len(raw)
    return list(zip(adjusted, bounds, strict=True))


def _with_settings(
    results: Iterable[AssociationResult],
) -> Iterator[tuple[AssociationResult, SettingKey]]:
    """Each result with its setting; a test that was measured twice in one has two.

    Tests of one id with other stimuli are other tests.
    """
    times: Counter[tuple[Any, ...]] = Counter()
    for result in results:
        key = *named(result), result.provenance.stimuli_sha256
        times[key] += 1
        yield result, (*named(result)[1:], times[key])


def _names(settings: Sequence[SettingKey], known: Settings) -> dict[SettingKey, str]:
    """What distinguishes each setting from the others, in words."""

    def words(key: SettingKey) -> list[str]:
        source, signature, period, window, distance, time = key
        return [
            known.sources[source],
            "" if period is None else str(period),
            "" if window is None else f"window {window}",
            "" if distance is None else f"distance {distance}",
            known.measures[signature],
            "" if time == 1 else f"number {time}",
        ]

    columns = list(zip(*map(words, settings), strict=True))
    told = [column for column in columns if len(set(column)) > 1]
    parts = list(zip(*told, strict=True)) if told else [()] * len(settings)
    return {key: ", ".join(filter(None, some)) for key, some in zip(settings, parts, strict=True)}


def named(result: AssociationResult) -> tuple[Any, ...]:
    """The test of a result and its setting, in the order of `FACTS`."""
    return tuple(getattr(result, name) for name in FACTS[:4]) + tuple(
        getattr(result.contexts, name, None) for name in FACTS[4:]
    )
