"""Associations of a trained model beside those of one with random weights, a control."""

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
        Of ML-EAT or WEAT, alike but for the choice of weights.

    Returns
    -------
    DataFrame
        The columns of :func:`eatlas.plots.forest.prepare`; ``series`` is the choice of weights.

    Raises
    ------
    ResultsError
        If no results differ in the choice of weights alone.
    """
    return forest_by(results, "weights", "weights")


def draw(given: pd.DataFrame) -> Chart:
    """Draw the effect sizes of trained and of random weights below each other, test by test.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    return forest_drawing.draw(given)
