"""Moments of groups of rows, found when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels


class MomentsByRole(dict[str, kernels.Moments]):
    """Moments of groups of rows; taking them of many rows takes seconds, so only once asked for."""

    def __init__(self, rows: Mapping[str, NDArray[np.float64]]) -> None:
        super().__init__()
        self.rows = rows

    def __missing__(self, role: str) -> kernels.Moments:
        self[role] = kernels.moments(self.rows[role])
        return self[role]
