"""Small hand-drawn figures: spread of the cosines, lean of the terms, bar of an effect size."""

from __future__ import annotations

from eatlas.report.axis import Axis
from eatlas.report.numerals import effect
from eatlas.report.svg import FONT, INK, MUTED, drawing, label, tag, words
from eatlas.report.text import isolated, one_line, pixels, wrap
from eatlas.results import AssociationResult, MLEATResult
from eatlas.results.ml_eat import CELLS
from eatlas.results.parts import Cell
from eatlas.results.weat import TargetScores

WIDTH = 640.0
_LEFT, _RIGHT = 190.0, 14.0
_ROWS = (22.0, 60.0, 106.0, 144.0)  # the two of one target stand together
BOX = "#c9c9d0"
LARGEST_D = 2.0  # |d| of equal groups stays below


def quantile_plot(result: MLEATResult) -> str:
    """Level 3: for each pair of groups the range, the quartiles, the median and the mean."""
    cells = {name: result.level3.cell(name) for name in CELLS}
    axis = Axis.around((q for c in cells.values() for q in c.quantiles), _LEFT, WIDTH - _RIGHT)
    bottom = _ROWS[-1] + 20
    rows = [
        _row_label(y, *(result.concepts.name(role) for role in name)) + _box(cell, axis, y)
        for y, (name, cell) in zip(_ROWS, cells.items(), strict=True)
    ]
    return drawing(
        WIDTH,
        bottom + 26,
        axis.draw(4, bottom),
        *rows,
        title="Cosines of the target terms with the attribute terms",
        alt="; ".join(
            f"{_pair(result, name)}: mean {effect(c.mean, 3)}, median {effect(c.quantiles[2], 3)}, "
            f"from {effect(c.quantiles[0], 3)} to {effect(c.quantiles[4], 3)}"
            for name, c in cells.items()
        ),
        class_="figure",
        font_family=FONT,
        fill=INK,
    )


def _pair(result: MLEATResult, cell: str) -> str:
    return " – ".join(isolated(result.concepts.name(role)) for role in cell)


def _box(cell: Cell, axis: Axis, y: float) -> str:
    low, first, median, third, high = (axis.at(q) for q in cell.quantiles)
    return tag(
        "g",
        tag("line", x1=low, x2=high, y1=y, y2=y, stroke=MUTED, class_="fig-line"),
        tag(
            "rect", x=first, y=y - 8, width=max(third - first, 1.0), height=16, rx=2, fill=BOX,
            stroke=MUTED, class_="fig-box",
        ),
        tag(
            "line", x1=median, x2=median, y1=y - 8, y2=y + 8, stroke=INK, stroke_width=2,
            class_="fig-ink",
        ),
        tag("circle", cx=axis.at(cell.mean), cy=y, r=3.2, fill=INK, class_="fig-dot"),
    )  # fmt: skip


def term_plot(result: AssociationResult, scores: TargetScores) -> str:
    """Level 1: the lean of each target term, its mean cosine with A less that with B.

    Empty where the scores do not belong to the terms one by one.
    """
    values = {"X": scores.X, "Y": scores.Y}
    if not all(v and len(v) == len(result.coverage.group(r).used) for r, v in values.items()):
        return ""
    axis = Axis.around((*scores.X, *scores.Y), _LEFT, WIDTH - _RIGHT)
    rows = [
        _terms(
            result.concepts.name(role), result.coverage.group(role).used, values[role],
            axis, 30 + 46.0 * place,
        )
        for place, role in enumerate("XY")
    ]  # fmt: skip
    a, b = (isolated(result.concepts.name(role)) for role in "AB")
    return drawing(
        WIDTH,
        152,
        axis.draw(6, 104),
        *rows,
        _ends(a, b),
        title=f"Lean of each target term towards {a} (right) or {b} (left)",
        alt="; ".join(
            f"{isolated(result.concepts.name(role))}: mean {effect(_mean(v), 3)}, "
            f"from {effect(min(v), 3)} to {effect(max(v), 3)}"
            for role, v in values.items()
        ),
        class_="figure",
        font_family=FONT,
        fill=INK,
    )


def _terms(
    name: str, terms: tuple[str, ...], values: tuple[float, ...], axis: Axis, y: float
) -> str:
    marks = [
        tag(
            "circle", tag("title", words(f"{term}: {effect(value, 3)}")),
            cx=axis.at(value), cy=y, r=4.5, fill=MUTED, fill_opacity=0.45, class_="fig-term",
        )
        for term, value in zip(terms, values, strict=True)
    ]  # fmt: skip
    mean = axis.at(_mean(values))
    marks.append(
        tag(
            "line", tag("title", words(f"mean: {effect(_mean(values), 3)}")), x1=mean, x2=mean,
            y1=y - 12, y2=y + 12, stroke=INK, stroke_width=2.5, class_="fig-ink",
        )
    )  # fmt: skip
    order = sorted(zip(values, terms, strict=True))
    ends = [(order[-1], "end")] if len(order) == 1 else [(order[0], "start"), (order[-1], "end")]
    for (value, term), anchor in ends:
        marks.append(_end_label(term, axis.at(value), y + 22, anchor))
    return tag("g", _row_label(y, name), *marks)


def _end_label(term: str, x: float, y: float, anchor: str) -> str:
    shift = -5 if anchor == "start" else 5
    return label(
        _short(term, 130, 11),
        x + shift,
        y,
        size=11,
        text_anchor=anchor,
        fill=MUTED,
        class_="eat-muted",
    )


def _ends(a: str, b: str) -> str:
    """What the two ends of the axis mean."""
    half = (WIDTH - _LEFT - _RIGHT) / 2 - 20
    left, right = (_short(name, half, 12) for name in (b, a))
    return label(f"← {left}", _LEFT, 144, size=12) + label(
        f"{right} →", WIDTH - _RIGHT, 144, size=12, text_anchor="end"
    )


def _row_label(y: float, *names: str) -> str:
    """What a row shows, one name a line; the whole of a shortened name as a tooltip."""
    first = y + 4 - (len(names) - 1) * 7
    return "".join(
        tag(
            "g",
            tag("title", words(one_line(name))),
            label(_short(name, _LEFT - 18, 12), 0, first + 14 * line, size=12),
        )
        for line, name in enumerate(names)
    )


def _short(name: str, width: float, size: float) -> str:
    return isolated(wrap(name, width, lambda text: pixels(text, size), 1)[0])


def _mean(values: tuple[float, ...]) -> float:
    return sum(values) / len(values)


def effect_bar(d: float | None) -> str:
    """One effect size as a bar from the middle; longer ones end at the edge."""
    if d is None:
        return ""
    middle = 70.0
    length = min(abs(d) / LARGEST_D, 1.0) * (middle - 1)
    bar = tag(
        "rect", x=middle if d > 0 else middle - length, y=3, width=length, height=10,
        fill=MUTED, class_="fig-bar",
    )  # fmt: skip
    zero = tag("line", x1=middle, x2=middle, y1=0, y2=16, stroke=INK, class_="fig-ink")
    return drawing(
        2 * middle,
        16,
        bar,
        zero,
        title=f"d = {effect(d)}",
        class_="figure bar",
        preserveAspectRatio="none",
    )
