"""Parquet: one column with the texts, read row group by row group."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

from eatlas.corpora.account import Account
from eatlas.corpora.fields import choose, usable
from eatlas.errors import SourceError

_ROWS = 4096
"""Rows that are read at once."""


def texts(path: Path, field: str | None, account: Account) -> Iterator[str]:
    """Yield the text of every row that has one; rows that are no UTF-8 are damaged.

    Raises
    ------
    SourceError
        If the file is damaged, or has no such column of texts.
    """
    pa, parquet = pyarrow_of(path)
    try:
        with parquet.ParquetFile(path) as file:
            schema = file.schema_arrow
            name = choose(schema.names, field, account.file)
            kind = schema.field(name).type
            if pa.types.is_dictionary(kind):
                kind = kind.value_type
            if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
                raise SourceError(
                    f"{account.file}: the column {name!r} holds no texts",
                    got=str(kind),
                    remedy="name the column that does: --field NAME (in Python, field='NAME')",
                )
            row = 0
            for batch in file.iter_batches(_ROWS, columns=[name]):
                cells = batch.column(0).cast(pa.large_binary()).to_pylist()
                for cell in cells:
                    row += 1
                    text = _text(cell, row, account)
                    if text is None:
                        continue
                    good = usable(text, account.skipped, reddit=name == "body")
                    if good is not None:
                        account.texts += 1
                        yield good
    except (pa.ArrowException, OSError) as error:
        raise SourceError(
            f"{path}: this Parquet file is damaged or ends early", got=str(error)
        ) from error


def _text(cell: bytes | None, row: int, account: Account) -> str | None:
    try:
        return "" if cell is None else cell.decode()
    except UnicodeDecodeError as error:
        account.damage(row, f"byte 0x{error.object[error.start]:02x}, which is not UTF-8")
        return None


def pyarrow_of(path: Path) -> tuple[Any, Any]:
    """Import pyarrow where it is needed; `path` is named if it is missing."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise SourceError(
            f"{path}: pyarrow is needed to read and write Parquet",
            remedy="pip install 'eatlas[text]'",
        ) from error
