"""What a language model says: answers, probabilities of words, texts."""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
