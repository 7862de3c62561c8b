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
        How far a distance may be from a multiple of the step.
    floor
        A smaller step is not worth finding; most scores end here after two or three distances.

    Examples
    --------
    >>> round(common_step([0.6, 0.9, 1.5000001], 1e-6, 1e-3), 6)
    0.3
    """
    step = float(distances[0]) if distances else 0.0
    for distance in distances:
        multiple = _multiple(float(distance), step, noise, floor)
        if multiple is None:
            return None
        step = distance / multiple
    return step or None


def _multiple(distance: float, step: float, noise: float, floor: float) -> int | None:
    """How many times the common divisor of both fits into `distance`; None below `floor`.

    Each remainder is u * distance + v * step with whole u, v, so its noise is at most
    (|u| + |v|) * noise; one that vanishes says distance : step = |v| : |u|.
    """
    (a, ua, va), (b, ub, vb) = (distance, 1, 0), (step, 0, 1)
    while abs(b) > noise and abs(b) >= floor:
        quotient = round(a / b)
        rest, u, v = a - quotient * b, ua - quotient * ub, va - quotient * vb
        if abs(rest) <= min(noise * (abs(u) + abs(v)), abs(b) / 8):
            return abs(v)
        (a, ua, va), (b, ub, vb) = (b, ub, vb), (rest, u, v)
    return None
