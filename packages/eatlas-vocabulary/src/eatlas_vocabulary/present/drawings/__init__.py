"""Drawings of eatlas-vocabulary."""
