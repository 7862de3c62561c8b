"""Texts of eatlas-models: see :mod:`eatlas.texts`."""
