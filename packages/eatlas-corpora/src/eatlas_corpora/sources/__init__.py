"""Sources of eatlas-corpora."""
