"""Results below each other: forest, findings, adjusted, matrix, shares of resamples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter
from typing import Any

from eatlas.errors import ResultsError, join_names
from eatlas.numbers import effect, in_powers, interval, number_of, p_value, percent
from eatlas.present.drawings.eat_map import PATTERNS, mini_map, states, states_of
from eatlas.present.drawings.sheet import Drawing, Sheet, below
from eatlas.present.drawings.svg import (
    LEFT,
    RIGHT,
    Axis,
    Scales,
    aside,
    broken,
    ends_within,
    estimate,
    is_untested,
    label,
    mark_of,
    outline,
    paper,
    path,
    short,
    stack_effects,
    text_lines,
)
from eatlas.present.effects import (
    interval_in_words,
    levels_of,
    name_of_d,
    number_of_result,
    shares_of,
)
from eatlas.present.findings import NAMES, effects_with_verdicts, findings_of, first_of, p_values
from eatlas.present.text import isolate, pixels
from eatlas.results import AssociationResult
from eatlas.results.compare import SideBySide, side_by_side
from eatlas.results.effects import Effect
from eatlas.results.finding import Finding
from eatlas.results.parts import at
from eatlas.results.settings import Settings

LETTERS, ROW, MARK_ROW = 12.0, 19.0, 12.0
MOST_LINES = 8
"""Lines of a name or a sentence."""
WIDE = 640.0
"""Pixels from which on rows have room for p-values."""
BESIDE = 800.0
"""Pixels from which on effect sizes are beside their finding, else below it."""
LEAST_COLUMN = 90
"""Pixels of a column of a matrix."""
MARKS = "Diamond: X against Y, level 1; circle and square: X alone and Y alone, level 2."
NUMBER = 58.0
"""Pixels of an effect size."""
P_OF_CLAIM = "p: of a claim for other words, adjusted by Holm over these results."


def heading(result: AssociationResult, settings: Settings | None = None) -> str:
    """A test by its id and title, and its setting where there are several."""
    title = result.title if result.title != result.test else ""
    head = ": ".join(filter(None, (result.test, title)))
    return " · ".join(filter(None, (head, settings.of(result) if settings else "")))


def key_of(results: Iterable[AssociationResult], levels: Iterable[Effect]) -> str:
    """What fill and lines mean, in one line."""
    every = list(levels)
    filled = "Filled: supported. Outlined: in these word lists only. Small: not shown."
    drawn, judged = interval_in_words(results), any(e.verdict for e in every)
    gray = "Gray: no test." * any(map(is_untested, every))
    lines = f"Lines: 95% intervals {drawn}." * bool(drawn)
    return " ".join(filter(None, (filled * judged, gray, lines)))


def notes_of(results: Iterable[AssociationResult], scale: str = "") -> tuple[str, ...]:
    """What scales, marks and intervals mean, for a caption."""
    results = list(results)
    effects = [e for result in results for e in result.effects()]
    notes = [scale] if scale else []
    notes += [MARKS] if any(e.place == "level2.X" for e in effects) else []
    if any(e.read_over == "stimuli" for e in effects):
        notes.append("Tests of sentences are over stimuli.")
    if any(e.interval and e.adjusted for e in effects):
        notes.append("The tick on a line: the adjusted effect size.")
    return tuple(notes)


def in_words(result: AssociationResult) -> str:
    """The effect sizes of a result as a phrase."""
    sizes = [
        f"{e.title.replace('Level', 'level')}, {isolate(e.name)}: "
        f"{e.symbol} = {effect(e.d, e.decimals)}"
        + (f" {interval(e.interval, e.decimals)}" if e.interval else "")
        for e in result.effects()
    ]
    return f"{isolate(result.test)}: {'; '.join(sizes)}"


def forest(results: Sequence[AssociationResult], width: float) -> Drawing:
    """Effect sizes with their intervals, test below test; numbers of each scale on its own axis."""
    scales: dict[Scale, list[AssociationResult]] = {}
    for result in results:
        for scale in dict.fromkeys(scale_of(result, size) for size in result.effects()):
            scales.setdefault(scale, []).append(result)
    headed = len({result.test for result in results}) > 1
    pairs = zip(results, findings_of(results), strict=True)
    effects = [e for pair in pairs for e in effects_with_verdicts(*pair)]
    drawings = (_forest(own, width, scale, headed=headed) for scale, own in scales.items())
    return below(drawings, key=key_of(results, effects))


Scale = tuple[str, str]
"""A measure and the unit of its numbers; of effect sizes d, which have one scale, ``("d", "")``."""


def scale_of(result: AssociationResult, shown: Effect) -> Scale:
    """The scale of an effect size: only numbers on one scale are on one axis."""
    return ("d", "") if shown.symbol == "d" else (result.measure, at(result, "whole.unit") or "")


def _forest(
    results: Sequence[AssociationResult], width: float, scale: Scale, *, headed: bool
) -> Drawing:
    """The numbers of results that are on one scale, each test under its heading if `headed`."""
    settings, sheet = Settings.from_results(results), Sheet(width)
    of: dict[int, tuple[list[Effect], Finding]] = {}
    for result, finding in zip(results, findings_of(results), strict=True):
        every = effects_with_verdicts(result, finding)
        of[id(result)] = [e for e in every if scale_of(result, e) == scale], finding
    effects = [e for levels, _ in of.values() for e in levels]
    values = [v for e in effects for v in (e.d, *ends_within(e))]
    claims = any(q.p.claim is not None for _, f in of.values() for q in f.questions.values())
    with_p = width >= WIDE and claims
    numbers = (140 if any(e.interval for e in effects) else 50) + 80 * with_p
    names = min(0.36 * width, 260.0)
    axis = Axis.with_zero(
        (v for v in values if v is not None), names + 12, width - RIGHT - numbers - 6
    )
    heads = _heads_of_numbers(sheet, axis, effects, with_p=with_p)
    for test in dict.fromkeys(result.test for result in results):
        members = [result for result in results if result.test == test]
        above, first = len(sheet.parts), sheet.y
        if headed:
            sheet.heading(heading(members[0]))
        if any(e.roles in ("X", "Y", "XY") for e in of[id(members[0])][0]):
            directions(sheet, axis, members[0].sides[-1])
        sheet.parts.insert(above, paper(0.0, first - 4, width, sheet.y - first + 4))
        for result in members:
            levels, finding = of[id(result)]
            if len(members) > 1:
                setting = " · ".join(filter(None, (test, settings.of(result))))
                sheet.write(setting, size=11, class_="eat-muted")
                sheet.y += 3
            for row in levels:
                question = finding.questions.get(row.place) if with_p else None
                p = question.p.claim if question else None
                _forest_row(sheet, axis, row, names, p)
            sheet.end_block()
        sheet.y += 4
    symbols = {e.symbol for e in effects}
    what = symbols.pop() if len(symbols) == 1 else results[0].display_name
    what = (
        f"Effect size {name_of_d(results)}"
        if what == "d"
        else f"{what} ({scale[1]})"
        if scale[1]
        else what
    )

    def draw_grid(first: float, last: float) -> tuple[str, float]:
        text = label(what, (axis.start + axis.end) / 2, last + 34, anchor="middle")
        return axis.grid(first, last) + text, last + 40

    alt = f"Forest plot of {len(effects)} effect sizes. " + ". ".join(map(in_words, results))
    notes = notes_of(results) + (P_OF_CLAIM,) * with_p
    return sheet.close(f"{alt}.", heads=heads, notes=notes, around=draw_grid, kind="figure forest")


def _heads_of_numbers(
    sheet: Sheet, axis: Axis, effects: Sequence[Effect], *, with_p: bool
) -> tuple[str, ...]:
    """Heads of the columns of effect sizes d, intervals and p-values; none of a single column."""
    y, x = sheet.y + 10, axis.end + 46
    heads = []
    if any(e.interval for e in effects):
        heads.append(aside("95% interval", x + 12, y, anchor="start"))
    if with_p:
        heads.append(aside("p", sheet.width - RIGHT, y, anchor="end"))
    if heads:
        heads.append(aside(effects[0].symbol, x, y, anchor="end"))
        sheet.begin(sheet.y + 16)
    return tuple(heads)


def directions(sheet: Sheet, axis: Axis, sides: Sequence[str]) -> None:
    """Which attribute is on which side of zero."""
    zero = axis.at(0)
    left, right = zero - LEFT - 12, sheet.width - zero - 12
    sheet.y += _write_directions(sheet, axis, sides, (left, right), sheet.y + 8)


def _write_directions(
    sheet: Sheet, axis: Axis, sides: Sequence[str], rooms: tuple[float, float], y: float
) -> float:
    """Write the attributes on both sides of zero, from a first line on; the height of all lines."""
    left, right = (
        [isolate(line) for line in broken(side, room - 16, MOST_LINES, 11)]
        for side, room in zip((sides[1], sides[0]), rooms, strict=True)
    )
    left[0], right[-1] = f"← {left[0]}", f"{right[-1]} →"
    for lines, x, anchor in ((left, axis.at(0) - 7, "end"), (right, axis.at(0) + 7, "start")):
        for n, line in enumerate(lines):
            sheet.add(aside(line, x, y + 14.0 * n, anchor=anchor))
    return 14.0 * max(len(left), len(right))


def _forest_row(sheet: Sheet, axis: Axis, row: Effect, names: float, p: float | None) -> None:
    """Name, mark, number, interval and p of an effect size."""
    lines = broken(_effect_label(row), names - LEFT, MOST_LINES, LETTERS)
    height = max(ROW, 14.0 * len(lines) + 5)
    y, x = sheet.y + height / 2, axis.end + 46
    first = y + 4 - 7.0 * (len(lines) - 1)
    sheet.add(
        text_lines(lines, LEFT, first, step=14, size=LETTERS),
        estimate(row, axis, y, row.symbol),
        label(effect(row.d, row.decimals), x, y + 4, anchor="end"),
        label(interval(row.interval, row.decimals), x + 12, y + 4) if row.interval else "",
    )
    if p is not None:
        edge = sheet.width - RIGHT
        sheet.add(label(in_powers(p_value(p, row.rule.alpha)), edge, y + 4, anchor="end"))
    sheet.y += height


def _effect_label(row: Effect) -> str:
    """What an effect size compares, or its term; that it is of a level, names and marks say."""
    whole = row.term is not None or row.title.startswith("Level")
    return row.name if whole else f"{row.title}: {row.name}"


def _draw_rule(sheet: Sheet) -> None:
    """The rule above a row."""
    sheet.add(path(f"M{LEFT:g} {sheet.y:g}H{sheet.width - LEFT:g}", "fig-grid"))


def _with_d(result: AssociationResult, finding: Finding) -> list[Effect]:
    """Effect sizes d of a result as a whole, level 1 first."""
    levels = (e for e in levels_of(result, finding) if e.symbol == "d")
    return sorted(levels, key=attrgetter("place"))


def _names(
    sheet: Sheet, levels: Sequence[Effect], x: float, room: float, top: float
) -> list[float]:
    """Write the name of what each mark is, in its colour, up to an edge on the right.

    Returns the height of the row of each mark.
    """
    steps: list[float] = []
    for e in levels:
        shape, colour = mark_of(e.place)
        fits = len(e.names) == 1 or pixels(isolate(e.name), 11) <= room - 14
        other = "their difference" if e.place == "level1" else "over attributes"
        lines = broken(e.name if fits else other, room - 14, MOST_LINES, 11)
        y = top + 2 + sum(steps)
        steps.append(MARK_ROW * len(lines))
        look: Any = {"size": 11, "anchor": "end", "class_": f"fig-name {colour}".strip()}
        for n, line in enumerate(lines):
            sheet.add(label(isolate(line), x - 14, y + MARK_ROW * (n + 0.5) + 4, **look))
        mark = outline(shape, x - 6, y + steps[-1] / 2, 0.8)
        sheet.add(path(mark, f"m on {colour}".strip()))
    return steps


def findings(results: Sequence[AssociationResult], width: float) -> Drawing:
    """A row for each result: its map, what it says, its p-values, its effect sizes."""
    settings, sheet, wide = Settings.from_results(results), Sheet(width), width >= BESIDE
    left = LEFT + 42 if any(result.pattern for result in results) else LEFT
    shown = findings_of(results)
    levels = [_with_d(*told) for told in zip(results, shown, strict=True)]
    drawn = any(levels)
    axis = Scales.of(results).axis.on(width - min(0.4 * (width - left), 200.0) - 14, width - 20)
    called = min(0.55 * (width - left), 220.0) * drawn  # room for what marks are
    room = (axis.start - called if wide and drawn else width) - left - 14
    heads = [aside(text, x, 14) for x, text in axis.ticks() if drawn]
    sheet.begin(20.0)
    for result, finding, marks in zip(results, shown, levels, strict=True):
        _draw_rule(sheet)
        about = " · ".join(filter(None, (result.test, _p_of(result, finding), settings.of(result))))
        high, last = _said(sheet, finding, about, left, room)
        if marks:
            # on a narrow drawing below the text, or beside its last line if that is short
            above = 28.0 if pixels(last, 11) < axis.start - left else 14.0
            top = sheet.y + (2.0 if wide else high - above)
            rooms = axis.at(0) - axis.start + 30, axis.end - axis.at(0) + 18
            top += 4 + _write_directions(sheet, axis, result.sides[-1], rooms, top + 14)
            steps = _names(sheet, marks, axis.start - 8, called - 8, top)
            sheet.add(stack_effects(marks, axis, top, steps)[0])
            high = max(high, top - sheet.y + 8 + sum(steps))
        if result.pattern is not None:
            sheet.add(mini_map(states_of(finding), LEFT, sheet.y + 8, 32))
        sheet.y += max(high, 46.0)
        sheet.end_block()
    key = key_of(results, (e for marks in levels for e in marks))
    maps = ("Maps have the same cells: X left, Y right; A above, B below.",) * (left > LEFT)
    notes = (*notes_of(results if drawn else (), "Axis: effect size d." * drawn), *maps, P_NOTE)
    pairs = zip(results, shown, strict=True)
    alt = " ".join(f"{isolate(result.test)}: {finding}" for result, finding in pairs)
    return sheet.close(
        alt, heads=tuple(heads), key=key, notes=notes, kind="figure findings"
    )  # fmt: skip


P_NOTE = "p: two-sided, of the first question."


def _p_of(result: AssociationResult, finding: Finding) -> str:
    """The p-values of the first question."""
    first = next(iter(finding.questions.values()), None)
    return "" if first is None else p_values(result, first)


def _said(
    sheet: Sheet, finding: Finding, about: str, left: float, room: float
) -> tuple[float, str]:
    """Write the sentences of a finding and what it is about; the height, and the last line."""
    lines = broken(first_of(finding), room, MOST_LINES, LETTERS)
    sheet.add(text_lines(lines, left, sheet.y + 17, size=LETTERS))
    high, last = 15.0 * len(lines) + 17, ""
    others = [question.sentence for question in finding.questions.values()][1:]
    for text in (*others, about):
        for last in broken(text, room, MOST_LINES, 11):
            sheet.add(aside(last, left, sheet.y + high, anchor="start"))
            high += 14.0
    return high, last


def draw_adjusted_effects(results: Sequence[AssociationResult], width: float) -> Drawing:
    """Effect sizes, plain and adjusted for covariates: level 1 of several results, all of one."""
    settings, sheet, alone = Settings.from_results(results), Sheet(width), len(results) == 1
    rows: list[tuple[str, Effect, Effect]] = []
    for result in results:
        test = "" if alone else ", ".join(filter(None, (result.test, settings.of(result))))
        both = [(e, e.after) for e in result.effects() if e.after is not None]
        first = [] if alone else [pair for pair in both if pair[0].place == "level1"]
        rows += [
            (": ".join(filter(None, (test, _effect_label(e)))), e, z) for e, z in first or both
        ]
    names = LEFT + min(0.36 * width, 260.0, max(pixels(name, LETTERS) for name, *_ in rows) + 8)
    ends = [v for _, e, after in rows for v in (0.0, e.d, after.d, *ends_within(after))]
    edge = width - RIGHT
    axis = Axis.with_margin((v for v in ends if v is not None), names + 8, edge - 2 * NUMBER - 8)
    if alone:
        directions(sheet, axis, results[0].sides[-1])
    given = [*dict.fromkeys(c for r in results if r.adjusted for c in r.adjusted.covariates)]
    covariates, held = join_names(given), given[0] if len(given) == 1 else "covariates"
    held = held if pixels(held, 11) <= NUMBER + 4 else "covariates"
    y, heads = sheet.y + 36, list(sheet.parts)
    heads += [
        aside("d", edge - NUMBER, y, anchor="end"),
        aside("adjusted", edge, y - 24, anchor="end"),
        aside("for", edge, y - 12, anchor="end"),
        aside(held, edge, y, anchor="end"),
    ]
    sheet.parts = []
    sheet.begin(y + 4)
    for name, row, after in rows:
        lines = broken(name, names - LEFT, MOST_LINES, LETTERS)
        height = max(ROW, 14.0 * len(lines) + 5)
        y, (shape, colour) = sheet.y + height / 2, mark_of(row.place)
        sheet.add(text_lines(lines, LEFT, y + 4 - 7.0 * (len(lines) - 1), step=14, size=LETTERS))
        if after.interval:
            low, high = map(axis.at, ends_within(after))
            sheet.add(path(f"M{low:.1f} {y - 2.5:g}H{high:.1f}v5H{low:.1f}z", "b faint"))
        if row.d is not None and after.d is not None:
            hollow, filled = (round(axis.at(d), 1) for d in (row.d, after.d))
            sheet.add(
                path(f"M{hollow:g} {y:g}H{filled:g}", f"i {colour}".strip()),
                path(outline(shape, hollow, y, 1.2), f"m {colour}".strip()),
                path(outline(shape, filled, y, 0.8), f"m on {colour}".strip()),
            )
        for e, x in ((row, edge - NUMBER), (after, edge)):
            sheet.add(label(effect(e.d), x, y + 4, anchor="end"))
        sheet.y += height
        sheet.end_block()
    bars = ", with its 95% interval for other words" * any(after.interval for *_, after in rows)
    phrases = (f"{isolate(name)}: d = {effect(e.d)}, {effect(z.d)} adjusted" for name, e, z in rows)
    return sheet.close(
        f"Effect sizes adjusted for {covariates}. {'; '.join(phrases)}.",
        title=_largest_changes(rows, covariates), heads=tuple(heads),
        key=f"Hollow: d. Filled: d adjusted for {covariates}{bars}.",
        around=lambda first, last: (axis.grid(first, last), last + 20),
    )  # fmt: skip


CHANGED = 2
"""Effect sizes that the title of a drawing names."""


def _largest_changes(rows: Sequence[tuple[str, Effect, Effect]], covariates: str) -> str:
    """Which effect sizes change most once covariates are adjusted for."""
    changes = [
        (abs(after.d - row.d), f"{name.partition(':')[0]} ({effect(row.d)} to {effect(after.d)})")
        for name, row, after in rows
        if row.d is not None and after.d is not None
    ]
    most = [text for _, text in sorted(changes, reverse=True)[:CHANGED]]
    return f"Adjusted for {covariates}, d changes most in {join_names(most)}" if most else ""


def _share(share: float, x: float, y: float, width: float, *, strong: bool) -> list[str]:
    """A share as a bar on a faint whole, and its percentage below."""
    bar = f"M{x:g} {y:g}h{share * width:.1f}v6h-{share * width:.1f}z"
    look = {"font_weight": 700} if strong else {"class_": "eat-muted"}
    return [
        path(f"M{x:g} {y:g}h{width:g}v6h-{width:g}z", "fig-shade"),
        path(bar, "b on" if strong else "b"),
        label(percent(share), x + width / 2, y + 19, size=11, anchor="middle", **look),
    ]


def matrix(settings: SideBySide | Sequence[AssociationResult], width: float) -> Drawing:
    """Tests by settings: pattern, small EAT-Map and effect sizes in each cell."""
    table = settings if isinstance(settings, SideBySide) else side_by_side(settings)
    sheet, names = Sheet(width), min(0.4 * width, 220.0)
    column = (width - names - LEFT) / len(table.values)
    if column < LEAST_COLUMN:
        most = int((width - names - LEFT) // LEAST_COLUMN)
        raise ResultsError(
            "the matrix does not fit into this width",
            got=f"{len(table.values)} settings",
            allowed=f"{most} at most",
            remedy='take a greater width, fewer settings, or kind="timeline" for layers and years',
        )
    axis, results = Scales.of(table.results).axis, table.results
    findings = dict(zip(map(id, results), findings_of(results), strict=True))
    lefts = [names + i * column for i in range(len(table.values))]
    heads = [broken(value, column - 10, 3, LETTERS) for value in table.values]
    written = [
        text_lines(lines, x, 18, size=LETTERS, font_weight=700)
        for x, lines in zip(lefts, heads, strict=True)
    ]
    sheet.begin(10 + 15.0 * max(map(len, heads)))
    phrases = []
    for row in table:
        _draw_rule(sheet)
        levels = _with_d(row.first, findings[id(row.first)])
        lines, top = broken(row.name, names - LEFT - 8, MOST_LINES, LETTERS), sheet.y + 20
        sheet.add(text_lines(lines, LEFT, sheet.y + 17, size=LETTERS, font_weight=700))
        top += 15.0 * (len(lines) - 1)
        marks_of = {id(r): _with_d(r, findings[id(r)]) for r in row.members if r is not None}
        most, cells = max(map(len, marks_of.values()), default=0), []
        steps, foot = _labels_of_row(sheet, row.first, levels, names, top)
        below = max(foot, top + 10 + MARK_ROW * most)
        if not levels and table.by not in ("measure", "setting"):
            called = short(row.first.display_name, names - LEFT - 8, 11)
            sheet.add(aside(called, names - 8, top + 12, anchor="end"))
        for x, value, result in zip(lefts, table.values, row.members, strict=True):
            if result is None:
                sheet.add(aside("no result", x, sheet.y + 17, anchor="start"))
                continue
            finding = findings[id(result)]
            if marks := marks_of[id(result)]:
                room = axis.on(x + 38 * bool(result.pattern), x + column - 18)
                own = steps if len(steps) == len(marks) else ()
                sheet.add(stack_effects(marks, room, top, own)[0])
            else:
                number = short(number_of_result(result), column - 6, LETTERS)
                sheet.add(label(number, x, top + 12, size=LETTERS))
            said = NAMES[finding.verdict]
            brief = said if pixels(said, 11) <= column - 6 else str(finding.verdict)
            sheet.add(aside(brief, x, sheet.y + 17, anchor="start"))
            if result.pattern is not None:
                sheet.add(mini_map(states_of(finding), x, top + 4, 28))
            cells.append(f"{isolate(value)}: {said}, {in_words(result)}")
        phrases.append(f"{isolate(row.name)}: {'; '.join(cells)}")
        sheet.y = below + 16
        sheet.end_block()
    notes = notes_of(results, scale=f"Scales: d, {' to '.join(axis.ends())}.")
    notes += ("Above the marks: the verdict of level 1.",)
    every = (e for result in results for e in _with_d(result, findings[id(result)]))
    alt, key, title = f"{'. '.join(phrases)}.", key_of(results, every), _comparison_in_words(table)
    return sheet.close(alt, title=title, heads=tuple(written), key=key, notes=notes)


def _labels_of_row(
    sheet: Sheet, result: AssociationResult, levels: Sequence[Effect], names: float, top: float
) -> tuple[list[float], float]:
    """Write what the marks of a row are, and below what is on either side of zero.

    Returns the heights of the rows of marks, and where the labels end.
    """
    steps = _names(sheet, levels, names - 8, names - LEFT - 8, top)
    if not levels:
        return steps, top + 10 + MARK_ROW
    right, left = map(isolate, result.sides[-1][:2])
    ends, room = [f"← {left} · {right} →"], names - LEFT
    if pixels(ends[0], 11) > room:
        ends = [
            line
            for side in (f"← {left}", f"{right} →")
            for line in broken(side, room, MOST_LINES, 11)
        ]
    foot = top + 10 + sum(steps)
    for n, line in enumerate(ends):
        sheet.add(aside(line, LEFT, foot + 6 + 14.0 * n, anchor="start"))
    return steps, foot + 14.0 * (len(ends) - 1)


def _comparison_in_words(table: SideBySide) -> str:
    """How far the first effect size differs between settings; empty where none is in two."""
    between = join_names(table.values) if len(table.values) < 4 else f"{len(table.values)} settings"
    gaps = table.spreads
    if not gaps:
        return ""
    furthest = max(gaps, key=gaps.__getitem__)
    of = f" ({furthest})" * (len(gaps) > 1)
    return f"Level 1 differs by at most {effect(gaps[furthest])} between {between}{of}"


PARTS = {
    "Divergent": "div.",
    "Uniform": "unif.",
    "Singular": "sing.",
    "Non": "none",
    "Directional": "",
}
"""Second parts of the names of patterns, where there is little room."""


def resamples(results: Sequence[AssociationResult], width: float) -> Drawing:
    """Shares of resamples of the terms that show each EAT pattern, a row for each result."""
    settings, sheet = Settings.from_results(results), Sheet(width)
    names = min(0.24 * width, 200.0)
    column = (width - names - 8) / len(PATTERNS)
    side, whole = min(column - 8, 36.0), column > 66
    columns, heads = {pattern: names + i * column for i, pattern in enumerate(PATTERNS)}, []
    for pattern, x in columns.items():
        heads.append(mini_map(states(pattern), x + (column - side) / 2, 8, side))
        for i, part in enumerate(pattern.split("-")):
            text = part if whole else PARTS.get(part, part)
            heads.append(aside(text, x + column / 2, 22 + side + 12 * i))
    sheet.begin(42 + side)
    phrases = []
    for result in results:
        shares, own = shares_of(result)[0], result.primary.label
        if len(results) > 1:
            _draw_rule(sheet)
            lines = broken(heading(result, settings), names - LEFT - 6, MOST_LINES, LETTERS)
        else:
            lines = ["bootstrap", "samples"]
        sheet.add(text_lines(lines, LEFT, sheet.y + 17, size=LETTERS))
        for pattern, x in columns.items():
            share, strong = shares.get(pattern, 0.0), pattern == own
            if share or strong:
                sheet.add(*_share(share, x + 3, sheet.y + 10, column - 6, strong=strong))
        sheet.y += max(38.0, 15.0 * len(lines) + 10)
        sheet.end_block()
        seen = sorted(((s, p) for p, s in shares.items() if s), reverse=True)
        parts = ", ".join(f"{p} {percent(s)}" for s, p in seen)
        phrases.append(f"{isolate(result.test)}: observed {own}; {parts}")
    notes = (
        "Percentages of bootstrap samples of the terms that show each pattern, not the probability "
        "that another study shows it.",
    )
    key = "Bold and dark: the observed pattern."
    alt, about = ". ".join(phrases) + ".", "Bootstrap samples of the terms with each EAT pattern"
    title = f"EAT patterns by the paper's rule of {number_of(len(results), 'result')}"
    if len(results) == 1:
        own = results[0].primary.label
        observed = percent(shares_of(results[0])[0][own])
        title = f"{own} by the paper's rule in {observed} of bootstrap samples"
    return sheet.close(alt, title=title, about=about, heads=tuple(heads), key=key, notes=notes)
