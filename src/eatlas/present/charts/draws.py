"""Draws of contexts: where their level 2 effect sizes lie, among the nine patterns."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from eatlas.present.charts.backend import altair, themed
from eatlas.present.charts.frames import HEAD, frame, grouped, records, tidy
from eatlas.present.charts.layers import LINE, listed, title, tooltip
from eatlas.present.charts.theme import EDGE, INK, OFF, ON, PAPER
from eatlas.present.drawings.eat_map import NEITHER, PATTERNS
from eatlas.present.numbers import UNDEFINED, effect, percent
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.results.effects import at

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *HEAD, "what", "d_X", "d_Y", "pattern", "share", "draws", "threshold", "rule", "X", "Y",
    "A", "B",
)  # fmt: skip


LEAST = 1.0
"""The scales reach so far on every side at least, so that all nine regions are seen."""
SIZE, MANY = 440, 200
SPACE = "\u00a0" * 6
SIDE = {"B": 0, NEITHER: 1, "A": 2}
"""Which third of a scale an association with an attribute takes."""


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each draw that a result kept, of its mean, and of each pattern.

    Parameters
    ----------
    results : result or iterable of results
        Of CEAT, or of LPBS within CEAT.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period`` and ``series`` (what distinguishes the
        results of one test); ``what``: "draw", "mean" over all draws, or "pattern"; ``d_X`` and
        ``d_Y``, the level 2 effect sizes of a draw or of the mean, missing where undefined;
        ``pattern``, that of the mean or the one whose ``share`` of all ``draws`` is given;
        ``threshold`` of an association, and the whole ``rule`` in words; ``X``, ``Y``, ``A`` and
        ``B``, what the groups are called.

    Raises
    ------
    ResultsError
        If there is no result, or one of another measure.

    Examples
    --------
    >>> import eatlas
    >>> result = eatlas.run(tests="sent-weat-9", vectors="cbow:glove-sample", measures="ceat(n=50)")
    >>> prepare(result)["what"].value_counts().to_dict()
    {'draw': 50, 'pattern': 9, 'mean': 1}
    """
    why = "draws are made by CEAT and LPBS-CEAT"
    return tidy(results, "draws", "draws", why, _rows, COLUMNS)


def draw(given: pd.DataFrame) -> Chart:
    """Draw the cloud of each result over the nine regions.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some results of it.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    results = [rows for _, rows in grouped(records(given), "test", "series")]
    drawn = [_panel(rows) for rows in results]
    words = listed("Draws of contexts", [_in_words(rows) for rows in results])
    if len(drawn) == 1:
        return themed(drawn[0], description=words)
    return themed(altair().vconcat(*drawn, spacing=30), description=words)


def _panel(rows: list[dict[str, Any]]) -> Any:
    """The draws of one result: a cloud, its mean, and the names of the regions."""
    alt = altair()
    first = rows[0]
    placed = [row for row in rows if None not in (row["d_X"], row["d_Y"])]
    count = sum(row["what"] == "draw" for row in placed)
    reach = max([LEAST, *(1.08 * abs(row[d]) for row in placed for d in ("d_X", "d_Y"))])
    a, b = (isolated(first[role]) for role in "AB")
    x, y = (
        partial(
            channel,
            scale=alt.Scale(domain=[-reach, reach], nice=False),
            axis=alt.Axis(tickCount=7, grid=False),
            title=f"← {b}{SPACE}d of {isolated(first[role])}{SPACE}{a} →",
        )
        for channel, role in ((alt.X, "X"), (alt.Y, "Y"))
    )
    region = alt.Chart().transform_filter("isValid(datum.left)")
    at_draw = alt.Chart().encode(x=x("d_X:Q"), y=y("d_Y:Q"))
    names = _names(region, x, y)
    neither = "datum.pattern == 'Non-Directional'"
    gray = alt.condition(neither, alt.value(PAPER), alt.value(OFF))
    halo = {"stroke": alt.value(PAPER), "strokeWidth": alt.value(4), "opacity": alt.value(0.85)}
    layers = [
        region.mark_rect(stroke=EDGE, fillOpacity=0.5, aria=False)
        .encode(x=x("left:Q"), x2="right:Q", y=y("bottom:Q"), y2="top:Q", color=gray),
        at_draw.mark_circle(size=14, opacity=0.7 if count < MANY else 0.3, aria=False)
        .transform_filter("datum.what == 'draw'"),
        *(name.encode(**halo) for name in names),
        *names,
        at_draw.mark_point(shape="diamond", filled=True, size=150, stroke=PAPER, opacity=1)
        .encode(color=alt.value(ON))
        .transform_filter("datum.what == 'mean'"),
    ]  # fmt: skip
    draws = f"{int(first['draws']):,} draws"
    number = f"{count:,} of {draws}" if count < first["draws"] else draws
    notes = [
        f"{first['test']}, source: {first['series']}",
        f"Dots: {number}. Diamond: the mean over all draws. "
        f"Percentages: share of all draws with the pattern ({first['rule']}); without a small p a "
        "dot counts as Non-Directional wherever it lies.",
    ]
    hover = tooltip(pattern="pattern", percent="share of draws", x="d of X", y="d of Y")
    drawn = frame(_texts(row, reach) for row in rows)
    about = title("Level 2 effect sizes of draws of contexts", notes, SIZE)
    chart = alt.layer(*layers, data=drawn).encode(color=alt.value(INK), tooltip=hover)
    return chart.properties(width=SIZE, height=SIZE, title=about)


def _names(region: Any, x: Any, y: Any) -> list[Any]:
    """Names and shares of the patterns at the outer edges of their regions."""
    size = LINE - 2
    # lines run down from their place: the last of three is at the lower edge
    places = {
        "!datum.below": ("top", {"baseline": "line-top", "dy": 2}),
        "datum.below": ("bottom", {"baseline": "line-bottom", "dy": -2 * size - 2}),
    }
    return [
        region.mark_text(fontSize=10, lineBreak="\n", lineHeight=size, aria=False, **place)
        .encode(x=x("middle:Q"), y=y(f"{edge}:Q"), text="name:N")
        .transform_filter(where)
        for where, (edge, place) in places.items()
    ]


def _texts(row: dict[str, Any], reach: float) -> dict[str, Any]:
    """A row with its texts; a pattern with the region where its effect sizes lie."""
    if row["what"] != "pattern":
        return row | {"percent": UNDEFINED, "x": effect(row["d_X"]), "y": effect(row["d_Y"])}
    ends = (-reach, -row["threshold"], row["threshold"], reach)
    x, y, _ = PATTERNS[row["pattern"]]
    (left, right), (bottom, top) = (ends[SIDE[held] : SIDE[held] + 2] for held in (x, y))
    share = percent(row["share"])
    name = row["pattern"].replace("-", "-\n") if x == NEITHER else row["pattern"]
    lines = f"{name}\n{share}"
    below = y == "B"
    return row | {
        "left": left, "right": right, "bottom": bottom, "top": top, "middle": (left + right) / 2,
        "name": "\n" * (2 - lines.count("\n")) * below + lines, "below": below,
        "percent": share, "x": UNDEFINED, "y": UNDEFINED,
    }  # fmt: skip


def _in_words(rows: list[dict[str, Any]]) -> str:
    """The mean of the draws of one result, and the patterns that they show."""
    first = rows[0]
    mean = next((row for row in rows if row["what"] == "mean"), None)
    shares = sorted(
        (row for row in rows if row["what"] == "pattern" and row["share"]),
        key=lambda row: -row["share"],
    )
    text = f"{isolated(first['test'])}, {isolated(first['series'])}: "
    if mean is not None:
        text += f"mean d of X {effect(mean['d_X'])}, of Y {effect(mean['d_Y'])}, "
        text += f"pattern of the means {mean['pattern']}; "
    return text + ", ".join(f"{row['pattern']} in {percent(row['share'])}" for row in shares)


def _rows(result: AssociationResult) -> Iterator[dict[str, Any]]:
    """Rows of the kept draws of a result, of their mean, and of the shares of patterns."""
    rule, draws = result.pattern, result.draws
    if rule is None or draws is None:
        return
    tail = "two-sided" if rule.tail == "two-sided" else "in the direction of d"
    common = {
        **{role: result.concepts.name(role) for role in "XYAB"},
        "draws": draws.count,
        "threshold": rule.threshold,
        "rule": f"|d| > {rule.threshold:g} and p < {rule.alpha:g} {tail}",
    }
    for _, x, y in draws.kept:
        yield {**common, "what": "draw", "d_X": x, "d_Y": y}
    means = {f"d_{role}": at(result, f"level2.{role}").effect_size for role in "XY"}
    yield {**common, "what": "mean", **means, "pattern": rule.label}
    for pattern, share in draws.patterns.items():
        yield {**common, "what": "pattern", "pattern": pattern, "share": share}
