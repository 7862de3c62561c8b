"""Texts of eatlas-workbench: see :mod:`eatlas.texts`."""
