"""Charts of results: ``prepare`` makes a tidy frame, ``draw`` makes an altair chart of it.

One module for each kind of chart: :mod:`~eatlas.plots.eat_map`, :mod:`~eatlas.plots.legend`,
:mod:`~eatlas.plots.forest`, :mod:`~eatlas.plots.level3`, :mod:`~eatlas.plots.stability`,
:mod:`~eatlas.plots.draws`, :mod:`~eatlas.plots.influence`, :mod:`~eatlas.plots.timeline`,
:mod:`~eatlas.plots.choices` (of prompts and of weights) and :mod:`~eatlas.plots.steps` (by layer,
window and distance). Frames need pandas alone; charts
need the extra ``plots``.
"""

from __future__ import annotations

from eatlas.present.charts.entry import KINDS, plot
from eatlas.present.charts.saving import save
from eatlas.present.charts.theme import CONFIG

__all__ = ["CONFIG", "KINDS", "plot", "save"]
