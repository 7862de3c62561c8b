"""Arrays with a word for each row, in memory or mapped, and the vocabularies beside them."""

from __future__ import annotations

import codecs
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from eatlas.decoding import decoded, json_value
from eatlas.errors import SourceError, listed
from eatlas.sources.files.on_disk import FileDigest, Stamp
from eatlas.sources.interface import CHUNK, Vector
from eatlas.sources.source import VectorTable

MAX_COMPONENTS = 1 << 20
_LARGEST = 1 << 30
_BESIDE = (".vocab", ".vocab.txt", ".vocab.json", "-vocab.txt", "-vocab.pkl")
Key = TypeVar("Key", str, bytes)


class Chunk(NamedTuple):
    """Some consecutive rows of a source: words, and vectors of shape (len(words), dim)."""

    words: list[str]
    vectors: NDArray[np.floating]


def regroup(pieces: Iterable[Chunk], rows: int, dim: int) -> Iterator[Chunk]:
    """Cut chunks anew, so that each but the last has `rows` rows, or as many as take 1 GiB."""
    rows = max(1, min(rows, _LARGEST // (4 * dim)))
    words: list[str] = []
    parts: list[NDArray[np.floating]] = []
    for piece in pieces:
        words += piece.words
        parts.append(piece.vectors)
        if len(words) >= rows:
            vectors = np.concatenate(parts)
            whole = len(words) - len(words) % rows
            for start in range(0, whole, rows):
                yield Chunk(words[start : start + rows], vectors[start : start + rows])
            words, parts = words[whole:], [vectors[whole:]]
    if words:
        yield Chunk(words, np.concatenate(parts))


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


def as_floats(rows: NDArray[Any]) -> NDArray[np.floating]:
    """Rows as float32, or as float64 where that is how they are stored."""
    wide = rows.dtype.kind == "f" and rows.dtype.itemsize > 4
    return np.ascontiguousarray(rows, np.float64 if wide or rows.dtype.kind in "iu" else np.float32)


def check_finite(vectors: NDArray[np.floating], label: str) -> None:
    """Refuse components that are not finite."""
    finite = np.isfinite(vectors)
    if not finite.all():
        raise SourceError(
            f"{label}: a component is not finite",
            got=str(vectors[~finite][0]),
            allowed="finite numbers",
        )


class MatrixSource(VectorTable):
    """Words, and a row of an array for each; a mapped one is read where it is needed."""

    def __init__(
        self,
        words: Sequence[str],
        array: NDArray[Any],
        *,
        name: str,
        files: Sequence[Path],
        convert: Callable[[NDArray[Any]], NDArray[np.floating]] = as_floats,
    ) -> None:
        super().__init__(name)
        check_matrix(array.shape, array.dtype, name)
        if len(words) != len(array):
            raise SourceError(
                f"{name}: the vocabulary does not fit the vectors",
                got=f"{len(words)} words, {len(array)} vectors",
                allowed="one word for each vector",
                remedy="check that both files belong together, one word a line and no header",
            )
        self.words, self.array, self._convert = words, array, convert
        self._stamps = [(path, Stamp.of(path)) for path in files]
        self._digest = FileDigest(self._stamps)

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return int(self.array.shape[1])

    @property
    def fingerprint(self) -> str:
        """Hash of the bytes of all files."""
        return f"sha256:{self._digest.result()}"

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that have one."""
        self._check_unchanged()
        rows, again = find_rows(self.words, keys)
        self._repeated |= again
        if not rows:
            return {}
        order = sorted(rows, key=rows.__getitem__)
        vectors = self._convert(np.asarray(self.array[[rows[word] for word in order]]))
        self._check_unchanged()
        for word, vector in zip(order, vectors, strict=True):
            check_finite(vector, f"{self.name}, the vector of {word!r}")
        return dict(zip(order, vectors, strict=True))

    @property
    def expected(self) -> int:
        """How many words there are."""
        return len(self.words)

    def vocabulary(self) -> Iterator[str]:
        """Every word, in the order of the rows."""
        return iter(self.words)

    def iter_chunks(self, rows: int = CHUNK, /) -> Iterator[Chunk]:
        """Every word and vector, `rows` rows at a time."""
        for start in range(0, len(self.words), rows):
            # to touch a mapped file that was cut would end the process
            self._check_unchanged()
            words = list(self.words[start : start + rows])
            vectors = self._convert(np.asarray(self.array[start : start + rows]))
            check_finite(vectors, f"{self.name}, between {words[0]!r} and {words[-1]!r}")
            yield Chunk(words, vectors)

    def _check_unchanged(self) -> None:
        for path, stamp in self._stamps:
            stamp.check(path)


def check_matrix(shape: Sequence[int], dtype: np.dtype[Any], label: str) -> None:
    """Refuse what is no matrix of numbers."""
    if len(shape) != 2 or dtype.kind not in "fiu" or 0 in shape:
        raise SourceError(
            f"{label}: this is not an array of vectors",
            got=f"{dtype}, shape {tuple(shape)}",
            allowed="numbers, shape (words, components)",
        )
    if shape[1] > MAX_COMPONENTS:
        raise SourceError(
            f"{label}: these vectors are too long",
            got=f"{shape[1]:,} components",
            allowed=f"at most {MAX_COMPONENTS:,}",
            remedy="if rows are components and columns are words, store the array transposed",
        )


def part_of(
    label: str, what: str, parts: Mapping[str, object], fit: Collection[str], name: str | None
) -> str:
    """The part of a file that holds something: the one with the name, or the only one that can."""
    chosen = [name or what] if (name or what) in fit else [] if name else list(fit)
    if len(chosen) == 1:
        return chosen[0]
    raise SourceError(
        f"{label}: no single part of this file holds the {what}",
        got=name or listed(f"{key} ({facts})" for key, facts in parts.items()) or "nothing",
        allowed=listed(fit) or ("strings" if what == "words" else "numbers"),
        remedy=f"name it: {label}?{what}=NAME",
    )


# --- vocabularies ---------------------------------------------------------------------------------


def beside(path: Path, name: str | None) -> Path:
    """The vocabulary that belongs to a file: the one with the name, or ``NAME.vocab`` beside it."""
    if name is not None:
        places = [Path(name), path.parent / name]
    else:
        bases = (path.with_suffix(""), path)
        places = [base.with_name(base.name + end) for base in bases for end in _BESIDE]
    vocabulary = next((place for place in places if place.is_file()), None)
    if vocabulary is not None:
        return vocabulary
    raise SourceError(
        f"{path}: the vocabulary is not there",
        got=name or f"no {places[0].name} beside it",
        allowed="a file with one word a line, or a list of words as JSON",
        remedy=f"name it: {path}?vocab=FILE",
    )


def read_vocabulary(path: Path) -> Sequence[str]:
    """Words of the rows: one a line; JSON, a list or a dict to rows; HistWords' pickled list."""
    Stamp.of(path)
    data, suffix = path.read_bytes(), path.suffix.lower()
    if suffix == ".json":
        try:
            return as_words(json_value(data), str(path))
        except ValueError as error:
            raise SourceError(f"{path}: this is not JSON", got=str(error)) from error
    if suffix in {".pkl", ".pickle"}:
        return pickled_words(data, str(path))
    lines = decoded(data, str(path), SourceError).split("\n")
    return [line.rstrip("\r") for line in (lines if lines[-1] else lines[:-1])]


def as_words(value: Any, label: str) -> Sequence[str]:
    """A list of words, or a dict from words to rows, as a list in the order of the rows."""
    if isinstance(value, dict):
        rows = list(value.values())
        if any(type(row) is not int for row in rows) or sorted(rows) != list(range(len(rows))):
            raise SourceError(
                f"{label}: the rows of the words are not 0, 1, 2, ...", allowed="each row once"
            )
        value = sorted(value, key=value.__getitem__)
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return value
    raise SourceError(
        f"{label}: this is not a vocabulary",
        got=type(value).__name__,
        allowed="a list of words, or a dict from words to rows",
    )


_SKIPPED = {0x80: 1, 0x95: 8, 0x71: 1, 0x72: 4}  # PROTO, FRAME, BINPUT, LONG_BINPUT: bytes behind
_SIZED = {0x58: 4, 0x8C: 1, 0x8D: 8, 0x54: 4, 0x55: 1}  # BINUNICODE and kin, BINSTRING: length of n
_LINES = frozenset(b"VSp")  # UNICODE, STRING, PUT: an argument up to the end of the line
_PLAIN = frozenset(b"](lae\x94")  # EMPTY_LIST, MARK, LIST, APPEND, APPENDS, MEMOIZE


def pickled_words(data: bytes, label: str) -> list[str]:
    """Words of a pickled list of texts, as HistWords publishes them, read without running it.

    Any other instruction of pickles, above all one that names code, is refused.
    """
    words: list[str] = []
    at = 0
    try:
        while (code := data[at]) != ord("."):
            at += 1
            if code in _SIZED:
                start = at + _SIZED[code]
                at = start + int.from_bytes(data[at:start], "little")
                words.append(data[start:at].decode())
                if at > len(data):
                    raise IndexError
            elif code in _LINES:
                end = data.index(b"\n", at)
                line, at = data[at:end], end + 1
                if code == ord("S"):
                    words.append(codecs.escape_decode(line[1:-1])[0].decode())
                elif code == ord("V"):
                    words.append(line.decode("raw_unicode_escape"))
            elif code in _SKIPPED:
                at += _SKIPPED[code]
            elif code not in _PLAIN:
                raise ValueError(f"the instruction {bytes([code])!r}")
    except (IndexError, ValueError) as error:
        raise SourceError(
            f"{label}: this is not a pickled list of words",
            got=str(error)[:100],
            allowed="a list of texts, as HistWords publishes them; nothing in a pickle is run",
            remedy="save the words one a line, or as JSON",
        ) from error
    return words
