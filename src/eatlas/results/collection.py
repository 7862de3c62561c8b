"""Many results together: a sequence that prints as a table and becomes a frame."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args, overload

from eatlas.errors import EatlasError, ResultsError, described, did_you_mean
from eatlas.results.base import AssociationResult, html_of, of_present
from eatlas.results.family import Family, Levels, Method, family_of
from eatlas.results.files import read_lines, write_results
from eatlas.results.parts import Encoding, Tail
from eatlas.stimuli import ContextsOrigin

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.results.trend import TrendResult


By = Literal["prompt", "layer", "level", "weights", "window", "distance"]
NO_PROMPT = "(no prompt)"
NUMBERED: tuple[By, ...] = ("layer", "window", "distance")
"""Choices that rise from one value to the next."""
_IN_TEXTS: tuple[By, ...] = ("window", "distance")
_WITHOUT: dict[By, dict[str, object]] = {
    "prompt": {"prompt": ""},
    "layer": {"layer": ""},
    "level": {"level": "sentence", "pool": "", "subword": ""},
    "weights": {"weights": "trained", "weights_seed": None},
}


@dataclass(frozen=True)
class Varied:
    """Results of one test by one measure on one model, alike but for one choice."""

    by: By
    members: tuple[AssociationResult, ...]

    @property
    def values(self) -> tuple[str, ...]:
        """What was chosen, one for each member."""
        return tuple(value_of(member, self.by) for member in self.members)


def value_of(result: AssociationResult, by: By) -> str:
    """What was chosen for a result.

    Raises
    ------
    ResultsError
        If its vectors were looked up, not encoded, or its stimuli are not in contexts.
    """
    value = _value(result, by)
    if value is None:
        why = "contexts say no such thing" if by in _IN_TEXTS else "vectors were not encoded"
        raise ResultsError(f"{result.test} on {result.source}: the {why}")
    return value


def model_of(result: AssociationResult, by: By) -> str:
    """The model that results have in common; the whole source, where only contexts differ."""
    if result.encoding is None or by in _IN_TEXTS:
        return result.source
    return result.encoding.model


def sizes_beside(result: AssociationResult, by: By) -> str:
    """How much of a text the contexts of a result hold, but for what varies; may be empty."""
    sizes = {} if result.contexts is None else result.contexts.columns()
    return ", ".join(f"{name} {size}" for name, size in sizes.items() if name != by)


def choices_beside(result: AssociationResult, by: By) -> dict[By, str]:
    """The other choices of how texts of a result were encoded, in words."""
    if result.encoding is None:
        return {}
    found = {one: _value(result, one) for one in get_args(By) if one not in _IN_TEXTS}
    words = {
        one: value if one in ("weights", "level") or value == NO_PROMPT else f"{one} {value}"
        for one, value in found.items()
        if value and one != by
    }
    return {one: value.strip("()") for one, value in words.items()}


def told_apart(names: Sequence[str], *more: Sequence[str]) -> list[str]:
    """Add to names that stand for several things what else distinguishes these, and no more.

    Examples
    --------
    >>> told_apart(["weat-1", "weat-6", "weat-6"], ["", " on glove", " on bert"], ["!"] * 3)
    ['weat-1', 'weat-6 on glove', 'weat-6 on bert']
    """
    told = list(names)
    for additions in more:
        known = Counter(told)
        told = [
            name + (one if known[name] > 1 else "")
            for name, one in zip(told, additions, strict=True)
        ]
    return told


def varied(results: Iterable[AssociationResult], by: By) -> tuple[Varied, ...]:
    """Group results that are alike but for `by`; groups of one value are left out.

    Layers, windows and distances come in their order, trained weights before random ones, vectors
    of stimuli before those of whole texts, prompts as they are given. Of results of one value, the
    first counts.

    Raises
    ------
    ResultsError
        If there is no such choice.
    """
    if by not in get_args(By):
        raise ResultsError(
            "results cannot be compared by this", got=repr(by), allowed=", ".join(get_args(By))
        )
    groups: dict[tuple[Any, ...], dict[str, AssociationResult]] = {}
    for result in results:
        value = _value(result, by)
        if value is not None:
            groups.setdefault(_alike(result, by), {}).setdefault(value, result)
    return tuple(
        Varied(by, tuple(group[value] for value in _ordered(group, by)))
        for group in groups.values()
        if len(group) > 1
    )


def _value(result: AssociationResult, by: By) -> str | None:
    if by in _IN_TEXTS:
        size = None if result.contexts is None else getattr(result.contexts, by)
        return None if size is None else str(size)
    encoding = result.encoding
    if encoding is None:
        return None
    if by == "weights":
        seed = encoding.weights_seed
        return encoding.weights if seed is None else f"{encoding.weights}, seed {seed}"
    if by == "level":
        return f"{encoding.level} ({encoding.subword or encoding.pool or 'its own way'})"
    return encoding.prompt or NO_PROMPT if by == "prompt" else encoding.layer


def _alike(result: AssociationResult, by: By) -> tuple[Any, ...]:
    """All that results which differ in one choice alone have in common.

    The name of a source tells its layer, prompt and weights; so for these its encoding stands.
    """
    source: str | Encoding | None = result.source
    contexts = result.contexts
    if by in _IN_TEXTS:
        contexts = None if contexts is None else contexts.model_copy(update={by: None})
    elif result.encoding is not None:
        source = result.encoding.model_copy(update=_WITHOUT[by])
    return result.test, result.signature, result.period, source, contexts


def _ordered(values: Iterable[str], by: By) -> list[str]:
    if by == "prompt":
        return list(values)
    if by == "weights":
        return sorted(values, key=lambda value: (value != "trained", value))
    if by == "level":
        return sorted(values, key=lambda value: (not value.startswith("word"), value))
    return sorted(values, key=lambda value: (not value.isdigit(), value.zfill(6)))


_FORMS = {
    ".jsonl": "results", ".html": "html", ".csv": "csv", ".tex": "latex", ".md": "markdown",
}  # fmt: skip
"""What a file of results holds, by the ending of its name."""


def _facts(result: AssociationResult) -> dict[str, Any]:
    """What results are filtered by: first columns of tables, and the pattern that is read."""
    known: dict[str, Any] = result.head()
    return known if result.pattern is None else known | {"pattern": result.primary.label}


@dataclass(frozen=True)
class Failure:
    """A job that could not be done, and why."""

    test: str
    source: str
    signature: str
    error: EatlasError
    period: int | None = None
    contexts: ContextsOrigin | None = None


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

    @overload
    def __getitem__(self, index: int | str) -> AssociationResult: ...
    @overload
    def __getitem__(self, index: slice) -> Results: ...
    def __getitem__(self, index: int | str | slice) -> AssociationResult | Results:
        """Take a result by position or by the id of its test, or several by a slice."""
        if isinstance(index, slice):
            return Results(self._results[index], self.failures)
        if isinstance(index, str):
            return self._of_test(index)
        return self._results[index]

    def _of_test(self, test: str) -> AssociationResult:
        found = [result for result in self._results if result.test == test]
        if len(found) == 1:
            return found[0]
        if found:
            raise KeyError(f"{test}: {len(found)} results; take one by its position")
        failed = [str(failure.error) for failure in self.failures if failure.test == test]
        known = ", ".join(dict.fromkeys(result.test for result in self._results))
        raise KeyError(
            f"{test}: " + (failed[0] if failed else f"no such result; there are {known}")
        )

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
        lines = [f"Results: {len(self)}, failures: {len(self.failures)}"]
        lines += [f"  {result!r}" for result in self._results]
        lines += [f"  failed: {f.test} on {f.source}: {f.error.what}" for f in self.failures]
        lines += [f"  {trend!r}" for trend in self.trends]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html_of(self)

    def to_frame(self) -> pd.DataFrame:
        """Return one tidy frame; results of several measures share the columns they can."""
        import pandas as pd  # noqa: PLC0415  (0.4 s, and only frames need it)

        return pd.DataFrame([row for result in self._results for row in result.rows()])

    def family(
        self,
        levels: Levels = "level1",
        *,
        tail: Tail = "two_sided",
        method: Method = "holm",
        settings: bool = False,
    ) -> Family:
        """Declare these results a family and adjust their p-values for its size.

        Whoever looks at ten tests has ten chances of a false finding. What belongs together is
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
        return family_of(self, levels, tail, method, settings=settings)

    def sensitivity(self, by: By = "prompt") -> pd.DataFrame:
        """Return how the findings move with one choice of how texts were taken or encoded.

        Parameters
        ----------
        by : {"prompt", "layer", "level", "weights", "window", "distance"}
            Results that are alike but for this are together: one test, one measure, one model.
            ``level``: what a vector stands for, and how several tokens become one.

        Returns
        -------
        DataFrame
            A row for each result that has another to compare it with: the columns of
            :meth:`to_frame`, with ``model`` and the choice in front. Empty where nothing varies.

        Raises
        ------
        ResultsError
            If there is no such choice.

        Examples
        --------
        >>> import eatlas
        >>> eatlas.run(tests="weat-6").sensitivity("prompt").empty
        True
        """
        import pandas as pd  # noqa: PLC0415  (0.4 s, and only frames need it)

        rows = [
            {"test": member.test, "model": model_of(member, by), by: value, **row}
            for group in varied(self, by)
            for member, value in zip(group.members, group.values, strict=True)
            for row in member.rows()
        ]
        return pd.DataFrame(rows)

    def plot(self, kind: str | None = None) -> Any:
        """Draw the results, by default as a forest of effect sizes; see :func:`eatlas.plot`."""
        return of_present("charts:plot")(self, kind)

    def filter(
        self, condition: Callable[[AssociationResult], bool] | None = None, **values: Any
    ) -> Results:
        """Keep the results that meet all conditions.

        Parameters
        ----------
        condition : callable, optional
            Takes a result, returns whether to keep it.
        **values
            Columns of :meth:`to_frame` or facts of a result, such as ``test="weat-6"`` or
            ``source=["a.vec", "b.vec"]``; of several values in a list, each is kept. ``pattern``
            is the label of the EAT pattern that is read.

        Raises
        ------
        ResultsError
            If no result has such a column.

        Examples
        --------
        >>> import eatlas
        >>> results = eatlas.run(tests=["weat-6", "weat-7"])
        >>> [one.test for one in results.filter(pattern="BY-Singular")]
        ['weat-6']
        >>> len(results.filter(lambda one: one.p < 1e-9))
        0
        """
        kept = [one for one in self if condition is None or condition(one)]
        for name, value in values.items():
            allowed = {value} if isinstance(value, str | int | float | None) else set(value)
            facts = [_facts(one) for one in self]
            if facts and not any(name in each for each in facts):
                known = dict.fromkeys(key for each in facts for key in each)
                raise ResultsError(
                    f"results cannot be filtered by {name!r}{did_you_mean(name, known)}",
                    allowed=", ".join(known),
                )
            kept = [one for one in kept if _facts(one).get(name) in allowed]
        trends = [one for one in self.trends if one.test in {each.test for each in kept}]
        return Results(kept, self.failures, trends)

    def to_latex(self) -> str:
        """Return tables for a manuscript, in LaTeX; :func:`eatlas.report.report_table` has more."""
        table: str = of_present("tables:report_table")(self, "latex")
        return table

    def save(self, path: str | Path) -> None:
        """Write the results to a file, in the form that its name says.

        Parameters
        ----------
        path : str or path
            ``.jsonl`` holds the results themselves, which :func:`eatlas.read_results` reads and
            ``eatlas verify`` computes again; ``.html`` is the report; ``.csv``, ``.tex`` and
            ``.md`` are tables. The file appears only when it is whole.

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
        form = _FORMS.get(path.suffix.lower())
        if form is None:
            raise ResultsError(
                f"{path}: results are not written in this form",
                got=path.suffix or "a name without an ending",
                allowed=", ".join(_FORMS),
            )
        if form == "results":
            self.write(path)
        else:
            of_present("page:write_report")(self, path, format=form)

    def write(self, path: str | Path) -> None:
        """Write the results as JSON Lines, atomically."""
        write_results((*self._results, *self.trends), Path(path))


def read_results(path: str | Path | Iterable[str | Path]) -> Results:
    """Read results that ``eatlas run`` or :meth:`Results.write` wrote.

    Parameters
    ----------
    path : path or several paths
        JSON Lines files.

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
    paths = list(path) if isinstance(path, Iterable) and not isinstance(path, str) else [path]
    for one in paths:
        if not isinstance(one, str | Path):
            raise ResultsError(
                "this is no results file", got=described(one), allowed="a path, or several"
            )
    good: list[AssociationResult | TrendResult] = []
    bad: list[ResultsError] = []
    for one in dict.fromkeys(map(Path, paths)):
        more, faults = read_lines(one)
        good += more
        bad += faults
    found: list[AssociationResult] = []
    trends: list[TrendResult] = []
    for line in good:
        if isinstance(line, AssociationResult):
            found.append(line)
        else:
            trends.append(line)
    return Results(found, trends=trends), tuple(bad)
