"""Figures, tables and drawings that several studies show, and names in their remarks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eatlas.results.evidence import Drawing, Figure, Mark, Table
from eatlas.results.parts import defined
from eatlas.stats.paired import PairedChange, PairedTest, RankCorrelation
from eatlas.stats.specifications import Correlation

INTERVAL = "95% bootstrap"
COLUMNS = (
    "targets", "Spearman's rho", "low", "high", "Pearson's r", "low of r", "high of r", "R²",
)  # fmt: skip
CHANGES = ("targets", "mean before", "mean after", "change", "p", "rose", "fell")


def listed_names(names: Sequence[str], most: int = 60) -> str:
    """Names one after the other; of many the first, and how many more."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def figure(name: str, value: float | None, ends: Any, n: int, of: str, **more: Any) -> Figure:
    """A number of `n` things with its bootstrap interval, where it has one."""
    low, high = ends or (None, None)
    interval = f"{INTERVAL} over {of}" if ends else ""
    return Figure(name=name, value=value, low=low, high=high, interval=interval, n=n, of=of, **more)


def _tested(name: str, value: float, found: PairedTest, of: str, relabelled: str) -> Figure:
    """A number of pairs, with its interval and the p of its relabellings."""
    p, drawn = defined(found.p), "all" if found.method == "exact" else f"{found.total:,} drawn"
    test = "" if p is None else f"{relabelled}, two-sided, {drawn}"
    return figure(name, defined(value), found.interval, found.n, of, p=p, test=test)


def rho_figures(name: str, found: RankCorrelation, of: str) -> tuple[Figure, Figure]:
    """Spearman's rho with interval and permutation test, and Pearson's R2."""
    rho = _tested(f"rho, {name}", found.rho, found, of, f"permutation of {of}")
    return rho, Figure(name=f"R2, {name}", value=defined(found.r2), n=found.n, of=of)


def change_figure(name: str, found: PairedChange, of: str) -> Figure:
    """A mean change of bias, with its interval and the test of signs."""
    return _tested(f"change of bias, {name}", found.change, found, of, "signs of changes flipped")


def change_row(found: PairedChange) -> tuple[Any, ...]:
    """A mean change as a row with :data:`CHANGES`."""
    numbers = map(defined, (found.before, found.after, found.change, found.p))
    return (found.n, *numbers, found.rose, found.fell)


def correlations(
    found: Mapping[str, Correlation], title: str, first: str, drawn: str, more: str
) -> dict[str, Any]:
    """A table of correlations, by what the `first` column names, and a drawing of them."""
    rows = [
        (label, one.n,
         *map(defined, (one.spearman, one.spearman_low, one.spearman_high, one.pearson,
                       one.pearson_low, one.pearson_high, one.pearson**2)))
        for label, one in found.items()
    ]  # fmt: skip
    table = Table(title=title, columns=(first, *COLUMNS), rows=rows)
    return {"tables": [table], "drawings": [rho_drawing(drawn, marks_of(found), more)]}


def marks_of(found: Mapping[str, Correlation]) -> list[Mark]:
    """Rank correlations as marks of a drawing."""
    return [
        Mark(label=label, value=defined(one.spearman), low=defined(one.spearman_low),
             high=defined(one.spearman_high))
        for label, one in found.items()
    ]  # fmt: skip


def mark(label: str, of: Figure, group: str = "") -> Mark:
    """A figure as a mark of a drawing."""
    return Mark(label=label, value=of.value, low=of.low, high=of.high, group=group)


def rho_drawing(title: str, marks: Iterable[Mark], more: str = "") -> Drawing:
    """Rank correlations on an axis from -1 to 1; `more` is said of it."""
    axis = f"Spearman's rho{more}"
    return Drawing(title=title, axis=axis, marks=tuple(marks), low=-1.0, high=1.0)
