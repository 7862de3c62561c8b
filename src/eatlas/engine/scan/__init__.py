"""SC-EAT of a whole vocabulary: every word against two attribute groups."""

from eatlas.engine.scan.scanning import scan

__all__ = ["scan"]
