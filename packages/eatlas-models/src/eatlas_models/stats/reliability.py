"""Reliability of a scale: Cronbach's alpha."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike


def cronbach_alpha(scores: ArrayLike) -> float:
    """Cronbach's alpha of items in columns; NaN where the sums of the rows do not differ.

    >>> round(cronbach_alpha([[1, 2], [2, 2], [3, 5]]), 4)
    0.8571
    """
    table = np.asarray(scores, np.float64)
    k, total = table.shape[1], float(table.sum(axis=1).var(ddof=1))
    of_items = float(table.var(axis=0, ddof=1).sum())
    return k / (k - 1) * (1 - of_items / total) if total else float("nan")
