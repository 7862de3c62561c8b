"""Which cells of which tables a model answers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from eatlas.errors import EatlasError
from eatlas_workbench.replication.cells import Cell
from eatlas_workbench.replication.models import MeasuredModel, require_taken
from eatlas_workbench.replication.recipe import PaperTable, Procedure

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
        if bool(cell.question.stages) == bool(model.stage):
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
                cells += _columns_of_its_own(model, table, of_table, method)
                done.add(method)
    if not done:
        raise next(iter(errors.values()), _other_stages(model, tables, printed))
    return cells, model.with_missing(*map(_said, errors.values()))


def _columns_of_its_own(
    model: MeasuredModel, table: PaperTable, of_table: Sequence[Cell], method: str
) -> list[Cell]:
    """A cell for each number of a method that a table asks of some model."""
    several = len({cell.model for cell in of_table}) > 1 and not table.of_numbers
    printed = {cell.column for cell in of_table}
    asked: dict[object, Cell] = {}
    for cell in of_table:
        if cell.question.method == method and cell.question.can_be_measured:
            column = cell.column
            if several:
                column = ", ".join([model.stem, *cell.column.split(", ")[1:]])
                column += " (another model)" * (column in printed)
            as_own: Any = {"text": "", "like": cell.text, "own": True}
            made = replace(cell, model=model.stem, column=column, **as_own)
            if model.answers(made):
                first = asked.setdefault((cell.row, cell.question), made)
                if made.decimals > first.decimals:
                    asked[cell.row, cell.question] = replace(first, like=made.like)
    return list(asked.values())


def cells_of_the_paper(
    model: MeasuredModel,
    cells: Sequence[Cell],
    tables: Sequence[PaperTable],
    procedures: Procedures,
) -> tuple[list[Cell], MeasuredModel]:
    """The cells that a source for a model of the paper answers, and the model with what it lacks.

    Raises
    ------
    EatlasError
        If the model has no number here, or the source answers none, as the first table says.
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
    table_of, errors = {table.id: table for table in tables}, dict[str, EatlasError]()
    methods = list(dict.fromkeys(cell.question.method for cell in measurable))
    for method in methods:
        first = next(cell for cell in measurable if cell.question.method == method)
        try:
            require_taken(model, procedures[method], table_of[first.table])
        except EatlasError as error:
            errors[method] = error
    if len(errors) == len(methods):
        raise errors[methods[0]]
    left = [cell for cell in cells if cell.question.method not in errors]
    return left, model.with_missing(*map(_said, errors.values()))


def _said(error: EatlasError) -> str:
    """What a procedure takes, and what the model is."""
    return f"{error.what}; {error.got}"


def _other_stages(
    model: MeasuredModel, tables: Sequence[PaperTable], printed: Iterable[Cell]
) -> EatlasError:
    """Say that tables compare stages of a model, or do not; or that nothing of them is measured."""
    stages = sorted({stage for cell in printed for stage in cell.question.stages})
    titles = "; ".join(table.title for table in tables)
    if model.stage:
        return EatlasError(
            f"{titles} compares no stages of a model",
            got=model.id,
            allowed=f"a name without .{model.stage}, such as {model.stem}",
        )
    if not stages:
        return _not_measured(tables)
    called = ", ".join(f"--model {model.id}.{stage}=SOURCE" for stage in stages)
    return EatlasError(
        f"{titles} compares stages of a model",
        got=f"{model.id}, which is one source",
        allowed=called,
    )


def _not_measured(tables: Sequence[PaperTable]) -> EatlasError:
    """Say that eatlas has no recipe for some tables."""
    reasons = [table.not_run for table in tables if table.not_run]
    return EatlasError(
        f"no number of {'; '.join(table.title for table in tables)} can be measured by eatlas",
        got=reasons[0] if reasons else None,
    )
