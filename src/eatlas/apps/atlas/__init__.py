"""A static site of any number of results: models by tests, each cell an EAT-Map with a link."""

from __future__ import annotations

from eatlas.apps.atlas.site import Atlas, write_atlas

__all__ = ["Atlas", "write_atlas"]
