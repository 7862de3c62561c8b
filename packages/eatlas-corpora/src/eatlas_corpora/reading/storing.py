"""Write and read contexts as plain rows, with their record."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any

from eatlas.csv_cells import escape_cell, unescape_cell
from eatlas.decoding import check_parquet, json_value, require_file
from eatlas.errors import SourceError
from eatlas.paths import is_file
from eatlas.sources.archives import faults_of_library
from eatlas.sources.outputs import pyarrow_of, sidecar_path
from eatlas.writing import atomic_file, atomic_files

LABEL = "label"
"""Column of what people saw in a context; empty where it has no label."""
ENDINGS = (".parquet", ".jsonl", ".csv")
FILES = ("contexts", ENDINGS)
"""What is written, and how."""
KEY = b"eatlas"
TEXTS = ("text", "stimulus", "target", "attribute", LABEL)
"""Columns that hold words; all others hold places."""
MARKED = "marked_cells"
"""Key in the file beside a CSV file whose texts are marked as `eatlas.csv_cells` says."""


def about_of(path: Path) -> dict[str, Any]:
    """Return what was recorded with a file of contexts or counts, if anything.

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
            require_file(sidecar_path(path), SourceError)
            about = (
                json_value(sidecar_path(path).read_bytes()) if sidecar_path(path).is_file() else {}
            )
    except (OSError, ValueError, RecursionError) as error:
        what = f"{path}: what was written with this file cannot be read"
        raise SourceError(what, got=str(error)) from error
    return about if isinstance(about, dict) else {}


def read_table(path: Path) -> tuple[list[Any], dict[str, Any]]:
    """Every row of a file by its columns, and what the file, or one next to it, says of itself."""
    require_file(path, SourceError)
    ending = path.suffix.lower()
    if ending not in ENDINGS or not is_file(path):
        what = "there is no such file" if ending in ENDINGS else "this is not a file of contexts"
        raise SourceError(
            f"{path}: {what}", allowed=f"a file that eatlas contexts wrote: {', '.join(ENDINGS)}"
        )
    about = about_of(path)
    try:
        if ending == ".parquet":
            parquet = pyarrow_of(path)[1]
            with faults_of_library(path, "this file"):
                check_parquet(path, parquet)
                return parquet.read_table(path).to_pylist(), about
        if ending == ".jsonl":
            lines = path.read_text(encoding="utf-8-sig").split("\n")
            return [json_value(line) for line in lines if line.strip()], about
        plain = unescape_cell if about.pop(MARKED, False) else str
        with path.open(encoding="utf-8-sig", newline="") as file:
            return [
                {key: plain(cell) for key, cell in row.items() if isinstance(cell, str)}
                for row in csv.DictReader(file)
            ], about
    except (ValueError, csv.Error) as error:
        raise SourceError(f"{path}: this file is damaged", got=str(error)[:200]) from error


def write_table(
    path: Path,
    rows: Sequence[Sequence[Any]],
    fields: Sequence[str],
    about: Mapping[str, Any],
    texts: Collection[str] = TEXTS,
) -> None:
    """Write rows with their notes; both appear when they are complete, or neither does.

    Columns that are no `texts` hold whole numbers.
    """
    ending = path.suffix.lower()
    about = {**about, MARKED: True} if ending == ".csv" else about
    description = json.dumps(about, ensure_ascii=False, indent=1)
    if ending == ".parquet":
        with atomic_file(path, binary=True) as file:
            file.write(parquet_bytes(rows, fields, texts, description))
        return
    with atomic_files() as new:
        file = new(path)
        new(sidecar_path(path)).write(description + "\n")
        if ending == ".csv":
            # a carriage return within a cell needs quotes around it
            quoting: Any = csv.QUOTE_NONNUMERIC if "text" in texts else csv.QUOTE_MINIMAL
            table = csv.writer(file, lineterminator="\n", quoting=quoting)
            table.writerow(map(escape_cell, fields))
            table.writerows(
                [escape_cell(cell) if isinstance(cell, str) else cell for cell in row]
                for row in rows
            )
        else:
            named = (dict(zip(fields, row, strict=True)) for row in rows)
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in named)


def parquet_bytes(
    rows: Sequence[Sequence[Any]], fields: Sequence[str], texts: Collection[str], about: str
) -> bytes:
    """Bytes of a Parquet file of texts and whole numbers, with the provenance in its metadata."""
    pa, parquet = pyarrow_of(Path("contexts.parquet"))
    columns = list(zip(*rows, strict=True)) or [()] * len(fields)
    arrays = [
        pa.array(column, pa.string() if name in texts else pa.int64())
        for name, column in zip(fields, columns, strict=True)
    ]
    table = pa.table(arrays, names=list(fields)).replace_schema_metadata({KEY: about.encode()})
    sink = io.BytesIO()
    parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()
