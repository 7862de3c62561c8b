"""Charts of results under their public names: ``plot``, ``save`` and a module for each kind.

Each module has ``prepare``, which makes a tidy frame, and ``draw``, which makes an altair chart of
it. Frames need pandas alone; charts need the extra ``plots``.
"""

from __future__ import annotations

from eatlas.present.charts import (
    CONFIG,
    KINDS,
    choices,
    compact,
    cosines,
    draws,
    eat_map,
    forest,
    influence,
    legend,
    level3,
    matrix,
    null,
    plane,
    plot,
    save,
    stability,
    steps,
    strip,
    targets,
    timeline,
)

__all__ = [
    "CONFIG", "KINDS", "choices", "compact", "cosines", "draws", "eat_map", "forest", "influence",
    "legend", "level3", "matrix", "null", "plane", "plot", "save", "stability", "steps", "strip",
    "targets", "timeline",
]  # fmt: skip
