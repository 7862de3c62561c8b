"""Draws of contexts: where their level 2 effect sizes lie, and which pattern each shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.frames import Records
from eatlas.present.charts.rows import draws as rows_of_draws
from eatlas.present.charts.theme import INK, LEVELS, OTHER, PAPER
from eatlas.present.drawings.eat_map import PATTERNS
from eatlas.present.drawings.map_cells import NEITHER
from eatlas.present.numbers import UNDEFINED, effect, percent
from eatlas.present.text import isolated

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *frames.HEAD, "what", "d_X", "d_Y", "pattern", "share", "draws", "threshold", "rule", "X", "Y",
    "A", "B",
)  # fmt: skip
HEADING = "Level 2 effect sizes of draws of contexts"
LEAST = 1.0
"""The scales reach so far on every side at least."""
SIZE, MANY = 400, 400
"""Pixels of the square; draws from which on dots are lighter."""
LOOKS = {
    "both": {"colour": INK, "shape": "diamond"},
    "X": LEVELS["X"],
    "Y": LEVELS["Y"],
    NEITHER: {"colour": OTHER, "shape": "stroke"},
}
"""Colours of draws by which target groups are associated, each alone, with an attribute."""


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each draw that a result kept, of its mean, and of each pattern."""
    why = "draws are made by CEAT and LPBS-CEAT"
    return frames.tidy(results, "draws", "draws", why, rows_of_draws, COLUMNS)


def draw(given: pd.DataFrame) -> Chart:
    """Draw the cloud of each result, each draw by the pattern that it shows."""
    results = frames.by_result(given)
    words = wording.listed("Draws of contexts", [_in_words(rows) for rows in results])
    chart = marks.below([_panel(rows) for rows in results], description=words)
    if len(results) > 1:
        chart = chart.resolve_scale(color="independent", shape="independent")
    return chart


def _panel(rows: Records) -> Any:
    """The draws of one result: a cloud, the thresholds of an association, and the mean."""
    first, size = rows[0], min(SIZE, marks.line(SIZE))
    placed = [row for row in rows if None not in (row["d_X"], row["d_Y"])]
    draws = [row for row in placed if row["what"] == "draw"]
    known = all(row["pattern"] for row in draws)
    keys = {kind: _key(rows, kind) for kind in LOOKS}
    named = dict(zip(keys.values(), LOOKS.values(), strict=True))
    reach = max([LEAST, *(1.08 * abs(row[d]) for row in placed for d in ("d_X", "d_Y"))])
    x, y = (
        channel(
            f"d_{role}:Q", scale=alt.Scale(domain=[-reach, reach], nice=False),
            axis=alt.Axis(tickCount=7, grid=False),
            title="← {B} · d of {} · {A} →".format(isolated(first[role]), **_names(first)),
        )
        for channel, role in ((alt.X, "X"), (alt.Y, "Y"))
    )  # fmt: skip
    every = alt.Chart().encode(x=x, y=y)
    colour = marks.looks("key", named, legend=known)[0]
    dots = every.transform_filter("datum.what == 'draw'").encode(color=colour)
    light = {"opacity": 0.8 if len(draws) < MANY else 0.45, "aria": False}
    layers = [
        *(
            marks.rule(dashed=True, **{way: alt.datum(first["threshold"] * sign)})
            for way in "xy" for sign in (-1, 1)
        ),
        dots.transform_filter(f"datum.kind == '{NEITHER}'")
        .mark_point(size=16, filled=False, strokeWidth=0.9, **light),
        dots.transform_filter(f"datum.kind != '{NEITHER}'")
        .mark_point(size=22, filled=True, **light),
        every.transform_filter("datum.what == 'mean'")
        .mark_point(shape="cross", filled=True, size=170, stroke=PAPER, opacity=1, color=INK),
    ]  # fmt: skip
    data = frames.frame(_texts(row, keys) for row in placed)
    hover = wording.tooltip(pattern="pattern", x="d of X", y="d of Y")
    notes = _notes(first, len(draws), [] if known else list(keys.values()))
    return (
        alt.layer(*layers, data=data)
        .encode(tooltip=hover)
        .properties(width=size, height=size, title=marks.title(HEADING, notes))
    )


def _names(row: dict[str, Any]) -> dict[str, str]:
    return {role: isolated(row[role]) for role in "XYAB"}


def _notes(first: dict[str, Any], count: int, unknown: list[str]) -> list[str]:
    """What dots, colours and lines mean."""
    total = int(first["draws"])
    number = f"{count:,} of {total:,} draws" if count < total else f"{total:,} draws"
    colours = "This file does not say which draw has which pattern"
    return [
        wording.named(first),
        f"Source: {first['series']}",
        f"Dots: {number}. Cross: the mean over all draws. Broken lines: |d| = "
        f"{first['threshold']:g}. {colours if unknown else 'Colours: the pattern of each draw'} "
        f"({first['rule']}); without a small p a draw is Non-Directional wherever its dot is. "
        "Percentages: of all draws.",
        *unknown,
    ]


def _kind(pattern: str | None) -> str:
    """Which target groups a pattern associates with an attribute."""
    x, y = (held != NEITHER for held in PATTERNS[pattern][:2]) if pattern else (False, False)
    return "both" if x and y else "X" if x else "Y" if y else NEITHER


def _key(rows: Records, kind: str) -> str:
    """What the key says of draws of one kind: their patterns, with their shares."""
    heads = {role: f"{name} alone" for role, name in _names(rows[0]).items()}
    heads |= {"both": "Both", NEITHER: "Neither"}
    return f"{heads[kind]}: {_shares(rows, ' ', kind) or 'no draw'}"


def _shares(rows: Records, between: str, kind: str = "") -> str:
    """Patterns that draws show, of one kind or all, the most frequent first."""
    some = [row for row in rows if row["what"] == "pattern" and row["share"]]
    return ", ".join(
        f"{row['pattern']}{between}{percent(row['share'])}"
        for row in sorted(some, key=lambda row: -row["share"])
        if kind in ("", _kind(row["pattern"]))
    )


def _texts(row: dict[str, Any], keys: dict[str, str]) -> dict[str, Any]:
    """A row with its texts and its place in the key."""
    kind = _kind(row["pattern"])
    texts = {"pattern": row["pattern"] or UNDEFINED, "kind": kind, "key": keys[kind]}
    return row | texts | {"x": effect(row["d_X"]), "y": effect(row["d_Y"])}


def _in_words(rows: Records) -> str:
    """The mean of the draws of one result, and the patterns that they show."""
    text = f"{wording.subject(rows[0])}: "
    for row in (one for one in rows if one["what"] == "mean"):
        text += f"mean d of X {effect(row['d_X'])}, of Y {effect(row['d_Y'])}, "
        text += f"pattern of the means {row['pattern']}; "
    return text + _shares(rows, " in ")
