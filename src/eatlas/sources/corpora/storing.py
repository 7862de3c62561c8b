"""Contexts as files: Parquet with provenance within, JSON Lines or CSV with a file beside."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from eatlas.errors import ResultsError, SourceError
from eatlas.results.files import atomic_file
from eatlas.sources.corpora.parquet_rows import pyarrow_of
from eatlas.sources.corpora.record import SCHEMA, Context, Contexts, Count

ENDINGS = (".parquet", ".jsonl", ".csv")
_KEY = b"eatlas"
_FIELDS = Context._fields


def require_ending(path: Path) -> None:
    """Refuse a name that does not say how to write.

    Raises
    ------
    ResultsError
        If it has another ending.
    """
    if path.suffix.lower() not in ENDINGS:
        raise ResultsError(
            f"{path}: contexts cannot be written so",
            got=path.suffix or "a name without ending",
            allowed=", ".join(ENDINGS),
        )


def beside(path: Path) -> Path:
    """Return where counts and provenance of a file without metadata stand."""
    return path.with_name(path.name + ".json")


def write(contexts: Contexts, path: Path) -> None:
    """Write contexts; the file appears only when it is whole."""
    require_ending(path)
    said = json.dumps(_said(contexts), ensure_ascii=False, indent=1)
    if path.suffix.lower() == ".parquet":
        with atomic_file(path, binary=True) as file:
            file.write(_parquet(contexts, said))
        return
    with atomic_file(beside(path)) as file:
        file.write(said + "\n")
    with atomic_file(path) as file:
        if path.suffix.lower() == ".csv":
            rows = csv.writer(file, lineterminator="\n")
            rows.writerow(_FIELDS)
            rows.writerows(contexts.rows)
        else:
            file.writelines(
                json.dumps(row._asdict(), ensure_ascii=False) + "\n" for row in contexts.rows
            )


def _said(contexts: Contexts) -> dict[str, Any]:
    counts = {count.stimulus: [count.found, count.kept] for count in contexts.counts}
    return {
        **contexts.provenance,
        "schema": SCHEMA,
        "contexts_sha256": contexts.sha256,
        "counts": counts,
    }


def _parquet(contexts: Contexts, said: str) -> bytes:
    pa, parquet = pyarrow_of(Path("contexts.parquet"))
    columns = list(zip(*contexts.rows, strict=True)) or [()] * len(_FIELDS)
    kinds = (pa.string(), pa.string(), pa.int32(), pa.int32())
    arrays = [pa.array(c, k) for c, k in zip(columns, kinds, strict=True)]
    table = pa.table(arrays, names=list(_FIELDS)).replace_schema_metadata({_KEY: said.encode()})
    sink = io.BytesIO()
    parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()


def load_contexts(path: str | Path) -> Contexts:
    r"""Load contexts that :func:`eatlas.find_contexts` or ``eatlas contexts`` wrote.

    A file of one's own is read as well, if it has the columns or fields stimulus, text, start and
    end.

    Parameters
    ----------
    path : str or path
        A file .parquet, .jsonl or .csv.

    Raises
    ------
    SourceError
        If it cannot be read, is damaged, or a span does not lie in its text.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "contexts.csv")
    ...     _ = path.write_text("stimulus,text,start,end\nivy,The ivy grows.,4,7\n")
    ...     contexts = load_contexts(path)
    >>> contexts.rows
    [Context(stimulus='ivy', text='The ivy grows.', start=4, end=7)]
    """
    path = Path(path)
    reader = _READERS.get(path.suffix.lower())
    if reader is None or not path.is_file():
        raise SourceError(
            f"{path}: " + ("there is no such file" if reader else "this is no file of contexts"),
            allowed=f"a file that eatlas contexts wrote: {', '.join(ENDINGS)}",
        )
    try:
        rows, said = reader(path)
    except (UnicodeDecodeError, csv.Error, json.JSONDecodeError) as error:
        raise SourceError(f"{path}: this file is damaged", got=str(error)) from error
    _check(rows, path)
    return _contexts(rows, said, path)


def _contexts(rows: list[Context], said: dict[str, Any], path: Path) -> Contexts:
    alone = Contexts.of(rows)
    try:
        counts = tuple(Count(s, *map(int, n)) for s, n in said.pop("counts", {}).items())
    except (TypeError, ValueError, AttributeError) as error:
        raise SourceError(f"{path}: its counts cannot be read", got=str(error)) from error
    whole = said.pop("contexts_sha256", None)
    found = Contexts(rows, counts or alone.counts, said, path.name)
    if whole is not None and whole != found.sha256:
        raise SourceError(
            f"{path}: its contexts are not those that were written",
            got=f"SHA-256 {found.sha256}",
            allowed=f"{whole}, as the file says",
            remedy="the file was changed or ends early; make it again with eatlas contexts",
        )
    return found


def _read_parquet(path: Path) -> tuple[list[Context], dict[str, Any]]:
    pa, parquet = pyarrow_of(path)
    try:
        with parquet.ParquetFile(path) as file:
            if lacking := [name for name in _FIELDS if name not in file.schema_arrow.names]:
                raise _lacking(path, "columns", lacking)
            table = file.read(columns=list(_FIELDS))
            kinds = dict(
                zip(_FIELDS, (pa.string(), pa.string(), pa.int64(), pa.int64()), strict=True)
            )
            columns = [table[name].cast(kinds[name]).to_pylist() for name in _FIELDS]
            metadata = file.schema_arrow.metadata or {}
    except (pa.ArrowException, OSError) as error:
        raise SourceError(f"{path}: this file is damaged", got=str(error)) from error
    return list(map(Context, *columns)), json.loads(metadata.get(_KEY, b"{}"))


def _read_jsonl(path: Path) -> tuple[list[Context], dict[str, Any]]:
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if line.strip():
            rows.append(_row(json.loads(line), path, number))
    return rows, _beside(path)


def _read_csv(path: Path) -> tuple[list[Context], dict[str, Any]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        return [_row(row, path, rows.line_num) for row in rows], _beside(path)


def _row(values: object, path: Path, number: int) -> Context:
    if not isinstance(values, Mapping):
        raise SourceError(f"{path}, line {number}: this is no context", got=repr(values)[:60])
    if lacking := [name for name in _FIELDS if values.get(name) is None]:
        raise _lacking(path, f"line {number}", lacking)
    try:
        place = int(values["start"]), int(values["end"])
    except (TypeError, ValueError) as error:
        raise SourceError(
            f"{path}, line {number}: the span is no pair of whole numbers", got=str(error)
        ) from error
    return Context(str(values["stimulus"]), str(values["text"]), *place)


def _beside(path: Path) -> dict[str, Any]:
    other = beside(path)
    said = json.loads(other.read_text(encoding="utf-8")) if other.is_file() else {}
    return said if isinstance(said, dict) else {}


def _lacking(path: Path, where: str, lacking: Iterable[str]) -> SourceError:
    return SourceError(
        f"{path}, {where}: there is no {', '.join(lacking)}",
        allowed=f"{', '.join(_FIELDS)} of every context",
    )


def _check(rows: list[Context], path: Path) -> None:
    for number, row in enumerate(rows, start=1):
        if None in row or not row.stimulus or not 0 <= row.start < row.end <= len(row.text):
            raise SourceError(
                f"{path}, context {number}: its span does not lie in its text",
                got=f"{row.start} to {row.end} of {row.text!r}"[:200],
                allowed="the first character of the stimulus, and that behind its last",
            )


_READERS: dict[str, Callable[[Path], tuple[list[Context], dict[str, Any]]]] = {
    ".parquet": _read_parquet,
    ".jsonl": _read_jsonl,
    ".csv": _read_csv,
}
