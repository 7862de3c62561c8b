"""A replication: what published tables print, and what is computed in its place."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote

from pydantic import BaseModel, ConfigDict

from eatlas.decoding import own_toml
from eatlas.engine import SourceLike, choose, execute, make_plan, results_of
from eatlas.errors import EatlasError, SourceError, did_you_mean
from eatlas.executors import require_workers
from eatlas.lazy import as_frame
from eatlas.notes import Note, warn
from eatlas.results import AssociationResult, Results
from eatlas.results.parts import at
from eatlas.sources import open_vectors

if TYPE_CHECKING:
    import pandas as pd

NUMERIC_SLACK = 1e-9
"""Beyond half a unit of the last printed digit, for the rounding of binary fractions."""


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class PaperModel(_Strict):
    """A model that a paper measured, and how to get it."""

    id: str
    title: str
    published: str = ""
    """Name by which ``eatlas vectors fetch`` fetches it."""
    scheme: str = ""
    """Before the source, such as ``cbow:``."""
    get: str = ""
    options: dict[str, str] = {}
    """Options of a transformer that the paper's method needs."""
    prompt: str = ""
    not_run: str = ""
    """Why eatlas cannot measure it without help."""
    stand_in: str = ""
    """Source of the package that is measured in its place."""
    stand_in_is: str = ""
    note: str = ""


class PaperTable(_Strict):
    """A table of a paper."""

    id: str
    title: str
    measure: str
    """Signature of the measure that gives its numbers."""
    says: str = ""
    not_run: str = ""


class Paper(_Strict):
    """A paper: its models, its tables, and why numbers differ."""

    title: str
    citation: str
    left_out: tuple[str, ...]
    """What of the paper is not among the cells, and why."""
    reasons: tuple[str, ...]
    """Known reasons why numbers differ."""
    signless: bool = False
    """Whether the text has lost the signs, so that absolute values are compared."""
    model: tuple[PaperModel, ...]
    table: tuple[PaperTable, ...]


@dataclass(frozen=True)
class Printed:
    """One cell of a published table, as printed."""

    table: str
    model: str
    row: str
    column: str
    test: str = ""
    """Id of the test that gives the number; empty where eatlas has none."""
    period: int | None = None
    place: str = ""
    """Where a record of eatlas has the number, such as ``level1.effect_size``."""
    text: str = ""
    """The number or label as printed; empty where it is missing in what was transcribed."""
    star: bool | None = None
    """Whether a star is printed; None where the column has no stars."""
    quantity: str = ""
    """What is counted: cells of one quantity, in whatever tables, should agree."""

    @property
    def number(self) -> float | None:
        """The number; None for labels, and where it is missing."""
        try:
            return float(self.text)
        except ValueError:
            return None

    @property
    def decimals(self) -> int:
        """Decimals that are printed; 2 where the number is missing."""
        return len(self.text.partition(".")[2]) if self.text else 2

    @property
    def half_unit(self) -> float:
        """Half a unit of the last digit that is printed."""
        return 0.5 * 10.0**-self.decimals

    @property
    def is_detail(self) -> bool:
        """Whether only the page shows the cell."""
        return self.place.startswith("level3.")


@dataclass(frozen=True)
class Compared:
    """A published cell beside what was computed for it."""

    printed: Printed
    source: str = ""
    """Source string of the vectors; empty where nothing was computed."""
    stand_in: bool = False
    """Whether these are other vectors than the paper's."""
    value: float | str | None = None
    """What was computed; None where nothing was, or where it is undefined."""
    star: bool | None = None
    signless: bool = False
    """Whether the text has lost the signs, so that absolute values are compared."""

    @property
    def difference(self) -> float | None:
        """What was computed less what is printed; None without both."""
        number = self.printed.number
        if number is None or not isinstance(self.value, int | float):
            return None
        return abs(self.value) - abs(number) if self.signless else self.value - number

    @property
    def agrees(self) -> bool | None:
        """Whether both are the same to the digits printed; None where one is missing."""
        if self.value is None or not self.printed.text:
            return None
        if isinstance(self.value, str):
            return self.value == self.printed.text
        if self.difference is None:
            return None
        return abs(self.difference) <= self.printed.half_unit + NUMERIC_SLACK

    def columns(self) -> dict[str, Any]:
        """The cell as a row of a flat table."""
        cell, label = self.printed, isinstance(self.value, str)
        return {
            "table": cell.table, "model": cell.model, "row": cell.row, "column": cell.column,
            "test": cell.test, "period": cell.period, "place": cell.place,
            "published": cell.number, "published_text": cell.text or None,
            "published_star": cell.star,
            "source": self.source or None, "stand_in": self.stand_in if self.source else None,
            "ours": None if label else self.value, "ours_text": self.value if label else None,
            "ours_star": self.star,
            "difference": self.difference, "agrees": self.agrees,
        }  # fmt: skip


@dataclass(frozen=True)
class Check:
    """A check of printed numbers against other printed numbers of the same paper."""

    name: str
    """What is checked."""
    where: str
    """Table and row."""
    holds: bool
    finding: str
    """What is printed, and what follows from the other numbers."""


@dataclass(frozen=True)
class ModelUse:
    """What became of one of the paper's models."""

    id: str
    title: str
    source: str = ""
    """What was measured; empty where nothing was."""
    stand_in_is: str = ""
    """What the vectors are, where they are not the paper's."""
    missing: str = ""
    """Why nothing was measured, or how to get the model."""
    note: str = ""


@dataclass(frozen=True)
class Replication(Sequence[Compared]):
    """Published numbers beside one's own: a sequence of compared cells.

    Examples
    --------
    >>> import eatlas
    >>> found = eatlas.replicate("ml-eat")
    >>> sum(check.holds for check in found.checks if check.name == "pattern")
    21
    >>> found.to_frame().columns[:4].tolist()
    ['table', 'model', 'row', 'column']
    """

    name: str
    paper: Paper
    cells: tuple[Compared, ...]
    models: tuple[ModelUse, ...]
    checks: tuple[Check, ...]
    results: Results = field(default_factory=lambda: Results([]))
    """What was measured."""

    def __getitem__(self, index: Any) -> Any:
        return self.cells[index]

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[Compared]:
        return iter(self.cells)

    def __repr__(self) -> str:
        agree = [cell.agrees for cell in self.cells if cell.agrees is not None]
        return (
            f"<Replication of {self.name}: {len(self.cells)} published cells, "
            f"{len(agree)} compared, {sum(agree)} the same; {len(self.checks)} checks of printed "
            f"numbers, {len(self.failed_checks)} of which fail>"
        )

    __str__ = __repr__

    @property
    def computed(self) -> tuple[Compared, ...]:
        """The cells for which something was computed."""
        return tuple(cell for cell in self.cells if cell.source)

    @property
    def failed_checks(self) -> tuple[Check, ...]:
        """Printed numbers that do not follow from others."""
        return tuple(check for check in self.checks if not check.holds)

    def to_frame(self) -> pd.DataFrame:
        """One row for each published cell."""
        return as_frame(cell.columns() for cell in self.cells)


DATA = Path(__file__).parent / "data"
PAPERS = ("ml-eat", "seat", "divdist", "mind-your-bias")
STARS = {"*": True, "none": False, "": None}
ENCODERS = ("hf:", "st:", "clip:")
"""Sources that take the options and the prompt of a paper's method."""
ENCODING = (*ENCODERS, "cbow:", "py:", "http:", "https:")
"""Sources that encode texts; a file of words gets the scheme of the paper's model."""


@cache
def paper(name: str) -> Paper:
    """What is known of a paper."""
    if name not in PAPERS:
        raise EatlasError(
            f"no paper {name!r} is known{did_you_mean(name, PAPERS)}", allowed=", ".join(PAPERS)
        )
    return Paper(**own_toml(DATA / f"{name}.toml"))


@cache
def printed_numbers(name: str) -> tuple[Printed, ...]:
    """The cells of a paper's tables, in their order."""
    return tuple(
        Printed(
            **{key: row[key] for key in ("table", "model", "row", "column", "test", "place")},
            period=int(row["period"]) if row["period"] else None,
            text=row["printed"],
            star=STARS[row["star"]],
            quantity=row["quantity"],
        )
        for row in _rows(f"{name}.csv")
    )


@cache
def checks_of(name: str) -> tuple[Check, ...]:
    """What the printed numbers of a paper say of each other; it follows from them alone."""
    return tuple(
        Check(row["name"], row["where"], row["holds"] == "yes", row["finding"])
        for row in _rows("checks.csv")
        if row["paper"] == name
    )


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (DATA / name).open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)


def replicate(
    name: str,
    vectors: Mapping[str, SourceLike] | None = None,
    *,
    seed: int = 0,
    workers: int | None = 1,
) -> Replication:
    """Compare the published numbers of a paper with those of one's own vectors.

    Each of the paper's models is measured where its vectors are at hand: those that `vectors`
    names, those that ``eatlas vectors fetch`` has brought, or, for some, the sample of the package
    in their place, which is said of each number. Printed numbers are checked against each other
    in any case.

    Parameters
    ----------
    name : {"ml-eat", "seat", "divdist", "mind-your-bias"}
        Wolfe, Hiniker and Howe (2024); May et al. (2019); Bommasani and Liang (2022); Husse and
        Spitz (2022).
    vectors : mapping, optional
        Sources by the ids of the paper's models, such as ``{"glove-840b": "glove.840B.300d.txt"}``:
        whatever :func:`eatlas.run` takes.
    seed : int
        Of random draws.
    workers : int, optional
        Processes that share the work.

    Returns
    -------
    Replication
        A sequence of compared cells; ``to_frame()`` has one row for each.

    Raises
    ------
    EatlasError
        If there is no such paper or model, or a source cannot be read.

    Warns
    -----
    EatlasWarning
        If some jobs failed; ``results.failures`` says which.

    Examples
    --------
    >>> import eatlas
    >>> found = eatlas.replicate("divdist")
    >>> [(check.where, check.finding) for check in found.failed_checks][-1][0]
    'table-7'
    """
    replication = compared(name, vectors, seed=seed, workers=workers)
    if failures := replication.results.failures:
        first, n = failures[0], len(failures)
        values: dict[str, Any] = {"count": n, "of": n + len(replication.results)}
        values |= {"test": first.test, "source": first.source, "error": first.error.what}
        warn(Note("run.failed", values=values))
    return replication


def compared(
    name: str, vectors: Mapping[str, Any] | None = None, *, seed: int = 0, workers: int | None = 1
) -> Replication:
    """Do what :func:`replicate` does, without a warning for jobs that failed."""
    require_workers(workers)
    about, vectors = paper(name), vectors or {}
    ids = [model.id for model in about.model]
    if unknown := [model for model in vectors if model not in ids]:
        raise EatlasError(
            f"the paper has no model {unknown[0]!r}{did_you_mean(unknown[0], ids)}",
            allowed=", ".join(ids),
        )
    uses: dict[str, ModelUse] = {}
    result_of: dict[tuple[str, str, str, int | None], AssociationResult] = {}
    measured: list[Results] = []
    tables = {table.id: table for table in about.table}
    for model in about.model:
        cells = [cell for cell in printed_numbers(name) if cell.model == model.id and cell.test]
        source, uses[model.id] = _use(model, vectors.get(model.id), tested=bool(cells))
        tests: dict[str, dict[str, None]] = {}
        for cell in cells if source is not None else ():
            if not tables[cell.table].not_run:
                tests.setdefault(tables[cell.table].measure, {})[cell.test] = None
        for measure, test_ids in tests.items():
            results = _measured(model, source, list(test_ids), measure, seed, workers)
            measured.append(results)
            result_of |= {
                (model.id, measure, result.test, result.period): result for result in results
            }
    compared_cells = []
    for cell in printed_numbers(name):
        table, use, result = tables[cell.table], uses[cell.model], None
        if cell.place and not table.not_run:
            result = result_of.get((cell.model, table.measure, cell.test, cell.period))
        compared_cells.append(
            Compared(cell, signless=about.signless)
            if result is None
            else Compared(
                cell,
                source=use.source,
                stand_in=bool(use.stand_in_is),
                value=value_at(result, cell.place),
                star=star_at(result, cell.place),
                signless=about.signless,
            )
        )
    return Replication(
        name=name,
        paper=about,
        cells=tuple(compared_cells),
        models=tuple(uses.values()),
        checks=checks_of(name),
        results=Results(
            [result for results in measured for result in results],
            [failure for results in measured for failure in results.failures],
            [trend for results in measured for trend in results.trends],
        ),
    )


def _use(model: PaperModel, given: Any, *, tested: bool) -> tuple[Any, ModelUse]:
    """The source that stands for a model, None where there is none, and what to say of it."""
    about = {"id": model.id, "title": model.title, "note": model.note}
    if given is not None and tested:
        source = _with_options(model, given)
        shown = source if isinstance(source, str) else getattr(source, "name", str(source))
        return source, ModelUse(**about, source=shown)
    missing = model.not_run or model.get
    if model.published and tested:
        source = f"{model.scheme}{model.published}"
        try:
            open_vectors(model.published)
        except SourceError as error:
            missing = model.not_run or f"{error.remedy}, or --vectors {model.id}=FILE"
        else:
            return source, ModelUse(**about, source=source)
    elif not model.not_run and not tested:
        missing = "none of its cells here is a number that eatlas can compute from vectors alone"
    stand_in = {"source": model.stand_in, "stand_in_is": model.stand_in_is}
    return model.stand_in or None, ModelUse(**about, **stand_in, missing=missing)


def _with_options(model: PaperModel, source: Any) -> Any:
    """A source with the options of the method that it does not set itself."""
    if model.scheme and isinstance(source, str | Path) and not str(source).startswith(ENCODING):
        return f"{model.scheme}{source}"
    if not isinstance(source, str) or not source.startswith(ENCODERS):
        return source
    address, _, options = source.partition("?")
    chosen = dict(parse_qsl(options, keep_blank_values=True))
    if chosen.get("level", model.options.get("level")) == model.options.get("level"):
        chosen = model.options | chosen
    written = "&".join(f"{key}={quote(value, safe='.,-')}" for key, value in chosen.items())
    return f"{address}?{written}" if written else source


def _measured(
    model: PaperModel, source: Any, tests: list[str], measure: str, seed: int, workers: int | None
) -> Results:
    encoder = isinstance(source, str) and source.startswith(ENCODERS)
    prompts = model.prompt or None if encoder else None
    jobs = make_plan(tests, source, measure, prompts=prompts, seed=seed)
    return results_of(execute(jobs, choose(workers, len(jobs))))


def value_at(result: AssociationResult, place: str) -> float | str | None:
    """The number or label at a place of a result; of a test of groups, ``targets.TERM.FIELD``."""
    head, _, rest = place.partition(".")
    if head == "targets":
        term, _, name = rest.rpartition(".")
        result_of = {target.term: target for target in result.by_target or ()}
        value = getattr(result_of.get(term), name, None)
    else:
        value = at(result, place)
    return value if isinstance(value, str | float | None) else float(value)


def star_at(result: AssociationResult, place: str) -> bool | None:
    """Whether an effect size is significant by the result's rule; None for other numbers."""
    if not place.endswith(".effect_size"):
        return None
    level = at(result, place.removesuffix(".effect_size"))
    if level.effect_size is None:
        return False
    p: float = level.p[result.rule.tail_at(level.effect_size)]
    return p < result.rule.alpha
