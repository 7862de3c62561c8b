"""Contexts are loaded from files of eatlas or a user's own, and found again by what they are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from eatlas.corpora.characters import folded
from eatlas.corpora.record import Contexts, Pairs
from eatlas.corpora.storing import LABEL, read_table
from eatlas.errors import SourceError, described
from eatlas.notes import Note, warn
from eatlas.stimuli import ContextsOrigin

ALIKE = 3
"""Letters with which a stimulus and its forms begin: family, families."""


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
    values, about = read_table(path)
    if kind is None:
        first = values[0] if values and isinstance(values[0], Mapping) else {}
        pairs = {"target", "attribute"} <= first.keys() or "distance" in about
        kind = Pairs if pairs else Contexts
    rows, labels = _checked(values, kind, path)
    whole, counts = about.pop("contexts_sha256", None), about.pop("counts", [])
    record: Any = kind.of(rows, provenance=about, name=path.name, labels=labels)
    try:
        counts = tuple(TypeAdapter(list[kind.COUNT]).validate_python(counts))  # type: ignore[name-defined]
    except ValidationError as error:
        raise SourceError(f"{path}: its counts cannot be read", got=str(error)[:200]) from error
    if counts:
        record = replace(record, counts=counts)
    if whole not in {None, record.sha256}:
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
    fields, names = kind.ROW._fields, kind.NAMES
    validate, valid_label = (
        TypeAdapter(kind.ROW).validate_python,
        TypeAdapter(str | None).validate_python,
    )
    rows: list[Any] = []
    row: Any
    labels: dict[Any, str] = {}
    for number, value in enumerate(values, start=1):
        cells = value if isinstance(value, Mapping) else {}
        try:
            row = validate({name: cells[name] for name in fields if name in cells})
            label = valid_label(cells.get(LABEL))
            text, *places = row[names:]
            spans = zip(places[::2], places[1::2], strict=True)
            sound = all(0 <= start < end <= len(text) for start, end in spans)
            fault = "" if sound else f"a span {' to '.join(map(str, places))} of {text!r}"[:200]
        except ValidationError as error:
            first = error.errors()[0]
            fault = f"{first['loc'][-1] if first['loc'] else LABEL}: {first['msg']}"
        if fault:
            raise SourceError(
                f"{path}, context {number}: this is not a context",
                got=fault,
                allowed=f"{', '.join(fields)} of every context; a span begins at the first "
                "character of the stimulus, from 0, and ends behind its last",
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
        if not folded(row[names][start:end]).startswith(folded(stimulus)[:ALIKE])
    ]
    if odd:
        values = {"file": str(path), "count": len(odd), "of": len(rows) * names}
        stimulus, text = odd[0]
        note = Note("source.odd-spans", values={**values, "stimulus": stimulus, "text": text})
        warn(note, stacklevel=5)


REMEDY = (
    "name the file: eatlas verify RESULTS --contexts FILE; in Python, verify(..., contexts=...)"
)


class ContextsAtHand:
    """Files of contexts that are known, and folders in which others may be."""

    def __init__(self, given: Iterable[Any] = (), folders: Iterable[Path] = ()) -> None:
        self._known = [load_either(c) if isinstance(c, str | Path) else c for c in given]
        for contexts in self._known:
            if not isinstance(contexts, Contexts | Pairs):
                raise SourceError(
                    "these are not contexts",
                    got=described(contexts),
                    allowed="the name of a file that eatlas contexts wrote, or what "
                    "eatlas.find_contexts or eatlas.find_pairs returned",
                )
        self._folders = tuple(dict.fromkeys(folders))
        self._load = cache(load_either)

    def find(self, origin: ContextsOrigin) -> Contexts | Pairs:
        """Return the contexts that a result was made of."""
        others: list[str] = []
        # a result may come from anybody: its file is looked for by the last part of its name
        paths = [folder / Path(origin.name).name for folder in self._folders]
        files = [path for path in paths if origin.name and path.is_file()]
        for candidate in (*self._known, *files):
            try:
                record = self._load(candidate) if isinstance(candidate, Path) else candidate
            except SourceError as error:
                others.append(error.what)
                continue
            if (contexts := record.taken(origin)) is not None:
                return contexts
            name = candidate if isinstance(candidate, Path) else record.name or "a corpus"
            others.append(f"{name} has {_briefly(record.origin)}")
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


def _briefly(origin: ContextsOrigin) -> str:
    most = "" if origin.per_term is None else f", the first {origin.per_term:,} of each"
    return f"SHA-256 {origin.sha256[:12]}...{most}"
