"""A measure card as one self-contained page, and as lines for the terminal."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from eatlas.present.drawings.marks import marks
from eatlas.present.numbers import MINUS, count, effect, p_equals
from eatlas.present.rendering import page_files, render
from eatlas.results.evidence import CRITERIA, Card, Cell, Criterion, Evidence, Figure
from eatlas.writing import atomic_files

PAGE, JSON = "card.html", "card.json"
"""Files of a card."""


class Meaning(NamedTuple):
    """What a criterion is called, and what it asks of a measure."""

    title: str
    text: str


MEANINGS: dict[Criterion, Meaning] = {
    "face": Meaning("Face validity", "The measure passes basic sanity checks."),
    "content": Meaning(
        "Content validity", "The measure reflects what is understood by the construct."
    ),
    "convergent": Meaning(
        "Convergent validity", "The measure agrees with other measures of the same construct."
    ),
    "predictive": Meaning(
        "Predictive validity", "The measure predicts measures of related constructs."
    ),
    "hypothesis": Meaning(
        "Hypothesis validity", "The measure lets hypotheses about the construct be tested."
    ),
    "consequential": Meaning(
        "Consequential validity", "The use of the measure does what society would want."
    ),
    "inter-annotator": Meaning(
        "Inter-annotator agreement", "Measurements are the same whoever annotates."
    ),
    "sensitivity": Meaning(
        "Sensitivity", "Measurements are stable when words and parameters change."
    ),
}
"""The criteria as Bommasani and Liang (2022), Table 2, define them, in plainer words."""
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


def figure_text(one: Figure) -> str:
    """A figure without its name: value, interval, number, p."""
    if one.value is None:
        return one.text or "undefined"
    text = number(one.value)
    if one.low is not None and one.high is not None:
        text += f" [{number(one.low)}, {number(one.high)}]"
    if one.n is not None:
        # a count is one of several; a share or a correlation is over them
        word = "of" if one.low is None and one.value == int(one.value) else "over"
        text += f" {word} {count(one.n)} {one.of}".rstrip()
    if one.text:
        text += f" ({one.text})"
    return text if one.p is None else f"{text}, {p_equals(one.p)}"


def card_html(card: Card, data: str = JSON) -> str:
    """A card as one self-contained page; `data` names the JSON file beside it."""
    return render(
        "card",
        card=card,
        criteria=CRITERIA,
        meanings=MEANINGS,
        verdict=VERDICT,
        number=number,
        figure_text=figure_text,
        marks=lambda one: Markup(marks(one)),  # noqa: S704  (escaped where it is drawn)
        **page_files("card.css", "cards.js"),
        json=data,
    )


def lines_of(card: Card) -> Iterator[str]:
    """A card as lines for the terminal: each study with its figures, or why it was not run."""
    yield f"{card.title}: {card.signature}"
    for criterion in CRITERIA:
        if found := card.of(criterion):
            yield ""
            yield f"{MEANINGS[criterion].title}: {MEANINGS[criterion].text}"
            for one in found:
                yield from _lines(one)
    yield ""
    yield VERDICT


def _lines(one: Evidence) -> Iterator[str]:
    where = f" ({one.source})" if one.source else ""
    yield f"  {one.title}{where}" + ("" if one.ran else f": not run. {one.not_run}")
    for found in one.figures:
        yield f"    {found.name}: {figure_text(found)}"


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
