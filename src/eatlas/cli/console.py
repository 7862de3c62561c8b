"""Tables and text of rich on standard output, as wide as their content needs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from eatlas.cli.messages import cleaned
from eatlas.present.columns import Cell
from eatlas.present.columns import Table as Arranged

ON = "■+", "not dim bold red"
"""Squares of an EAT-Map that are on, and their style."""
ASCII = str.maketrans(
    {"\N{MINUS SIGN}": "-", "–": "-", "─": "-", "│": "|", "…": "~", "■": "#", "□": ".", "▨": "?"}
)
"""For terminals that know no others."""
PIPE_WIDTH = 140
"""Columns where the output is no terminal and COLUMNS is not set."""
LONGEST_LABEL = 34
"""Greatest width of the labels' column, where a line of a label is not longer."""


def new_console() -> Console:
    """A console of standard output that takes no text for markup."""
    console = Console(highlight=False, markup=False, emoji=False)
    if not console.is_terminal and "COLUMNS" not in console._environ:
        console.width = PIPE_WIDTH
    return console


def table_of(heads: Sequence[str], rows: Iterable[Sequence[str | Text]], align: str = "l") -> Table:
    """A table of labels in the first column, then numbers or words.

    `align` has ``l`` for a column of words and ``r`` for one of numbers, as in LaTeX; those that it
    does not reach hold numbers. The first line of a label is never folded.
    """
    cells = list(rows)
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 1), pad_edge=False)
    for head, side in zip(heads, align.ljust(len(heads), "r"), strict=True):
        table.add_column(head, justify="left" if side == "l" else "right", no_wrap=True)
    labels = [*heads[0].split("\n"), *(str(row[0]).partition("\n")[0] for row in cells if row)]
    longest, first = max(map(cell_len, labels), default=0), table.columns[0]
    first.min_width, first.max_width = longest, max(LONGEST_LABEL, longest)
    first.no_wrap, first.overflow = False, "fold"
    for row in cells:
        table.add_row(*row)
    return table


def rich_table(table: Arranged, *, between: str = "\n") -> Table:
    """A table of results as the terminal shows it; `between` is what separates lines of a cell.

    The first line of a cell stands out, others are dim; stars hang to the right of numbers.
    """
    starred = [
        any(cell.star for cell in cells) for cells in zip_longest(*table.rows, fillvalue=Cell(()))
    ]
    rows = []
    for cells in table.rows:
        row = []
        for cell, hangs in zip(cells, starred, strict=False):
            (first, *others), hang = cell.lines, " " * (hangs and between == "\n")
            style = "bold" if cell.strong or cell.star else "dim" if cell.faint else ""
            maps = [f" {line}" for line in cell.beside] + [""] * len(cell.lines)
            below = "".join(
                f"{between}{x}{hang}{m}" for x, m in zip(others, maps[1:], strict=False)
            )
            first += "*" if cell.star else hang
            text = Text.assemble((first, style), (maps[0], "dim"), (below, "dim"))
            if cell.faint or cell.beside:
                text.highlight_regex(*ON)
            row.append(text)
        rows.append(row)
    align = "".join("r" if column.number else "l" for column in table.columns)
    made = table_of([column.short or column.title for column in table.columns], rows, align)
    made.caption, made.caption_justify = Text(table.caption), "left"
    return made


def say(console: Console, text: str, style: str = "", *, head: str = "") -> None:
    """Print a text, with a bold head before it."""
    show(console, Text.assemble((head, "bold"), (text, style)))


def show(console: Console, what: Table | Text, *, least: bool = True) -> None:
    """Print a table at the `least` width that its content needs, however narrow the terminal.

    In plainer letters where the terminal does not know them.
    """
    width, what = console.width, cleaned(what)
    with console.capture() as captured:
        if isinstance(what, Text):
            console.print(what, soft_wrap=not console.is_terminal)
        else:
            console.width = max(width, least_width(what, console)) if least else width
            console.print(what)
    console.width = width
    text = captured.get()
    if not console.is_terminal:  # a log has no use for the blanks that fill a column
        text = "".join(f"{line.rstrip(' ')}\n" for line in text.splitlines())
    try:
        text.encode(console.encoding)
    except UnicodeEncodeError:
        plainer = text.translate(ASCII).encode(console.encoding, "backslashreplace")
        text = plainer.decode(console.encoding)
    sys.stdout.write(text)


def least_width(table: Table, console: Console) -> int:
    """Width of the table when its first column, whose labels fold, is as narrow as may be."""
    first = table.columns[0]
    widest, first.max_width = first.max_width, first.min_width
    least = Measurement.get(console, console.options.update(width=10_000), table).maximum
    first.max_width = widest
    return least
