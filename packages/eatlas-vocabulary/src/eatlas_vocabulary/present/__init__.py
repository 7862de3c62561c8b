"""Sentences, tables and drawings of eatlas-vocabulary."""
