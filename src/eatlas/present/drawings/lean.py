"""Level 1 term by term: how far each target term leans towards one attribute."""

from __future__ import annotations

from eatlas.present.drawings.axis import Axis
from eatlas.present.drawings.rows import LEFT, RIGHT, WIDTH, figure, row_name, short
from eatlas.present.numerals import effect
from eatlas.present.svg import INK, MUTED, label, tag, words
from eatlas.present.text import isolated
from eatlas.results import CEATResult, ThreeLevelResult, WEATResult

_NAME_END, _NAME_ROOM = 150.0, 90.0


def lean_plot(result: ThreeLevelResult | WEATResult) -> str:
    """The lean of each target term or stimulus, its mean cosine with A less that with B.

    Empty where the scores do not belong to the terms one by one.
    """
    scores = result.primary.scores
    values = {"X": scores.X, "Y": scores.Y}
    names = {role: _scored(result, role) for role in values}
    if not all(v and len(v) == len(names[r]) for r, v in values.items()):
        return ""
    axis = Axis.around((*scores.X, *scores.Y), LEFT + 4, WIDTH - RIGHT)
    rows = [
        _terms(
            result.concepts.name(role), names[role], values[role],
            axis, 16 + 72.0 * place,
        )
        for place, role in enumerate("XY")
    ]  # fmt: skip
    a, b = (isolated(result.concepts.name(role)) for role in "AB")
    return figure(
        198,
        axis.draw(4, 148),
        *rows,
        _ends(a, b),
        title=f"Lean of each target {_unit(result)} towards {a} (right) or {b} (left)",
        alt="; ".join(
            f"{isolated(result.concepts.name(role))}: mean {effect(_mean(v), 3)}, "
            f"from {effect(min(v), 3)} to {effect(max(v), 3)}"
            for role, v in values.items()
        ),
    )


def _scored(result: ThreeLevelResult | WEATResult, role: str) -> tuple[str, ...]:
    """What has a score: used terms, or the stimuli of draws of contexts."""
    if isinstance(result, CEATResult):
        return tuple(result.draws.contexts.group(role))
    return result.primary.names(role)


def _unit(result: ThreeLevelResult | WEATResult) -> str:
    return "stimulus" if result.primary.over_stimuli else "term"


def _terms(
    name: str, terms: tuple[str, ...], values: tuple[float, ...], axis: Axis, top: float
) -> str:
    y = top + 22
    dots = [
        f'<circle cx="{axis.at(value):.1f}" cy="{y:g}" r="4.5">'
        f"<title>{words(term)}: {effect(value, 3)}</title></circle>"
        for term, value in zip(terms, values, strict=True)
    ]
    marks = [tag("g", *dots, fill=MUTED, fill_opacity=0.45, class_="fig-term")]
    mean = axis.at(_mean(values))
    marks.append(
        tag(
            "line", tag("title", words(f"mean: {effect(_mean(values), 3)}")), x1=mean, x2=mean,
            y1=y - 11, y2=y + 11, stroke=INK, stroke_width=2.5, class_="fig-ink",
        )
    )  # fmt: skip
    order = sorted(zip(values, terms, strict=True))
    (low, first), (high, last) = order[0], order[-1]
    names = [_end_name(last, axis.at(high), y + 25, "start")]
    if len(order) > 1:
        names.append(_end_name(first, axis.at(low), y + 25, "end"))
    return tag("g", row_name(top, name), *marks, *names)


def _end_name(term: str, x: float, y: float, anchor: str) -> str:
    """The name of an outermost term, drawn outwards, or inwards where the edge is near."""
    if anchor == "end" and x < _NAME_ROOM:
        anchor = "start"
    elif anchor == "start" and x > WIDTH - _NAME_ROOM:
        anchor = "end"
    shift = -5 if anchor == "start" else 5
    return label(
        short(term, _NAME_END), x + shift, y, size=11, text_anchor=anchor, fill=MUTED,
        class_="eat-muted",
    )  # fmt: skip


def _ends(a: str, b: str) -> str:
    """What the two ends of the axis mean."""
    half = (WIDTH - LEFT - RIGHT) / 2 - 30
    left, right = (short(name, half) for name in (b, a))
    return label(f"← {left}", LEFT, 190, size=12) + label(
        f"{right} →", WIDTH - RIGHT, 190, size=12, text_anchor="end"
    )


def _mean(values: tuple[float, ...]) -> float:
    return sum(values) / len(values)
