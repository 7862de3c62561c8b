"""Texts as a source: contexts of stimuli, sampled from corpora, and counts of associations.

From bytes to contexts: :mod:`files` divides a corpus and makes texts of it, :mod:`matching` finds
stimuli in them (:mod:`kernels` is compiled), :mod:`sampling` chooses contexts, a :mod:`record`
holds them, :mod:`storing` is their files, :mod:`attaching` makes tests of them. :mod:`counts`
counts associations without vectors.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
