"""Commands of eatlas-corpora, found by the entry points eatlas.commands."""
