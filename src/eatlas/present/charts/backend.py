"""altair and vl-convert, which come with an extra, and files of charts: SVG, PDF, PNG, HTML.

What vl-convert's renderer needs to show names in any script, where no browser helps.

It takes one font for a whole text. Where that font lacks a sign, it looks for one that has all of
the text's, bold or not, and replaces sign by sign only if both fonts take as many glyphs. So a
text in right-to-left script gets a regular font that has it, and joined emoji fall apart into
their parts rather than into empty boxes. Spans with fonts of their own would say more, but crash
the renderer (usvg 0.45) where glyphs join.
"""

from __future__ import annotations

import json
import re
import unicodedata
import warnings
from base64 import b64encode
from collections.abc import Callable
from html import escape
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from markupsafe import Markup

from eatlas.errors import EatlasError, EatlasWarning, ResultsError
from eatlas.present import text as names
from eatlas.present.rendering import render
from eatlas.present.text import clean
from eatlas.writing import atomic_file

REMEDY = "pip install 'eatlas[plots]'"


def altair() -> ModuleType:
    """Import altair."""
    return _import("altair", "charts are drawn by altair, which is not installed")


class _Altair:
    """altair under its usual name ``alt``, imported when a chart is drawn: frames do without."""

    def __getattr__(self, name: str) -> Any:
        return getattr(altair(), name)


alt: Any = _Altair()


def vl_convert() -> ModuleType:
    """Import vl-convert, which turns a chart into SVG, PDF, PNG or HTML without a browser."""
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


_JOINED = re.compile("(?<=[\u2190-\u2bff\U0001f000-\U0001faff])\u200d|\ufe0f")
# flags are pairs of letters, skin tones follow their emoji; a non-joiner keeps the glyphs apart
_LIGATED = re.compile(
    "(?<=[\U0001f1e6-\U0001f1ff])(?=[\U0001f1e6-\U0001f1ff])|(?=[\U0001f3fb-\U0001f3ff])"
)
_NON_JOINER = "\u200c"
_RIGHT_TO_LEFT = (
    "'DejaVu Sans', 'Noto Sans Hebrew', 'Noto Sans Arabic', 'Segoe UI', Arial, sans-serif"
)
# letters and digits of DejaVu Sans Bold are up to 1.2 times as wide as names.pixels takes them
_WIDER = 1.2
_TEXT = re.compile(r'(<text [^>]*font-family=")([^"]*)("[^>]*>)(.*?)(?=</text>)', re.DOTALL)


def with_fonts(svg: str) -> str:
    """Choose fonts by script and take joined emoji apart in every text of a drawing."""
    return _TEXT.sub(_rewritten, svg)


def pixels(text: str, size: float) -> float:
    """Estimate the width of a text whose joined emoji are taken apart."""
    return names.pixels(_apart(text), size)


def lines_of(text: str, width: float, size: float = 12.0) -> list[str]:
    """Break a name or a note into as many lines as it takes; nothing is cut."""
    wider = widening(text)
    broken = names.wrap(text, width, lambda part: wider * pixels(part, size), lines=len(text) + 1)
    return [names.isolated(line) for line in broken]


def widening(text: str) -> float:
    """How much more room the font takes that a text in its script gets."""
    return _WIDER if _is_right_to_left(text) else 1.0


def _rewritten(found: re.Match[str]) -> str:
    start, family, rest, text = found.groups()
    if _is_right_to_left(text):
        family = _RIGHT_TO_LEFT
    return f"{start}{family}{rest}{_apart(text)}"


def _is_right_to_left(text: str) -> bool:
    return any(unicodedata.bidirectional(char) in {"R", "AL"} for char in text)


def _apart(text: str) -> str:
    """Emoji one by one."""
    return _LIGATED.sub(_NON_JOINER, _JOINED.sub("", text))


PRINT = "eatlas"
"""Key of a chart's ``usermeta`` with the width in which it is to be printed."""
PRINT_PPI = 300.0
_CSS_PPI = 72.0  # of vl-convert, where a scale of 1 is one pixel a point


def save(chart: Any, path: str | Path, *, scale_factor: float = 2.0) -> None:
    """Write a chart as a file, whole or not at all, without asking any server for anything.

    Parameters
    ----------
    chart : altair chart
        Ours or any other.
    path : path
        Its ending chooses: ``.svg``, ``.pdf``, ``.png``, ``.html`` (with tooltips; the scripts
        are within) or ``.json`` (the Vega-Lite specification).
    scale_factor : float, default 2
        Pixels of a PNG for each pixel of the chart, between 0.1 and 20. Of a chart with a width in
        print, 2 gives 300 pixels an inch.

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


def svg_of(chart: Any, unit: str = "mm") -> str:
    """Draw a chart as SVG that says what it shows."""
    drawn: str = vl_convert().vegalite_to_svg(
        _specification(chart), vl_version=_vega_lite(), allowed_base_urls=[]
    )
    text = escape(description_of(chart))
    role = f'<svg role="img" aria-label="{text}" '
    start = drawn.index(">") + 1
    head = _sized(drawn[:start].replace("<svg ", role, 1), chart, unit)
    return f"{head}<desc>{text}</desc>{drawn[start:]}"


def _sized(head: str, chart: Any, unit: str) -> str:
    """Give a drawing the width that it is to have in print; its view box stays."""
    width = print_width(chart)
    found = re.search(r'width="([\d.]+)" height="([\d.]+)"', head)
    if width is None or found is None:
        return head
    wide = width if unit else width * _CSS_PPI / 25.4
    high = wide * float(found[2]) / float(found[1])
    return head.replace(found[0], f'width="{wide:.2f}{unit}" height="{high:.2f}{unit}"', 1)


def print_width(chart: Any) -> float | None:
    """Millimetres that a chart is to have in print; None for charts of screens."""
    meta = getattr(chart, "usermeta", None)
    found = meta.get(PRINT, {}).get("width_mm") if isinstance(meta, dict) else None
    return float(found) if isinstance(found, int | float) else None


def _png(chart: Any, scale: float) -> bytes:
    """A picture; in print a scale of 2 gives 300 pixels an inch."""
    pixels = scale if print_width(chart) is None else scale / 2 * PRINT_PPI / _CSS_PPI
    picture: bytes = vl_convert().svg_to_png(with_fonts(svg_of(chart, "")), scale=pixels)
    return picture


def _pdf(chart: Any) -> bytes:
    """A document of shapes; of a picture where a font cannot be embedded."""
    drawn = with_fonts(svg_of(chart, ""))
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
    """A page that shows a chart without asking any server; no name can end its scripts."""
    specification = _specification(chart)
    title = specification.get("title", "Chart")
    heading = title.get("text", "Chart") if isinstance(title, dict) else title
    script = vl_convert().javascript_bundle(vl_version=_vega_lite())
    written = json.dumps(specification, ensure_ascii=False)
    for sign in "<>&":
        written = written.replace(sign, f"\\u{ord(sign):04x}")
    return render(
        "chart",
        heading=heading if isinstance(heading, str) else " ".join(heading),
        text=description_of(chart),
        script=Markup(script.replace("</script", "<\\/script")),  # noqa: S704
        still=Markup(svg_of(chart)),  # noqa: S704
        specification=Markup(written),  # noqa: S704
    )


def _specification(chart: Any) -> dict[str, Any]:
    written: dict[str, Any] = chart.to_dict(context={"pre_transform": False})
    return written


def _vega_lite() -> str:
    """Version of Vega-Lite that altair writes, as vl-convert names it: 6.4."""
    return ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])


_WRITERS: dict[str, Callable[[Any, float], str | bytes]] = {
    ".svg": lambda chart, _: f'<?xml version="1.0" encoding="UTF-8"?>\n{svg_of(chart)}\n',
    ".pdf": lambda chart, _: _pdf(chart),
    ".png": _png,
    ".html": lambda chart, _: _html(chart),
    ".json": lambda chart, _: (
        json.dumps(_specification(chart), ensure_ascii=False, indent=1) + "\n"
    ),
}
"""What makes a file of each ending; of a PNG at a scale."""
