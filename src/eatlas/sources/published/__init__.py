"""Published vectors by name: what there is, where it is kept, and how it comes here."""

from eatlas.sources.published.fetching import fetch_vectors
from eatlas.sources.published.registry import Download, Published, find, place_of, published_vectors

__all__ = ["Download", "Published", "fetch_vectors", "find", "place_of", "published_vectors"]
