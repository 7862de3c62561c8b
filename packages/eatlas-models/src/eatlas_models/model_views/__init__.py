"""Every view of a model: its vectors, log-probabilities and answers on the same tests.

Each view gives every target a score s(x), and every attribute the difference of its mean
associations with X and with Y. Two views agree as far as they order the targets, or the attributes,
alike: Spearman's rho over all of them, and within the groups, where the difference between these is
no part of it. :mod:`measuring` makes a :mod:`record`, and :mod:`page` shows it.
"""

from eatlas_models.model_views.measuring import read_views, views
from eatlas_models.model_views.page import write_views
from eatlas_models.model_views.record import Views

__all__ = ["Views", "read_views", "views", "write_views"]
