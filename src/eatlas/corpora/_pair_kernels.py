"""Compiled: which matches stand near each other. Import only where texts are searched."""

from __future__ import annotations

from typing import Any

import numba as nb
import numpy as np
from numpy.typing import NDArray

from eatlas.corpora._kernels import is_space


@nb.njit(cache=True, nogil=True)  # type: ignore[misc, unused-ignore]
def near(
    data: NDArray[np.uint8],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    stimuli: NDArray[np.int64],
    separator: int,
    distance: int,
    numbers: NDArray[np.int32],
) -> Any:
    """Find two matches of one text with at most `distance` words between them.

    Returns
    -------
    ndarray, shape (found, 3)
        Place of the target and of the attribute among the matches, and the number of the pair:
        ``numbers[target, attribute]``, where that is no -1.
    """
    found = np.empty((1024, 3), np.int64)
    count = 0
    for k in range(len(starts)):
        at, gaps = ends[k], 0
        for j in range(k + 1, len(starts)):
            while at < starts[j] and gaps <= distance + 1 and data[at] != separator:
                gaps += is_space(data[at]) and not is_space(data[at + 1])
                at += 1
            if at < starts[j] or gaps > distance + 1:
                break
            for target, attribute in ((k, j), (j, k)):
                number = numbers[stimuli[target], stimuli[attribute]]
                if number >= 0:
                    if count == len(found):
                        found = np.concatenate((found, np.empty_like(found)))
                    found[count, 0], found[count, 1], found[count, 2] = target, attribute, number
                    count += 1
    return found[:count]
