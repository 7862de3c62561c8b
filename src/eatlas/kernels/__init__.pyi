from .context_draws import (
    CompactRows as CompactRows,
    Drawn as Drawn,
    DrawnPairs as DrawnPairs,
    compact_rows as compact_rows,
    draw_associations as draw_associations,
    draw_pairs as draw_pairs,
)
from .cosines import (
    associations as associations,
    mean_and_sd as mean_and_sd,
    mean_row as mean_row,
    pair_direction as pair_direction,
    similarities as similarities,
    unit_rows as unit_rows,
)
