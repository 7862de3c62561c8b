"""Statistics of eatlas-workbench: arrays in, arrays out."""
