"""Exact two-sample permutation tests over all C(N, n) subsets, and what replaces a count.

The statistic is the sum of the first group's scores, which orders the subsets as the difference
of means does. Scores become 64-bit fixed-point integers once, so equal sums tie however they are
added up. A p-value is an integer count over C(N, n) wherever that can be afforded.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
