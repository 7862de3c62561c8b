"""Published tables as the terminal and the page show them: numbers as text, row by row."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial

from eatlas.numbers import MINUS, SMALLEST, effect, p_value
from eatlas_workbench.replication.cells import RHO, Cell
from eatlas_workbench.replication.recipe import PaperTable
from eatlas_workbench.replication.replicate import Replication

MEAN, SD = " mean", " sd"
"""Ends of the names of two columns that are shown as one, ``.10 (.08)``."""
PRINTED, COMPUTED = "paper", "ours"
Arranged = tuple[list[str], list[list[str]], str]
"""Heads, rows, and the alignment of the columns."""


@dataclass
class Entry:
    """One field of a table: what is printed and computed there, and what other models have."""

    cell: Cell | None = None
    others: list[Cell] = field(default_factory=list)

    @property
    def cells(self) -> list[Cell]:
        """All cells."""
        return [*([self.cell] if self.cell else []), *self.others]


@dataclass(frozen=True)
class Grid:
    """A published table with what was computed for it."""

    table: PaperTable
    rows: dict[str, dict[str, Entry]]
    """Entries by row and column."""
    missing: tuple[str, ...] = ()
    """Why nothing was computed for the paper's models."""

    @cached_property
    def cells(self) -> list[Cell]:
        """All cells, row by row."""
        return [c for row in self.rows.values() for entry in row.values() for c in entry.cells]

    @cached_property
    def columns(self) -> list[str]:
        """Names of the columns, in the order of the fullest row; those of other models last."""

        def count_cells(row: dict[str, Entry]) -> int:
            return sum(entry.cell is not None for entry in row.values())

        fullest_first = sorted(self.rows.values(), key=count_cells, reverse=True)
        names = dict.fromkeys(name for row in fullest_first for name in row)
        return sorted(names, key=lambda name: all(cell.own for cell in self.column(name)))

    @property
    def columns_with_values(self) -> list[str]:
        """Columns in which something was computed."""
        return [name for name in self.columns if any(c.source for c in self.column(name))]

    @property
    def rows_with_values(self) -> list[str]:
        """Rows in which something was computed."""
        return list(dict.fromkeys(cell.row for cell in self.cells if cell.source))

    def column(self, name: str) -> list[Cell]:
        """The cells of a column."""
        return [c for row in self.rows.values() if name in row for c in row[name].cells]

    @property
    def is_of_models(self) -> bool:
        """Whether columns are of different models, and not of different numbers of one."""
        models = {cell.model for cell in self.cells if not cell.own}
        return len(models) > 1 and not self.table.of_numbers

    @property
    def agree(self) -> list[bool]:
        """Of each cell with both numbers, whether they are the same."""
        return [cell.agrees for cell in self.cells if cell.agrees is not None]

    @property
    def stars(self) -> list[bool]:
        """Of each cell with printed and computed stars, whether they are the same."""
        both = [c for c in self._cells_with_stars if c.own_star is not None]
        return [cell.star == cell.own_star for cell in both]

    @property
    def exact_stars(self) -> list[bool]:
        """The same of stars by counted permutations, where a normal distribution gave the p."""
        both = [c for c in self._cells_with_stars if c.exact_star is not None]
        return [cell.star == cell.exact_star for cell in both]

    @property
    def _cells_with_stars(self) -> list[Cell]:
        """Cells of the paper's models that may have stars."""
        return [cell for cell in self.cells if cell.star is not None and not cell.own]

    @property
    def differ(self) -> list[Cell]:
        """Cells whose numbers differ."""
        return [cell for cell in self.cells if cell.agrees is False]

    @property
    def sources(self) -> list[str]:
        """What stands for the paper's models here."""
        return list(dict.fromkeys(c.source for c in self.cells if c.source and not c.own))

    @property
    def others(self) -> list[str]:
        """Names of the models that the paper does not have."""
        return list(dict.fromkeys(cell.model for cell in self.cells if cell.own))


def grids(replication: Replication) -> list[Grid]:
    """The published tables of a replication, in their order."""
    missing = {model.id: "; ".join(model.missing) for model in replication.models}
    made = []
    for table in replication.tables:
        rows: dict[str, dict[str, Entry]] = {}
        cells = [cell for cell in replication if cell.table == table.id]
        for cell in cells:
            entry = rows.setdefault(cell.row, {}).setdefault(cell.column, Entry())
            if cell.own:
                entry.others.append(cell)
            else:
                entry.cell = cell
        unmeasured = [] if any(cell.source for cell in cells) else cells
        no_recipe = table.not_run or "eatlas has no recipe for these numbers"
        why = (
            missing[name] if cell.question.can_be_measured else no_recipe
            for cell in unmeasured
            for name in cell.models
        )
        made.append(Grid(table, rows, tuple(dict.fromkeys(filter(None, why)))))
    return made


# --- numbers as text ------------------------------------------------------------------------------


def text_in_print(cell: Cell) -> str:
    """A published cell as printed, with its stars; a dash where it is missing."""
    if cell.number is None:
        return cell.text or "–"
    return cell.text.replace("-", MINUS) + "*" * (cell.star or 0)


def value_text(cell: Cell) -> str:
    """What was computed, with as many decimals as are printed; empty where nothing was."""
    if not cell.source:
        return ""
    if cell.value is None or isinstance(cell.value, str):
        return cell.value or "undefined"
    if ".p." in cell.question.place and (not cell.form or cell.value < 0.5 * 10.0**-cell.decimals):
        # a small p would round to 0
        return f"{cell.value:.2g}" if cell.value > SMALLEST else p_value(cell.value)
    text = effect(cell.value, cell.decimals)
    if cell.form.lstrip("-").startswith("."):
        text = text.replace("0.", ".", 1)
    starred = cell.star is not None or not cell.form or cell.question.place == RHO
    return text + "*" * (cell.own_star or 0) * starred


def difference(cell: Cell) -> str:
    """What was computed less what is published, with its sign; empty without both."""
    if cell.difference is None:
        return ""
    text = effect(cell.difference, cell.decimals)
    return text if text.startswith(MINUS) else f"+{text}"


def explanation(cell: Cell, *, why: bool = True) -> str:
    """One line on a cell that differs: where it is, both numbers, and why."""
    reason = f": {cell.why}" if cell.why and why else ""
    return f"{cell.row}, {cell.column}: {value_text(cell)}, printed {text_in_print(cell)}{reason}"


# --- the terminal's arrangement -------------------------------------------------------------------


def arrange_table(grid: Grid) -> Arranged:
    """Arrange a table of one model: under each printed row what is computed.

    The mean and the standard deviation of a level 3 association are one column.
    """
    columns = list(_pair_columns(grid.columns_with_values))
    rows = []
    for name in grid.rows_with_values:
        row = grid.rows[name]
        rows.append([name, *(_join_fields(row, several, _entry_in_print) for several in columns)])
        if any(entry.cell and entry.cell.source for entry in row.values()):
            rows.append(
                [f"  {COMPUTED}", *(_join_fields(row, each, _entry_value) for each in columns)]
            )
        for other in grid.others:
            of_other = partial(_of, name=other)
            rows.append([f"  {other}", *(_join_fields(row, each, of_other) for each in columns)])
    align = "".join("l" if _is_label(grid, several[0]) else "r" for several in columns)
    return ["Row", *map(_head, columns)], rows, f"l{align}"


def side_by_side(grid: Grid) -> Arranged:
    """Arrange a table of several models: what is computed beside what is printed.

    Beside other models stands what is printed of the same numbers.
    """
    rows = [[name] for name in grid.rows_with_values]
    heads, align = ["Row"], "l"
    asked = {(cell.row, cell.question) for cell in grid.cells if cell.own and cell.source}
    for column in grid.columns:
        entries = [grid.rows[row[0]].get(column, Entry()) for row in rows]
        of_paper = [entry.cell for entry in entries if entry.cell]
        is_computed = any(cell.source for entry in entries for cell in entry.cells)
        of_others = any(entry.others for entry in entries)
        is_printed = any(
            cell.text and (is_computed or (cell.row, cell.question) in asked) for cell in of_paper
        )
        heads += [f"{column}\n{PRINTED}"] * is_printed
        heads += [f"\n{column}" if of_others else f"{column}\n{COMPUTED}"] * is_computed
        align += ("l" if _is_label(grid, column) else "r") * (is_printed + is_computed)
        for row, entry in zip(rows, entries, strict=True):
            row.extend([_entry_in_print(entry)] * is_printed)
            row.extend([_of(entry) if of_others else _entry_value(entry)] * is_computed)
    return heads, rows, align


def _pair_columns(names: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Columns, a mean with its standard deviation."""
    for name in names:
        stem = name.removesuffix(MEAN)
        if name.endswith(MEAN) and f"{stem}{SD}" in names:
            yield name, f"{stem}{SD}"
        elif not (name.endswith(SD) and f"{name.removesuffix(SD)}{MEAN}" in names):
            yield (name,)


def _head(names: tuple[str, ...]) -> str:
    """Head of a column, in two lines where it has two parts."""
    if len(names) == 2:
        return f"{names[0].removesuffix(MEAN)}\nmean (sd)"
    return names[0].replace(", ", "\n", 1)


def _join_fields(
    row: dict[str, Entry], names: tuple[str, ...], text: Callable[[Entry], str]
) -> str:
    """Text of one field, ``.10 (.08)`` where it has two numbers."""
    texts = [text(row[name]) if name in row else "" for name in names]
    return f"{texts[0]} ({texts[1]})" if len(texts) == 2 and all(texts) else texts[0]


def _entry_in_print(entry: Entry) -> str:
    return text_in_print(entry.cell) if entry.cell else ""


def _entry_value(entry: Entry) -> str:
    return value_text(entry.cell) if entry.cell else ""


def _of(entry: Entry, name: str = "") -> str:
    """What one of the other models has there, or the only one that is there."""
    return next((value_text(c) for c in entry.others if name in {"", c.model}), "")


def _is_label(grid: Grid, column: str) -> bool:
    """Whether a column has words."""
    return any(isinstance(cell.value, str) for cell in grid.column(column))
