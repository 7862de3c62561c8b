"""EAT-Maps of several results beside each other.

One map alone, without altair, is :class:`eatlas.report.EATMap`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eatlas.present.charts import frames, maps, marks, rows, wording
from eatlas.present.charts.backend import alt, lines_of
from eatlas.present.charts.frames import Records
from eatlas.present.numbers import effect, p_equals
from eatlas.present.text import isolated
from eatlas.results.effects import Rule

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *frames.HEAD, "pattern", "two_sided_pattern", "cell", "role", "attribute_role", "target",
    "attribute", "state", "text", "effect_size", "p", "p_low", "alpha", "tail", "significant",
)  # fmt: skip


MOST_WITH_WORDS = 3
"""Maps whose red cells say in words what they mean; more of them have a dot alone."""
MOST_WITH_PATTERNS = 4
"""Sources beside each other whose small maps have the names of patterns beside them."""
SMALL, GRID_STEP = 14, 34
"""Pixels of a cell of a small map, and from row to row."""
COLUMNS_AND_ROWS = "Columns of a map: X, Y; rows: A, B."
QUESTION = "Level 2: is each target group, taken alone, associated with A or B?"


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each cell of each EAT-Map."""
    why = "an EAT-Map shows the level 2 of an ML-EAT"
    return frames.tidy(results, "eat-map", "pattern", why, rows.cells, COLUMNS)


def draw(given: pd.DataFrame) -> Chart:
    """Draw the maps in rows of three; of several sources of one test beside each other."""
    found = frames.records(given)
    names, several = frames.series_of(found), frames.grouped(found, "test", "series")
    words = [_in_words(of_map) for _, of_map in several]
    rules = [Rule(*rule).meaning for rule in dict.fromkeys((r["alpha"], r["tail"]) for r in found)]
    about = [*wording.source_note(found), QUESTION]
    if len(names) > 1 and len(several) > len(names):
        meaning = [f"{COLUMNS_AND_ROWS} Red, with a dot: associated, {rule}." for rule in rules]
        words = [
            f"{said} ({isolated(key[1])})" for said, (key, _) in zip(words, several, strict=True)
        ]
        return marks.themed(
            _grid(found, names),
            title=marks.title("EAT-Maps", [*about, *meaning]),
            description=wording.listed(f"{len(several)} EAT-Maps", words),
        )
    columns = len(names) if len(names) > 1 else 3
    inside = f"{maps.DOT} associated" if len(several) <= MOST_WITH_WORDS else maps.DOT
    kind = "EAT-Map" if len(several) == 1 else "EAT-Maps"
    wide = min(len(several), columns) * (2 * maps.CELL + 100.0)
    return maps.draw_maps(
        [_texts(of_map, inside, several=len(names) > 1) for _, of_map in several],
        (maps.CELL, 50),
        columns,
        title=marks.title(kind, [*about, *rules], wide),
        description=wording.listed(kind if len(several) == 1 else f"{len(several)} {kind}", words),
    )


def _grid(found: Records, names: list[str]) -> Any:
    """A small map for each test, in rows, on each source, in columns."""
    rows = marks.Rows(room=420.0, share=0.28, step=GRID_STEP, padding=16)
    few = len(names) <= MOST_WITH_PATTERNS
    drawn: Records = []
    for _, of_test in frames.grouped(found, "test"):
        row = rows.add(wording.named(of_test[0]))
        for _, of_map in frames.grouped(of_test, "series"):
            drawn += [cell | {"row": row, "words": _in_words(of_map)} for cell in of_map]
    label = marks.text("pattern", x=2.5 * SMALL + 4, align="left", fontSize=11)
    layers = maps.squares(SMALL * 0.75, SMALL)
    layers += [label.transform_filter("datum.cell == 'XA'")] if few else []
    broken = marks.broken_labels(names, 110 if few else 60)
    header = alt.Header(labelExpr=broken, labelFontWeight="normal")
    panel = rows.chart(layers, drawn, tooltip=wording.tooltip(words="finding", series="source"))
    return panel.properties(width=120 if few else 2 * SMALL + 20).facet(
        column=alt.Column("series:N", sort=names, header=header),
        spacing=2 if marks.is_narrow() else 6,
    )


def _texts(of_map: Records, inside: str, *, several: bool) -> Records:
    """Add to the cells of one map what is written in it, above it and below it."""
    first = of_map[0]
    names = [first["test"], *([first["series"]] if several else [])]
    heading = [line for name in names for line in lines_of(name, 2.5 * maps.CELL, 13)]
    note = f"two-sided rule:\n{first['two_sided_pattern']}"
    if first["two_sided_pattern"] == first["pattern"]:
        note = ""
    found = []
    for cell in of_map:
        d, p = "d undefined", ""
        shown = effect(cell["effect_size"]) + ("*" if cell["significant"] else "")
        if cell["effect_size"] is not None:
            d, p = f"d = {shown}", p_equals(cell["p"], cell["alpha"], cell["p_low"])
        state = {"associated": inside, "undefined": "undefined"}.get(cell["state"], "")
        text = cell["text"]  # instead of a word
        texts = {
            "heading": "\n".join([*heading, first["pattern"]]),
            "column": "\n".join(lines_of(cell["target"], maps.CELL)),
            "line": "\n".join(lines_of(cell["attribute"], 150)),
            "inside": f"{maps.DOT} {text}" if text and state == inside else text or state,
            "note": note if cell["cell"] == "XA" else "", "d_shown": shown, "p_shown": p,
        }  # fmt: skip
        below = {"d": d, "p": p} if cell["attribute_role"] == "A" else {}
        found.append(cell | maps.NOTHING | texts | below)
    return found


def _in_words(of_map: Records) -> str:
    """With which attribute each target is associated."""
    held = {row["role"]: row["attribute"] for row in of_map if row["state"] == "associated"}
    targets = {row["role"]: row["target"] for row in of_map}
    said = ", ".join(
        f"{isolated(name)} with {isolated(held[role]) if role in held else 'neither'}"
        for role, name in targets.items()
    )
    return f"{isolated(of_map[0]['test'])} {of_map[0]['pattern']}: {said}"
