"""Files of vectors, one module for each format; :func:`open_file` tells them apart."""

from eatlas.sources.files.formats import FORMATS, open_file
from eatlas.sources.files.matrix import Chunk, WholeSource
from eatlas.sources.protocol import CHUNK

__all__ = ["CHUNK", "FORMATS", "Chunk", "WholeSource", "open_file"]
