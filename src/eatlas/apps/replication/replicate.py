"""A replication: what published tables print, and what is computed in its place."""

from __future__ import annotations

import csv
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, quote

import numpy as np
from pydantic import BaseModel, ConfigDict

from eatlas.decoding import own_toml
from eatlas.engine import choose, execute, make_plan
from eatlas.engine.plan import SourceLike
from eatlas.errors import EatlasError, EatlasWarning, did_you_mean
from eatlas.executors import require_workers
from eatlas.measures.patterns import associated_with, eat_pattern
from eatlas.results import Results
from eatlas.results.base import AssociationResult
from eatlas.results.collection import Failure
from eatlas.results.levels import Attribute
from eatlas.results.parts import at
from eatlas.results.replication import Check, Compared, ModelUse, Printed, Replication, TableText
from eatlas.sources.published import find, place_of, size_text
from eatlas.stats.paired import spearman

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
    checks: tuple[str, ...]
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


ALPHA, THRESHOLD = 0.05, 0.2
STARRED, PLAIN = 0.01, 0.5
"""Any p below and any above alpha: a star says no more."""
CELLS = ("AX", "BX", "AY", "BY")
CORRELATED_IN = "context of 3 sentences"


def checked(names: Iterable[str], cells: Sequence[Printed]) -> tuple[Check, ...]:
    """Make the checks of these names."""
    return tuple(check for name in names for check in CHECKS[name](cells))


def _rows(cells: Iterable[Printed]) -> dict[tuple[str, str], dict[str, Printed]]:
    """Cells by table and row, then by column."""
    found: dict[tuple[str, str], dict[str, Printed]] = {}
    for cell in cells:
        found.setdefault((cell.table, cell.row), {})[cell.column] = cell
    return found


def _value(cell: Printed) -> float:
    return float(cell.text)


def _patterns(cells: Sequence[Printed]) -> Iterator[Check]:
    """The EAT pattern that a paper names is the one of the row's own level 2."""
    for (table, row), columns in _rows(cells).items():
        if "Pattern" not in columns or "Level 2, X" not in columns:
            continue
        x, y = (columns[f"Level 2, {role}"] for role in "XY")
        found = eat_pattern(_side(x), _side(y))[0]
        named = columns["Pattern"].text
        shown = f"level 2 is {_starred(x)} and {_starred(y)}, which is {found}"
        yield Check("pattern", f"{table}, {row}", found == named, f"named {named}; {shown}")


def _side(cell: Printed) -> Attribute | None:
    p = STARRED if cell.star else PLAIN
    return associated_with(_value(cell), p, alpha=ALPHA, threshold=THRESHOLD)


def _starred(cell: Printed) -> str:
    return f"{cell.text}{'*' if cell.star else ''}"


def _repeats(cells: Sequence[Printed]) -> Iterator[Check]:
    """A number that is printed in several tables is the same in all of them."""
    found: dict[str, list[Printed]] = {}
    for cell in cells:
        if cell.quantity and cell.text:
            found.setdefault(cell.quantity, []).append(cell)
    for several in found.values():
        first, *others = several
        for other in others:
            same = (first.text, first.star) == (other.text, other.star)
            where = f"{first.table} and {other.table}, {other.row}, {other.column}"
            yield Check("repeat", where, same, f"{_starred(first)} and {_starred(other)}")


def _labels(cells: Sequence[Printed]) -> Iterator[Check]:
    """A test of one model has one name in all tables."""
    names: dict[tuple[str, str], Printed] = {}
    for cell in cells:
        if not cell.test or cell.period:
            continue
        first = names.setdefault((cell.model, cell.test), cell)
        if cell.table != first.table and cell.column == first.column:
            where = f"{first.table} and {cell.table}, {cell.test}"
            said = f"{first.row!r} and {cell.row!r}"
            yield Check("name", where, first.row == cell.row, said)


def _signs(cells: Sequence[Printed]) -> Iterator[Check]:
    """Effect sizes have the signs of the differences of the printed mean cosines.

    Differences that rounding could turn are left out: each mean is known to half a unit of its
    last digit.
    """
    for (table, row), columns in _rows(cells).items():
        means = {
            role: columns.get(f"{role[0]},{role[1]} mean") for role in ("AX", "BX", "AY", "BY")
        }
        known = {role: cell for role, cell in means.items() if cell is not None}
        if len(known) < len(means):
            continue
        value = {role: _value(cell) for role, cell in known.items()}
        slack = {role: cell.half_unit for role, cell in known.items()}
        for column, plus, minus in (
            ("Level 2, X", ("AX",), ("BX",)),
            ("Level 2, Y", ("AY",), ("BY",)),
            ("Level 1", ("AX", "BY"), ("BX", "AY")),
        ):
            difference = sum(value[one] for one in plus) - sum(value[one] for one in minus)
            least = sum(slack[one] for one in (*plus, *minus))
            d = columns[column]
            if abs(difference) <= least + 1e-9 or _value(d) == 0:
                continue
            yield Check(
                "sign",
                f"{table}, {row}, {column}",
                (difference > 0) == (_value(d) > 0),
                f"d is {d.text}, the difference of the printed means {difference:+.2f}",
            )


def _prompted(cells: Sequence[Printed]) -> Iterator[Check]:
    """Table 2 of ML-EAT: with a prompt "the mean cosine similarity increases" everywhere.

    Means that are printed alike do not contradict it.
    """
    rows = _rows(cells)
    for (table, row), columns in rows.items():
        if table != "table-2-no-prompt":
            continue
        prompted = rows["table-2-with-prompt", row]
        for name, cell in columns.items():
            if name.endswith(" mean"):
                holds = _value(prompted[name]) >= _value(cell)
                shown = f"{cell.text} without a prompt, {prompted[name].text} with it"
                yield Check("increase", f"table-2, {row}, {name}", holds, shown)


def _sums(cells: Sequence[Printed]) -> Iterator[Check]:
    """Table 6 of DivDist: the third column is the sum of the first two, but for rounding."""
    for (table, row), columns in _rows(cells).items():
        if table != "table-6":
            continue
        parts = [columns[name] for name in ("L2; L1", "L3; L2")]
        whole = columns["L3; L1"]
        total = sum(map(_value, parts))
        slack = sum(cell.half_unit for cell in (*parts, whole))
        holds = abs(total - _value(whole)) <= slack + 1e-9
        shown = f"{parts[0].text} and {parts[1].text} sum to {total:.3f}; printed {whole.text}"
        yield Check("sum", f"{table}, {row}", holds, shown)


def _correlation(cells: Sequence[Printed]) -> Iterator[Check]:
    """Table 4 of DivDist follows from two columns of Table 3: contexts of three sentences."""
    human, automated = (
        np.array([_value(one) for one in cells if (one.table, one.column) == ("table-3", name)])
        for name in ("text, human", "text, automated")
    )
    found = {
        "rho": spearman(human, automated),
        "R2": float(np.corrcoef(human, automated)[0, 1] ** 2),
    }
    for cell in cells:
        if cell.table == "table-4" and cell.row == CORRELATED_IN:
            value = found[cell.column]
            holds = abs(value - _value(cell)) <= cell.half_unit
            shown = f"{cell.column} is {cell.text}; the columns of Table 3 give {value:.3f}"
            yield Check("correlation", f"{cell.table}, {cell.row}", holds, shown)


def _targeted(cells: Sequence[Printed]) -> Iterator[Check]:
    """Table 7 of DivDist: "every method reduces bias for the targeted measure"."""
    for (table, row), columns in _rows(cells).items():
        if table == "table-7":
            before, after = (columns[f"targeted, {when}"] for when in ("original", "debiased"))
            holds = abs(_value(after)) < abs(_value(before))
            shown = f"the targeted metric goes from {before.text} to {after.text}"
            yield Check("reduced", f"{table}, {row}", holds, shown)


def _ours_not_reduced(cells: Sequence[Printed]) -> Iterator[Check]:
    """Table 7 of DivDist: for seven of eight methods the measure rises, says the text."""
    pairs = [
        [_value(columns[f"DivDist, {when}"]) for when in ("original", "debiased")]
        for (table, _), columns in _rows(cells).items()
        if table == "table-7"
    ]
    rises = sum(after > before for before, after in pairs)
    same = sum(after == before for before, after in pairs)
    shown = (
        f"the text says that bias is amplified for seven of {len(pairs)} methods; as printed it "
        f"rises for {rises} and stays for {same}"
    )
    yield Check("amplified", "table-7", rises == 7, shown)


CHECKS: dict[str, Callable[[Sequence[Printed]], Iterator[Check]]] = {
    "patterns": _patterns,
    "repeats": _repeats,
    "labels": _labels,
    "signs": _signs,
    "prompted": _prompted,
    "sums": _sums,
    "correlation": _correlation,
    "targeted": _targeted,
    "ours-not-reduced": _ours_not_reduced,
}
"""Checks by the names that the data files give them."""


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
        warnings.warn(
            f"{len(failures)} jobs failed: {first.test} on {first.source}: {first.error.what}; "
            "see .results.failures",
            EatlasWarning,
            stacklevel=2,
        )
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
        checks=checked(known.checks, cells),
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
