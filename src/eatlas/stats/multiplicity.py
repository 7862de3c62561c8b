"""Adjusted p-values for a declared family: Holm, Benjamini-Hochberg, Benjamini-Yekutieli.

An adjusted p is the smallest level at which the procedure rejects that hypothesis. A NaN, a test
without a p, stays NaN and does not count in the size of the family.

Adjusted p-values of a family that is too long for an array: from its tally of values.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError

Array = NDArray[np.float64]


def holm(p: ArrayLike) -> Array:
    """Holm's step-down adjustment: the family-wise error rate, under any dependence.

    Parameters
    ----------
    p : array_like, any shape
        p-values in (0, 1], NaN where there is none.

    Returns
    -------
    array, the shape of `p`
        ``max over j <= i of min(1, (m - j + 1) p_(j))`` for the i-th smallest of m p-values.

    Raises
    ------
    EatlasError
        For a p-value outside (0, 1].

    Notes
    -----
    Holm (1979), A simple sequentially rejective multiple test procedure, Scandinavian Journal of
    Statistics 6.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    array([0.03, 0.06, 0.06])
    """
    family, counted = _family(p)
    ordered, order = _ascending(family[counted])
    factors = np.arange(ordered.size, 0, -1, dtype=np.float64)
    return _put_back(family, counted, order, np.maximum.accumulate(ordered * factors))


def benjamini_hochberg(p: ArrayLike) -> Array:
    """Benjamini and Hochberg's step-up adjustment: the false discovery rate.

    Holds for independent tests and for those with positive regression dependence.

    Parameters
    ----------
    p : array_like, any shape
        p-values in (0, 1], NaN where there is none.

    Returns
    -------
    array, the shape of `p`
        ``min over j >= i of min(1, (m / j) p_(j))`` for the i-th smallest of m p-values.

    Raises
    ------
    EatlasError
        For a p-value outside (0, 1].

    Notes
    -----
    Benjamini and Hochberg (1995), Controlling the false discovery rate, Journal of the Royal
    Statistical Society B 57.

    Examples
    --------
    >>> benjamini_hochberg([0.01, 0.02, 0.9])
    array([0.03, 0.03, 0.9 ])
    """
    return _step_up(p, dependent=False)


def benjamini_yekutieli(p: ArrayLike) -> Array:
    """Benjamini and Yekutieli's step-up adjustment: false discoveries under any dependence.

    Parameters
    ----------
    p : array_like, any shape
        p-values in (0, 1], NaN where there is none.

    Returns
    -------
    array, the shape of `p`
        Benjamini and Hochberg's factors m / j times ``1 + 1/2 + ... + 1/m``.

    Raises
    ------
    EatlasError
        For a p-value outside (0, 1].

    Notes
    -----
    Benjamini and Yekutieli (2001), The control of the false discovery rate in multiple testing
    under dependency, Annals of Statistics 29, theorem 1.3.

    Examples
    --------
    >>> benjamini_yekutieli([0.01, 0.5])
    array([0.03, 0.75])
    """
    return _step_up(p, dependent=True)


def _step_up(p: ArrayLike, *, dependent: bool) -> Array:
    family, counted = _family(p)
    ordered, order = _ascending(family[counted])
    rank = np.arange(1, ordered.size + 1, dtype=np.float64)
    # m / rank first: it is at least 1, so rounding cannot put an adjusted p below the raw one
    factors = ordered.size / rank * (np.sum(1 / rank) if dependent else 1.0)
    adjusted = np.minimum.accumulate((ordered * factors)[::-1])[::-1]
    return _put_back(family, counted, order, adjusted)


def _family(p: ArrayLike) -> tuple[Array, NDArray[np.bool_]]:
    """A copy as float64, and which entries are p-values at all."""
    try:
        family = np.array(p, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise EatlasError("p-values must be numbers", got=str(error)) from error
    counted = ~np.isnan(family)
    bad = np.argwhere(counted & ~((family > 0) & (family <= 1)))
    if len(bad):
        place = ", ".join(str(i) for i in bad[0])
        raise EatlasError(
            "a p-value is out of range",
            got=f"{family[tuple(bad[0])]} at [{place}]",
            allowed="above 0, at most 1, or NaN where there is no p-value",
            remedy="a sampled p is (b + 1) / (B + 1), an exact one count / total: neither is 0",
        )
    return family, counted


def _ascending(values: Array) -> tuple[Array, NDArray[np.intp]]:
    order = np.argsort(values, kind="stable")
    return values[order], order


def _put_back(
    family: Array, counted: NDArray[np.bool_], order: NDArray[np.intp], adjusted: Array
) -> Array:
    """Adjusted values where their raw ones were; NaN elsewhere."""
    unordered = np.empty_like(adjusted)
    unordered[order] = np.minimum(adjusted, 1.0)
    family[counted] = unordered
    return family


PENDING = 1 << 16
"""Values that wait before they are counted: half a megabyte."""


class Tally:
    """How often each p-value occurs in a family.

    Exact tests of one design have few different p-values (6,435 two-sided ones at 8 against 8), so
    a tally stays small however many tests there are.
    """

    def __init__(self) -> None:
        self._values = np.empty(0)
        self._counts = np.empty(0, np.int64)
        self._pending: list[Array] = []
        self._waiting = 0

    def add(self, p: ArrayLike) -> None:
        """Count more p-values."""
        more = np.asarray(p, dtype=np.float64).ravel()
        if not np.all((more > 0) & (more <= 1)):
            bad = more[~((more > 0) & (more <= 1))][0]
            raise EatlasError("a p-value is out of range", got=str(bad), allowed="above 0 up to 1")
        self._pending.append(more.copy())
        self._waiting += more.size
        # of many different values as many wait, so that each is sorted a few times only
        if self._waiting > max(PENDING, self._values.size):
            self._settle()

    @property
    def values(self) -> Array:
        """The different p-values, ascending."""
        self._settle()
        return self._values

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each of them occurs."""
        self._settle()
        return self._counts

    @property
    def size(self) -> int:
        """How many p-values there are in all."""
        return int(self.counts.sum())

    def holm(self) -> Array:
        """Holm's adjusted p of each of `values`, see `multiplicity`."""
        left = self.counts[::-1].cumsum()[::-1].astype(np.float64)
        return np.asarray(np.minimum(np.maximum.accumulate(self.values * left), 1.0), np.float64)

    def benjamini_yekutieli(self) -> Array:
        """Benjamini and Yekutieli's adjusted p of each of `values`, see `multiplicity`."""
        rank = np.cumsum(self.counts).astype(np.float64)
        m = self.size
        factors = m / rank * harmonic(m)
        adjusted = np.minimum.accumulate((self.values * factors)[::-1])[::-1]
        return np.asarray(np.minimum(adjusted, 1.0), dtype=np.float64)

    def _settle(self) -> None:
        """Merge the values that wait into the sorted values and their counts."""
        if not self._pending:
            return
        values, place = np.unique(
            np.concatenate([self._values, *self._pending]), return_inverse=True
        )
        weights = np.concatenate([self._counts, np.ones(self._waiting, np.int64)])
        counts = np.zeros(values.size, np.int64)
        np.add.at(counts, place, weights)
        self._values, self._counts = values, counts
        self._pending, self._waiting = [], 0


def harmonic(m: int) -> float:
    """1 + 1/2 + ... + 1/m, Benjamini and Yekutieli's price for any dependence."""
    # beyond a million terms the expansion is exact to the last digit
    if m > 1_000_000:
        return float(np.log(m) + np.euler_gamma + 1 / (2 * m) - 1 / (12 * float(m) ** 2))
    return float(np.sum(1 / np.arange(1, m + 1, dtype=np.float64)))
