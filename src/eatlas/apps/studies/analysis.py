"""What the specifications of a study say together: shares, stability, contrasts."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

import numpy as np

from eatlas.apps.studies.record import (
    ChoiceShare,
    Contrast,
    MethodCorrelation,
    PatternCounts,
    Specification,
    StudyAnalysis,
    StudyRecord,
)
from eatlas.results.parts import defined
from eatlas.stats.specifications import (
    MOST_CHOICES,
    correlation,
    variance_shares,
)

METRIC = "metric"
"""Cosine or log-probability: a choice that follows from the measure."""
MOST_ALTERNATIVES = 8
"""Of a choice whose alternatives are compared two by two."""
DRAWS = 1000
NAN = float("nan")


def analyse(record: StudyRecord, *, seed: int = 0) -> StudyAnalysis:
    """Analyse a study."""
    given = [one for one in record.measured if one.symbol == "d"]
    explained, shares = _shares(record, given)
    return StudyAnalysis(
        explained=explained,
        shares=tuple(shares),
        patterns=tuple(_patterns(record)),
        contrasts=tuple(_contrasts(record, given, seed)),
        correlations=tuple(_correlations(record, given)),
        seed=seed,
    )


def _shares(
    record: StudyRecord, given: Sequence[Specification]
) -> tuple[float | None, list[ChoiceShare]]:
    """Shares of the variance of d, choice by choice."""
    varying = [name for name in record.varying if len({one.choices.get(name) for one in given}) > 1]
    if not given or not varying or len(varying) > MOST_CHOICES:
        return None, []
    codes = {name: {"": 0} for name in varying}
    levels = [
        [codes[name].setdefault(one.choices[name], len(codes[name])) for name in varying]
        for one in given
    ]
    values = np.array([one.d for one in given], np.float64)
    found = variance_shares(values, np.array(levels, np.int64))
    if found is None:
        return None, []
    rows = zip(varying, found.first, found.total, found.shapley, strict=True)
    names = ("choice", "first", "total", "shapley")
    return found.explained, [ChoiceShare(**dict(zip(names, row, strict=True))) for row in rows]


def _patterns(record: StudyRecord) -> Iterator[PatternCounts]:
    """How often each pattern comes, over all specifications, then for each test."""
    given = [one for one in record.specifications if one.status == "done" and one.pattern]
    tests = dict.fromkeys(one.choices["test"] for one in given)
    for test in ("", *tests) if len(tests) > 1 else tests:
        some = [one.pattern for one in given if test in {"", one.choices["test"]}]
        counts = Counter(some)
        mode, times = counts.most_common(1)[0]
        yield PatternCounts(
            test=test,
            counts=dict(counts.most_common()),
            mode=mode,
            share=times / len(some),
            entropy=max(
                0.0, -sum(n / len(some) * math.log2(n / len(some)) for n in counts.values())
            ),
        )


def _label(one: Specification, choice: str) -> str:
    """The alternative of a choice; of the metric too, which follows from the measure."""
    return (one.metric or "") if choice == METRIC else one.choices.get(choice, "")


Pair = tuple[tuple[Specification, ...], tuple[Specification, ...]]


def matched(given: Sequence[Specification], choice: str, first: str, second: str) -> list[Pair]:
    """Specifications with either alternative that are alike in all else.

    Choices that mean something beside one of the two alternatives alone cannot be alike; of
    specifications that differ in these, all are taken together.
    """
    sides = [[one for one in given if _label(one, choice) == label] for label in (first, second)]
    left_out = {choice} | ({"measure"} if choice == METRIC else set())
    names = [name for name in (given[0].choices if given else ()) if name not in left_out]
    seen = {name: [{one.choices[name] for one in side} - {""} for side in sides] for name in names}
    shared = [name for name in names if seen[name][0] & seen[name][1]]
    groups: list[dict[tuple[str, ...], list[Specification]]] = [{}, {}]
    for side, group in zip(sides, groups, strict=True):
        for one in side:
            group.setdefault(tuple(one.choices[name] for name in shared), []).append(one)
    keys = [key for key in groups[0] if key in groups[1]]
    return [(tuple(groups[0][key]), tuple(groups[1][key])) for key in keys]


def _compared(
    record: StudyRecord, given: Sequence[Specification]
) -> Iterator[tuple[str, str, str]]:
    """Every two alternatives of each choice but the test, and of the metric."""
    for name in (*record.varying, METRIC):
        if name == "test":
            continue
        labels = list(dict.fromkeys(_label(one, name) for one in given if _label(one, name)))
        if 1 < len(labels) <= MOST_ALTERNATIVES:
            for first, second in combinations(labels, 2):
                yield name, first, second


def _contrasts(
    record: StudyRecord, given: Sequence[Specification], seed: int
) -> Iterator[Contrast]:
    """Every two alternatives against each other, all else alike."""
    rng = np.random.default_rng([seed, 2])
    for choice, first, second in _compared(record, given):
        pairs = matched(given, choice, first, second)
        if not pairs:
            continue
        d = np.array([[_mean(side) for side in pair] for pair in pairs], np.float64)
        differences = d[:, 0] - d[:, 1]
        weights = rng.dirichlet(np.ones(len(pairs)), DRAWS)
        low, high = np.quantile(weights @ differences, [0.025, 0.975])
        alone = [(a[0], b[0]) for a, b in pairs if len(a) == len(b) == 1]
        several = len(pairs) > 1
        yield Contrast(
            choice=choice,
            first=first,
            second=second,
            n=len(pairs),
            difference=float(differences.mean()),
            low=float(low) if several else None,
            high=float(high) if several else None,
            size_difference=float((np.abs(d[:, 0]) - np.abs(d[:, 1])).mean()),
            significant=_both_shares(pairs),
            signs=int((np.sign(d[:, 0]) * np.sign(d[:, 1]) < 0).sum()),
            flips=sum(_finding(a) != _finding(b) for a, b in alone),
            patterns=sum(a.pattern != b.pattern for a, b in alone if a.pattern and b.pattern),
        )


def _mean(some: Sequence[Specification]) -> float:
    return statistics.fmean(one.d for one in some if one.d is not None)


def _finding(one: Specification) -> int:
    """1 or -1 for a significant effect size, by its sign; 0 for any other."""
    return int(math.copysign(1, one.d or 0.0)) if one.significant else 0


def _both_shares(pairs: Iterable[Pair]) -> tuple[float, float] | None:
    """Shares of the specifications of either side that are significant."""
    sides = list(zip(*pairs, strict=True))
    judged = [
        [one.significant for some in side for one in some if one.significant is not None]
        for side in sides
    ]
    if not all(judged):
        return None
    first, second = (sum(side) / len(side) for side in judged)
    return first, second


def _correlations(
    record: StudyRecord, given: Sequence[Specification]
) -> Iterator[MethodCorrelation]:
    """Correlations of every two alternatives over the tests and all else that they share."""
    if len({(one.choices["test"], one.choices.get("stimuli")) for one in given}) < 3:
        return
    for choice, first, second in _compared(record, given):
        pairs = matched(given, choice, first, second)
        both = [pair for pair in pairs if all(all(o.significant for o in side) for side in pair)]
        for only, some in (("all", pairs), ("significant", both)):
            points = [(_mean(a), _mean(b)) for a, b in some]
            x, y = (np.array([point[i] for point in points], np.float64) for i in (0, 1))
            found = correlation(x, y) if len(points) > 2 else None
            numbers = {
                name: defined(float(getattr(found, name, NAN)))
                for name in (
                    "pearson", "pearson_low", "pearson_high",
                    "spearman", "spearman_low", "spearman_high",
                )
            }  # fmt: skip
            yield MethodCorrelation(
                choice=choice,
                first=first,
                second=second,
                only="all" if only == "all" else "significant",
                n=len(points),
                points=tuple(points) if only == "all" else (),
                **numbers,
            )
