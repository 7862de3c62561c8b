"""Vectors in files, read one pass and no more than what is asked for."""
