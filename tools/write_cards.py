"""Write the measure cards of the documentation: every measure of eatlas, on bundled data.

Names of measures as arguments, such as ``weat mac``, write those alone.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import eatlas
from eatlas.measures.registry import BUILT_IN
from eatlas.present.card import number
from eatlas.results.evidence import Card, Evidence

CARDS = Path(__file__).parents[1] / "docs/cards"
SIGNATURES = {"zero-shot": "zero-shot(scale=20)"}
"""Signatures of measures whose defaults need a model that states a number of its own."""


def write(name: str, folder: Path) -> Path:
    """Write the card of one measure as JSON; the site makes a page of it."""
    path = folder / f"{name}.json"
    path.write_text(eatlas.protocol(SIGNATURES.get(name, name)).to_json(), encoding="utf-8")
    return path


def table(folder: Path) -> str:
    """The table of all cards of a folder, one line each."""
    cards = [(name, eatlas.read_card(folder / f"{name}.json")) for name in BUILT_IN]
    rows = [
        f"| [{card.title}]({name}.html) | {signs(card)} | {properties(card)} | {others(card)} | "
        f"{lists(card)} | {len(card.ran)} of {len(card.evidence)} | [JSON]({name}.json) |"
        for name, card in cards
    ]
    return HEAD + "\n".join(rows) + "\n"


def of_study(card: Card, study: str) -> Evidence | None:
    """The first evidence of a study that was run."""
    return next((one for one in card.ran if one.study == study), None)


def signs(card: Card) -> str:
    """How many professions lean as their stereotype."""
    if (found := of_study(card, "stereotyped-professions")) is None:
        return "–"
    figure = found.figure("share of signs that agree")
    return f"{round((figure.value or 0) * (figure.n or 0))} of {figure.n}"


def properties(card: Card) -> str:
    """How many properties hold, of both studies."""
    found = [one for one in card.of("content") if one.ran]
    figures = [one.figure("properties that hold") for one in found]
    counts = sum(int(one.value or 0) for one in figures), sum(one.n or 0 for one in figures)
    return f"{counts[0]} of {counts[1]}" if found else "–"


def others(card: Card) -> str:
    """The median rank correlation with other measures."""
    found = of_study(card, "other-measures")
    return "–" if found is None else number(found.figures[0].value)


def lists(card: Card) -> str:
    """The median rank correlation with lists of three words."""
    found = of_study(card, "word-lists")
    return "–" if found is None else number(found.figures[0].value)


TABLE = re.compile("(?<=<!-- cards -->\n).*?(?=<!-- end of cards -->)", re.DOTALL)
"""What this tool writes of the page that lists the cards."""
HEAD = """\
| Card | Signs | Properties | Other measures | Three words | Studies run | Data |
| --- | --- | --- | --- | --- | --- | --- |
"""

if __name__ == "__main__":
    for name in sys.argv[1:] or BUILT_IN:
        print(write(name, CARDS))
    page = CARDS / "index.md"
    now = TABLE.sub(lambda _: table(CARDS), page.read_text(encoding="utf-8"))
    page.write_text(now, encoding="utf-8")
