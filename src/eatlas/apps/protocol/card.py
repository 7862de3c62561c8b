"""A measure card as one self-contained page, and as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from markupsafe import Markup

from eatlas.apps.protocol.evidence import Card, Cell, Figure
from eatlas.apps.protocol.marks import marks
from eatlas.apps.protocol.studies import criteria
from eatlas.present.numbers import MINUS, count, effect, p_equals
from eatlas.present.rendering import page_files, render
from eatlas.writing import atomic_files

PAGE, JSON = "card.html", "card.json"
"""Files of a card."""
VERDICT = "The verdict is the reader’s."


def number(value: Cell, decimals: int = 2) -> str:
    """A cell of a table for people: yes and no for truth, a dash for nothing."""
    if value is None or isinstance(value, bool):
        return {None: "–", True: "yes", False: "no"}[value]
    if isinstance(value, str):
        return value
    if isinstance(value, int):
        return count(value)
    whole = value == int(value) and abs(value) < 1e6
    if not whole and abs(value) < 0.5 * 10.0**-decimals:
        return f"{value:.1e}".replace("e-0", "e-").replace("-", MINUS)
    return effect(value, 0 if whole else decimals)


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
        evidence = card.of(criterion.id)
        if evidence:
            yield ""
            yield f"{criterion.title}: {criterion.text}"
        for study in evidence:
            asked = f" ({study.source})" if study.source else ""
            ended = "" if study.ran else f": not run. {study.not_run}"
            yield f"  {study.title}{asked}{ended}"
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
