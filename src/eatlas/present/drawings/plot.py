"""``eatlas.plot``: drawings of results for papers and notebooks, and their files."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any

from eatlas.errors import EatlasError, ResultsError, described
from eatlas.numbers import in_powers
from eatlas.present.comparison import title_of_trends
from eatlas.present.drawings import forest
from eatlas.present.drawings.kinds import KINDS, Kind, drawing_kinds, find_kind
from eatlas.present.drawings.sheet import Drawing, alt_of
from eatlas.present.drawings.svg import ENDINGS, NAMESPACE, size_of, words
from eatlas.present.findings import findings_of, first_of
from eatlas.present.findings import title as title_of
from eatlas.results import AssociationResult, Results
from eatlas.results.base import is_result
from eatlas.results.compare import SideBySide
from eatlas.results.settings import Settings
from eatlas.writing import atomic_file

COLUMNS = {"single": 89.0, "double": 183.0}
"""Millimetres of one column of a journal and of both, as in Nature; others differ by a few."""
LEAST, MOST = 40.0, 1000.0
"""Millimetres that a drawing may be wide."""
PAGE = 247.0
"""Millimetres of the height of a page, between margins of 2.5 cm on A4."""
PIXELS_PER_MM = 72 / 25.4 * 12 / 7
"""Letters of 12 pixels have 7 points in print."""
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
    >>> eatlas.plot(eatlas.run(tests="weat-1"), kind="forest", width="single")
    <drawing, 89 mm wide: Flowers are more strongly associated with Pleasant than Insects are>
    """

    drawn: str
    """The drawing as pages hold it, without its style."""
    width_mm: float | None = None
    """Width in print; None for a drawing on a screen."""
    title: str = ""
    """The finding, above the drawing."""
    description: str = ""
    """What the drawing is of, and what marks, lines and scales mean: a draft of a caption."""
    pages: tuple[Plot, ...] = ()
    """Of a drawing that is longer than a page, its pages, which `save` writes."""

    @property
    def alt(self) -> str:
        """What the drawing shows, in words, for those who cannot see it."""
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
        said = words(" ".join(filter(None, (self.alt, self.description))))
        about = f"<desc>{said}</desc><style>{style()}</style>"
        paper = '<rect width="100%" height="100%" fill="#ffffff"/>'
        return f"{head.replace('<svg ', start, 1)}>{about}{paper}{rest}\n"

    def save(self, path: str | Path) -> None:
        """Write the drawing as .svg, .pdf or .png, whole or not at all.

        Of several pages ``forest.pdf`` becomes ``forest-1.pdf``, ``forest-2.pdf`` and so on. PDF
        and PNG need ``pip install 'eatlas[plots]'``. A PNG has 300 pixels an inch in print,
        else two for each pixel of the drawing.

        Raises
        ------
        ResultsError
            If the ending is another one, or the file cannot be written.
        EatlasError
            If PDF or PNG files are asked for without their extra.
        """
        path = Path(path)
        require_ending(path)
        if self.pages:
            for page, name in zip(self.pages, self.files(path), strict=True):
                page.save(name)
            return
        ending = path.suffix.lower()
        content: str | bytes = f'<?xml version="1.0" encoding="UTF-8"?>\n{self.svg}'
        if ending != ".svg":
            content = self._convert(ending)
        with atomic_file(path, binary=isinstance(content, bytes)) as file:
            file.write(content)

    def files(self, path: Path) -> list[Path]:
        """The files that `save` writes: that of the path, or one for each page."""
        numbers = range(1, len(self.pages) + 1)
        return [path.with_stem(f"{path.stem}-{number}") for number in numbers] or [path]

    def _convert(self, ending: str) -> bytes:
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

    @property
    def image(self) -> str:
        """An element of HTML, whose style meets nothing else of a page."""
        data = b64encode(self.svg.encode()).decode()
        return f'<img alt="{escape(self.alt)}" src="data:image/svg+xml;base64,{data}">'

    def _repr_html_(self) -> str:
        """The image and its caption."""
        return f"<figure>{self.image}<figcaption>{escape(self.description)}</figcaption></figure>"

    def __repr__(self) -> str:
        width = f", {self.width_mm:g} mm wide" if self.width_mm else ""
        pages = f", {len(self.pages)} pages" if self.pages else ""
        return f"<drawing{width}{pages}: {self.title or self.alt.partition('. ')[0]}>"


def require_ending(path: Path) -> None:
    """Refuse a file whose ending is not that of a drawing."""
    if path.suffix.lower() not in ENDINGS:
        raise ResultsError(
            f"{path}: a drawing is not saved like this",
            got=path.suffix or "a name without an ending",
            allowed=", ".join(ENDINGS),
            remedy=f"save it as {path.with_suffix('.svg').name}",
        )


def plot(
    results: object,
    kind: str | None = None,
    *,
    width: str | float | None = None,
    title: str | None = None,
    alpha: float | None = None,
    by: str | None = None,
    pair: tuple[str, str] | None = None,
) -> Plot:
    """Draw results.

    The title says what the drawing shows; what explains it is in its ``description``. Without a
    kind, one result with an EAT pattern is drawn as its EAT-Map, one of DivDist as its targets, a
    comparison as its matrix, a family as its significance, a study as its specification curve,
    themes as such, other results and several as a forest.

    Parameters
    ----------
    results : result or iterable of results
        Or a study, for ``"specification"`` and ``"scatter"``; what :meth:`eatlas.Results.compare`
        returns, for ``"matrix"`` and ``"scatter"``; what :meth:`eatlas.Results.family` returns, for
        ``"significance"``; or what :func:`eatlas.scan` returns with ``themes``.
    kind : str, optional
        - ``"eat-map"``: EAT-Maps by the paper's rule, beside each other; ML-EAT.
        - ``"findings"``: a row for each result: map by verdict, sentences, p-values, effect sizes.
        - ``"forest"``: effect sizes with intervals and numbers; every measure.
        - ``"adjusted"``: effect sizes, plain and adjusted for covariates of the words, joined by a
          line: level 1 of several results, all levels of one.
        - ``"plane"``: the map of the words, each target at its mean cosines with both attributes;
          ML-EAT, CEAT, LPBS and LPBS-CEAT.
        - ``"influence"``: which terms drive the associations; ML-EAT and WEAT.
        - ``"resamples"``: share of resamples with each EAT pattern by the paper's rule; ML-EAT.
        - ``"matrix"``: tests by settings, with small maps by verdict and forests.
        - ``"table"``: the number of every measure with its mark, tests and sources in rows, an axis
          for each measure.
        - ``"significance"``: tests by settings, a cell filled where level 1 is significant after
          adjustment for all of them.
        - ``"scatter"``: effect sizes of the same tests by one method against those by another, a
          panel for every two, with Pearson's and Spearman's correlation.
        - ``"timeline"``: effect sizes by year, of a bin of years by its first, and EAT patterns;
          without years by layer, window or distance.
        - ``"specification"``: effect sizes of a study in order, the choices behind each below;
          what :func:`eatlas.multiverse` returns.
        - ``"themes"``: themes of a vocabulary on one axis, with their intervals.
        - ``"targets"``: leans of targets from the shares of a reference; DivDist.
        - ``"triangle"``: shares of three groups; DivDist.
        - ``"null"``: what random labels show, with the observed effect size of level 1;
          every measure with scores of its targets.
    width : {"single", "double"} or float, optional
        Width in print: one column of a journal (89 mm), two (183 mm), or millimetres. Letters have
        7 points at this size. What is longer than a page (247 mm) is drawn on several.
    title : str, optional
        Title of the figure; "" for no title. By default what the drawing shows: the finding of the
        results, or for instance their trends in a timeline.
    alpha : float, optional
        Of ``"significance"``: the level below which an adjusted p-value fills a cell; .01 by
        default.
    by : str, optional
        Of ``"scatter"``: what methods are. Of results a respect that :meth:`eatlas.Results.compare`
        takes, by default the first in which they differ of the measure, the source and the rest; of
        a study one of its choices, by default the measure, or the first that varies.
    pair : two of str, optional
        Of ``"scatter"``: two methods that are drawn alone, the first from left to right.

    Returns
    -------
    Plot
        With ``save(path)`` for .svg, .pdf and .png, ``description``, a draft of a caption, and
        ``alt``, which says what it shows.

    Raises
    ------
    ResultsError
        If there is no such kind, it cannot show these results, or a part of it that cannot be
        divided is longer than a page.

    Examples
    --------
    >>> import eatlas
    >>> results = eatlas.run(tests=["weat-6", "weat-8"])
    >>> eatlas.plot(results[0]).alt.partition(":")[0]
    "EAT-Map by the paper's rule, pattern BY-Singular"
    >>> eatlas.plot(results).title.split(": ")[1]
    'one of two associations holds for other words at equal word frequency'
    """
    kind = kind or _usual_kind(results)
    given = {"alpha": alpha, "by": by, "pair": pair}
    options = {name: value for name, value in given.items() if value is not None}
    chosen = find_kind(kind)
    _require_options(kind, options)
    mm = COLUMNS.get(width, width) if isinstance(width, str) else width
    if mm is not None and (isinstance(mm, str) or not LEAST <= mm <= MOST):
        raise ResultsError(
            "a drawing cannot have this width",
            got=repr(width),
            allowed=f'"single" (89 mm), "double" (183 mm), or {LEAST:g} to {MOST:g} millimetres',
        )
    pixels = chosen.screen if mm is None else mm * PIXELS_PER_MM
    if chosen.takes(results):
        shown = results.results if isinstance(results, SideBySide) else ()
        return _make_plot(chosen.draw(results, pixels, **options), shown, mm, title)
    shown = _fitting(results, kind)
    if title is None and kind == "timeline":
        title = _title_of_trends(results)
    return _make_plot(chosen.draw(shown, pixels, **options), shown, mm, title)


def _title_of_trends(results: object) -> str | None:
    """The trends of level 1, if the results are series for which a run computed them."""
    if not isinstance(results, Results) or not results.trends:
        return None
    return title_of_trends(results, Settings.from_results(results)) or None


def _usual_kind(results: object) -> str:
    """The kind of drawing of something, where none is named."""
    special = _special_kind(results)
    if special is not None or not is_result(results):
        return special or "forest"
    alone: Any = results
    return "eat-map" if alone.pattern is not None else "targets" if alone.by_target else "forest"


def _special_kind(results: object) -> str | None:
    """The kind that draws something else than results; None for results.

    What a package brings is drawn as the package says, whatever else could show it.
    """
    kinds: Mapping[str, Kind] = KINDS
    if not (is_result(results) or isinstance(results, Results | list | tuple)):
        every = drawing_kinds()
        kinds = dict(sorted(every.items(), key=lambda item: item[0] in KINDS))
    return next((name for name, kind in kinds.items() if kind.takes(results)), None)


def _require_options(kind: str, options: Mapping[str, object]) -> None:
    """Refuse options that a kind does not take."""
    for name in options:
        if name not in find_kind(kind).options:
            takes = (other for other, each in KINDS.items() if name in each.options)
            raise ResultsError(
                f"a drawing of the kind {kind} takes no {name}",
                got=f"{name}={options[name]!r}",
                allowed=f"kinds with {name}: {', '.join(takes)}",
                remedy=f"leave {name} out",
            )


def _fitting(results: object, kind: str) -> tuple[AssociationResult, ...]:
    """Results, all of which a kind of drawing can show."""
    chosen, other = find_kind(kind), _special_kind(results)
    if other is not None:
        raise ResultsError(
            f"a drawing of the kind {kind} cannot show this",
            got=type(results).__name__,
            allowed=chosen.allowed,
            remedy=f'take kind="{other}", or none',
        )
    shown = as_results(results)
    unfit = next((result for result in shown if not chosen.shows(result)), None)
    if unfit is not None:
        fitting = ", ".join(name for name, each in KINDS.items() if each.shows(unfit))
        raise ResultsError(
            f"a drawing of the kind {kind} cannot show this",
            got=f"the result of {unfit.signature} for {unfit.test}",
            allowed=chosen.allowed,
            remedy=f"leave it out, or take another kind: {fitting}",
        )
    return shown


def _make_plot(
    drawing: Drawing, shown: Sequence[AssociationResult], mm: float | None, title: str | None
) -> Plot:
    """A drawing under its finding, or another title, and on as many pages as it needs."""
    settings, tests = Settings.from_results(shown), dict.fromkeys(forest.heading(r) for r in shown)
    test = next(iter(tests)) if len(tests) == 1 else ""
    bare = title == ""
    title = drawing.title or finding(shown) if title is None else title
    title = in_powers(title)
    source = (
        ""
        if title.startswith((f"{settings.common}: ", f"{settings.common}, "))
        else settings.common
    )
    of = " · ".join(filter(None, (test, source)))
    about = " · ".join(filter(None, ("" if bare else of, drawing.about)))
    said = (f"{text}." for text in (title, of, drawing.about) if text)
    described = in_powers(" ".join((*said, *filter(None, (drawing.key, *drawing.notes)))))
    drawing = replace(drawing, title=title, about=about)
    (whole,), pages = drawing.pages(), []
    if mm is not None:
        pages = drawing.pages(PAGE * PIXELS_PER_MM)
        high = max(size_of(page)[1] for page in pages) / PIXELS_PER_MM
        if high > PAGE:
            raise ResultsError(
                "a part of this drawing is longer than a page",
                got=f"{high:.0f} mm",
                allowed=f"{PAGE:g} mm",
                remedy='take width="double", or a drawing without a width',
            )
    several = tuple(Plot(page, mm, title, described) for page in pages) if len(pages) > 1 else ()
    return Plot(whole, mm, title, described, several)


def finding(shown: Sequence[AssociationResult]) -> str:
    """The title of a drawing: the finding of its result, or how many of its results show what."""
    findings = findings_of(shown)
    if len(shown) == 1:
        return first_of(findings[0]).removesuffix(".")
    return title_of(shown, findings, Settings.from_results(shown), pooled=())


def as_results(shown: object) -> tuple[AssociationResult, ...]:
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
