"""Which terms drive each association: every effect size without each term in turn."""

from __future__ import annotations

from operator import itemgetter
from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError
from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.frames import Records
from eatlas.present.charts.rows import influences
from eatlas.present.charts.theme import ROLES
from eatlas.present.numbers import effect
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *frames.HEAD, *"XYAB", "level", "role", "name", "term", "term_role", "effect_size", "without",
    "change", "drives", "rank",
)  # fmt: skip
WIDTH = 360
DRAWN = 10
"""Terms of each effect size that a chart shows by default; all of 8 v 8 with 8 v 8 are 32."""


def prepare(result: object) -> pd.DataFrame:
    """Make a row of each term for each effect size that uses it."""
    why = "terms are left out one by one in ML-EAT and WEAT"
    (found, *others) = frames.some_results(result, "influence", "level1", why)
    if others:
        raise ResultsError(
            "a chart of the kind influence is drawn from one result",
            got=f"{1 + len(others)} results",
            allowed="one result of ML-EAT or WEAT",
            remedy='take one of several: eatlas.plot(results[0], kind="influence")',
        )
    if found.primary.influence is None:
        raise ResultsError(
            "this result does not say what single terms contribute",
            got=f"{found.signature} for {found.test}",
            allowed="a result with two usable terms or more in each group",
            remedy="measure the test again with more terms",
        )
    return frames.tidy(found, "influence", "level1", why, influences, COLUMNS)


def draw(given: pd.DataFrame, *, terms: int = DRAWN) -> Chart:
    """Draw the terms whose absence changes each effect size most."""
    found = frames.records(given)
    first, used = found[0], {row["term_role"] for row in found}
    kinds = {f"{role}: {first[role]}": look for role, look in ROLES.items() if role in used}
    groups = [of_one for _, of_one in frames.grouped(found, "level", "role")]
    shown = [_shown(of_one, max(1, terms)) for of_one in groups]
    panels = [
        _panel(of_one, some, kinds, key=place == 0)
        for place, (of_one, some) in enumerate(zip(groups, shown, strict=True))
    ]
    notes = [
        wording.named(first),
        *wording.source_note(found),
        "Marks: d without the term; the line: d with all terms. Filled: nearer to 0 without the "
        "term, or past it; hollow: farther.",
    ]
    return marks.below(
        panels,
        title=marks.title("Which terms drive the associations?", notes),
        description=wording.listed(
            f"Influence of terms in {isolated(first['test'])}",
            [row["words"] for some in shown for row in some],
        ),
    )


def _shown(of_one: Records, most: int) -> Records:
    """The terms that change an effect size most, first those that drive it, with their texts."""
    known = sorted((row for row in of_one if row["change"] is not None), key=itemgetter("rank"))
    return [
        row | {
            "group": f"{row['term_role']}: {row[row['term_role']]}",
            "d": effect(row["without"]), "change_shown": effect(row["change"], 3),
            "words": _in_words(row),
        }
        for row in sorted(known[:most], key=lambda row: not row["drives"])
    ]  # fmt: skip


def _panel(of_one: Records, shown: Records, kinds: dict[str, Any], *, key: bool) -> Any:
    """One effect size: a row for each term, on the axis of d itself; the first has the key."""
    heading = marks.title(_heading(of_one[0]), [_count(of_one, shown)])
    if not shown:
        empty = alt.Chart(alt.InlineData(values=[{}])).mark_point(opacity=0)
        return empty.properties(width=WIDTH, height=1, title=heading)
    rows = marks.Rows()
    data = [row | {"row": rows.add(row["term"])} for row in shown]
    colour, shape, _ = marks.looks("group", kinds, legend=key)
    whole = of_one[0]["effect_size"]
    values = [whole, *(row["without"] for row in shown)]
    room = 0.08 * (max(values) - min(values)) or 0.1
    domain = [min(values) - room, max(values) + room]
    x = marks.across("d without the term", domain)
    layers = [
        marks.rule(x=alt.datum(whole, scale=alt.Scale(domain=domain))),
        marks.stems(x=x("without:Q"), x2="effect_size:Q"),
        *marks.points(shape, "drives", x=x("without:Q")),
        marks.text("d", align="right", dx=48),
    ]
    hover = wording.tooltip(term="term", group="group", d="d without it", change_shown="change")
    chart = rows.chart(layers, data, color=colour, tooltip=hover)
    return chart.properties(width=WIDTH, title=heading)


def _heading(row: dict[str, Any]) -> str:
    d = "d undefined" if row["effect_size"] is None else f"d = {effect(row['effect_size'])}"
    return f"{row['level'].capitalize()}: {wording.targets(row)}, {d}"


def _count(rows: Records, shown: Records) -> str:
    """How many terms there are, and how many of them are shown."""
    if not shown:
        return "whichever term is left out, no effect size is defined"
    unknown = sum(row["change"] is None for row in rows)
    left = f"; no effect size is left without {unknown} of them" if unknown else ""
    if len(shown) + unknown == len(rows):
        return f"all {len(rows)} terms{left}"
    return f"{len(shown)} of {len(rows)} terms, those that change it most{left}"


def _in_words(row: dict[str, Any]) -> str:
    of = "" if row["level"] == "level 1" else f" of {isolated(row['name'])}"
    return f"{row['level']}{of} without {isolated(row['term'])}: d = {effect(row['without'])}"
