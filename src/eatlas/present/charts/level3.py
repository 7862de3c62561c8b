"""Level 3: how the cosines of each target group with each attribute group are spread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError
from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.frames import Records
from eatlas.present.charts.rows import spreads
from eatlas.present.charts.theme import INK, LEVELS, PAPER
from eatlas.present.numbers import effect
from eatlas.present.text import isolated

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


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each statistic, and of each cosine that the result kept."""
    why = "level 3 is measured by ML-EAT and LPBS"
    found = frames.tidy(results, "level3", "level3", why, spreads, COLUMNS)
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
    """Draw the spread of each cell: quartiles and median, mean, and the cosines where kept."""
    found = frames.records(given)
    unit, scale = found[0]["unit"], found[0]["scale"]
    count = sum(row["statistic"] == unit for row in found)
    dots = 0 < count <= MOST_DOTS
    rows = marks.Rows(room=300.0, step=TALL if dots else LOW)
    drawn = list(_drawn(found, rows, dots))
    words = [row["words"] for row in drawn if "words" in row]
    about = "Line: range; box: quartiles and median; diamond: mean, dark with A, light with B"
    if dots:
        about += f"; dots: the {unit}s of single pairs of terms"
    elif count:
        about += f" (the {count:,} {unit}s themselves are too many to show)"
    notes = [*wording.source_note(found), f"{about}.", "A less B: what level 2 compares."]
    return marks.themed(
        rows.chart(
            _layers(marks.across(unit.capitalize() + (f" ({scale})" if scale else "")), rows, dots),
            drawn,
            color=marks.looks("look", LEVELS, legend=False)[0],
            tooltip=wording.tooltip(pair="groups or terms", number=unit),
        ),
        width=400,
        title=marks.title(f"Level 3: {unit}s of targets with attributes", notes),
        description=wording.listed(f"{unit.capitalize()}s of {len(words)} pairs of groups", words),
    )


def _layers(x: Any, rows: marks.Rows, dots: bool) -> list[Any]:  # noqa: FBT001
    """Dots, their range and quartiles, the means of both attributes and the line between them."""
    box = alt.Chart().transform_filter("isValid(datum.mean)")
    ink = box.encode(color=alt.value(INK))
    with_a = "datum.attribute_role == 'A'"
    beside: dict[str, Any] = {"align": "right", "dy": {"expr": "datum.heading ? -10 : 0"}}
    return [
        *marks.no_effect(),
        alt.Chart().transform_filter("isValid(datum.value)").mark_circle(size=22, aria=False)
        .encode(
            x=x("value:Q"),
            yOffset=alt.YOffset("shift:Q", scale=alt.Scale(domain=[-1.4, 1.4])),
            opacity=alt.condition(with_a, alt.value(0.55), alt.value(0.28)),
        ),
        ink.mark_rule(aria=False).encode(x=x("minimum:Q"), x2="maximum:Q"),
        (box.encode(color=alt.value(PAPER)) if dots else box)
        .mark_bar(size=14, fillOpacity=0.6, stroke=INK, strokeWidth=1.2)
        .encode(x=x("lower quartile:Q"), x2="upper quartile:Q", description="words:N"),
        ink.mark_tick(size=14, thickness=2.5, aria=False).encode(x=x("median:Q")),
        ink.mark_line(strokeDash=[3, 2], aria=False).encode(x=x("mean:Q"), detail="pair_of:N"),
        box.mark_point(shape="diamond", size=60, opacity=1, stroke=INK, aria=False)
        .encode(x=x("mean:Q"), fill=alt.condition(with_a, alt.value(INK), alt.value(PAPER))),
        marks.text("about", x=0, dx=-rows.left, dy=-10, align="left", fontWeight="bold"),
        marks.text("mean_shown", dx=52, **beside),
        marks.text("sd_shown", dx=96, **beside),
        marks.text("less", dx=150, align="right",
                   dy={"expr": f"datum.heading ? -10 : {rows.step / 2}"}),
    ]  # fmt: skip


def _drawn(found: Records, rows: marks.Rows, dots: bool) -> Iterator[dict[str, Any]]:  # noqa: FBT001
    """Give each result a title and each of its cells a row; the dots are in these rows."""
    several = len(frames.series_of(found)) > 1
    for (test, series), of_result in frames.grouped(found, "test", "series"):
        name = f"{test}: {series}" if several else wording.named(of_result[0])
        first, *others = rows.title(name, "", 400 + rows.room)
        yield first | {"mean_shown": "mean", "sd_shown": "sd", "less": "A less B"}
        yield from others
        means = {row["cell"]: row["value"] for row in of_result if row["statistic"] == "mean"}
        for (cell,), of_cell in frames.grouped(of_result, "cell"):
            place = {
                "row": rows.add(f"{of_cell[0]['target']} – {of_cell[0]['attribute']}"),
                "look": cell[0], "attribute_role": cell[1], "pair_of": f"{test} {series} {cell[0]}",
            }  # fmt: skip
            values = {one["statistic"]: one["value"] for one in of_cell if not one["target_term"]}
            yield place | values | _texts(of_cell[0], values, means)
            kept = [one for one in of_cell if dots and one["target_term"] is not None]
            for one, shift in zip(kept, marks.swarm([one["value"] for one in kept]), strict=True):
                pair = f"{isolated(one['target_term'])} – {isolated(one['attribute_term'])}"
                texts = {"pair": pair, "number": effect(one["value"], 3)}
                yield place | {"value": one["value"], "shift": shift} | texts


def _texts(
    first: dict[str, Any], values: dict[str, float], means: dict[str, float]
) -> dict[str, Any]:
    """Texts of a cell: those beside it, of its tooltip and of its description."""
    (target, attribute), less = first["cell"], None
    if attribute == "A" and target + "B" in means:
        less = effect(means[target + "A"] - means[target + "B"], 3)
        less = less if less.startswith("\u2212") else f"+{less}"
    pair = f"{isolated(first['target'])} with {isolated(first['attribute'])}"
    mean, sd, median, low, high = (
        effect(values[name], 3) for name in ("mean", "sd", "median", "minimum", "maximum")
    )
    number = f"mean {mean}, median {median}, from {low} to {high}"
    shown = {"pair": pair, "number": number, "mean_shown": mean, "sd_shown": sd, "less": less}
    return shown | {"words": f"{isolated(first['test'])}, {pair}: {number}"}
