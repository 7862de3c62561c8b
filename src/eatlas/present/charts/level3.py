"""Level 3: how the cosines of each target group with each attribute group are spread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.errors import ResultsError
from eatlas.present.charts.backend import altair, themed
from eatlas.present.charts.frames import HEAD, frame, grouped, heads, records, some_results
from eatlas.present.charts.layers import Rows, across, heading_band, looks, text, title, zero
from eatlas.present.charts.notes import listed, source_note, tooltip
from eatlas.present.charts.theme import INK, LEVELS, PAPER
from eatlas.present.numbers import effect
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.results.effects import at
from eatlas.results.ml_eat import CELLS

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *HEAD, "cell", "target", "attribute", "statistic", "value", "n", "target_term",
    "attribute_term", "unit", "scale",
)  # fmt: skip
MOST_DOTS = 6_000
"""Cosines that one chart shows as dots; as SVG, so many take 2 MB."""
TALL, LOW = 40, 28
"""Pixels from row to row where dots spread, and where there are none."""
QUANTILES = ("minimum", "lower quartile", "median", "upper quartile", "maximum")


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each statistic, and of each cosine that the result kept.

    Parameters
    ----------
    results : result or iterable of results
        Of ML-EAT, or of LPBS.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period`` and ``series`` (what tells apart the
        results of one test); ``cell`` (XA, XB, YA, YB) of the groups ``target`` and
        ``attribute``; ``statistic``: "mean", "sd", "minimum", "lower quartile", "median",
        "upper quartile", "maximum", or "cosine" ("log-ratio" of an LPBS) of one ``target_term``
        with one ``attribute_term``; its ``value``; ``n`` values of the cell; ``unit``, "cosine" or
        "log-ratio", and its ``scale``: empty, or "nats".

    Raises
    ------
    ResultsError
        If there is no result, or one of another measure, or of measures in different units.

    Examples
    --------
    >>> import eatlas
    >>> rows = prepare(eatlas.run(tests="weat-6"))
    >>> int((rows["statistic"] == "cosine").sum())
    256
    """
    why = "level 3 is measured by ML-EAT and LPBS"
    found = some_results(results, "level3", "level3", why)
    units = sorted({result.unit for result in found})
    if len(units) > 1:
        raise ResultsError(
            "one scale cannot show these results",
            got=" and ".join(f"{unit}s" for unit in units),
            allowed="results in one unit",
            remedy="draw those of each measure by themselves",
        )
    return frame(
        (
            head | row
            for head, result in zip(heads(found), found, strict=True)
            for row in _rows(result)
        ),
        COLUMNS,
    )


def draw(given: pd.DataFrame) -> Chart:
    """Draw the spread of each cell: quartiles and median, mean, and the cosines where kept.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some results of it.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    alt = altair()
    found = records(given)
    names = list(dict.fromkeys(row["series"] for row in found))
    unit, scale = found[0]["unit"], found[0]["scale"]
    count = sum(row["statistic"] == unit for row in found)
    rows = Rows(room=300.0, step=TALL if 0 < count <= MOST_DOTS else LOW)
    cells, dots = _drawn(found, rows, with_series=len(names) > 1)
    shown = dots if rows.step == TALL else []
    words = [cell["words"] for cell in cells if "words" in cell]
    x = across(unit.capitalize() + (f" ({scale})" if scale else ""))
    colour, _ = looks("look", LEVELS, legend=False)
    box = alt.Chart().transform_filter("isValid(datum.mean)")
    layers = [
        zero(),
        heading_band(),
        alt.Chart()
        .mark_circle(size=22, opacity=0.4, aria=False)
        .encode(
            x=alt.X("value:Q", **x),
            yOffset=alt.YOffset("shift:Q", scale=alt.Scale(domain=[-1.4, 1.4])),
        )
        .transform_filter("isValid(datum.value)"),
        box.mark_rule(aria=False).encode(
            x=alt.X("minimum:Q", **x), x2="maximum:Q", color=alt.value(INK)
        ),
        box.mark_bar(size=14, fillOpacity=0.6, stroke=INK, strokeWidth=1.2).encode(
            x=alt.X("lower_quartile:Q", **x),
            x2="upper_quartile:Q",
            description="words:N",
            **({"color": alt.value(PAPER)} if shown else {}),
        ),
        box.mark_tick(size=14, thickness=2.5, aria=False).encode(
            x=alt.X("median:Q", **x), color=alt.value(INK)
        ),
        box.mark_point(
            shape="diamond", fill=PAPER, size=60, opacity=1, aria=False
        ).encode(x=alt.X("mean:Q", **x), color=alt.value(INK)),
        text("mean_shown", align="right", dx=58),
        text("sd_shown", align="right", dx=108),
    ]  # fmt: skip
    return themed(
        alt.layer(*layers, data=frame([*cells, *shown])).encode(
            y=rows.axis(), color=colour, tooltip=tooltip(pair="groups or terms", number=unit)
        ),
        width=400,
        height=alt.Step(rows.step),
        title=title(
            f"Level 3: {unit}s of targets with attributes",
            [*source_note(names), _marks(unit, len(dots))],
        ),
        description=listed(f"{unit.capitalize()}s of {len(words)} pairs of groups", words),
    )


def _drawn(
    found: list[dict[str, Any]], rows: Rows, *, with_series: bool
) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Give each result a heading and each of its cells a row; the dots stand in these rows."""
    cells: list[dict[str, Any]] = []
    dots: list[dict[str, Any]] = []
    for (test, series), of_result in grouped(found, "test", "series"):
        name = f"{test}: {series}" if with_series else test
        cells += rows.heading(name, mean_shown="mean", sd_shown="sd")
        for (cell,), of_cell in grouped(of_result, "cell"):
            first = of_cell[0]
            row = rows.add(f"{first['target']} \u2013 {first['attribute']}")
            place = {"row": row, "heading": False, "look": cell[0]}
            kept = [one for one in of_cell if one["statistic"] == one["unit"]]
            values = {
                one["statistic"].replace(" ", "_"): one["value"]
                for one in of_cell
                if one["statistic"] != one["unit"]
            }
            cells.append(place | values | _in_words(first, values))
            shifts = swarm(np.array([one["value"] for one in kept], dtype=np.float64))
            dots += [
                place
                | {"value": one["value"], "shift": shift, "number": effect(one["value"], 3)}
                | {"pair": f"{isolated(one['target_term'])} – {isolated(one['attribute_term'])}"}
                for one, shift in zip(kept, shifts.tolist(), strict=True)
            ]
    return cells, dots


def _marks(unit: str, dots: int) -> str:
    """What the marks of the chart are."""
    said = ""
    if dots > MOST_DOTS:
        said = f" (the {dots:,} {unit}s themselves are too many to show)"
    elif dots:
        said = f"; dots: the {unit}s of single pairs of terms"
    return f"Line: range; box: quartiles and median; diamond: mean{said}."


def _in_words(first: dict[str, Any], values: dict[str, float]) -> dict[str, str]:
    """Texts of a cell: those beside it, of its tooltip and of its description."""
    pair = f"{isolated(first['target'])} with {isolated(first['attribute'])}"
    mean, sd, median, low, high = (
        effect(values[name], 3) for name in ("mean", "sd", "median", "minimum", "maximum")
    )
    words = f"{isolated(first['test'])}, {pair}: mean {mean}, median {median}, from {low} to {high}"
    number = f"mean {mean}, median {median}, {low} to {high}"
    return {"pair": pair, "number": number, "mean_shown": mean, "sd_shown": sd, "words": words}


def _rows(result: AssociationResult) -> Iterator[dict[str, Any]]:
    for name in CELLS if result.level3 else ():
        cell, names = at(result, f"level3.{name}"), result.concepts
        head = {
            "cell": name,
            "target": names.name(name[0]),
            "attribute": names.name(name[1]),
            "n": cell.n,
            "unit": result.unit,
            "scale": result.scale,
        }
        statistics = {"mean": cell.mean, "sd": cell.sd}
        statistics |= dict(zip(QUANTILES, cell.quantiles, strict=True))
        for statistic, value in statistics.items():
            yield {**head, "statistic": statistic, "value": value}
        for target_term, attribute_term, value in _cosines(result, name):
            yield {
                **head,
                "statistic": result.unit,
                "value": value,
                "target_term": target_term,
                "attribute_term": attribute_term,
            }


def _cosines(result: AssociationResult, cell: str) -> Iterator[tuple[str, str, float]]:
    """Terms and cosine of each pair of a cell, from the block that is kept for all four."""
    if result.similarities is None:
        return
    used = {role: result.coverage.group(role).scored for role in "XYAB"}
    first_row = 0 if cell[0] == "X" else len(used["X"])
    first_column = 0 if cell[1] == "A" else len(used["A"])
    for i, target_term in enumerate(used[cell[0]]):
        for j, attribute_term in enumerate(used[cell[1]]):
            value = result.similarities[first_row + i][first_column + j]
            yield target_term, attribute_term, value


def swarm(values: np.ndarray[Any, np.dtype[np.float64]]) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Spread dots sideways, between -1 and 1, the wider the more of them are near.

    Without chance: the places come from the van der Corput sequence, in the order of the values,
    scaled by the share of values in each of 24 classes, smoothed.
    """
    if len(values) < 2 or np.ptp(values) == 0:
        return np.zeros(len(values))
    counts, edges = np.histogram(values, bins=24)
    smooth = np.convolve(counts, [0.25, 0.5, 0.25], mode="same")
    centres = (edges[:-1] + edges[1:]) / 2
    near = np.interp(values, centres, smooth) / smooth.max()
    places = np.empty(len(values))
    places[np.argsort(values, kind="stable")] = [_van_der_corput(i) for i in range(len(values))]
    spread: np.ndarray[Any, np.dtype[np.float64]] = (2 * places - 1) * near
    return spread


def _van_der_corput(index: int) -> float:
    """Mirror the binary digits of a number at the point: 1, 2, 3 become 1/2, 1/4, 3/4."""
    digits = f"{index:b}"[::-1]
    return int(digits, 2) / 2.0 ** len(digits)
