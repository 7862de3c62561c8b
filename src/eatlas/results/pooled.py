"""Several sources of one test in one claim: words and sources are facets of one table.

A source (an embedding, a model) or a training run is a random facet: a reader generalises from some
to others. Layers, prompts, periods, measures and their parameters are fixed: there are no others of
their kind that a claim could be about.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
from pydantic import Field

from eatlas.errors import ResultsError, described, join_names
from eatlas.lazy import as_frame, find_offer
from eatlas.numbers import number_of, spell_out
from eatlas.results.compare import RESPECTS, group_names, pivot
from eatlas.results.finding import PLACES, Question
from eatlas.results.levels import UnitSizes
from eatlas.results.parts import Concepts, Probability, Record, at, finite, finite_ends, is_empty
from eatlas.results.questions import Evidence, Scope, SignedP, answer_together, own_obstacles
from eatlas.results.unit_tables import SOURCES, CommonWords, LevelTable
from eatlas.stats.multiplicity import holm_adjusted
from eatlas.stats.permutation.two_sample import permutation_test
from eatlas.stimuli.kinds import ROLES

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.results.base import AssociationResult

Over = Literal["source", "run"]
"""What is random beside words: sources, or training runs of one source."""
LEAST_SOURCES = 3
"""From which a claim is about other sources; two are fixed, as their spread has one degree of
freedom."""
MOST_IN_PAIRS = 6
"""Sources that are compared two by two; of more, heterogeneity says whether they differ."""
ERROR = 1e-5
"""Relative error of the p-values of permutations."""


class Heterogeneity(Record):
    """How far the true effect sizes of sources differ, beyond what other words and chance give."""

    sd: float
    """Standard deviation in units of d, by the method of moments; 0 if its estimate is negative."""
    p: Probability | None
    """Of the test that they differ; None if undefined."""


class SourceDifference(Record):
    """How far the effect sizes of two sources are apart, on the words that all sources have."""

    place: str
    first: str
    second: str
    difference: float
    """Effect of the second minus effect of the first, in units of d."""
    interval: tuple[float, float] | None
    """For other words."""
    p: Probability | None
    p_holm: Probability | None = None
    """Adjusted by Holm over the pairs that are shown together."""


class PooledResult(Record):
    """One test on several sources as one claim."""

    test: str
    name: str
    """The test, and what distinguishes it from others that are shown together."""
    measure: str
    signature: str
    alpha: float
    """Level of significance of the verdicts."""
    over: Over
    noun: str
    """What the sources are, in the plural: embeddings, models, training runs."""
    sources: tuple[str, ...]
    """Their names."""
    concepts: Concepts
    units: UnitSizes
    """Words of each group that all sources have, near-synonyms as one."""
    left_out: int = Field(default=0, exclude_if=is_empty)
    """Words that only some of the sources have."""
    effect_sizes: dict[str, tuple[float, ...]]
    """Of each source on the common words, by place."""
    questions: dict[str, Question]
    """By the place of the effect size, as in a :class:`~eatlas.results.finding.Finding`; the effect
    size is the mean of the sources."""
    heterogeneity: dict[str, Heterogeneity]
    """By place."""
    differences: tuple[SourceDifference, ...] = Field(default=(), exclude_if=is_empty)
    """Of every two sources, where there are up to six."""
    sentence: str
    """The sentences of the questions in their order."""

    def __str__(self) -> str:
        return self.sentence

    @property
    def significant_differences(self) -> list[SourceDifference]:
        """Differences at level 1 that are significant after Holm, the largest first."""
        found = [
            pair
            for pair in self.differences
            if pair.place == "level1" and pair.p_holm is not None and pair.p_holm <= self.alpha
        ]
        return sorted(found, key=lambda pair: -abs(pair.difference))


@dataclass(frozen=True, repr=False)
class Pooled(Sequence[PooledResult]):
    """Tests on several sources, each as one claim."""

    tests: tuple[PooledResult, ...]

    def __getitem__(self, place: Any) -> Any:
        """Take a test by its position or its name."""
        if not isinstance(place, str):
            return self.tests[place]
        for test in self.tests:
            if place in {test.name, test.test}:
                return test
        raise KeyError(f"{place}: no such test; there are {', '.join(t.name for t in self)}")

    def __len__(self) -> int:
        return len(self.tests)

    def __repr__(self) -> str:
        return f"<Pooled: {number_of(len(self), 'test')} over several sources>"

    def __str__(self) -> str:
        return str(find_offer("text_over_sources")(self))

    def to_frame(self) -> pd.DataFrame:
        """Return a row for each question of each test.

        Returns
        -------
        DataFrame
            ``test``, ``measure``, ``signature``, ``sources`` (how many), ``place``, ``verdict``,
            ``effect_size`` (mean of the sources) with ``low`` and ``high``, ``p_these``,
            ``p_new``, ``p_adjusted``, ``p_claim``, ``reason``, ``facets``; ``sd_between`` and
            ``p_between``, the heterogeneity; ``words`` (units) and ``left_out``.
        """
        return as_frame(line for test in self for line in _lines(test))


def _lines(test: PooledResult) -> Iterable[dict[str, Any]]:
    for place, question in test.questions.items():
        low, high = question.interval or (None, None)
        between = test.heterogeneity.get(place)
        yield {
            "test": test.name, "measure": test.measure, "signature": test.signature,
            "sources": len(test.sources), "place": place, "verdict": question.verdict,
            "effect_size": question.effect_size, "low": low, "high": high,
            **{f"p_{name}": p for name, p in question.p}, "reason": question.reason,
            "facets": ", ".join(question.facets),
            "sd_between": between and between.sd, "p_between": between and between.p,
            "words": sum(test.units.values()), "left_out": test.left_out,
        }  # fmt: skip


def pool_results(results: Iterable[AssociationResult], over: str = "source") -> Pooled:
    """The claims of tests on several sources; :meth:`eatlas.Results.pooled` explains them."""
    given = tuple(results)
    if over not in get_args(Over):
        fixed = over in RESPECTS
        raise ResultsError(
            f"{over} is a fixed facet: a claim holds only for these levels"
            if fixed
            else f"results cannot be pooled over {described(over)}",
            got=f"over={described(over)}",
            allowed=", ".join(get_args(Over)),
            remedy=f'results.compare("{over}") compares them' if fixed else None,
        )
    tests = tuple(record for _, record in pool_groups(given, over))  # type: ignore[arg-type]
    if not tests:
        raise ResultsError(
            "no test was measured on several sources",
            got=f"{len(given)} results",
            allowed="two or more sources of a test of X, Y, A and B, with one measure and words in "
            "common; layers, prompts or transforms of one model do not count as different sources",
        )
    return Pooled(tests)


PooledGroup = tuple[tuple["AssociationResult", ...], PooledResult]
"""Results of one test on several sources, and what they show together."""


def pool_groups(results: Iterable[AssociationResult], over: Over = "source") -> list[PooledGroup]:
    """The results of each test on several sources, and what they show together; may be none."""
    groups = source_groups(results)
    names = group_names(groups, "source")
    made = [_PooledTest.of(name, over, group) for name, group in zip(names, groups, strict=True)]
    tests = [test for test in made if test is not None]
    records = _with_verdicts(tests)
    return [(test.common.results, record) for test, record in zip(tests, records, strict=True)]


def source_groups(results: Iterable[AssociationResult]) -> list[dict[str, AssociationResult]]:
    """Results that differ in their source alone, by its name."""
    return [group for part in _settings_apart(tuple(results)) for group in pivot(part, "source")]


def _settings_apart(results: Sequence[AssociationResult]) -> list[list[AssociationResult]]:
    """Results with the same options of their sources, where one source has several.

    Layers, prompts, transforms and members of one source are no different sources. What no source
    has several of, such as its last layer, may differ from source to source.
    """
    options: dict[str, set[str]] = {}
    for result in results:
        source, option = _base_and_options(result)
        options.setdefault(source, set()).add(option)
    if all(len(of) == 1 for of in options.values()):
        return [list(results)]
    parts: dict[str, list[AssociationResult]] = {}
    for result in results:
        parts.setdefault(_base_and_options(result)[1], []).append(result)
    return list(parts.values())


def _base_and_options(result: AssociationResult) -> tuple[str, str]:
    """The file or model of a source, and how it is read."""
    base = re.split("[?#]", result.source_string, maxsplit=1)[0]
    return base, result.source_string[len(base) :]


@dataclass(frozen=True)
class _PooledTest:
    """One test on several sources, and the tables behind its effect sizes."""

    name: str
    over: Over
    sources: tuple[str, ...]
    common: CommonWords
    levels: Mapping[str, LevelTable]

    @classmethod
    def of(
        cls, name: str, over: Over, group: Mapping[str, AssociationResult]
    ) -> _PooledTest | None:
        """Put the tables together; None of a test without effect sizes on common words."""
        results = list(group.values())
        places = [p for p in PLACES if all(any(e.place == p for e in r.effects()) for r in results)]
        common = CommonWords.of(results) if places else None
        if common is None:
            return None
        tables = {place: common.level(place) for place in places}
        levels = {place: table for place, table in tables.items() if table is not None}
        over = "run" if results[0].run_of else over
        return cls(name, over, tuple(group), common, levels) if "level1" in levels else None

    @property
    def first(self) -> AssociationResult:
        """The result of the first source."""
        return self.common.results[0]

    @property
    def setting(self) -> tuple[object, ...]:
        """What tests that are shown together have in common."""
        first = self.first
        return first.signature, first.period, _base_and_options(first)[1], first.run_of

    @property
    def axes_of_these(self) -> tuple[int, ...]:
        """Axes whose units are all that a claim is about."""
        return () if len(self.sources) >= LEAST_SOURCES else (SOURCES,)

    @property
    def noun(self) -> str:
        """What the sources are, in the plural."""
        if self.over == "run":
            return "training runs"
        return "models" if all(r.of_model for r in self.common.results) else "embeddings"

    @property
    def scope(self) -> Scope:
        """What a claim generalises over."""
        these = f"{spell_out(len(self.sources))} {self.noun}"
        if self.axes_of_these:
            end = f", for other words, in these {these}"
            return Scope(("words",), "other words", f"these word lists and {these}", end,
                         f" over these {these}")  # fmt: skip
        others = f"other words and other {self.noun}"
        return Scope(("words", f"{self.over}s"), others, f"these word lists and {these}",
                     f", for {others}", f" over these {these}")  # fmt: skip

    def evidence(self, place: str) -> Evidence:
        """The p-values of one question."""
        table, results = self.levels[place], self.common.results
        d = float(table.effect_sizes.mean())
        effect = replace(self.first.effect(place), d=d, crossed=None, adjusted=None, parts=())
        plain = table.test(self.axes_of_these) if table.is_enough else None
        off = any(result.adjustment_is_off for result in results)
        at_ranks = None if plain is None or off else table.test_at_equal_ranks(self.axes_of_these)
        new, adjusted = (
            SignedP.of(test and finite(test.p_two_sided), test and test.difference, d)
            for test in (plain, at_ranks)
        )
        obstacle = next(self.obstacles(place, new.p, adjusted.p), "")
        printed = plain if at_ranks is None or at_ranks.df < 1 else at_ranks
        ends = printed and finite_ends((printed.low, printed.high))
        these = self.permutation_p(place, d)
        return Evidence(effect, these, new, adjusted, obstacle, interval=ends, scope=self.scope)

    def obstacles(self, place: str, new: float | None, adjusted: float | None) -> Iterator[str]:
        """Why nothing can be claimed beyond these words and sources, the first reason first."""
        results = self.common.results
        if not self.levels[place].of_attributes:
            yield "generalisation cannot be tested (no associations of single attributes)"
        elif new is None:
            yield "generalisation cannot be tested (too few words)"
        if any(result.adjustment_is_off for result in results):
            yield "word frequency was not adjusted for"
        further = {name for r in results for name in at(r, "generalisation.facets") or ()}
        if further:
            yield f"other {join_names(sorted(further))} were not tested together with {self.noun}"
        if any(set(r.adjusted.covariates) - {"frequency"} for r in results if r.adjusted):
            yield "the values of other covariates are not in the results"
        elif adjusted is None and any(result.adjustable for result in results):
            yield "word frequency cannot be adjusted for"
        for source, result in zip(self.sources, results, strict=True):
            for reason in own_obstacles(result, result.effect(place)):
                yield f"{reason} (in {source})"

    def permutation_p(self, place: str, d: float) -> SignedP:
        """A permutation of the labels of units, by their mean score over the sources."""
        table = self.levels[place]
        if min(table.sizes) < 2:
            return SignedP(None)
        scores, n = table.scores, table.sizes[0]
        scale = float(np.abs(table.values).max())
        found = permutation_test(scores, n, scale=scale, error=ERROR)
        return SignedP.of(found.two_sided.p, scores[:n].mean() - scores[n:].mean(), d)

    def heterogeneity(self, place: str) -> Heterogeneity | None:
        """How far sources differ; None without associations of single attributes."""
        table = self.levels[place]
        if not table.is_enough:
            return None
        between = table.between()
        return Heterogeneity(sd=between.sd, p=finite(between.p))

    def differences(self) -> list[SourceDifference]:
        """How far every two sources are apart, where there are few."""
        if len(self.sources) > MOST_IN_PAIRS:
            return []
        return [
            SourceDifference(
                place=place,
                first=self.sources[i],
                second=self.sources[j],
                difference=table.effect_sizes[j] - table.effect_sizes[i],
                interval=finite_ends((test.low, test.high)),
                p=finite(test.p_two_sided),
            )
            for place, table in self.levels.items()
            if table.is_enough
            for i, j in combinations(range(len(self.sources)), 2)
            for test in [table.difference(i, j)]
        ]

    def record(
        self, questions: dict[str, Question], differences: Iterable[SourceDifference]
    ) -> PooledResult:
        """The record of the test."""
        first = self.first
        between = {place: self.heterogeneity(place) for place in self.levels}
        return PooledResult(
            test=first.test,
            name=self.name,
            measure=first.measure,
            signature=first.signature,
            alpha=first.rule.alpha,
            over=self.over,
            noun=self.noun,
            sources=self.sources,
            concepts=first.concepts,
            units=UnitSizes({role: self.common.sizes[role] for role in ROLES}),
            left_out=self.common.n_left_out,
            effect_sizes={
                place: tuple(table.effect_sizes.tolist()) for place, table in self.levels.items()
            },
            questions=questions,
            heterogeneity={place: found for place, found in between.items() if found is not None},
            differences=tuple(differences),
            sentence=" ".join(question.sentence for question in questions.values()),
        )


def _with_verdicts(tests: Sequence[_PooledTest]) -> list[PooledResult]:
    """The records of tests, with p-values adjusted within each setting."""
    groups: dict[tuple[str, tuple[object, ...]], list[int]] = {}
    for i, test in enumerate(tests):
        for place in test.levels:
            groups.setdefault((place, test.setting), []).append(i)
    questions: list[dict[str, Question]] = [{} for _ in tests]
    differences: list[list[SourceDifference]] = [[] for _ in tests]
    every = [test.differences() for test in tests]
    for (place, _), group in groups.items():
        of_group = [(tests[i].first.concepts, tests[i].evidence(place)) for i in group]
        for i, question in zip(group, answer_together(of_group), strict=True):
            questions[i][place] = question
        pairs = [(i, pair) for i in group for pair in every[i] if pair.place == place]
        adjusted = holm_adjusted([pair.p for _, pair in pairs])
        for (i, pair), p in zip(pairs, adjusted, strict=True):
            differences[i].append(pair.model_copy(update={"p_holm": p}))
    return [test.record(questions[i], differences[i]) for i, test in enumerate(tests)]
