"""Which cells of which tables a model answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from eatlas.apps.replication.cells import Cell
from eatlas.apps.replication.models import MeasuredModel, require_taken
from eatlas.apps.replication.recipe import PaperTable, Procedure
from eatlas.errors import EatlasError

Procedures = Mapping[str, Procedure]


def own_cells(
    model: MeasuredModel,
    tables: Sequence[PaperTable],
    printed: Iterable[Cell],
    procedures: Procedures,
    *,
    every: bool,
) -> tuple[list[Cell], MeasuredModel]:
    """Cells for a model that the paper does not have, and the model with what cannot be measured.

    In `every` table that takes it; or in the first of each method, as the others repeat it.

    Raises
    ------
    EatlasError
        If no table takes the model, as the first says.
    """
    by_table: dict[str, list[Cell]] = {}
    for cell in printed:
        by_table.setdefault(cell.table, []).append(cell)
    cells, errors, done = list[Cell](), dict[str, EatlasError](), set[str]()
    for table in tables:
        of_table = by_table.get(table.id, [])
        methods = dict.fromkeys(c.question.method for c in of_table if c.question.can_be_measured)
        for method in methods:
            if method in errors or (method in done and not every):
                continue
            try:
                require_taken(model, procedures[method], table)
            except EatlasError as error:
                errors[method] = error
            else:
                cells += _columns_of_its_own(model, of_table, method)
                done.add(method)
    if not done:
        raise next(iter(errors.values()), _not_measured(tables))
    return cells, model.with_missing(*(error.what for error in errors.values()))


def _columns_of_its_own(model: MeasuredModel, of_table: Sequence[Cell], method: str) -> list[Cell]:
    """A cell for each number of a method that a table asks of some model."""
    several = len({cell.model for cell in of_table}) > 1
    printed = {cell.column for cell in of_table}
    asked: dict[object, Cell] = {}
    for cell in of_table:
        if cell.question.method == method and cell.question.can_be_measured:
            column = cell.column
            if several:
                column = ", ".join([model.id, *cell.column.split(", ")[1:]])
                column += " (another model)" * (column in printed)
            made = replace(cell, model=model.id, column=column, text="", like=cell.text, own=True)
            asked.setdefault((cell.row, cell.question), made)
    return list(asked.values())


def require_cells(
    model: MeasuredModel,
    cells: Sequence[Cell],
    tables: Sequence[PaperTable],
    procedures: Procedures,
) -> None:
    """Refuse a source for a model of the paper that has no numbers here, or lacks what they need.

    Raises
    ------
    EatlasError
        Saying what the paper took of it.
    """
    measurable = [cell for cell in cells if cell.question.can_be_measured]
    if not measurable:
        if not cells:
            titles = "; ".join(table.title for table in tables)
            raise EatlasError(
                f"no number of {model.id} is in {titles}",
                remedy="leave --table out; or measure the model there under a name of its own",
            )
        raise _not_measured([table for table in tables if table.id == cells[0].table])
    table_of = {table.id: table for table in tables}
    for method in dict.fromkeys(cell.question.method for cell in measurable):
        first = next(cell for cell in measurable if cell.question.method == method)
        require_taken(model, procedures[method], table_of[first.table])


def _not_measured(tables: Sequence[PaperTable]) -> EatlasError:
    """Say that eatlas has no recipe for some tables."""
    reasons = [table.not_run for table in tables if table.not_run]
    return EatlasError(
        f"no number of {'; '.join(table.title for table in tables)} is measured by eatlas",
        got=reasons[0] if reasons else None,
    )
