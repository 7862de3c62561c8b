"""Arrays in, arrays out: unit rows, mean directions, similarities, associations.

Every sum here runs in an order fixed by the values alone, so that terms listed in another order,
or the same vector met twice, give the same bits.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
