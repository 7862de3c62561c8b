"""Texts of eatlas-corpora: see :mod:`eatlas.texts`."""
