"""Sources that compute vectors of texts, and what keeps them.

From a source string to vectors: :mod:`options` reads the string, :mod:`model_paths` and
:mod:`model_files` find the model, :mod:`model_config` and :mod:`model_conventions` say what it is,
:mod:`loading` loads it, :mod:`tokens` and :mod:`pooling` make vectors of texts. An
:mod:`encoder` calls it in batches and a :mod:`cache` keeps the answers. The kinds of encoders:
:mod:`transformer`, :mod:`sentence_model`, :mod:`endpoint` and :mod:`functions`; images and language
models have rooms of their own.
"""
