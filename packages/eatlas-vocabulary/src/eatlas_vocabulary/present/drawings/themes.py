"""Themes of a vocabulary on one axis: the row of a page, and the chart."""

from __future__ import annotations

from typing import NamedTuple, Self

from markupsafe import Markup

from eatlas.numbers import (
    count,
    effect,
    in_powers,
    interval,
    level_of,
    number_of,
    p_equals,
    p_value,
)
from eatlas.present.drawings.forest import LETTERS, WIDE, directions
from eatlas.present.drawings.sheet import Drawing, Sheet
from eatlas.present.drawings.svg import (
    LEFT,
    LINE,
    MARGIN,
    RIGHT,
    Axis,
    aside,
    broken,
    label,
    outline,
    path,
    short,
    small,
    text_lines,
)
from eatlas.present.text import isolate, pixels
from eatlas.results.settings import source_name
from eatlas_vocabulary.results.themes import Theme, ThemesResult, strength

MOST, SAID = 30, 8
"""Themes of a chart, those with the smallest p, and of its alternative text."""
CUT = 4.0
"""Effect sizes at which intervals are cut off, where no effect size is larger."""
HIGH = 16.0
"""Pixels of the row of a page."""
NUMBER = 52.0
"""Pixels of an effect size."""
NOTE = "adjusted for all themes by step-down maxT."
LOOKED = "A search found the themes: words that it did not use can confirm them."


class Scale(NamedTuple):
    """The axis of all themes: d of two groups, distances from the mean of the groups of more."""

    axis: Axis
    two: bool
    alpha: float

    @classmethod
    def of(cls, result: ThemesResult) -> Self:
        """Enclose every theme."""
        two = len(result.concepts) == 2
        if two:
            values = [theme.effect_size or 0.0 for theme in result.themes]
            cut = max(CUT, *map(abs, values))
            ends = (end for theme in result.themes for end in theme.interval or ())
            values += [max(-cut, min(cut, end)) for end in ends]
        else:
            values = [value for theme in result.themes for value in distances(theme).values()]
        return cls(Axis.of_effects(values), two, result.alpha)

    def glance(self, theme: Theme) -> Markup:
        """The drawing of a theme in its row of a page."""
        axis = self.axis.on(MARGIN, MARGIN + LINE)
        zero = path(f"M{axis.at(0):g} 0v{HIGH:g}", "z")
        return small("row", axis, HIGH, zero, self.marks(theme, axis, HIGH / 2))

    def ruler(self) -> Markup:
        """The numbers of the axis, for the head of a page."""
        axis = self.axis.on(MARGIN, MARGIN + LINE)
        numbers = (label(text, x, 11, size=10, anchor="middle") for x, text in axis.ticks())
        return small("ruler", axis, 14, *numbers)

    def marks(self, theme: Theme, axis: Axis, y: float) -> str:
        """The effect size on its interval; of more than two groups a stroke for each.

        Filled, or strong, where the theme is beyond chance.
        """
        beyond = theme.p_max_t < self.alpha
        if self.two:
            d, ends = theme.effect_size, theme.interval or (0.0, 0.0)
            low, high = (round(axis.at(max(axis.low, min(axis.high, end))), 1) for end in ends)
            if d is None:
                return label("–", axis.at(0), y + 4, size=11, anchor="middle")
            mark = path(outline("circle", round(axis.at(d), 1), y), "m on" if beyond else "m n")
            return path(f"M{low:g} {y:g}H{high:g}", "i" if beyond else "i n") + mark
        at = {role: axis.at(value) for role, value in distances(theme).items()}
        strong = [at[role] for role in theme.ends]
        drawn = path(f"M{min(strong):.1f} {y:g}H{max(strong):.1f}", "g")
        for places, kind in ((list(at.values()), "k"), (strong if beyond else [], "k on")):
            if places:
                drawn += path("".join(f"M{x:.1f} {y - 6:g}v12" for x in places), kind)
        return drawn


def distances(theme: Theme) -> dict[str, float]:
    """Means of the groups from their mean, in the standard deviations of d."""
    unit = (theme.effect_size or 0.0) / (theme.difference or 1.0)
    middle = sum(theme.means.values()) / len(theme.means)
    return {role: (mean - middle) * unit for role, mean in theme.means.items()}


def chart(result: ThemesResult, width: float, title: str) -> Drawing:
    """Themes below each other, the strongest finding first: of many those with the smallest p."""
    scale, sheet = Scale.of(result), Sheet(width)
    chosen = sorted(result.themes, key=strength)[:MOST]
    longest = max(pixels(isolate(theme.name), LETTERS) for theme in chosen)
    if not scale.two:
        longest = max(longest, *(pixels(_ends(result, theme), 11) for theme in chosen))
    names = LEFT + min(0.38 * width, 300.0, 1.1 * longest)
    room = 92.0 * (scale.two and width >= WIDE)
    axis = scale.axis.on(names + 12, width - RIGHT - room - 132).sparse()
    if scale.two:
        directions(sheet, axis, [*result.concepts.values()])
    heads, y = list(sheet.parts), sheet.y + 12
    heads += [aside("d", axis.end + NUMBER, y, anchor="end")]
    heads += [aside("interval", axis.end + NUMBER + 6 + room, y, anchor="end")] * bool(room)
    heads += [aside("p", width - RIGHT, y, anchor="end")]
    sheet.parts = []
    sheet.begin(y + 6)
    for theme in chosen:
        _row(sheet, result, theme, scale, axis, room)
        sheet.end_block()
    what = "Effect size d" if scale.two else "Groups, from their mean in standard deviations"

    def draw_grid(first: float, last: float) -> tuple[str, float]:
        below = aside(what, (axis.start + axis.end) / 2, last + 32)
        return axis.grid(first, last) + below, last + 38

    number = len(result.themes)
    key = f"{'Filled' if scale.two else 'Strong'}: p by maxT < {level_of(result.alpha)}."
    key += " Lines: simultaneous intervals." * scale.two
    key += f" The {MOST} of {number:,} themes with the smallest p." * (number > MOST)
    key += " NOT adjusted for word frequency." * (not result.covariates)
    words = "; ".join(_in_words(result, theme) for theme in chosen[:SAID])
    finding = f"{number_of(number, 'theme')}, {count(len(result.found))} significant"
    p_of = "p is two-sided and" if scale.two else "p is of F,"
    return sheet.close(
        f"{finding}. {words}.", title=title, about=source_name(result.source),
        heads=tuple(heads), key=key, around=draw_grid, kind="figure themes",
        notes=(f"{p_of} {NOTE}", LOOKED)[: 1 + bool(result.clustering)],
    )  # fmt: skip


def _row(
    sheet: Sheet, result: ThemesResult, theme: Theme, scale: Scale, axis: Axis, room: float
) -> None:
    """Name, mark, d, interval and p of a theme; of more than two groups its ends."""
    names, edge = axis.start - 12 - LEFT, sheet.width - RIGHT
    beyond = theme.p_max_t < result.alpha
    lines, below = broken(theme.name, names, 4, LETTERS), ""
    if not scale.two:
        below = short(_ends(result, theme), names, 11)
    high, first = 14.0 * (len(lines) + bool(below)) + 5, sheet.y + 14
    y = sheet.y + high / 2
    sheet.add(
        text_lines(lines, LEFT, first, step=14, size=LETTERS, font_weight=700 if beyond else None),
        aside(below, LEFT, first + 14 * len(lines), anchor="start") if below else "",
        scale.marks(theme, axis, y),
        label(effect(theme.effect_size), axis.end + NUMBER, y + 4, anchor="end"),
        label(in_powers(p_value(theme.p_max_t, result.alpha)), edge, y + 4, anchor="end"),
    )
    if room:
        x = axis.end + NUMBER + 6 + room
        sheet.add(label(interval(theme.interval), x, y + 4, anchor="end"))
    sheet.y += high


def _ends(result: ThemesResult, theme: Theme) -> str:
    """The groups that a theme goes most and least with."""
    most, least = (isolate(result.concepts[role]) for role in theme.ends)
    return f"{most}, least {least}"


def _in_words(result: ThemesResult, theme: Theme) -> str:
    """A theme as a phrase."""
    d = f"d = {effect(theme.effect_size)}"
    ends = f" {interval(theme.interval)}" if theme.interval else ""
    most, p = isolate(result.concepts[theme.ends[0]]), p_equals(theme.p_max_t, result.alpha)
    return f"{isolate(theme.name)}: {d}{ends} towards {most}, {p}"
