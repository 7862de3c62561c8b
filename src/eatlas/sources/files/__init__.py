"""Files of vectors: :mod:`eatlas.sources.files.formats` tells formats apart and opens them."""
