"""Draws of contexts: where their level 2 effect sizes lie, and which pattern each shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.present.charts import frames, marks, wording
from eatlas.present.charts.backend import alt
from eatlas.present.charts.theme import INK, LEVELS, OTHER, PAPER
from eatlas.present.drawings.eat_map import PATTERNS
from eatlas.present.drawings.map_cells import NEITHER
from eatlas.present.numbers import UNDEFINED, effect, percent
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.results.parts import at

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
        ``pattern``, that of a draw (missing in files of versions that did not keep it) or of the
        mean, or the one whose ``share`` of all ``draws`` is given;
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
    return frames.tidy(results, "draws", "draws", why, _rows, COLUMNS)


def draw(given: pd.DataFrame) -> Chart:
    """Draw the cloud of each result, each draw by the pattern that it shows.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some results of it.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    results = frames.by_result(given)
    words = wording.listed("Draws of contexts", [_in_words(rows) for rows in results])
    chart = marks.below([_panel(rows) for rows in results], description=words)
    if len(results) > 1:
        chart = chart.resolve_scale(color="independent", shape="independent")
    return chart


def _panel(rows: list[dict[str, Any]]) -> Any:
    """The draws of one result: a cloud, the thresholds of an association, and the mean."""
    first, size = rows[0], min(SIZE, marks.line(SIZE))
    placed = [row for row in rows if None not in (row["d_X"], row["d_Y"])]
    draws = [row for row in placed if row["what"] == "draw"]
    known = all(row["pattern"] for row in draws)
    keys = {kind: _key(rows, kind) for kind in LOOKS}
    colour, _, _ = marks.looks(
        "key", dict(zip(keys.values(), LOOKS.values(), strict=True)), legend=known
    )
    reach = max([LEAST, *(1.08 * abs(row[d]) for row in placed for d in ("d_X", "d_Y"))])
    scale = alt.Scale(domain=[-reach, reach], nice=False)
    axis = alt.Axis(tickCount=7, grid=False)
    a, b = isolated(first["A"]), isolated(first["B"])
    x, y = (
        channel(f"d_{role}:Q", scale=scale, axis=axis,
                title=f"← {b} · d of {isolated(first[role])} · {a} →")
        for channel, role in ((alt.X, "X"), (alt.Y, "Y"))
    )  # fmt: skip
    edges = [alt.datum(first["threshold"] * sign) for sign in (-1, 1)]
    dots = alt.Chart().transform_filter("datum.what == 'draw'").encode(x=x, y=y, color=colour)
    light = {"opacity": 0.8 if len(draws) < MANY else 0.45, "aria": False}
    layers = [
        *(marks.broken(**{way: edge}) for way in "xy" for edge in edges),
        dots.transform_filter(f"datum.kind == '{NEITHER}'")
        .mark_point(size=16, filled=False, strokeWidth=0.9, **light),
        dots.transform_filter(f"datum.kind != '{NEITHER}'")
        .mark_point(size=22, filled=True, **light),
        alt.Chart().encode(x=x, y=y).transform_filter("datum.what == 'mean'")
        .mark_point(shape="cross", filled=True, size=170, stroke=PAPER, opacity=1, color=INK),
    ]  # fmt: skip
    hover = wording.tooltip(pattern="pattern", x="d of X", y="d of Y")
    data = frames.frame(_texts(row, keys) for row in placed)
    notes = _notes(first, len(draws), [] if known else list(keys.values()))
    return (
        alt.layer(*layers, data=data)
        .encode(tooltip=hover)
        .properties(width=size, height=size, title=marks.title(HEADING, notes))
    )


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


def _key(rows: list[dict[str, Any]], kind: str) -> str:
    """What the key says of draws of one kind: their patterns, with their shares."""
    some = [row for row in _patterns(rows) if _kind(row["pattern"]) == kind]
    shares = ", ".join(f"{row['pattern']} {percent(row['share'])}" for row in some) or "no draw"
    alone = {role: f"{isolated(rows[0][role])} alone" for role in "XY"}
    return f"{({'both': 'Both', NEITHER: 'Neither'} | alone)[kind]}: {shares}"


def _patterns(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Patterns that draws show, the most frequent first."""
    some = [row for row in rows if row["what"] == "pattern" and row["share"]]
    return sorted(some, key=lambda row: -row["share"])


def _texts(row: dict[str, Any], keys: dict[str, str]) -> dict[str, Any]:
    """A row with its texts and its place in the key."""
    kind = _kind(row["pattern"])
    texts = {"pattern": row["pattern"] or UNDEFINED, "kind": kind, "key": keys[kind]}
    return row | texts | {"x": effect(row["d_X"]), "y": effect(row["d_Y"])}


def _in_words(rows: list[dict[str, Any]]) -> str:
    """The mean of the draws of one result, and the patterns that they show."""
    first = rows[0]
    mean = next((row for row in rows if row["what"] == "mean"), None)
    text = f"{isolated(first['test'])}, {isolated(first['series'])}: "
    if mean is not None:
        text += f"mean d of X {effect(mean['d_X'])}, of Y {effect(mean['d_Y'])}, "
        text += f"pattern of the means {mean['pattern']}; "
    return text + ", ".join(
        f"{row['pattern']} in {percent(row['share'])}" for row in _patterns(rows)
    )


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
    known = len(draws.labels_of_kept) == len(draws.kept)
    labels = draws.labels_of_kept if known else (None,) * len(draws.kept)
    for (_, x, y), label in zip(draws.kept, labels, strict=True):
        yield {**common, "what": "draw", "d_X": x, "d_Y": y, "pattern": label}
    means = {f"d_{role}": at(result, f"level2.{role}").effect_size for role in "XY"}
    yield {**common, "what": "mean", **means, "pattern": rule.label}
    for pattern, share in draws.patterns.items():
        yield {**common, "what": "pattern", "pattern": pattern, "share": share}
