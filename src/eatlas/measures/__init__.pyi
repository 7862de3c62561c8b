from .ask import Ask as Ask
from .assign import Assign as Assign
from .association import AssociationMeasure as AssociationMeasure
from .base import GroupsMeasure as GroupsMeasure, Measure as Measure
from .ceat import CEAT as CEAT
from .divdist import DivDist as DivDist
from .earlier import (
    ECT as ECT,
    MAC as MAC,
    RIPA as RIPA,
    RND as RND,
    RNSB as RNSB,
    DirectBias as DirectBias,
    IndirectBias as IndirectBias,
    SemAxis as SemAxis,
)
from .fmat import FMAT as FMAT
from .k_groups import SAME as SAME, GeneralisedWEAT as GeneralisedWEAT
from .lpbs import LPBS as LPBS
from .lpbs_ceat import LPBSCEAT as LPBSCEAT
from .ml_eat import MLEAT as MLEAT, WEAT as WEAT
from .pll import PLL as PLL
from .pmi import PMI as PMI
from .registry import get_measure as get_measure, measure_types as measure_types
from .sc_eat import SCEAT as SCEAT
from .zero_shot import ZeroShot as ZeroShot
