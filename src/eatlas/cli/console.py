"""Tables and text of rich on standard output, no wider than the terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import copy
from dataclasses import replace
from io import StringIO
from itertools import accumulate, zip_longest
from typing import Any

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

from eatlas.cli.messages import plain
from eatlas.present.columns import Cell
from eatlas.present.columns import Table as Arranged

ASCII = str.maketrans({
    "\N{MINUS SIGN}": "-", "–": "-", "─": "-", "│": "|", "…": "~",
    "“": '"', "”": '"', "→": ">",
})  # fmt: skip
"""For terminals that know no others."""
PROSE = 100
"""The most columns of a text, and those of an output that is no terminal where COLUMNS is not
set."""
LONGEST_LABEL = 34
"""Greatest width of the labels' column, where a line of a label is not longer."""


def make_plain(what: Any) -> Any:
    """A text or a table of rich, made plain in place; texts are no markup."""
    if isinstance(what, str):
        return Text(plain(what))
    if isinstance(what, Text):
        what.plain = plain(what.plain)
        return what
    for column in what.columns:
        column.header = make_plain(column.header)
        column._cells[:] = map(make_plain, column._cells)
    what.title, what.caption = (part and make_plain(part) for part in (what.title, what.caption))
    return what


def new_console(file: StringIO | None = None) -> Console:
    """A console of standard output, or of a text without colours, that takes no text for markup."""
    plain_text: dict[str, Any] = {"force_terminal": False, "force_jupyter": False}
    options = {} if file is None else {"file": file, "color_system": None, **plain_text}
    console = Console(highlight=False, markup=False, emoji=False, **options)
    if not console.is_terminal and "COLUMNS" not in console._environ:
        console.width = PROSE
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
            below = "".join(f"{between}{line}{hang}" for line in others)
            first += "*" if cell.star else hang
            text = Text.assemble((first, style), (below, "dim"))
            row.append(text)
        rows.append(row)
    align = "".join("r" if column.number else "l" for column in table.columns)
    made = table_of([column.short or column.title for column in table.columns], rows, align)
    made.caption, made.caption_justify = Text(table.caption), "left"
    return made


def in_words(signature: str) -> str:
    """A signature that may be broken after each of its parameters."""
    return signature.replace(",", ", ")


def say(console: Console, text: str, style: str = "", *, head: str = "", hang: int = 0) -> None:
    """Print a text with a bold head before it; all lines but the first `hang` in."""
    show(console, Text.assemble((head, "bold"), (text, style)), hang=hang)


def show(console: Console, what: Table | Text, *, hang: int = 0, folds: bool = False) -> None:
    """Print a text or a table at the width of the terminal, in plainer letters where it needs them.

    A table that is too wide goes on in another below it, unless all its columns fold.
    """
    width, what = console.width, make_plain(what)
    with console.capture() as captured:
        if isinstance(what, Text):
            lines = what.wrap(console, min(width, PROSE) - hang, overflow="fold")
            for number, line in enumerate(lines):
                console.print(Text(" " * hang * (number > 0)) + line, soft_wrap=True)
        elif folds:
            console.width = min(width, PROSE)
            console.print(what)
        else:
            for table, least in narrow(what, console):
                # a label is wider than some terminals, which wrap it themselves
                console.width = max(width, least)
                console.print(table)
    console.width = width
    text = captured.get()
    if not console.is_terminal:  # a log has no use for the blanks that fill a column
        text = "".join(f"{line.rstrip(' ')}\n" for line in text.splitlines())
    try:
        text.encode(console.encoding)
    except UnicodeEncodeError:
        plainer = text.translate(ASCII).encode(console.encoding, "backslashreplace")
        text = plainer.decode(console.encoding)
    console.file.write(text)


def narrow(table: Table, console: Console) -> Iterator[tuple[Table, int]]:
    """A table, or several of its first column and as many others as the terminal has room for.

    With the least width of each.
    """

    def part_of(columns: Sequence[Column]) -> Table:
        part = copy(table)
        part.columns = [replace(c, _index=i) for i, c in enumerate(columns)]
        return part

    first, *rest = table.columns
    widths = [least_width(part_of([column]), console) for column in rest]
    if rest:  # a column that is not the first has a gap before it
        gap = least_width(part_of([rest[0], rest[0]]), console) - 2 * widths[0]
        widths = [gap + width for width in widths]
    # versions of rich pad a column that has a least width, but not if it is the only column
    alone = least_width(part_of([first, *rest[:1]]), console) - sum(widths[:1])
    whole = alone + sum(widths)
    if whole <= console.width or any(alone + width > console.width for width in widths):
        yield table, whole
        return
    while rest:
        reached = [alone + width for width in accumulate(widths)]
        number = sum(width <= console.width for width in reached)
        part = part_of([first, *rest[:number]])
        rest, widths = rest[number:], widths[number:]
        part.caption = None if rest else table.caption
        yield part, reached[number - 1]


def least_width(table: Table, console: Console) -> int:
    """Width of the table when its first column, whose labels fold, is as narrow as may be."""
    first = table.columns[0]
    widest, first.max_width = first.max_width, first.min_width
    least = Measurement.get(console, console.options.update(width=10_000), table).maximum
    first.max_width = widest
    return least
