"""What a p-value does not say: of a result, of a test, or of plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, TypeGuard, cast, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError, described
from eatlas.measures.inference import (
    CONFIDENCE,
    Observed,
    SmallestEffect,
    at_confidence,
    design_power,
    generalised,
)
from eatlas.results import AssociationResult, is_result
from eatlas.results.inference import Equivalence, Generalisation, Power, SesoiUnit, Unit
from eatlas.results.levels import effect_of
from eatlas.results.parts import at
from eatlas.stats.bootstrap import PatternRule
from eatlas.stats.designs import (
    chance_of_rejection,
    checked_alpha,
    checked_tail,
    shift_of_d,
    terms_needed,
)
from eatlas.stats.inputs import numbers, open_unit, whole
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS, AssociationTest, load_tests

Array = NDArray[np.float64]
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
