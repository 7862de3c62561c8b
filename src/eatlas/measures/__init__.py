"""How association is measured, one file for each measure; each is imported when it is used.

:mod:`registry` finds a measure by name and :mod:`base` says what one is. What measures are composed
of: an :mod:`association` function, the :mod:`rows` of a test, :mod:`level_tests` of association,
:mod:`p_values`, :mod:`patterns`, :mod:`resampling`, :mod:`inference`, and :mod:`draws` of contexts.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes
from eatlas.measures.base import GroupsMeasure, Measure
from eatlas.measures.registry import BUILT_IN, get_measure, measure_types

if TYPE_CHECKING:
    from eatlas.measures.association import AssociationMeasure
    from eatlas.measures.ceat import CEAT
    from eatlas.measures.directions import RIPA, DirectBias, IndirectBias, SemAxis
    from eatlas.measures.distances import ECT, MAC, RND, RNSB
    from eatlas.measures.divdist import DivDist
    from eatlas.measures.lpbs import LPBS
    from eatlas.measures.lpbs_ceat import LPBSCEAT
    from eatlas.measures.ml_eat import MLEAT, WEAT
    from eatlas.measures.sc_eat import SCEAT
    from eatlas.measures.zero_shot import ZeroShot

__all__ = [
    "CEAT",
    "ECT",
    "LPBS",
    "LPBSCEAT",
    "MAC",
    "MLEAT",
    "RIPA",
    "RND",
    "RNSB",
    "SCEAT",
    "WEAT",
    "AssociationMeasure",
    "DirectBias",
    "DivDist",
    "GroupsMeasure",
    "IndirectBias",
    "Measure",
    "SemAxis",
    "ZeroShot",
    "get_measure",
    "measure_types",
]

_PLACES = (place.split(":") for place in (*BUILT_IN.values(), "association:AssociationMeasure"))
__getattr__ = attributes(__name__, *({f"{__name__}.{module}": kind} for module, kind in _PLACES))
