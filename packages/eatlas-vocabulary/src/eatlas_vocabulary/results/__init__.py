"""Records of eatlas-vocabulary."""
