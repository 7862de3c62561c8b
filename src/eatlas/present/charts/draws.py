"""Draws of contexts: where their level 2 effect sizes lie, and which pattern each shows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.present.charts.backend import altair
from eatlas.present.charts.frames import HEAD, frame, grouped, records, tidy
from eatlas.present.charts.layers import below, line, listed, looks, named, title, tooltip
from eatlas.present.charts.theme import INK, LEVELS, MUTED, OTHER, PAPER
from eatlas.present.drawings.eat_map import NEITHER, PATTERNS
from eatlas.present.numbers import UNDEFINED, effect, percent
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.results.effects import at

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *HEAD, "what", "d_X", "d_Y", "pattern", "share", "draws", "threshold", "rule", "X", "Y",
    "A", "B",
)  # fmt: skip
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
    return tidy(results, "draws", "draws", why, _rows, COLUMNS)


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
    results = [rows for _, rows in grouped(records(given), "test", "series")]
    words = listed("Draws of contexts", [_in_words(rows) for rows in results])
    chart = below([_panel(rows) for rows in results], description=words)
    if len(results) > 1:
        chart = chart.resolve_scale(color="independent", shape="independent")
    return chart


def _panel(rows: list[dict[str, Any]]) -> Any:
    """The draws of one result: a cloud, the thresholds of an association, and the mean."""
    alt = altair()
    first, size = rows[0], min(SIZE, line(SIZE))
    placed = [row for row in rows if None not in (row["d_X"], row["d_Y"])]
    draws = [row for row in placed if row["what"] == "draw"]
    reach = max([LEAST, *(1.08 * abs(row[d]) for row in placed for d in ("d_X", "d_Y"))])
    known = all(row["pattern"] for row in draws)
    keys = {kind: _key(rows, kind) for kind in LOOKS}
    kinds = {keys[kind]: look for kind, look in LOOKS.items()}
    colour, _, _ = looks("key", kinds, legend=known)
    scale = alt.Scale(domain=[-reach, reach], nice=False)
    x, y = (
        channel(f"d_{role}:Q", scale=scale, axis=alt.Axis(tickCount=7, grid=False),
                title=f"← {isolated(first['B'])} · d of {isolated(first[role])} · "
                f"{isolated(first['A'])} →")
        for channel, role in ((alt.X, "X"), (alt.Y, "Y"))
    )  # fmt: skip
    edges = [first["threshold"] * sign for sign in (-1, 1)]
    rule = {"strokeDash": [3, 3], "aria": False, "color": MUTED}
    dots = alt.Chart().encode(x=x, y=y).transform_filter("datum.what == 'draw'")
    light = {"opacity": 0.8 if len(draws) < MANY else 0.45, "aria": False}
    layers = [
        *(alt.Chart(alt.InlineData(values=[{}])).mark_rule(**rule).encode(x=alt.datum(e))
          for e in edges),
        *(alt.Chart(alt.InlineData(values=[{}])).mark_rule(**rule).encode(y=alt.datum(e))
          for e in edges),
        dots.transform_filter(f"datum.kind == '{NEITHER}'")
        .mark_point(size=16, filled=False, strokeWidth=0.9, **light)
        .encode(color=colour),
        dots.transform_filter(f"datum.kind != '{NEITHER}'")
        .mark_point(size=22, filled=True, **light).encode(color=colour),
        alt.Chart().encode(x=x, y=y).transform_filter("datum.what == 'mean'")
        .mark_point(shape="cross", filled=True, size=170, stroke=PAPER, opacity=1, color=INK),
    ]  # fmt: skip
    hover = tooltip(pattern="pattern", x="d of X", y="d of Y")
    data = frame(_texts(row, keys) for row in placed)
    chart = alt.layer(*layers, data=data).encode(tooltip=hover)
    about = title(
        "Level 2 effect sizes of draws of contexts",
        _notes(first, draws, [] if known else list(keys.values())),
    )
    return chart.properties(width=size, height=size, title=about)


def _notes(first: dict[str, Any], draws: list[dict[str, Any]], unknown: list[str]) -> list[str]:
    """What dots, colours and lines mean."""
    total, count = int(first["draws"]), len(draws)
    number = f"{count:,} of {total:,} draws" if count < total else f"{total:,} draws"
    colours = f"Colours: the pattern of each draw ({first['rule']})"
    if unknown:
        colours = f"This file does not say which draw has which pattern ({first['rule']})"
    return [
        named(first),
        f"Source: {first['series']}",
        f"Dots: {number}. Cross: the mean over all draws. Broken lines: |d| = "
        f"{first['threshold']:g}. {colours}; without a small p a draw is Non-Directional wherever "
        "it lies. Percentages: of all draws.",
        *unknown,
    ]


def _kind(pattern: str | None) -> str:
    """Which target groups a pattern associates with an attribute."""
    x, y = (PATTERNS[pattern][:2]) if pattern else (NEITHER, NEITHER)
    both = {(True, True): "both", (True, False): "X", (False, True): "Y"}
    return both.get((x != NEITHER, y != NEITHER), NEITHER)


def _key(rows: list[dict[str, Any]], kind: str) -> str:
    """What the key says of draws of one kind: their patterns, with their shares."""
    own = [row for row in rows if row["what"] == "pattern" and _kind(row["pattern"]) == kind]
    some = sorted((row for row in own if row["share"]), key=lambda row: -row["share"])
    shares = ", ".join(f"{row['pattern']} {percent(row['share'])}" for row in some) or "no draw"
    first = rows[0]
    who = {
        "both": "Both", NEITHER: "Neither", "X": f"{isolated(first['X'])} alone",
        "Y": f"{isolated(first['Y'])} alone",
    }[kind]  # fmt: skip
    return f"{who}: {shares}"


def _texts(row: dict[str, Any], keys: dict[str, str]) -> dict[str, Any]:
    """A row with its texts and its place in the key."""
    kind = _kind(row["pattern"])
    texts = {"pattern": row["pattern"] or UNDEFINED, "kind": kind, "key": keys[kind]}
    return row | texts | {"x": effect(row["d_X"]), "y": effect(row["d_Y"])}


def _in_words(rows: list[dict[str, Any]]) -> str:
    """The mean of the draws of one result, and the patterns that they show."""
    first = rows[0]
    mean = next((row for row in rows if row["what"] == "mean"), None)
    shares = sorted(
        (row for row in rows if row["what"] == "pattern" and row["share"]),
        key=lambda row: -row["share"],
    )
    text = f"{isolated(first['test'])}, {isolated(first['series'])}: "
    if mean is not None:
        text += f"mean d of X {effect(mean['d_X'])}, of Y {effect(mean['d_Y'])}, "
        text += f"pattern of the means {mean['pattern']}; "
    return text + ", ".join(f"{row['pattern']} in {percent(row['share'])}" for row in shares)


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
