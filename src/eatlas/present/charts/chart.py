"""The charts of eatlas: altair charts with our theme that save without a network."""

from __future__ import annotations

from base64 import b64encode
from html import escape
from typing import Any

import altair as alt

from eatlas.present.charts.saving import description_of, save, svg_of
from eatlas.present.charts.theme import CONFIG


class Themed(alt.TopLevelMixin):
    """What the charts add to altair's: the theme where they stand alone, and offline files.

    ``configure_axis`` and its like work as for any chart. ``chart & other`` and ``chart | other``
    keep theme and files.
    """

    def __and__(self, other: Any) -> Panels:
        """Put another chart below this one."""
        both: list[Any] = [self, other]
        return Panels(vconcat=both, description=_described(both))

    def __or__(self, other: Any) -> Row:
        """Put another chart to the right of this one."""
        both: list[Any] = [self, other]
        return Row(hconcat=both, description=_described(both))

    def to_dict(self, *args: Any, **options: Any) -> dict[str, Any]:
        """Return the Vega-Lite specification; a chart at the top brings the theme along."""
        if (options.get("context") or {}).get("top_level", True):
            themed = self.copy(deep=False)  # type: ignore[attr-defined]
            themed.config = _merged(CONFIG, _plain(themed.config))
            written: dict[str, Any] = super(Themed, themed).to_dict(*args, **options)
            return written
        inner: dict[str, Any] = super().to_dict(*args, **options)
        return inner

    def save(self, fp: Any, format: Any = None, *args: Any, **options: Any) -> None:  # noqa: A002
        """Write the chart as .svg, .pdf, .png, .html or .json; see :func:`eatlas.plots.save`.

        Formats and options of altair's own method are handed on to it.
        """
        if format is None and not args and options.keys() <= {"scale_factor"}:
            save(self, fp, **options)
        else:
            if format == "html" or str(fp).lower().endswith(".html"):
                options = {"inline": True} | options
            super().save(fp, format, *args, **options)

    def _repr_mimebundle_(self, *_: Any, **__: Any) -> Any:
        """Show a picture in notebooks: it needs no network and stays in exports.

        Where the user has chosen a renderer of altair's, that one draws.
        """
        if alt.renderers.active not in {"", "default", "html"}:
            return super()._repr_mimebundle_()
        text = description_of(self)
        drawn = b64encode(svg_of(self).encode()).decode()  # as an image, its ids meet no others
        image = f'<img alt="{escape(text)}" src="data:image/svg+xml;base64,{drawn}">'
        return {"text/html": image, "text/plain": text}


class Chart(Themed, alt.LayerChart):
    """A chart of one panel."""


class Panels(Themed, alt.VConcatChart):
    """Charts below each other."""


class Row(Themed, alt.HConcatChart):
    """Charts beside each other."""


def _described(charts: list[Any]) -> str:
    return " ".join(description_of(chart) for chart in charts)


def _plain(config: Any) -> dict[str, Any]:
    if config is alt.Undefined:
        return {}
    return dict(config) if isinstance(config, dict) else dict(config.to_dict())


def _merged(under: dict[str, Any], over: dict[str, Any]) -> dict[str, Any]:
    both = {**under, **over}
    for key in under.keys() & over.keys():
        if isinstance(under[key], dict) and isinstance(over[key], dict):
            both[key] = _merged(under[key], over[key])
    return both
