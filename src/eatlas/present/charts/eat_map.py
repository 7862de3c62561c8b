"""EAT-Maps of several results beside each other.

One map alone, without altair, is :class:`eatlas.report.EATMap`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.present.charts.backend import altair, lines_of, themed
from eatlas.present.charts.frames import HEAD, grouped, records, tidy
from eatlas.present.charts.layers import (
    CELL,
    DOT,
    NOTHING,
    Rows,
    broken_labels,
    draw_maps,
    is_narrow,
    listed,
    named,
    source_note,
    squares,
    text,
    title,
    tooltip,
)
from eatlas.present.drawings.eat_map import EATMap
from eatlas.present.numbers import effect, p_equals
from eatlas.present.text import isolated
from eatlas.results.effects import Rule

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart
    from eatlas.results import AssociationResult

COLUMNS = (
    *HEAD, "pattern", "two_sided_pattern", "cell", "role", "attribute_role", "target",
    "attribute", "state", "text", "effect_size", "p", "p_low", "alpha", "tail", "significant",
)  # fmt: skip


MOST_WITH_WORDS = 3
"""Maps whose red cells say in words what they mean; more of them have a dot alone."""
MOST_WITH_PATTERNS = 4
"""Sources beside each other whose small maps have the names of patterns beside them."""
SMALL, GRID_STEP = 14, 34
"""Pixels of a cell of a small map, and from row to row."""
QUESTION = "Level 2: is each target group, taken alone, associated with A or B?"


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each cell of each EAT-Map.

    Parameters
    ----------
    results : result or iterable of results
        Of ML-EAT.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period`` and ``series`` (what distinguishes the
        results of one test); ``pattern`` and ``two_sided_pattern``; ``cell`` (XA, XB, YA, YB)
        of ``role`` and ``attribute_role``, called ``target`` and ``attribute``; ``state``
        ("associated", "not associated", "undefined") and ``text`` (the share of a zero-shot
        reading, else empty); the target's level 2 ``effect_size``, and
        its ``p``, ``p_low`` (where only bounds are known), ``alpha``, ``tail`` and ``significant``.

    Raises
    ------
    ResultsError
        If there is no result, or one of another measure.

    Examples
    --------
    >>> import eatlas
    >>> cells = prepare(eatlas.run(tests="weat-6"))
    >>> cells.loc[cells["state"] == "associated", "cell"].tolist()
    ['YB']
    """
    why = "an EAT-Map shows the level 2 of an ML-EAT"
    return tidy(results, "eat-map", "pattern", why, _cells, COLUMNS)


def draw(given: pd.DataFrame, *, columns: int = 3) -> Chart:
    """Draw the maps in rows.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some results of it.
    columns : int, default 3
        Maps in a row, at least 1.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    found = records(given)
    names = list(dict.fromkeys(row["series"] for row in found))
    maps = [cells for _, cells in grouped(found, "test", "series")]
    if len(names) > 1 and len(maps) > len(names):
        return _grid(found, maps, names)
    columns = max(1, len(names) if len(names) > 1 else columns)
    inside = f"{DOT} associated" if len(maps) <= MOST_WITH_WORDS else DOT
    rules = dict.fromkeys((row["alpha"], row["tail"]) for row in found)
    notes = [*source_note(found), QUESTION, *(Rule(*rule).meaning for rule in rules)]
    kind = "EAT-Map" if len(maps) == 1 else "EAT-Maps"
    words = [_in_words(cells) for cells in maps]
    return draw_maps(
        [_texts(cells, inside, with_series=len(names) > 1) for cells in maps],
        (CELL, 50),
        columns,
        title=title(kind, notes, min(len(maps), columns) * (2 * CELL + 100.0)),
        description=listed(kind if len(maps) == 1 else f"{len(maps)} {kind}", words),
    )


def _grid(found: list[dict[str, Any]], maps: list[Any], names: list[str]) -> Chart:
    """Draw a small map for each test, in rows, on each source, in columns."""
    alt = altair()
    rows, few = (
        Rows(room=420.0, share=0.28, step=GRID_STEP, padding=16),
        len(names) <= MOST_WITH_PATTERNS,
    )
    drawn: list[dict[str, Any]] = []
    for _, cells in grouped(found, "test"):
        row = rows.add(named(cells[0]))
        drawn += [
            cell | {"row": row, "words": _in_words(of_source)}
            | {"label": cell["pattern"] if few and cell["cell"] == "XA" else None}
            for _, of_source in grouped(cells, "series") for cell in of_source
        ]  # fmt: skip
    label = text("label", x=2.5 * SMALL + 4, align="left", fontSize=11)
    header = alt.Header(
        labelExpr=broken_labels(names, 110 if few else 60), labelFontWeight="normal"
    )
    column = alt.Column("series:N", sort=names, header=header)
    hover = tooltip(words="finding", series="source")
    chart = rows.chart([*squares(SMALL * 0.75, SMALL), label], drawn, tooltip=hover)
    chart = chart.properties(width=120 if few else 2 * SMALL + 20).facet(
        column=column, spacing=2 if is_narrow() else 6
    )
    rules = dict.fromkeys((row["alpha"], row["tail"]) for row in found)
    meaning = [
        f"Columns of a map: X, Y; rows: A, B. Red, with a dot: associated, {Rule(*rule).meaning}."
        for rule in rules
    ]
    words = [f"{_in_words(cells)} ({isolated(cells[0]['series'])})" for cells in maps]
    return themed(
        chart,
        title=title("EAT-Maps", [*source_note(found), QUESTION, *meaning]),
        description=listed(f"{len(maps)} EAT-Maps", words),
    )


def _texts(cells: list[dict[str, Any]], inside: str, *, with_series: bool) -> list[dict[str, Any]]:
    """Add to the cells of one map what is written in it, above it and below it."""
    first = cells[0]
    names = [first["test"], *([first["series"]] if with_series else [])]
    heading = [line for name in names for line in lines_of(name, 2.5 * CELL, 13)]
    rule = f"two-sided rule:\n{first['two_sided_pattern']}"
    said = {"associated": inside, "undefined": "undefined"}
    noted = first["two_sided_pattern"] != first["pattern"]
    found = []
    for cell in cells:
        known = cell["effect_size"] is not None
        d = effect(cell["effect_size"]) + ("*" if cell["significant"] else "")
        p = p_equals(cell["p"], cell["alpha"], cell["p_low"]) if known else ""
        texts = {
            "heading": "\n".join([*heading, first["pattern"]]),
            "column": "\n".join(lines_of(cell["target"], CELL)),
            "line": "\n".join(lines_of(cell["attribute"], 150)),
            "inside": _inside(said.get(cell["state"], ""), cell["text"]),
            "note": rule if noted and cell["cell"] == "XA" else "",
            "d_shown": d,
            "p_shown": p,
        }
        if cell["attribute_role"] == "A":
            texts |= {"d": f"d = {d}" if known else "d undefined", "p": p}
        found.append(cell | NOTHING | texts)
    return found


def _inside(said: str, text: str) -> str:
    """What is written in a cell: a text takes the place of the word beside the dot."""
    return f"{DOT} {text}" if text and said.startswith(DOT) else text or said


def _in_words(cells: list[dict[str, Any]]) -> str:
    found = []
    for role in "XY":
        own = [cell for cell in cells if cell["role"] == role]
        held = [isolated(cell["attribute"]) for cell in own if cell["state"] == "associated"]
        found.append(f"{isolated(own[0]['target'])} with {held[0] if held else 'neither'}")
    return f"{isolated(cells[0]['test'])} {cells[0]['pattern']}: {', '.join(found)}"


def _cells(result: AssociationResult) -> Iterator[dict[str, Any]]:
    """Rows of the four cells of a result's map."""
    shown = EATMap.of(result)
    for role, column in (("X", shown.X), ("Y", shown.Y)):
        for attribute_role, attribute in (("A", shown.A), ("B", shown.B)):
            held = "associated" if column.attribute == attribute_role else "not associated"
            yield {
                "pattern": shown.label, "two_sided_pattern": shown.two_sided_label,
                "cell": role + attribute_role, "role": role, "attribute_role": attribute_role,
                "target": column.name, "attribute": attribute,
                "state": "undefined" if column.effect_size is None else held,
                "text": column.texts["AB".index(attribute_role)],
                "effect_size": column.effect_size, "p": column.p, "p_low": column.p_low,
                "alpha": shown.rule.alpha, "tail": shown.rule.tail,
                "significant": column.significant,
            }  # fmt: skip
