"""Results below each other: forest, findings, adjusted, matrix, share of resamples."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from operator import attrgetter

from eatlas.errors import ResultsError, joined
from eatlas.numbers import effect, in_powers, interval, number_of, p_value, percent
from eatlas.present.drawings.eat_map import PATTERNS, mini_map
from eatlas.present.drawings.sheet import Drawing, Sheet
from eatlas.present.drawings.svg import (
    LEFT,
    RIGHT,
    Axis,
    Scales,
    broken,
    estimate,
    label,
    mark_of,
    muted,
    outline,
    path,
    short,
    stacked,
    text_lines,
)
from eatlas.present.effects import levels_of, own_share, shares_of
from eatlas.present.findings import findings_of
from eatlas.present.text import isolated, pixels
from eatlas.results import AssociationResult
from eatlas.results.compare import SideBySide, side_by_side
from eatlas.results.effects import Effect, Rule
from eatlas.results.settings import Settings

LETTERS, ROW, MARK_ROW = 12.0, 19.0, 12.0
WIDE = 640.0
"""Pixels from which on rows have room for p-values."""
BESIDE = 800.0
"""Pixels from which on effect sizes are beside their finding, else below it."""
LEAST_COLUMN = 90
"""Pixels of a column of a matrix."""
MARKS = "Diamond: X against Y, level 1; circle and square: X alone and Y alone, level 2."
NUMBER = 58.0
"""Pixels of an effect size and its star."""


def named(result: AssociationResult, settings: Settings | None = None) -> str:
    """A test by its id and title, and its setting where there are several."""
    title = result.title if result.title != result.test else ""
    head = ": ".join(filter(None, (result.test, title)))
    return " · ".join(filter(None, (head, settings.of(result) if settings else "")))


def key_of(results: Iterable[AssociationResult]) -> str:
    """What fill and lines mean, by the rules of the results, in one line."""
    effects = [e for result in results for e in result.effects()]
    rules = dict.fromkeys(Rule(e.rule.alpha, e.rule.tail) for e in effects if e.p is not None)
    levels = {f"{100 * e.confidence:g}%" for e in effects if e.interval and e.confidence}
    meant = " or ".join(rule.meaning.removeprefix("* ") for rule in rules)
    filled, lines = f"Filled: {meant}." * bool(meant), " or ".join(sorted(levels))
    return " ".join(filter(None, (filled, f"Lines: {lines} intervals." * bool(lines))))


def notes_of(results: Iterable[AssociationResult], scale: str = "") -> tuple[str, ...]:
    """What scales, marks and intervals mean, for a caption."""
    effects = [e for result in results for e in result.effects()]
    notes = [scale] if scale else []
    notes += [MARKS] if any(e.place == "level2.X" for e in effects) else []
    if any(e.read_over == "stimuli" for e in effects):
        notes.append("Tests of sentences: over stimuli.")
    if any(e.resampled and e.resampled.se is not None for e in effects):
        notes.append("p asks about these words, intervals about resamples of them.")
    return tuple(notes)


def in_words(result: AssociationResult) -> str:
    """The effect sizes of a result as a phrase."""
    sizes = [
        f"{e.title.lower()}, {isolated(e.name)}: {e.symbol} = {effect(e.d)}"
        + (f" {interval(e.interval)}" if e.interval else "")
        for e in result.effects()
    ]
    return f"{isolated(result.test)}: {'; '.join(sizes)}"


def forest(results: Sequence[AssociationResult], width: float) -> Drawing:
    """Effect sizes with their intervals, test below test."""
    settings, sheet = Settings.among(results), Sheet(width)
    effects = [e for result in results for e in result.effects()]
    symbol = "d" if any(e.symbol == "d" for e in effects) else effects[0].symbol
    # numbers of one measure are on one scale, those of several where they are called alike
    one_measure = len({result.measure for result in results}) == 1
    alike = {e.symbol for e in effects} if one_measure else {symbol}
    values = [v for e in effects if e.symbol in alike for v in (e.d, *(e.interval or ()))]
    with_p = width >= WIDE and any(e.p is not None for e in effects)
    numbers = (140 if any(e.interval for e in effects) else 50) + 80 * with_p
    names = min(0.36 * width, 260.0)
    axis = Axis.around(
        (v for v in values if v is not None), names + 12, width - RIGHT - numbers - 6
    )
    for test in (tests := dict.fromkeys(result.test for result in results)):
        members = [result for result in results if result.test == test]
        if len(tests) > 1:
            sheet.heading(named(members[0]))
        if any(e.roles in ("X", "Y", "XY") for e in members[0].effects()):
            directions(sheet, axis, members[0].sides[-1])
        for result in members:
            if len(members) > 1:
                setting = " · ".join(filter(None, (test, settings.of(result))))
                sheet.write(setting, size=11, class_="eat-muted")
                sheet.y += 3
            for row in result.effects():
                _forest_row(sheet, axis, row, names, drawn=row.symbol in alike, with_p=with_p)
            sheet.end_block()
        sheet.y += 4
    what = symbol if len(alike) == 1 else results[0].display_name
    what = "Effect size d" if symbol == "d" else what

    def around(first: float, last: float) -> tuple[str, float]:
        text = label(what, (axis.start + axis.end) / 2, last + 34, anchor="middle")
        return axis.grid(first, last) + text, last + 40

    alt = f"Forest plot of {len(effects)} effect sizes. " + ". ".join(map(in_words, results))
    key = key_of(results).replace("Filled:", "Filled and starred:")
    notes = notes_of(results)
    return sheet.close(f"{alt}.", key=key, notes=notes, around=around, kind="figure forest")


def directions(sheet: Sheet, axis: Axis, sides: Sequence[str]) -> None:
    """Which attribute is on which side of zero."""
    zero, y = axis.at(0), sheet.y + 8
    right, left = (
        short(sides[0], sheet.width - zero - 24, 11),
        short(sides[1], zero - LEFT - 24, 11),
    )
    sheet.add(muted(f"← {left}", zero - 7, y, anchor="end"))
    sheet.add(muted(f"{right} →", zero + 7, y, anchor="start"))
    sheet.y += 14


def _forest_row(
    sheet: Sheet, axis: Axis, row: Effect, names: float, *, drawn: bool, with_p: bool
) -> None:
    """Name, mark, number, interval and p of an effect size."""
    lines = broken(_called(row), names - LEFT, 3, LETTERS)
    height = max(ROW, 14.0 * len(lines) + 5)
    y, x = sheet.y + height / 2, axis.end + 46
    first, read = y + 4 - 7.0 * (len(lines) - 1), row.p_of()
    sheet.add(
        text_lines(lines, LEFT, first, step=14, size=LETTERS),
        estimate(row, axis, y, row.symbol) if drawn else "",
        label(effect(row.d), x, y + 4, anchor="end"),
        label(row.star, x + 1, y + 4),
        label(interval(row.interval), x + 12, y + 4) if row.interval else "",
    )
    if with_p and read is not None:
        edge = sheet.width - RIGHT
        sheet.add(label(in_powers(p_value(read, row.rule.alpha)), edge, y + 4, anchor="end"))
    sheet.y += height


def _called(row: Effect) -> str:
    """What an effect size compares, or its term; that it is of a level, names and marks say."""
    whole = row.term is not None or row.title.startswith("Level")
    return row.name if whole else f"{row.title}: {row.name}"


def _ruled(sheet: Sheet) -> None:
    """The rule above a row."""
    sheet.add(path(f"M{LEFT:g} {sheet.y:g}H{sheet.width - LEFT:g}", "fig-grid"))


def _with_d(result: AssociationResult) -> list[Effect]:
    """Effect sizes d of a result as a whole, level 1 first."""
    return sorted((e for e in levels_of(result) if e.symbol == "d"), key=attrgetter("place"))


def _marks(sheet: Sheet, result: AssociationResult, axis: Axis, top: float) -> None:
    """The effect sizes d of a result below each other."""
    if levels := _with_d(result):
        sheet.add(stacked(levels, axis, top, result.rule.threshold or 0.0)[0])


def _names(sheet: Sheet, result: AssociationResult, x: float, room: float, top: float) -> None:
    """The name of what each mark is, at its height, in its colour, up to an edge on the right."""
    for n, e in enumerate(_with_d(result)):
        shape, colour = mark_of(e.place)
        y = top + 2 + MARK_ROW * (n + 0.5)
        kind = f"fig-name {colour}".strip()
        fits = len(e.names) == 1 or pixels(isolated(e.name), 11) <= room - 14
        other = "their difference" if e.place == "level1" else "over attributes"
        name = short(e.name, room - 14, 11) if fits else other
        sheet.add(
            label(name, x - 14, y + 4, size=11, anchor="end", class_=kind),
            path(outline(shape, x - 6, y, 0.8), f"m on {colour}".strip()),
        )


def _towards(sheet: Sheet, result: AssociationResult, axis: Axis, y: float) -> None:
    """Which attribute is on which side of zero, in the width of an axis."""
    zero, (right, left) = axis.at(0), result.sides[-1][:2]
    for text, x, anchor, room in (
        (f"← {left}", zero - 4, "end", zero - axis.start + 30),
        (f"{right} →", zero + 4, "start", axis.end - zero + 30),
    ):
        sheet.add(muted(short(text, room, 11), x, y, anchor=anchor))


def findings(results: Sequence[AssociationResult], width: float) -> Drawing:
    """A row for each result: its map, what it says, its effect sizes, its share of resamples."""
    settings, sheet, wide = Settings.among(results), Sheet(width), width >= BESIDE
    stable = 62.0 if any(own_share(result) is not None for result in results) else 0.0
    left = LEFT + 42 if any(result.pattern for result in results) else LEFT
    drawn = any(map(_with_d, results))
    end = width - stable
    axis = Scales.of(results).axis.on(end - min(0.4 * (end - left), 200.0) - 14, end - 20)
    called = min(0.55 * (end - left), 220.0) * drawn  # room for what marks are
    room = (axis.start - called if wide and drawn else end) - left - 14
    heads = [muted(text, x, 14) for x, text in axis.ticks() if drawn]
    heads += [muted("resamples", width - 10, 14, anchor="end")] * bool(stable)
    sheet.begin(20.0)
    shown = findings_of(results)
    for result, finding in zip(results, shown, strict=True):
        _ruled(sheet)
        pattern = result.primary.label if result.pattern else ""
        about = " · ".join(filter(None, (result.test, pattern, settings.of(result))))
        lines = broken(finding.sentence, room, 4, LETTERS)
        sheet.add(text_lines(lines, left, sheet.y + 17, size=LETTERS))
        high = 15.0 * len(lines) + 17
        for line in broken(about, room, 2, 11):
            sheet.add(muted(line, left, sheet.y + high, anchor="start"))
            high += 14.0
        if levels := _with_d(result):
            # on a narrow drawing below the text, or beside its last line if that is short
            above = 28.0 if pixels(about, 11) < axis.start - left else 14.0
            top = sheet.y + (2.0 if wide else high - above)
            _towards(sheet, result, axis, top + 14)
            _marks(sheet, result, axis, top + 18)
            _names(sheet, result, axis.start - 8, called - 8, top + 18)
            high = max(high, top - sheet.y + 26 + MARK_ROW * len(levels))
        if result.pattern is not None:
            sheet.add(mini_map(result.primary.label, LEFT, sheet.y + 8, 32))
        if (share := own_share(result)) is not None:
            sheet.add(*_share(share, end, sheet.y + 16, stable - 10, strong=True))
        sheet.y += max(high, 46.0)
        sheet.end_block()
    key = key_of(results) if drawn else ""
    notes = notes_of(results if drawn else (), "Axis: effect size d." * drawn)
    if stable:
        notes += ("Share of resamples of the terms that show the same pattern.",)
    pairs = zip(results, shown, strict=True)
    alt = " ".join(f"{isolated(result.test)}: {finding}." for result, finding in pairs)
    return sheet.close(
        alt, heads=tuple(heads), key=key, notes=notes, kind="figure findings"
    )  # fmt: skip


def adjusted(results: Sequence[AssociationResult], width: float) -> Drawing:
    """Effect sizes as they are and given covariates: level 1 of several results, all of one."""
    settings, sheet, alone = Settings.among(results), Sheet(width), len(results) == 1
    rows: list[tuple[str, Effect, Effect]] = []
    for result in results:
        test = "" if alone else ", ".join(filter(None, (result.test, settings.of(result))))
        both = [(e, e.after) for e in result.effects() if e.after is not None]
        first = [] if alone else [pair for pair in both if pair[0].place == "level1"]
        rows += [(": ".join(filter(None, (test, _called(e)))), e, z) for e, z in first or both]
    names = LEFT + min(0.36 * width, 260.0, max(pixels(name, LETTERS) for name, *_ in rows) + 8)
    ends = [v for _, e, after in rows for v in (0.0, e.d, after.d, *(after.interval or ()))]
    edge = width - RIGHT
    axis = Axis.within((v for v in ends if v is not None), names + 8, edge - 2 * NUMBER - 8)
    if alone:
        directions(sheet, axis, results[0].sides[-1])
    given = [*dict.fromkeys(c for r in results if r.adjusted for c in r.adjusted.covariates)]
    covariates, held = joined(given), given[0] if len(given) == 1 else "covariates"
    held = short(held, NUMBER + 4, 11)
    y, heads = sheet.y + 24, list(sheet.parts)
    heads += [
        muted("d", edge - NUMBER - 6, y, anchor="end"),
        muted("given", edge, y - 12, anchor="end"),
        muted(held, edge, y, anchor="end"),
    ]
    sheet.parts = []
    sheet.begin(y + 4)
    for name, row, after in rows:
        lines = broken(name, names - LEFT, 3, LETTERS)
        height = max(ROW, 14.0 * len(lines) + 5)
        y, (shape, colour) = sheet.y + height / 2, mark_of(row.place)
        sheet.add(text_lines(lines, LEFT, y + 4 - 7.0 * (len(lines) - 1), step=14, size=LETTERS))
        if after.interval:
            low, high = map(axis.at, after.interval)
            sheet.add(path(f"M{low:.1f} {y - 2.5:g}H{high:.1f}v5H{low:.1f}z", "b faint"))
        if row.d is not None and after.d is not None:
            hollow, filled = (round(axis.at(d), 1) for d in (row.d, after.d))
            sheet.add(
                path(f"M{hollow:g} {y:g}H{filled:g}", f"i {colour}".strip()),
                path(outline(shape, hollow, y, 1.2), f"m {colour}".strip()),
                path(outline(shape, filled, y, 0.8), f"m on {colour}".strip()),
            )
        for e, x in ((row, edge - NUMBER), (after, edge)):
            sheet.add(label(effect(e.d), x - 6, y + 4, anchor="end"), label(e.star, x - 5, y + 4))
        sheet.y += height
        sheet.end_block()
    levels = {f"{100 * e.confidence:g}%" for _, e, after in rows if after.interval and e.confidence}
    bars = f", with its {' or '.join(sorted(levels))} interval" if levels else ""
    rules = dict.fromkeys(Rule(e.rule.alpha, e.rule.tail).meaning for _, e, _ in rows)
    key = f"Hollow: d. Filled: d given {covariates}{bars}. {' or '.join(rules)}."
    phrases = (
        f"{isolated(name)}: d = {effect(e.d)}{e.star}, adjusted {effect(after.d)}{after.star}"
        for name, e, after in rows
    )
    return sheet.close(
        f"Effect sizes given {covariates}. {'; '.join(phrases)}.",
        heads=tuple(heads), key=key,
        around=lambda first, last: (axis.grid(first, last), last + 20),
    )  # fmt: skip


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
    axis = Scales.of(table.results).axis
    lefts = [names + i * column for i in range(len(table.values))]
    heads = [broken(value, column - 10, 3, LETTERS) for value in table.values]
    written = [
        text_lines(lines, x, 18, size=LETTERS, font_weight=700)
        for x, lines in zip(lefts, heads, strict=True)
    ]
    sheet.begin(10 + 15.0 * max(map(len, heads)))
    phrases = []
    for row in table:
        _ruled(sheet)
        levels = _with_d(row.first)
        lines, top = broken(row.name, names - LEFT - 8, 2, LETTERS), sheet.y + 20
        sheet.add(text_lines(lines, LEFT, sheet.y + 17, size=LETTERS, font_weight=700))
        top += 15.0 * (len(lines) - 1)
        _names(sheet, row.first, names - 8, names - LEFT - 8, top)
        if levels:
            right, left = row.first.sides[-1][:2]
            ends, y = f"← {left} · {right} →", top + 16 + MARK_ROW * len(levels)
            sheet.add(muted(short(ends, names - LEFT, 11), LEFT, y, anchor="start"))
        below, cells = top + 10 + MARK_ROW * len(levels), []
        for x, value, result in zip(lefts, table.values, row.members, strict=True):
            if result is None:
                sheet.add(muted("no result", x, sheet.y + 17, anchor="start"))
                continue
            scale = axis.on(x + (38 if result.pattern else 4), x + column - 18)
            _marks(sheet, result, scale, top)
            if result.pattern is not None:
                weight = {"font_weight": 700} if row.differs else {"class_": "eat-muted"}
                pattern = short(result.primary.label, column - 6, 11)
                sheet.add(label(pattern, x, sheet.y + 17, size=11, **weight))
                sheet.add(mini_map(result.primary.label, x, top + 4, 28))
            shows = result.primary.label if result.pattern else in_words(result)
            cells.append(f"{isolated(value)}: {shows}")
        phrases.append(f"{isolated(row.name)}: {'; '.join(cells)}")
        sheet.y = below + 16
        sheet.end_block()
    notes = notes_of(table.results, scale=f"Scales: d, {' to '.join(axis.ends())}.")
    if table.changed:
        notes += ("Bold: patterns of a test that differ.",)
    alt, key = f"{'. '.join(phrases)}.", key_of(table.results)
    title = _compared(table)
    return sheet.close(alt, title=title, heads=tuple(written), key=key, notes=notes)


def _compared(table: SideBySide) -> str:
    """In how many tests the patterns differ between settings."""
    between = joined(table.values) if len(table.values) < 4 else f"{len(table.values)} settings"
    rows = [row for row in table if any(row.labels)]
    if not rows:
        return f"{number_of(len(table), 'test')} in {between}"
    changed = len(table.changed)
    differs = "differs" if changed == 1 else "differ"
    return (
        f"{changed or 'None'} of {number_of(len(rows), 'EAT pattern')} {differs} between {between}"
    )


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
    settings, sheet = Settings.among(results), Sheet(width)
    names = min(0.24 * width, 200.0)
    column = (width - names - 8) / len(PATTERNS)
    side, whole = min(column - 8, 36.0), column > 66
    columns, heads = {pattern: names + i * column for i, pattern in enumerate(PATTERNS)}, []
    for pattern, x in columns.items():
        heads.append(mini_map(pattern, x + (column - side) / 2, 8, side))
        for i, part in enumerate(pattern.split("-")):
            text = part if whole else PARTS.get(part, part)
            heads.append(muted(text, x + column / 2, 22 + side + 12 * i))
    sheet.begin(42 + side)
    phrases = []
    for result in results:
        shares, own = shares_of(result)[0], result.primary.label
        if len(results) > 1:
            _ruled(sheet)
            lines = broken(named(result, settings), names - LEFT - 6, 3, LETTERS)
        else:
            lines = ["share of", "resamples"]
        sheet.add(text_lines(lines, LEFT, sheet.y + 17, size=LETTERS))
        for pattern, x in columns.items():
            share, strong = shares.get(pattern, 0.0), pattern == own
            if share or strong:
                sheet.add(*_share(share, x + 3, sheet.y + 10, column - 6, strong=strong))
        sheet.y += max(38.0, 15.0 * len(lines) + 10)
        sheet.end_block()
        seen = sorted(((s, p) for p, s in shares.items() if s), reverse=True)
        parts = ", ".join(f"{p} {percent(s)}" for s, p in seen)
        phrases.append(f"{isolated(result.test)}: observed {own}; {parts}")
    notes = (
        "Shares of the resamples of the terms that show each pattern. They are no probability that "
        "another study shows it.",
    )
    key = "Bold and dark: the observed pattern."
    alt, about = ". ".join(phrases) + ".", "Share of resamples of the terms with each EAT pattern"
    return sheet.close(alt, about=about, heads=tuple(heads), key=key, notes=notes)
