from .association import AssociationMeasure as AssociationMeasure
from .base import GroupsMeasure as GroupsMeasure, Measure as Measure
from .divdist import DivDist as DivDist
from .earlier import (
    ECT as ECT,
    MAC as MAC,
    RND as RND,
    RNSB as RNSB,
    SemAxis as SemAxis,
)
from .k_groups import SAME as SAME, GeneralisedWEAT as GeneralisedWEAT
from .weat import WEAT as WEAT
from .ml_eat import MLEAT as MLEAT
from .registry import (
    get_measure as get_measure,
    list_measures as list_measures,
    measure_types as measure_types,
)
from .sc_eat import SCEAT as SCEAT
from .pairs import RIPA as RIPA, DirectBias as DirectBias, IndirectBias as IndirectBias
