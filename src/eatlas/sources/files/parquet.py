"""Parquet: a column of words, and the numbers in columns of their own or in one of lists."""

from __future__ import annotations

import importlib
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain, islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.archives import check_growth
from eatlas.sources.files.dialects import check_finite
from eatlas.sources.files.matrix import Chunk, as_floats, check_matrix, regroup, rows_at_once
from eatlas.sources.files.reading import FileDigest, Stamp
from eatlas.sources.memory import duplicate_note
from eatlas.sources.protocol import CHUNK, Vector

OPTIONS = {"words": "name of the column of words", "vectors": "name of the column of lists"}
_NUMBER, _WORD = 8, 64
"""Bytes that a number and a word take in memory."""
# Fuzzed heads make pyarrow ask for whatever they say; a batch of this many rows bounds the rest.
_BATCH = 4096
# Of these the dictionary comes with each batch, so that few batches are fast.
_WORDS_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class _Columns:
    """Which columns hold words and numbers; `lists` if one column holds whole vectors."""

    words: str
    numbers: tuple[str, ...]
    lists: bool


class ParquetSource:
    """Words and vectors of a Parquet file; only the columns and row groups asked for are read.

    Raises
    ------
    SourceError
        If the file is damaged, or its columns are not words and numbers.
    """

    def __init__(self, path: Path, options: Mapping[str, str], name: str) -> None:
        self.path, self._name = path, name
        self._stamp = Stamp.of(path)
        self._digest = FileDigest([path], [self._stamp])
        self._shared: list[str] = []
        with self._file() as file:
            self._columns = _choose(file.schema_arrow, options, path)
            self._check_size(file)
            self._dim = self._first_dim(file)
            self._count = int(file.metadata.num_rows)
            groups = range(file.num_row_groups)
            self._check_count(sum(_group_rows(file, group) for group in groups), self._count)
        # of a word that stands in many rows the file has one copy, and so has the memory
        self._shared = [self._columns.words]
        self._duplicates: set[str] = set()

    @property
    def name(self) -> str:
        """The source as it was asked for."""
        return self._name

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self._dim

    @property
    def fingerprint(self) -> str:
        """Hash of the file's bytes."""
        return f"sha256:{self._digest.result()}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Duplicates among the words that were looked up."""
        return (*duplicate_note(self.name, len(self._duplicates)),)

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that the file has: words first, then their groups."""
        wanted = frozenset(keys)
        places: dict[str, tuple[int, int]] = {}
        found: dict[str, Vector] = {}
        with self._file() as file:
            for group in range(file.num_row_groups):
                row = 0
                for words in self._words(file, group):
                    for word in words:
                        if word in wanted:
                            if word in places:
                                self._duplicates.add(word)
                            places.setdefault(word, (group, row))
                        row += 1
            for group in sorted({group for group, _ in places.values()}):
                rows = {row: word for word, (g, row) in places.items() if g == group}
                found.update(self._rows(file, group, rows))
        return found

    @property
    def expected(self) -> int:
        """How many words there are."""
        return self._count

    def vocabulary(self) -> Iterator[str]:
        """Every word, in the order of the file."""
        with self._file() as file:
            for words in self._words(file):
                yield from words

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """Every word and vector, `rows` rows at a time."""
        return regroup(self._pieces(rows), rows, self._dim)

    def _pieces(self, rows: int) -> Iterator[Chunk]:
        columns = list(self._columns.numbers)
        with self._file() as file, self._file() as again:
            texts = chain.from_iterable(self._words(again))
            for batch in self._batches(file, rows_at_once(rows, self._dim), columns):
                words = list(islice(texts, batch.num_rows))
                vectors = self._numbers(batch)
                if len(words) < len(vectors):
                    raise _damaged(self.path, "fewer words than vectors")
                check_finite(vectors, f"{self.path}, between {words[0]!r} and {words[-1]!r}")
                yield Chunk(words, vectors)

    def _rows(self, file: Any, group: int, rows: Mapping[int, str]) -> Iterator[tuple[str, Vector]]:
        start = 0
        columns = list(self._columns.numbers)
        for batch in self._batches(file, _BATCH, columns, group):
            here = sorted(row for row in rows if start <= row < start + batch.num_rows)
            if here:
                vectors = self._numbers(batch.take([row - start for row in here]))
                for row, vector in zip(here, vectors, strict=True):
                    check_finite(vector, f"{self.path}, the vector of {rows[row]!r}")
                    yield rows[row], vector
            start += batch.num_rows

    def _words(self, file: Any, group: int | None = None) -> Iterator[list[str]]:
        column = self._columns.words
        for batch in self._batches(file, _WORDS_AT_ONCE, [column], group):
            yield self._texts(batch.column(column))

    def _batches(
        self, file: Any, size: int, columns: list[str], group: int | None = None
    ) -> Iterator[Any]:
        """Batches of some columns, of one group or of all; fewer than announced are a fault.

        Where the columns of a damaged file differ in length, pyarrow stops at the shortest.
        """
        groups = range(file.num_row_groups) if group is None else [group]
        count = 0
        for batch in file.iter_batches(batch_size=size, row_groups=list(groups), columns=columns):
            count += batch.num_rows
            yield batch
        self._check_count(count, sum(_group_rows(file, each) for each in groups))

    def _check_count(self, count: int, announced: int) -> None:
        if count != announced:
            raise _damaged(self.path, f"{count} rows where {announced} are announced")

    def _check_size(self, file: Any) -> None:
        """Refuse a file that announces more rows and numbers than its size can account for."""
        wanted = {self._columns.words: _WORD} | dict.fromkeys(self._columns.numbers, _NUMBER)
        size = 0
        for group in range(file.num_row_groups):
            facts = file.metadata.row_group(group)
            for number in range(facts.num_columns):
                column = facts.column(number)
                width = wanted.get(column.path_in_schema.split(".", 1)[0], 0)
                size += width and max(column.num_values * width, column.total_uncompressed_size)
        check_growth(str(self.path), size, self._stamp.size)

    def _texts(self, column: Any) -> list[str]:
        words = _spread(column)
        if any(word is None for word in words):
            raise SourceError(f"{self.path}, column {self._columns.words}: a word is missing")
        return words

    def _numbers(self, batch: Any) -> NDArray[np.floating]:
        """Vectors of a batch, shape (rows, dim)."""
        parts = [batch.column(name) for name in self._columns.numbers]
        if any(part.null_count for part in parts):
            raise SourceError(f"{self.path}: a number is missing", allowed="finite numbers")
        if not self._columns.lists:
            columns = [part.to_numpy(zero_copy_only=False) for part in parts]
            return as_floats(np.column_stack(columns))
        flat = parts[0].flatten()
        if flat.null_count or len(flat) != batch.num_rows * self._dim or self._ragged(parts[0]):
            raise SourceError(
                f"{self.path}, column {self._columns.numbers[0]}: vectors differ in length",
                allowed=f"{self._dim} numbers, as in the first row",
            )
        return as_floats(flat.to_numpy(zero_copy_only=False)).reshape(batch.num_rows, self._dim)

    def _ragged(self, column: Any) -> bool:
        lengths = importlib.import_module("pyarrow.compute").list_value_length(column)
        return bool((lengths.to_numpy(zero_copy_only=False) != self._dim).any())

    def _first_dim(self, file: Any) -> int:
        if not self._columns.lists and file.metadata.num_rows:
            return len(self._columns.numbers)
        for batch in file.iter_batches(batch_size=1, columns=list(self._columns.numbers)):
            first = batch.column(0)[0]
            dim = len(first) if first.is_valid else 0
            if dim:
                check_matrix((1, dim), np.dtype(np.float64), str(self.path))
                return dim
            break
        raise SourceError(f"{self.path}: the file holds no vectors")

    @contextmanager
    def _file(self) -> Iterator[Any]:
        parquet = _pyarrow(self.path)
        self._stamp.check(self.path)
        try:
            with parquet.ParquetFile(self.path, read_dictionary=self._shared) as file:
                yield file
            self._stamp.check(self.path)
        except SourceError:
            raise
        except (
            OSError,
            MemoryError,
            ValueError,
            KeyError,
            TypeError,
            NotImplementedError,
        ) as error:
            raise _damaged(self.path, str(error).split("\n", 1)[0][:200]) from error


def _spread(column: Any) -> list[Any]:
    """The texts of a column; rows of one word share one text."""
    if not hasattr(column, "dictionary"):
        texts: list[Any] = column.to_pylist()
        return texts
    compute: Any = importlib.import_module("pyarrow.compute")
    used = compute.unique(column.indices)
    words = column.dictionary.take(used).to_pylist()
    if len(words) == len(column):  # in the order in which they first stand
        return list(words)
    places = compute.index_in(column.indices, used).to_pylist()
    return [words[place] for place in places]


def _group_rows(file: Any, group: int) -> int:
    return int(file.metadata.row_group(group).num_rows)


def _damaged(path: Path, got: str) -> SourceError:
    return SourceError(
        f"{path}: this Parquet file is damaged, or of a kind that cannot be read",
        got=got,
        remedy="get it again; the copy is probably incomplete",
    )


def _pyarrow(path: Path) -> Any:
    try:
        return importlib.import_module("pyarrow.parquet")
    except ImportError as error:
        raise SourceError(
            f"{path}: pyarrow is needed to read Parquet", remedy="pip install 'eatlas[files]'"
        ) from error


def _choose(schema: Any, options: Mapping[str, str], path: Path) -> _Columns:
    types = importlib.import_module("pyarrow.types")
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
