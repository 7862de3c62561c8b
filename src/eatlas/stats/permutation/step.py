"""An approximate greatest common divisor: the step of a lattice with noise."""

from __future__ import annotations

from collections.abc import Sequence


def common_step(distances: Sequence[float], noise: float, floor: float) -> float | None:
    """Euclid's algorithm on ascending noisy multiples of one step.

    Parameters
    ----------
    distances
        Positive, ascending; exact for whole numbers below 2**53.
    noise
        A remainder up to about this counts as none.
    floor
        A smaller step is not worth finding; most scores end here after two or three distances.

    Examples
    --------
    >>> common_step([0.6, 0.9, 1.5000001], 1e-6, 1e-3)
    0.3000000...
    """
    step = float(distances[0]) if distances else 0.0
    for distance in distances:
        divided = _divisor(float(distance), step, noise, floor)
        if divided is None:
            return None
        step = distance / round(distance / divided)
    return step or None


def _divisor(distance: float, step: float, noise: float, floor: float) -> float | None:
    """The divisor of `step` that also divides `distance`; noise grows with each quotient."""
    a, b = distance, step
    while b > noise and b >= floor:
        rest = abs(a - round(a / b) * b)
        if rest <= min(noise * (1 + step / b), b / 8):
            return b
        a, b = b, rest
    return None
