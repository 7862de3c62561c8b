"""Beyond the p-values of a test: other words, power, and effects that are too small to matter."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import EatlasError
from eatlas.measures.base import Input
from eatlas.measures.patterns import label_of
from eatlas.measures.rows import Ordered, several, sides, sizes, too_many
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
    Unit,
)
from eatlas.results.levels import Level2
from eatlas.results.parts import at, defined
from eatlas.stats.bootstrap import PatternRule
from eatlas.stats.crossed import crossed_test
from eatlas.stats.designs import (
    TAILS,
    chance_of_rejection,
    checked_alpha,
    equivalence_p,
    pattern_chances,
    shift_of_d,
    smallest_effect,
    smallest_p,
    terms_needed,
)
from eatlas.stats.inputs import least_spread, numbers, t_outside, whole
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS, AssociationTest, load_tests

if TYPE_CHECKING:
    from eatlas.measures.association import LevelsMeasure

__all__ = ["power"]

Array = NDArray[np.float64]
Sizes = tuple[int, int, int, int]
"""Terms of X, Y, A and B."""
Design = tuple[int, int] | None
"""Sizes of two groups whose labels are permuted."""
Observed = tuple[tuple[float, float], float]
"""What the chance of a pattern supposes: effect sizes of X and of Y at level 2; and the correlation
of the associations with X and with Y of one attribute, within A and within B."""
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
    n_x, n_y, *attributes = sizes
    units = dict(zip(ROLES, sizes, strict=True))
    if clusters is not None:
        units = {role: len(np.unique(clusters[role])) for role in ROLES}
    if min(units["A"], units["B"]) < TWO:
        single = "attribute" if clusters is None else "cluster of attributes"
        reason = f"a group of one {single} has no information about other attributes"
        return unanswered(reason, confidence, unit)
    rows = {
        "level1": (TARGETS, slice(None), (n_x, n_y)),
        "level2.X": (("X",), slice(n_x), (n_x,)),
        "level2.Y": (("Y",), slice(n_x, None), (n_y,)),
    }
    levels: list[CrossedLevel | None] = [None, None, None]
    undefined: list[str] = []
    for i, (place, (targets, part, of_targets)) in enumerate(rows.items()):
        if min(units[role] for role in targets) < TWO or (i and not level2):
            continue
        crossed = crossed_test(
            table[part],
            of_targets,
            attributes,
            level=confidence,
            scale=scale,
            precision=precision,
            clusters=None
            if clusters is None
            else (_numbered(clusters, targets), _numbered(clusters, ATTRIBUTES)),
        )
        levels[i] = CrossedLevel(**{name: defined(n) for name, n in asdict(crossed).items()})
        # without a difference the effect size is undefined, which another note says
        if math.isnan(crossed.t) and abs(crossed.difference) > least_spread(scale, precision):
            undefined.append(place)
    if undefined:
        notes.append(Note("undefined.crossed", "generalisation", {"levels": undefined}))
    both = CrossedLevel2(X=levels[1], Y=levels[2]) if level2 else None
    return Generalisation(unit=unit, confidence=confidence, level1=levels[0], level2=both)


def _numbered(clusters: Mapping[str, NDArray[np.intp]], roles: Iterable[str]) -> NDArray[np.intp]:
    """Cluster of each term of some groups, none of which shares one with another group."""
    names = [f"{role} {number}" for role in roles for number in clusters[role]]
    return np.unique(names, return_inverse=True)[1]


def unanswered(reason: str, confidence: float, unit: Unit = "term") -> Generalisation:
    """Say why there is no crossed test."""
    return Generalisation(unit=unit, confidence=confidence, level1=None, level2=None, reason=reason)


def generalised_input(
    given: Input, ordered: Ordered, notes: list[Note], confidence: float, *, level2: bool
) -> Generalisation:
    """Whether other targets and other attributes would show it: over stimuli, where several."""
    unit: Unit = "term"
    clusters, rows = None, ordered.rows
    if several(ordered.stimuli):
        unit = "stimulus"
        rows = {role: ordered.stimuli[role].mean_rows(group) for role, group in rows.items()}
    elif any(given.coverage[role].cluster for role in given.rows):
        unit, ordered = "cluster", Ordered.by_cluster(given.rows, given.coverage)
        rows, clusters = ordered.rows, {r: group.of for r, group in ordered.stimuli.items()}
    x, y, a, b = sizes(rows)
    if most := too_many(x + y, a + b):
        reason = f"{(x + y) * (a + b):,} pairs of terms are more than {most:,}"
        return unanswered(reason, confidence, unit)
    return generalised(
        kernels.similarities(*sides(rows)),
        (x, y, a, b),
        confidence=confidence,
        notes=notes,
        unit=unit,
        level2=level2,
        scale=given.magnitude,
        precision=given.precision,
        clusters=clusters,
    )


def correlated(
    level2: Level2 | None, contrasts: Mapping[str, tuple[Array, Array]]
) -> Observed | None:
    """What was observed at level 2; None without it, or where an effect size is undefined."""
    if level2 is None or level2.X.effect_size is None or level2.Y.effect_size is None:
        return None
    x, y = (
        np.concatenate([scores - scores.mean() for scores in contrasts[f"level2.{target}"]])
        for target in TARGETS
    )
    spread = math.sqrt(float(x @ x) * float(y @ y))
    effects = level2.X.effect_size, level2.Y.effect_size
    return effects, float(x @ y) / spread if spread > 0 else 0.0


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

    chances: dict[str, Any] = {}
    if rule is not None and observed is not None and level2 is not None:
        effects, correlation = observed
        margins = {t: _chances(rule, level2, d) for t, d in zip(TARGETS, effects, strict=True)}
        patterns = {
            label_of(*signs): round(chance, 6)
            for signs, chance in pattern_chances(margins, correlation).items()
        }
        chances = {"patterns": patterns, "effects": effects}
    return Power(
        power=wanted,
        alpha=alpha,
        tail=tail,
        unit=unit,
        level1=design(level1),
        level2=design(level2),
        **chances,
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


def equivalence(
    measure: LevelsMeasure,
    contrasts: Mapping[str, tuple[Array, Array]],
    crossed: Generalisation,
    given: Input,
) -> Equivalence | None:
    """Whether effects are smaller than a stated smallest effect of interest, by place."""
    if not measure.sesoi:
        return None
    levels = {
        place: _smaller(measure, *pair, at(crossed, place), given)
        for place, pair in contrasts.items()
    }
    level2 = None
    if "level2.X" in levels:
        level2 = EquivalentLevel2(X=levels["level2.X"], Y=levels["level2.Y"])
    return Equivalence(
        sesoi=measure.sesoi,
        unit=measure.sesoi_unit,
        alpha=measure.alpha,
        level1=levels["level1"],
        level2=level2,
    )


def _smaller(
    measure: LevelsMeasure, first: Array, second: Array, crossed: CrossedLevel | None, given: Input
) -> EquivalentLevel | None:
    """Two one-sided tests of two groups; None where nothing varies within the groups.

    A margin in standard deviations of the union is turned into one of the scores by the pooled
    deviation within the groups.
    """
    n, m, margin = len(first), len(second), measure.sesoi
    if n + m <= TWO:
        return None
    if measure.sesoi_unit == "d":
        squares = sum(float(np.sum((part - part.mean()) ** 2)) for part in (first, second))
        within = math.sqrt(squares / (n + m - 2))
        if within <= least_spread(given.magnitude, given.precision):
            return None
        margin = shift_of_d(margin, n, m) * within
    p = equivalence_p(np.concatenate([first, second]), n, margin)
    beyond = None
    if crossed is not None and crossed.df is not None:
        sides = (crossed.difference + margin, margin - crossed.difference)
        beyond = max(_upper(side / crossed.se, crossed.df) for side in sides)
    return EquivalentLevel(
        margin=margin,
        difference=float(first.mean() - second.mean()),
        p=p,
        equivalent=p < measure.alpha,
        reachable=1 / math.comb(n + m, n) < measure.alpha,
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
    alpha = checked_alpha(alpha)
    wanted = checked_alpha(wanted, "power", above=alpha)
    if tail not in TAILS:
        raise EatlasError("unknown tail", got=repr(tail), allowed=", ".join(TAILS))
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
        observed = (float(pair[0]), float(pair[1])), 0.0
    one_sided = "two_sided" if tail == "two_sided" else "greater"
    stated = [abs(d)] if d and abs(d) < 2 else []
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
    rule = PatternRule(alpha)
    how: dict[str, Any] = {"alpha": alpha, "wanted": wanted, "tail": tail, "unit": unit}
    power = design_power(level1, level2, **how, rule=rule, observed=observed)
    return power.model_copy(update=more)


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
