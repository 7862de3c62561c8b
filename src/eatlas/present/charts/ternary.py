"""Shares of three groups as points in a triangle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import permutations
from typing import Any

from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.theme import GRID, INK, SERIES

SIDE = 380
"""Pixels of a side."""
HALF = math.sqrt(3) / 2
"""Height of a triangle with sides of 1."""
ROOM = 0.08
"""Beside the triangle, of a side of 1."""
NAMED, TALL, LETTER = 9, 0.05, 0.018
"""Targets near corners that the triangle names; height of a name and width of its letters."""


def triangle(rows: list[dict[str, Any]]) -> Any:
    """The targets of one result, with the reference as a cross."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    data = []
    for (term,), of_term in frames.grouped(rows, "term"):
        shares = [row["share"] for row in of_term]
        if None not in shares and min(shares) >= 0:
            named = {f"share of {group}": one for group, one in zip(groups, shares, strict=True)}
            data.append(_point(shares) | {"term": term, "bias": of_term[0]["bias"]} | named)
    reference = [next(row["reference"] for row in rows if row["group"] == one) for one in groups]
    corners = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    names = [
        _point(corner, shift) | {"name": group}
        for corner, group, shift in zip(corners, groups, (-0.05, -0.05, 0.05), strict=True)
    ]
    outline = [_point(one) | {"order": i} for i, one in enumerate([*corners, corners[0]])]
    shown = [f"share of {group}" for group in groups]
    hover = ["term:N", "bias:Q", *(alt.Tooltip(f"{name}:Q") for name in shown)]
    layers = [
        _layer(_grid()).mark_line(color=GRID, strokeWidth=1).encode(detail="line:N"),
        _layer(outline).mark_line(color=INK, strokeWidth=1).encode(order="order:Q"),
        _layer(data).mark_circle(color=INK, opacity=0.5, size=22).encode(tooltip=hover),
        _layer([_point(reference)])
        .mark_point(shape="cross", filled=True, size=110, color=SERIES[1]["colour"]),
        _layer(_named(data, shown)).mark_text(align="left", dx=5, fontSize=10)
        .encode(text="term:N"),
        _layer(names).mark_text(fontWeight="bold").encode(text="name:N"),
    ]  # fmt: skip
    test = rows[0]["test"]
    notes = [*wording.source_note(rows), "A corner is a share of 1; the cross: the reference"]
    said = [" ".join([row["term"], *(f"{row[name]:.2f}" for name in shown)]) for row in data]
    about = f"Shares of {len(data)} targets among {', '.join(groups)}"
    return marks.themed(
        alt.layer(*layers),
        width=SIDE,
        height=SIDE * (HALF + 2 * ROOM) / (1 + 2 * ROOM),
        title=marks.title(f"{test}: shares of three groups", notes),
        description=wording.listed(about, said),
    )


def _layer(values: list[dict[str, Any]]) -> Any:
    """Points of the plane of the triangle."""
    x, y = (alt.Scale(domain=[-ROOM, most + ROOM]) for most in (1, HALF))
    return alt.Chart(frames.frame(values)).encode(
        x=alt.X("x:Q", scale=x, axis=None), y=alt.Y("y:Q", scale=y, axis=None)
    )


def _point(shares: Sequence[float], shift: float = 0.0) -> dict[str, Any]:
    """Three shares as a point of a triangle with sides of 1."""
    _, second, third = shares
    return {"x": second + third / 2, "y": HALF * third + shift}


def _named(data: list[dict[str, Any]], shares: list[str]) -> list[dict[str, Any]]:
    """Targets with the largest shares, those whose names would meet another's left out."""
    chosen: list[dict[str, Any]] = []
    for one in sorted(data, key=lambda row: -max(row[share] for share in shares)):
        if not any(_meet(*sorted((one, x), key=lambda row: row["x"])) for x in chosen):
            chosen.append(one)
    return chosen[:NAMED]


def _meet(left: dict[str, Any], right: dict[str, Any]) -> bool:
    """Whether two names would lie on each other, each to the right of its dot."""
    room = LETTER * (len(left["term"]) + 2)
    return bool(abs(left["y"] - right["y"]) < TALL and right["x"] - left["x"] < room)


def _grid() -> list[dict[str, Any]]:
    """Lines of equal shares, a quarter apart: each from one side to another."""
    return [
        _point([{own: share, other: 1 - share}.get(i, 0) for i in range(3)])
        | {"line": f"{share} {own}"}
        for share in (0.25, 0.5, 0.75)
        for own, other in permutations(range(3), 2)
    ]
