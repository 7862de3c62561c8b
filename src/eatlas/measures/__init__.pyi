from .association import AssociationMeasure as AssociationMeasure
from .base import GroupsMeasure as GroupsMeasure, Measure as Measure
from .ceat import CEAT as CEAT
from .directions import (
    RIPA as RIPA,
    DirectBias as DirectBias,
    IndirectBias as IndirectBias,
    SemAxis as SemAxis,
)
from .distances import ECT as ECT, MAC as MAC, RND as RND, RNSB as RNSB
from .divdist import DivDist as DivDist
from .lpbs import LPBS as LPBS
from .lpbs_ceat import LPBSCEAT as LPBSCEAT
from .ml_eat import MLEAT as MLEAT, WEAT as WEAT
from .registry import get_measure as get_measure, measure_types as measure_types
from .sc_eat import SCEAT as SCEAT
from .zero_shot import ZeroShot as ZeroShot
