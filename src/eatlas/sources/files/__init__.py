"""Files of vectors: :mod:`formats` recognises a file and opens it.

:mod:`text` and :mod:`word2vec_binary` find words by reading a file from end to end
(:mod:`sequential`); :mod:`arrays` and :mod:`tables` are read at once or mapped (:mod:`matrix`).
:mod:`on_disk` opens files and hashes them.
"""
