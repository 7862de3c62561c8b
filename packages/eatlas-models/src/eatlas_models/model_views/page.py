"""Views of a model as tables, as a page and as the files of a folder."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from eatlas.numbers import effect
from eatlas.present.columns import (
    EFFECT,
    PATTERN,
    QUESTION,
    SOURCE,
    Cell,
    Column,
    Row,
    Table,
    arrange_rows,
    little_legend,
    mark_name,
)
from eatlas.present.drawings.eat_map import map_panel, mini_of, symbols
from eatlas.present.drawings.sheet import Sheet
from eatlas.present.drawings.svg import (
    LEFT,
    RIGHT,
    WIDTH,
    Axis,
    aside,
    label,
    outline,
    path,
    short,
)
from eatlas.present.findings import findings_of
from eatlas.present.rendering import page_files, render
from eatlas.present.report import REPORT, write_run
from eatlas.present.tables import csv_text, latex
from eatlas.present.text import isolate, pixels
from eatlas.results import AssociationResult, to_json_line
from eatlas.results.json_lines import USUAL_NAME as RESULTS
from eatlas.version import __version__
from eatlas_models.model_views.record import (
    PLACES,
    SIDES,
    LayersAgreement,
    Side,
    SideAgreement,
    Views,
    begun,
)

PAGE, RECORD, TABLE, TEX = "views.html", "views.json", "views.csv", "views.tex"
FILES = {
    PAGE: "page",
    REPORT: "report",
    RESULTS: "results",
    RECORD: "agreement",
    TABLE: "table",
    TEX: "LaTeX",
}
"""What the files of a folder hold, in the order in which people look at them."""
RHO = (
    "rho: Spearman's rank correlation of the scores of targets, or of attributes, with its 95% "
    "bootstrap interval over them. The score of an attribute is its mean association with X minus "
    "its mean association with Y."
)
WITHIN = "Within: rho of deviations from the mean score of the group."
NOT_HERE = "Agreement within the groups is on the page."
TOP = "The top layer stands for the vectors."
TABLES = ("Effect sizes", *(f"Agreement over {side}" for side in SIDES))
"""What the tables of a test show."""
OPEN = 10
"""Rows of a table that the page shows at once; a longer one is folded."""
RULE = "* and EAT patterns: by the paper's rule."
TRIANGLES = (
    "Above the diagonal: over the targets. Below: over the attributes. Not filled: 0, or undefined."
)
SQUARE = 22.0
"""Pixels of a square of the layers, at most."""
NUMBERS, LINE = 132.0, 20.0
"""Pixels of a number with its interval, and of a row."""


def maps_table(views: Views, test: str, *, whole: bool = True) -> Table:
    """A row for each view: effect sizes, p-values, verdict and EAT pattern; in a terminal fewer."""
    told = list(members(views, test))
    findings = findings_of(result for _, result in told)
    rows = [
        Row(result, {place: result.effect(place) for place in PLACES}, name, finding=finding)
        for (number, result), finding in zip(told, findings, strict=True)
        for name in [mark_name(views.called(number), result)]
    ]
    view, verdict = replace(SOURCE, title="View", strong=True), QUESTION[-1]
    more = (*QUESTION, PATTERN.only("pattern")) if whole else (verdict,)
    effects = EFFECT.only("d", "interval") if whole else EFFECT.only("d")
    little = little_legend(row.result for row in rows)
    notes = tuple(filter(None, (RULE * whole, little)))
    caption = f"Views on {test}: effect sizes d{' with intervals' * whole}, and verdicts."
    form = (view, effects, *more)
    return replace(arrange_rows(rows, form), id=f"views-{test}", caption=caption, notes=notes)


def members(views: Views, test: str) -> Iterator[tuple[int, AssociationResult]]:
    """Views with a result on a test, and this."""
    for number in range(len(views.record.views)):
        if (result := views.result(test, number)) is not None:
            yield number, result


def agreement_tables(views: Views, test: str, *, within: bool = True) -> list[Table]:
    """How each view agrees with those that stand for their forms, over targets and attributes.

    In a terminal without agreement within the groups, where there are many views.
    """
    if not views.main_pairs(test):
        return []
    return [_agreement_table(views, test, side, within=within) for side in SIDES]


def _agreement_table(views: Views, test: str, side: Side, *, within: bool) -> Table:
    """A row for each view; bold: an interval that excludes 0."""
    others = views_to_compare(views, test)
    columns = [
        Column("View"), *(Column(views.called(n), "Agreement with", number=True) for n in others)
    ]  # fmt: skip
    rows = []
    for number, _ in members(views, test):
        name = Cell((views.called(number),), strong=True)
        pairs = (views.agreement(test, number, other) for other in others)
        cells = (_rho(None if pair is None else pair[side], within=within) for pair in pairs)
        rows.append((name, *cells))
    notes = (f"{RHO} {WITHIN if within else NOT_HERE}", f"Bold: intervals without 0. {TOP}")
    caption = f"Agreement of views on {test}, over {side}."
    return Table(f"agreement-{side}-{test}", tuple(columns), tuple(rows), caption, notes)


def views_to_compare(views: Views, test: str) -> list[int]:
    """Views whose agreement with others is shown: the first reference is among these others."""
    return [n for n in views.references if views.result(test, n) is not None][1:]


def _rho(agreement: SideAgreement | None, *, within: bool) -> Cell:
    """A cell of the matrix: rho with its interval, and that within groups."""
    if agreement is None:
        return Cell(("",))
    lines = [agreement.text]
    if within and agreement.within.rho is not None:
        lines.append(f"within {agreement.within.text}")
    return Cell(tuple(lines), strong=bool(agreement.sign), value=agreement.rho)


def tables(views: Views, test: str) -> list[Table]:
    """The tables of a test."""
    return [maps_table(views, test), *agreement_tables(views, test)]


# --- page -----------------------------------------------------------------------------------------


class Part(NamedTuple):
    """What the page shows of one test."""

    test: str
    title: str
    sides: tuple[tuple[str, ...], ...]
    sentences: list[str]
    """Its sentences, the finding first."""
    panels: list[Markup]
    """EAT-Maps of views that are no layers, or stand for them."""
    layers: list[tuple[str, list[tuple[str, Markup, str]]]]
    """Of each model with layers: its name, and each layer with its small map and d."""
    missing: list[tuple[str, str]]
    """Views that there are not, and why."""
    figures: list[Markup]
    among: list[Markup]
    """The layers of each model among each other."""
    tables: list[tuple[str, Table]]
    """What each table shows, and the table."""


def part_of(views: Views, test: str) -> Part:
    """Everything that the page shows of a test."""
    every = dict(members(views, test))
    result = next(iter(every.values()))
    shown = [n for n in views.references if n in every]
    return Part(
        test=test,
        title=result.title,
        sides=result.sides,
        sentences=views.sentences(test),
        panels=[
            Markup(map_panel(every[n], heading=begun(views.called(n, phrase=True))))  # noqa: S704
            for n in shown
        ],
        layers=_layers(views, every),
        missing=[
            (f"{each.form}, {each.model}", each.reason)
            for each in views.record.missing
            if each.test in {"", test}
        ],
        figures=[
            Markup(figure)  # noqa: S704
            for n in views_to_compare(views, test)
            for side in SIDES
            if (figure := figure_of(views, test, n, side))
        ],
        among=[Markup(layers_figure(views, layers)) for layers in views.layers_of(test)],  # noqa: S704
        tables=list(zip(TABLES, tables(views, test), strict=False)),
    )


def _layers(
    views: Views, every: dict[int, AssociationResult]
) -> list[tuple[str, list[tuple[str, Markup, str]]]]:
    """The layers of each model that has several, with their small maps."""
    models: dict[str, list[tuple[str, Markup, str]]] = {}
    for (number, result), finding in zip(every.items(), findings_of(every.values()), strict=True):
        view = views.record.views[number]
        if view.layer:
            entry = view.layer, mini_of(finding), effect(result.effect("level1").d)
            models.setdefault(view.model, []).append(entry)
    return [(model, layers) for model, layers in models.items() if len(layers) > 1]


def figure_of(views: Views, test: str, reference: int, side: Side = "targets") -> str:
    """Draw how each view agrees with one of them; empty where none is compared with it."""
    pairs = [
        (number, pair[side])
        for number, _ in members(views, test)
        if (pair := views.agreement(test, number, reference)) is not None
    ]
    if not pairs:
        return ""
    sheet, names = Sheet(WIDTH, 0.0), 0.36 * WIDTH
    axis = Axis(-1.0, 1.0, 0.5, names, WIDTH - RIGHT - NUMBERS)
    phrases = []
    for number, rho in pairs:
        y = sheet.y + LINE / 2
        name = views.called(number)
        sheet.add(label(short(name, names - LEFT, 12), LEFT, y + 4))
        if rho.interval:
            low, high = (round(axis.at(end), 1) for end in rho.interval)
            sheet.add(path(f"M{low:g} {y:g}H{high:g}", "i x"))
        if rho.rho is not None:
            mark = outline("circle", round(axis.at(rho.rho), 1), y)
            sheet.add(path(mark, "m on x" if rho.sign else "m x"))
        sheet.add(label(rho.text, WIDTH - RIGHT, y + 4, anchor="end"))
        phrases.append(f"{isolate(name)}: {rho.text}")
        sheet.y += LINE
    sheet.end_block()
    called = views.called(reference, phrase=True)

    def draw_grid(first: float, last: float) -> tuple[str, float]:
        return axis.grid(first, last), last + 22

    title = f"Agreement with {called}, over {side}"
    alt = f"{title}, Spearman's rho. {'; '.join(phrases)}."
    drawing = sheet.close(alt, title=title, around=draw_grid)
    return drawing.pages()[0]


def layers_figure(views: Views, layers: LayersAgreement) -> str:
    """Draw rho of each layer with each as squares: over targets above the diagonal, else below."""
    names = [views.record.views[number].layer for number in layers.layers]
    room = 10.0 + max(pixels(name, 11) for name in names)
    side = min(SQUARE, (WIDTH - LEFT - RIGHT - room) / len(names))
    left, top = LEFT + room, 20.0
    sheet, squares = Sheet(WIDTH, 0.0), dict[float, list[str]]()
    for row, column in product(range(len(names)), repeat=2):
        rhos = layers.targets if column > row else layers.attributes
        rho = 1.0 if row == column else rhos[row][column]
        if rho is not None:  # one path for all squares of a shade
            d = f"M{left + column * side:.1f} {top + row * side:.1f}{_square(side)}"
            squares.setdefault(round(rho, 1), []).append(d)
    sheet.add(*(_shade(rho, "".join(paths)) for rho, paths in sorted(squares.items())))
    every = math.ceil(14.0 / side)
    for n in range(0, len(names), every):
        middle = (n + 0.5) * side
        sheet.add(aside(names[n], left + middle, top - 6))
        sheet.add(aside(names[n], left - 6, top + middle + 4, anchor="end"))
    sheet.y = top + len(names) * side
    sheet.add(*_shades(left, sheet.y + 14))
    sheet.y += 40
    title = f"Layers of {layers.model} among each other"
    alt = f"{title}, Spearman's rho. {views.neighbours_sentence(layers)}"
    return sheet.close(alt, title=title, about=TRIANGLES).pages()[0]


def _square(side: float) -> str:
    """The path of a square from its upper left corner."""
    return f"h{side:.1f}v{side:.1f}h-{side:.1f}z"


def _shade(rho: float, d: str) -> str:
    """A path in the colour of a coefficient, the stronger the farther it is from 0."""
    return path(d, "c0" if rho > 0 else "c1", fill_opacity=abs(rho))


def _shades(x: float, y: float) -> Iterator[str]:
    """The key: squares from -1 to 1, with numbers below."""
    for n, rho in enumerate((-1.0, -0.5, 0.0, 0.5, 1.0)):
        at = x + 44.0 * n
        yield path(f"M{at:g} {y:g}{_square(12.0)}", "g")
        yield _shade(rho, f"M{at:g} {y:g}{_square(12.0)}")
        yield aside(effect(rho), at + 6, y + 24)


def views_html(views: Views) -> str:
    """The views of a model as one self-contained page."""
    record = views.record
    models = list(dict.fromkeys(view.model for view in record.views))
    return render(
        "views",
        title=views.headline,
        models=models,
        forms=views.forms,
        parts_of=[part_of(views, test) for test in views.tests],
        symbols=symbols(),
        rho=f"{RHO} {WITHIN}",
        top=TOP if any(view.layer for view in record.views) else "",
        compared=bool(record.agreements),
        measures=list(dict.fromkeys(view.signature for view in record.views)),
        version=__version__,
        seed=record.seed,
        results=RESULTS,
        report=REPORT,
        csv=TABLE,
        open=OPEN,
        **page_files(),
    )


def write_views(views: Views, folder: str | Path) -> tuple[Path, ...]:
    """Write views into a folder.

    Parameters
    ----------
    views : Views
    folder : path
        Gets ``views.html``, the record ``views.json``, ``results.jsonl`` with ``report.html``, and
        tables as ``views.csv`` and ``views.tex``. Files of other results that are there are
        retained under another name.

    Returns
    -------
    tuple of Path
        The files that were written.

    Raises
    ------
    ResultsError
        If a file cannot be written.

    Warns
    -----
    EatlasWarning
        Under which names other files are retained.

    Examples
    --------
    >>> import eatlas, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     files = eatlas.write_views(eatlas.views("glove-sample"), folder)
    >>> files[0].name, len(files)
    ('views.html', 6)
    """
    directory = Path(folder)
    pages = {
        PAGE: views_html(views),
        RECORD: f"{to_json_line(views.record)}\n",
        TABLE: csv_text(list(views.rows())),
        TEX: latex([table for test in views.tests for table in tables(views, test)]),
    }
    write_run(views.results, directory, pages)
    return tuple(directory / name for name in FILES)
