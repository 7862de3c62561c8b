"""A study from its plan to its results: every combination of its choices is measured."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.apps.studies.fitting import Fitted, Request, fit
from eatlas.apps.studies.grid import combinations
from eatlas.apps.studies.plan import StudyPlan, read_plan
from eatlas.apps.studies.reading import key_of, read, readings_of
from eatlas.csv_cells import cell
from eatlas.engine.execution import Conditions, perform_all
from eatlas.engine.plan import Job, Watch, identity
from eatlas.engine.store import Store
from eatlas.executors import Executor, here, reading_of
from eatlas.results import AssociationResult, Failure, Results
from eatlas.results.study import Metric, Specification, StudyRecord, row_of
from eatlas.stats.multiplicity import benjamini_hochberg, holm
from eatlas.stimuli import Test
from eatlas.version import __version__
from eatlas.writing import atomic_file

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.results.study import StudyAnalysis

METRICS: Mapping[str, Metric] = {
    "vectors": "cosine",
    "masked": "log-probability",
    "causal": "log-probability",
    "counts": "count",
}
"""By what a measure needs of a source."""
PLAN, RESULTS, TABLE, RECORD = "plan.toml", "results.jsonl", "specifications.csv", "study.json"
TESTS, ANALYSIS, REPORT = "tests.toml", "analysis.json", "report.html"
FILES = {
    REPORT: "report",
    RESULTS: "results",
    TABLE: "choices",
    RECORD: "study",
    ANALYSIS: "analysis",
    PLAN: "resolved plan",
}
"""What each file holds, in the order in which people look at them."""


@dataclass(frozen=True)
class Prepared:
    """A plan whose every job is known and whose sources are open; nothing is read yet."""

    plan: StudyPlan
    fitted: Fitted

    @property
    def requests(self) -> Sequence[Request]:
        """The jobs: specifications in the order of the grid, then controls."""
        return self.fitted.requests

    @cached_property
    def sha256(self) -> str:
        """Identifies what is measured: tests, vectors, measures, choices; not what it is called."""
        plan = self.plan
        parts = {
            "tests": {
                name: {way: [test.id, test.stimuli_sha256] for way, test in ways.items()}
                for name, ways in plan.tests.items()
            },
            "vectors": {label: said(given) for label, given in plan.vectors.items()},
            "measures": {label: one.signature for label, one in plan.measures.items()},
            "choices": {
                one.name: [{k: said(v) for k, v in one.alternatives.items()}, dict(one.when)]
                for one in plan.choices
            },
            "exclude": [dict(one) for one in plan.exclude],
            "more": [plan.seed, plan.intervals, plan.random_models],
        }
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()


@dataclass(frozen=True)
class Study:
    """What came of a plan.

    Examples
    --------
    >>> import eatlas
    >>> study = eatlas.multiverse({"tests": ["weat-6", "weat-7"], "choices": {"ddof": [1, 0]}})
    >>> study
    Study: 4 specifications of test, ddof; done: 4
    >>> study.to_frame()[["test", "ddof", "pattern"]].values.tolist()[:2]
    [['weat-6', '1', 'BY-Singular'], ['weat-6', '0', 'BY-Singular']]
    """

    record: StudyRecord
    """Every specification with its choices and what was found; frozen, becomes JSON."""
    results: Results
    """The results behind it, and the jobs that failed."""

    def __repr__(self) -> str:
        record = self.record
        by = {name: len(record.of(name)) for name in ("done", "failed", "skipped")}
        counts = ", ".join(f"{name}: {count}" for name, count in by.items() if count)
        of = f" of {', '.join(record.varying)}" if record.varying else ""
        return f"Study: {len(record.specifications)} specifications{of}; {counts}"

    def to_frame(self) -> pd.DataFrame:
        """Return a frame with a row for each specification: its choices and what was found."""
        return self.record.to_frame()

    def analysis(self, seed: int = 0) -> StudyAnalysis:
        """Return what the specifications say together.

        Variance shares of d over the choices, stability of patterns, contrasts and correlations of
        alternatives, the control with random weights, and joint permutation tests of
        specifications that share their targets.

        Parameters
        ----------
        seed : int
            Of bootstrap intervals and relabellings.
        """
        from eatlas.apps.studies.analysis import analyse  # noqa: PLC0415  (only who asks waits for it)

        return analyse(self.record, self.results, seed=seed)

    def save(self, path: str | Path, seed: int = 0) -> None:
        """Write the report of the study as one self-contained HTML page.

        Parameters
        ----------
        path : path
            File to write.
        seed : int
            Of the analysis.

        Raises
        ------
        ResultsError
            If the file cannot be written.
        """
        self.write_page(Path(path), self.analysis(seed))

    def write_page(self, path: Path, analysis: StudyAnalysis) -> None:
        """Write the report with an analysis that is there already."""
        from eatlas.apps.studies.page import write_study_page  # noqa: PLC0415  (templates)

        seeds = sorted({one.provenance.seed for one in self.results})
        write_study_page(self.record, analysis, path, seeds)

    def write(self, directory: str | Path) -> None:
        """Write results, table of choices, record, analysis and report into a folder."""
        directory = Path(directory)
        self.results.write(directory / RESULTS)
        with atomic_file(directory / TABLE) as file:
            file.writelines(table_lines(self.record))
        analysis = self.analysis()
        for name, record in ((RECORD, self.record), (ANALYSIS, analysis)):
            with atomic_file(directory / name) as file:
                text = json.dumps(record.to_dict(), ensure_ascii=False, allow_nan=False)
                file.write(text + "\n")
        self.write_page(directory / REPORT, analysis)


def prepare(plan: Any, *, skip_invalid: bool = False, trust: str | Iterable[str] = ()) -> Prepared:
    """Read a plan and make its jobs; sources are opened, and none is read."""
    found = read_plan(plan, trust=trust)
    return Prepared(found, fit(found, combinations(found), skip_invalid=skip_invalid))


def carry_out(
    prepared: Prepared,
    executor: Executor = here,
    *,
    store: Store | None = None,
    progress: Callable[[int, int], None] | None = None,
    watch: Watch | None = None,
    reader: Executor | None = None,
) -> Study:
    """Do the jobs of a study."""
    requests = prepared.requests
    answers = read(readings_of(requests), reader or reading_of(executor), watch)
    jobs = [Job(one.test, answers[key_of(one)], one.measure) for one in requests]
    tasks = [(job, Conditions(one.case, one.seed)) for job, one in zip(jobs, requests, strict=True)]
    names = [identity(job, one.case, one.seed) for job, one in zip(jobs, requests, strict=True)]
    outcomes = perform_all(tasks, executor, names=names, store=store, progress=progress)
    found = [one for one in outcomes if not isinstance(one, Failure)]
    failed = [one for one in outcomes if isinstance(one, Failure)]
    return Study(_record(prepared, outcomes, names), Results(found, failed))


def _record(
    prepared: Prepared, outcomes: Sequence[AssociationResult | Failure], names: Sequence[str]
) -> StudyRecord:
    """The specifications in the order of the grid, with what was found."""
    plan, found = prepared.plan, []
    line = 0
    for request, outcome, name in zip(prepared.requests, outcomes, names, strict=True):
        values = _of_request(request, name)
        if isinstance(outcome, Failure):
            reason = outcome.error.what
            found.append(Specification(number=1, status="failed", reason=reason, **values))
            continue
        line += 1
        found.append(
            Specification(number=1, status="done", line=line, **values, **_of_result(outcome))
        )
    skipped = (
        Specification(
            number=1,
            status="skipped",
            reason=misfit.reason,
            choices=dict(misfit.combination.labels),
        )
        for misfit in prepared.fitted.misfits
    )
    specifications = [one for one in found if one.control is None]
    controls = [one for one in found if one.control is not None]
    ordered = _numbered([*_in_grid(plan, [*specifications, *skipped]), *controls])
    return StudyRecord(
        version=__version__,
        plan_sha256=prepared.sha256,
        title=plan.title,
        question=plan.question,
        notes=plan.notes,
        choices=plan.alternatives(),
        over=plan.over,
        alpha=plan.alpha,
        specifications=tuple(_adjusted(ordered, plan.over)),
    )


def _of_request(request: Request, name: str) -> dict[str, Any]:
    """What is recorded of a request: its choices, test, source, signature and stimuli."""
    return {
        "choices": dict(request.combination.labels),
        "control": request.control,
        "job": name,
        "test": request.test.id,
        "source": request.source.name,
        "signature": request.measure.signature,
        "metric": METRICS[request.need],
        "stimuli": _targets_sha256(request.test),
    }


def _of_result(result: AssociationResult) -> dict[str, Any]:
    """The first effect size of a result, and its pattern."""
    pattern = result.primary.label if result.pattern is not None else ""
    effect = next(iter(result.effects()), None)
    if effect is None:
        return {"pattern": pattern}
    low, high = effect.interval or (None, None)
    return {
        "symbol": effect.symbol,
        "d": effect.d,
        "low": low,
        "high": high,
        "p": effect.p_of()[0],
        "two_sided": effect.p_of("two_sided")[0],
        "significant": None if effect.p_of()[0] is None else effect.significant,
        "pattern": pattern,
    }


def _targets_sha256(test: Test) -> str:
    """Hash of what is relabelled: the targets with their groups."""
    targets = [
        [role, sorted(dict.fromkeys(concept.stimulus_of.values()) or concept.terms)]
        for role, concept in test.concepts.items()
        if role in {"X", "Y", "targets"}
    ]
    return hashlib.sha256(json.dumps(targets, ensure_ascii=False).encode()).hexdigest()


def _in_grid(plan: StudyPlan, given: Iterable[Specification]) -> list[Specification]:
    """Specifications in the order of the plan's alternatives."""
    places = {
        name: {label: n for n, label in enumerate(("", *labels))}
        for name, labels in plan.alternatives().items()
    }
    return sorted(given, key=lambda one: [places[name][one.choices[name]] for name in places])


def _numbered(given: Iterable[Specification]) -> list[Specification]:
    """Specifications with their numbers; a control has that of what it controls."""
    numbers: dict[tuple[str, ...], int] = {}
    found = []
    for one in given:
        key = tuple(one.choices.values())
        number = numbers.setdefault(key, len(numbers) + 1)
        found.append(one.model_copy(update={"number": number}))
    return found


def _adjusted(given: Sequence[Specification], over: Sequence[str]) -> list[Specification]:
    """Adjust two-sided p-values over specifications that differ only in the choices `over`."""
    families: dict[tuple[str, ...], list[int]] = {}
    for place, one in enumerate(given):
        if one.counts and one.two_sided is not None:
            key = tuple(label for name, label in one.choices.items() if name not in over)
            families.setdefault(key, []).append(place)
    found = list(given)
    for places in families.values():
        p = np.array([given[place].two_sided for place in places], np.float64)
        for place, by_holm, by_bh in zip(places, holm(p), benjamini_hochberg(p), strict=True):
            adjusted = {"holm": float(by_holm), "bh": float(by_bh)}
            found[place] = given[place].model_copy(update=adjusted)
    return found


def said(given: Any) -> Any:
    """A value of a plan as text: what is written stays, an object says what it is."""
    if isinstance(given, str | int | float | bool):
        return given
    if isinstance(given, Path):
        return str(given)
    name = getattr(given, "name", "") or type(given).__name__
    mark = getattr(given, "fingerprint", None) or getattr(given, "sha256", "")
    return f"{name} {mark}".rstrip()


def table_lines(record: StudyRecord) -> Iterator[str]:
    """The table of choices as CSV: a line for each specification, undefined is empty."""
    columns = None
    for one in record.specifications:
        row = row_of(one, record.choices)
        if columns is None:
            columns = list(row)
            yield ",".join(map(cell, columns)) + "\n"
        yield ",".join(_cell(value) for value in row.values()) + "\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return cell(value) if isinstance(value, str) else repr(value)
