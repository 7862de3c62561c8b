"""Files of vectors: :mod:`eatlas.sources.files.formats` recognises and opens them."""
