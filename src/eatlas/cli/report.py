"""``eatlas report``: results files to one page of HTML, or to tables and texts for a paper."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from eatlas.cli.messages import complain, output_of_a_command, print_line
from eatlas.errors import ResultsError
from eatlas.plugins import absent, call_point, points
from eatlas.present import report_text, write_report
from eatlas.present.overview import IN_FULL, overview_html
from eatlas.present.report import format_of
from eatlas.present.tables import PUBLISHED, WORD
from eatlas.results import Results, salvage_results
from eatlas.results.collection import STORE_ENDING
from eatlas.results.json_lines import schema_of
from eatlas.writing import atomic_file, require_other_file

if TYPE_CHECKING:
    from eatlas.results.scan import ResultsScan

PAGE, FAMILY = "html", "level1"
OWN = ("", "result", "trend")
"""Schemas of lines of results, and of what is none."""


def report(
    results: list[Path],
    *,
    output: Path | None = None,
    form: str | None = None,
    family: str = FAMILY,
    columns: str | None = None,
    as_published: bool = False,
    images: list[Path] | None = None,
    where: list[str] | None = None,
) -> None:
    """Make a report of results files: one self-contained HTML page, tables, or texts.

    If a file is damaged, the report shows its intact results, the command names its bad lines, and
    the exit code is 1.

    Parameters
    ----------
    results : RESULTS...
        Results files of eatlas run, such as results.jsonl, or a store; or files of other commands,
        to which not every option applies.
    output : -o, --output FILE
        The file to write. Its ending chooses the format: .html the page, .tex latex, .md markdown,
        .csv csv, .docx docx, .bib bibtex. [default: report.html or report.docx; other formats go to
        standard output]
    form : --format html|latex|markdown|html-table|docx|csv|methods|bibtex|sentences
        html: the page. latex, markdown, html-table, docx (Word): tables for a
        manuscript. csv: all numbers in full. methods: the methods paragraph. bibtex: all works that
        it cites. sentences: the results section, what each result shows with its numbers. [default:
        from the ending of FILE; html without a file]
    family : level1|level2|both|none[,settings]
        p-values that Holm's correction adjusts together: the tests in one setting (source, measure,
        period, window), or with ,settings all results.
    columns : narrow|wide
        Columns of tables. narrow: d, interval, the three p-values and the verdict. wide: all.
        [default: narrow for latex and docx, which fits between the margins of a page; else wide]
    as_published : bool
        Tables as the paper of a measure prints them, with stars and EAT patterns by its rule. For
        ML-EAT, the three levels, level 2 shaded by sign and significance; for DivDist, each
        target's proportion minus its reference, by source.
    images : DIR
        Folder with the images of the tests, for small pictures in the page. Files are recognised by
        their content. May be repeated. [default: none; results files hold no images]
    where : COLUMN=VALUE
        Of a store, the results with this value in a column, such as test=weat-6; also with !=, <,
        <=, > or >=. May be repeated: all must hold. A report of more than 1,000 results has
        tables of counts by test and by source instead.
    """
    if output is not None:
        form = format_of(output, form)
    form = form or PAGE
    if as_published and columns is not None:
        raise ResultsError(
            "published tables have their own columns", got=f"--as-published --columns {columns}"
        )
    columns = PUBLISHED if as_published else columns
    target = output or (Path(f"report.{form}") if form in (PAGE, WORD) else None)
    options = {
        "--as-published" if as_published else "--columns": columns,
        "--family": family,
        "--images": images,
    }
    if document := _document(results):
        if target is not None:
            _require_others(target, results)
        given = {name: value for name, value in options.items() if value and value != FAMILY}
        _hand_out(call_point(document, str, results, form, given), target)
        raise typer.Exit(0)

    stores = [path for path in results if path.suffix.lower() == STORE_ENDING]
    if where and (len(stores) != 1 or len(results) != 1):
        raise ResultsError(
            "--where selects results of one store",
            got=", ".join(map(str, results)),
            allowed=f"one store, NAME{STORE_ENDING}",
        )
    if stores and len(results) == 1:
        scan = Results.scan(stores[0])
        chosen = scan.choose(where or ())
        if (len(scan) if chosen is None else int(chosen.sum())) > IN_FULL:
            _report_many(scan, form, target, where or ())
            raise typer.Exit(0)
        good: Results = Results(scan.records(chosen))
        damage: tuple[ResultsError, ...] = ()
        _require_some(good, [*map(str, results), *(where or ())])
    else:
        good, damage = salvage(results, target)
    if target is None:
        _print(report_text(good, form, family=family, columns=columns, images=images))
    else:
        write_report(
            good, target, format=form, damage=damage, family=family, columns=columns, images=images
        )
        print_line(f"report: {target}")
    raise typer.Exit(1 if damage else 0)


def _report_many(scan: ResultsScan, form: str, target: Path | None, where: Sequence[str]) -> None:
    """The page of very many results, or their frame as CSV."""
    if form == "csv":
        text = scan.to_frame("all", where).to_csv(index=False)
    elif form == PAGE:
        text = overview_html(scan, scan.path, where)
    else:
        raise ResultsError(
            f"{scan.path}: this format is for at most {IN_FULL:,} results",
            got=f"--format {form}",
            allowed="html or csv",
            remedy="select results: --where test=ID",
        )
    if target is not None:
        _require_others(target, [scan.path, *scan.parts])
    _hand_out(text, target)


def _document(paths: list[Path]) -> EntryPoint | None:
    """The function that reports files of this schema, where another package adds one."""
    for schema in dict.fromkeys(map(schema_of, paths)):
        if schema not in OWN:
            documents = points("eatlas.documents", own=OWN)
            if schema in documents:
                return documents[schema]
            if error := absent("documents", schema):
                raise error
    return None


def _require_others(target: Path, paths: list[Path]) -> None:
    """Refuse a file to write that is one of those that are read: FILE, or FILE.json next to it."""
    tables = [path.with_name(path.name.removesuffix(".json")) for path in paths]
    summaries = [path.with_name(f"{path.name}.json") for path in paths]
    require_other_file(target, [*paths, *tables, *summaries])


def _hand_out(text: str, target: Path | None) -> None:
    """Print a report, or write it to a file and name that."""
    if target is None:
        _print(text)
        return
    with atomic_file(target) as file:
        file.write(text)
    print_line(f"report: {target}")


def _print(text: str) -> None:
    """Write a text to standard output."""
    with output_of_a_command():
        sys.stdout.buffer.write(text.encode())  # UTF-8, whatever the terminal


def salvage(paths: list[Path], target: Path | None) -> tuple[Results, tuple[ResultsError, ...]]:
    """What can be read; what cannot is named at once."""
    if target is not None:
        require_other_file(target, paths)
    good, damage = salvage_results(paths)
    for error in damage:
        complain(error)
    if not len(good) and damage:
        raise ResultsError("no result could be read, so nothing was written")
    _require_some(good, paths)
    return good, damage


def _require_some(good: Results, given: Sequence[object]) -> None:
    """Refuse to write a report of no result."""
    if not len(good):
        raise ResultsError(
            "there are no results in these files, so nothing was written",
            got=", ".join(map(str, given)),
        )
