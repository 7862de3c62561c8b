"""Contexts and pairs are written: Parquet, JSON lines or CSV, and what was read beside them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from eatlas.corpora.reading import pyarrow_of
from eatlas.csv_cells import marked
from eatlas.decoding import json_value, require_file
from eatlas.errors import ResultsError, SourceError
from eatlas.writing import atomic_file, atomic_files, require_writable

LABEL = "label"
"""Column of what people saw in a context; empty where it has no label."""
ENDINGS = (".parquet", ".jsonl", ".csv")
KEY = b"eatlas"
TEXTS = ("text", "stimulus", "target", "attribute", LABEL)
"""Columns that hold words; all others hold places."""
Columns = tuple[str, ...]
MARKED = "marked_cells"
"""Key in the file beside a CSV file whose texts are marked as `eatlas.csv_cells` says."""


def require_ending(path: Path, what: str = "contexts", endings: tuple[str, ...] = ENDINGS) -> None:
    """Refuse a name that does not say how to write what was found."""
    if path.suffix.lower() not in endings:
        raise ResultsError(
            f"{path}: {what} cannot be written so",
            got=path.suffix or "a name without ending",
            allowed=", ".join(endings),
        )


def require_place(path: Path, what: str = "contexts", endings: tuple[str, ...] = ENDINGS) -> None:
    """Refuse, before a corpus is read, a file to which nothing could be written then."""
    require_ending(path, what, endings)
    if path.suffix.lower() == ".parquet":
        pyarrow_of(path)
    require_writable(path)


def beside(path: Path) -> Path:
    """Return the path of the counts and provenance of a file without metadata."""
    return path.with_name(path.name + ".json")


def about_of(path: Path) -> dict[str, Any]:
    """What was written with a file of contexts or counts; nothing where nothing was.

    Parameters
    ----------
    path : Path
        A Parquet file, which holds it, or another file, beside which it is.

    Returns
    -------
    dict

    Raises
    ------
    SourceError
        If it cannot be read.

    Examples
    --------
    >>> from pathlib import Path
    >>> about_of(Path("mine.csv"))
    {}
    """
    try:
        if path.suffix.lower() == ".parquet":
            metadata = pyarrow_of(path)[1].read_schema(path).metadata or {}
            about = json_value(metadata.get(KEY, b"{}"))
        else:
            require_file(beside(path), SourceError)
            about = json_value(beside(path).read_bytes()) if beside(path).is_file() else {}
    except (OSError, ValueError) as error:
        what = f"{path}: what was written with this file cannot be read"
        raise SourceError(what, got=str(error)) from error
    return about if isinstance(about, dict) else {}


def write(
    path: Path, rows: Sequence[tuple[Any, ...]], fields: Columns, about: Mapping[str, Any]
) -> None:
    """Write contexts and what is said of them; both appear when they are whole, or neither does."""
    require_ending(path)
    ending = path.suffix.lower()
    description = json.dumps(
        {**about, MARKED: True} if ending == ".csv" else about, ensure_ascii=False, indent=1
    )
    if ending == ".parquet":
        with atomic_file(path, binary=True) as file:
            file.write(parquet_bytes(rows, fields, TEXTS, description))
        return
    with atomic_files() as new:
        file = new(path)
        new(beside(path)).write(description + "\n")
        if ending == ".csv":
            table = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
            table.writerow(fields)
            table.writerows(
                [marked(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
            )
        else:
            named = (dict(zip(fields, row, strict=True)) for row in rows)
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in named)


def parquet_bytes(
    rows: Sequence[Sequence[Any]],
    fields: Sequence[str],
    texts: Collection[str],
    about: str,
    *,
    wide: bool = False,
) -> bytes:
    """Bytes of a Parquet file of texts and whole numbers, with the provenance in its metadata."""
    pa, parquet = pyarrow_of(Path("contexts.parquet"))
    columns = list(zip(*rows, strict=True)) or [()] * len(fields)
    number = pa.int64() if wide else pa.int32()
    arrays = [
        pa.array(column, pa.string() if name in texts else number)
        for name, column in zip(fields, columns, strict=True)
    ]
    table = pa.table(arrays, names=list(fields)).replace_schema_metadata({KEY: about.encode()})
    sink = io.BytesIO()
    parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()
