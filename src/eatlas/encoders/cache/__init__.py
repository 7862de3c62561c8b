"""What models computed, kept on disk under what it was computed from."""

from __future__ import annotations

from eatlas.encoders.cache.cached import CachedSource, cached

__all__ = ["CachedSource", "cached"]
