"""What is compared: concepts, tests of both kinds and the batteries they come in.

:mod:`concepts` are lists of words, sentences or images; the :mod:`kinds` of tests are made of them.
:mod:`batteries` finds tests by name, :mod:`reading` reads their files, :mod:`importers`
read those of other software, :mod:`sentences` makes sentences of words.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
