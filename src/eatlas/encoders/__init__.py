"""Sources that compute vectors of texts and images, language models, and what keeps their answers.

:mod:`options` and :mod:`models` go from a source string to a model, :mod:`loading` loads it.
:mod:`transformer`, :mod:`sentence_model`, :mod:`vision`, :mod:`endpoint` and :mod:`functions` make
vectors, which the :mod:`cache` keeps; :mod:`language` has log-probabilities.
"""
