"""What a measure found: frozen records with provenance, tidy tables and versioned JSON."""

from eatlas.results.base import AssociationResult, is_result
from eatlas.results.ceat import CEATResult
from eatlas.results.collection import Failure, Results, read_results, salvage_results
from eatlas.results.draws import DrawnResult
from eatlas.results.effects import Effect, Rule
from eatlas.results.files import to_json_line
from eatlas.results.groups import GroupsResult
from eatlas.results.lpbs import LogRatioResult, LPBSResult
from eatlas.results.lpbs_ceat import LPBSCEATResult
from eatlas.results.ml_eat import MLEATResult, ThreeLevelResult
from eatlas.results.sc_eat import SCEATResult
from eatlas.results.trend import TrendResult
from eatlas.results.weat import WEATResult

__all__ = [
    "AssociationResult",
    "CEATResult",
    "DrawnResult",
    "Effect",
    "Failure",
    "GroupsResult",
    "LPBSCEATResult",
    "LPBSResult",
    "LogRatioResult",
    "MLEATResult",
    "Results",
    "Rule",
    "SCEATResult",
    "ThreeLevelResult",
    "TrendResult",
    "WEATResult",
    "is_result",
    "read_results",
    "salvage_results",
    "to_json_line",
]
