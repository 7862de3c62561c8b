"""Measuring a model by the methods of a recipe: one result for each test and period."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from eatlas.engine import execute, make_plan, results_of
from eatlas.errors import CoverageError, listing
from eatlas.executors import choose
from eatlas.measures import Measure
from eatlas.results import AssociationResult, Failure, Results
from eatlas.results.parts import at, finite
from eatlas.sources import (
    CaseRule,
    CBOWSource,
    Counts,
    embed,
    open_sources,
    open_vectors,
    period_of,
)
from eatlas.stats.correlation import RankCorrelation
from eatlas.stats.multiplicity import holm
from eatlas.stimuli import GroupsTest, Test, load_tests
from eatlas.stimuli.kinds import OF_TARGETS
from eatlas_workbench.leanings import as_taken
from eatlas_workbench.replication.cells import Cell, Question, missing_in, significance_at
from eatlas_workbench.replication.correlating import not_tabled, with_table
from eatlas_workbench.replication.models import MeasuredModel, open_encoder
from eatlas_workbench.replication.recipe import Procedure, Recipe, own_tests
from eatlas_workbench.replication.stimuli import prepare_test, with_groups, without

SIGNIFICANT = 0.05
"""A star of a correlation is for a two-sided p up to this."""
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
    spec = open_encoder(model, taken)
    source = {model.id: spec} if model.own or not isinstance(spec, str) else spec
    lacking = _lacking_words(spec, taken.scheme)
    by_way: dict[tuple[str | None, Measure], dict[str, Test]] = {}
    for name in ids:
        test = test_of(name, procedure, setting.paper)
        changed, prompt = prepare_test(test, procedure, paper=setting.paper, lower=taken.lower)
        kept = _in_every_year(changed, spec, procedure.case) if procedure.correlated else changed
        if kept is None:
            measured.too_few[name] = f"a group of {test.id} has no word with a vector in every year"
        elif words := lacking(kept):
            measured.lacking[name] = words
        else:
            way = prompt, procedure.measure_of(model.family, name)
            by_way.setdefault(way, {})[name] = kept
    for (prompt, chosen), tests in by_way.items():
        every = [
            as_taken(one, chosen) if isinstance(one, GroupsTest) else one for one in tests.values()
        ]
        jobs = make_plan(
            every, source, chosen, prompts=prompt, case=procedure.case, seed=setting.seed
        )
        outcomes = results_of(execute(jobs, choose(setting.workers, len(jobs))))
        _sort(outcomes, {test.id: name for name, test in zip(tests, every, strict=True)}, measured)
    return measured


def test_of(name: str, procedure: Procedure, paper: str) -> Test:
    """The test that a procedure measures for one by its id."""
    test: Any = _load_test(procedure.tests.get(name, name), paper)
    if name in procedure.groups:
        other: Any = _load_test(procedure.groups[name], paper)
        test = with_groups(test, other, paper)
    return cast("Test", test)


def _load_test(name: str, paper: str) -> Test:
    """A test by its id, a paper's own before those of batteries."""
    own = own_tests(paper)
    return own[name] if name in own else load_tests(name)[0]


def _in_every_year(test: Test, spec: Any, case: CaseRule) -> Test | None:
    """The test without the words that some year of a series lacks; as it is, of other vectors.

    None if a group would be empty.
    """
    lost: dict[str, str] = {}
    sources = open_sources(spec)
    for source in sources if len(sources) > 1 else ():
        for group in embed(test, source, case).coverage.values():
            lost |= {word: f"no vector in {period_of(source)}" for word in group.missing}
    return without(cast("GroupsTest", test), lost) if lost else test


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


# --- what was measured, in place of what is printed -------------------------------------------


@dataclass
class Answers:
    """What models gave by the methods of a recipe, and the cells that it fills."""

    recipe: Recipe
    procedures: Mapping[str, Procedure]
    setting: Setting
    tables: Mapping[str, Sequence[Counts]]
    """What numbers are correlated with, one for each year, by the models that these are."""
    models: dict[str, MeasuredModel] = field(default_factory=dict)
    measured: dict[tuple[str, str], Measured] = field(default_factory=dict)
    """By model and method."""
    correlations: dict[tuple[str, str, str], RankCorrelation] = field(default_factory=dict)
    """By model, method and test."""

    def measure(self, model: MeasuredModel, method: str, tests: Iterable[str]) -> None:
        """Measure tests on a model, if what their numbers are correlated with is here."""
        procedure = self.procedures[method]
        rule = procedure.correlated
        chosen = [test for test in tests if rule is None or rule.tables[test] in self.tables]
        self.models[model.id] = model
        self.measured[model.id, method] = measure(model, procedure, chosen, self.setting)

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
        stars = self._stars_by_rule()
        why = {(one.table, one.row, one.column): one for one in self.recipe.difference}
        filled = []
        for cell in cells:
            made = self._fill_cell(cell, stars)
            if made is None:
                filled.append(cell)
                continue
            known = why.get((cell.table, cell.row, cell.column))
            if made.agrees is False:
                made = replace(
                    made, why=_why(made, known.why if known and known.is_it(made.value) else "")
                )
            filled.append(made)
        return tuple(filled)

    def _fill_cell(self, cell: Cell, stars: Mapping[int, tuple[int, float | None]]) -> Cell | None:
        """The cell with what was computed for it; None where nothing was."""
        asked, results = cell.question, self._results_behind(cell)
        if not results:
            return None
        if self.procedures[asked.method].correlated is None:
            value: float | str | None = asked.value(results)
            significance = significance_at(results[0], asked.place)
            if significance and id(results[0]) in stars:
                star, p = stars[id(results[0])]
                significance |= {"own_star": star, "p": p}
        else:
            found = self._correlation(cell.model, asked)
            value = finite(getattr(found, asked.place))
            significance = {"p": finite(found.p), "own_star": int(found.p <= SIGNIFICANT)}
        source = " and ".join(self.models[name].source for name in cell.models)
        others = OF_TARGETS if asked.target else ""  # the number of one target needs no other
        missing = dict.fromkeys(w for result in results for w in missing_in(result, beside=others))
        return replace(
            cell,
            source=cell.model if cell.own else source,
            value=value,
            missing=tuple(missing),
            **significance,
        )

    def _results_behind(self, cell: Cell) -> list[AssociationResult]:
        """The result that has the number of a cell, those of two stages, or of every year.

        Empty if one is missing, or lacks the target whose number it is.
        """
        asked = cell.question
        if not asked.place:
            return []
        measured = [self.measured.get((m, asked.method), Measured()).results for m in cell.models]
        if self.procedures[asked.method].correlated is not None:
            return [r for of in measured[:1] for (test, _), r in of.items() if test == asked.test]
        results = [of.get((asked.test, asked.period)) for of in measured]
        there = [r for r in results if r is not None and asked.target not in missing_in(r)]
        return there if len(there) == len(results) else []

    def _correlation(self, model: str, asked: Question) -> RankCorrelation:
        """The correlation of the numbers of a test with those of its table, computed once."""
        key = model, asked.method, asked.test
        if key not in self.correlations:
            procedure = self.procedures[asked.method]
            measured = self.measured[model, asked.method].results
            results = {period: r for (test, period), r in measured.items() if test == asked.test}
            test: Any = test_of(asked.test, procedure, self.setting.paper)
            rule: Any = procedure.correlated
            table = self.tables[rule.tables[asked.test]]
            found = with_table(results, test, table, rule, self.setting.seed)
            self.correlations[key] = found
        return self.correlations[key]

    def _stars_by_rule(self) -> dict[int, tuple[int, float | None]]:
        """Stars and p of results, by the rule of the recipe, where it has one of its own."""
        stars: dict[int, tuple[int, float | None]] = {}
        by_rule: dict[Any, list[AssociationResult]] = {}
        for (_, method), measured in self.measured.items():
            if rule := self.procedures[method].stars:
                by_rule.setdefault(rule, []).extend(measured.results.values())
        for rule, results in by_rule.items():
            raw = [at(result, rule.p) for result in results]
            known = [1.0 if p is None else p for p in raw]
            adjusted = holm(known) if rule.holm else [1.0] * len(raw)
            for result, p, first, after in zip(results, raw, known, adjusted, strict=True):
                stars[id(result)] = (first <= rule.alpha) + bool(after <= rule.alpha), p
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
                lacks = f"{model.source} has no vector of {listing(words, SHOWN)}"
                rows = "; ".join(row_of[test] for test in lacking)
                model = model.with_missing(f"{lacks}, so not measured: {rows}")
            for test, reason in measured.too_few.items():
                if test in row_of:
                    model = model.with_missing(f"{row_of[test]}: {reason}")
        return model.with_missing(
            *self._targets_lost(model, cells),
            *self._without_others(model, cells),
            *self._targets_not_tabled(cells),
        )

    def _targets_lost(self, model: MeasuredModel, cells: Sequence[Cell]) -> Iterator[str]:
        """The targets that the source lacks, and the rows that ask for them."""
        rows: dict[str, str] = {}
        for cell in cells:
            asked = cell.question
            measured = self.measured.get((model.id, asked.method), Measured())
            result = measured.results.get((asked.test, asked.period))
            if result is not None and asked.target in missing_in(result):
                rows[asked.target] = cell.row
        if rows:
            yield (
                f"{model.source} has no {'numbers' if model.family == 'counts' else 'vector'} of "
                f"{listing(rows, SHOWN)}, so not measured: {'; '.join(rows.values())}"
            )

    def _without_others(self, model: MeasuredModel, cells: Sequence[Cell]) -> Iterator[str]:
        """The stages and tables that are not here, and the columns that need them too."""
        columns: dict[str, dict[str, None]] = {}
        for cell in cells if model.source else ():
            needed = [name for name in cell.models if name not in self.models]
            rule = cell.question.method and self.procedures[cell.question.method].correlated
            if rule and (table := rule.tables[cell.question.test]) not in self.tables:
                needed.append(table)
            for name in needed:
                columns.setdefault(name, {})[cell.column] = None
        for name, its_columns in columns.items():
            yield f"{name} is not here, so not measured: {' and '.join(its_columns)}"

    def _targets_not_tabled(self, cells: Sequence[Cell]) -> Iterator[str]:
        """The targets of which a table has no shares."""
        asked = {c.question.test: c.question.method for c in cells if self._results_behind(c)}
        for test, method in asked.items():
            if rule := self.procedures[method].correlated:
                targets: Any = test_of(test, self.procedures[method], self.setting.paper)
                name = rule.tables[test]
                if terms := not_tabled(self.tables[name], targets, rule):
                    whole = f"{len(terms)} of {len(targets.targets.terms)} words of {test}"
                    yield f"{name} has no shares of {whole}: {listing(terms, SHOWN)}"


def _why(cell: Cell, known: str) -> str:
    """Why a cell differs: words that the source lacks, or what is known of it."""
    return f"without {listing(cell.missing, SHOWN)}" if cell.missing else known
