"""Arrays in, arrays out: unit rows, mean directions, similarities, associations.

Every sum here runs in an order fixed by the values alone, so that terms listed in another order,
or the same vector met twice, give the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.kernels.cosines import (
    associations,
    coordinates,
    mean_and_sd,
    mean_row,
    pair_direction,
    quantiles,
    similarities,
    unit_rows,
)
from eatlas.lazy import attributes

if TYPE_CHECKING:
    from eatlas.kernels.context_draws import (
        CompactRows,
        Drawn,
        DrawnPairs,
        compact_rows,
        draw_associations,
        draw_pairs,
    )

__all__ = [
    "CompactRows",
    "Drawn",
    "DrawnPairs",
    "associations",
    "compact_rows",
    "coordinates",
    "draw_associations",
    "draw_pairs",
    "mean_and_sd",
    "mean_row",
    "pair_direction",
    "quantiles",
    "similarities",
    "unit_rows",
]

__getattr__ = attributes(
    __name__,
    {
        f"{__name__}.context_draws": (
            "Drawn DrawnPairs CompactRows compact_rows draw_associations draw_pairs"
        )
    },
)
