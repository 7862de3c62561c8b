"""altair charts that bring the theme of eatlas along and save without a network."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from html import escape
from typing import Any

import altair as alt

from eatlas.present.charts.backend import description_of, save, svg_of
from eatlas.present.charts.theme import CONFIG

THEME = "eatlas"


@alt.theme.register(THEME, enable=False)
def _theme() -> alt.theme.ThemeConfig:
    return {"config": CONFIG}  # type: ignore[typeddict-item]


class Themed(alt.TopLevelMixin):
    """What the charts of eatlas add to altair's own.

    The theme of a single chart, files that need no network, and a picture in notebooks.
    ``properties``, ``encode``, ``configure_axis``, ``+``, ``&``, ``|`` and ``facet`` are altair's,
    and what comes out of them is themed too.
    """

    def to_dict(self, *args: Any, **options: Any) -> dict[str, Any]:
        """Return the Vega-Lite specification; what the user configured wins over the theme."""
        with alt.theme.enable(THEME), alt.data_transformers.enable("default", max_rows=None):
            written: dict[str, Any] = super().to_dict(*args, **options)
        return written

    def properties(self, **given: Any) -> Any:
        """Set properties, as altair does; ``title=None`` takes the title away."""
        if "title" in given and given["title"] is None:
            given["title"] = ""
        return super().properties(**given)

    def __and__(self, other: Any) -> Any:
        """Put another chart below this one."""
        return described(super().__and__(other), self, other)

    def __or__(self, other: Any) -> Any:
        """Put another chart to the right of this one."""
        return described(super().__or__(other), self, other)

    def facet(self, *args: Any, **options: Any) -> Any:
        """Repeat this chart for each value of a column, as altair does."""
        return described(super().facet(*args, **options), self)  # type: ignore[misc]

    def save(self, fp: Any, format: Any = None, *args: Any, **options: Any) -> None:  # noqa: A002
        """Write the chart as .svg, .pdf, .png, .html or .json; see :func:`eatlas.plots.save`.

        Formats and options of altair's own method are passed on to it.
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


class LayerChart(Themed, alt.LayerChart):
    """A chart of one panel."""

    def __add__(self, other: Any) -> Any:
        """Put a layer above, which has the scales of this chart and encodings of its own."""
        return described(_above(self, other), self)


class Panels(Themed):
    """A chart of several panels: sizes, and layers that are added, are those of each panel."""

    def properties(self, **given: Any) -> Any:
        """Set properties, ``width`` and ``height`` those of each panel."""
        size = {name: given.pop(name) for name in ("width", "height") if name in given}
        chart = super().properties(**given)
        return _each(chart, lambda panel: panel.properties(**size)) if size else chart

    def __add__(self, other: Any) -> Any:
        """Put a layer above each panel."""
        return _each(self, lambda panel: _above(panel, other))


class FacetChart(Panels, alt.FacetChart):
    """A chart of a panel for each value of a column; encodings are those of panels."""

    def encode(self, *args: Any, **channels: Any) -> Any:
        """Encode columns in each panel."""
        return _each(self, lambda panel: panel.encode(*args, **channels))


class VConcatChart(Panels, alt.VConcatChart):
    """Charts below each other."""


class HConcatChart(Panels, alt.HConcatChart):
    """Charts beside each other."""


def _each(chart: Any, changed: Callable[[Any], Any]) -> Any:
    """Change every panel in a copy of a chart."""
    parts = next((name for name in ("vconcat", "hconcat", "spec") if name in chart._kwds), None)
    if parts is None:
        return changed(chart)
    copy = chart.copy(deep=False)
    inside = copy[parts]
    one = parts == "spec"
    copy[parts] = _each(inside, changed) if one else [_each(part, changed) for part in inside]
    return copy


def _above(panel: Any, other: Any) -> Any:
    """Put a layer above a panel, whose common encodings become those of each of its layers."""
    common = panel._get("encoding")
    if not isinstance(panel, alt.LayerChart) or common is alt.Undefined:
        return alt.layer(panel, other)
    shared = {name: one for name, one in common._kwds.items() if one is not alt.Undefined}

    def with_shared(layer: Any) -> Any:
        own = layer._get("encoding")
        known = {} if own is alt.Undefined else own._kwds
        missing = {
            name: one
            for name, one in shared.items()
            if known.get(name, alt.Undefined) is alt.Undefined
        }
        return layer.encode(**missing)

    own = panel.copy(deep=False)
    own.encoding = alt.Undefined
    own.layer = [with_shared(layer) for layer in panel.layer]
    return alt.LayerChart.__add__(own, other)


Chart = LayerChart | FacetChart | VConcatChart | HConcatChart
_KINDS = {kind.__bases__[1]: kind for kind in (LayerChart, FacetChart, VConcatChart, HConcatChart)}


def themed(chart: Any, **properties: Any) -> Any:
    """Make a chart of altair one of eatlas, with the theme, and set its properties."""
    own = chart.properties(**properties)
    object.__setattr__(own, "__class__", _KINDS.get(type(own), type(own)))
    return own


def described(chart: Any, *parts: Any) -> Any:
    """Theme a chart that is made of parts, and describe it by theirs."""
    return themed(chart, description=" ".join(description_of(part) for part in parts))
