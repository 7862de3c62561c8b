"""A replication: what published tables print, and what is computed in its place."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote

from pydantic import BaseModel, ConfigDict

from eatlas.apps.replication.record import (
    Check,
    Compared,
    ModelUse,
    Printed,
    Replication,
    TableText,
)
from eatlas.decoding import own_toml
from eatlas.engine import choose, execute, make_plan
from eatlas.engine.plan import SourceLike
from eatlas.errors import EatlasError, did_you_mean
from eatlas.executors import require_workers
from eatlas.notes import Note, warn
from eatlas.results import Results
from eatlas.results.base import AssociationResult
from eatlas.results.collection import Failure
from eatlas.results.parts import at
from eatlas.sources.published import find, place_of, size_text

if TYPE_CHECKING:
    from eatlas.results.trend import TrendResult

DATA = Path(__file__).parent / "data"
PAPERS = ("ml-eat", "seat", "divdist", "mind-your-bias")
STARS = {"*": True, "none": False, "": None}


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
    """Everything that the package knows of a paper."""

    title: str
    citation: str
    left_out: tuple[str, ...]
    reasons: tuple[str, ...]
    signless: bool = False
    model: tuple[PaperModel, ...]
    table: tuple[PaperTable, ...]

    def model_named(self, name: str) -> PaperModel:
        """The model of this id."""
        return next(one for one in self.model if one.id == name)

    def table_named(self, name: str) -> PaperTable:
        """The table of this id."""
        return next(one for one in self.table if one.id == name)


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
    with (DATA / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Printed(
                table=row["table"],
                model=row["model"],
                row=row["row"],
                column=row["column"],
                test=row["test"],
                period=int(row["period"]) if row["period"] else None,
                place=row["place"],
                text=row["printed"],
                star=STARS[row["star"]],
                quantity=row["quantity"],
            )
            for row in csv.DictReader(file)
        )


@cache
def checks_of(name: str) -> tuple[Check, ...]:
    """What the printed numbers of a paper say of each other; it follows from them alone."""
    with (DATA / "checks.csv").open(encoding="utf-8", newline="") as file:
        return tuple(
            Check(row["name"], row["where"], row["holds"] == "yes", row["finding"])
            for row in csv.DictReader(file)
            if row["paper"] == name
        )


ENCODERS = ("hf:", "st:", "clip:")
"""Sources that take the options and the prompt of a paper's method."""
ENCODING = (*ENCODERS, "cbow:", "py:", "http:", "https:")
"""Sources that encode texts; a file of words gets the scheme of the paper's model."""
TARGETS = "targets"

Key = tuple[str, str, str, int | None]
"""Model, measure, test and period of a result."""


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
    found = compared(name, vectors, seed=seed, workers=workers)
    if failures := found.results.failures:
        first = failures[0]
        values: dict[str, Any] = {"count": len(failures), "of": len(failures) + len(found.results)}
        values |= {"test": first.test, "source": first.source, "error": first.error.what}
        warn(Note("run.failed", values=values))
    return found


def compared(
    name: str, vectors: Mapping[str, Any] | None = None, *, seed: int = 0, workers: int | None = 1
) -> Replication:
    """Do what :func:`replicate` does, without a warning for jobs that failed."""
    require_workers(workers)
    known = paper(name)
    given = _known_models(known, vectors or {})
    cells = printed_numbers(name)
    uses = tuple(_use(model, given, cells) for model in known.model)
    found: dict[Key, AssociationResult] = {}
    failures: list[Failure] = []
    trends: list[TrendResult] = []
    for model, use in zip(known.model, uses, strict=True):
        for measure, tests in _jobs(known, model, cells).items() if use.source else ():
            source = given.get(model.id, use.source)
            results = _measured(model, source, tests, measure, seed, workers)
            found |= {(model.id, measure, one.test, one.period): one for one in results}
            failures += results.failures
            trends += results.trends
    return Replication(
        paper=name,
        title=known.title,
        citation=known.citation,
        cells=tuple(_compared(known, cell, uses, found) for cell in cells),
        tables=tuple(TableText(one.id, one.title, one.says) for one in known.table),
        models=uses,
        checks=checks_of(name),
        reasons=known.reasons,
        left_out=known.left_out,
        results=Results(found.values(), failures, trends),
    )


def _known_models(known: Paper, vectors: Mapping[str, Any]) -> dict[str, Any]:
    """Sources by model, with the options that the paper's method needs."""
    names = [model.id for model in known.model]
    for name in vectors:
        if name not in names:
            raise EatlasError(
                f"the paper has no model {name!r}{did_you_mean(name, names)}",
                allowed=", ".join(names),
            )
    return {name: _with_options(known.model_named(name), one) for name, one in vectors.items()}


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


def _use(model: PaperModel, given: Mapping[str, Any], cells: Iterable[Printed]) -> ModelUse:
    """Which vectors stand for a model, and how to get the paper's own."""
    tested = any(cell.model == model.id and cell.test for cell in cells)
    if model.id in given and tested:
        source = given[model.id]
        shown = source if isinstance(source, str) else getattr(source, "name", str(source))
        return ModelUse(model.id, model.title, source=shown, note=model.note)
    if model.published and tested and place_of(find(model.published)) is not None:
        here = f"{model.scheme}{model.published}"
        return ModelUse(model.id, model.title, source=here, note=model.note)
    missing = model.not_run or _how_to_get(model)
    if not tested and not model.not_run:
        missing = "none of its cells here is a number that eatlas can compute from vectors alone"
    if model.stand_in:
        return ModelUse(
            model.id, model.title, model.stand_in, model.stand_in_is, missing, model.note
        )
    return ModelUse(model.id, model.title, missing=missing, note=model.note)


def _how_to_get(model: PaperModel) -> str:
    if not model.published:
        return model.get
    entry = find(model.published)
    size = f" ({size_text(entry.download.size)})" if entry.download.size else ""
    return f"eatlas vectors fetch {model.published}{size}, or --vectors {model.id}=FILE"


def _jobs(known: Paper, model: PaperModel, cells: Iterable[Printed]) -> dict[str, list[str]]:
    """Tests of a model by the measure of their table, in the order of the tables."""
    found: dict[str, dict[str, None]] = {}
    for cell in cells:
        table = known.table_named(cell.table)
        if cell.model == model.id and cell.test and not table.not_run:
            found.setdefault(table.measure, {})[cell.test] = None
    return {measure: list(tests) for measure, tests in found.items()}


def _measured(
    model: PaperModel, source: Any, tests: list[str], measure: str, seed: int, workers: int | None
) -> Results:
    prompted = model.prompt and isinstance(source, str) and source.startswith(ENCODERS)
    prompts = model.prompt if prompted else None
    plan = make_plan(tests, source, measure, prompts=prompts, seed=seed)
    return execute(plan, choose(workers, len(plan.jobs)))


def _compared(
    known: Paper,
    cell: Printed,
    uses: Iterable[ModelUse],
    found: Mapping[Key, AssociationResult],
) -> Compared:
    """A cell beside its number in a result, where there is one."""
    table = known.table_named(cell.table)
    result = found.get((cell.model, table.measure, cell.test, cell.period))
    if result is None or not cell.place or table.not_run:
        return Compared(cell, signless=known.signless)
    use = next(one for one in uses if one.id == cell.model)
    return Compared(
        cell,
        source=use.source,
        stand_in=bool(use.stand_in_is),
        value=value_at(result, cell.place),
        star=star_at(result, cell.place),
        signless=known.signless,
    )


def value_at(result: AssociationResult, place: str) -> float | str | None:
    """The number or label at a place of a result; of a test of groups, ``targets.TERM.FIELD``."""
    head, _, rest = place.partition(".")
    if head == TARGETS:
        term, _, name = rest.rpartition(".")
        result_of = {one.term: one for one in result.by_target or ()}
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
    rule = result.rule
    p: float = level.p.tail(rule.tail_at(level.effect_size))
    return p < rule.alpha
