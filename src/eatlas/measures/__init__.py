"""How association is measured, one file for each measure; each is imported when it is used.

:mod:`registry` finds a measure by name and :mod:`base` says what one is. What measures are composed
of: effect sizes, p-values and patterns of :mod:`association`, the :mod:`levels` of a test,
:mod:`resampling`, :mod:`inference`, and :mod:`draws` of contexts; and how robust that is
(:mod:`robustness`): against random :mod:`topics`, :mod:`adjusting` for covariates of the words, and
leaving words out.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
