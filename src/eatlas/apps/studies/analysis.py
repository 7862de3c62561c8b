"""What the specifications of a study say together: shares, stability, contrasts."""

from __future__ import annotations

import math
import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict
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
from eatlas.stats.specifications import MOST_CHOICES, correlation, variance_shares

METRIC = "metric"
"""Cosine or log-probability: a choice that follows from the measure."""
MOST_ALTERNATIVES = 8
"""Of a choice whose alternatives are compared two by two."""
DRAWS = 1000
Side = tuple[Specification, ...]
Pair = tuple[Side, Side]


def analyse(record: StudyRecord, *, seed: int = 0) -> StudyAnalysis:
    """Analyse a study."""
    effects = [spec for spec in record.measured if spec.symbol == "d"]
    explained, shares = _shares(record, effects)
    compared = [
        (choice, first, second, matched(effects, choice, first, second))
        for choice, first, second in _alternatives(record, effects)
    ]
    return StudyAnalysis(
        explained=explained,
        shares=tuple(shares),
        patterns=tuple(_patterns(record)),
        contrasts=tuple(_contrasts(compared, seed)),
        correlations=tuple(_correlations(compared, effects)),
        seed=seed,
    )


def _shares(
    record: StudyRecord, effects: Sequence[Specification]
) -> tuple[float | None, list[ChoiceShare]]:
    """Shares of the variance of d, choice by choice."""
    varying = [
        name for name in record.varying if len({spec.choices.get(name) for spec in effects}) > 1
    ]
    if not effects or not varying or len(varying) > MOST_CHOICES:
        return None, []
    codes: dict[str, dict[str, int]] = {name: {"": 0} for name in varying}
    levels = [
        [codes[name].setdefault(spec.choices[name], len(codes[name])) for name in varying]
        for spec in effects
    ]
    d = np.array([spec.d for spec in effects], np.float64)
    shares = variance_shares(d, np.array(levels, np.int64))
    if shares is None:
        return None, []
    rows = zip(varying, shares.first, shares.total, shares.shapley, strict=True)
    return shares.explained, [
        ChoiceShare(choice=name, first=first, total=total, shapley=shapley)
        for name, first, total, shapley in rows
    ]


def _patterns(record: StudyRecord) -> Iterator[PatternCounts]:
    """How often each pattern comes, over all specifications, then for each test."""
    patterns = [(spec.choices["test"], spec.pattern) for spec in record.of("done") if spec.pattern]
    tests = dict.fromkeys(test for test, _ in patterns)
    for test in ("", *tests) if len(tests) > 1 else tests:
        counts = Counter(pattern for measured, pattern in patterns if test in {"", measured})
        (mode, times), total = counts.most_common(1)[0], counts.total()
        shares = [n / total for n in counts.values()]
        yield PatternCounts(
            test=test,
            counts=dict(counts.most_common()),
            mode=mode,
            share=times / total,
            entropy=max(0.0, -sum(share * math.log2(share) for share in shares)),
        )


def _label(spec: Specification, choice: str) -> str:
    """The alternative of a choice; of the metric too, which follows from the measure."""
    return (spec.metric or "") if choice == METRIC else spec.choices.get(choice, "")


def matched(effects: Sequence[Specification], choice: str, first: str, second: str) -> list[Pair]:
    """Specifications with either alternative that are alike in all else.

    Choices that mean something beside one of the two alternatives alone cannot be alike; of
    specifications that differ in these, all are taken together.
    """
    sides = [
        [spec for spec in effects if _label(spec, choice) == label] for label in (first, second)
    ]
    left_out = {choice, "measure"} if choice == METRIC else {choice}
    shared = []
    for name in (name for name in (effects[0].choices if effects else ()) if name not in left_out):
        a, b = ({spec.choices[name] for spec in side} - {""} for side in sides)
        if a & b:
            shared.append(name)
    groups: list[dict[tuple[str, ...], list[Specification]]] = [{}, {}]
    for side, group in zip(sides, groups, strict=True):
        for spec in side:
            group.setdefault(tuple(spec.choices[name] for name in shared), []).append(spec)
    keys = [key for key in groups[0] if key in groups[1]]
    return [(tuple(groups[0][key]), tuple(groups[1][key])) for key in keys]


def _alternatives(
    record: StudyRecord, effects: Sequence[Specification]
) -> Iterator[tuple[str, str, str]]:
    """Every two alternatives of each choice but the test, and of the metric."""
    for name in (*record.varying, METRIC):
        labels = list(dict.fromkeys(filter(None, (_label(spec, name) for spec in effects))))
        if name != "test" and 1 < len(labels) <= MOST_ALTERNATIVES:
            for first, second in combinations(labels, 2):
                yield name, first, second


Compared = Sequence[tuple[str, str, str, list[Pair]]]
"""Two alternatives of a choice, and the specifications that are alike in all else."""


def _contrasts(compared: Compared, seed: int) -> Iterator[Contrast]:
    """Every two alternatives against each other, all else alike."""
    rng = np.random.default_rng([seed, 2])
    for choice, first, second, pairs in compared:
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


def _mean(side: Side) -> float:
    return statistics.fmean(spec.d for spec in side if spec.d is not None)


def _finding(spec: Specification) -> int:
    """1 or -1 for a significant effect size, by its sign; 0 for any other."""
    return int(math.copysign(1, spec.d or 0.0)) if spec.significant else 0


def _both_shares(pairs: Sequence[Pair]) -> tuple[float, float] | None:
    """Shares of the specifications of either side that are significant."""
    sides = zip(*pairs, strict=True)
    a, b = ([spec.significant for side in sides_of for spec in side] for sides_of in sides)
    a, b = ([known for known in judged if known is not None] for judged in (a, b))
    return (sum(a) / len(a), sum(b) / len(b)) if a and b else None


def _correlations(
    compared: Compared, effects: Sequence[Specification]
) -> Iterator[MethodCorrelation]:
    """Correlations of every two alternatives over the tests and all else that they share."""
    if len({(spec.choices["test"], spec.choices.get("stimuli")) for spec in effects}) < 3:
        return
    for choice, first, second, pairs in compared:
        both = [pair for pair in pairs if all(spec.significant for side in pair for spec in side)]
        yield _correlation(choice, first, second, "all", pairs)
        yield _correlation(choice, first, second, "significant", both)


def _correlation(
    choice: str, first: str, second: str, only: str, pairs: Sequence[Pair]
) -> MethodCorrelation:
    points = [(_mean(a), _mean(b)) for a, b in pairs]
    x, y = (np.array([point[i] for point in points], np.float64) for i in (0, 1))
    numbers = {name: defined(value) for name, value in asdict(correlation(x, y)).items()}
    return MethodCorrelation(
        choice=choice,
        first=first,
        second=second,
        only="all" if only == "all" else "significant",
        points=tuple(points) if only == "all" else (),
        **{**numbers, "n": len(points)},
    )
