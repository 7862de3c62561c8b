"""Associations in texts of any size: spans of sentences, counted shard by shard."""

from eatlas.engine.text.counting import count_text

__all__ = ["count_text"]
