"""What the studies of a card are run on, and the figures, tables and drawings that they share.

A study has a function of a :class:`Material` that yields what it is run on, and one that computes
figures, tables, drawings and remarks for each. Where it cannot be run it raises
:class:`NotRunError`; any other :class:`~eatlas.EatlasError` on the way is taken for the reason too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, cast

import eatlas
from eatlas.engine import reader_of
from eatlas.errors import EatlasError, StimulusError
from eatlas.measures import Measure
from eatlas.results import AssociationResult
from eatlas.results.parts import finite
from eatlas.stats.correlation import PairedTest, RankCorrelation
from eatlas.stimuli import Test
from eatlas_workbench.cards.evidence import Covered, Drawing, Figure, Mark, Table

Exhibits = tuple[Sequence[Figure], Sequence[Table], Sequence[Drawing], Sequence[str]]
"""Figures, tables, drawings and remarks of a piece of evidence."""
Parts = Iterator[tuple[Any, ...]]
"""What a study is run on, once for each: the source or the files that its evidence names, and what
else its function reads."""
T = TypeVar("T")
MOST_MISSING = 20
"""Missing terms of a group that a card lists."""


class NotRunError(EatlasError):
    """A study cannot be run on what was given; `what` is the reason, in whole sentences."""


@dataclass(frozen=True)
class Material:
    """A measure, and everything that a protocol is run on."""

    measure: Measure
    sources: Mapping[str, Any]
    """Opened sources by the names that the card calls them by."""
    seed: int = 0
    tests: tuple[Test, ...] = ()
    files: Mapping[str, tuple[Path, ...]] = field(default_factory=dict)
    """By the option that gives them."""
    representations: Any = None
    numbers: dict[Any, Any] = field(default_factory=dict)
    """Numbers of targets that several studies read, computed once."""
    coverage: dict[Covered, None] = field(default_factory=dict)
    """How much of each test each source has, in the order in which they were measured."""

    def measure_on(
        self, test: Test, source: Any, name: str, measure: Measure | None = None
    ) -> AssociationResult:
        """Measure a test on an opened source, and note its coverage."""
        result = (measure or self.measure)(self.adapt_test(test, measure), source, seed=self.seed)
        for group, called in result.concepts.items():
            used, missing = result.coverage[group].used, tuple(result.coverage[group].missing)
            covered = Covered(
                source=name, test=test.id, group=called, used=len(used),
                total=len(used) + len(missing), missing=missing[:MOST_MISSING],
            )  # fmt: skip
            self.coverage[covered] = None
        return result

    def adapt_test(self, test: Test, measure: Measure | None = None) -> Test:
        """The test as a measure takes it: in the contexts that were given, if it must be."""
        contexts = self.files.get("contexts")
        if not contexts or test.contexts is not None:
            return test
        try:
            (measure or self.measure).require_stimuli(test)
        except StimulusError:
            (in_contexts,) = eatlas.with_contexts((test,), contexts[0])
            return cast("Test", in_contexts)
        return test

    def require(self, option: str, why: str) -> tuple[Path, ...]:
        """The files of an option, which must have been given."""
        if option not in self.files:
            raise NotRunError(f"Nothing was given by --{option}, {why}.")
        return self.files[option]

    def iter_sources(self) -> Parts:
        """Yield the name of each opened source with the source."""
        if not self.sources:
            needs = reader_of(self.measure.needs.source).name
            raise NotRunError(f"{self.measure.name} needs {needs}, and none was given.")
        yield from self.sources.items()


def reason_of(error: EatlasError) -> str:
    """An error as the reason why something was not run, in whole sentences."""
    if isinstance(error, NotRunError):
        return error.what
    parts = (("got", error.got), ("allowed", error.allowed))
    details = "; ".join(f"{name}: {value}" for name, value in parts if value)
    first = error.what.split(maxsplit=1)[0]
    text = error.what if not first.isalpha() else error.what[:1].upper() + error.what[1:]
    return f"{text} ({details})." if details else f"{text}."


def try_all(
    failed: str, compute: Callable[[str], T], names: Iterable[str]
) -> tuple[dict[str, T], list[str]]:
    """What is computed by name, and why there is nothing of others: "`failed`, name: reason"."""
    values: dict[str, T] = {}
    reasons = []
    for name in names:
        try:
            values[name] = compute(name)
        except EatlasError as error:
            reasons.append(f"{failed}, {name}: {reason_of(error)}")
    return values, reasons


def abbreviate_names(names: Sequence[str], most: int = 60) -> str:
    """Names one after the other; of many the first, and how many more."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def table(title: str, columns: Iterable[str], rows: Iterable[Iterable[Any]]) -> Table:
    """A table of a study."""
    return Table(title=title, columns=tuple(columns), rows=tuple(map(tuple, rows)))


def drawing(title: str, axis: str, marks: Iterable[Mark], **ends: float) -> Drawing:
    """Labelled points on one axis."""
    return Drawing(title=title, axis=axis, marks=tuple(marks), **ends)


def rho_drawing(title: str, marks: Iterable[Mark], more: str = "") -> Drawing:
    """Rank correlations on an axis from -1 to 1; `more` extends its label."""
    return drawing(title, f"Spearman's rho{more}", marks, low=-1.0, high=1.0)


def mark(label: str, number: Figure, group: str = "") -> Mark:
    """A figure as a mark of a drawing."""
    return Mark(label=label, value=number.value, low=number.low, high=number.high, group=group)


def figure(
    name: str, value: float | None, ends: Any, n: int, of: str, interval: str = "", **more: Any
) -> Figure:
    """A number of `n` things with its interval, a bootstrap interval unless another is named."""
    low, high = ends or (None, None)
    if ends and not interval:
        interval = f"95% bootstrap over {of}"
    return Figure(name=name, value=value, low=low, high=high, interval=interval, n=n, of=of, **more)


def figure_of_test(
    name: str, value: float, pairs: PairedTest, units: str, relabelled: str
) -> Figure:
    """A number of pairs, with its interval and the p of its permutations."""
    p, drawn = finite(pairs.p), "all" if pairs.method == "exact" else f"{pairs.total:,} drawn"
    test = "" if p is None else f"{relabelled}, two-sided, {drawn}"
    return figure(name, finite(value), pairs.interval, pairs.n, units, p=p, test=test)


def rho_figures(name: str, pairs: RankCorrelation, units: str) -> tuple[Figure, Figure]:
    """Spearman's rho with interval and permutation test, and Pearson's R2."""
    rho = figure_of_test(f"rho, {name}", pairs.rho, pairs, units, f"permutation of {units}")
    return rho, Figure(name=f"R2, {name}", value=finite(pairs.r2), n=pairs.n, of=units)
