"""What several statistics share: checks, quantiles, and how near numbers are but for rounding.

Vectors that were looked up are what they are: only the sums made of them are rounded, in double
precision. Vectors that a model computed carry the rounding of its arithmetic as well, and that is
larger by many orders of magnitude.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from functools import lru_cache, wraps
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
SMALL = 8_192
"""Numbers in the arrays of a question, 64 kB, up to which its answer is retained."""


class Same:
    """An argument that is the same only if it is the same object."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def __hash__(self) -> int:
        return id(self.value)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and self.value is other.value


class Aside(NamedTuple):
    """An argument that decides nothing beyond what the other arguments decide."""

    value: Any


class Question:
    """Arguments of a function, which are the same if the content of their arrays is."""

    def __init__(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        self.arguments, self.options = arguments, options
        self.content = tuple(map(_content, (*arguments, *options, *options.values())))
        self.hashed = hash(self.content)

    def __hash__(self) -> int:
        return self.hashed

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Question) and self.content == other.content


def _content(value: Any) -> Any:
    """What two equal arguments have in common; of arrays also their order in memory."""
    if isinstance(value, np.ndarray):
        return hashlib.sha256(value.tobytes()).digest(), value.shape, value.strides, value.dtype
    if isinstance(value, Aside):
        return None
    return tuple(value) if isinstance(value, list) else value


def remember(
    most: int, *, largest: int = SMALL
) -> Callable[[Callable[Given, Answer]], Callable[Given, Answer]]:
    """Retain the last answers of a function whose arguments decide them, arrays by their content.

    Calls on one test often ask the same: measures and specifications that differ in something else.
    Answers are shared, so that callers must not change them. Answers about large arrays, and about
    arguments without a hash, are computed each time.
    """

    def decorate(function: Callable[Given, Answer]) -> Callable[Given, Answer]:
        @lru_cache(maxsize=most)
        def answer(question: Question) -> Answer:
            arguments, options = question.arguments, question.options
            question.arguments, question.options = (), {}  # may be parts of large arrays
            return function(*arguments, **options)

        @wraps(function)
        def answer_again(*arguments: Given.args, **options: Given.kwargs) -> Answer:
            values = (*arguments, *options.values())
            if sum(value.size for value in values if isinstance(value, np.ndarray)) > largest:
                return function(*arguments, **options)
            try:
                question = Question(arguments, options)
            except TypeError:
                return function(*arguments, **options)
            return answer(question)

        return answer_again

    return decorate


def numbers(values: ArrayLike, name: str, ndim: int) -> NDArray[np.float64]:
    """Finite float64 numbers with `ndim` dimensions, or an error that says what is wrong."""
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


def generator(rng: np.random.Generator | None) -> np.random.Generator:
    """An explicit source of random numbers: a seed or the global state is not one."""
    if isinstance(rng, np.random.Generator):
        return rng
    raise EatlasError(
        "rng must be a numpy Generator",
        got=type(rng).__name__,
        remedy="pass numpy.random.default_rng(seed)",
    )


def check_noise(scale: float | None, precision: float | None) -> None:
    """Refuse an impossible scale or unit roundoff; None means unknown."""
    if scale is not None and not (math.isfinite(scale) and scale > 0):
        raise EatlasError(
            "scale must be the magnitude of what was added up", got=repr(scale), allowed="above 0"
        )
    if precision is not None and not (math.isfinite(precision) and 0 <= precision < 1):
        raise EatlasError(
            "precision must be the unit roundoff of the vectors",
            got=repr(precision),
            allowed="from 0 to below 1, such as 2**-24 for single precision; None if exact",
        )


ROUNDING_UNITS = 16
"""A cosine of unit rows has a rounding error of a few 2^-53; scores that differ by no more than
so many units of it are the same score (largest spread seen for equal rows: 4 units)."""
DOUBLE = ROUNDING_UNITS * 2.0**-53
"""Relative rounding error of one score of exact vectors."""
SINGLE = 2.0**-24
"""Unit roundoff of single precision."""
SPREAD_UNITS = 2
"""Scores of computed vectors without spread differ by at most so many units. Both groups' sums then
differ by no more than the tie tolerance, so that all p-values are 1 as well."""


def relative_tolerance(precision: float | None) -> float:
    """Tolerance for ties of sums, for each score in the design and each unit of its scale."""
    return DOUBLE if precision is None else max(DOUBLE, precision)


def least_spread(scale: float, precision: float | None) -> float:
    """The greatest difference of two scores that is rounding and no spread."""
    if precision is None:
        return DOUBLE * scale
    return max(DOUBLE, SPREAD_UNITS * precision) * scale


def rounding_noise(terms: int, peak: float, precision: float | None) -> float:
    """Rounding error of a mean over so many cosines, or other numbers, of up to some size.

    The noise of computed vectors does not shrink with the cosines: it is relative to the vectors.
    """
    return max((ROUNDING_UNITS + terms) * 2.0**-53 * peak, (precision or 0.0) * max(peak, 1.0))


def t_quantile(outside: float, df: float) -> float:
    """The t > 0 with P(abs(T) > t) = `outside`."""
    return float(-scipy.special.stdtrit(df, outside / 2))


def t_outside(t: float, df: float) -> float:
    """P(abs(T) > abs(t)) for T with Student's t distribution, in (0, 1]."""
    return min(max(2 * float(scipy.special.stdtr(df, -abs(t))), math.ulp(0.0)), 1.0)


def clopper_pearson(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Clopper and Pearson's interval, which covers with at least the stated probability."""
    tail, failures = (1 - level) / 2, trials - successes
    low = scipy.special.betaincinv(successes, failures + 1, tail) if successes else 0.0
    high = scipy.special.betainccinv(successes + 1, failures, tail) if failures else 1.0
    return float(low), float(high)
