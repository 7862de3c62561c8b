"""Making charts of layers and of panels; altair is imported on use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from eatlas.present.charts.backend import altair

if TYPE_CHECKING:
    from eatlas.present.charts.chart import Chart, Panels


def chart(layers: list[Any], **properties: Any) -> Chart:
    """Make a chart of layers."""
    altair()
    from eatlas.present.charts.chart import Chart  # noqa: PLC0415  (stands on altair)

    return Chart(layer=layers, **properties)


def panels(charts: list[Any], **properties: Any) -> Panels:
    """Put charts below each other."""
    altair()
    from eatlas.present.charts.chart import Panels  # noqa: PLC0415  (stands on altair)

    return Panels(vconcat=charts, **properties)
