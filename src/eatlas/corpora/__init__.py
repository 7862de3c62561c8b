"""Texts as a source: contexts of stimuli, sampled from corpora, and counts of associations.

From bytes to contexts: :mod:`files` divides a corpus, :mod:`reading` makes texts of it,
:mod:`matching` finds stimuli in them (:mod:`kernels` is compiled), :mod:`sampling` chooses
contexts, a :mod:`record` says how, and makes tests of sentences of them; :mod:`storing` and
:mod:`loading` are their files. :mod:`counts` counts associations without vectors.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
