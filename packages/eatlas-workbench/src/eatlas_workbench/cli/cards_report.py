"""``eatlas report card.json...``: the correlations of several measures with a census."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from eatlas.errors import ResultsError
from eatlas.present.tables import FORMATS
from eatlas_workbench.cards.census_table import census_table, is_card
from eatlas_workbench.cards.evidence import read_card


def report_cards(paths: Sequence[Path], form: str, options: Mapping[str, object]) -> str:
    """Report measure cards as a table, as an entry point of ``eatlas.documents``."""
    others = [str(path) for path in paths if not is_card(path)]
    if others:
        raise ResultsError(
            "a table of measure cards takes only cards",
            got=", ".join(others),
            remedy="create a separate report for the other files",
        )
    if form not in FORMATS:
        raise ResultsError(
            f"measure cards have no report in the format {form}",
            got=", ".join(map(str, paths)),
            allowed=", ".join(FORMATS),
            remedy="open card.html, next to card.json",
        )
    for option, value in options.items():
        if option != "--family":
            raise ResultsError(
                f"{option} does not apply to measure cards", got=str(value), remedy="leave it out"
            )
    return census_table(map(read_card, paths), form)
