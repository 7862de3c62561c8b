"""Text files of vectors: GloVe's form, and word2vec's with its header line.

One pass reads what is asked for and checks every line's shape. A line is ``word number ...``;
GloVe 840B has words with spaces, so the *last* `dim` fields are the numbers.
"""

from __future__ import annotations

import codecs
import hashlib
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import numpy as np

from eatlas.errors import SourceError
from eatlas.sources.memory import duplicate_note
from eatlas.sources.protocol import Vector

_IN_NUMBERS = b"0123456789+-.eE \t"
_HEAD_BYTES = 1 << 20


class TextSource:
    """A ``.txt`` or ``.vec`` file of vectors.

    Parameters
    ----------
    path : Path
        UTF-8 text, fields separated by spaces or tabs, with or without a first line
        ``count dimension``.

    Raises
    ------
    SourceError
        If the file cannot be read, or its first lines show no vectors.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._known: dict[bytes, Vector | None] = {}
        self._duplicates: set[bytes] = set()
        self._digest: str | None = None
        self._separator, self._dim, self._announced = _read_head(path)
        self._skip = 0 if self._announced is None else 1

    @property
    def name(self) -> str:
        """The path as given."""
        return str(self.path)

    @property
    def dim(self) -> int:
        """Number of components of every vector."""
        return self._dim

    @property
    def fingerprint(self) -> str:
        """Hash of the file's bytes."""
        if self._digest is None:
            self._scan({})
        return f"sha256:{self._digest}"

    @property
    def notes(self) -> tuple[str, ...]:
        """Duplicates among the words that were looked up."""
        return (*duplicate_note(self.name, len(self._duplicates)),)

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Return the vectors of those keys that the file has; one pass for all new keys."""
        wanted = {key: key.encode() for key in keys}
        new = {key: None for key in wanted.values() if key not in self._known}
        if new:
            self._scan(new)
        found = ((key, self._known[raw]) for key, raw in wanted.items())
        return {key: vector for key, vector in found if vector is not None}

    def _scan(self, new: Mapping[bytes, None]) -> None:
        digest = hashlib.sha256()
        found: dict[bytes, Vector] = {}
        rows = 0
        with _open(self.path) as file:
            for number, line in enumerate(_hashed(file, digest), start=1):
                if number <= self._skip or not line.strip():
                    continue
                rows += 1
                word, numbers = self._split(line.rstrip(b"\r\n"), number)
                if word in new:
                    if word in found:
                        self._duplicates.add(word)
                    else:
                        found[word] = self._parse(numbers, number)
        if self._announced is not None and rows < self._announced:
            raise SourceError(
                f"{self.path}: the file ends early",
                got=f"{rows} vectors",
                allowed=f"{self._announced} vectors, as its first line announces",
                remedy="get it again; the copy is probably incomplete",
            )
        self._known.update({**new, **found})
        self._digest = digest.hexdigest()

    def _split(self, line: bytes, number: int) -> tuple[bytes, bytes]:
        """Word and numbers of a line, checked as far as it can be done without parsing."""
        if line.count(self._separator) == self._dim:
            word, numbers = line.split(self._separator, 1)
        else:
            word, numbers = self._split_long(line, number)
        if numbers.translate(None, _IN_NUMBERS):
            self._parse(numbers, number)  # says what is wrong, or accepts an odd spelling
        try:
            word.decode()
        except UnicodeDecodeError as error:
            raise SourceError(
                f"{self.path}, line {number}: the file is not UTF-8",
                got=f"byte 0x{word[error.start]:02x}",
                remedy="convert it, for example: iconv -f latin1 -t utf-8",
            ) from error
        return word, numbers

    def _split_long(self, line: bytes, number: int) -> tuple[bytes, bytes]:
        fields = line.rstrip(b" \t").split(self._separator)
        word = fields[: -self._dim]
        if not word or (len(word) > 1 and _is_number(word[-1])):
            raise SourceError(
                f"{self.path}, line {number}: a vector of the wrong length",
                got=f"{len(fields) - 1} numbers",
                allowed=f"{self._dim} numbers, as on the lines before",
            )
        return self._separator.join(word), self._separator.join(fields[-self._dim :])

    def _parse(self, numbers: bytes, number: int) -> Vector:
        where = f"{self.path}, line {number}"
        return parse_components(numbers.split(self._separator), where)


def parse_components(fields: list[bytes] | list[str], where: str) -> Vector:
    """Parse the components of one vector as float32.

    Raises
    ------
    SourceError
        If one of them is no number, or not finite; `where` says where it stands.
    """
    for field in fields:
        if not _is_number(field):
            text = field.decode("utf-8", "replace") if isinstance(field, bytes) else field
            raise SourceError(f"{where}: a component is not a number", got=repr(text))
    with np.errstate(over="ignore"):
        vector = np.array([float(field) for field in fields]).astype(np.float32)
    if not np.isfinite(vector).all():
        raise SourceError(
            f"{where}: a component is not finite",
            got=str(vector[~np.isfinite(vector)][0]),
            allowed="finite numbers",
        )
    return vector


def _is_number(field: bytes | str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True


def _read_head(path: Path) -> tuple[bytes, int, int | None]:
    """Separator, dimension, and the number of vectors where a first line announces it."""
    with _open(path) as file:
        head = file.read(_HEAD_BYTES).removeprefix(codecs.BOM_UTF8)
    lines = [line.rstrip(b"\r") for line in head.split(b"\n") if line.strip()]
    if not lines:
        raise SourceError(f"{path}: the file is empty", allowed="one word and its vector a line")
    separator = b"\t" if lines[0].count(b"\t") > lines[0].count(b" ") else b" "
    first = lines[0].split()
    if len(first) == 2 and all(field.isdigit() for field in first):
        return _separator_of(lines[1:]) or separator, int(first[1]), int(first[0])
    dim = len(lines[0].rstrip(b" \t").split(separator)) - 1
    if dim < 1 or not _is_number(lines[0].rstrip(b" \t").split(separator)[-1]):
        raise SourceError(
            f"{path}, line 1: this is not a word and its vector",
            got=repr(lines[0][:60].decode("utf-8", "replace")),
            allowed="word number number ..., separated by spaces or tabs",
        )
    return separator, dim, None


def _separator_of(lines: list[bytes]) -> bytes | None:
    if not lines:
        return None
    return b"\t" if lines[0].count(b"\t") > lines[0].count(b" ") else b" "


def _open(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise SourceError(
            f"{path}: the file cannot be read", got=error.strerror or str(error)
        ) from error


def _hashed(file: BinaryIO, digest: hashlib._Hash) -> Iterator[bytes]:
    for number, line in enumerate(file):
        digest.update(line)
        yield line if number else line.removeprefix(codecs.BOM_UTF8)
