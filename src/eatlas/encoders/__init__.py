"""Sources that compute vectors of texts and images, and what keeps their answers.

:mod:`models` goes from a source string to the files of a model, :mod:`loading` loads it.
:mod:`transformer`, :mod:`sentence_model` and :mod:`functions` make vectors, which the :mod:`cache`
keeps.
"""
