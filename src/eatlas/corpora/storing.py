"""Contexts in files: written, and loaded from files of eatlas or a user's own."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from eatlas.corpora.characters import one_form
from eatlas.corpora.reading import pyarrow_of
from eatlas.corpora.record import Contexts, Pairs, Sample
from eatlas.corpora.writing import ENDINGS, KEY, LABEL, MARKED, beside
from eatlas.csv_cells import unmarked
from eatlas.decoding import json_value, require_file
from eatlas.errors import SourceError, described
from eatlas.notes import Note, warn
from eatlas.paths import is_file
from eatlas.stimuli import ContextsOrigin

ALIKE = 3
"""Letters with which a stimulus and its forms begin: family, families."""
Read = tuple[Iterable[Mapping[str, Any]], dict[str, Any]]
"""Every context by its columns; what the file says of itself."""


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
    contexts: Contexts = _loaded(Path(path), Contexts)
    return contexts


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
    pairs: Pairs = _loaded(Path(path), Pairs)
    return pairs


def load_either(path: str | Path) -> Contexts | Pairs:
    """Load contexts or pairs; the columns of the file say which they are."""
    record: Contexts | Pairs = _loaded(Path(path), None)
    return record


def _loaded(path: Path, kind: type[Contexts] | type[Pairs] | None) -> Any:
    """Load a file of contexts or pairs, and check it against its own hash."""
    require_file(path, SourceError)
    reader = _READERS.get(path.suffix.lower())
    if reader is None or not is_file(path):
        raise SourceError(
            f"{path}: " + ("there is no such file" if reader else "this is not a file of contexts"),
            allowed=f"a file that eatlas contexts wrote: {', '.join(ENDINGS)}",
        )
    try:
        values, about = reader(path)
        values = list(values)
    except (ValueError, csv.Error, RecursionError) as error:
        raise SourceError(f"{path}: this file is damaged", got=str(error)[:200]) from error
    if kind is None:
        first = values[0] if values and isinstance(values[0], Mapping) else {}
        pairs = {"target", "attribute"} <= first.keys() or "distance" in about
        kind = Pairs if pairs else Contexts
    rows, labels = _checked(values, kind, path)
    counts = _counts(about.pop("counts", []), kind, path)
    whole = about.pop("contexts_sha256", None)
    alone: Any = kind.of(rows)
    record: Any = kind(rows, counts or alone.counts, about, path.name, labels)
    if whole is not None and whole != record.sha256:
        raise SourceError(
            f"{path}: its contexts are not those that were written",
            got=f"SHA-256 {record.sha256}",
            allowed=f"{whole}, as the file says",
            remedy="the file was changed or ends early; make it again with eatlas contexts",
        )
    if "version" not in about:  # a file of one's own
        _warn_of_odd_spans(rows, kind.NAMES, path)
    return record


def _checked(
    values: Iterable[Any], kind: type[Contexts] | type[Pairs], path: Path
) -> tuple[list[Any], dict[Any, str]]:
    """Contexts and their labels; refuses those that lack a field or do not lie in their texts."""
    fields, names = kind.columns(), kind.NAMES
    validate = TypeAdapter(kind.ROW).validate_python
    rows: list[Any] = []
    labels: dict[Any, str] = {}
    for number, value in enumerate(values, start=1):
        try:
            row: tuple[Any, ...] = validate({name: value[name] for name in fields if name in value})
            label = value.get(LABEL) or ""
            if not isinstance(label, str):
                raise TypeError(LABEL)
        except (ValidationError, TypeError, AttributeError) as error:
            first = error.errors()[0] if isinstance(error, ValidationError) else None
            raise SourceError(
                f"{path}, context {number}: this is not a context",
                got=f"{first['loc'][-1]}: {first['msg']}" if first else f"{value!r:.80}",
                allowed=f"{', '.join(fields)} of every context",
            ) from error
        text: str = row[names]
        places: list[int] = list(row[names + 1 :])
        spans = zip(places[::2], places[1::2], strict=True)
        if not all(0 <= start < end <= len(text) for start, end in spans):
            raise SourceError(
                f"{path}, context {number}: its span is not within its text",
                got=f"{' to '.join(map(str, places))} of {text!r}"[:200],
                allowed="the first character of the stimulus, and that behind its last",
            )
        rows.append(row)
        if label:
            labels[row] = label
    return rows, labels


def _warn_of_odd_spans(rows: list[Any], names: int, path: Path) -> None:
    """Warn of spans that hold something else than the stimulus; its forms begin alike."""
    odd = [
        (stimulus, row[names][start:end])
        for row in rows
        for stimulus, start, end in zip(
            row[:names], row[names + 1 :: 2], row[names + 2 :: 2], strict=True
        )
        if not _folded(row[names][start:end]).startswith(_folded(stimulus)[:ALIKE])
    ]
    if odd:
        values = {"file": str(path), "count": len(odd), "of": len(rows) * names}
        stimulus, text = odd[0]
        note = Note("source.odd-spans", values={**values, "stimulus": stimulus, "text": text})
        warn(note, stacklevel=5)


def _folded(text: str) -> str:
    return one_form(text).casefold()


def _counts(rows: Any, kind: type[Sample[Any, Any]], path: Path) -> Any:
    names = kind.NAMES
    try:
        return tuple(kind.COUNT(*map(str, row[:names]), *map(int, row[names:])) for row in rows)
    except (TypeError, ValueError, AttributeError) as error:
        raise SourceError(f"{path}: its counts cannot be read", got=str(error)) from error


def _read_parquet(path: Path) -> Read:
    pa, parquet = pyarrow_of(path)
    try:
        table = parquet.read_table(path)
    except (pa.ArrowException, OSError) as error:
        raise SourceError(f"{path}: this file is damaged", got=str(error)) from error
    columns = [column.to_pylist() for column in table.columns]
    rows = (dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True))
    return rows, json_value((table.schema.metadata or {}).get(KEY, b"{}"))


def _read_jsonl(path: Path) -> Read:
    lines = path.read_text(encoding="utf-8-sig").split("\n")
    return (json_value(line) for line in lines if line.strip()), _beside(path)


def _read_csv(path: Path) -> Read:
    about = _beside(path)
    plain = unmarked if about.pop(MARKED, False) else str
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = [
            {key: plain(cell) for key, cell in row.items() if isinstance(cell, str)}
            for row in csv.DictReader(file)
        ]
    return rows, about


def _beside(path: Path) -> dict[str, Any]:
    """What the file beside a file says of it."""
    file = beside(path)
    require_file(file, SourceError)
    about = json_value(file.read_bytes()) if file.is_file() else {}
    return about if isinstance(about, dict) else {}


_READERS: dict[str, Callable[[Path], Read]] = {
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
        self._given = [_taken(contexts) for contexts in given]
        self._folders = tuple(dict.fromkeys(folders))
        self._files: dict[Path, Contexts | Pairs | SourceError] = {}

    def find(self, origin: ContextsOrigin) -> Contexts | Pairs:
        """Return the contexts that a result was made of."""
        others = []
        for name, candidate in self._candidates(origin):
            if isinstance(candidate, SourceError):
                others.append(candidate.what)
            elif (taken := candidate.taken(origin)) is not None:
                return taken
            else:
                others.append(f"{name} has {_briefly(candidate.origin)}")
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
        for contexts in self._given:
            yield contexts.name or "a corpus", contexts
        for folder in self._folders:
            path = folder / Path(origin.name).name  # a result may come from anybody
            if not path.name or not path.is_file():
                continue
            if path not in self._files:
                try:
                    self._files[path] = load_either(path)
                except SourceError as error:
                    self._files[path] = error
            yield str(path), self._files[path]


def _taken(contexts: Any) -> Contexts | Pairs:
    if isinstance(contexts, str | Path):
        return load_either(contexts)
    if isinstance(contexts, Contexts | Pairs):
        return contexts
    raise SourceError(
        "these are not contexts",
        got=described(contexts),
        allowed="the name of a file that eatlas contexts wrote, or what eatlas.find_contexts or "
        "eatlas.find_pairs returned",
    )


def _briefly(origin: ContextsOrigin) -> str:
    most = "" if origin.per_term is None else f", the first {origin.per_term:,} of each"
    return f"SHA-256 {origin.sha256[:12]}...{most}"
