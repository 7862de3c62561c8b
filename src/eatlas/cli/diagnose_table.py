"""A diagnosis as a table for a terminal: each figure, its value, what it means."""

from __future__ import annotations

import io
import shutil
import sys
from collections.abc import Sequence
from itertools import chain
from os.path import commonprefix

from rich.console import Console
from rich.table import Table
from rich.text import Text

from eatlas.cli.console import new_table, write
from eatlas.cli.messages import cleaned
from eatlas.present.text import one_line
from eatlas.results.diagnosis import Diagnosis
from eatlas.results.diagnosis_words import Reading, readings, verdict

FINE, DOUBTFUL = "fine", "doubtful"
WIDTHS = (60, 110)
"""Columns below which sentences become towers, and above which lines are hard to follow."""


def print_diagnosis(found: Diagnosis) -> None:
    """Print the verdict, a table of all figures, and what passes a limit."""
    zero = f"; {found.zero:,} zero vectors left out" if found.zero else ""
    size = f"{found.vectors:,} vectors of {found.dim} components{zero}"
    _write(
        Text(f"{one_line(found.source)}: {size}", "bold"),
        Text(verdict(found)),
        "",
        _table(found),
        *_warnings(found),
    )


def print_diagnoses(found: Sequence[Diagnosis]) -> None:
    """Print the figures of several sources, such as the layers of a model, side by side."""
    table = new_table()
    shared = _shared([one.source for one in found])
    table.add_column("Source" if not shared else "", overflow="fold")
    heads = ("mean cosine", "sd", "IsoScore", "top\ncomponent", "loudest\ndimension", "")
    for head in heads:
        table.add_column(head, justify="right" if head else "left", no_wrap=True)
    for one in found:
        doubtful = any(reading.doubtful for reading in readings(one))
        table.add_row(
            one_line(one.source[len(shared) :]),
            f"{one.mean_cosine:.3f}",
            f"{one.sd_cosine:.3f}",
            "–" if one.iso_score is None else f"{one.iso_score:.3f}",
            "–" if one.variance is None else f"{one.variance.top1:.0%}",
            f"{one.loudest.dimension}: {one.loudest.length:.0%}",
            Text(DOUBTFUL, "bold red") if doubtful else Text(FINE, "green"),
        )
    sizes = sorted({one.vectors for one in found})
    spread = f"{sizes[0]:,} to {sizes[-1]:,}" if len(sizes) > 1 else f"{sizes[0]:,}"
    vectors = f"{len(found)} sources, {spread} vectors of each"
    if shared:
        vectors = f"{one_line(shared.rstrip('?&'))}: {vectors}"
    said = "Mean cosine: of two texts; IsoScore: 1 where all directions vary alike; top component "
    said += "and loudest dimension: share of variance and of squared length. One source alone is "
    _write(Text(vectors, "bold"), "", table, Text(f"{said}shown with every figure.", "dim"))


def _shared(names: Sequence[str]) -> str:
    """What the source strings of one model begin with, up to the option in which they differ."""
    begin = commonprefix(names)  # noqa: RUF071  (characters, not folders)
    end = max(begin.rfind("?"), begin.rfind("&")) + 1
    return begin[:end]


def _warnings(found: Diagnosis) -> list[Text]:
    return [Text.assemble(("WARNING: ", "bold"), warning) for warning in found.warnings]


def _write(*parts: Text | Table | str) -> None:
    write(_rendered(parts), sys.stdout.encoding or "utf-8")


def _rendered(parts: Sequence[Text | Table | str]) -> str:
    columns = shutil.get_terminal_size((WIDTHS[1], 0)).columns
    colours = sys.stdout.isatty()
    console = Console(
        file=io.StringIO(),
        width=min(max(columns, WIDTHS[0]), WIDTHS[1]),
        force_terminal=colours,
        highlight=False,
        markup=False,
        emoji=False,
    )
    with console.capture() as captured:
        for part in parts:
            console.print(cleaned(Text(part) if isinstance(part, str) else part))
    # rich fills lines up with blanks
    return "".join(
        chain.from_iterable((line.rstrip(), "\n") for line in captured.get().split("\n"))
    )


def _table(found: Diagnosis) -> Table:
    table = new_table()
    table.add_column("Figure", ratio=5, overflow="fold")
    table.add_column("Value", ratio=5, overflow="fold")
    table.add_column("", min_width=len(DOUBTFUL), no_wrap=True)
    table.add_column("What it means", ratio=12, overflow="fold")
    for reading in readings(found):
        value = "\n".join(map(one_line, reading.value.split("\n")))
        table.add_row(
            Text(reading.figure, "bold"),
            Text(value),
            _sign(reading),
            Text(one_line(reading.meaning)),
        )
        table.add_row()
    return table


def _sign(reading: Reading) -> Text:
    if reading.doubtful is None:
        return Text("")
    return Text(DOUBTFUL, "bold red") if reading.doubtful else Text(FINE, "green")
