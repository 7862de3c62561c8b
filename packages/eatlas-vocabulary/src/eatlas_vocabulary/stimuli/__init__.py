"""Keys and kinds of tests of eatlas-vocabulary."""
