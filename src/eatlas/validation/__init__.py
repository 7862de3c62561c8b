"""The testing protocol: eight criteria as studies of any measure, and the measure card.

A study is a row of :data:`eatlas.validation.studies.STUDIES` and a function that yields evidence.
Evidence holds figures and no verdict.
"""

from __future__ import annotations

from eatlas.lazy import attributes

__all__ = ["Card", "Evidence", "Material", "protocol", "read_card"]

_HOMES = {
    "eatlas.validation.inputs": "Material",
    "eatlas.validation.running": "protocol",
    "eatlas.results.evidence": "Card Evidence read_card",
}

__getattr__ = attributes(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
