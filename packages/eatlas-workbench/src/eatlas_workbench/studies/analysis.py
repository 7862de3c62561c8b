"""What the specifications of a study say together: shares, stability, contrasts."""

from __future__ import annotations

import math
import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import combinations

import numpy as np

from eatlas.errors import StudyError, did_you_mean
from eatlas.results.methods import MethodPair, MethodPoint
from eatlas.results.parts import finite
from eatlas_workbench.stats.variance_shares import MOST_CHOICES, variance_shares
from eatlas_workbench.studies.record import (
    ChoiceShare,
    Contrast,
    MethodCorrelation,
    PatternCounts,
    Specification,
    StudyAnalysis,
    StudyRecord,
)

METRIC = "metric"
"""Cosine or log-probability: a choice that follows from the measure."""
MOST_ALTERNATIVES = 8
"""Of a choice whose alternatives are compared two by two."""
DRAWS = 1000
Pair = tuple[list[Specification], list[Specification]]
"""Specifications with either alternative that are alike in all else."""
Compared = tuple[str, str, str, list[Pair]]
"""A choice, two alternatives of it, and the specifications of both."""


def analyse(record: StudyRecord, *, seed: int = 0) -> StudyAnalysis:
    """Analyse a study."""
    effects = record.measured
    explained, shares = choice_shares(record)
    compared = [
        each for choice in _comparable(record) for each in _compare_alternatives(effects, choice)
    ]
    tests = {(spec.choices["test"], spec.choices.get("stimuli")) for spec in effects}
    return StudyAnalysis(
        explained=explained,
        shares=tuple(shares),
        patterns=tuple(_patterns(record)),
        contrasts=tuple(_contrasts(compared, seed)),
        correlations=tuple(_correlations(record, compared)) if len(tests) >= 3 else (),
        seed=seed,
    )


def _comparable(record: StudyRecord) -> list[str]:
    """Choices with two alternatives or more that are compared."""
    choices = [choice for choice in (*record.varying, METRIC) if choice != "test"]
    return [c for c in choices if 1 < len(_labels(record.measured, c)) <= MOST_ALTERNATIVES]


def _labels(effects: Sequence[Specification], choice: str) -> list[str]:
    """The alternatives of a choice that were measured."""
    return list(dict.fromkeys(filter(None, (_label(spec, choice) for spec in effects))))


def _compare_alternatives(effects: Sequence[Specification], choice: str) -> Iterator[Compared]:
    """Every two alternatives of a choice, over specifications that are alike in all else."""
    for first, second in combinations(_labels(effects, choice), 2):
        yield choice, first, second, match_specifications(effects, choice, first, second)


def method_pairs(record: StudyRecord, choice: str | None = None) -> tuple[MethodPair, ...]:
    """Every two alternatives of a choice, by default of the measure or the first that varies."""
    choices = _comparable(record)
    if not choices:
        raise StudyError(
            "no choice of this study has alternatives that can be compared",
            got=f"choices that vary: {', '.join(record.varying) or 'none'}",
            allowed=f"2 to {MOST_ALTERNATIVES} alternatives of a choice other than the test",
        )
    choice = choice or ("measure" if "measure" in choices else choices[0])
    if choice not in choices:
        raise StudyError(
            f"the alternatives of {choice!r} cannot be compared{did_you_mean(choice, choices)}",
            allowed=", ".join(choices),
        )
    return tuple(_pair(record, each) for each in _compare_alternatives(record.measured, choice))


def _pair(record: StudyRecord, compared: Compared) -> MethodPair:
    """Two alternatives of a choice as two methods."""
    choice, first, second, pairs = compared

    def point(sides: Pair) -> MethodPoint:
        taken = sides[0][0].choices
        tests, sources = (
            ", ".join(taken[n] for n in names if n in record.varying and n != choice and taken[n])
            for names in (("test", "stimuli"), ("vectors",))
        )
        x, y = map(_mean, sides)
        significant = all(spec.significant for side in sides for spec in side)
        return MethodPoint(tests or taken["test"], sources, x, y, significant)

    return MethodPair(first, second, tuple(map(point, pairs)), by=choice)


def choice_shares(record: StudyRecord) -> tuple[float | None, list[ChoiceShare]]:
    """Proportions of the variance of d: of all choices together, and choice by choice."""
    effects = record.measured
    columns = {name: [spec.choices.get(name, "") for spec in effects] for name in record.varying}
    columns = {name: labels for name, labels in columns.items() if len(set(labels)) > 1}
    if not 0 < len(columns) <= MOST_CHOICES:
        return None, []
    levels = [np.unique(labels, return_inverse=True)[1] for labels in columns.values()]
    d = np.array([spec.d for spec in effects], np.float64)
    shares = variance_shares(d, np.stack(levels, axis=1).astype(np.int64))
    if shares is None:
        return None, []
    explained, rows = shares
    return explained, [
        ChoiceShare(choice=name, first=first, total=total, shapley=shapley)
        for name, (first, total, shapley) in zip(columns, rows.tolist(), strict=True)
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


def match_specifications(
    effects: Sequence[Specification], choice: str, first: str, second: str
) -> list[Pair]:
    """Specifications with either alternative that are alike in all else.

    Choices that apply to only one of the two alternatives cannot be alike; of
    specifications that differ in these, all are taken together.
    """
    sides = [
        [spec for spec in effects if _label(spec, choice) == label] for label in (first, second)
    ]
    left_out = {choice, "measure"} if choice == METRIC else {choice}
    shared = []
    for name in (name for name in effects[0].choices if name not in left_out):
        a, b = ({spec.choices[name] for spec in side} - {""} for side in sides)
        if a & b:
            shared.append(name)
    groups: defaultdict[tuple[str, ...], Pair] = defaultdict(lambda: ([], []))
    for i, side in enumerate(sides):
        for spec in side:
            groups[tuple(spec.choices[name] for name in shared)][i].append(spec)
    return [pair for pair in groups.values() if all(pair)]


def _contrasts(compared: Sequence[Compared], seed: int) -> Iterator[Contrast]:
    """Every two alternatives against each other, all else alike."""
    rng = np.random.default_rng([seed, 2])
    for choice, first, second, pairs in compared:
        if not pairs:
            continue
        d = np.array([[_mean(side) for side in pair] for pair in pairs], np.float64)
        differences = d[:, 0] - d[:, 1]
        weights = rng.dirichlet(np.ones(len(pairs)), DRAWS)
        low, high = np.quantile(weights @ differences, [0.025, 0.975]).tolist()
        alone = [(a[0], b[0]) for a, b in pairs if len(a) == len(b) == 1]
        a, b = (
            [spec.significant for pair in pairs for spec in pair[i] if spec.significant is not None]
            for i in (0, 1)
        )
        several = len(pairs) > 1
        yield Contrast(
            choice=choice,
            first=first,
            second=second,
            n=len(pairs),
            difference=float(differences.mean()),
            low=low if several else None,
            high=high if several else None,
            size_difference=float((np.abs(d[:, 0]) - np.abs(d[:, 1])).mean()),
            significant=(statistics.fmean(a), statistics.fmean(b)) if a and b else None,
            signs=int((np.sign(d[:, 0]) * np.sign(d[:, 1]) < 0).sum()),
            flips=sum(_finding(a) != _finding(b) for a, b in alone),
            patterns=sum(a.pattern != b.pattern for a, b in alone if a.pattern and b.pattern),
        )


def _mean(side: Sequence[Specification]) -> float:
    return statistics.fmean(spec.d for spec in side if spec.d is not None)


def _finding(spec: Specification) -> int:
    """1 or -1 for a significant effect size, by its sign; 0 for any other."""
    return int(math.copysign(1, spec.d or 0.0)) if spec.significant else 0


def _correlations(record: StudyRecord, compared: Sequence[Compared]) -> Iterator[MethodCorrelation]:
    """Correlations of every two alternatives over the tests and all else that they share."""
    for each in compared:
        choice, first, second, _ = each
        every = _pair(record, each)
        for only, pair in (("all", every), ("significant", every.significant)):
            numbers = {name: finite(n) for name, n in asdict(pair.correlation).items()}
            alike = {"choice": choice, "first": first, "second": second, "only": only}
            shown = tuple((p.x, p.y) for p in pair.points) if only == "all" else ()
            yield MethodCorrelation.from_dict({**numbers, **alike, "points": shown})
