"""Loops of eatlas-models over arrays."""
