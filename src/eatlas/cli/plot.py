"""``eatlas plot``: a drawing of results files, for a paper."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import typer

from eatlas.cli.messages import print_line
from eatlas.cli.report import salvage
from eatlas.errors import ResultsError
from eatlas.present.drawings.kinds import find_kind
from eatlas.present.drawings.plot import plot as draw
from eatlas.present.drawings.plot import require_ending
from eatlas.writing import require_other_file


def plot(
    results: list[Path],
    *,
    kind: str | None = None,
    width: str | None = None,
    output: Path = Path("figure.svg"),
    title: str | None = None,
    alpha: float | None = None,
    by: str | None = None,
    pair: list[str] | None = None,
) -> None:
    """Draw results files as a figure for a paper: PDF, SVG or PNG.

    The command prints a draft of the caption. A figure that is longer than a page becomes several
    files. If a results file is damaged, the command draws its intact results, names its bad lines
    and exits with code 1.

    Parameters
    ----------
    results : RESULTS...
        Results files of eatlas run, such as results.jsonl; or, for some kinds, another file, such
        as the folder of a study.
    kind : KIND
        eat-map, findings, forest, adjusted, plane, influence, resamples, matrix, table,
        significance, scatter, timeline, targets, triangle or null, or a kind that a package adds.
        [default: eat-map for one result with an EAT pattern, targets for one of divdist; else
        forest]
    width : single|double|MM
        Width in print: one column of a journal (89 mm), two columns (183 mm), or millimetres.
        Letters have 7 points at this size. [default: the size for a screen]
    output : -o, --output FILE
        The file to write. Its ending chooses the form: .pdf, .svg or .png. PDF and PNG need
        pip install 'eatlas[plots]'.
    title : TEXT
        Title of the figure; '' for no title. [default: the finding]
    alpha : NUMBER
        For significance: the level below which an adjusted p-value fills a cell.
    by : RESPECT
        For scatter: what the two methods differ in, such as source or measure.
    pair : METHOD
        For scatter: a method to plot. Give the option twice; the first method is the horizontal
        axis.
    """
    require_ending(output)
    read = find_kind(kind).read if kind else None
    damage: tuple[ResultsError, ...] = ()
    if read is not None and len(results) == 1:
        require_other_file(output, results)
        shown = read(results[0])
    else:
        good, damage = salvage(results, output)
        shown = good[0] if len(good) == 1 else good
    methods: Any = pair and tuple(pair)  # a scatter refuses another number
    millimetres = _number_or_name(width)
    drawing = draw(shown, kind, width=millimetres, title=title, alpha=alpha, by=by, pair=methods)
    drawing.save(output)
    for path in drawing.files(output):
        print_line(f"figure: {path}")
    if drawing.description:
        print_line(f"caption: {drawing.description}")
    raise typer.Exit(1 if damage else 0)


def _number_or_name(width: str | None) -> float | str | None:
    """A width in millimetres, or its name."""
    try:
        return None if width is None else float(width)
    except ValueError:
        return width
