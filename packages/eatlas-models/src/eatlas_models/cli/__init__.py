"""Commands of eatlas-models, found by the entry points eatlas.commands."""
