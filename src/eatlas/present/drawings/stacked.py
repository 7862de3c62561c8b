"""Results below each other: forest, findings, adjusted, matrix, stability, influence and others."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from operator import attrgetter

import numpy as np

from eatlas.errors import ResultsError, joined
from eatlas.numbers import effect, interval, p_value, percent
from eatlas.present.drawings.eat_map import PATTERNS, mini_map
from eatlas.present.drawings.svg import (
    LEFT,
    RIGHT,
    WIDTH,
    Axis,
    Scales,
    Sheet,
    broken,
    cross,
    dot,
    estimate,
    figure,
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
from eatlas.present.targets import at_ends, leans
from eatlas.present.text import isolated, pixels
from eatlas.results import AssociationResult
from eatlas.results.compare import SideBySide, side_by_side
from eatlas.results.effects import Effect, Rule
from eatlas.results.settings import Settings

LETTERS, ROW = 12.0, 19.0
WIDE = 640.0
"""Pixels from which on rows have room for p-values."""
LEAST_COLUMN = 90
"""Pixels of a column of a matrix."""
MARKS = "Diamonds: level 1. Circles and squares: level 2 of X and of Y alone."
NUMBER = 54.0
"""Pixels of an effect size and its star."""
THESE = "p asks about these words, intervals about resamples of them."
DRIVERS, ENDS = 6, 15
"""Terms of an effect size, and targets at either end, that a drawing shows."""
DRAWN, BINS, SEED = 20_000, 41, 0
"""Relabellings of a null distribution; bars of it, an odd number so that one is at zero."""


def named(result: AssociationResult, settings: Settings | None = None) -> str:
    """A test by its id and title, and its setting where there are several."""
    title = result.title if result.title != result.test else ""
    head = ": ".join(filter(None, (result.test, title)))
    return " · ".join(filter(None, (head, settings.of(result) if settings else "")))


def notes_of(
    results: Iterable[AssociationResult], settings: Settings | None = None, scale: str = ""
) -> list[str]:
    """Source, and what scales, marks, fill, star and lines mean, by the rules of the results."""
    effects = [e for result in results for e in (levels_of(result) if scale else result.effects())]
    notes = [f"Source: {settings.common}."] if settings and settings.common else []
    notes += [scale, MARKS] if scale else []
    rules = dict.fromkeys(Rule(e.rule.alpha, e.rule.tail) for e in effects if e.p is not None)
    if rules:
        meant = " or ".join(rule.meaning.removeprefix("* ") for rule in rules)
        notes.append(f"{'Filled' if scale else 'Filled and starred'}: {meant}.")
    if any(e.read_over == "stimuli" for e in effects):
        notes.append("Tests of sentences: over stimuli.")
    levels = dict.fromkeys(e.confidence for e in effects if e.interval and e.confidence)
    if levels:
        shares = " or ".join(f"{100 * level:g}%" for level in levels)
        notes.append(f"Lines: {shares} intervals over resampled terms. {THESE}")
    return notes


def in_words(result: AssociationResult) -> str:
    """The effect sizes of a result as a phrase."""
    sizes = [
        f"{e.title.lower()}, {isolated(e.name)}: {e.symbol} = {effect(e.d)}"
        + (f" {interval(e.interval)}" if e.interval else "")
        for e in result.effects()
    ]
    return f"{isolated(result.test)}: {'; '.join(sizes)}"


def forest(results: Sequence[AssociationResult], width: float) -> str:
    """Effect sizes of levels 1 and 2 with their intervals, test below test."""
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
    top = None
    for test in dict.fromkeys(result.test for result in results):
        members = [result for result in results if result.test == test]
        sheet.heading(named(members[0]))
        if any(e.roles in ("X", "Y", "XY") for e in members[0].effects()):
            _directions(sheet, axis, members[0].sides[-1])
        top = sheet.y if top is None else top
        for result in members:
            if len(members) > 1:
                sheet.write(settings.of(result), size=11, class_="eat-muted")
                sheet.y += 3
            for row in result.effects():
                _forest_row(sheet, axis, row, names, drawn=row.symbol in alike, with_p=with_p)
        sheet.y += 4
    sheet.parts.insert(0, axis.grid(top or 0, sheet.y))
    what = symbol if len(alike) == 1 else results[0].display_name
    what = "Effect size d" if symbol == "d" else what
    sheet.add(label(what, (axis.start + axis.end) / 2, sheet.y + 34, anchor="middle"))
    sheet.y += 40
    alt = f"Forest plot of {len(effects)} effect sizes. " + ". ".join(map(in_words, results))
    title, notes = "Effect sizes with intervals", notes_of(results, settings)
    return sheet.close(title, alt + ".", "figure forest", notes)


def _directions(sheet: Sheet, axis: Axis, sides: Sequence[str]) -> None:
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
        sheet.add(label(p_value(read, row.rule.alpha), edge, y + 4, anchor="end"))
    sheet.y += height


def _called(row: Effect) -> str:
    """The level of an effect size and what it compares, or its term."""
    level = row.title if row.title.isupper() else row.title.partition(",")[0]
    return row.name if row.term else f"{level}: {row.name}"


def _titled(sheet: Sheet, left: float, title: Sequence[str], about: Sequence[str] = ()) -> float:
    """The rule above a row, its lines and what is about it; the height that they take."""
    below = sheet.y + 17 + 15.0 * len(title)
    sheet.add(
        path(f"M{LEFT:g} {sheet.y:g}H{sheet.width - LEFT:g}", "fig-grid"),
        text_lines(title, left, sheet.y + 17, size=LETTERS),
        *(muted(text, left, below + 14.0 * i, anchor="start") for i, text in enumerate(about)),
    )
    return 15.0 * len(title) + 14.0 * len(about) + 10


def _with_d(result: AssociationResult) -> list[Effect]:
    """Effect sizes d of a result as a whole."""
    return [effect for effect in levels_of(result) if effect.symbol == "d"]


def _small(sheet: Sheet, result: AssociationResult, x: float, side: float, axis: Axis) -> float:
    """The small map of a result and its effect sizes below each other; the height of these."""
    if result.pattern is not None:
        sheet.add(mini_map(result.primary.label, x, sheet.y + 6, side))
    levels = sorted(_with_d(result), key=attrgetter("place"))
    if levels:
        sheet.add(stacked(levels, axis, sheet.y + 4, result.rule.threshold or 0.0)[0])
    return 12.0 * len(levels) + 12


def findings(results: Sequence[AssociationResult], width: float) -> str:
    """A row for each result: its map, what it says, its effect sizes, and how stable that is."""
    settings, sheet = Settings.among(results), Sheet(width)
    stable = 62.0 if any(own_share(result) is not None for result in results) else 0.0
    end = width - stable
    axis = Scales.of(results).axis.on(end - min(0.28 * width, 220.0) - 16, end - 20)
    left = LEFT + 42 if any(result.pattern for result in results) else LEFT
    room = axis.start - left - 14
    drawn = any(map(_with_d, results))
    sheet.add(*(muted(text, x, 14) for x, text in axis.ticks() if drawn))
    sheet.add(muted("stability", width - 10, 14, anchor="end") if stable else "")
    sheet.y = 20
    shown = findings_of(results)
    for result, finding in zip(results, shown, strict=True):
        pattern = result.primary.label if result.pattern else ""
        about = " · ".join(filter(None, (result.test, pattern, settings.of(result))))
        lines = broken(finding.sentence, room, 4, LETTERS), broken(about, room, 2, 11)
        height = max(_titled(sheet, left, *lines), _small(sheet, result, LEFT, 32, axis), 44.0)
        if (share := own_share(result)) is not None:
            sheet.add(*_share(share, end, sheet.y + 16, stable - 10, strong=True))
        sheet.y += height
    sheet.y += 4
    scale = f"Scale: d, {' to '.join(axis.ends())}." if drawn else ""
    notes = notes_of(results if drawn else (), settings, scale)
    if stable:
        notes.append("Stability: share of resamples of the terms with the same pattern.")
    pairs = zip(results, shown, strict=True)
    alt = " ".join(f"{isolated(result.test)}: {finding}." for result, finding in pairs)
    return sheet.close(f"{len(results)} findings", alt, "figure findings", notes)


def adjusted(results: Sequence[AssociationResult], width: float) -> str:
    """Effect sizes as they are and given covariates: level 1 of several results, all of one."""
    settings, sheet, alone = Settings.among(results), Sheet(width), len(results) == 1
    rows: list[tuple[str, Effect, Effect]] = []
    for result in results:
        test = "" if alone else ", ".join(filter(None, (result.test, settings.of(result))))
        both = [(e, e.after) for e in result.effects() if e.after is not None]
        first = [] if alone else [pair for pair in both if pair[0].place == "level1"]
        rows += [(test, *pair) for pair in first] or [
            (": ".join(filter(None, (test, _called(e)))), e, after) for e, after in both
        ]
    names = LEFT + min(0.3 * width, 220.0, max(pixels(name, LETTERS) for name, *_ in rows) + 8)
    ends = [v for _, e, after in rows for v in (0.0, e.d, after.d, *(after.interval or ()))]
    edge = width - RIGHT
    axis = Axis.within((v for v in ends if v is not None), names + 8, edge - 2 * NUMBER - 8)
    if alone:
        sheet.heading(named(results[0]))
        _directions(sheet, axis, results[0].sides[-1])
    sheet.y += 12
    heads = ("d", edge - NUMBER), ("adjusted", edge)
    sheet.add(*(muted(text, x, sheet.y, anchor="end") for text, x in heads))
    sheet.y += 4
    top = sheet.y
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
    sheet.parts.insert(0, axis.grid(top, sheet.y))
    sheet.y += 20
    covariates = joined(
        [*dict.fromkeys(c for r in results if r.adjusted for c in r.adjusted.covariates)]
    )
    levels = {f"{100 * e.confidence:g}%" for _, e, after in rows if after.interval and e.confidence}
    bars = f", with its {' or '.join(sorted(levels))} interval" if levels else ""
    rules = dict.fromkeys(Rule(e.rule.alpha, e.rule.tail).meaning for _, e, _ in rows)
    notes = [
        *notes_of((), settings),
        f"Hollow: effect size d. Filled: d given {covariates}{bars}.",
        f"{' or '.join(rules)}.",
    ]
    phrases = (
        f"{isolated(name)}: d = {effect(e.d)}{e.star}, adjusted {effect(after.d)}{after.star}"
        for name, e, after in rows
    )
    title = f"Effect sizes given {covariates}"
    return sheet.close(title, f"{title}. {'; '.join(phrases)}.", "figure", notes)


def _share(share: float, x: float, y: float, width: float, *, strong: bool) -> list[str]:
    """A share as a bar on a faint whole, and its percentage below."""
    bar = f"M{x:g} {y:g}h{share * width:.1f}v6h-{share * width:.1f}z"
    look = {"font_weight": 700} if strong else {"class_": "eat-muted"}
    return [
        path(f"M{x:g} {y:g}h{width:g}v6h-{width:g}z", "fig-shade"),
        path(bar, "b on" if strong else "b"),
        label(percent(share), x + width / 2, y + 19, size=11, anchor="middle", **look),
    ]


def matrix(settings: SideBySide | Sequence[AssociationResult], width: float) -> str:
    """Tests by settings: a small EAT-Map and the effect sizes in each cell, and what differs."""
    table = settings if isinstance(settings, SideBySide) else side_by_side(settings)
    sheet, names = Sheet(width), min(0.3 * width, 200.0)
    column, room = (width - names - LEFT) / len(table.values), names - LEFT - 8
    if column < LEAST_COLUMN:
        raise ResultsError(
            "the matrix does not fit into this width",
            got=f"{len(table.values)} settings",
            allowed=f"{int((width - names - LEFT) // LEAST_COLUMN)} at most",
            remedy='take width="double", or fewer results, such as results[:20]',
        )
    axis = Scales.of(table.results).axis
    lefts = [names + i * column for i in range(len(table.values))]
    heads = [broken(value, column - 10, 3, LETTERS) for value in table.values]
    for x, lines in zip(lefts, heads, strict=True):
        sheet.add(text_lines(lines, x, 18, size=LETTERS, font_weight=700))
    sheet.y = 10 + 15.0 * max(map(len, heads))
    phrases = []
    for row in table:
        differs = [f"differs: {row.differs}"] if row.differs else []
        groups = [" / ".join(map(isolated, side)) for side in row.first.sides]
        about = [line for text in (*groups, *differs) for line in broken(text, room, 4, 11)]
        height = max(46.0, _titled(sheet, LEFT, broken(row.name, room, 2, LETTERS), about))
        cells = []
        for x, value, result in zip(lefts, table.values, row.members, strict=True):
            if result is None:
                sheet.add(muted("no result", x + 8, sheet.y + 22, anchor="start"))
                continue
            scale = axis.on(x + (38 if result.pattern else 4), x + column - 18)
            height = max(height, _small(sheet, result, x, 28, scale))
            shows = result.primary.label if result.pattern else in_words(result)
            cells.append(f"{isolated(value)}: {shows}")
        phrases.append(f"{isolated(row.name)}: {'; '.join(cells)}")
        sheet.y += height
    sheet.y += 4
    notes = notes_of(table.results, scale=f"Scales: d, {' to '.join(axis.ends())}.")
    title = f"{len(table)} tests in {len(table.values)} settings"
    return sheet.close(title, f"{'. '.join(phrases)}.", notes=notes)


def stability(results: Sequence[AssociationResult], width: float) -> str:
    """Shares of resamples of the terms that show each EAT pattern, a row for each result."""
    settings, sheet = Settings.among(results), Sheet(width)
    names = min(0.24 * width, 200.0)
    column = (width - names - 8) / len(PATTERNS)
    side, written = min(column - 8, 36.0), column > 66
    columns = {pattern: names + i * column for i, pattern in enumerate(PATTERNS)}
    for pattern, x in columns.items():
        sheet.add(mini_map(pattern, x + (column - side) / 2, 8, side))
        for i, part in enumerate(pattern.split("-") if written else ()):
            sheet.add(muted(part, x + column / 2, 22 + side + 12 * i))
    sheet.y = 14 + side + 28 * written
    phrases = []
    for result in results:
        shares, own = shares_of(result)[0], result.primary.label
        for pattern, x in columns.items():
            share, strong = shares.get(pattern, 0.0), pattern == own
            if share or strong:
                sheet.add(*_share(share, x + 3, sheet.y + 10, column - 6, strong=strong))
        lines = broken(named(result, settings), names - LEFT - 6, 3, LETTERS)
        sheet.y += max(38.0, _titled(sheet, LEFT, lines))
        seen = sorted(((s, p) for p, s in shares.items() if s), reverse=True)
        parts = ", ".join(f"{p} {percent(s)}" for s, p in seen)
        phrases.append(f"{isolated(result.test)}: observed {own}; {parts}")
    sheet.y += 4
    notes = [
        *notes_of((), settings),
        "Shares of the resamples of the terms that show each pattern; bold and dark: the observed "
        "one. No probability that another study shows a pattern.",
    ]
    return sheet.close("EAT patterns among resamples", ". ".join(phrases) + ".", notes=notes)


DRIVEN = {
    "X": ("x", "circle"), "Y": ("y", "square"), "A": ("a", "triangle"), "B": ("n", "diamond"),
}  # fmt: skip
"""Colour and shape of the terms of a group."""


def influence(result: AssociationResult, width: float) -> str:
    """Each effect size without single terms, those that change it most."""
    sheet, names = Sheet(width), min(0.4 * width, 220.0)
    sheet.heading(named(result))
    phrases = []
    for row in levels_of(result):
        if (d := row.d) is None or row.influence is None:
            continue
        changes = [
            (change, term, role)
            for role, values in row.influence.items()
            for term, change in zip(result.scored(role), values, strict=False)
            if change is not None
        ]
        changes.sort(key=lambda change: -abs(change[0]))
        most = changes[:DRIVERS]
        sheet.y += 4
        sheet.write(f"{row.title}: {row.name}, d = {effect(d)}")
        sheet.y += 6
        axis = Axis.within([d, *(d + change for change, *_ in most)], names + 10, width - 64)
        bottom, whole = sheet.y + ROW * len(most), f"M{axis.at(d):.1f} "
        sheet.add(axis.grid(sheet.y, bottom, strong=None))
        sheet.add(path(f"{whole}{sheet.y:g}V{bottom:g}", "fig-ink"))
        for change, term, role in sorted(most, key=lambda change: change[0] * d):
            y, x, (colour, shape) = sheet.y + ROW / 2, axis.at(d + change), DRIVEN[role]
            sheet.add(
                label(short(term, names - LEFT - 30, LETTERS), LEFT + 18, y + 4),
                muted(role, LEFT, y + 4, anchor="start"),
                path(f"{whole}{y:g}H{x:.1f}", f"i {colour}"),
                path(outline(shape, round(x, 1), y), f"m{' on' * (change * d < 0)} {colour}"),
                label(effect(d + change), width - RIGHT, y + 4, anchor="end"),
            )
            sheet.y += ROW
        sheet.y += 22
        if len(changes) > len(most):
            text = f"{len(most)} of {len(changes)} terms, those that change it most."
            sheet.write(text, size=11, class_="eat-muted")
        drivers = ", ".join(f"{isolated(term)} {effect(d + c)}" for c, term, _ in most[:3])
        phrases.append(f"{row.title}, {isolated(row.name)}: d = {effect(d)}; without {drivers}")
    title = f"Influence of single terms in {result.test}"
    note = "Marks: d without the term; line: d with all. Filled: nearer to 0 without the term, or "
    return sheet.close(title, f"{title}. {'. '.join(phrases)}.", notes=[f"{note}past it."])


def null(result: AssociationResult, width: float) -> str:
    """The effect sizes of random relabellings, with the observed one of level 1."""
    level, scores = result.primary.level1, result.primary.scores
    values = np.array([*scores.X, *scores.Y] if scores else [])
    if not (level and scores and level.difference and level.effect_size) or len(values) < 2:
        raise ResultsError(
            f"the result of {result.test} has no distribution of its level 1",
            got="no scores of single words" if not len(values) else "no difference, or no spread",
            allowed="results with the scores of their targets and an effect size other than 0",
        )
    n, d, unit = len(scores.X), level.effect_size, level.effect_size / level.difference
    order = np.random.default_rng(SEED).permuted(np.tile(values, (DRAWN, 1)), axis=1)
    chance = (order[:, :n].mean(axis=1) - order[:, n:].mean(axis=1)) * unit
    reach = max(abs(d), float(np.abs(chance).max())) * (1 + 1e-9)
    counts, ends = np.histogram(chance, BINS, range=(-reach, reach))
    sheet, high = Sheet(width), 150.0
    sheet.heading(named(result))
    top, bottom = sheet.y + 22, sheet.y + 22 + high
    axis = Axis.around((-reach, reach), LEFT + 20, width - RIGHT - 20)
    sheet.add(axis.grid(top, bottom))
    bars = {"b": "", "b on": ""}
    for count, first, last in zip(counts.tolist(), ends[:-1], ends[1:], strict=True):
        left, right = axis.at(float(first)) + 0.5, axis.at(float(last)) - 0.5
        tall = high * count / counts.max()
        kind = "b on" if abs(first + last) / 2 >= abs(d) else "b"
        bars[kind] += f"M{left:.1f} {bottom:g}v-{tall:.1f}H{right:.1f}V{bottom:g}z"
    sheet.add(*(path(drawn, kind) for kind, drawn in bars.items() if drawn))
    x, text = axis.at(d), f"observed d = {effect(d)}"
    sheet.add(path(f"M{x:.1f} {top - 4:g}V{bottom:g}", "fig-reference"))
    anchor, shift = ("end", 6) if x > width / 2 else ("start", -6)
    sheet.add(label(text, x + shift, top - 9, anchor=anchor))
    sheet.y = bottom + 38
    sheet.add(label("Effect size d of level 1", width - RIGHT, sheet.y, anchor="end"))
    p = p_value(level.p.two_sided, result.rule.alpha)
    note = (
        f"{DRAWN:,} random relabellings of {len(values)} scores; dark: as far from 0 as the "
        f"observed d, or farther. Two-sided p: {p}."
    )
    title = f"What random labels show in {result.test}"
    return sheet.close(title, f"{title}: {text}. {note}", notes=[note])


def targets(result: AssociationResult, width: float) -> str:
    """Targets at either end, and in each column their deviation from the share of a group."""
    shown, sheet = leans(result), Sheet(width)
    rows, left = at_ends(shown.known, ENDS)
    if not rows:
        raise ResultsError(f"no lean of {result.test} is defined", got=f"{len(shown.rows)} targets")
    sheet.heading(named(result))
    names = min(0.28 * width, 200.0)
    column = (width - names - LEFT) / len(shown.columns)
    values = [value for row in rows for value in row.points if value is not None]
    values += [end for row in rows for pair in row.intervals if pair for end in pair]
    scale = Axis.around(values, 0.0, 1.0)
    groups = [isolated(group) for group in shown.groups]
    heads = [f"← {groups[1]} · {groups[0]} →"] if len(groups) == 2 else groups
    top = sheet.y + 18
    for i, (group, head) in enumerate(zip(shown.columns, heads, strict=True)):
        axis = scale.on(names + i * column + 14, names + (i + 1) * column - 14)
        middle = (axis.start + axis.end) / 2
        sheet.add(label(short(head, column - 8, 12), middle, top - 8, anchor="middle"))
        sheet.add(axis.grid(top, top + ROW * len(rows)))
        for n, row in enumerate(rows):
            y, value, ends = top + ROW * (n + 0.5), row.points[group], row.intervals[group]
            if value is not None:
                kind = "fig-towards" if value > 0 else "fig-away"
                kind += " faint" if row.towards is None else ""
                zero = f"{axis.at(0):.1f}"
                sheet.add(path(f"M{zero} {y - 5:g}H{axis.at(value):.1f}v10H{zero}z", kind))
            if ends is not None:
                sheet.add(path(f"M{axis.at(ends[0]):.1f} {y:g}H{axis.at(ends[1]):.1f}", "i"))
    for n, row in enumerate(rows):
        y = top + ROW * (n + 0.5) + 4
        sheet.add(label(short(row.term, names - LEFT - 10, 12), LEFT, y))
    sheet.y = top + ROW * len(rows) + 24
    meaning = f"{shown.meaning('Lines')} Pale: no lean by the interval."
    notes = [f"Reference: {shown.reference}. {meaning}"]
    notes += [f"{left} targets between them are left out."] if left else []
    title = f"Leans of {len(shown.known)} targets of {result.test}"
    alt = f"{title}: {'; '.join(row.sentence for row in rows)}."
    return sheet.close(title, alt, notes=notes)


SIDE, TOP, DOT = 380.0, 34.0, 2.6
"""Pixels of the triangle, above it, and of half a dot."""


def triangle(result: AssociationResult, width: float = WIDTH) -> str:
    """Shares of targets among three groups, as points in a triangle; those that lean most named.

    A corner is a share of 1 for its group; the cross is the reference.
    """
    shown = leans(result)
    points = [(row.term, p) for row in shown.known if (p := row.shown.distribution) and min(p) >= 0]
    chosen = {row.term for row in shown.examples or shown.known[:1]}
    side, tall = width - WIDTH + SIDE, math.sqrt(3) / 2

    def at(shares: Sequence[float]) -> tuple[float, float]:
        """Pixels of three shares."""
        _, second, third = shares
        return (width - side) / 2 + side * (second + third / 2), TOP + side * tall * (1 - third)

    lines, numbers = "", []
    for share in (0.25, 0.5, 0.75):
        rest = 1 - share
        for turn in range(3):  # a line across each corner
            ends = [(share, rest, 0), (share, 0, rest)]
            first, last = (at(end[-turn:] + end[:-turn]) for end in ends)
            lines += f"M{first[0]:.1f} {first[1]:.1f}L{last[0]:.1f} {last[1]:.1f}"
        x, y = at((0, rest, share))
        numbers.append(muted(f"{share:.0%}", x + 6, y + 4, anchor="start"))
    corners = [at((1, 0, 0)), at((0, 1, 0)), at((0, 0, 1))]
    border = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in corners) + "z"
    x, y = (round(value, 1) for value in at(shown.result.reference))
    dots = "".join(dot(*at(p), DOT) for _, p in points)
    parts = [path(lines, "fig-grid"), *numbers, path(border, "fig-frame"), path(dots, "fig-dot")]
    parts.append(path(cross(x, y, 7), "fig-reference"))
    for term, p in points:
        if term in chosen:
            x, y = at(p)
            anchor, shift = ("start", 6) if x < width / 2 else ("end", -6)
            parts.append(label(short(term, 110), x + shift, y + 4, size=11, anchor=anchor))
    looks = (("start", -8, 20), ("end", 8, 20), ("middle", 0, -12))
    for (x, y), group, (anchor, dx, dy) in zip(corners, shown.groups, looks, strict=True):
        name = short(group, 180)
        parts.append(label(name, x + dx, y + dy, size=12.5, font_weight=600, anchor=anchor))
    title = f"Shares of {len(points)} targets among {', '.join(map(isolated, shown.groups))}"
    alt = f"{title}, as points in a triangle; the cross is the reference."
    return figure(TOP + side * tall + 34, *parts, title=title, width=width, alt=alt)
