"""A measure card as one self-contained page with drawings, and as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup

from eatlas.apps.protocol.evidence import Card, Cell, Drawing, Figure, Mark, criteria
from eatlas.numbers import MINUS, count, effect, p_equals
from eatlas.present.drawings.svg import (
    LEFT,
    RIGHT,
    WIDTH,
    Axis,
    label,
    muted,
    outline,
    path,
    short,
    tag,
    words,
)
from eatlas.present.drawings.svg import figure as framed
from eatlas.present.rendering import page_files, render
from eatlas.writing import atomic_files

PAGE, JSON = "card.html", "card.json"
"""Files of a card."""
VERDICT = "The verdict is the reader’s."
ROW, NAMES = 22.0, 150.0
"""Height of a row of a drawing, and room for its name, left of the axis."""
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
    return effect(value, 0 if whole else 2)


def figure_text(figure: Figure) -> str:
    """A figure without its name: value, interval, number, p."""
    if figure.value is None:
        return figure.text or "undefined"
    text = number(figure.value)
    if figure.low is not None and figure.high is not None:
        text += f" [{number(figure.low)}, {number(figure.high)}]"
    if figure.n is not None:
        # a count is one of several; a share or a correlation is over them
        word = "of" if figure.low is None and figure.value == int(figure.value) else "over"
        text += f" {word} {count(figure.n)} {figure.of}".rstrip()
    if figure.text:
        text += f" ({figure.text})"
    return text if figure.p is None else f"{text}, {p_equals(figure.p)}"


def marks(drawing: Drawing) -> str:
    """Draw the marks of a study, one below the other."""
    groups = list(dict.fromkeys(mark.group for mark in drawing.marks))
    key, top, x = "", 4.0, LEFT + NAMES
    if any(groups):
        top = ROW
        for (shape, colour), name in zip(LOOKS, groups, strict=False):
            key += tag("g", path(outline(shape, x + 5, 9), "m on"), class_=colour)
            key += label(short(name, 100), x + 14, 13)
            x += 110
        key = tag("g", key)
    axis = _axis(drawing)
    drawn = [
        _row(mark, top + ROW * (i + 0.5), axis, *LOOKS[groups.index(mark.group) % len(LOOKS)])
        for i, mark in enumerate(drawing.marks)
    ]
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
    start, end = LEFT + NAMES, WIDTH - RIGHT - 40
    if drawing.low is not None and drawing.high is not None:
        return Axis(drawing.low, drawing.high, (drawing.high - drawing.low) / 4, start, end)
    ends = [x for mark in drawing.marks for x in (mark.value, mark.low, mark.high) if x is not None]
    return Axis.around(ends or [0.0, 1.0], start, end)


def _row(mark: Mark, y: float, axis: Axis, shape: str, colour: str) -> tuple[str, str]:
    """One label, its interval, its point and its number; and the same as text."""
    name = label(short(mark.label, NAMES - 16), LEFT, y + 4, size=12.5)
    text, drawn, value = f"{mark.label}: undefined", "", "–"
    if mark.value is not None:
        value = effect(mark.value)
        text = f"{mark.label}: {value}"
        if mark.low is not None and mark.high is not None:
            drawn = path(f"M{axis.at(mark.low):.1f} {y:g}H{axis.at(mark.high):.1f}", "i")
            text += f", {effect(mark.low)} to {effect(mark.high)}"
        drawn += path(outline(shape, round(axis.at(mark.value), 1), y), "m on")
        drawn = tag("g", drawn, class_=colour)
    if mark.group:
        text += f" ({mark.group})"
    return tag(
        "g", tag("title", words(text)), name, drawn, muted(value, axis.end + 24, y + 4)
    ), text


def card_html(card: Card, data: str = JSON) -> str:
    """A card as one self-contained page; `data` names the JSON file beside it."""
    return render(
        "card",
        card=card,
        criteria=criteria(),
        verdict=VERDICT,
        number=number,
        figure_text=figure_text,
        marks=lambda drawing: Markup(marks(drawing)),  # noqa: S704  (escaped where it is drawn)
        **page_files("card.css", "cards.js"),
        json=data,
    )


def lines_of(card: Card) -> Iterator[str]:
    """A card as lines for the terminal: each study with its figures, or why it was not run."""
    yield f"{card.title}: {card.signature}"
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
