"""Tables: the cells of any file of them, and numbers by term and group, such as a census has."""

from __future__ import annotations

import csv
import hashlib
import io
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, Self, runtime_checkable

from eatlas.csv_cells import unescape_cell
from eatlas.decoding import check_parquet, decode_utf8, require_file
from eatlas.errors import SourceError, StimulusError, described, listing
from eatlas.notes import Note
from eatlas.paths import is_there
from eatlas.sources.archives import faults_of_library, library
from eatlas.sources.download import on_this_machine, published_vectors
from eatlas.sources.frames import cells_of, is_frame, table_of
from eatlas.sources.spec import FileSpec, check_options, file_like, parse_file_spec
from eatlas.stimuli.kinds import ALL

TERM = ("term", "word", "target", "occupation", "profession")
YEAR = ("year", "period", "census year", "decade")
GROUP, COUNT = ("group",), ("count", "n", "value", "share", "weight")
_FORM = "a CSV file of UTF-8 with a header: term,group,count, or term and the groups"
_DELIMITERS = ",\t;"
BESIDE = ("total", "total weight", "spans", "pairs")
"""Columns that are of no group, by their names in lower case."""
LARGEST = 64 << 20
"""Bytes of a table; one of every word of English in ten groups has 20 MB."""


@runtime_checkable
class Counts(Protocol):
    """A number for each term and group: a table, or counts of a text."""

    @property
    def name(self) -> str:
        """What names the source in results."""

    @property
    def fingerprint(self) -> str:
        """Identifies the content."""

    @property
    def notes(self) -> tuple[Note | str, ...]:
        """Remarks for the reader."""

    def counts(self, term: str) -> Mapping[str, float] | None:
        """Numbers of one term by group, 0 or more; None where the term is not there.

        Empty where the term is there and has no numbers.
        """


@dataclass(frozen=True)
class CountTable:
    """Numbers by term and group, in memory."""

    name: str
    rows: Mapping[str, Mapping[str, float]]
    period: int | None = None
    notes: tuple[Note | str, ...] = ()
    _folded: dict[str, dict[str, float]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        folded: dict[str, dict[str, float]] = {}
        for term, row in self.rows.items():
            if term.casefold() in folded:
                raise SourceError(f"{self.name}: a term occurs twice", got=repr(term))
            folded[term.casefold()] = {
                group.casefold(): _number(value, f"{self.name}, {term}, {group}")
                for group, value in row.items()
            }
        if not folded:
            raise SourceError(f"{self.name}: the table has no rows")
        object.__setattr__(self, "_folded", folded)

    @property
    def terms(self) -> tuple[str, ...]:
        """Every term of the table, without the row of all."""
        return tuple(term for term in self.rows if term != ALL)

    @property
    def fingerprint(self) -> str:
        """Hash of the numbers."""
        rows = sorted((term, sorted(row.items())) for term, row in self._folded.items())
        return f"sha256:{hashlib.sha256(repr((self.period, rows)).encode()).hexdigest()}"

    def counts(self, term: str) -> Mapping[str, float] | None:
        """Numbers of one term by group in lower case; None where the term is not there."""
        return self._folded.get(term.casefold())

    def renamed(self, name: str) -> Self:
        """Return the table under another name."""
        return replace(self, name=name)


def open_counts(spec: Any) -> tuple[Counts, ...]:
    """Open a table of numbers by term and group; a table with years gives one for each year."""
    if isinstance(spec, Mapping):
        return (CountTable("table", spec),)
    if isinstance(spec, Counts) and not isinstance(spec, type):
        return (spec,)
    if is_frame(spec):
        return tuple(CountTable("frame", rows, year) for year, rows in _rows_by_year(spec).items())
    if not isinstance(spec, str | Path):
        raise SourceError(
            "this is not a table of counts",
            got=described(spec),
            allowed="a CSV file or a frame with a column for the term and columns of groups, or a "
            "mapping",
        )
    name = str(spec)
    parsed = FileSpec(spec) if isinstance(spec, Path) else parse_file_spec(name)
    check_options(parsed.options, ("year",), name)
    wanted = parsed.options.get("year")
    by_year = _rows_by_year(place_of_table(parsed.path))
    years = sorted(by_year, key=lambda year: year or 0)
    chosen = [year for year in years if wanted is None or str(year) == wanted]
    if not chosen:
        allowed = ", ".join(str(year) for year in years if year is not None)
        raise SourceError(
            f"{parsed.path}: the table has no such year",
            got=wanted,
            allowed=allowed or "no years: remove ?year=",
        )
    return tuple(CountTable(name, by_year[year], year) for year in chosen)


def group_numbers(row: Mapping[str, float], groups: Sequence[str], place: str) -> tuple[float, ...]:
    """Numbers of the groups of a test in a row of a table, in their order."""
    folded = {name.casefold(): value for name, value in row.items()}
    if missing := [name for name in groups if name.casefold() not in folded]:
        raise StimulusError(
            f"{place}: no number for {', '.join(missing)}",
            got=", ".join(row),
            allowed="a column for each group of the test",
        )
    return tuple(folded[name.casefold()] for name in groups)


def tables_of(path: Path) -> tuple[Path, ...]:
    """Return the paths of the published tables of a name, or a path unchanged."""
    if path.suffix or len(path.parts) != 1 or is_there(path):
        return (path,)

    parts = [entry.name for entry in published_vectors() if entry.vectors.part_of == path.name]
    return tuple(on_this_machine(name, "counts") or Path(name) for name in parts or [path.name])


def place_of_table(path: Path) -> Path:
    """Replace the name of a published table by its path; leave anything else as it is."""
    tables = tables_of(path)
    return tables[0] if len(tables) == 1 else path


Rows = dict[str, dict[str, float]]


def _rows_by_year(table: Any) -> dict[int | None, Rows]:
    """Rows of a table, in a file or a frame, by year; None where it has no years."""
    in_file = isinstance(table, Path)
    path, unit = (table, "line") if in_file else ("frame", "row")
    table_as_text = table_cells(table, "counts", _FORM) if in_file else _of_frame(table)
    head, *lines = table_as_text or [[]]
    names = [cell.strip().casefold() for cell in head]
    term, year, group, count = (
        next((names.index(name) for name in among if name in names), -1)
        for among in (TERM, YEAR, GROUP, COUNT)
    )
    beside = {term, year, *(i for i, name in enumerate(names) if name in BESIDE)}
    groups = {name.strip(): i for i, name in enumerate(head) if i not in beside}
    if term < 0 or len(groups) < 2:
        raise SourceError(
            f"{path}: the header names no column of terms and two of groups",
            got=", ".join(head)[:200] or "no header",
            allowed=f"a column {', '.join(TERM[:-1])} or {TERM[-1]}, and group and count; or a "
            "column for each group",
        )
    tables: dict[int | None, Rows] = {}
    for label, cells in full_rows(lines, len(head), f"{path}, {unit}", 1 + in_file):
        if year >= 0 and not cells[year].strip().isdecimal():
            raise SourceError(f"{label}: not a year", got=repr(cells[year]))
        period = int(cells[year]) if year >= 0 else None
        row = tables.setdefault(period, {}).setdefault(unescape_cell(cells[term].strip()), {})
        long = group >= 0 and count >= 0
        for name, i in ({cells[group].strip(): count} if long else groups).items():
            if name in row:
                raise SourceError(f"{label}: this pair occurs twice", got=f"{cells[term]}, {name}")
            if cells[i].strip():  # an empty cell holds no number
                row[name] = _number(cells[i], label)
    if not tables:
        raise SourceError(f"{path}: the table has no rows")
    return tables


def rows_by_column(
    path: Path, what: str, form: str, columns: Sequence[str] = ()
) -> Iterator[tuple[str, dict[str, str]]]:
    """Cells of each row of a table by the lower case of their column, and where the row is."""
    head, *lines = table_cells(path, what, form) or [[]]
    header = [name.strip().lower() for name in head]
    lacking = next((name for name in columns if name not in header), None)
    twice = next((name for name in header if name and header.count(name) > 1), None)
    if lacking or twice:
        raise SourceError(
            f"{path}: two columns have the name {twice!r}"
            if twice
            else f"{path}: there is no column {lacking}",
            got=listing(header) if header else "an empty file",
            allowed=form,
        )
    for place, cells in full_rows(lines, len(header), f"{path}, row", 2):
        yield place, dict(zip(header, map(unescape_cell, map(str.strip, cells)), strict=True))


def full_rows(
    rows: Iterable[list[str]], width: int, label: str, first: int
) -> Iterator[tuple[str, list[str]]]:
    """Rows that are not blank with their places; those are refused that are not `width` wide."""
    for number, cells in enumerate(rows, start=first):
        if not any(map(str.strip, cells)):
            continue
        if len(cells) != width:
            raise SourceError(
                f"{label} {number}: the row and the header have different numbers of cells",
                got=str(len(cells)),
                allowed=str(width),
            )
        yield f"{label} {number}", cells


def _of_frame(frame: Any) -> list[list[str]]:
    """Cells of a frame; words in a text index of pandas are terms."""
    index, table = table_of(frame)
    columns = {TERM[0]: index} if index else {}
    return _as_text(columns | {column.name: cells_of(column) for column in table.iter_columns()})


def _as_text(columns: Mapping[str, list[Any]]) -> list[list[str]]:
    rows = zip(*columns.values(), strict=True)
    return [[*columns], *(["" if cell is None else str(cell) for cell in row] for row in rows)]


def table_cells(path: Path, what: str, form: str) -> list[list[str]]:
    """Cells of the header, then of each row, of a table of `what`; `form` is what it may be."""
    require_file(path, SourceError)
    try:
        if path.stat().st_size > LARGEST:
            raise SourceError(
                f"{path}: the file is too large for a table of {what}", allowed="up to 64 MiB"
            )
        if path.suffix.lower() in {".parquet", ".pq"}:
            parquet = library("pyarrow.parquet", str(path), "Parquet")
            with faults_of_library(path, "this Parquet file"):
                check_parquet(path, parquet)
                columns = parquet.read_table(path).to_pydict()
            return _as_text(columns)
        text = decode_utf8(path.read_bytes(), str(path), SourceError)
        delimiter = max(_DELIMITERS, key=text.partition("\n")[0].count)
        return list(csv.reader(io.StringIO(text, newline=None), delimiter=delimiter))
    except (OSError, ValueError, csv.Error) as error:
        near = "" if path.exists() else file_like(path)
        raise SourceError(
            f"{path}: the table cannot be read",
            got=getattr(error, "strerror", None) or str(error),
            allowed=form,
            remedy=f"did you mean {near}?" if near else None,
        ) from error


def _number(value: Any, label: str) -> float:
    """A number from 0."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number) or number < 0:
        raise SourceError(f"{label}: not a count", got=repr(value), allowed="a number from 0")
    return number
