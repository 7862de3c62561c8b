"""Record of PMI."""

from __future__ import annotations

from typing import ClassVar, Literal

from eatlas.results.targets import TargetValuesResult


class PMIResult(TargetValuesResult):
    """What :class:`eatlas.PMI` found."""

    display_name: ClassVar[str] = "PMI"
    full_name: ClassVar[str] = (
        "the difference of the pointwise mutual information (PMI) of targets with two groups in a "
        "text, with intervals and p-values of the log odds ratio (Valentini et al. 2023), adjusted "
        "over targets by Holm's (1979) method"
    )
    remark: ClassVar[str] = (
        "Intervals and p-values of PMI take every count as an independent draw, and words of one "
        "text are not."
    )
    tested: ClassVar[str] = "of the log odds ratio over its standard error"

    measure: Literal["pmi"] = "pmi"
