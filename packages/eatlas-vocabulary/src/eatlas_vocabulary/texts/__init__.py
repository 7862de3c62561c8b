"""Texts of eatlas-vocabulary: see :mod:`eatlas.texts`."""
