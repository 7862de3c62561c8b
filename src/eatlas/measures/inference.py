"""Beyond the p-values of a test: other words, power, and effects that are too small to matter.

Arrays and sizes in, the records that a result keeps out.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, UndefinedWarning
from eatlas.measures.base import Allowed, AssociationMeasure, Input, is_number
from eatlas.measures.patterns import label_of
from eatlas.measures.rows import Block, Ordered, several, sizes, too_many
from eatlas.results.inference import (
    CrossedLevel,
    CrossedLevel2,
    DesignPower,
    Equivalence,
    EquivalentLevel,
    EquivalentLevel2,
    Generalisation,
    Power,
    SesoiUnit,
    Unit,
)
from eatlas.results.parts import defined
from eatlas.stats.bootstrap import PatternRule
from eatlas.stats.crossed import CrossedTest, crossed_association, crossed_interaction
from eatlas.stats.designs import (
    chance_of_rejection,
    pattern_chances,
    shift_of_d,
    smallest_effect,
    smallest_p,
)
from eatlas.stats.inputs import least_spread, t_outside, t_quantile
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

Array = NDArray[np.float64]
Sizes = tuple[int, int, int, int]
"""Terms of X, Y, A and B."""
CONFIDENCE = 0.95
"""Of intervals, in measures without such a parameter."""
TWO = 2
"""Terms that a group must have to speak for others."""


def generalised(  # noqa: PLR0913  (each is part of the question)
    table: Array,
    sizes: Sizes,
    *,
    notes: list[str],
    confidence: float = CONFIDENCE,
    unit: Unit = "term",
    level2: bool = True,
    scale: float = 1.0,
    precision: float | None = None,
    clusters: Mapping[str, NDArray[np.intp]] | None = None,
) -> Generalisation:
    """Crossed tests of a table of associations, X and Y by A and B."""
    n_x, _, n_a, _ = sizes
    units_x, units_y, units_a, units_b = (
        sizes if clusters is None else (len(np.unique(clusters[role])) for role in ROLES)
    )
    if min(units_a, units_b) < TWO:
        one = "attribute" if clusters is None else "cluster of attributes"
        reason = f"a group of one {one} has no information about other attributes"
        return _unanswered(reason, confidence, unit)
    how: dict[str, Any] = {"level": confidence, "scale": scale, "precision": precision}

    def clustered(*targets: str) -> dict[str, Any]:
        if clusters is None:
            return how
        return {**how, "clusters": (_numbered(clusters, targets), _numbered(clusters, ATTRIBUTES))}

    x, y = table[:n_x], table[n_x:]
    # units of targets that each test takes, and the test
    tests: dict[str, tuple[int, Callable[[], CrossedTest]]] = {
        "level 1": (
            min(units_x, units_y),
            lambda: crossed_interaction(table, n_x, n_a, **clustered(*TARGETS)),
        ),
        "level 2 of X": (units_x, lambda: crossed_association(x, n_a, **clustered("X"))),
        "level 2 of Y": (units_y, lambda: crossed_association(y, n_a, **clustered("Y"))),
    }
    least = least_spread(scale, precision)
    found: list[CrossedLevel | None] = []
    undefined: list[str] = []
    for what, (targets, test) in tests.items():
        crossed = _tested(test) if targets >= TWO and (level2 or what == "level 1") else None
        found.append(None if crossed is None else _crossed(crossed))
        # without a difference the effect size is undefined, which another note says
        if crossed is not None and math.isnan(crossed.t) and abs(crossed.difference) > least:
            undefined.append(what)
    if undefined:
        notes.append(
            f"Undefined crossed test of {', '.join(undefined)}: nothing varies within the groups, "
            "so nothing can be inferred about other words."
        )
    both = CrossedLevel2(X=found[1], Y=found[2]) if level2 else None
    return Generalisation(unit=unit, confidence=confidence, level1=found[0], level2=both)


def _numbered(clusters: Mapping[str, NDArray[np.intp]], roles: Iterable[str]) -> list[str]:
    """Cluster of each term of some groups, none of which shares one with another group."""
    return [f"{role} {number}" for role in roles for number in clusters[role]]


def _tested(test: Callable[[], CrossedTest]) -> CrossedTest | None:
    """A crossed test; None for magnitudes whose squares are no numbers."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UndefinedWarning)
        try:
            return test()
        except EatlasError:
            return None


def generalised_input(
    given: Input, notes: list[str], *, confidence: float, level2: bool
) -> Generalisation:
    """Whether other targets and other attributes would show it: over stimuli, where several."""
    ordered = Ordered.of(given.rows, given.coverage)
    unit: Unit = "stimulus" if several(ordered.stimuli) else "term"
    clusters = None
    if unit == "term" and any(given.coverage.group(role).cluster for role in given.rows):
        unit, ordered = "cluster", Ordered.by_cluster(given.rows, given.coverage)
        clusters = {role: group.of for role, group in ordered.stimuli.items()}
    rows = ordered.rows
    if unit == "stimulus":
        rows = {role: ordered.stimuli[role].mean_rows(one) for role, one in rows.items()}
    x, y, a, b = sizes(rows)
    if few := too_many(x + y, a + b):
        return _unanswered(f"{(x + y) * (a + b):,} pairs of terms {few}", confidence, unit)
    return generalised(
        Block.of(rows).values,
        (x, y, a, b),
        confidence=confidence,
        notes=notes,
        unit=unit,
        level2=level2,
        scale=given.magnitude,
        precision=given.precision,
        clusters=clusters,
    )


def _unanswered(reason: str, confidence: float, unit: Unit) -> Generalisation:
    """Say why there is no answer."""
    return Generalisation(unit=unit, confidence=confidence, level1=None, level2=None, reason=reason)


def at_confidence(given: Generalisation, confidence: float) -> Generalisation:
    """The same tests with intervals of another confidence."""
    if given.confidence == confidence:
        return given

    def changed(level: CrossedLevel | None) -> CrossedLevel | None:
        if level is None or level.df is None:
            return level
        reach = t_quantile(1 - confidence, level.df) * level.se
        ends = {"low": level.difference - reach, "high": level.difference + reach}
        return level.model_copy(update=ends)

    level2 = given.level2 and CrossedLevel2(X=changed(given.level2.X), Y=changed(given.level2.Y))
    update = {"confidence": confidence, "level1": changed(given.level1), "level2": level2}
    return given.model_copy(update=update)


def _crossed(found: CrossedTest) -> CrossedLevel:
    names = ("t", "df", "p_greater", "p_less", "p_two_sided", "low", "high")
    values = {name: defined(getattr(found, name)) for name in names}
    kept = ("difference", "se", "targets", "attributes", "residual")
    return CrossedLevel(**values, **{name: getattr(found, name) for name in kept})


def chances(rule: PatternRule, n: tuple[int, int], d: float) -> tuple[float, float]:
    """Chance of an association with A, and of one with B, where the true effect is `d`."""
    alpha = rule.alpha if rule.tail == "directional" else rule.alpha / 2
    shift = _shift(d, *n)
    a, b = (
        chance_of_rejection(*n, shift, alpha=alpha, tail=tail, threshold=rule.threshold)
        for tail in ("greater", "less")
    )
    return a, min(b, 1 - a)


@dataclass(frozen=True)
class Observed:
    """What the chance of a pattern supposes: the effects at level 2, and how they vary together."""

    effects: tuple[float, float]
    """Effect sizes of X and of Y."""
    correlation: float
    """Of the associations with X and with Y of one attribute, within A and within B."""

    @classmethod
    def of(
        cls, d_x: float | None, d_y: float | None, u: Mapping[tuple[str, str], Array]
    ) -> Observed | None:
        """What was observed; None where an effect size is undefined.

        `u` has the associations of attributes by target group and role.
        """
        if d_x is None or d_y is None:
            return None
        x, y = (
            np.concatenate([np.asarray(u[t, r]) - np.mean(u[t, r]) for r in ATTRIBUTES])
            for t in TARGETS
        )
        spread = math.sqrt(float(x @ x) * float(y @ y))
        return cls((d_x, d_y), float(x @ y) / spread if spread > 0 else 0.0)


def design_power(
    level1: tuple[int, int] | None,
    level2: tuple[int, int] | None,
    *,
    alpha: float,
    wanted: float = 0.8,
    tail: str = "two_sided",
    unit: Unit = "term",
    rule: PatternRule | None = None,
    observed: Observed | None = None,
) -> Power:
    """What groups of these sizes can find; with a `rule` the chance of each pattern."""

    def design(n: tuple[int, int] | None) -> DesignPower | None:
        if n is None:
            return None
        d = smallest_effect(*n, power=wanted, alpha=alpha, tail=tail) if sum(n) > TWO else None
        return DesignPower(n=n, min_p=smallest_p(*n, tail), smallest_d=d)

    patterns = None
    if rule is not None and observed is not None and level2 is not None:
        margins = {
            t: chances(rule, level2, d) for t, d in zip(TARGETS, observed.effects, strict=True)
        }
        patterns = {
            label_of(*signs): round(chance, 6)
            for signs, chance in pattern_chances(margins, observed.correlation).items()
        }
    return Power(
        power=wanted,
        alpha=alpha,
        tail=tail,
        unit=unit,
        level1=design(level1),
        level2=design(level2),
        patterns=patterns,
        effects=observed.effects if patterns and observed else None,
    )


def _shift(d: float, n: int, m: int) -> float:
    """The shift behind an effect size; infinite from the bound of effect sizes on."""
    if abs(d) >= (n + m) / math.sqrt(n * m):
        return math.copysign(math.inf, d)
    return shift_of_d(d, n, m)


def equivalent(
    first: Array,
    second: Array,
    sesoi: float,
    unit: SesoiUnit,
    *,
    alpha: float,
    crossed: CrossedLevel | None = None,
    scale: float = 1.0,
    precision: float | None = None,
) -> EquivalentLevel | None:
    """Two one-sided tests of two groups of scores; None where nothing varies within the groups.

    A margin in standard deviations of the union is turned into one of the scores by the pooled
    deviation within the groups.
    """
    from eatlas.stats.designs import equivalence_test  # noqa: PLC0415  (only with a sesoi)

    if len(first) + len(second) <= TWO:
        return None
    margin = sesoi
    if unit == "d":
        within = _within(first, second)
        if within <= least_spread(scale, precision):
            return None
        margin = shift_of_d(sesoi, len(first), len(second)) * within
    found = equivalence_test(np.concatenate([first, second]), len(first), margin, alpha=alpha)
    beyond = None
    if crossed is not None and crossed.df is not None:
        sides = (crossed.difference + margin, margin - crossed.difference)
        beyond = max(_upper(side / crossed.se, crossed.df) for side in sides)
    return EquivalentLevel(
        margin=margin,
        difference=found.difference,
        p=found.p,
        equivalent=found.equivalent,
        reachable=found.reachable,
        p_generalised=beyond,
    )


def _within(first: Array, second: Array) -> float:
    """Pooled standard deviation within two groups."""
    squares = sum(float(np.sum((part - part.mean()) ** 2)) for part in (first, second))
    return math.sqrt(squares / (len(first) + len(second) - 2))


def _upper(t: float, df: float) -> float:
    """P(T >= t)."""
    outside = t_outside(t, df)
    return max(outside / 2, 5e-324) if t > 0 else 1 - outside / 2


Pair = tuple[Array, Array]
"""Scores of two groups."""


@dataclass(frozen=True)
class SmallestEffect:
    """The smallest effect size of interest, stated before looking at the data."""

    sesoi: float
    """0 where none was stated."""
    unit: SesoiUnit
    alpha: float

    def check(self, measure: AssociationMeasure) -> None:
        """Refuse one that no effect could be compared with."""
        top = 2 if self.unit == "d" else math.inf
        allowed = "0 for none, and below 2" if self.unit == "d" else "0 for none, or more"
        measure.check("sesoi", Allowed(allowed, lambda it: is_number(it) and 0 <= it < top))
        if self.unit != "d":
            stated = f"a difference above 0, with sesoi_unit={self.unit}"
            measure.check("sesoi", Allowed(stated, bool))

    def equivalence(
        self, scores: Mapping[str, Pair], crossed: Generalisation | None, given: Input | None = None
    ) -> Equivalence | None:
        """Whether effects are smaller; None where none was stated."""
        if not self.sesoi:
            return None
        found = {
            place: equivalent(
                *pair,
                self.sesoi,
                self.unit,
                alpha=self.alpha,
                crossed=None if crossed is None else crossed.level(place),
                scale=given.magnitude if given else _largest(pair),
                precision=given.precision if given else None,
            )
            for place, pair in scores.items()
        }
        level2 = None
        if "level2.X" in found:
            level2 = EquivalentLevel2(X=found["level2.X"], Y=found["level2.Y"])
        return Equivalence(
            sesoi=self.sesoi,
            unit=self.unit,
            alpha=self.alpha,
            level1=found.get("level1"),
            level2=level2,
        )


def _largest(pair: Pair) -> float:
    """Magnitude of the scores of two groups."""
    return max(float(np.abs(one).max(initial=0.0)) for one in pair)
