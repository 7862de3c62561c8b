"""Rounding errors of log-probability ratios."""

from __future__ import annotations

from eatlas.encoders.encoder import roundoff_of

LOG_RATIOS = 16
"""Log-probabilities are differences of large numbers: so many times the unit roundoff, relative to
the greatest log-ratio of a test."""


def roundoff_of_log_ratios(precision: str) -> float | None:
    """The same of log-probability ratios."""
    unit = roundoff_of(precision)
    return None if unit is None else LOG_RATIOS * unit
