"""Results with intervals, shares of patterns, influence and cosines, made by hand."""

from __future__ import annotations

from typing import Any

from tests.report.records import PATTERNS, TERMS, ml_eat, weat

from eatlas.results import MLEATResult, WEATResult
from eatlas.results.influence import Influence
from eatlas.results.uncertainty import Uncertainty

HOSTILE = {
    "X": '<script>alert("x")</script>',
    "Y": "]]> & </svg>\x00\x1b[31m",
    "A": "שמות של גברים ונשים",
    "B": "very long name " * 20 + "end",
}
COSINES = tuple(tuple((10 * i + j) / 100 for j in range(6)) for i in range(6))
"""Of targets (three X, three Y) with attributes (three A, three B): 0.00 to 0.55."""


def interval(low: float | None, high: float | None) -> dict[str, Any]:
    """An interval; none where its ends are None."""
    ends = None if low is None else (low, high)
    kinds = ("percentile", "bca", "studentised", "interval")
    return {"se": 0.2, **dict.fromkeys(kinds, ends), "undefined": 0}


def uncertainty(*, patterns: dict[str, float] | None = None, **changes: Any) -> Uncertainty:
    """Level 1 from 1.0 to 1.7, X from 0.5 to 1.2, Y unknown; shares of the named patterns."""
    shares = dict.fromkeys(PATTERNS, 0.0) | (patterns or {"AX-Singular": 0.75, "A-Uniform": 0.25})
    values = {
        "over": "both",
        "resamples": 1000,
        "confidence": 0.95,
        "level1": interval(1.0, 1.7),
        "level2": {"X": interval(0.5, 1.2), "Y": interval(None, None)},
        "patterns": shares,
    }
    return Uncertainty.from_dict(values | changes)


def influence(**changes: Any) -> Influence:
    """Every term changes an effect size by 0.01, but for a few."""
    same = dict.fromkeys("XYAB", (0.01, 0.01, 0.01))
    values = {
        "level1": same | {"X": (-0.5, 0.1, None)},
        "level2": {"X": same | {"Y": ()}, "Y": same | {"X": (), "B": (0.01, -0.3, 0.01)}},
    }
    return Influence.from_dict(values | changes)


def full(label: str = "AX-Singular", **changes: Any) -> MLEATResult:
    """An ML-EAT with everything that it may carry."""
    given: dict[str, Any] = {
        "uncertainty": uncertainty(),
        "influence": influence(),
        "similarities": COSINES,
    }
    own = {key: changes.pop(key) for key in tuple(changes) if key in given}
    return ml_eat(label, **changes).model_copy(update=given | own)


def weat_with_influence(**changes: Any) -> WEATResult:
    """A WEAT with its level 1 influence."""
    return weat(**changes).model_copy(update={"influence": influence(level2=None)})


__all__ = ["COSINES", "HOSTILE", "TERMS", "full", "influence", "uncertainty", "weat_with_influence"]
