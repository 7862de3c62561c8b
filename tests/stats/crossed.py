"""The crossed test of a table, by the sizes of its first groups."""

import numpy as np

from eatlas.stats.crossed import crossed_test


def crossed_interaction(table, n_x, n_a, **how):
    """Level 1: two groups of targets."""
    table = np.asarray(table, float)
    rows, columns = table.shape
    return crossed_test(table, (n_x, rows - n_x), (n_a, columns - n_a), **how)


def crossed_association(table, n_a, **how):
    """Level 2: one group of targets."""
    table = np.asarray(table, float)
    return crossed_test(table, (len(table),), (n_a, table.shape[1] - n_a), **how)
