"""Vocabularies: the word of each row, and the row of each word."""

from __future__ import annotations

import codecs
import io
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

import numpy as np

from eatlas.decoding import json_value
from eatlas.errors import SourceError
from eatlas.sources.files.dialects import decode
from eatlas.sources.files.on_disk import Stamp, open_binary

_MAX_WORDS_BYTES = 2 << 30  # a vocabulary of 40 million words
_MAX_WORD = 1 << 24
_CONVERT = "write it anew in UTF-8, for example: iconv -f latin1 -t utf-8"
_BESIDE = (".vocab", ".vocab.txt", ".vocab.json", "-vocab.txt", "-vocab.pkl")


class Words(Protocol):
    """The words of the rows of a matrix."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[str]: ...


Key = TypeVar("Key", str, bytes)


def find_rows(words: Iterable[Key], keys: Collection[Key]) -> tuple[dict[Key, int], set[Key]]:
    """Rows of those keys that are there, the first of each, and which of them occur again."""
    wanted = frozenset(keys)
    rows: dict[Key, int] = {}
    again: set[Key] = set()
    for row, word in enumerate(words):
        if word in wanted:
            if word in rows:
                again.add(word)
            else:
                rows[word] = row
    return rows, again


@dataclass(frozen=True)
class LineWords:
    """One word a line; read anew each time, so that memory does not grow with their number."""

    path: Path
    count: int

    @classmethod
    def open(cls, path: Path) -> LineWords:
        """Count the words of a file."""
        words = cls(path, 0)
        return cls(path, sum(1 for _ in words._lines()))

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(self._lines(), start=1):
            yield decode(line, "utf-8", f"{self.path}, line {number}", _CONVERT)

    def _lines(self) -> Iterator[bytes]:
        with open_binary(self.path) as raw, io.BufferedReader(raw, 1 << 20) as file:  # type: ignore[type-var]
            if file.peek(3)[:3] == codecs.BOM_UTF8:
                file.read(3)
            while line := file.readline(_MAX_WORD + 1):
                if len(line) > _MAX_WORD:
                    what = f"{self.path}: a line is too long for a word"
                    raise SourceError(what, allowed="one word a line")
                yield line.removesuffix(b"\n").rstrip(b"\r")


def open_vocabulary(path: Path) -> Words:
    """Open a vocabulary: one word a line; JSON or a pickle, a list or a dict from words to rows."""
    suffix = path.suffix.lower()
    if suffix in {".json", ".pkl", ".pickle"} and Stamp.of(path).size > _MAX_WORDS_BYTES:
        raise SourceError(f"{path}: this is too large for a vocabulary")
    if suffix == ".json":
        return as_words(_read_json(path), str(path))
    if suffix in {".pkl", ".pickle"}:
        from eatlas.sources.files import pickles  # noqa: PLC0415  (few vocabularies are pickles)

        return as_words(pickles.load(path), str(path))
    return LineWords.open(path)


def beside(path: Path, named: str | None) -> Path:
    """The vocabulary that belongs to a file: the one that is named, or ``NAME.vocab`` beside it."""
    if named is not None:
        chosen = Path(named)
        places = [chosen, path.parent / chosen]
    else:
        bases = (path.with_suffix(""), path)
        places = [base.with_name(base.name + end) for base in bases for end in _BESIDE]
    found = next((place for place in places if place.is_file()), None)
    if found is not None:
        return found
    raise SourceError(
        f"{path}: the vocabulary is not there",
        got=named or f"no {places[0].name} beside it",
        allowed="a file with one word a line, or a list of words as JSON",
        remedy=f"name it: {path}?vocab=FILE",
    )


def as_words(value: Any, label: str) -> Sequence[str]:
    """A list of words, or a dict from words to rows, as a list in the order of the rows."""
    if isinstance(value, np.ndarray):
        return _from_array(value, label)
    if isinstance(value, dict):
        value = _in_order(value, label)
    if not isinstance(value, list | tuple):
        raise _no_words(label, type(value).__name__)
    for row, word in enumerate(value):
        if not isinstance(word, str):
            raise _no_words(label, f"{_shown(word)} at row {row}")
    return value


def _from_array(array: np.ndarray, label: str) -> Sequence[str]:
    if array.ndim != 1 or array.dtype.kind not in "US":
        raise _no_words(label, f"an array of {array.dtype}, shape {array.shape}")
    words: list[Any] = array.tolist()
    if array.dtype.kind == "S":
        return [
            decode(word, "utf-8", f"{label}, row {row}", _CONVERT) for row, word in enumerate(words)
        ]
    return words


def _in_order(rows: dict[Any, Any], label: str) -> list[Any]:
    """Words of a dict from words to rows, in the order of the rows."""
    words: list[Any] = [None] * len(rows)
    for word, row in rows.items():
        if type(row) is not int or not 0 <= row < len(rows) or words[row] is not None:
            raise SourceError(
                f"{label}: the rows of the words are not 0, 1, 2, ...",
                got=f"{_shown(word)}: {_shown(row)}",
                allowed="each row once",
            )
        words[row] = word
    return words


def _shown(value: Any) -> str:
    """A value out of a file, for a message: lists may hold each other without end."""
    if isinstance(value, str | bytes):
        return repr(value[:60])[:60]
    if value is None or isinstance(value, bool | float):
        return repr(value)
    if isinstance(value, int) and abs(value) < 1 << 63:
        return repr(value)
    # of a pickle, what was not read has the name of its type
    return f"a value of the type {getattr(value, 'kind', type(value).__name__)}"


def _no_words(label: str, got: str) -> SourceError:
    return SourceError(
        f"{label}: this is not a vocabulary",
        got=got,
        allowed="a list of words, or a dict from words to rows",
    )


def _read_json(path: Path) -> Any:
    try:
        return json_value(path.read_bytes())
    except (OSError, ValueError) as error:
        raise SourceError(f"{path}: this is not JSON", got=str(error)) from error
