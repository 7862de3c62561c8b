"""Arrays in, arrays out: unit rows, mean directions, similarities, associations.

Every sum here runs in an order fixed by the values alone, so that terms listed in another order,
or the same vector met twice, give the same bits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.kernels.cosines import (
    Moments,
    associations,
    mean_and_sd,
    mean_row,
    moments,
    products_mean_and_sd,
    quantiles,
    similarities,
    unit_rows,
)
from eatlas.lazy import attributes

if TYPE_CHECKING:
    from eatlas.kernels.draws import CompactRows, Drawn, compact_rows, draw_associations
    from eatlas.kernels.pair_draws import DrawnPairs, draw_pairs
    from eatlas.kernels.projection import (
        coordinates,
        pair_direction,
    )

__all__ = [
    "CompactRows",
    "Drawn",
    "DrawnPairs",
    "Moments",
    "associations",
    "compact_rows",
    "coordinates",
    "draw_associations",
    "draw_pairs",
    "mean_and_sd",
    "mean_row",
    "moments",
    "pair_direction",
    "products_mean_and_sd",
    "quantiles",
    "similarities",
    "unit_rows",
]

__getattr__ = attributes(
    __name__,
    {
        f"{__name__}.draws": "Drawn CompactRows compact_rows draw_associations",
        f"{__name__}.pair_draws": "DrawnPairs draw_pairs",
        f"{__name__}.projection": "coordinates pair_direction",
    },
)
