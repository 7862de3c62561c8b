"""Files of vectors: :mod:`formats` recognises a file and opens it.

:mod:`sequential` finds words by reading a file from end to end; what :mod:`arrays` and
:mod:`tables` open is read at once, or mapped.
"""
