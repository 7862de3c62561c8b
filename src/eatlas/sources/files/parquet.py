"""Parquet: a column of words, and the numbers in columns of their own or in one of lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import Content, check_growth
from eatlas.sources.files.matrix import (
    Matrix,
    MatrixSource,
    as_floats,
    check_matrix,
    picked,
    rows_at_once,
)
from eatlas.sources.files.on_disk import Stamp, damaged, faults_of_library, library

_KIND = "this Parquet file"
_NUMBER, _WORD = 8, 64
"""Bytes that a number and a word take in memory."""
# Fuzzed heads make pyarrow request whatever they say; a batch of this many rows bounds the rest.
_BATCH = 4096
# Of these the dictionary comes with each batch, so that few batches are fast.
_WORDS_AT_ONCE = 1 << 18


def open_parquet(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open the words and vectors of a Parquet file."""
    path = content.path
    with _opened(path) as file:
        columns = _choose(file.schema_arrow, options, path)
        _check_size(file, columns, path)
        shape = int(file.metadata.num_rows), _first_dim(file, columns, path)
        groups = range(file.num_row_groups)
        _check_count(path, sum(_group_rows(file, group) for group in groups), shape[0])
    return MatrixSource(
        ColumnWords(path, columns.words, shape[0]),
        ColumnMatrix(path, columns, shape),
        name=name,
        files=(path,),
    )


@dataclass(frozen=True)
class ColumnWords:
    """The words of a column."""

    path: Path
    column: str
    count: int

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[str]:
        # of a word in many rows the file has one copy, and so has the memory
        with _opened(self.path, shared=[self.column]) as file:
            for batch in _batches(file, self.path, _WORDS_AT_ONCE, [self.column]):
                words = _spread(batch.column(self.column))
                if any(word is None for word in words):
                    raise SourceError(f"{self.path}, column {self.column}: a word is missing")
                yield from words


@dataclass(frozen=True)
class _Columns:
    """Which columns hold words and numbers; `lists` if one column holds whole vectors."""

    words: str
    numbers: tuple[str, ...]
    lists: bool


@dataclass(frozen=True)
class ColumnMatrix(Matrix):
    """The vectors; only the columns and row groups that are needed are read."""

    path: Path
    columns: _Columns
    shape: tuple[int, int]

    def take(self, rows: Sequence[int]) -> NDArray[np.floating]:
        """Rows in ascending order, shape (len(rows), dim)."""
        wanted, start = np.array(rows), 0
        parts: list[NDArray[np.floating]] = []
        with _opened(self.path) as file:
            for group in range(file.num_row_groups):
                end = start + _group_rows(file, group)
                if len(here := wanted[(wanted >= start) & (wanted < end)] - start):
                    parts += picked(self._read(file, _BATCH, group), here)
                start = end
        return np.concatenate(parts)

    def blocks(self, size: int) -> Iterator[NDArray[np.floating]]:
        """All rows in order, at most `size` at a time."""
        with _opened(self.path) as file:
            yield from self._read(file, rows_at_once(size, self.shape[1]))

    def _read(
        self, file: Any, size: int, group: int | None = None
    ) -> Iterator[NDArray[np.floating]]:
        """Vectors of a group, or of all, batch by batch."""
        return map(
            self._numbers, _batches(file, self.path, size, list(self.columns.numbers), group)
        )

    def _numbers(self, batch: Any) -> NDArray[np.floating]:
        """Vectors of a batch, shape (rows, dim)."""
        parts, dim = [batch.column(name) for name in self.columns.numbers], self.shape[1]
        if any(part.null_count for part in parts):
            raise SourceError(f"{self.path}: a number is missing", allowed="finite numbers")
        if not self.columns.lists:
            columns = [part.to_numpy(zero_copy_only=False) for part in parts]
            return as_floats(np.column_stack(columns))
        flat = parts[0].flatten()
        lengths = library("pyarrow.compute", "", "Parquet").list_value_length(parts[0])
        ragged = (lengths.to_numpy(zero_copy_only=False) != dim).any()
        if flat.null_count or len(flat) != batch.num_rows * dim or ragged:
            raise SourceError(
                f"{self.path}, column {self.columns.numbers[0]}: vectors differ in length",
                allowed=f"{dim} numbers, as in the first row",
            )
        return as_floats(flat.to_numpy(zero_copy_only=False)).reshape(batch.num_rows, dim)


@contextmanager
def _opened(path: Path, shared: Sequence[str] = ()) -> Iterator[Any]:
    """Open a file; faults of the library become a SourceError."""
    parquet = library("pyarrow.parquet", str(path), "Parquet")
    with (
        faults_of_library(path, _KIND),
        parquet.ParquetFile(path, read_dictionary=list(shared)) as file,
    ):
        yield file


def _batches(
    file: Any, path: Path, size: int, columns: list[str], group: int | None = None
) -> Iterator[Any]:
    """Batches of some columns, of one group or of all; fewer than announced are a fault.

    Where the columns of a damaged file differ in length, pyarrow stops at the shortest (2 of 1,200
    files damaged at random, pyarrow 26).
    """
    groups = range(file.num_row_groups) if group is None else [group]
    count = 0
    for batch in file.iter_batches(batch_size=size, row_groups=list(groups), columns=columns):
        count += batch.num_rows
        yield batch
    _check_count(path, count, sum(_group_rows(file, each) for each in groups))


def _check_count(path: Path, count: int, announced: int) -> None:
    if count != announced:
        raise damaged(path, _KIND, f"{count} rows where {announced} are announced")


def _check_size(file: Any, columns: _Columns, path: Path) -> None:
    """Refuse a file that announces more rows and numbers than its size can account for."""
    wanted = {columns.words: _WORD} | dict.fromkeys(columns.numbers, _NUMBER)
    size = 0
    for group in range(file.num_row_groups):
        facts = file.metadata.row_group(group)
        for column in map(facts.column, range(facts.num_columns)):
            width = wanted.get(column.path_in_schema.split(".", 1)[0], 0)
            size += width and max(column.num_values * width, column.total_uncompressed_size)
    check_growth(str(path), size, Stamp.of(path).size)


def _first_dim(file: Any, columns: _Columns, path: Path) -> int:
    """Number of components: of columns, or of the first list."""
    if not columns.lists and file.metadata.num_rows:
        return len(columns.numbers)
    for batch in file.iter_batches(batch_size=1, columns=list(columns.numbers)):
        first = batch.column(0)[0]
        if first.is_valid and (dim := len(first)):
            check_matrix((1, dim), np.dtype(np.float64), str(path))
            return dim
        break
    raise SourceError(f"{path}: the file holds no vectors")


def _spread(column: Any) -> list[Any]:
    """The texts of a column; rows of one word share one text."""
    if not hasattr(column, "dictionary"):
        texts: list[Any] = column.to_pylist()
        return texts
    compute: Any = library("pyarrow.compute", "", "Parquet")
    used = compute.unique(column.indices)
    words = column.dictionary.take(used).to_pylist()
    if len(words) == len(column):  # in the order of their first rows
        return list(words)
    places = compute.index_in(column.indices, used).to_pylist()
    return [words[place] for place in places]


def _group_rows(file: Any, group: int) -> int:
    return int(file.metadata.row_group(group).num_rows)


def _choose(schema: Any, options: Mapping[str, str], path: Path) -> _Columns:
    """Choose the columns of words and numbers by names and types."""
    types = library("pyarrow.types", str(path), "Parquet")
    names: list[str] = list(schema.names)
    kinds = {
        field.name: "text"
        if types.is_string(field.type)
        or types.is_large_string(field.type)
        or _is_dictionary(types, field.type)
        else "list"
        if _is_vector(types, field.type)
        else "number"
        if types.is_floating(field.type) or types.is_integer(field.type)
        else "other"
        for field in schema
    }
    if len(kinds) != len(names):
        raise SourceError(f"{path}: two columns have one name", got=", ".join(names[:20]))
    words = options.get("words") or _only(path, kinds, "text", "words")
    lists = [name for name in names if kinds[name] == "list"]
    if "vectors" in options or lists:
        vectors = options.get("vectors") or _only(path, kinds, "list", "vectors")
        _need(path, kinds, vectors, "list")
        _need(path, kinds, words, "text")
        return _Columns(words, (vectors,), lists=True)
    _need(path, kinds, words, "text")
    numbers = tuple(n for n in names if kinds[n] == "number" and not n.startswith("__index"))
    if not numbers:
        raise _no_columns(path, kinds)
    return _Columns(words, numbers, lists=False)


def _is_vector(types: Any, kind: Any) -> bool:
    is_list = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
    return bool(is_list and types.is_floating(kind.value_type))


def _is_dictionary(types: Any, kind: Any) -> bool:
    return bool(types.is_dictionary(kind) and types.is_string(kind.value_type))


def _only(path: Path, kinds: Mapping[str, str], kind: str, option: str) -> str:
    """The only column of a kind, or the only one with a usual name."""
    fit = [name for name, k in kinds.items() if k == kind]
    if len(fit) == 1:
        return fit[0]
    named = [name for name in fit if name.lower() in {"word", "term", "words", "vector", "vectors"}]
    if len(named) == 1:
        return named[0]
    if not fit:
        raise _no_columns(path, kinds)
    raise SourceError(
        f"{path}: more than one column may hold the {option}",
        got=", ".join(fit[:20]),
        remedy=f"name it: {path}?{option}=NAME",
    )


def _need(path: Path, kinds: Mapping[str, str], name: str, kind: str) -> None:
    if kinds.get(name) != kind:
        raise SourceError(
            f"{path}: there is no such column of {'text' if kind == 'text' else 'vectors'}",
            got=name,
            allowed=", ".join(n for n, k in kinds.items() if k == kind) or "none in this file",
        )


def _no_columns(path: Path, kinds: Mapping[str, str]) -> SourceError:
    return SourceError(
        f"{path}: the columns are not words and vectors",
        got=", ".join(f"{name} ({kind})" for name, kind in list(kinds.items())[:10]),
        allowed="a column of text, and columns of numbers or one column of lists of floats",
    )
