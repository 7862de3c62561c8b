"""Models that eatlas-models opens."""
