"""Adjusted p-values over a declared family of findings."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

import numpy as np

from eatlas.errors import EatlasError, ResultsError, described
from eatlas.lazy import as_frame, find_offer
from eatlas.numbers import number_of
from eatlas.results.base import AssociationResult, FrameColumns
from eatlas.results.effects import Effect
from eatlas.results.json_lines import read_lines, to_json_line
from eatlas.results.levels import PValues, StudentP
from eatlas.results.parts import Run, Tail, finite_numbers
from eatlas.results.settings import (
    FACTS,
    Settings,
    choose_columns,
    test_and_setting,
    without_common_settings,
)
from eatlas.stats.multiplicity import benjamini_hochberg, benjamini_yekutieli, holm
from eatlas.stimuli import ContextsOrigin
from eatlas.writing import atomic_file

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.results.compare import SideBySide
    from eatlas.results.expressions import Expression
    from eatlas.results.finding import Finding
    from eatlas.results.gates import Gate
    from eatlas.results.pooled import Pooled
    from eatlas.results.trend import TrendResult

Levels = Literal["level1", "level2", "both"]
"""Which effect sizes of each result belong to the family."""
Method = Literal["holm", "bh", "by"]
METHODS = {"holm": holm, "bh": benjamini_hochberg, "by": benjamini_yekutieli}
NAMES = {"holm": "Holm", "bh": "Benjamini-Hochberg", "by": "Benjamini-Yekutieli"}


@dataclass(frozen=True)
class FamilyMember:
    """One finding of a family, with its p-value before and after adjustment."""

    test: str
    source: str
    signature: str
    level: str
    """``level1``, ``level2.X``, ``level2.Y``, or ``level2`` of a single term."""
    term: str | None
    """The term of an SC-EAT."""
    effect_size: float | None
    p: float
    adjusted: float
    """The smallest level at which the procedure rejects this hypothesis."""
    period: int | None = None
    window: int | str | None = None
    """Of results in contexts: words on either side, or the sentence."""
    distance: int | None = None
    setting: str = ""
    """What distinguishes its setting from the others, such as the source; may be empty."""
    together: int = 1
    """How many p-values were adjusted together, this one included."""

    @property
    def place(self) -> tuple[Any, ...]:
        """What distinguishes the finding from others."""
        return tuple(self.__dict__[name] for name in (*FACTS, "level", "term"))


@dataclass(frozen=True)
class Family:
    """Findings that are judged together, since each is one more chance of a false one.

    The tests are the family. One test in several settings (sources, layers, prompts, windows,
    distances, periods, parameters of measures) is one chance, seen in several ways: p-values are
    adjusted over the tests of each setting, unless settings were declared to count.
    """

    members: tuple[FamilyMember, ...]
    """In the order of the results."""
    method: Method
    tail: Tail
    levels: Levels
    settings: tuple[Family, ...] = ()
    """Members that are adjusted together; one where settings were declared to count."""
    name: str = ""
    """Of a family in one setting, what distinguishes it from the others."""

    def __len__(self) -> int:
        return len(self.members)

    def __repr__(self) -> str:
        return f"<Family: {number_of(len(self), 'p-value')} by {self.method_name}>"

    def __iter__(self) -> Iterator[FamilyMember]:
        return iter(self.members)

    @property
    def method_name(self) -> str:
        """The procedure as papers call it, such as Holm."""
        return NAMES[self.method]

    def below(self, alpha: float = 0.05) -> tuple[FamilyMember, ...]:
        """Members whose adjusted p is below alpha."""
        return tuple(member for member in self.members if member.adjusted < alpha)

    def adjusted(self, result: AssociationResult, level: str = "level1") -> float | None:
        """Adjusted p of one effect size of a result; None where the family has it not."""
        place = (*test_and_setting(result), level)
        return next((m.adjusted for m in self.members if m.place[:-1] == place), None)

    def to_frame(self) -> pd.DataFrame:
        """Return a pandas frame, one row for each member."""
        return as_frame(member.__dict__ for member in self.members)


def _findings(
    results: Iterable[AssociationResult], levels: Levels
) -> Iterator[tuple[AssociationResult, int, Effect, PValues | StudentP]]:
    """Effect sizes with a p-value, and how often their test was measured in their setting so far.

    A test that was measured twice in one setting has two. The same id with other stimuli counts as
    a different test.
    """
    times: Counter[tuple[Any, ...]] = Counter()
    for result in results:
        key = *test_and_setting(result), result.provenance.stimuli_sha256
        times[key] += 1
        for effect in result.effects():
            places = ("level1", "over_attributes") if levels == "level1" else (levels,)
            belongs = levels == "both" or effect.place.startswith(places)
            if belongs and effect.in_family and effect.p is not None:
                yield result, times[key], effect, effect.p


FORMS = {
    ".jsonl": "results", ".html": "html", ".htm": "html", ".csv": "csv", ".tex": "latex",
    ".md": "markdown", ".docx": "docx", ".bib": "bibtex",
}  # fmt: skip
"""What a file of results holds, by the ending of its name."""
STORE_ENDING = ".parquet"
"""Of a store of results."""


@dataclass(frozen=True)
class Failure:
    """A job that failed, with the reason."""

    test: str
    source: str
    signature: str
    error: EatlasError
    period: int | None = None
    contexts: ContextsOrigin | None = None


def question_of(result: AssociationResult) -> str:
    """What a result answers: its test, source and measure, with seed and version."""
    # the hash of vectors that a model computes is the machine's
    origin = result.provenance.model_dump(mode="json", exclude={"run", "vectors_sha256"})
    head = result.test, result.source, result.source_from, result.period, result.signature
    return json.dumps([*head, origin], sort_keys=True)


def make_run(results: Iterable[AssociationResult], like: Run | None = None) -> Run:
    """The run of some results: a hash of its settings, and its number of results.

    The id has the form of `like`: a store has a sum, which needs no memory.
    """
    questions = sorted(set(map(question_of, results)))
    if like is not None and like.id.startswith(SUM):
        return run_of_sum(sum(map(run_number, questions)), len(questions))
    return Run(id=sha256("\n".join(questions).encode()).hexdigest()[:16], results=len(questions))


SUM = "sum-"
"""Begins the id of the run of a store."""


def run_number(question: str) -> int:
    """A number of 64 bits for what a result answers; the sum of all is the id of a store's run."""
    return int.from_bytes(sha256(question.encode()).digest()[:8], "big", signed=True)


def run_of_sum(total: int, results: int) -> Run:
    """The run of a store, from the sum of the numbers of its results."""
    return Run(id=f"{SUM}{total % (1 << 64):016x}", results=results)


@dataclass(frozen=True)
class RunFound:
    """How much of a run is among some results."""

    run: str
    """Its id."""
    here: int
    """How many of its results there are."""
    results: int
    """How many it has."""
    changed: bool
    """Whether there are as many, but others: one was replaced, or its version or seed changed."""

    @property
    def whole(self) -> bool:
        """Whether all of it is here, as it was."""
        return self.here == self.results and not self.changed


def find_runs(results: Iterable[AssociationResult]) -> list[RunFound]:
    """Every run that results name, with how much of it they are."""
    runs: dict[Run, list[AssociationResult]] = {}
    for result in results:
        if result.provenance.run is not None:
            runs.setdefault(result.provenance.run, []).append(result)
    found = []
    for run, members in runs.items():
        made = make_run(members, run)
        changed = made.results >= run.results and made != run
        found.append(RunFound(run.id, made.results, run.results, changed))
    return found


def in_run(result: AssociationResult, run: Run | None) -> AssociationResult:
    """A result that names its run."""
    provenance = result.provenance.model_copy(update={"run": run})
    return result.model_copy(update={"provenance": provenance})


def _name_or_number(names: Iterable[str], noun: str) -> str:
    """The name, or how many there are."""
    every = list(names)
    return every[0] if len(every) == 1 else number_of(len(every), noun)


class Results(Sequence[AssociationResult]):
    """Results in the order in which they were requested.

    Parameters
    ----------
    results : iterable of AssociationResult
    failures : iterable of Failure
        Jobs that could not be done.
    trends : iterable of TrendResult
        Of tests on series, how their effect sizes move with the year.
    """

    def __init__(
        self,
        results: Iterable[AssociationResult],
        failures: Iterable[Failure] = (),
        trends: Iterable[TrendResult] = (),
    ) -> None:
        self._results = tuple(results)
        self.failures = tuple(failures)
        self.trends = tuple(trends)

    @classmethod
    def of(cls, outcomes: Iterable[AssociationResult | Failure]) -> Results:
        """Results of one run, which they name, and failures of jobs, each in their order."""
        every = list(outcomes)
        failures = [outcome for outcome in every if isinstance(outcome, Failure)]
        results = [outcome for outcome in every if not isinstance(outcome, Failure)]
        run = make_run(results) if results else None
        return cls([in_run(result, run) for result in results], failures)

    @overload
    def __getitem__(self, index: int | str) -> AssociationResult: ...
    @overload
    def __getitem__(self, index: slice) -> Results: ...
    def __getitem__(self, index: int | str | slice) -> AssociationResult | Results:
        """Take a result by position or by the id of its test, or several by a slice."""
        if isinstance(index, slice):
            return Results(self._results[index], self.failures)
        if not isinstance(index, str):
            return self._results[index]
        results = [result for result in self._results if result.test == index]
        if len(results) == 1:
            return results[0]
        failed = [str(failure.error) for failure in self.failures if failure.test == index]
        tests = ", ".join(dict.fromkeys(result.test for result in self._results))
        fault = failed[0] if failed else f"no such result; there are {tests}"
        if results:
            fault = f"{len(results)} results; take one by its position"
        raise KeyError(f"{index}: {fault}")

    def __len__(self) -> int:
        return len(self._results)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Results)
            and self._results == other._results
            and self.trends == other.trends
        )

    def __hash__(self) -> int:
        return hash(tuple(r.provenance for r in self._results))

    def __repr__(self) -> str:
        tests = dict.fromkeys(result.test for result in self)
        sources = dict.fromkeys(result.source for result in self)
        measures = dict.fromkeys(result.measure for result in self)
        of = f" of {_name_or_number(tests, 'test')}" if self else ""
        on = f" on {_name_or_number(sources, 'source')}" if self else ""
        by = f" by {_name_or_number(measures, 'measure')}" if self else ""
        failed = f", {number_of(len(self.failures), 'failure')}" if self.failures else ""
        return f"<Results: {number_of(len(self), 'result')}{of}{on}{by}{failed}>"

    def __str__(self) -> str:
        lines = [f"Results: {len(self)}, failures: {len(self.failures)}"]
        lines += [f"  {result!r}" for result in self._results]
        lines += [f"  failed: {f.test} on {f.source}: {f.error.what}" for f in self.failures]
        lines += [f"  {trend!r}" for trend in self.trends]
        return "\n".join(lines)

    def summary(self, *, full: bool = False) -> str:
        """Return what was found as text: the findings, tables and notes that the terminal shows.

        Parameters
        ----------
        full : bool
            The sentences of all results, and all notes.

        Examples
        --------
        >>> import eatlas
        >>> print(eatlas.run("weat-6", measures="mac").summary().splitlines()[0])
        weat-6-AB  MAC is 0.724; it has no test.
        """
        text = find_offer("summary")(self, full=full) if self else ""
        failed = [f"failed: {f.test} on {f.source}: {f.error}" for f in self.failures]
        return "\n".join(filter(None, [text, *failed]))

    def _repr_html_(self) -> str:
        return str(find_offer("notebook")(self))

    def to_frame(self, columns: FrameColumns = "brief") -> pd.DataFrame:
        """Return one tidy frame; results of several measures share the columns they can.

        Parameters
        ----------
        columns : {"brief", "all"} or sequence of str, default "brief"
            ``"brief"`` has about twelve columns: test, source and measure; the settings in which
            results differ, such as the layer; the number, its interval, the two-sided p-value of
            the permutation test and, for a test of X, Y, A and B, the effect sizes of level 2,
            the pattern and the verdict of the first question with its p-value. ``"all"`` has every
            number. Names select columns, in their order.

        Returns
        -------
        DataFrame
            A row for each result; for each term of an SC-EAT, and each target of a test of groups.
            Verdicts and ``p_claim`` are as in :attr:`findings`, adjusted over the tests of each
            setting. Undefined numbers are NaN.

        Raises
        ------
        ResultsError
            If there is no such column.

        Examples
        --------
        >>> import eatlas
        >>> results = eatlas.run("weat-6")
        >>> results.to_frame().columns.tolist()[3:7]
        ['effect_size', 'low', 'high', 'p_two_sided']
        >>> len(results.to_frame(columns="all").columns) > 90
        True
        """
        pairs = zip(self._results, self.findings, strict=True)
        frame = as_frame(row for result, finding in pairs for row in result.rows_with(finding))
        names = list(frame.columns)
        kinds = {result.measure: type(result) for result in self}
        chosen = choose_columns(columns, names, kinds, "the frame has")
        frame = frame[chosen]
        return without_common_settings(frame) if columns == "brief" else frame

    @staticmethod
    def scan(path: str | Path) -> Any:
        """Open a store of results, ``NAME.parquet``, and read none of them yet.

        Parameters
        ----------
        path : path
            Of a store that ``eatlas run --store`` or ``eatlas.run(..., store=...)`` wrote.

        Returns
        -------
        eatlas.results.ResultsScan
            ``.to_frame()`` reads columns, ``.read()`` records; iterating yields one record after
            the other.

        Raises
        ------
        ResultsError
            If it is no store, or pyarrow is not installed.

        Examples
        --------
        >>> import eatlas, tempfile
        >>> path = tempfile.mkdtemp() + "/results.parquet"
        >>> scan = eatlas.run(tests="caliskan", store=path)
        >>> eatlas.Results.scan(path).to_frame()["verdict"].value_counts().to_dict()
        {'these words': 4, 'not shown': 4, 'supported': 2}
        """
        return find_offer("scan")(path)

    def metrics(self) -> dict[str, float]:
        """Return the numbers of each result under the id of its test, for MLflow and W&B.

        Returns
        -------
        dict of str to float
            The numbers of each result's ``metrics()``, named ``weat-6/d``. If tests have several
            settings, the name also contains the setting: ``weat-6/layer_3/d``. Undefined numbers
            are left out.

        Examples
        --------
        >>> import eatlas
        >>> metrics = eatlas.run(tests=["weat-6", "weat-7"]).metrics()
        >>> round(metrics["weat-6/d"], 2), round(metrics["weat-7/d"], 2)
        (1.72, 1.28)
        """
        return finite_numbers(self.numbers())

    def numbers(self) -> dict[str, float | None]:
        """The numbers of :meth:`metrics`, with None for what is undefined."""
        settings, times = Settings.from_results(self), Counter[str]()
        numbers: dict[str, float | None] = {}
        for result in self:
            parts = result.test, *settings.of(result).split(", ")
            name = "/".join(re.sub(r"[^\w.-]+", "_", part).strip("_.") for part in parts if part)
            times[name] += 1
            name += f"/{times[name]}" if times[name] > 1 else ""
            numbers |= {f"{name}/{key}": value for key, value in result.numbers().items()}
        return numbers

    def family(
        self,
        levels: Levels = "level1",
        *,
        tail: Tail = "two_sided",
        method: Method = "holm",
        settings: bool = False,
    ) -> Family:
        """Declare these results a family and adjust their p-values for its size.

        Ten tests are ten chances of a false finding. What belongs together is
        the researcher's decision, made before the results are seen. By default the tests are the
        family: one test in several settings (sources, layers, prompts, windows, distances,
        periods, measures and their parameters) does not count several times, and p-values are
        adjusted over the tests of each setting. The terminal and the report do the same. In tests
        of sentences p-values are those over stimuli.

        Parameters
        ----------
        levels : {"level1", "level2", "both"}
            Which effect sizes belong to the family: level 1 of each test, both level 2 (of an
            SC-EAT: every term), or all.
        tail : {"two_sided", "greater", "less"}
            Which p-values.
        method : {"holm", "bh", "by"}
            Holm (family-wise error rate), Benjamini-Hochberg or Benjamini-Yekutieli (false
            discovery rate; the latter under any dependence). Tests that share words are dependent.

        settings : bool, default False
            Whether each setting of a test counts as a test of its own, so that all results
            together are one family: for claims about which sources or layers show an association.

        Returns
        -------
        Family
            Its members in the order of the results; ``.to_frame()``, ``.below(alpha)``.

        Raises
        ------
        EatlasError
            If an argument has no such value.

        Notes
        -----
        Holm (1979); SEAT (May et al. 2019) takes all its tests on all models as one family,
        which is ``settings=True``.

        Examples
        --------
        >>> import eatlas
        >>> results = eatlas.run(tests=["weat-6", "weat-7"], measures="weat")
        >>> [f"{member.adjusted:.1e}" for member in results.family()]
        ['3.1e-04', '4.5e-03']
        """
        for name, value, allowed in (
            ("levels", levels, get_args(Levels)),
            ("tail", tail, get_args(Tail)),
            ("method", method, METHODS),
        ):
            if value not in allowed:
                raise EatlasError(
                    f"unknown {name} of a family", got=repr(value), allowed=", ".join(allowed)
                )
        findings = list(_findings(self, levels))
        among = Settings.from_results(result for result, *_ in findings)
        groups: dict[tuple[Any, ...], list[int]] = {}
        for i, (result, time, *_) in enumerate(findings):
            setting = test_and_setting(result)[1:]
            groups.setdefault(() if settings else (*setting, time), []).append(i)
        members: dict[int, FamilyMember] = {}
        families: list[Family] = []
        for group in groups.values():
            raw = [findings[i][-1][tail] for i in group]
            adjusted = METHODS[method](np.array(raw)).tolist()
            for i, p, its_adjusted in zip(group, raw, adjusted, strict=True):
                result, time, effect, _ = findings[i]
                facts: dict[str, Any] = dict(zip(FACTS, test_and_setting(result), strict=True))
                again = f"number {time}" if time > 1 else ""
                members[i] = FamilyMember(
                    level=effect.place, term=effect.term, effect_size=effect.d,
                    p=p, adjusted=its_adjusted, together=len(group),
                    setting=", ".join(filter(None, [among.of(result), again])), **facts,
                )  # fmt: skip
            together = tuple(members[i] for i in group)
            name = "" if settings else together[0].setting
            families.append(Family(together, method, tail, levels, name=name))
        every = tuple(members[i] for i in range(len(findings)))
        return Family(every, method, tail, levels, tuple(families))

    @property
    def findings(self) -> list[Finding]:
        """What each result shows, with p-values adjusted over the tests of each setting.

        Examples
        --------
        >>> import eatlas
        >>> results = eatlas.run(tests=["weat-1", "weat-7"])
        >>> [finding.questions["level1"].verdict for finding in results.findings]
        ['supported', 'these words']
        """
        findings: list[Finding] = find_offer("findings")(self)
        return findings

    def compare(self, by: str = "setting") -> SideBySide:
        """Put results that are alike but for one respect side by side, and say what differs.

        Parameters
        ----------
        by : str
            ``"source"``, ``"test"``, ``"measure"`` or ``"period"``; how texts are encoded:
            ``"prompt"``, ``"layer"``, ``"level"`` or ``"weights"``; of contexts ``"window"`` or
            ``"distance"``. ``"setting"`` is all of these together but the test.

        Returns
        -------
        SideBySide
            A row for each test (or whatever its results have in common), a column for each
            setting. Prints as a table; ``.to_frame()``, ``.to_latex()``, ``.plot()``;
            ``.changed`` has the rows whose EAT patterns differ.

        Raises
        ------
        ResultsError
            If there is no such respect, or the results do not differ in it.

        Notes
        -----
        A difference of two effect sizes has an interval and a p-value for other words where both
        results contain the associations of single attributes (ML-EAT): from the crossed test of
        differences, on the words that both have.

        Examples
        --------
        >>> import eatlas
        >>> both = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}
        >>> found = eatlas.run(["weat-1", "weat-6"], both).compare("source")
        >>> [row.name for row in found.changed], found["weat-1"].differs
        (['weat-1'], 'AX-Singular → Non-Directional')
        """
        from eatlas.results.compare import side_by_side  # noqa: PLC0415  (few compare)

        return side_by_side(self, by)

    def table(
        self, rows: str | Sequence[str] = "source", columns: str | Sequence[str] = "measure"
    ) -> pd.DataFrame:
        """Return the `value` of each result in a table, such as sources by measures.

        Parameters
        ----------
        rows : str or sequence of str, default "source"
            In what the rows differ: one or several of what :meth:`compare` takes, such as
            ``"test"``, ``"source"`` or ``"layer"``. A test of groups that a measure makes of X, Y,
            A and B, ``weat-6-XY``, is the association test ``weat-6``.
        columns : str or sequence of str, default "measure"
            In what the columns differ.

        Returns
        -------
        DataFrame
            A column for each respect of `rows`, then one for each of `columns`. NaN if there is no
            such result, or its number is undefined.

        Raises
        ------
        ResultsError
            If two results are in one cell; it says in what they differ.

        Notes
        -----
        Each measure has a scale of its own: 0 is no association for d and RND, and 1 for MAC.
        Compare numbers within a column.

        Examples
        --------
        >>> import eatlas
        >>> both = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}
        >>> results = eatlas.run("weat-6", both, ["weat", "rnd", "mac"])
        >>> print(results.table().round(2).to_string(index=False))
         source  WEAT   RND  MAC
          plain  1.72 -0.02 0.72
        centred  1.72 -0.01 0.92
        """
        from eatlas.results.cells import arrange_cells, list_respects  # noqa: PLC0415

        cells, heads = arrange_cells(self, rows, columns)
        names = list_respects(rows)
        return as_frame(
            dict(zip(names, row, strict=True))
            | {", ".join(head): members[head].value if head in members else None for head in heads}
            for row, members in cells.items()
        )

    def pooled(self, over: str = "source") -> Pooled:
        """Claims over several sources: each test with two or more sources as one.

        Words and sources are both random facets: a claim is about other words and other sources of
        their kinds. Three questions of each test have verdicts, as for a single result,
        adjusted by Holm over the tests.

        Parameters
        ----------
        over : {"source", "run"}
            What is random beside words: the sources (embeddings, models), or training runs of one
            model, each of them a source. Results that :func:`eatlas.run` measured on training runs
            of one source are pooled over its runs either way. Layers, prompts, periods, measures
            and their parameters are fixed facets, and refused.

        Returns
        -------
        Pooled
            One :class:`~eatlas.results.pooled.PooledResult` for each test, by position or name,
            with its ``questions``, ``heterogeneity`` and ``differences``; ``.to_frame()``.

        Raises
        ------
        ResultsError
            If `over` is a fixed facet, or no test has two sources.

        See Also
        --------
        eatlas.Results.compare : the results side by side, also over fixed facets.

        Notes
        -----
        Associations of a source are divided by the spread of its scores, so that the mean over
        sources is the pooled d. Its variance is that of
        :func:`eatlas.stats.facets.contrast_test` for targets, attributes and sources. Near-synonyms
        that at least half of the sources join are one unit, and words that a source lacks are left
        out. *These words* is a permutation test of the mean scores; *adjusted* takes the mean
        logarithm of the rank over the sources. Two sources are fixed: their claim is about other
        words, of these two.

        Heterogeneity is the standard deviation of the sources' true d beyond what other words and
        chance give, with the p-value of an F test. Differences are tested on the words of both.

        Examples
        --------
        >>> import eatlas, numpy as np
        >>> test, rng = eatlas.load_tests("weat-6")[0], np.random.default_rng(0)
        >>> words = sorted({term.lower() for term in test.terms})
        >>> sample = eatlas.open_vectors("glove-sample").lookup(words)
        >>> runs = {
        ...     f"run {n}": {w: v + 0.15 * rng.standard_normal(v.shape) for w, v in sample.items()}
        ...     for n in (1, 2, 3)
        ... }
        >>> found = eatlas.run(test, runs).pooled("run")["weat-6"]
        >>> print(found.questions["level1"].sentence)
        Male names are more strongly associated with Career than Female names are, for other words \
and other training runs.
        >>> round(found.heterogeneity["level1"].sd, 2)
        0.07
        """
        from eatlas.results.pooled import pool_results  # noqa: PLC0415  (few have several sources)

        return pool_results(self, over)

    def gate(
        self,
        fail_if: str | Iterable[str | Expression] = (),
        *,
        against: Results | str | Path | None = None,
    ) -> Gate:
        """Check the results: a gate for continuous integration.

        Parameters
        ----------
        fail_if : str or list of str
            Expressions of which none may be true of a result, such as ``"level1.supported and
            abs(d) > 0.5"``. The guide to continuous integration lists the names.
        against : Results or path, optional
            A baseline. No association may be new or larger than there.

        Returns
        -------
        Gate
            ``passes``, and as text what was checked. A result does not pass if an expression is
            true of it or depends on a number that is undefined, if one of its associations is
            supported and was not so in the baseline, or if one is significantly larger than in the
            baseline. A test that could not be measured does not pass either.

        Raises
        ------
        EatlasError
            If an expression cannot be used, or no result has a name that it uses.
        ResultsError
            If nothing can be compared with the baseline, or the words of a test or the parameters
            of a measure are others there.

        Notes
        -----
        Expressions use the verdicts of :attr:`findings`. Results are compared by test and
        measure, and by source if there are several; verdicts are then adjusted by Holm over the
        results that both have. The difference of two effect sizes is tested for other words, on the
        words that both results have, and its p-values are adjusted by Holm over all questions that
        are compared.

        Examples
        --------
        >>> import eatlas
        >>> before = eatlas.run("weat-6")
        >>> now = eatlas.run("weat-6", "glove-sample?transform=center")
        >>> print(now.gate("abs(d) > 2", against=before))
        Fails if abs(d) > 2:
          false for 1 of 1 results
        Compared with the baseline:
          weat-6: unchanged (“supported”; d 1.72; p of the difference 1)
        Gate passed
        """
        from eatlas.results.gates import make_gate  # noqa: PLC0415  (few check)

        baseline = read_results(against) if isinstance(against, str | Path) else against
        return make_gate(self, fail_if, baseline, [failure.test for failure in self.failures])

    def plot(
        self,
        kind: str | None = None,
        *,
        width: str | float | None = None,
        title: str | None = None,
    ) -> Any:
        """Draw the results, by default as a forest of effect sizes; see :func:`eatlas.plot`."""
        return find_offer("plot")(self, kind, width=width, title=title)

    def save(self, path: str | Path) -> None:
        """Write the results to a file, in the form that its name says.

        Parameters
        ----------
        path : str or path
            ``.jsonl`` holds the results themselves, which :func:`eatlas.read_results` reads and
            ``eatlas verify`` computes again; ``.html`` is the report; ``.csv``, ``.tex``, ``.md``
            and ``.docx`` (Word) are tables; ``.bib`` holds the works to cite. The file is written
            only when it is complete.

        Raises
        ------
        ResultsError
            If the name ends in anything else, or the file cannot be written.

        Examples
        --------
        >>> import eatlas, tempfile
        >>> path = tempfile.mkdtemp() + "/results.jsonl"
        >>> results = eatlas.run(tests="weat-6")
        >>> results.save(path)
        >>> eatlas.read_results(path) == results
        True
        """
        path = Path(path)
        form = FORMS.get(path.suffix.lower())
        if form is None:
            raise ResultsError(
                f"{path}: results cannot be written in this format",
                got=path.suffix or "a name without an ending",
                allowed=", ".join(FORMS),
            )
        if form == "results":
            self.write(path)
        else:
            find_offer("report")(self, path, format=form)

    def write(self, path: str | Path) -> None:
        """Write the results as JSON Lines, atomically."""
        with atomic_file(Path(path)) as file:
            file.writelines(f"{to_json_line(each)}\n" for each in (*self._results, *self.trends))


def read_results(path: str | Path | Iterable[str | Path]) -> Results:
    """Read results that ``eatlas run`` or :meth:`Results.write` wrote.

    Parameters
    ----------
    path : path or several paths
        JSON Lines files, or stores, ``NAME.parquet``, of at most 10,000 results:
        :meth:`Results.scan` reads more of them.

    Raises
    ------
    ResultsError
        If a file cannot be read, or a line of it is no result; each such line is named.

    See Also
    --------
    eatlas.results.salvage_results : keep the good lines of a damaged file.

    Examples
    --------
    >>> import eatlas, tempfile
    >>> path = tempfile.mkdtemp() + "/results.jsonl"
    >>> results = eatlas.run(tests="weat-6")
    >>> results.write(path)
    >>> eatlas.read_results(path) == results
    True
    """
    results, damage = salvage_results(path)
    if damage:
        raise ResultsError(
            "\n".join(str(error) for error in damage),
            remedy="eatlas report shows the good results of a damaged file",
        )
    return results


def salvage_results(
    path: str | Path | Iterable[str | Path],
) -> tuple[Results, tuple[ResultsError, ...]]:
    """Read results files, returning the good results and a named error for each bad line.

    A file that is named twice is read once.
    """
    paths = [path] if isinstance(path, str) or not isinstance(path, Iterable) else list(path)
    if strange := [file for file in paths if not isinstance(file, str | Path)]:
        raise ResultsError(
            "this is not a results file", got=described(strange[0]), allowed="a path, or several"
        )
    results: list[AssociationResult] = []
    trends: list[TrendResult] = []
    bad: list[ResultsError] = []
    for file in dict.fromkeys(map(Path, paths)):
        if file.suffix.lower() == STORE_ENDING:
            results += Results.scan(file).read()
            continue
        good, faults = read_lines(file)
        results += [line for line in good if isinstance(line, AssociationResult)]
        trends += [line for line in good if not isinstance(line, AssociationResult)]
        bad += faults
    return Results(results, trends=trends), tuple(bad)
