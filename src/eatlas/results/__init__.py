"""What a measure found: frozen records with provenance, tidy tables and versioned JSON.

A record is a :mod:`base` with what its measure found (:mod:`embedding_tests`, :mod:`targets`,
:mod:`trend`); records share :mod:`parts`, :mod:`levels` and :mod:`inference`, and list their
:mod:`effects`. A :mod:`collection` holds many and adjusts their p-values, :mod:`compare` puts them
side by side, and :mod:`json_lines` are their files.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes
from eatlas.results.base import AssociationResult, GroupsResult, is_result
from eatlas.results.collection import Failure, Results, read_results, salvage_results
from eatlas.results.effects import Effect, Rule
from eatlas.results.json_lines import to_json_line

if TYPE_CHECKING:
    from eatlas.results.embedding_tests import (
        CEATResult,
        DrawnResult,
        LogRatioResult,
        LPBSCEATResult,
        LPBSResult,
        MLEATResult,
        SCEATResult,
        ThreeLevelResult,
        WEATResult,
        ZeroShotResult,
    )
    from eatlas.results.targets import DivDistResult, TargetsResult, TargetValuesResult
    from eatlas.results.trend import TrendResult

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
        f"{__name__}.embedding_tests": "CEATResult DrawnResult LogRatioResult LPBSCEATResult "
        "LPBSResult MLEATResult SCEATResult ThreeLevelResult WEATResult ZeroShotResult",
        f"{__name__}.targets": "DivDistResult TargetsResult TargetValuesResult",
        f"{__name__}.trend": "TrendResult",
    },
)
