"""Measures of another package: a sound one, and three that each break one property."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from eatlas.measures import AssociationMeasure, GroupsMeasure
from eatlas.measures.base import Input
from eatlas.results import AssociationResult, GroupsResult
from eatlas.stimuli.kinds import OF_TARGETS


class NearnessResult(GroupsResult):
    measure: Literal["nearness", "peeking", "first-word", "sum"]
    value: float


@dataclass(frozen=True)
class Nearness(GroupsMeasure):
    """Mean cosine of targets with the first group less that with the second."""

    name: ClassVar[str] = "nearness"

    def compute(self, given: Input, notes: list[str]) -> Any:
        targets, *groups = (given.rows[name] for name in (OF_TARGETS, *given.head["groups"]))
        first, second = (self.near(targets, group) for group in groups[:2])
        value = self.together(first, second)
        return NearnessResult(**given.head, measure=self.name, value=float(value))  # type: ignore[arg-type]

    def near(self, targets: Any, group: Any) -> Any:
        return (targets @ group.T).mean()

    def together(self, first: float, second: float) -> float:
        return first - second


class DistanceResult(AssociationResult):
    measure: Literal["distance"] = "distance"
    value: float


@dataclass(frozen=True)
class Distance(AssociationMeasure):
    """Mean distance of targets and attributes, which is the same whichever attributes are A."""

    name: ClassVar[str] = "distance"
    minimum: ClassVar = dict.fromkeys("XYAB", 1)

    def compute(self, given: Input, notes: list[str]) -> Any:
        targets, attributes = (np.vstack([given.rows[r] for r in side]) for side in ("XY", "AB"))
        return DistanceResult(**given.head, value=float(1 - (targets @ attributes.T).mean()))


@dataclass(frozen=True)
class Peeking(Nearness):
    """Looks at one coordinate, which a rotation changes."""

    name: ClassVar[str] = "peeking"

    def near(self, targets: Any, group: Any) -> Any:
        return targets[:, 0].mean() * group[:, 0].mean()


@dataclass(frozen=True)
class FirstWord(Nearness):
    """Takes the first word of each group for the whole group."""

    name: ClassVar[str] = "first-word"

    def near(self, targets: Any, group: Any) -> Any:
        return (targets @ group[0]).mean()


@dataclass(frozen=True)
class Sum(Nearness):
    """Adds the associations, where bias is their difference."""

    name: ClassVar[str] = "sum"

    def together(self, first: float, second: float) -> float:
        return first + second
