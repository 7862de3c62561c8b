"""One self-contained HTML page of many results: no network, no outside font, one small script."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from markupsafe import Markup

from eatlas.errors import ResultsError, described, did_you_mean
from eatlas.notes import Note, warn
from eatlas.numbers import in_powers
from eatlas.plugins import call_point, require_point
from eatlas.present.blocks import deflate, html_of, pack
from eatlas.present.columns import page_table
from eatlas.present.details import PageParts, body_of
from eatlas.present.drawings.eat_map import legend, symbols
from eatlas.present.drawings.svg import ENDINGS as DRAWINGS
from eatlas.present.drawings.svg import Scales
from eatlas.present.family import DeclaredFamily
from eatlas.present.findings import title
from eatlas.present.lines import heads_of, lines_of, rows_of
from eatlas.present.rendering import page_files, render
from eatlas.present.sections import (
    Folders,
    Section,
    sections,
    source_of,
    thumbnails_of,
)
from eatlas.present.sentences import wording
from eatlas.present.summaries import bibtex, in_brief, methods_paragraph, results_section
from eatlas.present.tables import FORMATS as TABLES
from eatlas.present.tables import WORD, report_table, tables_of_report
from eatlas.results.collection import FORMS
from eatlas.results.json_lines import USUAL_NAME, keep_others, schema_name, to_json_line
from eatlas.results.parts import Record
from eatlas.results.pooled import pool_groups
from eatlas.results.settings import Settings, has_repeated_tests
from eatlas.writing import atomic_file, atomic_files

if TYPE_CHECKING:
    from eatlas.present.columns import Table
    from eatlas.present.comparison import Compared, Series
    from eatlas.results import AssociationResult, Results

REPORT = "report.html"
"""What the report beside a file of results is called."""
OPEN_UP_TO = 40
"""Results whose details are open in the page; of more, they are packed until they are opened."""
FIRST_ROWS = 100
"""Findings and rows that the page of many results has; its script makes others when they are
shown."""


def report_html(
    results: Iterable[AssociationResult],
    *,
    damage: Iterable[ResultsError] = (),
    family: str = "level1",
    adjust: str = "holm",
    images: Folders | None = None,
) -> str:
    """Write results as one HTML page; parameters are those of :func:`eatlas.write_report`.

    Examples
    --------
    >>> import eatlas
    >>> "BY-Singular" in report_html(eatlas.run(tests="weat-6"))
    True
    """
    every, failures = list(results), tuple(getattr(results, "failures", ()))
    trends = tuple(getattr(results, "trends", ()))
    declared = DeclaredFamily.of(every, family, adjust).of_several()
    shown, settings = sections(every, declared), Settings.from_results(every)
    findings = [section.finding for section in shown]
    pooled = pool_groups(every)
    series: list[Series] = []
    compared: list[tuple[dict[str, str], list[Compared]]] = []
    said, in_years = "", False
    if has_repeated_tests(every):
        from eatlas.present import comparison  # noqa: PLC0415  (few results are compared)

        series, compared = comparison.series_and_comparisons(shown, trends, failures, pooled)
        in_years = comparison.are_in_series(shown, series)
        said = comparison.title_of_settings(shown, settings, series, compared)
    packed, words = len(shown) > OPEN_UP_TO, wording(every)
    scales, thumbnails = Scales.of(every), thumbnails_of(images, every)
    page = PageParts(scales, thumbnails, packed=packed)
    bodies = [body_of(section, page) for section in shown]
    tables, heads = _tables(shown, settings, declared), heads_of(shown)
    first = FIRST_ROWS if packed else len(shown)
    lines = lines_of(shown, replace(page, packed=False), heads, slice(first))
    packs: list[Markup] = []
    where: list[str] = []
    if packed:
        packs, where = pack(bodies, [result.test for result in every])
        places = {section.anchor: place for place, section in enumerate(shown[first:])}
        others = lines_of(shown, page, heads, slice(first, None))
        rest = {
            "lines": [{**line, "at": at} for line, at in zip(others, where[first:], strict=True)],
            "rows": [rows_of(table, members, places, first) for table, members in tables],
            "answers": list(page.answers),
        }
        packs.append(deflate(rest))
    return render(
        "report",
        **page_files("cards.js", *(["blocks.js"] if packed else []), "claims.js", "report.js"),
        scales=scales,
        thumbnails=thumbnails,
        packed=packed,
        words=words,
        title=(said or title(every, findings, settings, pooled)) if every else words["heading"],
        names_in_full=settings.in_words(full=True),
        intervals=any(level.interval for section in shown for level in section.levels),
        legend=legend(result.primary.label for result in every if result.pattern is not None),
        symbols=symbols(),
        failures=failures,
        damage=tuple(damage),
        family=declared,
        methods=methods_paragraph(every, declared, trends, findings),
        bibtex=bibtex(every, declared, trends, findings),
        brief=in_brief(shown, series) if len(shown) > 1 else [],
        sections=shown,
        bodies=[] if packed else list(map(html_of, bodies)),
        packs=packs,
        where=where,
        first=first,
        p_heads=heads,
        lines=lines,
        tables=tables,
        series=series,
        in_years=in_years,
        compared=compared,
        sources={source_of(section.result): section.source_name for section in shown},
    )


def _tables(
    shown: Sequence[Section], settings: Settings, family: DeclaredFamily
) -> list[tuple[Table, list[Section]]]:
    """A table of the results of each measure, with their sections."""
    by_signature: dict[str, list[Section]] = {}
    for section in shown:
        by_signature.setdefault(section.result.signature, []).append(section)
    return [
        (page_table([(each.result, each.finding) for each in members], settings, family), members)
        for members in by_signature.values()
    ]


TEXTS = ("methods", "bibtex")
"""Texts for a manuscript that records of other kinds have too."""
FORMATS = ("html", *TABLES, WORD, *TEXTS, "sentences")
"""The page, tables, and texts for a manuscript."""
ENDINGS = {ending: form for ending, form in FORMS.items() if form in FORMATS}
"""The format of a file, by its ending."""
OTHER_ENDINGS = {"html-table": (".html", ".htm"), "methods": (".md",), "sentences": (".md",)}
"""Endings of files in formats that no ending chooses."""
PLAIN = ".txt"
"""Ending of a file in any format but HTML."""
INSTEAD = {
    PLAIN: "say what it holds: --format sentences or --format methods",
    **dict.fromkeys(DRAWINGS, "draw a figure: eatlas plot RESULTS --kind forest -o FILE"),
}
"""What to do about the ending of a file that is no report."""


def format_of(path: Path, format: str | None = None) -> str:  # noqa: A002
    """The format of a report in a file: the one that was asked for, or that of the ending.

    Raises
    ------
    ResultsError
        If the ending is that of another format, or of none.
    """
    ending = path.suffix.lower()
    if format is None and ending in ENDINGS:
        return ENDINGS[ending]
    if format is None:
        raise ResultsError(
            f"{path}: no report is written in this form",
            got=path.suffix or "a name without an ending",
            allowed=", ".join(ENDINGS),
            remedy=INSTEAD.get(ending, f"save it as {path.with_suffix('.html').name}"),
        )
    fitting = [ending for ending, form in ENDINGS.items() if form == format]
    fitting += OTHER_ENDINGS.get(format, ())
    if not format.startswith("html"):
        fitting.append(PLAIN)
    if format in FORMATS and ending and ending not in fitting:
        raise ResultsError(
            f"{path}: this is not the ending of a file in the format {format}",
            got=path.suffix,
            allowed=", ".join(fitting),
            remedy="give the file another ending, or leave the format out",
        )
    return format


def report_text(
    results: Iterable[AssociationResult] | Record,
    format: str = "html",  # noqa: A002  (as the command line calls it)
    *,
    damage: Iterable[ResultsError] = (),
    family: str = "level1",
    adjust: str = "holm",
    columns: str | None = None,
    images: Folders | None = None,
) -> str:
    """Write results as text in one of the formats; :func:`write_report` explains them.

    Raises
    ------
    ResultsError
        If an option has no such value, or there is nothing to put in a table.
    """
    if format not in FORMATS:
        raise ResultsError(
            f"there is no report in the format {format!r}{did_you_mean(format, FORMATS)}",
            allowed=", ".join(FORMATS),
        )
    if isinstance(results, Record):
        return _text_of_record(results, format, columns)
    if format == WORD:
        raise ResultsError(
            "a Word document is not text", remedy='write it to a file: write_report(..., "x.docx")'
        )
    if format == "html":
        return report_html(results, damage=damage, family=family, adjust=adjust, images=images)
    if format in TABLES:
        return report_table(results, format, family=family, adjust=adjust, columns=columns)
    if format == "sentences":
        return in_powers(results_section(results, getattr(results, "trends", ()))) + "\n"
    every, write = list(results), methods_paragraph if format == "methods" else bibtex
    declared = DeclaredFamily.of(every, family, adjust).of_several()
    written = write(every, declared, getattr(results, "trends", ())) + "\n"
    return in_powers(written) if format == "methods" else written


def _text_of_record(record: Record, format: str, columns: str | None) -> str:  # noqa: A002
    """A record that is no result in one of the formats, as its package writes it."""
    got = described(record)
    unknown = ResultsError("there is no report of this", got=got, allowed="results")
    point = require_point("pages", schema_name(record), unknown)
    text: str = call_point(point, str, record, format, columns)
    return text


def write_report(
    results: Iterable[AssociationResult] | Record,
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002
    damage: Iterable[ResultsError] = (),
    family: str = "level1",
    adjust: str = "holm",
    columns: str | None = None,
    images: Folders | None = None,
) -> None:
    """Write results as one file; it is written completely or not at all.

    Parameters
    ----------
    results : Results or iterable of results, or a record
        In a page, the jobs of ``Results`` that failed are listed too. Of a record of another kind,
        such as :func:`eatlas.scan` returns with ``themes``, only `columns` matters.
    path : path
        Its ending chooses the format: .html, .tex, .md, .csv or .bib.
    format : {"html", "latex", "markdown", "html-table", "csv", "docx", "methods", "bibtex", \
"sentences"}, optional
        One self-contained page; tables for a manuscript, one for each signature, with effect sizes,
        intervals, p-values and verdicts, of which docx is a Word document; the methods paragraph;
        the BibTeX entries of all works that it cites; or what each result shows, in sentences with
        their numbers. LaTeX needs the packages booktabs and array, a long
        table longtable, one that is too wide graphicx or lscape; the first line says which.
        Markdown is GitHub's. CSV has one row for each result, at full precision.
    damage : iterable of ResultsError
        What :func:`eatlas.results.salvage_results` could not read; a page names it.
    family : str, default "level1"
        Which p-values are adjusted together, "level1", "level2", "both" or "none", over the tests
        of each setting; with ",settings" over all results. :meth:`eatlas.Results.family` explains
        them.
    adjust : {"holm", "bh", "by"}
        The procedure.
    columns : {"narrow", "wide", "published"}, optional
        A narrow table has d, interval, the three p-values and the verdict, and fits between the
        margins of a page; a wide one also mean cosines, shares of resamples, adjusted numbers and
        random topics; a published one stars, p-values of single words and EAT patterns, as the
        paper of a measure prints them. By default LaTeX and Word are narrow, all else wide.
    images : path or list of paths, optional
        Of a page: folders that hold the images of the tests, of which it then has thumbnails. A
        file with other bytes is not shown.

    Raises
    ------
    ResultsError
        If the file cannot be written, its ending is that of no format or of another one, an option
        has no such value, or there is nothing to put in a table.

    Examples
    --------
    >>> import eatlas, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "report.html"
    ...     write_report(eatlas.run(tests="weat-6"), path)
    ...     "weat-6" in path.read_text(encoding="utf-8")
    True
    """
    form = format_of(Path(path), format)
    if form == WORD and not isinstance(results, Record):
        from eatlas.present.word import docx_bytes  # noqa: PLC0415  (few reports are a document)

        made = tables_of_report(results, form, family=family, adjust=adjust, columns=columns)
        content = docx_bytes(made)
        with atomic_file(Path(path), binary=True) as document:
            document.write(content)
        return
    text = report_text(
        results,
        form,
        damage=damage,
        family=family,
        adjust=adjust,
        columns=columns,
        images=images,
    )
    with atomic_file(Path(path)) as file:
        file.write(text)


def write_run(results: Results, folder: Path, pages: Mapping[str, str]) -> None:
    """Write results with their report, and pages by name; files of another run get other names."""
    texts = {folder / name: text for name, text in pages.items()}
    lines: Mapping[Path, Iterable[bytes]] = {
        path: text.encode().splitlines() for path, text in texts.items()
    }
    if len(results):
        every = (to_json_line(record).encode() for record in (*results, *results.trends))
        lines = {folder / USUAL_NAME: every}
    beside = (folder / USUAL_NAME, folder / REPORT, *texts)
    if moved := keep_others(lines, *(path for path in beside if path not in lines)):
        values = {"folder": str(folder), "files": list(map(str, moved))}
        warn(Note("run.files-moved", values=values))
    with atomic_files() as new:
        for path, text in texts.items():
            new(path).write(text)
    if len(results):
        results.write(folder / USUAL_NAME)
        write_report(results, folder / REPORT)
