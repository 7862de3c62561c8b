"""Files of vectors, one module for each format; :func:`open_file` tells them apart."""

from eatlas.sources.files.chunks import CHUNK, Chunk, WholeSource
from eatlas.sources.files.opening import FORMATS, open_file

__all__ = ["CHUNK", "FORMATS", "Chunk", "WholeSource", "open_file"]
