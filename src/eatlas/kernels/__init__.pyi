from .cosines import (
    associations as associations,
    mean_and_sd as mean_and_sd,
    mean_row as mean_row,
    pair_direction as pair_direction,
    similarities as similarities,
    unit_rows as unit_rows,
)
from .draws import Drawn as Drawn
