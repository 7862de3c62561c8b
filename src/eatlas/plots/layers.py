"""How associations change from layer to layer of one model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.errors import ResultsError
from eatlas.plots import timeline_drawing
from eatlas.plots.encodings import several
from eatlas.plots.frames import frame
from eatlas.plots.timeline import COLUMNS, rows_of
from eatlas.results.sensitivity import Varied

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.plots.chart import Panels


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each effect size of each layer.

    Parameters
    ----------
    results : iterable of results
        Of ML-EAT (three lines) or WEAT (one), alike but for the layer.

    Returns
    -------
    DataFrame
        The columns of :func:`eatlas.plots.timeline.prepare`; ``period`` is the layer.

    Raises
    ------
    ResultsError
        If no results differ in the layer alone, or a layer is a mean or sum of several.
    """
    groups = several(results, "layer", "layers")
    return frame((row for group in groups for row in _rows(group)), COLUMNS)


def draw(given: pd.DataFrame) -> Panels:
    """Draw a panel for each test and model.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    across = timeline_drawing.Across("layer", "Effect sizes by layer", "Layers")
    return timeline_drawing.draw(given, across)


def _rows(group: Varied) -> list[dict[str, object]]:
    odd = [value for value in group.values if not value.isdigit()]
    if odd:
        raise ResultsError(
            "a chart by layer needs one number for each layer",
            got=", ".join(odd),
            allowed="results of single layers, such as those of ?layer=all",
            remedy="leave the others out",
        )
    numbers = [int(value) for value in group.values]
    line = [
        member.model_copy(update={"period": number})
        for member, number in zip(group.members, numbers, strict=True)
    ]
    first = group.members[0]
    model = first.source if first.encoding is None else first.encoding.model
    head = {"test": first.test, "signature": first.signature, "series": model}
    return list(rows_of(head, line, numbers))
