"""Level 3: how the cosines of each target group with each attribute group are spread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from eatlas.errors import ResultsError
from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.theme import INK, LEVELS, MUTED, PAPER
from eatlas.present.numbers import effect
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.results.levels import CELLS
from eatlas.results.parts import at

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *frames.HEAD, "cell", "target", "attribute", "statistic", "value", "n", "target_term",
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
        ``test``, ``source``, ``signature``, ``period`` and ``series`` (what distinguishes the
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
    found = frames.tidy(results, "level3", "level3", why, _rows, COLUMNS)
    units = sorted(found["unit"].unique())
    if len(units) > 1:
        raise ResultsError(
            "one scale cannot show these results",
            got=" and ".join(f"{unit}s" for unit in units),
            allowed="results in one unit",
            remedy="draw those of each measure by themselves",
        )
    return found


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
    found = frames.records(given)
    unit, scale = found[0]["unit"], found[0]["scale"]
    count = sum(row["statistic"] == unit for row in found)
    dots = 0 < count <= MOST_DOTS
    several = len(frames.series_of(found)) > 1
    rows = marks.Rows(room=300.0, step=TALL if dots else LOW)
    drawn = list(_drawn(found, rows, dots=dots, with_series=several))
    words = [row["words"] for row in drawn if "words" in row]
    x = marks.across(unit.capitalize() + (f" ({scale})" if scale else ""))
    about = "Line: range; box: quartiles and median; diamond: mean, dark with A, light with B"
    if dots:
        about += f"; dots: the {unit}s of single pairs of terms"
    elif count:
        about += f" (the {count:,} {unit}s themselves are too many to show)"
    notes = [*wording.source_note(found), f"{about}.", "A less B: what level 2 compares."]
    hover = wording.tooltip(pair="groups or terms", number=unit)
    colour = marks.looks("look", LEVELS, legend=False)[0]
    return marks.themed(
        rows.chart(_layers(x, rows, dots=dots), drawn, color=colour, tooltip=hover),
        width=400,
        title=marks.title(f"Level 3: {unit}s of targets with attributes", notes),
        description=wording.listed(f"{unit.capitalize()}s of {len(words)} pairs of groups", words),
    )


def _layers(x: Any, rows: marks.Rows, *, dots: bool) -> list[Any]:
    """Dots, their range and quartiles, the means of both attributes and the line between them."""
    dot = alt.Chart().transform_filter("isValid(datum.value)")
    box = alt.Chart().transform_filter("isValid(datum.mean)")
    ink = box.encode(color=alt.value(INK))
    spread = alt.YOffset("shift:Q", scale=alt.Scale(domain=[-1.4, 1.4]))
    of_a = alt.condition("datum.attribute_role == 'A'", alt.value(0.55), alt.value(0.28))
    filled = alt.condition("datum.attribute_role == 'A'", alt.value(INK), alt.value(PAPER))
    return [
        *marks.no_effect(),
        dot.mark_circle(size=22, aria=False)
        .encode(x=x("value:Q"), yOffset=spread, opacity=of_a),
        ink.mark_rule(aria=False).encode(x=x("minimum:Q"), x2="maximum:Q"),
        (box.encode(color=alt.value(PAPER)) if dots else box)
        .mark_bar(size=14, fillOpacity=0.6, stroke=INK, strokeWidth=1.2)
        .encode(x=x("lower quartile:Q"), x2="upper quartile:Q", description="words:N"),
        ink.mark_tick(size=14, thickness=2.5, aria=False).encode(x=x("median:Q")),
        ink.mark_line(strokeDash=[3, 2], aria=False).encode(x=x("mean:Q"), detail="pair_of:N"),
        box.mark_point(shape="diamond", size=60, opacity=1, stroke=INK, aria=False)
        .encode(x=x("mean:Q"), fill=filled),
        marks.text("about", x=0, dx=-rows.left, dy=-10, align="left", fontWeight="bold"),
        *(
            marks.text(column, align="right", dx=dx, dy=dy)
            for column, dx, dy in (
                ("mean_shown", 52, 0), ("sd_shown", 96, 0), ("less", 150, rows.step / 2)
            )
        ),
        *(
            marks.text(head, MUTED, align="right", dx=dx, dy=-10)
            for head, dx in (("head", 52), ("head_sd", 96), ("head_less", 150))
        ),
    ]  # fmt: skip


def _drawn(
    found: list[dict[str, Any]], rows: marks.Rows, *, dots: bool, with_series: bool
) -> Iterator[dict[str, Any]]:
    """Give each result a title and each of its cells a row; the dots are in these rows."""
    head = {"head": "mean", "head_sd": "sd", "head_less": "A less B"}
    for (test, series), of_result in frames.grouped(found, "test", "series"):
        name = f"{test}: {series}" if with_series else wording.named(of_result[0])
        for line in rows.title(name, "", 400 + rows.room):
            yield line | head
            head = {}
        means = {row["cell"]: row["value"] for row in of_result if row["statistic"] == "mean"}
        for (cell,), of_cell in frames.grouped(of_result, "cell"):
            first, target = of_cell[0], cell[0]
            row = rows.add(f"{first['target']} – {first['attribute']}")
            place = {
                "row": row, "look": target, "attribute_role": cell[1],
                "pair_of": f"{test} {series} {target}",
            }  # fmt: skip
            values = {one["statistic"]: one["value"] for one in of_cell if not one["target_term"]}
            both = cell[1] == "A" and target + "B" in means
            less = effect(means[cell] - means[target + "B"], 3) if both else None
            signed = less and (less if less.startswith("\u2212") else f"+{less}")
            yield place | values | _texts(first, values) | {"less": signed}
            kept = [one for one in of_cell if dots and one["target_term"] is not None]
            shifts = marks.swarm(np.array([one["value"] for one in kept], dtype=np.float64))
            for one, shift in zip(kept, shifts.tolist(), strict=True):
                pair = f"{isolated(one['target_term'])} – {isolated(one['attribute_term'])}"
                number = effect(one["value"], 3)
                yield place | {
                    "value": one["value"], "shift": shift, "pair": pair, "number": number
                }  # fmt: skip


def _texts(first: dict[str, Any], values: dict[str, float]) -> dict[str, str]:
    """Texts of a cell: those beside it, of its tooltip and of its description."""
    pair = f"{isolated(first['target'])} with {isolated(first['attribute'])}"
    mean, sd, median, low, high = (
        effect(values[name], 3) for name in ("mean", "sd", "median", "minimum", "maximum")
    )
    number = f"mean {mean}, median {median}, from {low} to {high}"
    words = f"{isolated(first['test'])}, {pair}: {number}"
    return {"pair": pair, "number": number, "mean_shown": mean, "sd_shown": sd, "words": words}


def _rows(result: AssociationResult) -> Iterator[dict[str, Any]]:
    """Rows of the four cells: statistics, then the kept cosines of the cell's pairs of terms."""
    used = {role: result.paired(role) for role in "XYAB"}
    for name in CELLS if result.level3 else ():
        cell, target, attribute = at(result, f"level3.{name}"), name[0], name[1]
        head = {
            "cell": name, "target": result.concepts.name(target), "n": cell.n,
            "attribute": result.concepts.name(attribute), "unit": result.unit,
            "scale": result.scale,
        }  # fmt: skip
        quantiles = zip(QUANTILES, cell.quantiles, strict=True)
        for statistic, value in (("mean", cell.mean), ("sd", cell.sd), *quantiles):
            yield {**head, "statistic": statistic, "value": value}
        below = 0 if target == "X" else len(used["X"])
        right = 0 if attribute == "A" else len(used["A"])
        similarities = result.similarities or ()
        for row, term in zip(similarities[below:], used[target], strict=False):
            for value, attribute_term in zip(row[right:], used[attribute], strict=False):
                pair = {"target_term": term, "attribute_term": attribute_term}
                yield {**head, **pair, "statistic": result.unit, "value": value}
