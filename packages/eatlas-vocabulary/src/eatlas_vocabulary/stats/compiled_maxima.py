"""The compiled loop of maxima over rows. Import only where there are many rows."""

from __future__ import annotations

import numba as nb
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


# scores are finite, so the greatest of several may be found in any order: four at a time
@nb.njit(cache=True, nogil=True, fastmath={"nnan", "nsz"})  # type: ignore[misc, unused-ignore]
def fold(low: Array, high: Array, spans: Integers, best: Array) -> None:
    """best[i] = max(best[i], abs(sum)) over all columns; pairs in the order of `spans`."""
    for s in range(spans.shape[0]):
        place = spans[s, 4]
        for a in range(spans[s, 0], spans[s, 1]):
            mine = low[a]
            for b in range(spans[s, 2], spans[s, 3]):
                other = high[b]
                top = best[place]
                for row in range(low.shape[1]):
                    top = max(top, abs(mine[row] + other[row]))
                best[place] = top
                place += 1
