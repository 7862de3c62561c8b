"""Checks that several statistics share: a rectangle of finite numbers, a level, a generator."""

from __future__ import annotations

import math
import operator

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError


def numbers(values: ArrayLike, name: str, ndim: int) -> NDArray[np.float64]:
    """Finite float64 numbers with `ndim` dimensions, or an error that says what is wrong.

    Examples
    --------
    >>> numbers([1, 2], "effects", 1)
    array([1., 2.])
    """
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EatlasError(f"{name} must be numbers", got=str(error)) from error
    if array.ndim != ndim:
        raise EatlasError(
            f"{name} must have {ndim} dimension{'s' * (ndim > 1)}",
            got=f"an array of shape {array.shape}",
        )
    bad = np.argwhere(~np.isfinite(array))
    if bad.size:
        place = ", ".join(str(i) for i in bad[0])
        raise EatlasError(f"{name} must be finite", got=f"{array[tuple(bad[0])]} at [{place}]")
    return array


def whole(value: int, name: str, least: int, most: int | None = None) -> int:
    """A whole number from `least` to `most`.

    Examples
    --------
    >>> whole(3, "draws", 1)
    3
    """
    allowed = f"{least} or more" if most is None else f"{least} to {most}"
    try:
        number = operator.index(value)
    except TypeError as error:
        raise EatlasError(
            f"{name} must be a whole number", got=repr(value), allowed=allowed
        ) from error
    if number < least or (most is not None and number > most):
        raise EatlasError(f"{name} is out of range", got=str(number), allowed=allowed)
    return number


def open_unit(level: float) -> float:
    """A level of confidence, strictly between 0 and 1.

    Examples
    --------
    >>> open_unit(0.95)
    0.95
    """
    if isinstance(level, (int, float)) and 0 < level < 1:
        return float(level)
    raise EatlasError(
        "level must be a probability", got=repr(level), allowed="above 0 and below 1, as 0.95"
    )


def generator(rng: np.random.Generator | None) -> np.random.Generator:
    """An explicit source of random numbers: a seed or the global state is not one.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> generator(rng) is rng
    True
    """
    if isinstance(rng, np.random.Generator):
        return rng
    raise EatlasError(
        "rng must be a numpy Generator",
        got=type(rng).__name__,
        remedy="pass numpy.random.default_rng(seed)",
    )


def checked_scale(scale: float | None) -> float | None:
    """The magnitude of what was added up to make a score, above 0; None stays None.

    Examples
    --------
    >>> checked_scale(1.0)
    1.0
    """
    if scale is None or (math.isfinite(scale) and scale > 0):
        return scale
    raise EatlasError(
        "scale must be the magnitude of what was added up", got=repr(scale), allowed="above 0"
    )
