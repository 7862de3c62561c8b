"""Records of eatlas-models."""
