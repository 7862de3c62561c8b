"""Measuring a model by the methods of a recipe: one result for each test and period."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from eatlas.apps.replication.cells import Cell, missing_in, significance_at, value_at
from eatlas.apps.replication.models import MeasuredModel, encoded
from eatlas.apps.replication.recipe import Procedure, Recipe, own_tests
from eatlas.apps.replication.stimuli import prepared
from eatlas.engine import execute, make_plan, results_of
from eatlas.errors import CoverageError, listed
from eatlas.executors import choose
from eatlas.results import AssociationResult, Failure, Results
from eatlas.results.parts import at
from eatlas.sources import CBOWSource, open_vectors
from eatlas.stats.multiplicity import holm
from eatlas.stimuli import Test, load_tests

SHOWN = 6
"""Words that a source lacks and that are named."""


@dataclass
class Measured:
    """What one model gave by one method."""

    results: dict[tuple[str, int | None], AssociationResult] = field(default_factory=dict)
    """By the id of the test in the recipe and the period."""
    failures: list[Failure] = field(default_factory=list)
    trends: list[Any] = field(default_factory=list)
    lacking: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Words that means would lack, by the id of a test that was not measured for that."""
    too_few: dict[str, str] = field(default_factory=dict)
    """Why a test has too few words on this source, by its id in the recipe."""


@dataclass(frozen=True)
class Setting:
    """What all measurements of a replication share."""

    paper: str
    seed: int = 0
    workers: int | None = 1


def measure(
    model: MeasuredModel, procedure: Procedure, ids: Iterable[str], setting: Setting
) -> Measured:
    """Measure tests on a model as a procedure has them.

    Tests of which a mean of words would lack a word are left out: it would be another vector.
    """
    taken, measured = procedure.vectors[model.family], Measured()
    spec = encoded(model, taken)
    source = {model.id: spec} if model.own or not isinstance(spec, str) else spec
    lacking = _lacking_words(spec, taken.scheme)
    by_prompt: dict[str | None, dict[str, Test]] = {}
    for name in ids:
        test = _loaded(procedure.tests.get(name, name), setting.paper)
        changed, prompt = prepared(test, procedure, paper=setting.paper, lower=taken.lower)
        if words := lacking(changed):
            measured.lacking[name] = words
        else:
            by_prompt.setdefault(prompt, {})[name] = changed
    for prompt, tests in by_prompt.items():
        jobs = make_plan(
            list(tests.values()), source, procedure.measure, prompts=prompt, seed=setting.seed
        )
        outcomes = results_of(execute(jobs, choose(setting.workers, len(jobs))))
        _sort(outcomes, {test.id: name for name, test in tests.items()}, measured)
    return measured


def _loaded(name: str, paper: str) -> Test:
    """A test by its id, a paper's own before those of batteries."""
    own = own_tests(paper)
    return own[name] if name in own else load_tests(name)[0]


def _lacking_words(spec: Any, scheme: str) -> Any:
    """What finds the words of a test that a mean of words would lack; nothing without means."""
    means = open_vectors(spec) if scheme else None
    if not isinstance(means, CBOWSource):
        return lambda _: ()
    return lambda test: means.without_vector(text for _, c in test.parts for text in c.texts)


def _sort(outcomes: Results, names: Mapping[str, str], measured: Measured) -> None:
    """Keep results and failures by the ids of tests in the recipe."""
    for result in outcomes:
        measured.results[names[result.test], result.period] = result
    for failure in outcomes.failures:
        if isinstance(failure.error, CoverageError):
            measured.too_few[names[failure.test]] = failure.error.what
        else:
            measured.failures.append(failure)
    measured.trends += outcomes.trends


# --- what was measured, in the place of what is printed -------------------------------------------


@dataclass
class Answers:
    """What models gave by the methods of a recipe, and the cells that it fills."""

    recipe: Recipe
    procedures: Mapping[str, Procedure]
    models: dict[str, MeasuredModel] = field(default_factory=dict)
    measured: dict[tuple[str, str], Measured] = field(default_factory=dict)
    """By model and method."""

    def add(self, model: MeasuredModel, method: str, measured: Measured) -> None:
        """Take what a model gave by a method."""
        self.models[model.id] = model
        self.measured[model.id, method] = measured

    @property
    def results(self) -> Results:
        """All results, failures and trends."""
        every = self.measured.values()
        return Results(
            [result for measured in every for result in measured.results.values()],
            [failure for measured in every for failure in measured.failures],
            [trend for measured in every for trend in measured.trends],
        )

    def fill(self, cells: Iterable[Cell]) -> tuple[Cell, ...]:
        """Cells with what was computed for them."""
        stars = self._adjusted_stars()
        why = {(one.table, one.row, one.column): one for one in self.recipe.difference}
        filled = []
        for cell in cells:
            asked = cell.question
            measured = self.measured.get((cell.model, asked.method))
            result = measured and measured.results.get((asked.test, asked.period))
            if not result or not asked.place:
                filled.append(cell)
                continue
            made = replace(
                cell,
                source=self.models[cell.model].source,
                value=value_at(result, asked.place),
                missing=missing_in(result),
                **significance_at(result, asked.place),
            )
            if made.own_star is not None and id(result) in stars:
                made = replace(made, own_star=stars[id(result)])
            known = why.get((cell.table, cell.row, cell.column))
            if made.agrees is False:
                made = replace(
                    made, why=_why(made, known.why if known and known.is_it(made.value) else "")
                )
            filled.append(made)
        return tuple(filled)

    def _adjusted_stars(self) -> dict[int, int]:
        """Stars of results, by the rule of the recipe, where it has one of its own."""
        stars: dict[int, int] = {}
        by_rule: dict[Any, list[AssociationResult]] = {}
        for (_, method), measured in self.measured.items():
            if rule := self.procedures[method].stars:
                by_rule.setdefault(rule, []).extend(measured.results.values())
        for rule, results in by_rule.items():
            raw = [at(result, "level1.p.greater") for result in results]
            adjusted = holm(raw) if rule.holm else [1.0] * len(raw)
            for result, p, after in zip(results, raw, adjusted, strict=True):
                stars[id(result)] = (p <= rule.alpha) + bool(after <= rule.alpha)
        return stars

    def explain(self, model: MeasuredModel, cells: Sequence[Cell]) -> MeasuredModel:
        """The model with the rows that it could not answer, and why."""
        for method in dict.fromkeys(cell.question.method for cell in cells):
            measured = self.measured.get((model.id, method), Measured())
            row_of = {
                c.question.test: c.row for c in reversed(cells) if c.question.method == method
            }
            lacking = {test: words for test, words in measured.lacking.items() if test in row_of}
            if lacking:
                words = dict.fromkeys(word for several in lacking.values() for word in several)
                lacks = f"{model.source} has no vector of {listed(words, SHOWN)}"
                rows = "; ".join(row_of[test] for test in lacking)
                model = model.with_missing(f"{lacks}, so not measured: {rows}")
            for test, reason in measured.too_few.items():
                if test in row_of:
                    model = model.with_missing(f"{row_of[test]}: {reason}")
        return model


def _why(cell: Cell, known: str) -> str:
    """Why a cell differs: words that the source lacks, or what is known of it."""
    return f"without {listed(cell.missing, SHOWN)}" if cell.missing else known
