"""The testing protocol: eight criteria as studies of any measure, and the measure card.

A study is a row of :data:`studies.STUDIES` and a function that yields evidence,
in a module for each criterion: :mod:`face`, :mod:`content`, :mod:`convergent`, :mod:`predictive`,
:mod:`hypothesis`, :mod:`consequential`, :mod:`sensitivity`, :mod:`annotators`. Evidence holds
figures and no verdict. :mod:`running` opens the :mod:`inputs`, runs the studies and makes the card.
"""

from __future__ import annotations

from eatlas.lazy import attributes

__all__ = ["Card", "Evidence", "Material", "protocol", "read_card"]

_HOMES = {
    "eatlas.apps.protocol.inputs": "Material",
    "eatlas.apps.protocol.running": "protocol",
    "eatlas.results.evidence": "Card Evidence read_card",
}

__getattr__ = attributes(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
