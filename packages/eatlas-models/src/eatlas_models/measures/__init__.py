"""Measures of eatlas-models, one file each."""
