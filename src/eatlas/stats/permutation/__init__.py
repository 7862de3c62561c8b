"""Exact two-sample permutation tests over all C(N, n) subsets, and what replaces a count.

The statistic is the sum of the first group's scores, which orders the subsets as the difference
of means does. Scores become 64-bit fixed-point integers once, so equal sums tie however they are
added up. A p-value is an integer count over C(N, n) wherever that can be afforded.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes
from eatlas.stats.permutation.problem import (
    ALWAYS_EXACT,
    STUDENTISED_METHODS,
    PermutationResult,
    Tail,
)
from eatlas.stats.permutation.sampled import DRAWS, recomputed_test, studentised_test
from eatlas.stats.permutation.two_sample import DRAWING, METHODS, permutation_test

if TYPE_CHECKING:
    from eatlas.stats.permutation.batch import BatchResult, permutation_tests

__all__ = [
    "ALWAYS_EXACT",
    "DRAWING",
    "DRAWS",
    "METHODS",
    "STUDENTISED_METHODS",
    "BatchResult",
    "PermutationResult",
    "Tail",
    "permutation_test",
    "permutation_tests",
    "recomputed_test",
    "studentised_test",
]

__getattr__ = attributes(__name__, {f"{__name__}.batch": "BatchResult permutation_tests"})
