"""What a notebook shows of results: a small table with EAT-Maps."""

from __future__ import annotations

from typing import Any, NamedTuple

from eatlas.present.drawings.eat_map import EATMap, mini_map
from eatlas.present.drawings.plot import plot
from eatlas.present.effects import bracketed, compared
from eatlas.present.numbers import UNDEFINED, effect, p_value
from eatlas.present.rendering import render
from eatlas.present.sentences import sentence
from eatlas.present.targets import Lean, leans, signed_points
from eatlas.results import AssociationResult
from eatlas.results.base import is_result
from eatlas.results.effects import Effect

PLACES = {"d": "level1", "X": "level2.X", "Y": "level2.Y"}
"""Effect sizes that have a column in a table of several results."""
MOST_ROWS = 50
"""Rows of a table; a notebook keeps every output in its file."""


class Line(NamedTuple):
    """One effect size of a result."""

    name: str
    effect_size: str
    interval: str
    p: str


def html(shown: object) -> str:
    """Show a result, or several, as HTML with its own light colours."""
    return _one(shown) if is_result(shown) else _many(shown)


def _one(result: AssociationResult) -> str:
    """One result: its sentence, its EAT-Map, and a row for each effect size."""
    lines = [_line(one) for one in result.effects()]
    if result.by_target is not None:
        lines = [*map(_of_target, leans(result).ends()[0]), *lines]
    used, missing = result.coverage.counts()
    return render(
        "notebook/result",
        result=result,
        sentence=sentence(result),
        map=plot(result, "eat-map")._repr_html_() if result.pattern else "",
        heads=("d", "interval") if result.by_target is None else ("bias", "leans to, points"),
        lines=lines[:MOST_ROWS],
        more=max(0, len(lines) - MOST_ROWS),
        with_intervals=any(line.interval for line in lines),
        stars=_stars(result),
        used=used,
        missing=missing,
    )


def _many(results: Any) -> str:
    """A row for each result, with the columns that tell them apart."""
    found = list(results)
    return render(
        "notebook/results",
        rows=[_row(result) for result in found[:MOST_ROWS]],
        count=len(found),
        more=max(0, len(found) - MOST_ROWS),
        rules=list(dict.fromkeys(_stars(result) for result in found)),
        failures=tuple(getattr(results, "failures", ())),
        with_sources=len({result.source for result in found}) > 1,
        with_maps=any(result.pattern for result in found),
        with_measures=len({result.measure for result in found}) > 1,
        with_periods=any(result.period is not None for result in found),
        source=found[0].source if found else "",
    )


def _stars(result: AssociationResult) -> str:
    """What a star says, and of tests of sentences what is relabelled."""
    if result.by_target is not None:
        return leans(result).legend
    over = ", over stimuli in tests of sentences" if result.primary.over_stimuli else ""
    return f"{result.rule.meaning}{over}"


def _row(result: AssociationResult) -> dict[str, Any]:
    """A result in a table of several; one without an effect size d in its own words."""
    at = {one.place: _starred(one) for one in result.effects()}
    row: dict[str, Any] = {role: at.get(place, "") for role, place in PLACES.items()}
    row |= {"result": result, "pattern": "" if at.keys() & PLACES.values() else result.summary()}
    if result.pattern is None:
        return row | {"map": ""}
    read = result.primary
    row |= {"pattern": read.label, "map": mini_map(EATMap.of(result))}
    differs = {"two_sided": read.two_sided_label} if read.two_sided_label != read.label else {}
    return row | differs


def _of_target(one: Lean) -> Line:
    """A target, its bias, and the points by which it leans to a group."""
    j = one.towards or 0
    points = f"{signed_points(one.points[j])} {one.between(j)} {one.groups[j]}"
    return Line(one.term, one.bias, points, one.p + one.star)


def _starred(shown: Effect) -> str:
    return UNDEFINED if shown.d is None else effect(shown.d) + shown.star


def _line(shown: Effect) -> Line:
    """One effect size with its interval and the p-value that is read."""
    name = shown.name if shown.term else f"{shown.title.partition(',')[0]}: {compared(shown)}"
    value, low = shown.p_of()
    p = "" if value is None else p_value(value, shown.rule.alpha, low)
    return Line(name, _starred(shown), bracketed(shown) if shown.resampled else "", p)
