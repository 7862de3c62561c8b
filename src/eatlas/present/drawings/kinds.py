"""The kinds of drawings that ``eatlas.plot`` makes, and what each of them shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from eatlas.errors import ResultsError, did_you_mean
from eatlas.numbers import effect, number_of
from eatlas.plugins import call_point, points, require_point, usable
from eatlas.present.drawings import forest, single
from eatlas.present.drawings.curves import WIDE, steps, timeline_of
from eatlas.present.drawings.eat_map import PANEL, eat_map, map_panel
from eatlas.present.drawings.eat_map import WIDTH as MAP_WIDTH
from eatlas.present.drawings.forest import key_of, notes_of
from eatlas.present.drawings.periods import PERIODS
from eatlas.present.drawings.plane import (
    LEFT_ROOM,
    SIDE,
    UPPER_ROOM,
    closer_words,
    has_map,
    plane_figure,
)
from eatlas.present.drawings.scatter import has_pairs, scatter
from eatlas.present.drawings.sheet import Drawing, below, side_by_side
from eatlas.present.drawings.significance import significance
from eatlas.present.drawings.svg import WIDTH
from eatlas.present.drawings.table import draw_table
from eatlas.present.effects import levels_of, shares_of, short_name
from eatlas.present.findings import NAMES, findings_of, first_of
from eatlas.present.targets import leans
from eatlas.present.text import isolate
from eatlas.results import AssociationResult, Results
from eatlas.results.collection import Family
from eatlas.results.compare import NUMBERED, SideBySide, pivot
from eatlas.results.settings import Settings
from eatlas.results.trend import Timeline, Years
from eatlas.stimuli import TARGETS

ENTRY_POINTS = "eatlas.drawings"
SCREEN = 720.0
"""Pixels of a drawing without a width in print."""


def draw_separately(
    draw: Callable[[AssociationResult, float], Drawing],
    title: Callable[[Sequence[AssociationResult]], str] = lambda _: "",
) -> Callable[..., Drawing]:
    """Draw results below each other, one by one; several have each a title of its own.

    Where a drawing has none, this is its finding. `title` names several drawings.
    """

    def draw_results(results: Sequence[AssociationResult], width: float) -> Drawing:
        if len(results) == 1:
            return draw(results[0], width)
        settings, drawings = Settings.from_results(results), []
        for result, finding in zip(results, findings_of(results), strict=True):
            drawing = draw(result, width)
            drawings.append(
                replace(
                    drawing,
                    title=drawing.title or first_of(finding),
                    about=forest.heading(result, settings),
                )
            )
        if len({drawing.key for drawing in drawings}) > 1:  # the key below is that of all
            drawings = [
                replace(drawing, about=f"{drawing.about} · {drawing.key}", key="")
                for drawing in drawings
            ]
        return below(drawings, title=title(results))

    return draw_results


def _plane(result: AssociationResult, width: float) -> Drawing:
    """The map of the words; its groups are named below."""
    x, y = (isolate(result.concepts[role]) for role in TARGETS)
    key = f"● {x}, ■ {y}, + their means."
    notes = ("On the diagonal, a word is as close to one attribute as to the other.",)
    drawn, title = plane_figure(result, width), closer_words(result)
    return side_by_side([drawn], width, title=title, key=key, notes=notes)


def _title_of_planes(results: Sequence[AssociationResult]) -> str:
    """What several maps of words are."""
    return f"The words of {number_of(len(results), 'result')} between both attributes"


def _triangle(result: AssociationResult, width: float) -> Drawing:
    """Proportions of three groups."""
    notes = (
        "At a corner its group has a proportion of 1. On the border a proportion is clipped at 0, "
        "because a cosine below 0 counts as 0.",
    )
    about = "Proportions of three groups, a dot for each target"
    return side_by_side([single.triangle(result, width)], width, about=about, notes=notes)


def _eat_maps(results: Sequence[AssociationResult], width: float) -> Drawing:
    """Maps beside each other; small ones where whole ones have no room."""
    whole, settings = int(width // 400) or 1, Settings.from_results(results)
    notes = ("Columns: targets. Rows: attributes. Red: associated by the paper's rule.",)
    if len(results) == 1:
        result = results[0]
        title = f"By the paper's rule: {result.primary.label}"
        drawn = eat_map(result, min(width, 1.3 * MAP_WIDTH))
        verdicts = _verdicts_in_words(result)
        return side_by_side([drawn], width, title=title, about=verdicts, notes=notes)
    columns = whole if len(results) <= whole else int(width // PANEL)
    draw, own = (eat_map, 1.3 * MAP_WIDTH) if columns == whole else (map_panel, 1.3 * PANEL)
    maps = [
        draw(
            result,
            min(width / columns, own),
            heading=" · ".join(filter(None, (result.test, settings.of(result)))),
        )
        for result in results
    ]
    rules = dict.fromkeys(result.rule.meaning for result in results)
    title = f"EAT-Maps of {number_of(len(results), 'result')} by the paper's rule"
    return side_by_side(
        maps, width, columns, title=title, key=f"{' or '.join(rules)}.", notes=notes
    )


def _verdicts_in_words(result: AssociationResult) -> str:
    """What the finding says of both columns of a map, which may differ from the paper's rule."""
    questions = findings_of([result])[0].questions
    known = {role: questions.get(f"level2.{role}") for role in TARGETS}
    said = [
        f"{short_name(result.concepts[role])}: {NAMES[question.verdict]}"
        for role, question in known.items()
        if question is not None
    ]
    return f"By verdict: {'; '.join(said)}" if said else ""


MOST_LINES = 4
"""Series that are compared in one panel."""


def _by_number(group: Mapping[str, AssociationResult], by: str) -> dict[int, AssociationResult]:
    """Results by their year (the first of several), or layer; empty where one has no number."""
    if by == "period":
        return {r.period: r for r in group.values() if r.period is not None}
    if not all(value.isdigit() for value in group):
        return {}
    return {int(value): result for value, result in group.items()}


def _timelines(results: Sequence[AssociationResult], width: float) -> Drawing:
    """A panel for each test, source and measure; without years by layer, window or distance.

    Several series of a test, such as those of two prompts, share a panel for each effect size.
    """
    dated = any(result.period is not None for result in results)
    lines = [
        ("year" if by == "period" else by, line)
        for by in (["period"] if dated else NUMBERED)
        for group in pivot(results, by)
        if (line := _by_number(group, by))
    ]
    if not lines or (dated and sum(len(line) for _, line in lines) < len(results)):
        raise ResultsError(
            "a timeline needs one result for each test, source, measure and period",
            got=f"{number_of(len(results), 'result')}, "
            f"{sum(r.period is not None for r in results)} of them with a period",
            allowed="results of vectors of a year or decade, or of several layers, windows or "
            "distances",
            remedy="leave the others out, as in eatlas.Results(r for r in results if ...)",
        )
    years = Timeline(results) if dated else None
    every = steps(years or ())
    alike: dict[tuple[str, str, str], list[Mapping[int, AssociationResult]]] = {}
    for unit, line in lines:
        first = next(iter(line.values()))
        alike.setdefault((unit, first.test, first.measure), []).append(dict(sorted(line.items())))
    settings = Settings.from_results(next(iter(line.values())) for _, line in lines)
    findings = dict(zip(map(id, results), findings_of(results), strict=True))
    parts = []
    for (unit, _, _), series in alike.items():
        several = 1 < len(series) <= MOST_LINES
        for group in [series] if several else [[line] for line in series]:
            missing = {
                year: "no result" for year in every if not any(year in line for line in group)
            }
            first = next(iter(group[0].values()))
            names = [settings.of(next(iter(line.values()))) for line in group]
            told = [{at: (r, findings[id(r)]) for at, r in line.items()} for line in group]
            about = "" if several else names[0]
            for n in range(len(levels_of(first))) if several else [None]:
                drawn = timeline_of(
                    dict(zip(names, told, strict=True)), missing, unit=unit, width=width, only=n,
                    years=years,
                )  # fmt: skip
                title = forest.heading(first) if n in (None, 0) and len(alike) > 1 else ""
                what = "" if n is None else levels_of(first)[n].name
                above = " · ".join(filter(None, (about, what)))
                parts.append(replace(side_by_side([drawn], width), title=title, about=above))
    levels = [level for result in results for level in levels_of(result, findings[id(result)])]
    key, notes, title = key_of(results, levels), notes_of(results), _moves(lines, years)
    others = dict.fromkeys(name for level in levels for name in level.other_intervals)
    notes += tuple(f"Thick lines: 95% intervals for other {name}." for name in others)
    if any(result.pattern is not None for result in results):
        notes += (PERIODS,)
    if len(parts) == 1:
        return replace(parts[0], title=title, about="", key=key, notes=notes)
    return below(parts, title=title, key=key, notes=notes)


def _moves(
    lines: Sequence[tuple[str, Mapping[int, AssociationResult]]], years: Mapping[int, Years] | None
) -> str:
    """Of all series, between which numbers the first effect size of one moves most."""
    moves = []
    for unit, line in lines:
        known = [(at, d) for at, result in sorted(line.items()) if (d := result.value) is not None]
        if len(known) > 1:
            (first, start), (last, end) = known[0], known[-1]
            ends = (f"{effect(d)} ({years[at] if years else f'{unit} {at}'})"
                    for d, at in ((start, first), (end, last)))  # fmt: skip
            level = levels_of(next(iter(line.values())))[0]
            named = f"{level.symbol} at level 1" if level.place == "level1" else level.title
            test = f" of {next(iter(line.values())).test}" if len(lines) > 1 else ""
            moves.append((abs(end - start), f"{named}{test} goes from {' to '.join(ends)}"))
    most = "Most of all, " * (len(moves) > 1)
    return f"{most}{max(moves)[1]}" if moves else ""


class Kind(NamedTuple):
    """One kind of drawing.

    A package adds a kind by a function without parameters that returns it: an entry point of the
    group ``eatlas.drawings``, whose name is that of the kind.

    Parameters
    ----------
    draw : callable
        From results, the width in pixels, and its own options, to a :class:`Drawing`. What `takes`
        accepts comes in the place of results.
    shows : callable
        Whether it can show a result.
    allowed : str
        What it shows, for the error about anything else.
    screen : float
        Width on a screen.
    takes : callable
        Whether it draws something that is no result, such as a record of another kind.
    options : tuple of str
        Which options of :func:`eatlas.plot` it takes.
    read : callable, optional
        From a path to what it draws, for ``eatlas plot --kind``; None if it draws results.
    """

    draw: Callable[..., Drawing]
    shows: Callable[[AssociationResult], object]
    allowed: str
    screen: float = SCREEN
    takes: Callable[[object], bool] = lambda _: False
    options: tuple[str, ...] = ()
    read: Callable[[Path], object] | None = None


_EFFECTS = "results with effect sizes"
_LEVELS = "results with effect sizes of level 1"
KINDS: dict[str, Kind] = {
    "eat-map": Kind(_eat_maps, lambda r: r.pattern, "results of ML-EAT", MAP_WIDTH),
    "findings": Kind(forest.findings, lambda r: r.effects(), _EFFECTS),
    "forest": Kind(forest.forest, lambda r: r.effects(), _EFFECTS),
    "adjusted": Kind(
        forest.draw_adjusted_effects,
        lambda r: any(shown.after for shown in r.effects()),
        "results with associations adjusted for covariates",
    ),
    "plane": Kind(
        draw_separately(_plane, _title_of_planes), has_map,
        "results of ML-EAT, CEAT, LPBS or LPBS-CEAT that kept the "
        "cosines of single words, of 400 targets at most", LEFT_ROOM + SIDE + UPPER_ROOM,
    ),
    "influence": Kind(
        draw_separately(single.influence, single.influence_title),
        lambda r: r.primary.influence,
        "results of ML-EAT or WEAT with two usable terms or more in each group",
    ),
    "resamples": Kind(
        forest.resamples,
        lambda r: shares_of(r)[0],
        "results of an ML-EAT that resamples its terms",
    ),
    "matrix": Kind(
        forest.matrix, lambda r: r.effects(), _EFFECTS,
        takes=lambda given: isinstance(given, SideBySide),
    ),
    "table": Kind(draw_table, lambda r: r.effects(), _EFFECTS),
    "significance": Kind(
        significance, lambda r: len(Results([r]).family()), "results with p-values of level 1",
        takes=lambda given: isinstance(given, Family), options=("alpha",),
    ),
    "scatter": Kind(
        scatter, levels_of, "results of the same tests by two methods or more",
        takes=has_pairs, options=("by", "pair"),
    ),
    "timeline": Kind(_timelines, lambda r: r.primary.level1, _LEVELS, WIDE),
    "targets": Kind(draw_separately(single.targets), lambda r: r.by_target, "results of DivDist"),
    "triangle": Kind(
        draw_separately(_triangle), lambda r: r.by_target and len(leans(r).groups) == 3,
        "results of DivDist for three groups", WIDTH,
    ),
    "null": Kind(
        draw_separately(single.null, single.null_title), lambda r: r.primary.level1, _LEVELS, WIDTH
    ),
}  # fmt: skip
"""Kinds of drawings that eatlas brings."""


def drawing_kinds() -> dict[str, Kind]:
    """Kinds of drawings by name, with those that packages add."""
    return KINDS | usable(ENTRY_POINTS, KINDS, lambda point: call_point(point, Kind))


def find_kind(name: object) -> Kind:
    """The kind of drawing of a name.

    Raises
    ------
    ResultsError
        If there is none.
    """
    if name in KINDS:
        return KINDS[str(name)]
    names = [*KINDS, *points(ENTRY_POINTS, KINDS)]
    unknown = ResultsError(
        f"there is no such kind of drawing{did_you_mean(str(name), names)}",
        got=repr(name),
        allowed=", ".join(names),
    )
    kind: Kind = call_point(require_point("drawings", str(name), unknown, KINDS), Kind)
    return kind
