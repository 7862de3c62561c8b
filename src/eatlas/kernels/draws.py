"""What is found in many draws, whatever is sampled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Drawn:
    """What was found in each sample."""

    targets: Array
    """s(w, A, B) of what is sampled for each target stimulus, shape (draws, n_x + n_y)."""
    attributes: Array
    """u(T, a) of what is sampled for each attribute stimulus, shape (draws, 2, n_a + n_b): with
    X, with Y."""
    cells: Array
    """Mean association of X with A, X with B, Y with A, Y with B, shape (draws, 4)."""
