"""Tests of targets against several groups: each target measured alone, against a reference."""

from __future__ import annotations

import difflib
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import Literal

from pydantic import field_validator, model_validator

from eatlas.stimuli.model import Concept, Described, digest, every_term, quoted

Reference = Literal["uniform"] | tuple[tuple[str, float], ...]

SUM_TOLERANCE = 1e-9
"""Weights written with ten decimals or more pass; thirds written as 0.333 are a mistake."""


class GroupsTest(Described):
    """A concept of targets and two or more social groups.

    How strongly is each target associated with each group, and how far is that from the reference
    (Bommasani and Liang 2022, DivDist)? Targets are measured one by one, never as a mean.

    Examples
    --------
    >>> test = GroupsTest(
    ...     id="tiny",
    ...     targets=Concept(name="Professions", terms=("nurse", "pilot")),
    ...     groups=(
    ...         Concept(name="Female", terms=("she", "woman")),
    ...         Concept(name="Male", terms=("he", "man")),
    ...     ),
    ...     reference="uniform",
    ... )
    >>> test.label
    'Professions: Female/Male'
    >>> test.weights
    (0.5, 0.5)
    """

    kind: Literal["groups"] = "groups"
    targets: Concept
    """Terms that are measured each alone."""
    groups: tuple[Concept, ...]
    """Two groups at least; names differ, and no term stands in two of them."""
    reference: Reference
    """``"uniform"``, or a weight for each group's name; given as a mapping, kept as sorted pairs.

    Weights are 0 or more and sum to 1.
    """

    @field_validator("groups")
    @classmethod
    def _groups_can_be_told_apart(cls, groups: tuple[Concept, ...]) -> tuple[Concept, ...]:
        if len(groups) < 2:
            raise ValueError(f"needs two groups at least, got {len(groups)}")
        twice = [name for name, n in Counter(group.name for group in groups).items() if n > 1]
        if twice:
            raise ValueError(f"more than one group has the name {quoted(twice)}; names must differ")
        both = [
            f"{quoted(shared)} in {one.name} and {other.name}"
            for one, other in combinations(groups, 2)
            if (shared := [term for term in one.terms if term in other.terms])
        ]
        if both:
            raise ValueError(
                f"terms stand in two groups: {'; '.join(both)}; "
                "a term of both cannot tell the groups apart"
            )
        return groups

    @field_validator("reference", mode="before")
    @classmethod
    def _uniform_or_weights(cls, given: object) -> Reference:
        if given == "uniform":
            return "uniform"
        if isinstance(given, Mapping):
            return tuple(sorted((name, _weight(name, weight)) for name, weight in given.items()))
        if isinstance(given, tuple | list) and all(map(_is_pair, given)):
            return cls._uniform_or_weights(dict(given))
        raise ValueError(
            f'{given!r} is no reference (allowed: "uniform", or one weight for each group, as in '
            "{ Female = 0.5, Male = 0.5 })"
        )

    @model_validator(mode="after")
    def _one_weight_for_each_group(self) -> GroupsTest:
        if self.reference == "uniform":
            return self
        names = [group.name for group in self.groups]
        given = dict(self.reference)
        for name in given:
            if name not in names:
                raise ValueError(f"there is no group {name!r}{_near(name, names)}")
        missing = [name for name in names if name not in given]
        if missing:
            raise ValueError(f"no weight for {quoted(missing)}; 0 is a weight")
        total = math.fsum(given.values())
        if abs(total - 1) > SUM_TOLERANCE:
            raise ValueError(f"the weights sum to {total:.12g}; they must sum to 1")
        return self

    @property
    def weights(self) -> tuple[float, ...]:
        """The reference in the order of the groups; sums to 1."""
        if self.reference == "uniform":
            return (1 / len(self.groups),) * len(self.groups)
        given = dict(self.reference)
        return tuple(given[group.name] for group in self.groups)

    @property
    def parts(self) -> tuple[tuple[str, Concept], ...]:
        """Every concept with the part it plays."""
        return (("targets", self.targets), *(("group", group) for group in self.groups))

    @property
    def terms(self) -> tuple[str, ...]:
        """Every term of the test, once."""
        return every_term(self.parts)

    @property
    def label(self) -> str:
        """The targets' name, then the groups'."""
        return f"{self.targets.name}: {'/'.join(group.name for group in self.groups)}"

    @property
    def stimuli_sha256(self) -> str:
        """Hash of the terms by part, with the reference's weights.

        The order of terms and all names leave it unchanged; the order of the groups does not.
        """
        groups = [sorted(group.terms) for group in self.groups]
        targets = sorted(self.targets.terms)
        return digest(
            {"kind": self.kind, "targets": targets, "groups": groups, "weights": self.weights}
        )


def _weight(name: object, weight: object) -> float:
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:
        raise ValueError(f"the weight of {name!r} is {weight!r} (allowed: a number from 0 to 1)")
    return float(weight)


def _is_pair(pair: object) -> bool:
    return isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str)


def _near(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(names), n=1)
    return f"; did you mean {near[0]!r}?" if near else f" (allowed: {quoted(names)})"
