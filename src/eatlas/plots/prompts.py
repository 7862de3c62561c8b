"""How associations move with the prompt that words are put into."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eatlas.plots import forest_drawing
from eatlas.plots.encodings import forest_by

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.plots.chart import Chart


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each effect size.

    Parameters
    ----------
    results : iterable of results
        Of ML-EAT or WEAT, alike but for the prompt.

    Returns
    -------
    DataFrame
        The columns of :func:`eatlas.plots.forest.prepare`; ``series`` is the prompt.

    Raises
    ------
    ResultsError
        If no results differ in the prompt alone.
    """
    return forest_by(results, "prompt", "prompts")


def draw(given: pd.DataFrame) -> Chart:
    """Draw the effect sizes of the prompts below each other, test by test.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    return forest_drawing.draw(given)
