"""Statistics of eatlas-corpora: arrays in, arrays out."""
