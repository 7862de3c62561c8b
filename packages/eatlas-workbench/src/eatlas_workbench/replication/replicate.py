"""A replication: what published tables print, and what is computed in its place by the recipe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eatlas.engine import warn_of_failures
from eatlas.errors import EatlasError, listing
from eatlas.executors import require_workers
from eatlas.lazy import as_frame
from eatlas.results import Results
from eatlas.sources import open_counts
from eatlas_workbench.replication.asking import cells_of_the_paper, own_cells
from eatlas_workbench.replication.cells import EFFECT, Cell, Check, checks_of, paper_cells
from eatlas_workbench.replication.measuring import Answers, Setting
from eatlas_workbench.replication.models import MeasuredModel, models_of
from eatlas_workbench.replication.recipe import (
    FOLLOWED,
    Choice,
    Followed,
    PaperTable,
    Procedure,
    Recipe,
    read_recipe,
)

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.engine import SourceLike


@dataclass(frozen=True)
class Replication(Sequence[Cell]):
    """Published numbers beside computed ones: a sequence of cells.

    Numbers of the paper come first, then numbers of models that are not in the paper.

    Examples
    --------
    >>> import eatlas
    >>> found = eatlas.replicate("divdist")
    >>> len(found.checks), len(found.failed_checks)
    (19, 4)
    >>> found.to_frame().columns[:4].tolist()
    ['table', 'model', 'row', 'column']
    """

    name: str
    recipe: Recipe
    follow: Followed
    """Whether the text of the paper or its code was followed where they differ."""
    tables: tuple[PaperTable, ...]
    """Those that were chosen."""
    cells: tuple[Cell, ...]
    models: tuple[MeasuredModel, ...]
    checks: tuple[Check, ...]
    results: Results = field(default_factory=lambda: Results([]))
    """What was measured."""

    def __getitem__(self, index: Any) -> Any:
        return self.cells[index]

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        agree = self.agreement
        printed = sum(not cell.own for cell in self.cells)
        return (
            f"<Replication of {self.name}: {printed} published cells, "
            f"{len(agree)} compared, {sum(agree)} the same; {len(self.checks)} checks of printed "
            f"numbers, {len(self.failed_checks)} of which fail>"
        )

    @property
    def agreement(self) -> list[bool]:
        """Of each cell with both numbers, whether they are the same."""
        return [cell.agrees for cell in self.cells if cell.agrees is not None]

    @property
    def computed(self) -> tuple[Cell, ...]:
        """The cells for which something was computed."""
        return tuple(cell for cell in self.cells if cell.source)

    @property
    def headline(self) -> str:
        """How much of what is printed was computed again, and how much is the same."""
        agree, title = self.agreement, self.recipe.title
        if agree:
            same = f"{sum(agree):,} of {len(agree):,} printed numbers are the same"
            return f"{title}: {same} to the last digit"
        if measured := list(dict.fromkeys(cell.model for cell in self.cells if cell.source)):
            return f"{title}: {listing(measured)} by the recipe of the paper"
        return f"{title}: no printed number was computed"

    @property
    def failed_checks(self) -> tuple[Check, ...]:
        """Printed numbers that do not follow from others."""
        return tuple(check for check in self.checks if not check.holds)

    @property
    def reasons(self) -> tuple[str, ...]:
        """Known reasons why numbers differ, of the paper and of the tables that were chosen."""
        return (*self.recipe.reasons, *(text for table in self.tables for text in table.reasons))

    @property
    def without(self) -> dict[str, tuple[str, ...]]:
        """Words that other models than the paper's lack, by the name of the model."""
        words: dict[str, dict[str, None]] = {}
        for cell in self.cells:
            if cell.own and cell.missing:
                words.setdefault(cell.model, {}).update(dict.fromkeys(cell.missing))
        return {model: tuple(missing) for model, missing in words.items()}

    @property
    def choices(self) -> tuple[Choice, ...]:
        """The choices behind what was computed, each once, as the recipe lists them."""
        methods = {cell.question.method for cell in self.computed}
        names = {name for m in methods for name in self.recipe.method[m].choices}
        return tuple(choice for name, choice in self.recipe.choice.items() if name in names)

    def to_frame(self) -> pd.DataFrame:
        """One row for each published cell, then rows of other models."""
        return as_frame(cell.columns() for cell in self.cells)


def replicate(
    name: str,
    models: Mapping[str, SourceLike] | None = None,
    *,
    table: str | int | None = None,
    follow: Followed = "code",
    seed: int = 0,
    workers: int | None = 1,
) -> Replication:
    """Compare the published numbers of a paper with what its recipe gives on models.

    A model of the paper is measured if its vectors are at hand: named in `models`, downloaded by
    ``eatlas vectors fetch``, or bundled. Any other model is measured by the same recipe under its
    own name, next to the printed numbers. Printed numbers are checked against each other in any
    case.

    Parameters
    ----------
    name : {"caliskan", "ml-eat", "seat", "divdist", "mind-your-bias"}
        Caliskan et al. (2017); Wolfe, Hiniker and Howe (2024); May et al. (2019); Bommasani and
        Liang (2022); Husse and Spitz (2022).
    models : mapping, optional
        Sources by name: whatever :func:`eatlas.run` takes. The id of a model of the paper, as in
        ``{"glove-840b": "glove.840B.300d.txt"}``, says that this is that model, and agreement is
        counted; any other name is another model. The recipe sets the layer, the pooling and the
        text around a word. Tables of DivDist also take tables of numbers by term and group: counts
        of a text, a census as ``"census-gender"``, and stages as ``"mine.L1"`` and ``"mine.L2"``.
    table : str or int, optional
        One table of the paper, such as ``4`` or ``"table-4"``; by default all of them, and a model
        that the paper does not have in the first table of each kind that takes it.
    follow : {"code", "paper"}
        What is done where the text of the paper and its authors' published code differ; the printed
        numbers came from the code.
    seed : int
        Of random samples.
    workers : int, optional
        Number of worker processes.

    Returns
    -------
    Replication
        A sequence of cells; ``to_frame()`` has one row for each.

    Raises
    ------
    EatlasError
        If there is no such paper or table, a source cannot be read, or a model lacks what the
        recipe takes.

    Warns
    -----
    EatlasWarning
        If some jobs failed; ``results.failures`` says which.

    Examples
    --------
    >>> import eatlas
    >>> found = eatlas.replicate("divdist", {"sample": "glove-sample"}, table=3)
    >>> [cell.row for cell in found if cell.own][:2]
    ['carpenter', 'dancer']
    """
    replication = compare_with_paper(
        name, models, table=table, follow=follow, seed=seed, workers=workers
    )
    warn_of_failures(replication.results)
    return replication


def compare_with_paper(
    name: str,
    given: Mapping[str, Any] | None = None,
    *,
    table: str | int | None = None,
    follow: str = "code",
    seed: int = 0,
    workers: int | None = 1,
) -> Replication:
    """Do what :func:`replicate` does, without a warning for jobs that failed."""
    require_workers(workers)
    if follow not in FOLLOWED:
        raise EatlasError(
            "a recipe follows the code or the paper", got=repr(follow), allowed=", ".join(FOLLOWED)
        )
    recipe, given = read_recipe(name), given or {}
    tables = recipe.tables(None if table is None else str(table))
    shown = {one.id for one in tables}
    printed = [cell for cell in paper_cells(name) if cell.table in shown]
    procedures = {method: recipe.procedure(method, follow) for method in recipe.method}
    beside = _tables_beside(printed, procedures)
    models, cells_of = [], dict[str, list[Cell]]()
    for model in models_of(recipe, given, beside.union(cell.model for cell in printed)):
        cells = [cell for cell in printed if model.answers(cell)]
        if model.own:
            cells, model = own_cells(  # noqa: PLW2901  (the same, with what it cannot answer)
                model, tables, printed, procedures, every=table is not None
            )
        elif model.id in given and model.id not in beside:
            cells, model = cells_of_the_paper(  # noqa: PLW2901
                model, cells, tables, procedures
            )
        models.append(model)
        cells_of[model.id] = cells
    tabled = {m.id: open_counts(m.spec) for m in models if m.id in beside and m.source}
    answers = Answers(recipe, procedures, Setting(name, seed, workers), tabled)
    for model in models:
        for method, tests in _tests_of_cells(cells_of[model.id]).items() if model.source else ():
            starred = _may_have_stars(cells_of[model.id], method)
            family = _family(name, procedures[method]) if starred else {}
            answers.measure(model, method, tests | family)
    others = dict.fromkeys(cell for model in models if model.own for cell in cells_of[model.id])
    return Replication(
        name=name,
        recipe=recipe,
        follow=follow,
        tables=tables,
        cells=answers.fill([*printed, *others]),
        models=tuple(answers.explain(model, cells_of[model.id]) for model in models),
        checks=tuple(check for check in checks_of(name) if table is None or check.is_of(shown)),
        results=answers.results,
    )


def _tables_beside(printed: Iterable[Cell], procedures: Mapping[str, Procedure]) -> frozenset[str]:
    """Tables of numbers that some cells are correlated with."""
    methods = {cell.question.method for cell in printed if cell.question.can_be_measured}
    rules = (procedures[method].correlated for method in methods)
    return frozenset(table for rule in rules if rule for table in rule.tables.values())


def _tests_of_cells(cells: Iterable[Cell]) -> dict[str, dict[str, None]]:
    """The tests that cells need, by method."""
    tests: dict[str, dict[str, None]] = {}
    for cell in cells:
        if cell.question.can_be_measured:
            tests.setdefault(cell.question.method, {})[cell.question.test] = None
    return tests


def _may_have_stars(cells: Iterable[Cell], method: str) -> bool:
    """Whether cells of a method may have stars."""
    return any(c.question.method == method and c.question.place.endswith(EFFECT) for c in cells)


def _family(name: str, procedure: Procedure) -> dict[str, None]:
    """All tests over which the p-values of a method are adjusted."""
    table = procedure.stars.holm if procedure.stars else ""
    cells = (cell for cell in paper_cells(name) if cell.table == table)
    return _tests_of_cells(cells).get(procedure.method, {})
