"""Which terms drive each association: every effect size without each term in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError
from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.theme import ROLES
from eatlas.present.numbers import effect
from eatlas.present.text import isolated
from eatlas.results import AssociationResult

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
    """Make a row of each term for each effect size that uses it.

    Parameters
    ----------
    result : result
        One, of ML-EAT or WEAT.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period``, ``series``; ``X``, ``Y``, ``A``, ``B``
        (names of the groups); ``level`` ("level 1", "level 2") and ``role`` ("XY", "X", "Y") of
        an effect size, and the ``name`` of its targets; the left out ``term`` of the group
        ``term_role``; ``effect_size`` with all terms, ``without`` this one, and the ``change``
        between them, missing where no effect size is left; ``drives``, whether the change is
        towards 0 or past it; ``rank`` by the size of the change in its effect size, from 1.

    Raises
    ------
    ResultsError
        If there is not one result of these measures, or it holds no influence of terms.

    Examples
    --------
    >>> import eatlas
    >>> terms = prepare(eatlas.run(tests="weat-6")[0])
    >>> terms.query("level == 'level 1' and rank == 1")["term"].item()
    'Diana'
    """
    (found, *others) = frames.some_results(
        result, "influence", "level1", "terms are left out one by one in ML-EAT and WEAT"
    )
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
    head = frames.heads([found])[0] | {role: found.concepts.name(role) for role in "XYAB"}
    return frames.frame((head | row for row in _rows(found)), COLUMNS)


def draw(given: pd.DataFrame, *, terms: int = DRAWN) -> Chart:
    """Draw the terms whose absence changes each effect size most.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made.
    terms : int, default 10
        So many of each effect size at most.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    found = frames.records(given)
    first, used = found[0], {row["term_role"] for row in found}
    kinds = {f"{role}: {first[role]}": look for role, look in ROLES.items() if role in used}
    drawn = [_drawn(rows, max(1, terms)) for _, rows in frames.grouped(found, "level", "role")]
    panels = [_panel(rows, kinds, key=place == 0) for place, rows in enumerate(drawn)]
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
            [row["words"] for rows in drawn for row in rows if row["words"]],
        ),
    )


def _panel(drawn: list[dict[str, Any]], kinds: dict[str, Any], *, key: bool) -> Any:
    """One effect size: a row for each term, on the axis of d itself; the first has the key."""
    rows = marks.Rows()
    data = [row | {"row": rows.add(row["term"])} for row in drawn if row["words"]]
    colour, shape, _ = marks.looks("group", kinds, legend=key)
    whole = drawn[0]["effect_size"]
    heading = marks.title(_heading(drawn[0]), [_count(drawn, data)])
    if not data:
        empty = alt.Chart(alt.InlineData(values=[{}])).mark_point(opacity=0)
        return empty.properties(width=WIDTH, height=1, title=heading)
    values = [whole, *(row["without"] for row in data)]
    room = 0.08 * (max(values) - min(values)) or 0.1
    domain = [min(values) - room, max(values) + room]
    x = marks.across("d without the term", domain)
    layers = [
        marks.zero(alt.datum(whole, scale=alt.Scale(domain=domain))),
        marks.stems(x=x("without:Q"), x2="effect_size:Q"),
        *marks.points(shape, "drives", x=x("without:Q")),
        marks.text("d", align="right", dx=48),
    ]
    hover = wording.tooltip(term="term", group="group", d="d without it", change_shown="change")
    chart = rows.chart(layers, data, color=colour, tooltip=hover)
    return chart.properties(width=WIDTH, title=heading)


def _drawn(terms: list[dict[str, Any]], most: int) -> list[dict[str, Any]]:
    """Terms of one effect size; those that change it most have words."""
    known = [row for row in terms if row["change"] is not None]
    shown = sorted(known, key=lambda row: row["rank"])[:most]
    found = [
        row | {
            "group": f"{row['term_role']}: {row[row['term_role']]}",
            "d": effect(row["without"]), "change_shown": effect(row["change"], 3),
            "words": _in_words(row),
        }
        for row in sorted(shown, key=lambda row: (not row["drives"], row["rank"]))
    ]  # fmt: skip
    return found + [row | {"words": None} for row in terms if row not in shown]


def _heading(row: dict[str, Any]) -> str:
    known = row["effect_size"] is not None
    d = f"d = {effect(row['effect_size'])}" if known else "d undefined"
    if row["level"] == "level 1":
        return f"Level 1: {row['X']} against {row['Y']}, {d}"
    return f"Level 2: {row['name']}, {d}"


def _count(rows: list[dict[str, Any]], shown: list[dict[str, Any]]) -> str:
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


def _rows(result: AssociationResult) -> Iterator[dict[str, Any]]:
    """Make a row of each term for each effect size of levels 1 and 2, ranked in each."""
    for found in result.effects():
        d, influence = found.d, found.influence
        changes = [
            (role, term, None if d is None else change)
            for role in "XYAB" if influence
            for term, change in zip(result.scored(role), influence.group(role), strict=False)
        ]  # fmt: skip
        order = sorted(range(len(changes)), key=lambda i: -abs(changes[i][2] or 0.0))
        ranks = {place: rank for rank, place in enumerate(order, start=1)}
        for place, (role, term, change) in enumerate(changes):
            yield {
                "level": frames.level_of(found.title), "role": found.roles,
                "name": " and ".join(found.names), "term": term, "term_role": role,
                "effect_size": d, "without": None if change is None else (d or 0.0) + change,
                "change": change, "drives": (d or 0.0) * (change or 0.0) < 0,
                "rank": ranks[place],
            }  # fmt: skip
