"""Published vectors by name: what there is, where it is kept, and how it comes here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.lazy import attributes

if TYPE_CHECKING:
    from eatlas.sources.published.fetching import fetch_vectors
    from eatlas.sources.published.registry import (
        Download,
        Published,
        find,
        place_of,
        published_vectors,
    )

__all__ = ["Download", "Published", "fetch_vectors", "find", "place_of", "published_vectors"]

__getattr__ = attributes(
    __name__,
    {
        f"{__name__}.fetching": "fetch_vectors",
        f"{__name__}.registry": "Download Published find place_of published_vectors",
    },
)
