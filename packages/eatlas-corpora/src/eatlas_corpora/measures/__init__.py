"""Measures of eatlas-corpora, one file each."""
