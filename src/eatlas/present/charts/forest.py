"""Forest plot: level 1 and level 2 effect sizes with their intervals, test below test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.present.charts.backend import altair, lines_of, themed
from eatlas.present.charts.frames import HEAD, effect_rows, grouped, records, tidy
from eatlas.present.charts.layers import (
    Rows,
    across,
    described,
    effect_notes,
    effect_tooltip,
    looks,
    no_effect,
    points,
    shown,
    source_note,
    text,
    title,
)
from eatlas.present.charts.theme import LEVELS, LOOKS, MUTED, SERIES

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *HEAD, *"XYAB", "level", "role", "name", "term", "effect_size", "low", "high", "confidence",
    "p", "p_low", "alpha", "tail", "significant", "read_over",
)  # fmt: skip


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each effect size.

    Parameters
    ----------
    results : result or iterable of results
        Of any measure: what :meth:`~eatlas.results.AssociationResult.effects` lists, such as
        level 1 and both level 2 of an ML-EAT, or level 2 of every term of an SC-EAT.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period`` and ``series`` (what distinguishes the
        results of one test); ``X``, ``Y``, ``A``, ``B`` (names of the groups); ``level``
        ("level 1", "level 2", "over attributes", or a measure's own), ``role`` ("XY", "X", "Y",
        "AB"), ``name`` (of the group or term), ``term`` (whether it is one); ``effect_size``,
        ``low`` and ``high`` (its interval) with ``confidence``; ``p`` that the measure's rule
        reads, ``p_low`` (its lower bound where only bounds are known), ``alpha``, ``tail``,
        ``significant``; ``read_over`` ("stimuli" in tests of sentences, else "terms"). What is
        undefined is missing.

    Raises
    ------
    ResultsError
        If there is no result, or one of another measure.

    Examples
    --------
    >>> import eatlas
    >>> prepare(eatlas.run(tests="weat-6"))["level"].tolist()
    ['level 1', 'level 2', 'level 2']
    """
    why = "a forest shows effect sizes"
    return tidy(results, "forest", "effects", why, effect_rows, COLUMNS)


def draw(given: pd.DataFrame) -> Chart:
    """Draw the forest.

    Tests are below each other in their order in the frame, the sources of a test beside each
    other in its rows. Filled marks are significant.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some rows of it.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    alt = altair()
    found = records(given)
    names = list(dict.fromkeys(row["series"] for row in found))
    kinds = dict(zip(names, SERIES * (1 + len(names) // len(SERIES)), strict=False))
    one = len(names) == 1
    colour, shape, _ = looks("look", LEVELS, legend=False) if one else looks("series", kinds)
    others = dict.fromkeys(row["level"] for row in found)
    of_levels = any(row["role"] in LOOKS for row in found)
    x, rows = across("Effect size d" if of_levels else ", ".join(others)), Rows()
    layers = [
        *no_effect(),
        alt.Chart().mark_rule(strokeWidth=1.8, aria=False).encode(x=x("low:Q"), x2="high:Q"),
        *points(shape, "significant", x=x("effect_size:Q")),
        text("towards_B", MUTED, x=0, align="left"),
        text("towards_A", MUTED, align="left", dx=12),
        text("d", align="right", dx=48),
        text("star", align="left", dx=49),
        text("ends", align="left", dx=62),
    ]
    drawn = list(_drawn(found, rows))
    heading = "Effect sizes of levels 1 and 2" if of_levels else "Results of other measures"
    return themed(
        rows.chart(layers, drawn, color=colour, tooltip=effect_tooltip()),
        width=330,
        title=title(heading, [*source_note(names), *effect_notes(found)]),
        description=described("Forest plot", found),
    )


def _drawn(found: list[dict[str, Any]], rows: Rows) -> Iterator[dict[str, Any]]:
    """Give each test a heading, and below it each effect size of each series its row."""
    for (test,), of_test in grouped(found, "test"):
        a, b = (of_test[0][role] for role in "AB")
        towards = {}
        if a and b and any(row["role"] in LOOKS for row in of_test):
            towards = {"towards_B": f"← {_lines(b)}", "towards_A": f"{_lines(a)} →"}
        yield from rows.heading(test, **towards)
        for _, line in grouped(of_test, "level", "role", "name"):
            top = rows.add(_label(line[0]), len(line))
            for place, row in enumerate(line, start=top):
                texts: dict[str, Any] = shown(row)
                texts["ends"] = None if row["low"] is None else texts["interval"]
                if row["effect_size"] is None:
                    texts |= {"d": None, "ends": "undefined"}
                star = "*" if row["significant"] else None
                look = {
                    "row": place,
                    "look": LOOKS.get(row["role"], "level 1"),
                    "star": star,
                    "heading": False,
                }
                yield row | texts | look


def _lines(name: str) -> str:
    return "\n".join(lines_of(name, 140))


def _label(row: dict[str, Any]) -> str:
    """What a row shows: the level and its target, or a single term."""
    level, role = row["level"][:1].upper() + row["level"][1:], row["role"]
    if row["term"]:
        return str(row["name"])
    if role in ("X", "Y"):
        return f"{level}, {role}: {row['name']}"
    return f"{level}: {' against '.join(role)}" if role in LOOKS else level
