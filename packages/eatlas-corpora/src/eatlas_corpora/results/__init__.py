"""Records of eatlas-corpora."""
