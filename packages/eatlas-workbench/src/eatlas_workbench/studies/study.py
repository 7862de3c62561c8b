"""A study from its plan to its results and its page: every combination is measured, and kept."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from markupsafe import Markup

from eatlas.engine import Store, Watch, execute, open_store, read
from eatlas.errors import ResultsError, StudyError
from eatlas.executors import Executor, Progress, choose, here, reading_of, watch_of
from eatlas.lazy import as_frame
from eatlas.numbers import UNDEFINED, percent
from eatlas.present.drawings.kinds import Kind
from eatlas.present.drawings.svg import share_bar
from eatlas.present.rendering import page_files, render
from eatlas.present.tables import csv_line
from eatlas.results import AssociationResult, Failure, Results, read_results
from eatlas.results.json_lines import record_of_file
from eatlas.results.parts import at
from eatlas.stats.multiplicity import benjamini_hochberg, holm
from eatlas.stimuli import is_bundled, to_toml
from eatlas.stimuli.toml import inline
from eatlas.version import __version__
from eatlas.writing import atomic_file, atomic_files
from eatlas_workbench.studies.analysis import analyse, method_pairs
from eatlas_workbench.studies.drawing import (
    STUDY,
    draw_study,
    specification_curve,
    thin_specifications,
    title_of_study,
)
from eatlas_workbench.studies.fitting import Prepared, prepare
from eatlas_workbench.studies.plan import tables_of
from eatlas_workbench.studies.record import Metric, Specification, StudyAnalysis, StudyRecord

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.results.methods import MethodPair

METRICS: Mapping[str, Metric] = {
    "vectors": "cosine",
    "masked": "log-probability",
    "causal": "log-probability",
    "answers": "answer",
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
_SHA256 = re.compile(r"^# sha256: ([0-9a-f]{64})$", re.MULTILINE)
MOST_ROWS = 200
"""Rows of a table; the files next to the page have all."""
MOST_REASONS = 50


@dataclass(frozen=True)
class Study:
    """The outcome of a plan.

    Examples
    --------
    >>> import eatlas
    >>> study = eatlas.multiverse({"tests": ["weat-6", "weat-7"], "choices": {"ddof": [1, 0]}})
    >>> study
    <Study: 4 specifications of test, ddof; done: 4>
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
        return f"<Study: {len(record.specifications)} specifications{of}; {counts}>"

    def to_frame(self) -> pd.DataFrame:
        """Return a frame with a row for each specification: its choices and what was found."""
        return as_frame(self.record.rows())

    def analysis(self, seed: int = 0) -> StudyAnalysis:
        """Return what the specifications say together.

        Variance shares of d over the choices, stability of patterns, contrasts and correlations of
        alternatives.

        Parameters
        ----------
        seed : int
            Of bootstrap intervals.
        """
        return analyse(self.record, seed=seed)

    def pairs(self, choice: str | None = None) -> tuple[MethodPair, ...]:
        """Return every two alternatives of a choice as two methods over the same tests.

        Parameters
        ----------
        choice : str, optional
            A choice that varies, or ``"metric"``: by default the measure, or the first that varies.

        Returns
        -------
        tuple of MethodPair
            With a point for each combination of the tests and all other choices that both
            alternatives have, and their correlation. If one alternative has several
            specifications there, the point is their mean.

        Raises
        ------
        StudyError
            If there is no such choice, or none to compare.

        Examples
        --------
        >>> import eatlas
        >>> plan = {"tests": ["weat-6", "weat-7", "weat-8"], "choices": {"ddof": [1, 0]}}
        >>> (pair,) = eatlas.multiverse(plan).pairs("ddof")
        >>> pair.first, pair.second, round(pair.correlation.pearson, 2)
        ('1', '0', 1.0)
        """
        return method_pairs(self.record, choice)

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
        seeds = sorted({result.provenance.seed for result in self.results})
        with atomic_file(Path(path)) as file:
            file.write(study_html(self.record, self.analysis(seed), seeds))

    def write(self, directory: str | Path) -> None:
        """Write results, table of choices, record, analysis and report into a folder."""
        directory = Path(directory)
        self.results.write(directory / RESULTS)
        rows = self.record.rows()
        with atomic_file(directory / TABLE) as file:
            file.write(csv_line(rows[0]))
            file.writelines(csv_line(row.values()) for row in rows)
        for name, record in ((RECORD, self.record), (ANALYSIS, self.analysis())):
            with atomic_file(directory / name) as file:
                text = json.dumps(record.to_dict(), ensure_ascii=False, allow_nan=False)
                file.write(text + "\n")
        self.save(directory / REPORT)


def carry_out(
    prepared: Prepared,
    executor: Executor = here,
    directory: Path | None = None,
    *,
    progress: Callable[[int, int], None] | None = None,
    watch: Watch | None = None,
    begun: Callable[[Store], None] = lambda _: None,
    reader: Executor | None = None,
) -> Study:
    """Do the jobs of a study; in a folder, what is done there already is taken over."""
    with nullcontext() if directory is None else open_store(directory) as store:
        if store is not None and directory is not None:
            require_same_plan(directory, prepared)
            _write_plan(directory, prepared)
            store.done |= _earlier_results(directory)
            begun(store)
        jobs = read(prepared.jobs, watch, reader or reading_of(executor))
        names = [job.identity for job in jobs]
        outcomes = execute(jobs, executor, store=store, progress=progress)
        record = _record(prepared, zip(names, outcomes, strict=True))
        study = Study(record, Results.of(outcomes))
        if store is not None and directory is not None and len(study.results):
            study.write(directory)
            store.discard(names)
    return study


def _record(
    prepared: Prepared, outcomes: Iterator[tuple[str, AssociationResult | Failure]]
) -> StudyRecord:
    """The specifications in the order of the grid, with what was found."""
    plan, line = prepared.plan, 0
    specifications = []
    for number, (labels, job) in enumerate(prepared.grid, start=1):
        values: dict[str, Any] = {"number": number, "choices": labels, "status": "skipped"}
        if isinstance(job, str):
            specifications.append(Specification(**values, reason=job))
            continue
        name, outcome = next(outcomes)
        values |= {
            "job": name,
            "test": job.test.id,
            "source": job.source.name,
            "signature": job.measure.signature,
            "metric": METRICS[job.measure.needs.source],
        }
        if isinstance(outcome, Failure):
            values |= {"status": "failed", "reason": outcome.error.what}
        else:
            line += 1
            after = labels.get("adjust") and getattr(job.measure, "adjust", "none") != "none"
            values |= {"status": "done", "line": line, **_of_result(outcome, after=bool(after))}
        specifications.append(Specification(**values))
    return StudyRecord(
        version=__version__,
        plan_sha256=prepared.sha256,
        title=plan.study.title,
        question=plan.study.question,
        notes=plan.study.notes,
        choices=plan.alternatives(),
        over=plan.over,
        alpha=plan.family.alpha,
        specifications=tuple(_adjust_specifications(specifications, plan.over)),
    )


def _of_result(result: AssociationResult, *, after: bool) -> dict[str, Any]:
    """The first effect size of a result, and its pattern; or those after covariates."""
    pattern = {"pattern": result.primary.label if result.pattern is not None else ""}
    effect = next(iter(result.effects()), None)
    if after:
        pattern = {"pattern": at(result.adjusted, "pattern.label") or ""}
        number = at(result.adjusted, effect.place) if effect else None
        if effect and isinstance(number, float):
            return {"symbol": effect.symbol, "d": number}
        effect = effect and effect.after
        if effect is None:
            reasons = [str(note) for note in result.warnings if note.code == "adjusted.none"]
            return {"status": "failed", "reason": " ".join(reasons)}
    if effect is None:
        return pattern
    low, high = effect.interval or (None, None)
    p = effect.p_of()
    return {
        "symbol": effect.symbol,
        "d": effect.d,
        "low": low,
        "high": high,
        "p": p,
        "two_sided": effect.p_of("two_sided"),
        "significant": None if p is None else effect.significant,
        **pattern,
    }


def _adjust_specifications(
    specifications: Sequence[Specification], over: Sequence[str]
) -> list[Specification]:
    """Adjust two-sided p-values over specifications that differ only in the choices `over`."""
    families: dict[tuple[str, ...], list[int]] = {}
    for position, specification in enumerate(specifications):
        if specification.counts and specification.two_sided is not None:
            choices = specification.choices.items()
            key = tuple(label for name, label in choices if name not in over)
            families.setdefault(key, []).append(position)
    adjusted = list(specifications)
    for positions in families.values():
        p = np.array([adjusted[position].two_sided for position in positions], np.float64)
        for position, by_holm, by_bh in zip(positions, holm(p), benjamini_hochberg(p), strict=True):
            update = {"holm": float(by_holm), "bh": float(by_bh)}
            adjusted[position] = adjusted[position].model_copy(update=update)
    return adjusted


def multiverse(
    plan: str | Path | Mapping[str, Any],
    *,
    out: str | Path | None = None,
    skip_invalid: bool = False,
    trust: str | Iterable[str] = (),
    workers: int | None = 1,
    executor: Executor | None = None,
    progress: Progress = False,
) -> Study:
    """Measure every combination of the choices of a plan.

    Parameters
    ----------
    plan : path or dict
        A TOML file, or a dictionary of the same form: ``tests``, ``vectors``, ``measures``,
        ``choices``, ``exclude``, ``family`` and ``study``; ``eatlas multiverse
        --example`` prints one with comments. In a dictionary tests, vectors and measures may be
        objects.
    out : path, optional
        Folder for results, table of choices, analysis and resolved plan. A study that was cut off
        there goes on; another plan is refused.
    skip_invalid : bool
        Whether combinations whose choices do not fit each other are left out, and listed, or an
        error.
    trust : str or iterable of str
        Sources that a file of a plan names and that may do more than read data, such as
        ``"py:module:function"``; other sources of a file are refused. Sources of a dictionary are
        always trusted.
    workers : int or None
        Number of processes, as in :func:`eatlas.run`.
    executor : Executor, optional
        Who encodes and does the jobs instead, such as :class:`eatlas.OnRay`.
    progress : bool or callable
        Show how far the work is, as in :func:`eatlas.run`.

    Returns
    -------
    Study

    Raises
    ------
    EatlasError
        If the plan is not usable, before any work; or if no job could be done.

    Examples
    --------
    >>> import eatlas
    >>> study = eatlas.multiverse(
    ...     {
    ...         "tests": {"career": {"names": "c6-name", "terms": "c6-term"}},
    ...         "vectors": ["glove-sample"],
    ...         "choices": {"transform": ["none", "center"], "ddof": [1, 0]},
    ...     }
    ... )
    >>> frame = study.to_frame()
    >>> frame.groupby("stimuli")["effect_size"].mean().round(2).to_dict()
    {'names': 1.69, 'terms': 0.8}
    """
    prepared = prepare(plan, skip_invalid=skip_invalid, trust=trust)
    executor = executor or choose(workers, len(prepared.jobs))
    folder = None if out is None else Path(out)
    with watch_of(progress) as watch:
        tick = watch and watch("jobs", "")
        study = carry_out(prepared, executor, folder, progress=tick, watch=watch)
    failures = study.results.failures
    if failures and not len(study.results):
        raise failures[0].error
    return study


def require_same_plan(directory: Path, prepared: Prepared) -> None:
    """Refuse a folder that holds the study of another plan, or results of another kind."""
    path, remedy = directory / PLAN, "choose another folder with --out"
    text = path.read_text(encoding="utf-8", errors="replace") if path.is_file() else ""
    sha256 = _SHA256.search(text)
    if sha256 is not None and sha256[1] != prepared.sha256:
        raise StudyError(
            f"{directory}: this folder has the study of a different plan",
            got=f"plan {sha256[1][:12]}, and this one is {prepared.sha256[:12]}",
            remedy=f"{remedy}; {path} is the plan that belongs here",
        )
    files = [name for name in (*FILES, TESTS) if (directory / name).exists()]
    if sha256 is None and files:
        what = f"{directory}: this folder holds other files of these names"
        raise StudyError(what, got=", ".join(files), remedy=remedy)


def read_study(directory: str | Path) -> Study:
    """Read the folder of a study.

    Parameters
    ----------
    directory : path

    Raises
    ------
    ResultsError
        If the folder holds no study, or a file of it cannot be read.

    Examples
    --------
    >>> import eatlas, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> study = eatlas.multiverse({"tests": ["weat-6"]}, out=folder)
    >>> eatlas.read_study(folder).record == study.record
    True
    """
    path = Path(directory) / RECORD
    remedy = "name a folder that eatlas multiverse wrote"
    record = record_of_file(path, StudyRecord, "the record of a study", remedy)
    return Study(record, read_results(Path(directory) / RESULTS))


def study_drawing() -> Kind:
    """The kind of drawing of a study."""
    return Kind(
        draw_study,
        lambda _: False,
        "a study: eatlas.multiverse(...)",
        STUDY,
        takes=lambda given: hasattr(given, "record") or hasattr(given, "measured"),
        read=read_study,
    )


def _earlier_results(directory: Path) -> dict[str, Any]:
    """Results of a study that came to its end here, by what names their jobs."""
    try:
        study = read_study(directory)
    except ResultsError:
        return {}
    results = dict(enumerate(study.results, start=1))
    return {
        specification.job: results[specification.line]
        for specification in study.record.specifications
        if specification.line in results
    }


def _write_plan(directory: Path, prepared: Prepared) -> None:
    """Write the resolved plan, and the tests that do not come with eatlas."""
    own = {
        test.id: test
        for ways in prepared.plan.tests.values()
        for test in ways.values()
        if not is_bundled(test)
    }
    with atomic_files() as new:
        files = {name: f"{directory / TESTS}#{name}" for name in own}
        new(directory / PLAN).write(plan_as_toml(prepared, files))
        if own:
            new(directory / TESTS).write(to_toml(own.values()))


def plan_as_toml(prepared: Prepared, files: Mapping[str, str] | None = None) -> str:
    """Write a plan with every default spelled out, as TOML that can be run again."""
    lines = [
        f"# The plan of a study by eatlas {__version__}, with every default spelled out.",
        f"# {len(prepared.jobs):,} jobs",
        f"# sha256: {prepared.sha256}",
    ]
    for head, table in tables_of(prepared.plan, files):
        lines += ["", head, *(f"{inline(key)} = {inline(value)}" for key, value in table.items())]
    return "\n".join([*lines, ""])


def share(value: float | None) -> str:
    """A proportion as a percentage; a tiny negative one, by rounding, is none."""
    return UNDEFINED if value is None else percent(round(max(value, 0.0), 9))


def study_html(record: StudyRecord, analysis: StudyAnalysis, seeds: Sequence[int] = ()) -> str:
    """A study as one self-contained page."""
    effects = sorted(record.measured, key=lambda spec: (spec.d or 0.0, spec.number))
    half = MOST_ROWS // 2
    every, *alternatives = record.summaries()
    patterns = Counter(spec.pattern for spec in record.specifications if spec.pattern)
    choices = {name: record.choices.get(name, ()) for name in record.varying or ("test",)}
    shown = {
        "effects": effects,
        "every": every,
        "alternatives": [row for row in alternatives if row["label"]],
        "judged": [spec for spec in effects if spec.significant is not None],
        "adjusted": [spec for spec in effects if spec.holm is not None],
        "patterns": patterns.most_common(),
        "shares": sorted(analysis.shares, key=lambda share: -share.shapley),
        "title": title_of_study(record, analysis.shares) if effects else "",
        "curve": Markup(specification_curve(effects, choices) if effects else ""),  # noqa: S704
        "drawn": len(thin_specifications(effects)),
        "rows": effects if len(effects) <= MOST_ROWS else [*effects[:half], *effects[-half:]],
        "reasons": {status: _reasons(record, status) for status in ("failed", "skipped")},
        "seeds": seeds,
    }
    return render(
        "study",
        s=shown,
        r=record,
        a=analysis,
        share=share,
        bar=lambda row: share_bar(min(max(row.shapley, 0.0), 1.0), strong=True),
        most={"rows": MOST_ROWS, "reasons": MOST_REASONS},
        **page_files("cards.js"),
    )


def _reasons(record: StudyRecord, status: str) -> list[tuple[str, int, Specification]]:
    """Why specifications failed or were skipped, how many, and the first of each."""
    specifications = [spec for spec in record.specifications if spec.status == status]
    counts = Counter(spec.reason for spec in specifications)
    first = {spec.reason: spec for spec in reversed(specifications)}
    return [(reason, n, first[reason]) for reason, n in counts.most_common()]
