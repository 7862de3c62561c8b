"""Statistics of eatlas-vocabulary: arrays in, arrays out."""
