"""Texts of Parquet, some rows at a time, in memory that does not grow with the file."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from eatlas.corpora.reading import Account, Rows, column_of
from eatlas.errors import SourceError
from eatlas.sources.archives import check_growth

ROWS = 1024
"""Rows that are read at once; more are hardly faster."""
BUDGET = 64 << 20
"""Bytes of the texts that are read at once; a text that many rows share is small in a file."""


def parquet_rows(
    path: Path, field: str | None, account: Account, groups: range | None = None
) -> Rows:
    """Read one column of Parquet, some rows at a time; rows that are no UTF-8 are damaged."""
    pa, parquet = pyarrow_of(path)
    size, packed = 0, path.stat().st_size
    try:
        with parquet.ParquetFile(path) as file:
            groups = range(file.num_row_groups) if groups is None else groups
            row = sum(file.metadata.row_group(one).num_rows for one in range(groups.start))
            schema = file.schema_arrow
            name = column_of(schema.names, field, account.file)
            kind = schema.field(name).type
            if pa.types.is_dictionary(kind):
                kind = kind.value_type
            if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
                raise SourceError(
                    f"{account.file}: the column {name!r} holds no texts",
                    got=str(kind),
                    remedy="name the column that does: --field NAME (in Python, field='NAME')",
                )
            for batch in _batches(file, path, name, groups):
                for cell in batch.column(0).cast(pa.large_binary()).to_pylist():
                    row += 1
                    size += len(cell or b"")
                    try:
                        text = (cell or b"").decode()
                    except UnicodeDecodeError as error:
                        byte = error.object[error.start]
                        account.damage(row, f"byte 0x{byte:02x}, which is not UTF-8")
                        continue
                    yield name, text
                check_growth(str(path), size, packed)
    except (pa.ArrowException, OSError) as error:
        raise SourceError(
            f"{path}: this Parquet file is damaged or ends early", got=str(error)
        ) from error


def _batches(file: Any, path: Path, name: str, groups: range) -> Iterator[Any]:
    """Batches of a column: few rows where its dictionary has texts of megabytes."""
    pa, parquet = pyarrow_of(path)
    packed = path.stat().st_size
    with parquet.ParquetFile(path, read_dictionary=[name]) as by_dictionary:
        for group in groups:
            facts = file.metadata.row_group(group)
            columns = (facts.column(number) for number in range(facts.num_columns))
            size = sum(one.total_uncompressed_size for one in columns if one.path_in_schema == name)
            check_growth(str(path), size, packed)
            for first in by_dictionary.iter_batches(1, [group], [name]):
                longest = pa.compute.max(pa.compute.binary_length(first.column(0).dictionary))
                rows = BUDGET // (longest.as_py() or 1)
                yield from file.iter_batches(max(1, min(ROWS, rows)), [group], [name])
                break


def pyarrow_of(path: Path) -> tuple[Any, Any]:
    """Import pyarrow where it is needed; `path` is named if it is missing."""
    try:
        import_module("pyarrow.compute")
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise SourceError(
            f"{path}: pyarrow is needed to read and write Parquet",
            remedy="pip install 'eatlas[text]'",
        ) from error
