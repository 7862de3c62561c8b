"""Where vectors come from, and how terms find them.

:mod:`spec` reads a source string and :mod:`opening` opens what it names: a file (:mod:`formats`,
:mod:`word2vec`, :mod:`array_files`), vectors in memory (:mod:`memory`), published ones
(:mod:`download`), or a model (room `eatlas.encoders`). Each is a :mod:`source`; :mod:`prompts`
and :mod:`transforms` make sources of sources. :mod:`coverage` accounts for every
term that is looked up.
"""

from lazy_loader import attach_stub

__getattr__, __dir__, __all__ = attach_stub(__name__, __file__)
