"""Statistics of eatlas-models: arrays in, arrays out."""
