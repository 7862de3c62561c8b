"""Beyond the p-values of a test: other words, power, and effects that are too small to matter."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, UndefinedWarning
from eatlas.measures.base import Allowed, AssociationMeasure, Input, is_number
from eatlas.measures.patterns import label_of
from eatlas.measures.rows import Ordered, design_of, several, sizes, too_many
from eatlas.notes import Note
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
from eatlas.results.parts import at, defined
from eatlas.stats.bootstrap import PatternRule
from eatlas.stats.crossed import CrossedTest, crossed_association, crossed_interaction
from eatlas.stats.designs import (
    chance_of_rejection,
    checked_alpha,
    checked_tail,
    pattern_chances,
    shift_of_d,
    smallest_effect,
    smallest_p,
    terms_needed,
)
from eatlas.stats.inputs import least_spread, numbers, t_outside, whole
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS, AssociationTest, load_tests

__all__ = ["power"]

Array = NDArray[np.float64]
Sizes = tuple[int, int, int, int]
"""Terms of X, Y, A and B."""
Design = tuple[int, int] | None
"""Sizes of two groups whose labels are permuted."""
CONFIDENCE = 0.95
"""Of intervals, in measures without such a parameter."""
TWO = 2
"""Terms that a group must have to speak for others."""
EFFECTS = (0.5, 0.8, 1.2)
"""Effect sizes for which the number of terms is said: Cohen's medium and large, and a WEAT's."""


def generalised(  # noqa: PLR0913  (each is part of the question)
    table: Array,
    sizes: Sizes,
    *,
    notes: list[Note],
    confidence: float = CONFIDENCE,
    unit: Unit = "term",
    level2: bool = True,
    scale: float = 1.0,
    precision: float | None = None,
    clusters: Mapping[str, NDArray[np.intp]] | None = None,
) -> Generalisation:
    """Crossed tests of a table of associations, X and Y by A and B."""
    n_x, _, n_a, _ = sizes
    units = dict(zip(ROLES, sizes, strict=True))
    if clusters is not None:
        units = {role: len(np.unique(clusters[role])) for role in ROLES}
    if min(units["A"], units["B"]) < TWO:
        single = "attribute" if clusters is None else "cluster of attributes"
        reason = f"a group of one {single} has no information about other attributes"
        return _unanswered(reason, confidence, unit)
    tests: tuple[tuple[str, tuple[str, ...], Callable[..., CrossedTest]], ...] = (
        ("level1", TARGETS, lambda **how: crossed_interaction(table, n_x, n_a, **how)),
        ("level2.X", ("X",), lambda **how: crossed_association(table[:n_x], n_a, **how)),
        ("level2.Y", ("Y",), lambda **how: crossed_association(table[n_x:], n_a, **how)),
    )
    how: dict[str, Any] = {"level": confidence, "scale": scale, "precision": precision}
    levels: list[CrossedLevel | None] = [None, None, None]
    undefined: list[str] = []
    for i, (place, targets, test) in enumerate(tests[: 3 if level2 else 1]):
        if min(units[role] for role in targets) < TWO:
            continue
        if clusters is not None:
            how["clusters"] = _numbered(clusters, targets), _numbered(clusters, ATTRIBUTES)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UndefinedWarning)
            try:
                crossed = test(**how)
            except EatlasError:  # magnitudes whose squares are no numbers
                continue
        levels[i] = _crossed(crossed)
        # without a difference the effect size is undefined, which another note says
        if math.isnan(crossed.t) and abs(crossed.difference) > least_spread(scale, precision):
            undefined.append(place)
    if undefined:
        notes.append(Note("undefined.crossed", "generalisation", {"levels": undefined}))
    both = CrossedLevel2(X=levels[1], Y=levels[2]) if level2 else None
    return Generalisation(unit=unit, confidence=confidence, level1=levels[0], level2=both)


def _numbered(clusters: Mapping[str, NDArray[np.intp]], roles: Iterable[str]) -> list[str]:
    """Cluster of each term of some groups, none of which shares one with another group."""
    return [f"{role} {number}" for role in roles for number in clusters[role]]


def generalised_input(
    given: Input, notes: list[Note], *, confidence: float, level2: bool
) -> Generalisation:
    """Whether other targets and other attributes would show it: over stimuli, where several."""
    ordered = Ordered.of(given.rows, given.coverage)
    unit: Unit = "stimulus" if several(ordered.stimuli) else "term"
    clusters = None
    if unit == "term" and any(given.coverage[role].cluster for role in given.rows):
        unit, ordered = "cluster", Ordered.by_cluster(given.rows, given.coverage)
        clusters = {role: group.of for role, group in ordered.stimuli.items()}
    rows = ordered.rows
    if unit == "stimulus":
        rows = {role: ordered.stimuli[role].mean_rows(group) for role, group in rows.items()}
    x, y, a, b = sizes(rows)
    if most := too_many(x + y, a + b):
        return _unanswered(
            f"{(x + y) * (a + b):,} pairs of terms are more than {most:,}", confidence, unit
        )
    return generalised(
        design_of(rows).block,
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


def _crossed(test: CrossedTest) -> CrossedLevel:
    """The record of a crossed test."""
    names = ("t", "df", "p_greater", "p_less", "p_two_sided", "low", "high")
    always = ("difference", "se", "targets", "attributes", "residual")
    values = {name: defined(getattr(test, name)) for name in names}
    return CrossedLevel(**values, **{name: getattr(test, name) for name in always})


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
    level1: Design,
    level2: Design,
    *,
    alpha: float,
    wanted: float = 0.8,
    tail: str = "two_sided",
    unit: Unit = "term",
    rule: PatternRule | None = None,
    observed: Observed | None = None,
) -> Power:
    """What groups of these sizes can find; with a `rule` the chance of each pattern."""

    def design(n: Design) -> DesignPower | None:
        if n is None:
            return None
        d = smallest_effect(*n, power=wanted, alpha=alpha, tail=tail) if sum(n) > TWO else None
        return DesignPower(n=n, min_p=smallest_p(*n, tail), smallest_d=d)

    patterns = None
    if rule is not None and observed is not None and level2 is not None:
        margins = {
            t: _chances(rule, level2, d) for t, d in zip(TARGETS, observed.effects, strict=True)
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


def _chances(rule: PatternRule, n: tuple[int, int], d: float) -> tuple[float, float]:
    """Chance of an association with A, and of one with B, where the true effect is `d`."""
    alpha = rule.alpha if rule.tail == "directional" else rule.alpha / 2
    # from the bound of effect sizes on the shift is infinite
    bound = sum(n) / math.sqrt(math.prod(n))
    shift = math.copysign(math.inf, d) if abs(d) >= bound else shift_of_d(d, *n)
    a, b = (
        chance_of_rejection(*n, shift, alpha=alpha, tail=tail, threshold=rule.threshold)
        for tail in ("greater", "less")
    )
    return a, min(b, 1 - a)


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
        self,
        scores: Mapping[str, tuple[Array, Array]],
        crossed: Generalisation | None,
        given: Input,
    ) -> Equivalence | None:
        """Whether effects are smaller, by the scores of both groups at each place."""
        if not self.sesoi:
            return None
        levels = {
            place: self._smaller(*pair, at(crossed, place), given) for place, pair in scores.items()
        }
        level2 = None
        if "level2.X" in levels:
            level2 = EquivalentLevel2(X=levels["level2.X"], Y=levels["level2.Y"])
        return Equivalence(
            sesoi=self.sesoi,
            unit=self.unit,
            alpha=self.alpha,
            level1=levels["level1"],
            level2=level2,
        )

    def _smaller(
        self, first: Array, second: Array, crossed: CrossedLevel | None, given: Input
    ) -> EquivalentLevel | None:
        """Two one-sided tests of two groups; None where nothing varies within the groups.

        A margin in standard deviations of the union is turned into one of the scores by the pooled
        deviation within the groups.
        """
        from eatlas.stats.designs import equivalence_test  # noqa: PLC0415  (only with a sesoi)

        n, m = len(first), len(second)
        if n + m <= TWO:
            return None
        margin = self.sesoi
        if self.unit == "d":
            squares = sum(float(np.sum((part - part.mean()) ** 2)) for part in (first, second))
            within = math.sqrt(squares / (n + m - 2))
            if within <= least_spread(given.magnitude, given.precision):
                return None
            margin = shift_of_d(self.sesoi, n, m) * within
        test = equivalence_test(np.concatenate([first, second]), n, margin, alpha=self.alpha)
        beyond = None
        if crossed is not None and crossed.df is not None:
            sides = (crossed.difference + margin, margin - crossed.difference)
            beyond = max(_upper(side / crossed.se, crossed.df) for side in sides)
        return EquivalentLevel(
            margin=margin,
            difference=test.difference,
            p=test.p,
            equivalent=test.equivalent,
            reachable=test.reachable,
            p_generalised=beyond,
        )


def _upper(t: float, df: float) -> float:
    """P(T >= t)."""
    outside = t_outside(t, df)
    return max(outside / 2, 5e-324) if t > 0 else 1 - outside / 2


def power(
    design: AssociationTest | str | Sequence[int] | None = None,
    *,
    d: float | None = None,
    effects: tuple[float, float] | None = None,
    wanted: float = 0.8,
    alpha: float = 0.05,
    tail: str = "two_sided",
) -> Power:
    """What a design can find: the smallest effect size, and how likely a stated one is found.

    Parameters
    ----------
    design : AssociationTest, str or sequence of int, optional
        A test or the id of one; or sizes of X and Y, or of X, Y, A and B. Nothing, to ask for the
        number of terms alone. A result has the same in its field `power`.
    d : float, optional
        A true effect size, for its chance of being found at each level.
    effects : pair of float, optional
        True level 2 effect sizes of X and Y, for the chance of each EAT pattern.
    wanted : float, default 0.8
        Power that the smallest effect size has.
    alpha : float, default 0.05
        Significance level.
    tail : {"two_sided", "greater", "less"}
        The p-value that is compared with alpha.

    Returns
    -------
    Power
        ``level1.smallest_d`` and ``level2.smallest_d``, None where the design cannot reach alpha;
        ``chance`` of `d`; ``patterns``; ``terms_needed`` for each of two groups of one size.

    Raises
    ------
    EatlasError
        If `design` is nothing that has sizes, or a number is out of its range.

    Notes
    -----
    Normal scores of one variance within the groups, and the terms of the other side as given. In
    tests of sentences the sizes are those of stimuli.

    Examples
    --------
    >>> import eatlas
    >>> found = eatlas.power((8, 8, 25, 25), d=0.8)
    >>> round(found.level1.smallest_d, 2), round(found.level2.smallest_d, 2)
    (1.2, 0.75)
    >>> round(found.chance["level1"], 2), found.terms_needed["0.8"]
    (0.37, 22)
    """
    alpha, tail = checked_alpha(alpha), checked_tail(tail)
    level1, level2, unit = _designs(design)
    observed = None
    if effects is not None:
        pair = numbers(effects, "effects", 1)
        if level2 is None or pair.size != TWO:
            raise EatlasError(
                "the chance of a pattern takes attributes, and the effects of X and of Y",
                got="no sizes of A and B" if level2 is None else f"{pair.size} effects",
                allowed="two effects with four sizes, or with a test",
            )
        observed = Observed((float(pair[0]), float(pair[1])), 0.0)
    found = design_power(
        level1,
        level2,
        alpha=alpha,
        wanted=wanted,
        tail=tail,
        unit=unit,
        rule=PatternRule(alpha),
        observed=observed,
    )
    stated = [abs(d)] if d and abs(d) < 2 else []
    one_sided = "two_sided" if tail == "two_sided" else "greater"
    more: dict[str, Any] = {
        "terms_needed": {
            f"{size:g}": terms_needed(size, power=wanted, alpha=alpha, tail=one_sided)
            for size in sorted({*EFFECTS, *stated})
        }
    }
    if d is not None:
        more["d"] = float(d)
        more["chance"] = {
            name: chance_of_rejection(*n, shift_of_d(d, *n), alpha=alpha, tail=tail)
            for name, n in (("level1", level1), ("level2", level2))
            if n is not None
        }
    return found.model_copy(update=more)


def _designs(design: Any) -> tuple[Design, Design, Unit]:
    """Sizes of the groups that are permuted at levels 1 and 2."""
    if design is None:
        return None, None, "term"
    if isinstance(design, str):
        tests = load_tests(design)
        if len(tests) != 1:
            raise EatlasError(
                "power is that of one test",
                got=f"{design!r}, which has {len(tests)}",
                remedy="name one of them; eatlas tests power takes several",
            )
        (design,) = tests
    if isinstance(design, AssociationTest):
        stimuli = [len(set(design.concept(role).stimulus_of.values())) for role in ROLES]
        words = [len(design.concept(role).terms) for role in ROLES]
        x, y, a, b = (n or m for n, m in zip(stimuli, words, strict=True))
        return (x, y), (a, b), "stimulus" if any(stimuli) else "term"
    if not isinstance(design, list | tuple | np.ndarray) or len(design) not in (2, 4):
        raise EatlasError(
            "power is that of a test, or of sizes of groups",
            got=repr(design),
            allowed="a test; two whole numbers (X, Y), or four (X, Y, A, B), from 1",
            remedy="a result has the same in its field power",
        )
    n = [whole(size, "a size", 1) for size in design]
    return (n[0], n[1]), (n[2], n[3]) if len(n) == 4 else None, "term"
