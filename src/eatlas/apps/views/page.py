"""Views of a model as tables, as a page and as the files of a folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from markupsafe import Markup

from eatlas.apps.views.record import PLACES, Agreement, Views, begun
from eatlas.numbers import effect
from eatlas.present.columns import (
    EFFECT,
    MAP,
    PATTERN,
    SOURCE,
    Cell,
    Column,
    Row,
    Table,
    arranged,
)
from eatlas.present.drawings.eat_map import map_panel, mini, symbols
from eatlas.present.drawings.sheet import Sheet
from eatlas.present.drawings.svg import LEFT, RIGHT, WIDTH, Axis, label, outline, path, short
from eatlas.present.page import REPORT, write_run
from eatlas.present.rendering import page_files, render
from eatlas.present.tables import STARS, csv_text, latex
from eatlas.present.text import isolated
from eatlas.results import AssociationResult, to_json_line
from eatlas.results.json_lines import USUAL_NAME as RESULTS
from eatlas.version import __version__

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
    "rho: Spearman's rank correlation of the targets' scores, with its 95% interval over resamples "
    "of the targets. Within: of deviations from the mean score of the target's group."
)
TOP = "Of layers, the top one stands for the vectors."
OPEN = 10
"""Rows of a table that the page shows at once; a longer one is folded."""
NUMBERS, LINE = 132.0, 20.0
"""Pixels of a number with its interval, and of a row."""


def maps_table(views: Views, test: str, *, maps: bool = False) -> Table:
    """A row for each view: effect sizes and EAT pattern, in a terminal with small maps."""
    rows = [
        Row(result, {place: result.effect(place) for place in PLACES}, views.called(number))
        for number, result in members(views, test)
    ]
    effects = EFFECT.only("d", "p") if maps else EFFECT.only("d", "interval", "p")
    view = replace(SOURCE, title="View", strong=True)
    form = (view, effects, *[MAP] * maps, PATTERN.only("pattern"))
    caption = f"Views on {test}: effect sizes with intervals and p, EAT patterns."
    return replace(arranged(rows, form), id=f"views-{test}", caption=caption, notes=(STARS,))


def members(views: Views, test: str) -> Iterator[tuple[int, AssociationResult]]:
    """Views with a result on a test, and this."""
    for number in range(len(views.record.views)):
        if (result := views.result(test, number)) is not None:
            yield number, result


def agreement_table(views: Views, test: str) -> Table | None:
    """How each view agrees with those that stand for their forms; None where nothing is compared.

    Bold: an interval that does not hold 0.
    """
    if not views.main_pairs(test):
        return None
    others = compared_with(views, test)
    columns = [
        Column("View"), *(Column(views.called(n), "Agreement with", number=True) for n in others)
    ]  # fmt: skip
    rows = []
    for number, _ in members(views, test):
        name = Cell((views.called(number),), strong=True)
        rows.append((name, *(_rho(views.agreement(test, number, other)) for other in others)))
    notes = (RHO, f"Bold: intervals without 0. {TOP}")
    caption = f"Agreement of views on {test}."
    return Table(f"agreement-{test}", tuple(columns), tuple(rows), caption, notes)


def compared_with(views: Views, test: str) -> list[int]:
    """Views whose agreement with others is shown: the first reference is among these others."""
    return [n for n in views.references if views.result(test, n) is not None][1:]


def _rho(pair: Agreement | None) -> Cell:
    """A cell of the matrix: rho with its interval, and that within groups."""
    if pair is None:
        return Cell(("",))
    lines = [pair.targets.text]
    lines += [f"within {pair.within.text}"] if pair.within.rho is not None else []
    return Cell(tuple(lines), strong=bool(pair.targets.sign), value=pair.targets.rho)


def tables(views: Views, test: str) -> list[Table]:
    """The tables of a test."""
    return [maps_table(views, test), *filter(None, [agreement_table(views, test)])]


# --- page -----------------------------------------------------------------------------------------


class Part(NamedTuple):
    """What the page shows of one test."""

    test: str
    title: str
    sides: tuple[tuple[str, ...], ...]
    sentences: list[str]
    """What is said of it, the finding first."""
    panels: list[Markup]
    """EAT-Maps of views that are no layers, or stand for them."""
    layers: list[tuple[str, list[tuple[str, Markup, str]]]]
    """Of each model with layers: its name, and each layer with its small map and d."""
    missing: list[tuple[str, str]]
    """Views that there are not, and why."""
    figures: list[Markup]
    tables: list[Table]


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
            for n in compared_with(views, test)
            if (figure := figure_of(views, test, n))
        ],
        tables=tables(views, test),
    )


def _layers(
    views: Views, every: dict[int, AssociationResult]
) -> list[tuple[str, list[tuple[str, Markup, str]]]]:
    """The layers of each model that has several, with their small maps."""
    models: dict[str, list[tuple[str, Markup, str]]] = {}
    for number, result in every.items():
        view = views.record.views[number]
        if view.layer:
            first = result.effect("level1")
            entry = view.layer, mini(result), f"{effect(first.d)}{first.star}"
            models.setdefault(view.model, []).append(entry)
    return [(model, layers) for model, layers in models.items() if len(layers) > 1]


def figure_of(views: Views, test: str, reference: int) -> str:
    """Draw how each view agrees with one of them; empty where none is compared with it."""
    pairs = [
        (number, pair)
        for number, _ in members(views, test)
        if (pair := views.agreement(test, number, reference)) is not None
    ]
    if not pairs:
        return ""
    sheet, names = Sheet(WIDTH, 0.0), 0.36 * WIDTH
    axis = Axis(-1.0, 1.0, 0.5, names, WIDTH - RIGHT - NUMBERS)
    phrases = []
    for number, pair in pairs:
        y, rho = sheet.y + LINE / 2, pair.targets
        name = views.called(number)
        sheet.add(label(short(name, names - LEFT, 12), LEFT, y + 4))
        if rho.interval:
            low, high = (round(axis.at(end), 1) for end in rho.interval)
            sheet.add(path(f"M{low:g} {y:g}H{high:g}", "i x"))
        if rho.rho is not None:
            mark = outline("circle", round(axis.at(rho.rho), 1), y)
            sheet.add(path(mark, "m on x" if rho.sign else "m x"))
        sheet.add(label(rho.text, WIDTH - RIGHT, y + 4, anchor="end"))
        phrases.append(f"{isolated(name)}: {rho.text}")
        sheet.y += LINE
    sheet.end_block()
    called = views.called(reference, phrase=True)

    def around(first: float, last: float) -> tuple[str, float]:
        return axis.grid(first, last), last + 22

    alt = f"Agreement with {called}, Spearman's rho. {'; '.join(phrases)}."
    drawing = sheet.close(alt, title=f"Agreement with {called}", around=around)
    return drawing.pages()[0]


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
        rho=RHO,
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
        tables as ``views.csv`` and ``views.tex``. Files of other results that are there are kept
        under another name.

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
        Under which names other files are kept.

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
