"""Shares of three groups as points in a triangle."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.frames import Records
from eatlas.present.charts.theme import GRID, INK, SERIES
from eatlas.present.drawings.names import MARK, SIDE, placed

ROOM, BELOW = 0.06, 0.11
"""Beside and below the triangle, of a side of 1, which has room for its corners' names."""
NAMED = 9
"""Targets near corners that the triangle names."""


def triangle(rows: Records) -> Any:
    """The targets of one result, with the reference as a cross."""
    groups = list(dict.fromkeys(row["group"] for row in rows))
    shown = [f"share of {group}" for group in groups]
    data = []
    for (term,), of_term in frames.grouped(rows, "term"):
        shares = [row["share"] for row in of_term]
        if None not in shares and min(shares) >= 0:
            of_groups = dict(zip(shown, shares, strict=True))
            data.append({"term": term, "bias": of_term[0]["bias"]} | _point(shares) | of_groups)
    nearest = sorted(range(len(data)), key=lambda i: -max(data[i][share] for share in shown))
    for place, name in _names(data, nearest):
        data[place] |= name
    corners = [_point(one) for one in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    below = [{"name": group, "dy": dy} for group, dy in zip(groups, (24, 24, -14), strict=True)]
    reference = [next(row["reference"] for row in rows if row["group"] == one) for one in groups]
    layers = [
        _layer(_grid()).mark_line(color=GRID, strokeWidth=1).encode(detail="line:N"),
        _layer([one | {"order": i} for i, one in enumerate([*corners, corners[0]])])
        .mark_line(color=INK, strokeWidth=1).encode(order="order:Q"),
        _layer(data).mark_circle(color=INK, opacity=0.5, size=22)
        .encode(tooltip=["term:N", "bias:Q", *(alt.Tooltip(f"{name}:Q") for name in shown)]),
        _layer([_point(reference)])
        .mark_point(shape="cross", filled=True, size=110, color=SERIES[1]["colour"]),
        _layer(data, marks.names("term", fontSize=10)),
        _layer([one | name for one, name in zip(corners, below, strict=True)])
        .mark_text(fontWeight="bold", dy={"expr": "datum.dy"}).encode(text="name:N"),
    ]  # fmt: skip
    notes = [*wording.source_note(rows), "A corner is a share of 1; the cross: the reference"]
    said = [" ".join([row["term"], *(f"{row[name]:.2f}" for name in shown)]) for row in data]
    about = f"Shares of {len(data)} targets among {', '.join(groups)}"
    return marks.themed(
        alt.layer(*layers),
        width=SIDE,
        height=SIDE,
        title=marks.title(f"{rows[0]['test']}: shares of three groups", notes),
        description=wording.listed(about, said),
    )


def _layer(values: Records, layer: Any = None) -> Any:
    """Points of the plane of the triangle, whose scales are equal."""
    x, y = (alt.Scale(domain=[-low, 1 + 2 * ROOM - low]) for low in (ROOM, BELOW))
    own = alt.Chart() if layer is None else layer
    return own.properties(data=frames.frame(values)).encode(
        x=alt.X("x:Q", scale=x, axis=None), y=alt.Y("y:Q", scale=y, axis=None)
    )


def _point(shares: Sequence[float]) -> dict[str, Any]:
    """Three shares as a point of a triangle with sides of 1."""
    _, second, third = shares
    return {"x": second + third / 2, "y": math.sqrt(3) / 2 * third}


def _names(data: Records, order: Sequence[int]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Places of the first targets in an order whose names meet no other name and no dot."""
    unit = SIDE / (1 + 2 * ROOM)
    spots = [((row["x"] + ROOM) * unit, SIDE - (row["y"] + BELOW) * unit) for row in data]
    dots = [(x - MARK / 2, y - MARK / 2, x + MARK / 2, y + MARK / 2) for x, y in spots]
    found = placed(spots, [row["term"] for row in data], order, dots)
    for one, _ in zip(found, range(NAMED), strict=False):
        yield one.point, marks.beside(one, spots[one.point])


def _grid() -> Records:
    """Lines of equal shares, a quarter apart: each from one side to another."""
    return [
        _point([{own: share, other: 1 - share}.get(i, 0) for i in range(3)])
        | {"line": f"{share} {own}"}
        for share in (0.25, 0.5, 0.75)
        for own, other in permutations(range(3), 2)
    ]
