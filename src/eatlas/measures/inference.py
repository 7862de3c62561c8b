"""Beyond the p-values of a test: other words, power, and effects that are too small to matter.

Arrays and sizes in, the records that a result keeps out.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any, TypeGuard, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError, UndefinedWarning, described
from eatlas.measures.base import Allowed, AssociationMeasure, Input, is_number
from eatlas.measures.patterns import label_of
from eatlas.measures.rows import Block, Ordered, several, sizes, too_many
from eatlas.results import AssociationResult, is_result
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
from eatlas.results.levels import effect_of
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
from eatlas.stats.inputs import least_spread, numbers, open_unit, t_outside, t_quantile, whole
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS, AssociationTest, load_tests

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


_ALLOWED = {
    (2,): "those of the first and of the second group",
    (4,): "those of X, Y, A and B",
    (2, 4): "those of X and Y, or of X, Y, A and B",
}
EFFECTS = (0.5, 0.8, 1.2)
"""Effect sizes for which the number of terms is said: Cohen's medium and large, and a WEAT's."""
SIZES = "two whole numbers (X, Y), or four (X, Y, A, B), from 1"


def generalisation(
    given: AssociationResult | ArrayLike,
    sizes: Sequence[int] | None = None,
    *,
    confidence: float = CONFIDENCE,
) -> Generalisation:
    """Tests of whether other targets and other attributes would show an association.

    The crossed random-effects test, whose standard error holds the spread of targets and that of
    attributes. A permutation test takes one side as given.

    Parameters
    ----------
    given : result or array_like, shape (targets, attributes)
        A result that keeps its similarities, of ML-EAT, WEAT, LPBS, CEAT or LPBS-CEAT; or
        similarities, rows X then Y, columns A then B.
    sizes : sequence of four int, optional
        Terms of X, Y, A and B, where `given` is an array; Y may be 0.
    confidence : float, default 0.95
        Of the intervals, in (0, 1).

    Returns
    -------
    Generalisation
        For level 1 and both level 2: difference, standard error, t, degrees of freedom, three
        p-values and interval, in the units of the similarities. Over stimuli in tests of sentences.

    Raises
    ------
    EatlasError
        If a result keeps no similarities, or an array does not fit its sizes.

    Notes
    -----
    Clark (1973); equations and simulations are in the page on inference.

    Examples
    --------
    >>> import eatlas
    >>> found = eatlas.generalisation(eatlas.run(tests="weat-3")[0])
    >>> round(found.level1.difference, 3), round(found.level1.p_two_sided, 2)
    (0.039, 0.19)
    """
    confidence = open_unit(confidence)
    if _compares_targets(given):
        return _of_result(given, confidence)
    _refuse_others(
        given, "a result of ML-EAT, WEAT, LPBS or CEAT, or similarities with their sizes"
    )
    table = numbers(cast("ArrayLike", given), "similarities", 2)
    n = _sizes(sizes, (4,), "the sizes of similarities", least=(1, 0, 1, 1))
    if (n[0] + n[1], n[2] + n[3]) != table.shape:
        raise EatlasError(
            "the sizes are not those of the similarities",
            got=f"{n[0]} + {n[1]} targets and {n[2]} + {n[3]} attributes for a table of "
            f"{table.shape[0]} by {table.shape[1]}",
            allowed="as many targets as rows, and as many attributes as columns",
        )
    scale = float(np.abs(table).max(initial=0.0))
    return generalised(
        table, (n[0], n[1], n[2], n[3]), confidence=confidence, notes=[], scale=scale
    )


def power(
    given: AssociationResult | AssociationTest | str | Sequence[int] | None = None,
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
    given : result, AssociationTest, str or sequence of int, optional
        A result; a test or the id of one; or sizes of X and Y, or of X, Y, A and B. Nothing, to ask
        for the number of terms alone.
    d : float, optional
        A true effect size, for its chance of being found at each level.
    effects : pair of float, optional
        True level 2 effect sizes of X and Y, for the chance of each EAT pattern. By default those
        that a result observed: the chance is then no evidence beyond its p-values.
    wanted : float, default 0.8
        Power that the smallest effect size has.
    alpha : float, default 0.05
        Significance level. Patterns of a result are judged by its own rule.
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
        If `given` is nothing that has sizes, or a number is out of its range.

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
    level1, level2, unit = _designs(given)
    rule, observed = PatternRule(alpha), None
    if is_result(given) and (judged := given.pattern) is not None:
        rule, observed = PatternRule(judged.alpha, judged.threshold, judged.tail), _observed(given)
    if effects is not None:
        if level2 is None:
            raise EatlasError(
                "the chance of a pattern takes attributes",
                got="no sizes of A and B",
                allowed="four sizes, a test, or a result at level 2",
            )
        pair = numbers(effects, "effects", 1)
        if pair.size != 2:
            raise EatlasError(
                "effects must be those of X and of Y", got=f"{pair.size} numbers", allowed="two"
            )
        known = observed.correlation if observed else 0.0
        observed = Observed((float(pair[0]), float(pair[1])), known)
    found = design_power(
        level1,
        level2,
        alpha=alpha,
        wanted=wanted,
        tail=tail,
        unit=unit,
        rule=rule,
        observed=observed,
    )
    return found.model_copy(
        update={
            **_chance(found, d, level1, level2),
            "terms_needed": _terms(d, wanted, alpha, tail),
        }
    )


def equivalence(
    given: AssociationResult | ArrayLike,
    sizes: Sequence[int] | None = None,
    *,
    sesoi: float,
    unit: SesoiUnit = "d",
    alpha: float = 0.05,
) -> Equivalence:
    """Tests of whether effects are smaller than the smallest one of interest.

    Two one-sided exact permutation tests at each level; and, of a result that was tested on other
    words, the same with the crossed standard error.

    Parameters
    ----------
    given : result or array_like, shape (N,)
        A result of ML-EAT, WEAT or LPBS; or scores, the first group's first.
    sizes : pair of int, optional
        Sizes of the two groups, where `given` is an array.
    sesoi : float
        The smallest effect size of interest, above 0, stated before looking at the data.
    unit : {"d", "difference"}
        Of `sesoi`: standard deviations of the union, below 2; or the unit of the scores, such as
        cosine.
    alpha : float, default 0.05
        Level of the tests.

    Returns
    -------
    Equivalence
        For level 1 and both level 2: margin, p, whether it is below alpha, and whether any scores
        of this design could have shown it.

    Raises
    ------
    EatlasError
        If `given` has no scores, or a number is out of its range.

    Notes
    -----
    Schuirmann (1987). A margin in d is turned into units of the scores by the deviation within the
    groups, which is estimated: its level is near alpha then, not exact.

    Examples
    --------
    >>> import eatlas
    >>> result = eatlas.run(tests="weat-7")[0]
    >>> found = eatlas.equivalence(result, sesoi=0.1, unit="difference")
    >>> round(found.level1.p, 3), found.level1.equivalent
    (0.001, True)
    """
    _check_sesoi(sesoi, unit)
    if _compares_targets(given):
        pairs, crossed = _scores(given), given.generalisation
    else:
        _refuse_others(given, "a result of ML-EAT, WEAT or LPBS, or scores with their sizes")
        values = numbers(cast("ArrayLike", given), "scores", 1)
        n = _sizes(sizes, (2,), "the sizes of scores", least=(1, 1))
        if sum(n) != values.size:
            raise EatlasError(
                "the sizes are not those of the scores",
                got=f"{n[0]} + {n[1]} for {values.size} scores",
            )
        pairs, crossed = {"level1": (values[: n[0]], values[n[0] :])}, None
    found = SmallestEffect(sesoi, unit, alpha).equivalence(pairs, crossed)
    return cast("Equivalence", found)


def _compares_targets(given: Any) -> TypeGuard[AssociationResult]:
    """Whether something is a result that compares X with Y, at level 1."""
    return is_result(given) and "level1" in given.places


def _of_result(result: AssociationResult, confidence: float) -> Generalisation:
    """What a result says, at any confidence; of older versions, what its similarities say."""
    known = result.generalisation
    if known is not None:
        return at_confidence(known, confidence)
    kept, n = result.similarities, [len(result.coverage.group(role).used) for role in ROLES]
    if kept is None or result.primary.over_stimuli or "projection" in result.signature:
        raise EatlasError(
            f"the result of {result.test} does not say how it generalises",
            got=f"a result of eatlas {result.provenance.version}",
            remedy="run the test again",
        )
    table = np.array(kept)
    scale = float(np.abs(table).max(initial=0.0))
    sizes = (n[0], n[1], n[2], n[3])
    return generalised(table, sizes, confidence=confidence, notes=[], scale=scale)


Design = tuple[int, int] | None


def _designs(given: Any) -> tuple[Design, Design, Unit]:
    """Sizes of the groups that are permuted at levels 1 and 2."""
    if given is None:
        return None, None, "term"
    if _compares_targets(given):
        return _designs_of(given)
    if is_result(given) and (given.power or any(one.n for one in given.effects())):
        return _designs_of(given)
    if isinstance(given, str):
        found = load_tests(given)
        if len(found) != 1:
            raise EatlasError(
                "power is that of one test",
                got=f"{given!r}, which has {len(found)}",
                remedy="name one of them; eatlas tests power takes several",
            )
        given = found[0]
    if isinstance(given, AssociationTest):
        n = [len(set(given.concept(role).stimulus_of.values())) for role in ROLES]
        words = [len(given.concept(role).terms) for role in ROLES]
        x, y, a, b = (one or other for one, other in zip(n, words, strict=True))
        unit: Unit = "stimulus" if any(n) else "term"
        return (x, y), (a, b), unit
    _refuse_others(given, f"a result, a test, or sizes: {SIZES}")
    sizes = _sizes(given, (2, 4), "the sizes of a design", least=(1, 1, 1, 1))
    return (sizes[0], sizes[1]), (sizes[2], sizes[3]) if len(sizes) == 4 else None, "term"


def _designs_of(result: AssociationResult) -> tuple[Design, Design, Unit]:
    """The same of a result: of targets and attributes, or of the attributes of single terms."""
    if _compares_targets(result):
        read = result.primary
        x, y, a, b = (len(read.names(role)) for role in ROLES)
        level2 = (a, b) if "level2.X" in result.places else None
        return (x, y), level2, "stimulus" if read.over_stimuli else "term"
    if result.power is not None and result.power.level2 is not None:
        return None, result.power.level2.n, result.power.unit
    return None, next((one.n for one in result.effects()), None), "term"


def _observed(result: AssociationResult) -> Observed | None:
    """The effect sizes of X and Y at level 2, with the scores of attributes behind them."""
    read = result.primary
    d_x, d_y = (effect_of(read.group(role)) for role in TARGETS)
    of = {role: at(read.scores, f"attributes_with_{role}") for role in TARGETS}
    if of["X"] is None or not of["X"].A:
        return None
    return Observed.of(
        d_x, d_y, {(t, r): np.array(getattr(of[t], r)) for t in TARGETS for r in ATTRIBUTES}
    )


def _chance(found: Power, d: float | None, level1: Design, level2: Design) -> Mapping[str, Any]:
    """The power at a stated effect size."""
    if d is None:
        return {}
    chances = {
        name: chance_of_rejection(*n, shift_of_d(d, *n), alpha=found.alpha, tail=found.tail)
        for name, n in (("level1", level1), ("level2", level2))
        if n is not None
    }
    return {"d": float(d), "chance": chances}


def _terms(d: float | None, wanted: float, alpha: float, tail: str) -> dict[str, int]:
    """Terms needed for some effect sizes, and for the one that was stated."""
    sizes = sorted({*EFFECTS, *([abs(d)] if d and abs(d) < 2 else [])})
    two_sided = "two_sided" if tail == "two_sided" else "greater"
    return {
        f"{one:g}": terms_needed(one, power=wanted, alpha=alpha, tail=two_sided) for one in sizes
    }


def _scores(result: AssociationResult) -> dict[str, tuple[Array, Array]]:
    """Scores of both groups, by place."""
    scores = result.primary.scores
    if not scores.X:
        raise EatlasError(
            f"the result of {result.test} keeps no scores: it has too many terms",
            remedy=f"measure it with the smallest effect of interest, such as {result.measure}"
            "(sesoi=0.5)",
        )
    pairs = {"level1": (np.array(scores.X), np.array(scores.Y))}
    for role in TARGETS:
        if (of := at(scores, f"attributes_with_{role}")) is not None:
            pairs[f"level2.{role}"] = np.array(of.A), np.array(of.B)
    return pairs


def _check_sesoi(sesoi: float, unit: str) -> None:
    """Refuse a smallest effect of interest with an unknown unit or outside its range."""
    if unit not in get_args(SesoiUnit):
        raise EatlasError(
            "a smallest effect of interest has no such unit",
            got=repr(unit),
            allowed=" or ".join(get_args(SesoiUnit)),
        )
    number = isinstance(sesoi, int | float) and not isinstance(sesoi, bool)
    if not (number and 0 < sesoi < (2 if unit == "d" else np.inf)):
        raise EatlasError(
            "this is not a smallest effect of interest",
            got=repr(sesoi),
            allowed="above 0 and below 2" if unit == "d" else "above 0",
        )


def _sizes(
    given: Sequence[int] | None, lengths: tuple[int, ...], what: str, least: Sequence[int]
) -> tuple[int, ...]:
    """Whole numbers, as many as there may be."""
    texts = " or ".join({2: "two", 4: "four"}[length] for length in lengths)
    if not isinstance(given, list | tuple | np.ndarray) or len(given) not in lengths:
        raise EatlasError(
            f"{what} must be {texts} whole numbers",
            got=described(given) if given is None or isinstance(given, str) else repr(given),
            allowed=_ALLOWED[lengths],
        )
    return tuple(whole(one, "a size", low) for one, low in zip(given, least, strict=False))


def _refuse_others(given: Any, allowed: str) -> None:
    """Say what is taken, of results of other measures and of single numbers."""
    if is_result(given) or isinstance(given, Integral | float) or given is None:
        said = f"a result of {given.measure}" if is_result(given) else repr(given)
        raise EatlasError("this measure does not support it", got=said, allowed=allowed)


__all__ = ["equivalence", "generalisation", "power"]
