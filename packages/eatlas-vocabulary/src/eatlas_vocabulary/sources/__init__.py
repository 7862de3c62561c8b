"""Sources of eatlas-vocabulary."""
