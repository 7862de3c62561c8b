"""The testing protocol: eight criteria as studies of any measure, and the measure card.

A study is a row of :data:`studies.STUDIES` and a function that yields evidence: figures and no
verdict. Criteria are in :mod:`face`, :mod:`content`, :mod:`convergent` (with sensitivity),
:mod:`predictive`, :mod:`hypothesis` and :mod:`people`; :mod:`running` makes the :mod:`card`.
"""

from __future__ import annotations

from eatlas.lazy import attributes

__all__ = ["Card", "Evidence", "Material", "protocol", "read_card"]

_HOMES = {
    "eatlas.apps.protocol.studies": "Material",
    "eatlas.apps.protocol.running": "protocol",
    "eatlas.results.evidence": "Card Evidence read_card",
}

__getattr__ = attributes(__name__, _HOMES)


def __dir__() -> list[str]:
    return sorted(__all__)
