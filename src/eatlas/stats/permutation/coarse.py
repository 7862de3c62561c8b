"""Scores that lie on a lattice, with noise or without, so that ties are counted and not split.

A survey scale, a count or a difference of two means of few values takes few, evenly spaced
values; sums then tie by the million. Fourier inversion between two atoms would split such ties
and a bracket would not show it, so coarse scores are recognised first, by an approximate greatest
common divisor.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from eatlas.stats.permutation.question import Question

Steps = tuple[NDArray[np.int64], list[int]]
"""Ascending whole numbers, and thresholds of their sums."""

CLEARANCE = 4
"""A step must exceed CLEARANCE * N * tolerance, so that no decision, not even the two-sided one
(mirror images meet at multiples of step / N), depends on the noise."""
NOISE = 32
"""A remainder is noise up to this many times the tolerance of one term."""


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


def on_lattice(question: Question) -> Question | None:
    """The same question in whole lattice steps, with tolerance 0; None off any lattice.

    The step is an approximate greatest common divisor of the distances from the least score. The
    answer is the same one: residuals may move no sum by more than the tie tolerance, and none of
    them takes a sum across a threshold.
    """
    offsets = question.values - question.values[0]
    distinct = np.unique(offsets)[1:]
    term = 2 * (question.tolerance // question.values.size + 1)
    floor = CLEARANCE * question.values.size * (question.tolerance + 1)
    distances = distinct[distinct > NOISE * term].tolist()
    step = common_step(distances, NOISE * term, floor)
    if step is None:
        return None
    steps = np.rint(offsets / step).astype(np.int64)
    if not _faithful(question, offsets, steps):
        return None
    steps //= np.gcd.reduce(steps)
    found = Question(
        values=np.sort(steps),
        n=question.n,
        observed=_observed_steps(question, offsets, steps),
        tolerance=0,
        mirrored=question.mirrored,
        strict=question.strict,
    )
    return found if _thresholds(found) == _moved(question, steps) else None


def _thresholds(question: Question) -> list[int]:
    """Sums from which on a subset is in the upper, beyond the lower, and beyond the far tail."""
    return [question.at_least, question.below, question.at_most + 1]


def _moved(question: Question, steps: NDArray[np.int64]) -> list[int] | None:
    return in_steps(question.values, steps, question.n, _thresholds(question))


def in_steps(
    values: NDArray[np.int64], steps: NDArray[np.int64], n: int, thresholds: Sequence[int]
) -> list[int] | None:
    """The least sums of `n` steps whose sums of values reach the thresholds.

    A sum of n values is n w_0 + step K + E, with K the sum of the steps and E between the least
    and the greatest sum of n residuals. None where E decides for some K; in integers throughout.
    """
    first, count = int(values[0]), int(steps[-1])
    reach = int(values[-1]) - first
    residuals = sorted(
        (int(x) - first) * count - int(k) * reach for x, k in zip(values, steps, strict=True)
    )
    least, greatest = sum(residuals[:n]), sum(residuals[-n:])
    above = [(t - n * first) * count for t in thresholds]
    low = [-((greatest - x) // reach) for x in above]
    return low if low == [-((least - x) // reach) for x in above] else None


def hidden_steps(values: NDArray[np.int64], n: int, thresholds: Sequence[int]) -> Steps | None:
    """Scores without their outliers in whole steps, with the thresholds; None off any lattice."""
    offsets = values - values[0]
    distinct = np.unique(offsets)[1:]
    floor = CLEARANCE * values.size
    step = common_step(distinct[distinct > NOISE].tolist(), NOISE, floor)
    if step is None:
        return None
    steps = np.rint(offsets / step).astype(np.int64)
    steps //= np.gcd.reduce(steps)
    moved = in_steps(values, steps, n, thresholds)
    return None if moved is None else (steps, moved)


def _faithful(question: Question, offsets: NDArray[np.int64], steps: NDArray[np.int64]) -> bool:
    """Whether no sum moves by more than the tolerance when scores become steps; exact."""
    reach, count = int(offsets[-1]), int(steps[-1])
    residuals = sorted(int(x) * count - int(k) * reach for x, k in zip(offsets, steps, strict=True))
    spread = sum(residuals[-question.n :]) - sum(residuals[: question.n])
    clear = reach > CLEARANCE * question.values.size * (question.tolerance + 1) * count
    return clear and spread <= question.tolerance * count


def _observed_steps(
    question: Question, offsets: NDArray[np.int64], steps: NDArray[np.int64]
) -> int:
    """The observed sum in steps: it lies within the tolerance of a whole number of them."""
    above = question.observed - question.n * int(question.values[0])
    reach, count = int(offsets[-1]), int(steps[-1])
    return (2 * above * count + reach) // (2 * reach)
