"""What texts say: contexts, counts, parts of a corpus."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
