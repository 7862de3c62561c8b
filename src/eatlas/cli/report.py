"""``eatlas report``: results files to one page of HTML, or to tables for a manuscript."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from eatlas.cli.messages import complain, output_of_a_command, print_line
from eatlas.errors import ResultsError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eatlas.results import Results
    from eatlas.results.themes import ThemesResult

PAGE = "html"


def report(
    results: list[Path],
    *,
    output: Path | None = None,
    form: str = PAGE,
    family: str = "level1",
    columns: str | None = None,
    images: list[Path] | None = None,
) -> None:
    """Make a report of results files: one self-contained HTML page, tables, or texts.

    If a file is damaged, its intact results are shown, its bad lines are named and the exit code is
    1.

    Parameters
    ----------
    results : RESULTS...
        results.jsonl of eatlas run; or WORDS.csv of eatlas scan --themes, alone: family and images
        have no meaning for it, and csv has columns that --names of eatlas scan reads; or card.json
        of eatlas protocol, of several measures: a table of their correlations with a census.
    output : -o, --output FILE
        The file to write. [default: report.html; all others go to standard output]
    form : --format html|latex|markdown|html-table|csv|methods|bibtex
        html: the page. latex, markdown, html-table: tables for a
        manuscript. csv: all numbers in full. methods: the methods paragraph. bibtex: all works that
        it cites.
    family : level1|level2|both|none[,settings]
        p-values that Holm's correction adjusts together: those of the tests in one setting
        (source, measure, period, window); with ,settings those of all results.
    columns : narrow|wide|paper
        Columns of latex, markdown and html-table. narrow: d, interval, p and pattern. wide: all.
        paper: as the paper of a measure prints them, of ML-EAT the three levels, level 2 shaded by
        sign and significance, of DivDist the share of each target less its reference, by source.
        [default: narrow for latex, which fits between the margins of a page; else wide]
    images : DIR
        Folder with the images of the tests, for small pictures in the page. Files are recognised by
        their content. May be repeated. [default: none; results files hold no images]
    """
    from eatlas.apps.protocol.census_table import is_card  # noqa: PLC0415  (--help need not wait)
    from eatlas.present import report_text, write_report  # noqa: PLC0415
    from eatlas.results.themes import is_scan  # noqa: PLC0415

    if any(map(is_card, results)):
        _cards(results, output, form, given={"--columns": columns, "--images": images})
        raise typer.Exit(0)
    target = output or (Path("report.html") if form == PAGE else None)
    good: Results | ThemesResult
    damage: tuple[ResultsError, ...] = ()
    if any(map(is_scan, results)):
        good = _themes(results, target, family, images)
    else:
        good, damage = _salvaged(results, target)
    if target is None:
        _print(report_text(good, form, family=family, columns=columns, images=images))
    else:
        write_report(
            good, target, format=form, damage=damage, family=family, columns=columns, images=images
        )
        print_line(f"report: {target}")
    raise typer.Exit(1 if damage else 0)


def _print(text: str) -> None:
    """Write a text to standard output."""
    with output_of_a_command():
        sys.stdout.buffer.write(text.encode())  # UTF-8, whatever the terminal


def _cards(paths: list[Path], target: Path | None, form: str, given: Mapping[str, object]) -> None:
    """Write the table of measure cards."""
    from eatlas.apps.protocol.census_table import census_table, is_card  # noqa: PLC0415
    from eatlas.apps.protocol.evidence import read_card  # noqa: PLC0415
    from eatlas.present.tables import FORMATS  # noqa: PLC0415
    from eatlas.writing import atomic_file, require_other_file  # noqa: PLC0415

    others = [str(path) for path in paths if not is_card(path)]
    if others:
        raise ResultsError(
            "a table of measure cards is of cards alone",
            got=", ".join(others),
            remedy="make a report of the other files by themselves",
        )
    if form not in FORMATS:
        raise ResultsError(
            f"measure cards have no report in the format {form}",
            got=", ".join(map(str, paths)),
            allowed=", ".join(FORMATS),
            remedy="card.html, beside card.json, is the page of a card",
        )
    for option, value in given.items():
        if value:
            raise ResultsError(
                f"{option} has no meaning for measure cards", got=str(value), remedy="leave it out"
            )
    if target is not None:
        require_other_file(target, paths)
    text = census_table(map(read_card, paths), form)
    if target is None:
        _print(text)
        return
    with atomic_file(target) as file:
        file.write(text)
    print_line(f"report: {target}")


def _themes(
    paths: list[Path], target: Path | None, family: str, images: list[Path] | None
) -> ThemesResult:
    """The one search for themes that a report is of."""
    from eatlas.results.scan import files_of  # noqa: PLC0415
    from eatlas.results.themes import read_themes  # noqa: PLC0415
    from eatlas.writing import require_other_file  # noqa: PLC0415

    if len(paths) > 1:
        raise ResultsError(
            "a report of themes is of one scan alone",
            got=", ".join(map(str, paths)),
            remedy="make a report of each, and another one of results.jsonl",
        )
    if images or family != "level1":
        raise ResultsError(
            f"{'--images' if images else '--family'} has no meaning for themes",
            got=str(paths[0]),
            remedy="leave it out: themes are adjusted together by maxT",
        )
    if target is not None:
        require_other_file(target, files_of(paths[0]))
    return read_themes(paths[0])


def _salvaged(paths: list[Path], target: Path | None) -> tuple[Results, tuple[ResultsError, ...]]:
    """What can be read; what cannot is named at once."""
    from eatlas.results import salvage_results  # noqa: PLC0415
    from eatlas.writing import require_other_file  # noqa: PLC0415

    if target is not None:
        require_other_file(target, paths)
    good, damage = salvage_results(paths)
    for error in damage:
        complain(error)
    if not len(good) and damage:
        raise ResultsError("no results could be read, so no report was written")
    if not len(good):
        raise ResultsError(
            "there are no results in these files, so no report was written",
            got=", ".join(map(str, paths)),
        )
    return good, damage
