"""Targets against k groups: deviations from a reference as bars, shares of three in a triangle."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import reduce
from operator import and_
from typing import TYPE_CHECKING, Any, Literal

from eatlas.errors import ResultsError
from eatlas.present.charts.backend import altair, themed
from eatlas.present.charts.frames import HEAD, grouped, records, tidy
from eatlas.present.charts.layers import listed, source_note, title
from eatlas.present.charts.theme import GRID, INK, MUTED, SERIES
from eatlas.present.targets import Leans, leans, points
from eatlas.results import AssociationResult

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

Form = Literal["bars", "ternary"]
COLUMNS = (
    *HEAD, "term", "rank", "bias", "group", "share", "reference", "deviation", "low", "high",
    "confidence", "p", "p_holm",
)  # fmt: skip
ENDS = 15
"""Targets at either end that bars show; the frame has them all."""
STEP = 13
"""Pixels of a bar."""
SIDE = 380
HALF = math.sqrt(3) / 2
NAMED = 9
"""Targets near corners that the triangle names."""
APART = 0.09
"""Least distance of two names, of a side of 1."""


def prepare(results: object, form: Form = "bars") -> pd.DataFrame:
    """Make a row of each target and group.

    Parameters
    ----------
    results : result or iterable of results
        Of DivDist.
    form : {"bars", "ternary"}
        What is drawn of them; ``ternary`` takes results of three groups.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period`` and ``series`` (what tells apart the results
        of one test); ``term``, ``rank`` (its place from the strongest lean to the first group to
        that to the second, of more groups from the largest bias), ``bias``; ``group``, ``share``,
        ``reference`` and ``deviation`` (share less reference) with ``low`` and ``high`` (its
        interval) and ``confidence``; ``p`` of the permutation test of labels and ``p_holm`` over
        the targets. What is undefined is missing.

    Raises
    ------
    ResultsError
        If there is no result, or one of another measure or, for ``ternary``, of other than three
        groups.

    Examples
    --------
    >>> import eatlas
    >>> frame = prepare(eatlas.run(tests="divdist-face-validity"))
    >>> frame["term"].iloc[0], float(frame["deviation"].iloc[0].round(3))
    ('businesswoman', 0.165)
    """
    kind = "targets" if form == "bars" else "ternary"
    found = tidy(results, kind, "by_target", "targets and their groups are drawn", _rows, COLUMNS)
    if form == "ternary":
        for (test, series), rows in grouped(records(found), "test", "series"):
            groups = list(dict.fromkeys(row["group"] for row in rows))
            if len(groups) != 3:
                raise ResultsError(
                    "a triangle shows the shares of three groups",
                    got=f"{len(groups)} of {test} on {series}: {', '.join(groups)}",
                    allowed="results of three groups",
                    remedy='kind="targets" shows any number of groups',
                )
    return found


def _rows(result: AssociationResult) -> Iterator[dict[str, Any]]:
    """One row for each target term and group: share, reference, deviation, interval and p-value."""
    found: Leans = leans(result)
    for rank, one in enumerate(found.rows, start=1):
        shown = one.shown
        for j, group in enumerate(found.groups):
            low, high = one.intervals[j] or (None, None)
            yield {
                "term": one.term,
                "rank": rank,
                "bias": shown.bias,
                "group": group,
                "share": shown.distribution and shown.distribution[j],
                "reference": one.reference and one.reference[j],
                "deviation": shown.deviation and shown.deviation[j],
                "low": None if low is None else low / 100,
                "high": None if high is None else high / 100,
                "confidence": found.result.confidence,
                "p": shown.labels and shown.labels.p,
                "p_holm": one.adjusted,
            }


def draw(given: pd.DataFrame, form: Form = "bars") -> Chart:
    """Draw bars of deviations, or the triangle; results below each other.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some rows of it.
    form : {"bars", "ternary"}

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    one = _bars if form == "bars" else _triangle
    parts = [one(rows) for _, rows in grouped(records(given), "test", "series")]
    chart: Chart = reduce(and_, parts)
    return chart


def _bars(rows: list[dict[str, Any]]) -> Any:
    """Targets at either end, a bar for each group; of two groups for the first alone."""
    alt = altair()
    groups = list(dict.fromkeys(row["group"] for row in rows))
    known = [row for row in rows if row["deviation"] is not None and row["bias"] is not None]
    terms = list(dict.fromkeys(row["term"] for row in known))
    kept = terms if len(terms) <= 2 * ENDS else [*terms[:ENDS], *terms[-ENDS:]]
    shown = groups[:1] if len(groups) == 2 else groups
    data = [
        {**row, "points": 100 * row["deviation"]}
        | {end: None if row[end] is None else 100 * row[end] for end in ("low", "high")}
        for row in known
        if row["term"] in set(kept) and row["group"] in shown
    ]
    y = alt.Y("term:N", sort=kept, title=None, axis=alt.Axis(ticks=False, domain=False))
    head = f"← {groups[1]}   {groups[0]} →" if len(groups) == 2 else "Share less reference"
    base = alt.Chart(alt.Data(values=data)).encode(y=y)
    if len(shown) > 1:
        looks = [SERIES[i % len(SERIES)]["colour"] for i in range(len(shown))]
        scale = alt.Scale(domain=shown, range=looks)
        base = base.encode(
            yOffset=alt.YOffset("group:N", sort=shown),
            color=alt.Color("group:N", scale=scale, sort=shown, title=None),
        )
    x = alt.X("points:Q", title=f"{head} (percentage points)")
    tips = [alt.Tooltip(f"{name}:{kind}") for name, kind in (
        ("term", "N"), ("group", "N"), ("share", "Q"), ("reference", "Q"), ("points", "Q"),
        ("bias", "Q"), ("p", "Q"),
    )]  # fmt: skip
    fill = {} if len(shown) > 1 else {"color": SERIES[0]["colour"]}
    layers = [
        alt.Chart(alt.Data(values=[{}])).mark_rule(color=MUTED).encode(x=alt.datum(0)),
        base.mark_bar(**fill).encode(x=x, tooltip=tips),
        base.mark_rule(strokeWidth=1.2).encode(x="low:Q", x2="high:Q", color=alt.value(INK)),
    ]
    first, left = rows[0], len(terms) - len(kept)
    notes = [*source_note(rows), *_notes(rows)]
    if left:
        notes.append(f"{left} targets between them are left out.")
    return themed(
        alt.layer(*layers),
        width=330,
        height=alt.Step(STEP * max(1, len(shown)) + 4, **{"for": "position"}),
        title=title(f"{first['test']}: leans of targets", notes),
        description=listed(
            f"Leans of {len(terms)} targets of {first['test']}",
            [f"{row['term']} {row['group']} {points(row['points'])}" for row in data],
        ),
    )


def _notes(rows: list[dict[str, Any]]) -> Iterator[str]:
    """The reference and the intervals."""
    references: dict[str, set[float | None]] = {row["group"]: set() for row in rows}
    for row in rows:
        references[row["group"]].add(row["reference"])
    alike = all(len(known) == 1 for known in references.values())
    if alike:
        said = ", ".join(f"{group} {next(iter(k)):.0%}" for group, k in references.items())
        yield f"Reference: {said}"
    else:
        yield "Reference: of each target its own"
    confidence = next((row["confidence"] for row in rows if row["low"] is not None), None)
    if confidence is not None:
        yield f"Lines: {confidence:.0%} bootstrap intervals"


def _triangle(rows: list[dict[str, Any]]) -> Any:
    """Shares of three groups as points in a triangle, with the reference as a cross."""
    alt = altair()
    groups = list(dict.fromkeys(row["group"] for row in rows))
    data = []
    for (term,), some in grouped(rows, "term"):
        shares = [row["share"] for row in some]
        if None in shares or min(shares) < 0:
            continue
        of = {f"share of {group}": share for group, share in zip(groups, shares, strict=True)}
        x, y = _place(shares)
        data.append({"term": term, "x": x, "y": y, "bias": some[0]["bias"], **of})
    references = [next(row["reference"] for row in rows if row["group"] == g) for g in groups]
    named = _named(data, [f"share of {group}" for group in groups])
    corners = [_place(one) for one in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    names = [
        {"x": x, "y": y + shift, "name": group}
        for (x, y), group, shift in zip(corners, groups, (-0.05, -0.05, 0.05), strict=True)
    ]
    x = alt.X("x:Q", scale=alt.Scale(domain=[-0.08, 1.08]), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[-0.08, HALF + 0.08]), axis=None)

    def layer(values: list[dict[str, Any]]) -> Any:
        return alt.Chart(alt.Data(values=values)).encode(x=x, y=y)

    outline = [{"x": px, "y": py, "order": i} for i, (px, py) in enumerate([*corners, corners[0]])]
    cx, cy = _place(references)
    tips = [alt.Tooltip("term:N"), alt.Tooltip("bias:Q")]
    tips += [alt.Tooltip(f"share of {group}:Q") for group in groups]
    layers = [
        layer(_grid()).mark_line(color=GRID, strokeWidth=1).encode(detail="line:N"),
        layer(outline).mark_line(color=INK, strokeWidth=1).encode(order="order:Q"),
        layer(data).mark_circle(color=INK, opacity=0.5, size=22).encode(tooltip=tips),
        layer([{"x": cx, "y": cy}]).mark_point(
            shape="cross", filled=True, size=110, color=SERIES[1]["colour"]
        ),
        layer([row for row in data if row["term"] in named])
        .mark_text(align="left", dx=5, fontSize=10)
        .encode(text="term:N"),
        layer(names).mark_text(fontWeight="bold").encode(text="name:N"),
    ]
    first = rows[0]
    notes = [*source_note(rows), "A corner is a share of 1; the cross: the reference"]
    return themed(
        alt.layer(*layers),
        width=SIDE,
        height=SIDE * (HALF + 0.16) / 1.16,
        title=title(f"{first['test']}: shares of three groups", notes),
        description=listed(
            f"Shares of {len(data)} targets among {', '.join(groups)}",
            [f"{row['term']} " + " ".join(f"{row[f'share of {g}']:.2f}" for g in groups)
             for row in data],
        ),
    )  # fmt: skip


def _named(data: list[dict[str, Any]], shares: list[str]) -> set[str]:
    """Targets with the largest shares, those whose names would meet another's left out."""
    chosen: list[dict[str, Any]] = []
    for one in sorted(data, key=lambda row: -max(row[share] for share in shares)):
        if all(math.hypot(one["x"] - x["x"], one["y"] - x["y"]) > APART for x in chosen):
            chosen.append(one)
    return {one["term"] for one in chosen[:NAMED]}


def _place(shares: Any) -> tuple[float, float]:
    """Three shares as a point of a triangle with sides of 1."""
    _, second, third = shares
    return second + third / 2, HALF * third


def _grid() -> list[dict[str, Any]]:
    """Lines of equal shares, a quarter apart."""
    lines = []
    for share in (0.25, 0.5, 0.75):
        rest = 1 - share
        for i, ends in enumerate(
            (
                ((share, rest, 0), (share, 0, rest)),
                ((rest, share, 0), (0, share, rest)),
                ((rest, 0, share), (0, rest, share)),
            )
        ):
            for one in ends:
                x, y = _place(one)
                lines.append({"x": x, "y": y, "line": f"{share} {i}"})
    return lines
