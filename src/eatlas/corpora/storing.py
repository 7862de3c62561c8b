"""Contexts in files: written, and loaded from files of eatlas or a user's own."""

from __future__ import annotations

import csv
import io
import json
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from eatlas.corpora.matching import one_form
from eatlas.corpora.reading import pyarrow_of
from eatlas.corpora.record import LABEL, Contexts, Pairs, Sample
from eatlas.csv_cells import marked, unmarked
from eatlas.decoding import json_value, require_file
from eatlas.errors import ResultsError, SourceError, SourceWarning, described
from eatlas.paths import is_file
from eatlas.stimuli import ContextsOrigin
from eatlas.writing import atomic_file, atomic_files, require_writable

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


def write(
    path: Path, rows: Sequence[tuple[Any, ...]], fields: Columns, about: Mapping[str, Any]
) -> None:
    """Write contexts and what is said of them; both appear when they are whole, or neither does."""
    require_ending(path)
    ending = path.suffix.lower()
    said = json.dumps(
        {**about, MARKED: True} if ending == ".csv" else about, ensure_ascii=False, indent=1
    )
    if ending == ".parquet":
        with atomic_file(path, binary=True) as file:
            file.write(_parquet(rows, fields, said))
        return
    with atomic_files() as new:
        file = new(path)
        new(beside(path)).write(said + "\n")
        if ending == ".csv":
            table = csv.writer(file, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC)
            table.writerow(fields)
            table.writerows(
                [marked(one) if isinstance(one, str) else one for one in row] for row in rows
            )
        else:
            named = (dict(zip(fields, row, strict=True)) for row in rows)
            file.writelines(json.dumps(one, ensure_ascii=False) + "\n" for one in named)


def _parquet(rows: Sequence[tuple[Any, ...]], fields: Columns, said: str) -> bytes:
    """Bytes of a Parquet file with the provenance in its metadata."""
    pa, parquet = pyarrow_of(Path("contexts.parquet"))
    columns = list(zip(*rows, strict=True)) or [()] * len(fields)
    arrays = [
        pa.array(column, pa.string() if name in TEXTS else pa.int32())
        for name, column in zip(fields, columns, strict=True)
    ]
    table = pa.table(arrays, names=list(fields)).replace_schema_metadata({KEY: said.encode()})
    sink = io.BytesIO()
    parquet.write_table(table, sink, compression="zstd")
    return sink.getvalue()


ALIKE = 3
"""Letters with which a stimulus and its forms begin: family, families."""
Read = tuple[list[tuple[Any, ...]], dict[str, Any]]
"""The cells of every context, the last of them its label or None; what the file says of itself."""


def load_contexts(path: str | Path) -> Contexts:
    r"""Load contexts that :func:`eatlas.find_contexts` or ``eatlas contexts`` wrote.

    A file of one's own is read as well, if it has the columns or fields stimulus, text, start and
    end. A column ``label`` is read as what people saw in a context.

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
    return _loaded(Path(path), Contexts)


def load_pairs(path: str | Path) -> Pairs:
    r"""Load pairs that :func:`eatlas.find_pairs` or ``eatlas contexts --pairs`` wrote.

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
    >>> from eatlas.corpora import PairContext
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "pairs.csv")
    ...     Pairs.of([PairContext("ivy", "love", "I love ivy.", 7, 10, 2, 6)]).write(path)
    ...     pairs = load_pairs(path)
    >>> pairs
    <Pairs: 1 contexts of 1 pairs>
    """
    return _loaded(Path(path), Pairs)


def load_either(path: str | Path) -> Contexts | Pairs:
    """Load contexts or pairs; the columns of the file say which they are."""
    path = Path(path)
    return load_pairs(path) if _names(path) >= {"target", "attribute"} else load_contexts(path)


Record = TypeVar("Record", Contexts, Pairs)


def _loaded(path: Path, kind: type[Record]) -> Record:
    """Load a file of contexts or pairs, and check it against its own hash."""
    require_file(path, SourceError)
    reader = _READERS.get(path.suffix.lower())
    if reader is None or not is_file(path):
        raise SourceError(
            f"{path}: " + ("there is no such file" if reader else "this is not a file of contexts"),
            allowed=f"a file that eatlas contexts wrote: {', '.join(ENDINGS)}",
        )
    fields = kind.columns()
    try:
        labelled, said = reader(path, fields)
    except (ValueError, csv.Error, RecursionError) as error:
        raise SourceError(f"{path}: this file is damaged", got=str(error)[:200]) from error
    cells = [row[:-1] for row in labelled]
    _check(cells, fields, path)
    counts = _counts(said.pop("counts", []), kind, path)
    whole = said.pop("contexts_sha256", None)
    rows: Any = [kind.ROW(*row) for row in cells]
    alone: Any = kind.of(rows)
    labels = {row: one[-1] for row, one in zip(rows, labelled, strict=True) if one[-1]}
    found = kind(rows, counts or alone.counts, said, path.name, labels)
    if whole is not None and whole != found.sha256:
        raise SourceError(
            f"{path}: its contexts are not those that were written",
            got=f"SHA-256 {found.sha256}",
            allowed=f"{whole}, as the file says",
            remedy="the file was changed or ends early; make it again with eatlas contexts",
        )
    if "version" not in said:  # a file of one's own
        _warn_of_odd_spans(cells, fields, path)
    return found


def _warn_of_odd_spans(rows: list[tuple[Any, ...]], fields: Columns, path: Path) -> None:
    """Warn of spans that hold something else than the stimulus; its forms begin alike."""
    at = fields.index("text")
    odd = [
        (stimulus, row[at][start:end])
        for row in rows
        for stimulus, start, end in zip(row[:at], row[at + 1 :: 2], row[at + 2 :: 2], strict=True)
        if not _folded(row[at][start:end]).startswith(_folded(stimulus)[:ALIKE])
    ]
    if odd:
        stimulus, there = odd[0]
        warnings.warn(
            f"{path}: at {len(odd):,} of {len(rows) * at:,} spans the text differs from the "
            f"stimulus, such as {there!r} for {stimulus!r}; a span counts characters of the "
            "text from 0 and ends after the last character",
            SourceWarning,
            stacklevel=4,
        )


def _folded(text: str) -> str:
    return one_form(text).casefold()


def _counts(said: Any, kind: type[Sample[Any, Any]], path: Path) -> Any:
    words = len(kind.COUNT._fields) - 2
    try:
        return tuple(kind.COUNT(*map(str, one[:words]), *map(int, one[words:])) for one in said)
    except (TypeError, ValueError, AttributeError) as error:
        raise SourceError(f"{path}: its counts cannot be read", got=str(error)) from error


def _names(path: Path) -> set[str]:
    """Columns or fields of a file; none where it cannot be read, which its reader then says."""
    require_file(path, SourceError)
    ending = path.suffix.lower()
    if ending not in ENDINGS or not is_file(path):
        return set()
    if ending == ".parquet":
        pa, parquet = pyarrow_of(path)
        try:
            return set(parquet.read_schema(path).names)
        except (pa.ArrowException, OSError):
            return set()
    with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
        line = next((line for line in file if line.strip()), "")
    if ending == ".csv":
        return set(next(csv.reader([line]), ()))
    try:
        values = json_value(line or "{}")
    except ValueError:
        return set()
    return set(values) if isinstance(values, dict) else set()


def _read_parquet(path: Path, fields: Columns) -> Read:
    """Cells and provenance of a Parquet file."""
    pa, parquet = pyarrow_of(path)
    try:
        with parquet.ParquetFile(path) as file:
            if lacking := [name for name in fields if name not in file.schema_arrow.names]:
                raise _lacking(path, "columns", lacking, fields)
            there = [*fields, *({LABEL} & set(file.schema_arrow.names))]
            table = file.read(columns=there)
            columns = [
                table[name].cast(pa.string() if name in TEXTS else pa.int64()).to_pylist()
                for name in there
            ]
            if LABEL not in there:
                columns.append([None] * len(table))
            metadata = file.schema_arrow.metadata or {}
    except (pa.ArrowException, OSError) as error:
        raise SourceError(f"{path}: this file is damaged", got=str(error)) from error
    return list(zip(*columns, strict=True)), json_value(metadata.get(KEY, b"{}"))


def _read_jsonl(path: Path, fields: Columns) -> Read:
    rows = []
    for number, line in enumerate(path.read_text(encoding="utf-8-sig").split("\n"), start=1):
        if line.strip():
            rows.append(_row(json_value(line), path, number, fields))
    return rows, _beside(path)


def _read_csv(path: Path, fields: Columns) -> Read:
    said = _beside(path)
    plain = unmarked if said.pop(MARKED, False) else str
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.DictReader(file)
        cells = [_row(row, path, rows.line_num, fields) for row in rows]
    return [tuple(plain(c) if isinstance(c, str) else c for c in row) for row in cells], said


def _row(values: object, path: Path, number: int, fields: Columns) -> tuple[Any, ...]:
    """Cells of one context of a JSON Lines or CSV file, and its label."""
    if not isinstance(values, Mapping):
        raise SourceError(
            f"{path}, line {number}: this is not a context",
            got=f"a value of the type {type(values).__name__}",
        )
    if lacking := [name for name in fields if values.get(name) is None]:
        raise _lacking(path, f"line {number}", lacking, fields)
    label = values.get(LABEL)
    for name in (*fields, *([LABEL] if label else [])):
        if name in TEXTS and not isinstance(values[name], str | int | float):
            raise SourceError(
                f"{path}, line {number}: {name} is not text",
                got=f"a value of the type {type(values[name]).__name__}",
            )
    try:
        cells = [str(values[name]) if name in TEXTS else int(values[name]) for name in fields]
        return (*cells, str(label) if label else None)
    except (TypeError, ValueError, OverflowError) as error:
        raise SourceError(
            f"{path}, line {number}: the span is not a pair of whole numbers", got=str(error)
        ) from error


def _beside(path: Path) -> dict[str, Any]:
    other = beside(path)
    require_file(other, SourceError)
    said = json_value(other.read_bytes()) if other.is_file() else {}
    return said if isinstance(said, dict) else {}


def _lacking(path: Path, where: str, lacking: Iterable[str], fields: Columns) -> SourceError:
    return SourceError(
        f"{path}, {where}: there is no {', '.join(lacking)}",
        allowed=f"{', '.join(fields)} of every context",
    )


def _check(rows: list[tuple[Any, ...]], fields: Columns, path: Path) -> None:
    """Refuse spans that do not lie in their texts; places come in twos, at the end."""
    at = fields.index("text")
    for number, row in enumerate(rows, start=1):
        text, places = row[at], row[at + 1 :]
        if None in row or not all(
            0 <= start < end <= len(text)
            for start, end in zip(places[::2], places[1::2], strict=True)
        ):
            raise SourceError(
                f"{path}, context {number}: its span is not within its text",
                got=f"{' to '.join(map(str, places))} of {text!r}"[:200],
                allowed="the first character of the stimulus, and that behind its last",
            )


_READERS: dict[str, Callable[[Path, Columns], Read]] = {
    ".parquet": _read_parquet,
    ".jsonl": _read_jsonl,
    ".csv": _read_csv,
}


REMEDY = (
    "name the file: eatlas verify RESULTS --contexts FILE; in Python, verify(..., contexts=...)"
)


class ContextsAtHand:
    """Files of contexts that are known, and folders in which others may be."""

    def __init__(self, given: Iterable[Any] = (), folders: Iterable[Path] = ()) -> None:
        self._given = [_taken(one) for one in given]
        self._folders = tuple(dict.fromkeys(folders))
        self._found: dict[Path, Contexts | Pairs | SourceError] = {}

    def find(self, origin: ContextsOrigin) -> Contexts | Pairs:
        """Return the contexts that a result was made of."""
        others = []
        for name, known in self._candidates(origin):
            if isinstance(known, SourceError):
                others.append(known.what)
            elif (taken := known.taken(origin)) is not None:
                return taken
            else:
                others.append(f"{name} has {_briefly(known.origin)}")
        if others:
            raise SourceError(
                f"none of these files has its contexts: {'; '.join(dict.fromkeys(others))}; the "
                f"result names {_briefly(origin)}",
                remedy=REMEDY,
            )
        name = origin.name or "contexts that were not loaded from a file"
        raise SourceError(
            f"its contexts are not in the result, and there is no file of them: {name}, "
            f"{_briefly(origin)}",
            allowed="the file beside the results or in the working folder, or a name of it",
            remedy=REMEDY,
        )

    def _candidates(
        self, origin: ContextsOrigin
    ) -> Iterator[tuple[str, Contexts | Pairs | SourceError]]:
        for one in self._given:
            yield one.name or "a corpus", one
        for folder in self._folders:
            path = folder / Path(origin.name).name  # a result may come from anybody
            if path.name and path.is_file():
                yield str(path), self._load(path)

    def _load(self, path: Path) -> Contexts | Pairs | SourceError:
        if path not in self._found:
            try:
                self._found[path] = load_either(path)
            except SourceError as error:
                self._found[path] = error
        return self._found[path]


def _taken(one: Any) -> Contexts | Pairs:
    """Contexts or pairs of an object or a file."""
    if isinstance(one, str | Path):
        return load_either(one)
    if isinstance(one, Contexts | Pairs):
        return one
    raise SourceError(
        "these are not contexts",
        got=described(one),
        allowed="the name of a file that eatlas contexts wrote, or what eatlas.find_contexts or "
        "eatlas.find_pairs returned",
    )


def _briefly(origin: ContextsOrigin) -> str:
    most = "" if origin.per_term is None else f", the first {origin.per_term:,} of each"
    return f"SHA-256 {origin.sha256[:12]}...{most}"
