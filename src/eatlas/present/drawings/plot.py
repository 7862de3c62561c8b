"""``eatlas.plot``: drawings of results for papers and notebooks, and their files."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

from eatlas.errors import EatlasError, ResultsError, described, did_you_mean
from eatlas.numbers import effect, number_of
from eatlas.present.drawings import single, stacked
from eatlas.present.drawings.curves import STUDY, WIDE, specification_curve, steps, timeline_of
from eatlas.present.drawings.eat_map import PANEL, eat_map, map_panel
from eatlas.present.drawings.eat_map import WIDTH as MAP_WIDTH
from eatlas.present.drawings.plane import (
    LEFT_ROOM,
    SIDE,
    UPPER_ROOM,
    has_map,
    plane_figure,
)
from eatlas.present.drawings.sheet import Drawing, alt_of, below, beside
from eatlas.present.drawings.stacked import key_of, notes_of
from eatlas.present.drawings.svg import NAMESPACE, WIDTH, size_of
from eatlas.present.drawings.themes import chart
from eatlas.present.effects import levels_of, shares_of
from eatlas.present.findings import findings_of, first_of
from eatlas.present.findings import title as title_of
from eatlas.present.targets import leans
from eatlas.present.text import isolated
from eatlas.present.themes import title as themes_title
from eatlas.results import AssociationResult
from eatlas.results.base import is_result
from eatlas.results.compare import NUMBERED, SideBySide, pivot
from eatlas.results.settings import Settings
from eatlas.results.themes import ThemesResult
from eatlas.stimuli import TARGETS
from eatlas.writing import atomic_file

COLUMNS = {"single": 89.0, "double": 183.0}
"""Millimetres of one column of a journal and of both, as in Nature; others differ by a few."""
LEAST, MOST = 40.0, 1000.0
"""Millimetres that a drawing may be wide."""
PAGE = 247.0
"""Millimetres of the height of a page, between margins of 2.5 cm on A4."""
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
        said = escape(" ".join(filter(None, (self.alt, self.description))), quote=False)
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
        ending = path.suffix.lower()
        if ending not in (".svg", ".pdf", ".png"):
            raise ResultsError(
                f"{path}: a drawing is not saved like this",
                got=path.suffix or "a name without an ending",
                allowed=".svg, .pdf, .png",
                remedy=f"save it as {path.with_suffix('.svg').name}",
            )
        for number, page in enumerate(self.pages, start=1):
            page.save(path.with_stem(f"{path.stem}-{number}"))
        if self.pages:
            return
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


def plot(
    results: object,
    kind: str | None = None,
    *,
    width: str | float | None = None,
    title: str | None = None,
) -> Plot:
    """Draw results.

    The title is the finding; what explains the drawing is in its ``description``. Without a kind,
    one result with an EAT pattern is drawn as its EAT-Map, one of DivDist as its targets, themes as
    such, others and several as a forest.

    Parameters
    ----------
    results : result or iterable of results
        Or a study, for ``"specification"``; what :meth:`eatlas.Results.compare` returns, for
        ``"matrix"``; or what :func:`eatlas.scan` returns with ``themes``.
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
        - ``"timeline"``: effect sizes by year; without years by layer, window or distance.
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
        In the place of the finding; "" for no heading.

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
    >>> eatlas.plot(results).title.partition(":")[2]
    ' none of two associations holds'
    """
    if kind is None and isinstance(results, ThemesResult):
        kind = "themes"
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
        return _plotted(_specification(results, pixels), (), mm, title)
    if kind == "themes" and isinstance(results, ThemesResult):
        return _plotted(chart(results, pixels, themes_title(results)), (), mm, title)
    if kind == "matrix" and isinstance(results, SideBySide):
        return _plotted(stacked.matrix(results, pixels), results.results, mm, title)
    if isinstance(results, ThemesResult):
        raise ResultsError(
            f"a drawing of the kind {kind} cannot show this",
            got="themes",
            allowed=chosen.allowed,
            remedy='take kind="themes", or none',
        )
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
    return _plotted(chosen.draw(shown, pixels), shown, mm, title)


def _plotted(
    drawing: Drawing, shown: Sequence[AssociationResult], mm: float | None, title: str | None
) -> Plot:
    """A drawing under its finding, or another title, and on as many pages as it needs."""
    settings, tests = Settings.among(shown), dict.fromkeys(stacked.named(r) for r in shown)
    test = next(iter(tests)) if len(tests) == 1 else ""
    bare = title == ""
    title = drawing.title or finding(shown) if title is None else title
    source = "" if title.startswith(f"{settings.common}: ") else settings.common
    of = " · ".join(filter(None, (test, source)))
    about = " · ".join(filter(None, ("" if bare else of, drawing.about)))
    said = (f"{text}." for text in (title, of, drawing.about) if text)
    described = " ".join((*said, *filter(None, (drawing.key, *drawing.notes))))
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
    return title_of(shown, findings, Settings.among(shown))


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


def each(draw: Callable[[AssociationResult, float], Drawing]) -> Callable[..., Drawing]:
    """Draw results below each other, one by one; several have each its finding as title."""

    def drawn(results: Sequence[AssociationResult], width: float) -> Drawing:
        if len(results) == 1:
            return draw(results[0], width)
        findings = findings_of(results)
        return below(
            replace(draw(result, width), title=first_of(finding), about=stacked.named(result))
            for result, finding in zip(results, findings, strict=True)
        )

    return drawn


def _plane(result: AssociationResult, width: float) -> Drawing:
    """The map of the words; its groups are named below."""
    x, y = (isolated(result.concepts[role]) for role in TARGETS)
    key = f"● {x}, ■ {y}, + their means."
    notes = ("On the diagonal a word is as close to one attribute as to the other.",)
    return beside([plane_figure(result, width)], width, key=key, notes=notes)


def _triangle(result: AssociationResult, width: float) -> Drawing:
    """Shares of three groups."""
    notes = (
        "A corner is a share of 1 for its group. On the border a share is cut off at 0, because a "
        "cosine below 0 counts as 0.",
    )
    about = "Shares of three groups, a dot for each target"
    return beside([single.triangle(result, width)], width, about=about, notes=notes)


def _eat_maps(results: Sequence[AssociationResult], width: float) -> Drawing:
    """Maps beside each other; small ones where whole ones have no room."""
    whole, settings = int(width // 400) or 1, Settings.among(results)
    notes = ("Columns: targets. Rows: attributes. Red: associated by the paper's rule.",)
    if len(results) == 1:
        title = f"By the paper's rule: {results[0].primary.label}"
        drawn = eat_map(results[0], min(width, 1.3 * MAP_WIDTH))
        return beside([drawn], width, title=title, notes=notes)
    columns = whole if len(results) <= whole else int(width // PANEL)
    draw, own = (eat_map, 1.3 * MAP_WIDTH) if columns == whole else (map_panel, 1.3 * PANEL)
    maps = [
        draw(
            result,
            min(width / columns, own),
            heading=" · ".join(filter(None, (result.test, settings.of(result)))),
        )
        for result in results
    ]
    rules = dict.fromkeys(result.rule.meaning for result in results)
    title = f"EAT-Maps of {number_of(len(results), 'result')} by the paper's rule"
    return beside(maps, width, columns, title=title, key=f"{' or '.join(rules)}.", notes=notes)


MOST_LINES = 4
"""Series that are compared in one panel."""


def _timelines(results: Sequence[AssociationResult], width: float) -> Drawing:
    """A panel for each test, source and measure; without years by layer, window or distance.

    Several series of a test, such as those of two prompts, share a panel for each effect size.
    """
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
    every = steps(result.period or 0 for result in results) if dated else []
    alike: dict[tuple[str, str, str], list[Mapping[int, AssociationResult]]] = {}
    for unit, line in lines:
        first = next(iter(line.values()))
        alike.setdefault((unit, first.test, first.measure), []).append(dict(sorted(line.items())))
    settings = Settings.among(next(iter(line.values())) for _, line in lines)
    findings = dict(zip(map(id, results), findings_of(results), strict=True))
    parts = []
    for (unit, _, _), series in alike.items():
        several = 1 < len(series) <= MOST_LINES
        for group in [series] if several else [[line] for line in series]:
            missing = {
                year: "no result" for year in every if not any(year in line for line in group)
            }
            first = next(iter(group[0].values()))
            names = [settings.of(next(iter(line.values()))) for line in group]
            told = [{at: (r, findings[id(r)]) for at, r in line.items()} for line in group]
            about = "" if several else names[0]
            for n in range(len(levels_of(first))) if several else [None]:
                drawn = timeline_of(
                    dict(zip(names, told, strict=True)), missing, unit=unit, width=width, only=n
                )
                title = stacked.named(first) if n in (None, 0) and len(alike) > 1 else ""
                what = "" if n is None else levels_of(first)[n].name
                above = " · ".join(filter(None, (about, what)))
                parts.append(replace(beside([drawn], width), title=title, about=above))
    key = key_of(e for r in results for e in levels_of(r, findings[id(r)]))
    notes, title = notes_of(results), _moves(lines)
    if len(parts) == 1:
        return replace(parts[0], title=title, about="", key=key, notes=notes)
    return below(parts, title=title, key=key, notes=notes)


def _moves(lines: Sequence[tuple[str, Mapping[int, AssociationResult]]]) -> str:
    """Of all series, between which numbers the first effect size of one moves most."""
    moves = []
    for unit, line in lines:
        known = [(at, d) for at, result in sorted(line.items()) if (d := result.d) is not None]
        if len(known) > 1:
            (first, start), (last, end) = known[0], known[-1]
            ends = (f"{effect(d)} ({at if unit == 'year' else f'{unit} {at}'})"
                    for d, at in ((start, first), (end, last)))  # fmt: skip
            level = levels_of(next(iter(line.values())))[0]
            named = f"{level.symbol} at level 1" if level.place == "level1" else level.title
            test = f" of {next(iter(line.values())).test}" if len(lines) > 1 else ""
            moves.append((abs(end - start), f"{named}{test} goes from {' to '.join(ends)}"))
    most = "Most of all, " * (len(moves) > 1)
    return f"{most}{max(moves)[1]}" if moves else ""


def _specification(study: object, width: float) -> Drawing:
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
    drawn = specification_curve(measured, {n: record.choices.get(n, ()) for n in names}, width)
    effects, filled = [spec.d for spec in measured], sum(bool(s.significant) for s in measured)
    of = number_of(len(measured), "specification")
    range_of = f"d from {effect(min(effects))} to {effect(max(effects))}"
    title = f"{filled or 'None'} of {of} significant, {range_of}"
    note = "Each column is a specification; below its effect size are its pattern and its choices."
    lines = " Lines: intervals." * any(spec.low is not None for spec in measured)
    key = f"Filled: significant.{lines}"
    return beside([drawn], width, title=title, key=key, notes=(note,))


class Kind(NamedTuple):
    """One kind of drawing."""

    draw: Callable[[Sequence[AssociationResult], float], Drawing]
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
        lambda r: any(shown.after for shown in r.effects()),
        "results with associations adjusted for covariates",
    ),
    "plane": Kind(
        each(_plane), has_map, "results of ML-EAT, CEAT, LPBS or LPBS-CEAT that kept the "
        "cosines of single words, of 400 targets at most", LEFT_ROOM + SIDE + UPPER_ROOM,
    ),
    "influence": Kind(
        each(single.influence), lambda r: r.primary.influence,
        "results of ML-EAT or WEAT with two usable terms or more in each group",
    ),
    "resamples": Kind(
        stacked.resamples,
        lambda r: shares_of(r)[0],
        "results of an ML-EAT that resamples its terms",
    ),
    "matrix": Kind(stacked.matrix, lambda r: r.effects(), _EFFECTS),
    "timeline": Kind(_timelines, lambda r: r.primary.level1, _LEVELS, WIDE),
    "specification": Kind(lambda *_: beside([], 0.0), lambda _: False, "a study", STUDY),
    "themes": Kind(lambda *_: beside([], 0.0), lambda _: False, "eatlas.scan(..., themes=...)"),
    "targets": Kind(each(single.targets), lambda r: r.by_target, "results of DivDist"),
    "triangle": Kind(
        each(_triangle), lambda r: r.by_target and len(leans(r).groups) == 3,
        "results of DivDist for three groups", WIDTH,
    ),
    "null": Kind(each(single.null), lambda r: r.primary.level1, _LEVELS, WIDTH),
}  # fmt: skip
"""Kinds of drawings."""
