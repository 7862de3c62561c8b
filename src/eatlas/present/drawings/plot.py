"""``eatlas.plot``: drawings of results for papers and notebooks, and their files."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape, unescape
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from eatlas.errors import EatlasError, ResultsError, described, did_you_mean
from eatlas.present.drawings import stacked
from eatlas.present.drawings.curves import STUDY, WIDE, specification_curve, steps, timeline_of
from eatlas.present.drawings.eat_map import WIDTH as MAP_WIDTH
from eatlas.present.drawings.eat_map import eat_map
from eatlas.present.drawings.plane import (
    LEFT_ROOM,
    SIDE,
    UPPER_ROOM,
    has_map,
    plane_figure,
)
from eatlas.present.drawings.svg import NAMESPACE, WIDTH, figure, placed, size_of
from eatlas.present.effects import shares_of
from eatlas.present.targets import leans
from eatlas.results import AssociationResult
from eatlas.results.base import is_result
from eatlas.results.compare import NUMBERED, SideBySide, pivot
from eatlas.results.settings import Settings
from eatlas.writing import atomic_file

COLUMNS = {"single": 89.0, "double": 183.0}
"""Millimetres of one column of a journal and of both, as in Nature; others differ by a few."""
LEAST, MOST = 40.0, 1000.0
"""Millimetres that a drawing may be wide."""
PIXELS_PER_MM = 72 / 25.4 * 12 / 7
"""Letters of 12 pixels have 7 points in print."""
SCREEN = 720.0
"""Pixels of a drawing without a width in print."""
PPI = 300.0
FONTS = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', 'Noto Sans', sans-serif"
TEMPLATES = Path(__file__).parents[1] / "templates"
_VARIABLE = re.compile(r"var\(--([\w-]+)\)")


@cache
def style() -> str:
    """The style of drawings on white paper; renderers of files know no variables."""
    text = (TEMPLATES / "drawings.css").read_text(encoding="utf-8")
    light = (TEMPLATES / "report.css").read_text(encoding="utf-8").partition("}")[0]
    colours = dict(re.findall(r"--([\w-]+): (#\w+)", light)) | {"paper": "#ffffff", "sans": FONTS}
    return _VARIABLE.sub(lambda name: colours[name[1]], text)


@dataclass(frozen=True)
class Plot:
    """A drawing of results; notebooks show it.

    Examples
    --------
    >>> import eatlas
    >>> eatlas.plot(eatlas.run(tests="weat-6"), kind="forest", width="single")
    <drawing, 89 mm wide: Forest plot of 3 effect sizes>
    """

    drawn: str
    """The drawing as pages hold it, without its style."""
    width_mm: float | None = None
    """Width in print; None for a drawing on a screen."""

    @property
    def alt(self) -> str:
        """What the drawing shows, in words, for those who cannot see it; a draft of a caption."""
        return alt_of(self.drawn)

    @property
    def svg(self) -> str:
        """The drawing as an SVG file that needs nothing else."""
        width, height = size_of(self.drawn)
        if self.width_mm is None:
            size = f'width="{width:g}" height="{height:g}"'
        else:
            mm = self.width_mm, self.width_mm * height / width
            size = 'width="{:.2f}mm" height="{:.2f}mm"'.format(*mm)
        head, _, rest = self.drawn.partition(">")
        start = f'<svg xmlns="{NAMESPACE}" {size} font-family="{FONTS}" '
        about = f"<desc>{escape(self.alt, quote=False)}</desc><style>{style()}</style>"
        paper = '<rect width="100%" height="100%" fill="#ffffff"/>'
        return f"{head.replace('<svg ', start, 1)}>{about}{paper}{rest}\n"

    def save(self, path: str | Path) -> None:
        """Write the drawing as .svg, .pdf or .png, whole or not at all.

        PDF and PNG need ``pip install 'eatlas[plots]'``. A PNG has 300 pixels an inch in print,
        else two for each pixel of the drawing.

        Raises
        ------
        ResultsError
            If the ending is another one, or the file cannot be written.
        EatlasError
            If PDF or PNG files are asked for without their extra.
        """
        path = Path(path)
        ending = path.suffix.lower()
        if ending not in (".svg", ".pdf", ".png"):
            raise ResultsError(
                f"{path}: a drawing is not saved like this",
                got=path.suffix or "a name without an ending",
                allowed=".svg, .pdf, .png",
                remedy=f"save it as {path.with_suffix('.svg').name}",
            )
        content: str | bytes = f'<?xml version="1.0" encoding="UTF-8"?>\n{self.svg}'
        if ending != ".svg":
            content = self._rendered(ending)
        with atomic_file(path, binary=isinstance(content, bytes)) as file:
            file.write(content)

    def _rendered(self, ending: str) -> bytes:
        """A PDF or PNG; a pixel is a point there."""
        try:
            convert: Any = import_module("vl_convert")
        except ModuleNotFoundError as error:
            raise EatlasError(
                f"{ending} files are written by vl-convert-python, which is not installed",
                allowed=".svg without it",
                remedy="pip install 'eatlas[plots]'",
            ) from error
        width, height = size_of(self.drawn)
        points = width if self.width_mm is None else self.width_mm * 72 / 25.4
        size = f'width="{points:.2f}" height="{points * height / width:.2f}"'
        svg = re.sub(r'width="[^"]*" height="[^"]*"', size, self.svg, count=1)
        scale = 2 if self.width_mm is None else PPI / 72
        try:
            pdf = ending == ".pdf"
            return bytes(convert.svg_to_pdf(svg) if pdf else convert.svg_to_png(svg, scale=scale))
        except RuntimeError as error:  # fonts of bitmaps, such as emoji, cannot be embedded
            what, got = f"this drawing cannot be written as {ending}", str(error).splitlines()[0]
            raise ResultsError(what, got=got, remedy="save it as .svg") from error

    def _repr_html_(self) -> str:
        """An image: its style meets nothing else of the page."""
        data = b64encode(self.svg.encode()).decode()
        return f'<img alt="{escape(self.alt)}" src="data:image/svg+xml;base64,{data}">'

    def __repr__(self) -> str:
        width = f", {self.width_mm:g} mm wide" if self.width_mm else ""
        return f"<drawing{width}: {self.alt.partition('. ')[0]}>"


def plot(results: object, kind: str | None = None, *, width: str | float | None = None) -> Plot:
    """Draw results.

    Without a kind, one result with an EAT pattern is drawn as its EAT-Map, one of DivDist as its
    targets, others and several as a forest.

    Parameters
    ----------
    results : result or iterable of results
        Or a study, for ``"specification"``; or what :meth:`eatlas.Results.compare` returns, for
        ``"matrix"``.
    kind : str, optional
        - ``"eat-map"``: EAT-Maps beside each other; ML-EAT.
        - ``"findings"``: a row for each result: map, sentence, effect sizes, stability.
        - ``"forest"``: effect sizes with intervals and numbers; every measure.
        - ``"adjusted"``: effect sizes as they are and given covariates of the words, joined by a
          line: level 1 of several results, all levels of one.
        - ``"plane"``: the map of the words, each target at its mean cosines with both attributes;
          ML-EAT, CEAT, LPBS and LPBS-CEAT.
        - ``"influence"``: which terms drive the associations; ML-EAT and WEAT.
        - ``"stability"``: share of resamples that show each EAT pattern; ML-EAT.
        - ``"matrix"``: tests by settings, with small EAT-Maps and forests, and what differs.
        - ``"timeline"``: effect sizes by year; without years by layer, window or distance.
        - ``"specification"``: effect sizes of a study in order, the choices behind each below;
          what :func:`eatlas.multiverse` returns.
        - ``"targets"``: leans of targets from the shares of a reference; DivDist.
        - ``"triangle"``: shares of three groups; DivDist.
        - ``"null"``: what random labels show, with the observed effect size of level 1;
          every measure with scores of its targets.
    width : {"single", "double"} or float, optional
        Width in print: one column of a journal (89 mm), two (183 mm), or millimetres. Letters have
        7 points at this size.

    Returns
    -------
    Plot
        With ``save(path)`` for .svg, .pdf and .png, and ``alt``, which says what it shows.

    Raises
    ------
    ResultsError
        If there is no such kind, or it cannot show these results.

    Examples
    --------
    >>> import eatlas
    >>> results = eatlas.run(tests=["weat-6", "weat-8"])
    >>> eatlas.plot(results[0]).alt.partition(":")[0]
    'EAT-Map, pattern BY-Singular'
    >>> eatlas.plot(results)
    <drawing: Forest plot of 6 effect sizes>
    """
    if kind is None:
        alone: Any = results if is_result(results) else None
        patterned = alone is not None and alone.pattern is not None
        kind = "eat-map" if patterned else "targets" if alone and alone.by_target else "forest"
    if kind not in KINDS:
        raise ResultsError(
            f"there is no such kind of drawing{did_you_mean(str(kind), KINDS)}",
            got=repr(kind),
            allowed=", ".join(KINDS),
        )
    mm = COLUMNS.get(width, width) if isinstance(width, str) else width
    if mm is not None and (isinstance(mm, str) or not LEAST <= mm <= MOST):
        raise ResultsError(
            "a drawing cannot have this width",
            got=repr(width),
            allowed=f'"single" (89 mm), "double" (183 mm), or {LEAST:g} to {MOST:g} millimetres',
        )
    chosen = KINDS[kind]
    pixels = chosen.screen if mm is None else mm * PIXELS_PER_MM
    if kind == "specification":
        return Plot(_specification(results, pixels), mm)
    if kind == "matrix" and isinstance(results, SideBySide):
        return Plot(stacked.matrix(results, pixels), mm)
    shown = listed(results)
    unfit = next((result for result in shown if not chosen.shows(result)), None)
    if unfit is not None:
        fitting = ", ".join(name for name, each in KINDS.items() if each.shows(unfit))
        raise ResultsError(
            f"a drawing of the kind {kind} cannot show this",
            got=f"the result of {unfit.signature} for {unfit.test}",
            allowed=chosen.allowed,
            remedy=f"leave it out, or take another kind: {fitting}",
        )
    return Plot(chosen.draw(shown, pixels), mm)


def listed(shown: object) -> tuple[AssociationResult, ...]:
    """Take one result or several of any measure; there must be one."""
    several = isinstance(shown, Iterable) and not (isinstance(shown, str) or is_result(shown))
    results: tuple[Any, ...] = tuple(shown) if several else (shown,)  # type: ignore[arg-type]
    wrong = [result for result in results if not is_result(result)]
    if wrong or not results:
        raise ResultsError(
            "a drawing is made of results",
            got=described(wrong[0]) if wrong else "0 results",
            allowed="a result, Results or a list of results",
            remedy="results = eatlas.run(...) or eatlas.read_results(...)",
        )
    return results


def beside(drawings: Sequence[str], width: float, columns: int, title: str) -> str:
    """Drawings of one width in rows; one alone is itself."""
    if len(drawings) == 1 and abs(size_of(drawings[0])[0] - width) < 1:
        return drawings[0]
    parts, y, column = [], 0.0, width / columns
    for i in range(0, len(drawings), columns):
        row = drawings[i : i + columns]
        for n, drawing in enumerate(row):
            parts.append(placed(drawing, n * column + (column - size_of(drawing)[0]) / 2, y))
        y += max(size_of(drawing)[1] for drawing in row)
    alt = " ".join(map(alt_of, drawings))
    return figure(y, *parts, title=title, alt=alt, width=width)


def alt_of(drawing: str) -> str:
    """What a drawing shows, in words."""
    text = re.search(r'aria-label="([^"]*)"', drawing)
    return unescape(text[1]) if text else ""


def below(draw: Callable[[AssociationResult, float], str]) -> Callable[..., str]:
    """Draw results below each other, one by one."""
    return lambda results, width: beside([draw(r, width) for r in results], width, 1, "Results")


def _eat_maps(results: Sequence[AssociationResult], width: float) -> str:
    """Maps beside each other, as many as there is room for."""
    columns = max(1, min(len(results), int(width // 400)))
    own, settings = min(width / columns, 1.3 * MAP_WIDTH), Settings.among(results)
    maps = []
    for result in results:
        setting = ", ".join(filter(None, (result.test, settings.of(result))))
        heading = f"{setting}: {result.primary.label}" if len(results) > 1 else ""
        maps.append(eat_map(result, own, heading=heading))
    return beside(maps, width, columns, "EAT-Maps")


def _timelines(results: Sequence[AssociationResult], width: float) -> str:
    """A panel for each test, source and measure; without years by layer, window or distance."""
    dated = any(result.period is not None for result in results)
    lines = [
        ("year" if by == "period" else by, {int(n): result for n, result in group.items()})
        for by in (["period"] if dated else NUMBERED)
        for group in pivot(results, by)
        if all(value.isdigit() for value in group)
    ]
    if not lines or (dated and sum(len(line) for _, line in lines) < len(results)):
        raise ResultsError(
            "a timeline needs one result for each test, source, measure and period",
            got=f"{len(results)} results, {sum(r.period is not None for r in results)} of them "
            "with a period",
            allowed="results of vectors of a year or decade, or of several layers, windows or "
            "distances",
            remedy="leave the others out, as in eatlas.Results(r for r in results if ...)",
        )
    every, parts = steps(result.period or 0 for result in results) if dated else [], []
    for unit, line in lines:
        missing = {year: "no result" for year in every if year not in line}
        title = f"Effect sizes of {next(iter(line.values())).test} by {unit}"
        members = sorted(line.items())
        parts.append(timeline_of(members, missing, title=title, unit=unit, width=width))
    return beside(parts, width, 1, "Effect sizes by year, layer, window or distance")


def _specification(study: object, width: float) -> str:
    """The curve of a study or of its record."""
    record: Any = getattr(study, "record", study)
    measured = [spec for spec in getattr(record, "measured", ()) if spec.symbol == "d"]
    if not measured:
        raise ResultsError(
            "there is no specification curve of this",
            got=described(study),
            allowed="a study with effect sizes d: eatlas.multiverse(...) or eatlas.read_study(...)",
        )
    names = record.varying or ("test",)
    return specification_curve(measured, {n: record.choices.get(n, ()) for n in names}, width)


class Kind(NamedTuple):
    """One kind of drawing."""

    draw: Callable[[Sequence[AssociationResult], float], str]
    shows: Callable[[AssociationResult], object]
    """What a result must have."""
    allowed: str
    screen: float = SCREEN


_EFFECTS = "results with effect sizes"
_LEVELS = "results with effect sizes of level 1"
KINDS: dict[str, Kind] = {
    "eat-map": Kind(_eat_maps, lambda r: r.pattern, "results of ML-EAT", MAP_WIDTH),
    "findings": Kind(stacked.findings, lambda r: r.effects(), _EFFECTS),
    "forest": Kind(stacked.forest, lambda r: r.effects(), _EFFECTS),
    "adjusted": Kind(
        stacked.adjusted,
        lambda r: any(effect.after for effect in r.effects()),
        "results with associations given covariates",
    ),
    "plane": Kind(
        below(plane_figure), has_map, "results of ML-EAT, CEAT, LPBS or LPBS-CEAT that kept the "
        "cosines of single words, of 400 targets at most", LEFT_ROOM + SIDE + UPPER_ROOM,
    ),
    "influence": Kind(
        below(stacked.influence), lambda r: r.primary.influence,
        "results of ML-EAT or WEAT with two usable terms or more in each group",
    ),
    "stability": Kind(
        stacked.stability,
        lambda r: shares_of(r)[0],
        "results of an ML-EAT that resamples its terms",
    ),
    "matrix": Kind(stacked.matrix, lambda r: r.effects(), _EFFECTS),
    "timeline": Kind(_timelines, lambda r: r.primary.level1, _LEVELS, WIDE),
    "specification": Kind(lambda *_: "", lambda _: False, "a study", STUDY),
    "targets": Kind(below(stacked.targets), lambda r: r.by_target, "results of DivDist"),
    "triangle": Kind(
        below(stacked.triangle), lambda r: r.by_target and len(leans(r).groups) == 3,
        "results of DivDist for three groups", WIDTH,
    ),
    "null": Kind(below(stacked.null), lambda r: r.primary.level1, _LEVELS, WIDTH),
}  # fmt: skip
"""Kinds of drawings."""
