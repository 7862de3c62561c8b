"""Loops of eatlas-corpora over arrays."""
