"""Commands of eatlas-vocabulary, found by the entry points eatlas.commands."""
