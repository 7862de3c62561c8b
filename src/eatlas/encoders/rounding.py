"""How far rounding moves what a model computes, from one machine, batch or thread to another."""

from __future__ import annotations

ROUNDOFF = {
    "float64": None,
    "float32": 2.0**-24,
    "float16": 2.0**-14,
    "bfloat16": 2.0**-11,
}
"""Rounding error of a score, by the type of the numbers that the model computes with; None where it
is below what ties allow for anyway. With other kernels (AVX2, SSE) and threads scores of weat-6 by
MiniLM moved by up to 1.0 of 2^-24 in single precision, those by SmolLM2 in GGUF, which is computed
in single precision, by 1.2; by 1.1 of 2^-14 and 1.3 of 2^-11 in half precision: an eighth of the
unit roundoff, as kernels add in single precision and round what they hand on."""
LOG_RATIOS = 16
"""Log-probabilities are differences of large numbers: so many times the unit roundoff, relative to
the greatest log-ratio of a test."""


def roundoff_of(precision: str) -> float | None:
    """Unit roundoff of vectors; single precision where nothing is stated.

    Examples
    --------
    >>> roundoff_of("bfloat16"), roundoff_of("") == 2.0**-24
    (0.00048828125, True)
    """
    return ROUNDOFF.get(precision, ROUNDOFF["float32"])


def roundoff_of_log_ratios(precision: str) -> float | None:
    """The same of log-probability ratios.

    Examples
    --------
    >>> roundoff_of_log_ratios("float32") == 2.0**-20
    True
    """
    unit = roundoff_of(precision)
    return None if unit is None else LOG_RATIOS * unit
