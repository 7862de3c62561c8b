"""Files of vectors: :mod:`formats` recognises a file and opens it, one module for each format.

:mod:`on_disk` opens files and hashes them, :mod:`words` holds vocabularies, :mod:`matrix` rows that
are read when they are needed, and :mod:`sequential` finds words by reading a file from end to end.
"""
