"""Write the measure cards of the documentation: every measure of eatlas, on bundled data.

Names of measures as arguments, such as ``weat mac``, write those alone.
"""

from __future__ import annotations

import sys
from pathlib import Path

import eatlas
from eatlas.measures.registry import BUILT_IN
from eatlas.present.card import card_html

CARDS = Path(__file__).parents[1] / "docs/cards"
SIGNATURES = {"zero-shot": "zero-shot(scale=20)"}
"""Signatures of measures whose defaults need a model that states a number of its own."""


def write(name: str, folder: Path) -> tuple[Path, Path]:
    """Write the card of one measure as JSON and as a page."""
    card = eatlas.protocol(SIGNATURES.get(name, name))
    written = folder / f"{name}.json", folder / f"{name}.html"
    texts = card.to_json(), card_html(card, written[0].name)
    for path, text in zip(written, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return written


if __name__ == "__main__":
    CARDS.mkdir(exist_ok=True)
    for name in sys.argv[1:] or BUILT_IN:
        print(*write(name, CARDS))
