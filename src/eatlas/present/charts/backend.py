"""altair and vl-convert, which come with an extra: imported on use, missed with a remedy."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from eatlas.errors import EatlasError

if TYPE_CHECKING:
    from eatlas.present.charts.chart import Chart

REMEDY = "pip install 'eatlas[plots]'"


def altair() -> ModuleType:
    """Import altair.

    Raises
    ------
    EatlasError
        If it is not installed.
    """
    return _import("altair", "charts are drawn by altair, which is not installed")


def vl_convert() -> ModuleType:
    """Import vl-convert, which turns a chart into SVG, PDF, PNG or HTML without a browser.

    Raises
    ------
    EatlasError
        If it is not installed.
    """
    return _import("vl_convert", "charts are saved by vl-convert-python, which is not installed")


def _import(name: str, what: str) -> ModuleType:
    try:
        return import_module(name)
    except ModuleNotFoundError as error:
        if error.name != name:  # it is there and lacks something itself: not ours to explain
            raise
        raise EatlasError(
            what, got=f"no module named {name}", allowed="the extra plots", remedy=REMEDY
        ) from error


def themed(chart: Any, **properties: Any) -> Chart:
    """Make an altair chart one of :mod:`eatlas.present.charts.chart`, with some properties."""
    from eatlas.present.charts import chart as charts  # noqa: PLC0415  (stands on altair)

    own: Chart = charts.themed(chart, **properties)
    return own
