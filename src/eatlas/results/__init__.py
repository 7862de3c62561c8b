"""What a measure found: frozen records with provenance, tidy tables and versioned JSON.

A record is a :mod:`base` with what its measure found (:mod:`embedding_tests`, :mod:`draws`,
:mod:`divdist`, :mod:`target_values`, :mod:`zero_shot`, :mod:`trend`); records share :mod:`parts`,
:mod:`levels`, :mod:`inference` and :mod:`groups`, and list their :mod:`effects`. A
:mod:`collection` holds many, a :mod:`family` adjusts their p-values, :mod:`side_by_side` and
:mod:`changes` compare them, and :mod:`json_lines` are their files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes
from eatlas.results.base import AssociationResult, GroupsResult, is_result
from eatlas.results.collection import Failure, Results, read_results, salvage_results
from eatlas.results.effects import Effect, Rule
from eatlas.results.json_lines import to_json_line

if TYPE_CHECKING:
    from eatlas.results.divdist import DivDistResult, TargetsResult
    from eatlas.results.draws import (
        CEATResult,
        DrawnResult,
        LogRatioResult,
        LPBSCEATResult,
        LPBSResult,
    )
    from eatlas.results.embedding_tests import (
        MLEATResult,
        SCEATResult,
        ThreeLevelResult,
        WEATResult,
    )
    from eatlas.results.target_values import TargetValuesResult
    from eatlas.results.trend import TrendResult
    from eatlas.results.zero_shot import ZeroShotResult

__all__ = [
    "AssociationResult",
    "CEATResult",
    "DivDistResult",
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
    "TargetValuesResult",
    "TargetsResult",
    "ThreeLevelResult",
    "TrendResult",
    "WEATResult",
    "ZeroShotResult",
    "is_result",
    "read_results",
    "salvage_results",
    "to_json_line",
]

__getattr__ = attributes(
    __name__,
    {
        f"{__name__}.draws": "CEATResult DrawnResult LogRatioResult LPBSCEATResult LPBSResult",
        f"{__name__}.embedding_tests": "MLEATResult SCEATResult ThreeLevelResult WEATResult",
        f"{__name__}.divdist": "DivDistResult TargetsResult",
        f"{__name__}.target_values": "TargetValuesResult",
        f"{__name__}.trend": "TrendResult",
        f"{__name__}.zero_shot": "ZeroShotResult",
    },
)
