"""A replication: what published tables print, what is computed in its place, and both as files."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup
from pydantic import Field

from eatlas.decoding import own_toml
from eatlas.engine import SourceLike, execute, make_plan, results_of, warn_of_failures
from eatlas.errors import EatlasError, SourceError, did_you_mean
from eatlas.executors import choose, require_workers
from eatlas.lazy import as_frame
from eatlas.numbers import MINUS, effect
from eatlas.present.drawings.svg import (
    LEFT,
    WIDTH,
    Axis,
    label,
    muted,
    outline,
    path,
    short,
    tag,
    words,
)
from eatlas.present.drawings.svg import figure as framed
from eatlas.present.page import REPORT, write_run
from eatlas.present.rendering import page_files, render
from eatlas.present.tables import csv_text
from eatlas.results import AssociationResult, Results
from eatlas.results.json_lines import USUAL_NAME as LINES
from eatlas.results.parts import Record, at
from eatlas.sources import open_vectors
from eatlas.stimuli import load_tests
from eatlas.version import __version__

if TYPE_CHECKING:
    import pandas as pd

PAGE, TABLE = "replication.html", "replication.csv"
"""Files of a replication, beside the results with their report."""
DATA = Path(__file__).parent / "data"
PAPERS = ("caliskan", "ml-eat", "seat", "divdist", "mind-your-bias")
STARS = {"*": True, "none": False, "": None}
ENCODERS = ("hf:", "st:", "clip:")
"""Sources that take the options and the prompt of a paper's method."""
ENCODING = (*ENCODERS, "cbow:", "py:", "http:", "https:")
"""Sources that encode texts; a file of words gets the scheme of the paper's model."""
NUMERIC_SLACK = 1e-9
"""Beyond half a unit of the last printed digit, for the rounding of binary fractions."""


class PaperModel(Record):
    """A model that a paper measured, how to get it, and what became of it."""

    id: str
    title: str
    published: str = ""
    """Name by which ``eatlas vectors fetch`` fetches it."""
    bundled: str = ""
    """Source of the package that has the model's own vectors of the words of the tests."""
    scheme: str = ""
    """Before the source, such as ``cbow:``."""
    get: str = ""
    options: dict[str, str] = Field(default_factory=dict)
    """Options of a transformer that the paper's method needs."""
    prompt: str = ""
    not_run: str = ""
    """Why eatlas cannot measure it without help."""
    stand_in: str = ""
    """Source of the package that is measured in its place."""
    stand_in_is: str = ""
    """What that is; empty once the model itself is measured."""
    note: str = ""
    source: str = ""
    """What was measured; empty where nothing was."""
    missing: str = ""
    """Why nothing was measured, or how to get the model."""


class PaperTable(Record):
    """A table of a paper."""

    id: str
    title: str
    measure: str
    """Signature of the measure that gives its numbers."""
    says: str = ""
    not_run: str = ""


class Paper(Record):
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
class Cell:
    """One cell of a published table as printed, beside what was computed for it."""

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
    signless: bool = False
    """Whether the text has lost the signs, so that absolute values are compared."""
    source: str = ""
    """Source string of the vectors; empty where nothing was computed."""
    stand_in: bool = False
    """Whether these are other vectors than the paper's."""
    value: float | str | None = None
    """What was computed; None where nothing was, or where it is undefined."""
    own_star: bool | None = None
    """Whether what was computed is significant; None for numbers without stars."""

    @property
    def number(self) -> float | None:
        """The printed number; None for labels, and where it is missing."""
        try:
            return float(self.text)
        except ValueError:
            return None

    @property
    def decimals(self) -> int:
        """Decimals that are printed; 2 where the number is missing."""
        return len(self.text.partition(".")[2]) if self.text else 2

    @property
    def difference(self) -> float | None:
        """What was computed less what is printed; None without both."""
        number = self.number
        if number is None or not isinstance(self.value, int | float):
            return None
        return abs(self.value) - abs(number) if self.signless else self.value - number

    @property
    def agrees(self) -> bool | None:
        """Whether both are the same to the digits printed; None where one is missing."""
        if self.value is None or not self.text:
            return None
        if isinstance(self.value, str):
            return self.value == self.text
        if self.difference is None:
            return None
        return abs(self.difference) <= 0.5 * 10.0**-self.decimals + NUMERIC_SLACK

    def columns(self) -> dict[str, Any]:
        """The cell as a row of a flat table."""
        label = isinstance(self.value, str)
        return {
            "table": self.table, "model": self.model, "row": self.row, "column": self.column,
            "test": self.test, "period": self.period, "place": self.place,
            "published": self.number, "published_text": self.text or None,
            "published_star": self.star,
            "source": self.source or None, "stand_in": self.stand_in if self.source else None,
            "ours": None if label else self.value, "ours_text": self.value if label else None,
            "ours_star": self.own_star,
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
class Replication(Sequence[Cell]):
    """Published numbers beside one's own: a sequence of cells.

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
    paper: Paper
    cells: tuple[Cell, ...]
    models: tuple[PaperModel, ...]
    checks: tuple[Check, ...]
    results: Results = field(default_factory=lambda: Results([]))
    """What was measured."""

    def __getitem__(self, index: Any) -> Any:
        return self.cells[index]

    def __len__(self) -> int:
        return len(self.cells)

    def __repr__(self) -> str:
        agree = [cell.agrees for cell in self.cells if cell.agrees is not None]
        return (
            f"<Replication of {self.name}: {len(self.cells)} published cells, "
            f"{len(agree)} compared, {sum(agree)} the same; {len(self.checks)} checks of printed "
            f"numbers, {len(self.failed_checks)} of which fail>"
        )

    @property
    def computed(self) -> tuple[Cell, ...]:
        """The cells for which something was computed."""
        return tuple(cell for cell in self.cells if cell.source)

    @property
    def headline(self) -> str:
        """How much of what is printed was computed again, and how much is the same."""
        own = [cell for cell in self.computed if not cell.stand_in] or self.computed
        agree = [cell.agrees for cell in own if cell.agrees is not None]
        name = self.paper.title.removeprefix("A replication of ")
        if not agree:
            return f"{name}: no printed number was computed"
        same = f"{sum(agree):,} of {len(agree):,} printed numbers are the same to the last digit"
        return f"{name}{', other vectors' if own[0].stand_in else ''}: {same}"

    @property
    def failed_checks(self) -> tuple[Check, ...]:
        """Printed numbers that do not follow from others."""
        return tuple(check for check in self.checks if not check.holds)

    def to_frame(self) -> pd.DataFrame:
        """One row for each published cell."""
        return as_frame(cell.columns() for cell in self.cells)


@cache
def paper(name: str) -> Paper:
    """What is known of a paper."""
    if name not in PAPERS:
        raise EatlasError(
            f"no paper {name!r} is known{did_you_mean(name, PAPERS)}", allowed=", ".join(PAPERS)
        )
    return Paper(**own_toml(DATA / f"{name}.toml"))


@cache
def printed_numbers(name: str) -> tuple[Cell, ...]:
    """The cells of a paper's tables, in their order."""
    about, cells = paper(name), []
    for row in _rows(f"{name}.csv"):
        table, model, line, column, test, period, place, text, star = row.values()
        year = int(period) if period else None
        cells.append(
            Cell(table, model, line, column, test, year, place, text, STARS[star], about.signless)
        )
    return tuple(cells)


@cache
def own_tests() -> dict[str, Any]:
    """Tests that tables are of and that no battery has, by id."""
    return {test.id: test for test in load_tests(DATA / "tests.toml")}


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
    name : {"caliskan", "ml-eat", "seat", "divdist", "mind-your-bias"}
        Caliskan et al. (2017); Wolfe, Hiniker and Howe (2024); May et al. (2019); Bommasani and
        Liang (2022); Husse and Spitz (2022).
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
        A sequence of cells; ``to_frame()`` has one row for each.

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
    warn_of_failures(replication.results)
    return replication


def compared(
    name: str, vectors: Mapping[str, Any] | None = None, *, seed: int = 0, workers: int | None = 1
) -> Replication:
    """Do what :func:`replicate` does, without a warning for jobs that failed."""
    require_workers(workers)
    about, cells, vectors = paper(name), printed_numbers(name), vectors or {}
    ids = [model.id for model in about.model]
    if unknown := [model for model in vectors if model not in ids]:
        raise EatlasError(
            f"the paper has no model {unknown[0]!r}{did_you_mean(unknown[0], ids)}",
            allowed=", ".join(ids),
        )
    measures = {table.id: table.measure for table in about.table if not table.not_run}
    models: dict[str, PaperModel] = {}
    result_of: dict[tuple[Any, ...], AssociationResult] = {}
    measured: list[Results] = []
    for model in about.model:
        tested = [cell for cell in cells if cell.model == model.id and cell.test]
        source, used = _source_of(model, vectors.get(model.id), tested=bool(tested))
        models[model.id] = used
        tests: dict[str, dict[str, None]] = {}
        for cell in tested if source is not None else ():
            if cell.table in measures:
                tests.setdefault(measures[cell.table], {})[cell.test] = None
        encoder = isinstance(source, str) and source.startswith(ENCODERS)
        for measure, test_ids in tests.items():
            prompts = model.prompt or None if encoder else None
            asked = [own_tests().get(name, name) for name in test_ids]
            jobs = make_plan(asked, source, measure, prompts=prompts, seed=seed)
            measured.append(results_of(execute(jobs, choose(workers, len(jobs)))))
            result_of |= {
                (model.id, measure, result.test, result.period): result for result in measured[-1]
            }
    compared_cells = []
    for cell in cells:
        used = models[cell.model]
        result = result_of.get((used.id, measures.get(cell.table), cell.test, cell.period))
        if result is not None and cell.place:
            cell = replace(  # noqa: PLW2901  (the same cell, with what was computed)
                cell,
                source=used.source,
                stand_in=bool(used.stand_in_is),
                value=value_at(result, cell.place),
                own_star=star_at(result, cell.place),
            )
        compared_cells.append(cell)
    return Replication(
        name=name,
        paper=about,
        cells=tuple(compared_cells),
        models=tuple(models.values()),
        checks=checks_of(name),
        results=Results(
            [result for results in measured for result in results],
            [failure for results in measured for failure in results.failures],
            [trend for results in measured for trend in results.trends],
        ),
    )


def _source_of(model: PaperModel, own: Any, *, tested: bool) -> tuple[Any, PaperModel]:
    """The source that stands for a model, None where there is none, and what became of it."""
    if own is not None and tested:
        source = _with_options(model, own)
        name = source if isinstance(source, str) else getattr(source, "name", str(source))
        return source, model.model_copy(update={"source": name, "stand_in_is": ""})
    missing = model.not_run or model.get
    if model.published and tested:
        try:
            open_vectors(model.published)
        except SourceError as error:
            missing = model.not_run or f"{error.remedy}, or --vectors {model.id}=FILE"
        else:
            source = f"{model.scheme}{model.published}"
            return source, model.model_copy(update={"source": source, "stand_in_is": ""})
    elif not model.not_run and not tested:
        missing = "none of its cells here is a number that eatlas can compute from vectors alone"
    if model.bundled and tested:
        source = f"{model.scheme}{model.bundled}"
        return source, model.model_copy(update={"source": source, "stand_in_is": ""})
    used = model.model_copy(update={"source": model.stand_in, "missing": missing})
    return model.stand_in or None, used


def _with_options(model: PaperModel, source: Any) -> Any:
    """A source with the scheme and the options of the method, unless it sets the level itself."""
    if model.scheme and isinstance(source, str | Path) and not str(source).startswith(ENCODING):
        return f"{model.scheme}{source}"
    if not isinstance(source, str) or not source.startswith(ENCODERS):
        return source
    address, _, options = source.partition("?")
    own = dict(option.partition("=")[::2] for option in options.split("&") if option)
    if "level" in own:
        return source
    written = "&".join(f"{key}={value}" for key, value in (model.options | own).items())
    return f"{address}?{written}" if written else source


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


# ---- tables as the terminal and the page show them


def grids(replication: Replication) -> list[dict[str, Any]]:
    """The published tables of a replication, in their order.

    Of each its `table`; `rows` by column; its `columns`, in the order of the fullest row; those
    that are `computed`, without level 3, which only the page shows; whether each cell with both
    numbers does `agree`; the cells that `differ`; `sources` with whether they stand in for another;
    and why nothing was computed where `missing`.
    """
    grids, missing = [], {model.id: model.missing for model in replication.models}
    for table in replication.paper.table:
        cells = [cell for cell in replication if cell.table == table.id]
        rows: dict[str, dict[str, Cell]] = {}
        for cell in cells:
            rows.setdefault(cell.row, {})[cell.column] = cell
        fullest_first = sorted(rows.values(), key=len, reverse=True)
        columns = list(dict.fromkeys(name for row in fullest_first for name in row))
        own = [cell for cell in cells if cell.source]
        shown = {cell.column for cell in own if not cell.place.startswith("level3.")}
        grids.append({
            "table": table,
            "rows": rows,
            "columns": columns,
            "computed": [name for name in columns if name in shown],
            "agree": [cell.agrees for cell in cells if cell.agrees is not None],
            "differ": [cell for cell in cells if cell.agrees is False],
            "missing": list(dict.fromkeys(
                table.not_run or missing[cell.model] or "no measure of eatlas gives these numbers"
                for cell in cells if not own
            )),
            "sources": list(dict.fromkeys((cell.source, cell.stand_in) for cell in own)),
        })  # fmt: skip
    return grids


def published(cell: Cell) -> str:
    """A published cell as printed, with its star; a dash where it is missing."""
    if cell.number is None:
        return cell.text or "–"
    return cell.text.replace("-", MINUS) + ("*" if cell.star else "")


def computed(cell: Cell) -> str:
    """What was computed, with as many decimals as are printed; empty where nothing was."""
    if not cell.source:
        return ""
    if cell.value is None or isinstance(cell.value, str):
        return cell.value or "undefined"
    if 0.0 < abs(cell.value) < 0.5 * 10.0**-cell.decimals:  # a small p would round to 0
        return f"{cell.value:.1g}"
    return effect(cell.value, cell.decimals) + (
        "*" if cell.star is not None and cell.own_star else ""
    )


def difference(cell: Cell) -> str:
    """What was computed less what is published, with its sign; empty without both."""
    if cell.difference is None:
        return ""
    text = effect(cell.difference, cell.decimals)
    return text if text.startswith(MINUS) else f"+{text}"


NAMES, LINE, RESULTS = 226.0, 20.0, 84.0
"""Of the drawing: room for names, height of a row, room for counts."""
PRINTED = 1.7
"""Size of the ring of a printed number, beside the mark of a computed one."""


def strip(grid: Mapping[str, Any]) -> str:
    """Draw the first number of each row of a table: as printed, a ring, and as computed, a mark."""
    column = next((name for name in grid["computed"] if _numbers(grid, name)), None)
    if column is None:
        return ""
    rows = [
        (name, row[column], row.values()) for name, row in grid["rows"].items() if column in row
    ]
    values = [value for _, cell, _ in rows for value in (cell.number, cell.value)]
    axis = Axis.around((v for v in values if v is not None), LEFT + NAMES, WIDTH - RESULTS)
    several = any(sum(other.agrees is not None for other in cells) > 1 for _, _, cells in rows)
    bottom = LINE * (len(rows) + 1)
    drawn, texts = [axis.grid(LINE, bottom)], []
    for i, (name, cell, cells) in enumerate(rows):
        y = LINE * (i + 1.5)
        agree = [other.agrees for other in cells if other.agrees is not None]
        of_row = f"{sum(agree)} of {len(agree)}" if several and agree else computed(cell)
        texts.append(f"{name}: printed {published(cell)}, computed {computed(cell)}")
        parts = [tag("title", words(texts[-1])), label(short(name, NAMES - 10), LEFT, y + 4)]
        parts.append(muted(of_row, WIDTH - LEFT, y + 4, anchor="end"))
        parts += _marks(cell, axis, y)
        drawn.append(tag("g", *parts))
    head = label(f"{column}: printed ○, computed ●", LEFT, 13, font_weight=650)
    head += muted("same" if several else "computed", WIDTH - LEFT, 13, anchor="end")
    title = f"{grid['table'].title}: {column}"
    return framed(bottom + 22, head, *drawn, title=title, alt=f"{title}. {'; '.join(texts)}")


def _numbers(grid: Mapping[str, Any], column: str) -> bool:
    """Whether a column has computed numbers and no labels."""
    cells = [row[column] for row in grid["rows"].values() if column in row]
    return any(isinstance(cell.value, float) for cell in cells if cell.source)


def _marks(cell: Cell, axis: Axis, y: float) -> Iterator[str]:
    """Both numbers of a cell, joined by a line; the mark is filled where they are the same."""
    ends = [round(axis.at(v), 1) for v in (cell.number, cell.value) if isinstance(v, int | float)]
    if len(ends) == 2 and cell.agrees is False:
        yield path(f"M{ends[0]:g} {y:g}H{ends[1]:g}", "i y")
    if cell.number is not None:
        yield path(outline("circle", ends[0], y, PRINTED), "ring")
    if isinstance(cell.value, int | float):
        colour = "x" if cell.agrees else "y" if cell.agrees is False else "n"
        yield path(outline("circle", ends[-1], y, 0.8), f"m on {colour}")


def replication_html(replication: Replication) -> str:
    """A replication as one self-contained page."""
    return render(
        "replication",
        r=replication,
        grids=grids(replication),
        published=published,
        computed=computed,
        difference=difference,
        strip=lambda grid: Markup(strip(grid)),  # noqa: S704  (escaped where it is drawn)
        version=__version__,
        kinds=list(dict.fromkeys(check.name for check in replication.checks)),
        **page_files("cards.js"),
        table=TABLE,
        lines=LINES,
        report=REPORT,
    )


def replication_csv(replication: Iterable[Cell]) -> str:
    """A replication as a flat table, one line for each published cell."""
    return csv_text([cell.columns() for cell in replication])


def write_replication(replication: Replication, folder: str | Path) -> tuple[Path, ...]:
    """Write a replication into a folder.

    Parameters
    ----------
    replication : Replication
    folder : path
        Gets ``replication.html`` and ``replication.csv`` and, where something was measured,
        ``results.jsonl`` and ``report.html``. Files of another replication or run that are there
        are kept under another name.

    Returns
    -------
    tuple of Path
        The files that were written.

    Raises
    ------
    ResultsError
        If a file cannot be written.

    Warns
    -----
    EatlasWarning
        Under which names other files are kept.

    Examples
    --------
    >>> import eatlas, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_replication(eatlas.replicate("divdist"), folder)]
    ['replication.html', 'replication.csv', 'results.jsonl', 'report.html']
    """
    directory = Path(folder)
    pages = {PAGE: replication_html(replication), TABLE: replication_csv(replication)}
    write_run(replication.results, directory, pages)
    of_results = (LINES, REPORT) if len(replication.results) else ()
    return tuple(directory / name for name in (*pages, *of_results))
