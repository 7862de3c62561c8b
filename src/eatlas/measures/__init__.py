"""How association is measured, one file for each measure."""

from eatlas.measures.base import AssociationMeasure
from eatlas.measures.ceat import CEAT
from eatlas.measures.lpbs import LPBS
from eatlas.measures.lpbs_ceat import LPBSCEAT
from eatlas.measures.ml_eat import MLEAT
from eatlas.measures.registry import get_measure, measure_types
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
