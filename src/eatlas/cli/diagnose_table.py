"""A diagnosis as a table for a terminal: each figure, its value, what it means."""

from __future__ import annotations

import io
import shutil
import sys
from itertools import chain

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from eatlas.report.text import one_line
from eatlas.results.diagnosis import Diagnosis
from eatlas.results.diagnosis_words import Reading, readings, verdict

ASCII = str.maketrans({"─": "-", "–": "-", "\N{MINUS SIGN}": "-"})
"""For terminals that know no others."""
FINE, DOUBTFUL = "fine", "doubtful"
WIDTHS = (60, 110)
"""Columns below which sentences become towers, and above which lines are hard to follow."""


def print_diagnosis(found: Diagnosis) -> None:
    """Print the verdict, a table of all figures, and what passes a limit."""
    text = _rendered(found)
    encoding = sys.stdout.encoding or "utf-8"
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        text = text.translate(ASCII).encode(encoding, "backslashreplace").decode(encoding)
    sys.stdout.write(text)


def _rendered(found: Diagnosis) -> str:
    columns = shutil.get_terminal_size((WIDTHS[1], 0)).columns
    colours = sys.stdout.isatty()
    console = Console(
        file=io.StringIO(),
        width=min(max(columns, WIDTHS[0]), WIDTHS[1]),
        force_terminal=colours,
        highlight=False,
    )
    zero = f"; {found.zero:,} zero vectors left out" if found.zero else ""
    size = f"{found.vectors:,} vectors of {found.dim} components{zero}"
    with console.capture() as captured:
        console.print(Text(f"{one_line(found.source)}: {size}", "bold"))
        console.print(Text(verdict(found)))
        console.print()
        console.print(_table(found))
        for warning in found.warnings:
            console.print(Text.assemble(("WARNING: ", "bold"), warning))
    # rich fills lines up with blanks
    return "".join(
        chain.from_iterable((line.rstrip(), "\n") for line in captured.get().split("\n"))
    )


def _table(found: Diagnosis) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), pad_edge=False)
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
