"""Files of charts: SVG, PDF, PNG, and HTML that needs no network."""

from __future__ import annotations

import json
import warnings
from base64 import b64encode
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

from eatlas.errors import EatlasWarning, ResultsError
from eatlas.present.charts.backend import altair, vl_convert
from eatlas.present.charts.fonts import with_fonts
from eatlas.present.text import clean
from eatlas.results.files import atomic_file

PRINT_PPI = 300.0
_CSS_PPI = 72.0  # of vl-convert, where a scale of 1 is one pixel a point
# expressions of Vega are compiled, hence 'unsafe-eval'; nothing may be fetched from anywhere
_POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; "
    "style-src 'unsafe-inline'; img-src data: blob:"
)
_STYLE = "html{background:#fff}body,figure{margin:1rem}#chart{overflow-x:auto}svg{max-width:none}"
_OPTIONS = {
    "mode": "vega-lite",
    "renderer": "svg",
    "actions": {"export": True, "source": False, "compiled": False, "editor": False},
}


def save(chart: Any, path: str | Path, *, scale_factor: float = 2.0) -> None:
    """Write a chart as a file, whole or not at all, without asking any server for anything.

    Parameters
    ----------
    chart : altair chart
        Ours or any other.
    path : path
        Its ending chooses: ``.svg``, ``.pdf``, ``.png``, ``.html`` (with tooltips; the scripts
        stand within) or ``.json`` (the Vega-Lite specification).
    scale_factor : float, default 2
        Pixels of a PNG for each pixel of the chart, between 0.1 and 20.

    Raises
    ------
    ResultsError
        If the ending is none of these, or the file cannot be written.
    EatlasError
        If vl-convert is not installed.

    Examples
    --------
    >>> import eatlas, pathlib, tempfile
    >>> chart = eatlas.plot(eatlas.run(tests="weat-6"), kind="forest")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save(chart, f"{folder}/forest.svg")
    ...     "weat-6" in pathlib.Path(folder, "forest.svg").read_text(encoding="utf-8")
    True
    """
    path = Path(path)
    writer = _WRITERS.get(path.suffix.lower())
    if writer is None:
        raise ResultsError(
            f"{path}: a chart is not saved like this",
            got=path.suffix or "a name without an ending",
            allowed=", ".join(_WRITERS),
            remedy=f"save it as {path.with_suffix('.svg').name}",
        )
    if not 0.1 <= scale_factor <= 20:
        raise ResultsError(
            "the scale of a chart is out of range", got=repr(scale_factor), allowed="0.1 to 20"
        )
    written = writer(chart, scale_factor)
    with atomic_file(path, binary=isinstance(written, bytes)) as file:
        file.write(written)


def description_of(chart: Any) -> str:
    """What a chart shows, in words."""
    found = getattr(chart, "description", None)
    return clean(found) if isinstance(found, str) else "Chart"


def svg_of(chart: Any) -> str:
    """Draw a chart as SVG that says what it shows."""
    drawn: str = vl_convert().vegalite_to_svg(
        _specification(chart), vl_version=_vega_lite(), allowed_base_urls=[]
    )
    text = escape(description_of(chart))
    role = f'<svg role="img" aria-label="{text}" '
    start = drawn.index(">") + 1
    head = drawn[:start].replace("<svg ", role, 1)
    return f"{head}<desc>{text}</desc>{drawn[start:]}"


def _pdf(chart: Any) -> bytes:
    """A document of shapes; of a picture where a font cannot be embedded."""
    drawn = with_fonts(svg_of(chart))
    try:
        document: bytes = vl_convert().svg_to_pdf(drawn)
    except RuntimeError as error:  # krilla 0.4 cannot embed fonts of bitmaps, such as emoji
        if "font" not in str(error).splitlines()[0]:
            raise
        warnings.warn(
            f"a font of this chart cannot be embedded in a PDF, as is usual for emoji; the PDF "
            f"holds a picture of {PRINT_PPI:.0f} pixels an inch instead of shapes",
            EatlasWarning,
            stacklevel=5,
        )
        document = _pdf_of_picture(drawn)
    return document


def _pdf_of_picture(drawn: str) -> bytes:
    convert = vl_convert()
    picture = b64encode(convert.svg_to_png(drawn, scale=PRINT_PPI / _CSS_PPI)).decode()
    head = drawn[: drawn.index(">") + 1]
    image = f'<image width="100%" height="100%" href="data:image/png;base64,{picture}"/>'
    document: bytes = convert.svg_to_pdf(f"{head}{image}</svg>")
    return document


def _html(chart: Any) -> str:
    script: str = vl_convert().javascript_bundle(vl_version=_vega_lite())
    return page(_specification(chart), script, description_of(chart), svg_of(chart))


def _specification(chart: Any) -> dict[str, Any]:
    written: dict[str, Any] = chart.to_dict(context={"pre_transform": False})
    return written


def _vega_lite() -> str:
    """Version of Vega-Lite that altair writes, as vl-convert names it: 6.4."""
    return ".".join(altair().SCHEMA_VERSION.lstrip("v").split(".")[:2])


_WRITERS: dict[str, Callable[[Any, float], str | bytes]] = {
    ".svg": lambda chart, _: f'<?xml version="1.0" encoding="UTF-8"?>\n{svg_of(chart)}\n',
    ".pdf": lambda chart, _: _pdf(chart),
    ".png": lambda chart, scale: vl_convert().svg_to_png(with_fonts(svg_of(chart)), scale=scale),
    ".html": lambda chart, _: _html(chart),
    ".json": lambda chart, _: (
        json.dumps(_specification(chart), ensure_ascii=False, indent=1) + "\n"
    ),
}
"""What makes a file of each ending; of a PNG at a scale."""


def page(specification: dict[str, Any], script: str, text: str, still: str) -> str:
    """Write the page.

    Parameters
    ----------
    specification : dict
        Of Vega-Lite.
    script : str
        Vega, Vega-Lite and Vega-Embed in one.
    text : str
        What the chart shows.
    still : str
        The chart as SVG, for browsers without scripts.
    """
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{_POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(_heading(specification))}</title>
<style>{_STYLE}</style>
<script>{_within_script(script)}</script>
</head>
<body>
<main><figure id="chart" aria-label="{escape(text)}"></figure><noscript>{still}</noscript></main>
<script id="specification" type="application/json">{_json(specification)}</script>
<script>
vegaEmbed("#chart", JSON.parse(document.getElementById("specification").textContent),
  {json.dumps(_OPTIONS)}).catch(console.error);
</script>
</body>
</html>
"""


def _heading(specification: dict[str, Any]) -> str:
    title = specification.get("title", "Chart")
    text = title.get("text", "Chart") if isinstance(title, dict) else title
    return text if isinstance(text, str) else " ".join(text)


def _json(values: dict[str, Any]) -> str:
    """JSON in which no name can end the script that holds it."""
    text = json.dumps(values, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


def _within_script(code: str) -> str:
    return code.replace("</script", "<\\/script")
