"""Results with intervals, shares of patterns, influence and cosines, made by hand."""

from __future__ import annotations

from typing import Any

from tests.present.records import COSINES, TERMS, full, influence, uncertainty, weat

from eatlas.results import WEATResult

HOSTILE = {
    "X": '<script>alert("x")</script>',
    "Y": "]]> & </svg>\x00\x1b[31m",
    "A": "שמות של גברים ונשים",
    "B": "very long name " * 20 + "end",
}


def weat_with_influence(**changes: Any) -> WEATResult:
    """A WEAT with its level 1 influence."""
    return weat(**changes).model_copy(update={"influence": influence(level2=None)})


__all__ = ["COSINES", "HOSTILE", "TERMS", "full", "influence", "uncertainty", "weat_with_influence"]
