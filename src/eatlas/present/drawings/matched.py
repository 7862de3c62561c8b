"""The effect sizes of random lists as a hill, with the observed one on it."""

from __future__ import annotations

from eatlas.present.drawings.interval import MARGIN, Mark, outline
from eatlas.present.drawings.scale import Scale
from eatlas.present.svg import tag
from eatlas.results.frequency import MatchedLevel

HEIGHT = 46.0
BASE = 38.0
HILL = 32.0
"""Pixels of the highest step."""


def matched_hill(null: MatchedLevel, d: float, mark: Mark, scale: Scale, *, beyond: bool) -> str:
    """How often random lists give each effect size; lines hold 95% of them.

    The numbers stand beside it as text, so that nobody needs to hear it.
    """
    low, high = null.ends
    width = (high - low) / len(null.counts)
    most = max(null.counts) or 1
    steps = [(low + i * width, HILL * n / most) for i, n in enumerate(null.counts)]
    path = f"M{_at(scale, low)} {BASE:g}" + "".join(
        f"V{round(BASE - rise, 1):g}H{_at(scale, start + width)}" for start, rise in steps
    )
    zero = _at(scale, 0)
    lines = "".join(
        f"M{_at(scale, end)} {BASE - HILL:g}V{BASE + 4:g}"
        for end in (null.quantiles[0], null.quantiles[4])
    )
    x = round(MARGIN + scale.at(max(-scale.limit, min(scale.limit, d))), 1)
    children = [
        tag("path", d=f"M{zero} 0V{HEIGHT:g}", class_="z"),
        tag("path", d=f"{path}V{BASE:g}z", class_="b"),
        tag("path", d=lines, class_="z", stroke_dasharray="3 2"),
        tag("path", d=f"M{x:g} 4V{BASE:g}", class_="i"),
        tag("path", d=outline(mark, x, BASE), class_="m on" if beyond else "m"),
    ]
    whole = scale.width + 2 * MARGIN
    return tag(
        "svg", *children, width=whole, height=HEIGHT, viewBox=f"0 0 {whole:g} {HEIGHT:g}",
        class_="fig hill", aria_hidden="true",
    )  # fmt: skip


def _at(scale: Scale, value: float) -> str:
    held = max(-scale.limit, min(scale.limit, value))
    return f"{round(MARGIN + scale.at(held), 1):g}"
