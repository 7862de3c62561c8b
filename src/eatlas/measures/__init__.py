"""How association is measured, one file for each measure; each is imported when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from eatlas.measures.base import AssociationMeasure
from eatlas.measures.registry import get_measure, measure_types

if TYPE_CHECKING:
    from eatlas.measures.ceat import CEAT
    from eatlas.measures.lpbs import LPBS
    from eatlas.measures.lpbs_ceat import LPBSCEAT
    from eatlas.measures.ml_eat import MLEAT
    from eatlas.measures.sc_eat import SCEAT
    from eatlas.measures.weat import WEAT

__all__ = [
    "CEAT",
    "LPBS",
    "LPBSCEAT",
    "MLEAT",
    "SCEAT",
    "WEAT",
    "AssociationMeasure",
    "get_measure",
    "measure_types",
]

_HOME = {
    "CEAT": "ceat",
    "LPBS": "lpbs",
    "LPBSCEAT": "lpbs_ceat",
    "MLEAT": "ml_eat",
    "SCEAT": "sc_eat",
    "WEAT": "weat",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
