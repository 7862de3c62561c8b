"""Sentences, tables and drawings of eatlas-models."""
