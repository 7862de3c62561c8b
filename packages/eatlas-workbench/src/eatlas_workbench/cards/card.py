"""A measure card as one self-contained page with drawings, and as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from markupsafe import Markup

from eatlas.errors import join_names
from eatlas.numbers import MINUS, count, effect, p_equals
from eatlas.present.drawings.svg import (
    LEFT,
    RIGHT,
    WIDTH,
    Axis,
    aside,
    label,
    outline,
    path,
    short,
    tag,
    words,
)
from eatlas.present.drawings.svg import figure as framed
from eatlas.present.rendering import page_files, render
from eatlas.writing import atomic_files
from eatlas_workbench.cards.evidence import Card, Cell, Drawing, Figure, Mark, criteria

PAGE, JSON = "card.html", "card.json"
"""Files of a card."""
VERDICT = "The verdict is the reader’s."
SIGNS, PROPERTIES = "share of signs that agree", "properties that hold"
DRAWN = (SIGNS, PROPERTIES, "median of Spearman", "smallest Spearman", "Spearman", "rho, ")
"""Figures between -1 and 1, by the beginnings of their names."""
GLANCE = "Shares and rank correlations of all studies"
ROW, NAMES, VALUES = 22.0, 194.0, 78.0
"""Height of a row of a drawing, and room for its name and for its number, next to the axis."""
LOOKS = (("circle", "x"), ("square", "y"), ("diamond", "a"), ("triangle", "n"))
"""Shape and class of the groups in their order: a shape tells its group where colours do not."""


def number(value: Cell) -> str:
    """A cell of a table for people: yes and no for truth, a dash for nothing."""
    if value is None or isinstance(value, bool):
        return {None: "–", True: "yes", False: "no"}[value]
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return count(value)
    whole = value == int(value) and abs(value) < 1e6
    if not whole and abs(value) < 0.005:
        return f"{value:.1e}".replace("e-0", "e-").replace("-", MINUS)
    return effect(value, 0 if whole else 3 if abs(value) < 0.1 else 2)


def figure_text(figure: Figure) -> str:
    """A figure without its name: value, interval or range, number, p."""
    if figure.value is None:
        return figure.text or "undefined"
    counted = _hits_in_words(figure)
    text = counted or number(figure.value)
    if figure.low is not None and figure.high is not None:
        value, low, high = _alike(figure.value, figure.low, figure.high)
        if counted:
            text += f" [{figure.low:.0%}, {figure.high:.0%}]"
        elif _is_range(figure):
            text = f"{value}, from {low} to {high}"
        else:
            text = f"{value} [{low}, {high}]"
    if figure.n is not None and not counted:
        text += f" over {count(figure.n)} {figure.of}".rstrip()
    if figure.text:
        text += f" ({figure.text})"
    return text if figure.p is None else f"{text}, {p_equals(figure.p)}"


def _alike(*values: float) -> list[str]:
    """A number and its ends, with as many decimals each."""
    largest = max(map(abs, values))
    if largest < 0.0005:
        return [number(value) for value in values]
    return [effect(value, 3 if largest < 0.1 else 2) for value in values]


def _hits_in_words(figure: Figure) -> str:
    """How many of how many: of a count, and of a proportion of things that are counted."""
    if figure.value is None or figure.n is None:
        return ""
    hits = figure.value * figure.n if figure.name.startswith("share") else figure.value
    if abs(hits - round(hits)) > 1e-9 or (hits == figure.value and figure.low is not None):
        return ""
    unit = "" if figure.name.startswith(figure.of) else figure.of
    return f"{count(round(hits))} of {count(figure.n)} {unit}".rstrip()


def _is_range(figure: Figure) -> bool:
    """Whether its ends are the smallest and the largest of several numbers, and no interval."""
    return figure.interval.startswith("smallest and largest")


def summary(card: Card) -> str:
    """What held, what did not, and what was not run."""
    signs = [_hits_in_words(f) for one in card.of("face") for f in one.figures if f.name == SIGNS]
    checked = [f for one in card.of("content") for f in one.figures if f.name == PROPERTIES]
    parts = [f"signs agree for {join_names(list(map(str, signs)))}"] if signs else []
    if checked:
        hold, n = (sum(int(f.value or 0) for f in checked), sum(f.n or 0 for f in checked))
        parts.append(f"{hold} of {n} properties hold")
    every, left = len(card.evidence), len(card.evidence) - len(card.ran)
    if left:
        parts.append(f"{left} of {every} studies {'was' if left == 1 else 'were'} not run")
    return f"{card.title}: {'; '.join(parts) or f'{every} of {every} studies were run'}"


def failing(card: Card) -> list[str]:
    """Properties that were checked and do not hold."""
    tables = [table for one in card.of("content") for table in one.tables]
    return [str(row[0]) for table in tables for row in table.rows if row[1:2] == ("no",)]


def glance(card: Card) -> str:
    """Draw the proportions and the rank correlations of all studies on one axis."""
    rows = [
        (one, figure)
        for one in card.evidence
        for figure in one.figures
        if figure.value is not None and figure.name.startswith(DRAWN)
    ]
    if not rows:
        return ""
    several = len({one.source for one, _ in rows}) > 1
    drawn = []
    for one, figure in rows:
        name, _, of = figure.name.partition(", ")
        label = f"{of or one.title}{f' ({one.source})' if several else ''}"
        value, kind = figure.value or 0.0, "range" if _is_range(figure) else "correlation"
        if name in (SIGNS, PROPERTIES):
            kind = "share"
        if name == PROPERTIES:
            value /= figure.n or 1
        drawn.append(Mark(label=label, value=value, low=figure.low, high=figure.high, group=kind))
    values = [" ".join(_hits_in_words(f).split()[:3]) or number(f.value) for _, f in rows]
    axis = "share with its interval, or Spearman's rho with its interval or range"
    whole = Drawing(title=GLANCE, axis=axis, low=-1.0, high=1.0, marks=tuple(drawn))
    return marks(whole, values)


def marks(drawing: Drawing, values: Sequence[str] = ()) -> str:
    """Draw the marks of a study, one below the other, with these numbers or their own."""
    groups = list(dict.fromkeys(mark.group for mark in drawing.marks))
    key, top, x = "", 4.0, LEFT + NAMES
    if any(groups):
        top = ROW
        for (shape, colour), name in zip(LOOKS, groups, strict=False):
            key += tag("g", path(outline(shape, x + 5, 9), "m on"), class_=colour)
            key += label(short(name, 100), x + 14, 13)
            x += (WIDTH - RIGHT - LEFT - NAMES) / max(len(groups), 2)
        key = tag("g", key)
    axis = _axis(drawing)
    drawn = []
    for i, mark in enumerate(drawing.marks):
        look = LOOKS[groups.index(mark.group) % len(LOOKS)]
        value = values[i] if values else "–" if mark.value is None else effect(mark.value)
        drawn.append(_row(mark, top + ROW * (i + 0.5), axis, *look, value))
    bottom = top + ROW * len(drawn)
    return framed(
        bottom + 22,
        key,
        axis.grid(top, bottom, strong=drawing.neutral),
        *(row for row, _ in drawn),
        title=drawing.title,
        alt=f"{drawing.title}. {drawing.axis}. " + "; ".join(text for _, text in drawn),
    )


def _axis(drawing: Drawing) -> Axis:
    """The axis: between stated ends, or around all marks."""
    start, end = LEFT + NAMES, WIDTH - VALUES
    if drawing.low is not None and drawing.high is not None:
        return Axis(drawing.low, drawing.high, (drawing.high - drawing.low) / 4, start, end)
    ends = [x for mark in drawing.marks for x in (mark.value, mark.low, mark.high) if x is not None]
    return Axis.with_zero(ends or [0.0, 1.0], start, end)


def _row(mark: Mark, y: float, axis: Axis, shape: str, colour: str, value: str) -> tuple[str, str]:
    """One label, its interval, its point and its number; and the same as text."""
    name = label(short(mark.label, NAMES - 16), LEFT, y + 4, size=12.5)
    text, drawn = f"{mark.label}: undefined", ""
    if mark.value is not None:
        text = f"{mark.label}: {value}"
        if mark.low is not None and mark.high is not None:
            drawn = path(f"M{axis.at(mark.low):.1f} {y:g}H{axis.at(mark.high):.1f}", "i")
            text += f", {effect(mark.low)} to {effect(mark.high)}"
        drawn += path(outline(shape, round(axis.at(mark.value), 1), y), "m on")
        drawn = tag("g", drawn, class_=colour)
    if mark.group:
        text += f" ({mark.group})"
    shown = aside(value, WIDTH - LEFT, y + 4, anchor="end")
    return tag("g", tag("title", words(text)), name, drawn, shown), text


def card_html(card: Card, data: str = JSON) -> str:
    """A card as one self-contained page; `data` names the JSON file next to it."""
    return render(
        "card",
        card=card,
        criteria=criteria(),
        verdict=VERDICT,
        title=summary(card),
        failing=failing(card),
        glance=Markup(glance(card)),  # noqa: S704  (escaped where it is drawn)
        number=number,
        figure_text=figure_text,
        marks=lambda drawing: Markup(marks(drawing)),  # noqa: S704  (escaped where it is drawn)
        **page_files("card.css", "cards.js"),
        json=data,
    )


def lines_of(card: Card) -> Iterator[str]:
    """A card as lines for the terminal: each study with its figures, or why it was not run."""
    yield summary(card)
    yield card.signature
    for criterion in criteria():
        evidence = card.of(criterion["id"])
        if evidence:
            yield ""
            yield f"{criterion['title']}: {criterion['text']}"
        for study in evidence:
            source = f" ({study.source})" if study.source else ""
            reason = "" if study.ran else f": not run. {study.not_run}"
            yield f"  {study.title}{source}{reason}"
            for figure in study.figures:
                yield f"    {figure.name}: {figure_text(figure)}"
    yield ""
    yield VERDICT


def write_card(card: Card, folder: str | Path) -> tuple[Path, Path]:
    """Write a card into a folder, as a page and as JSON.

    Parameters
    ----------
    card : Card
    folder : path
        Gets ``card.html`` and ``card.json``; files of these names are replaced.

    Returns
    -------
    tuple of Path

    Raises
    ------
    ResultsError
        If a file cannot be written.

    Examples
    --------
    >>> import eatlas, tempfile
    >>> card = eatlas.protocol("semaxis", criteria=["face"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_card(card, folder)]
    ['card.html', 'card.json']
    """
    page, data = Path(folder) / PAGE, Path(folder) / JSON
    with atomic_files() as new:
        new(page).write(card_html(card))
        new(data).write(card.to_json())
    return page, data
