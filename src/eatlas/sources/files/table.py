"""Precomputed vectors as CSV or TSV: first column the term, then d numbers."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from eatlas.errors import SourceError
from eatlas.sources.files.text import parse_components
from eatlas.sources.memory import ArraySource

_HEADS = {"", "word", "term"}


class TableSource(ArraySource):
    """A ``.csv`` or ``.tsv`` file.

    The first row is a header if its first cell is empty, ``word`` or ``term``, or if a later
    cell is no number. A term may hold spaces, and commas or quotes if the file quotes it.

    Raises
    ------
    SourceError
        If the file cannot be read, is not UTF-8, or a row is not a term and d finite numbers.
    """

    def __init__(self, path: Path) -> None:
        text, self._digest = _read_text(path)
        rows = list(_rows(path, text))
        words = [word for word, _ in rows]
        super().__init__(words, np.array([vector for _, vector in rows]), name=str(path))

    @property
    def fingerprint(self) -> str:
        """Hash of the file's bytes."""
        return f"sha256:{self._digest}"


def _read_text(path: Path) -> tuple[str, str]:
    try:
        data = path.read_bytes()
        return data.decode("utf-8-sig"), hashlib.sha256(data).hexdigest()
    except OSError as error:
        raise SourceError(
            f"{path}: the file cannot be read", got=error.strerror or str(error)
        ) from error
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise SourceError(
            f"{path}, line {line}: the file is not UTF-8",
            got=f"byte 0x{data[error.start]:02x}",
            remedy="save it as UTF-8",
        ) from error


def _rows(path: Path, text: str) -> Iterator[tuple[str, np.ndarray]]:
    """Terms and vectors, in order, checked."""
    delimiter = "\t" if path.suffix.lower() == ".tsv" else ","
    reader = csv.reader(text.splitlines(keepends=True), delimiter=delimiter)
    dim = None
    for cells in reader:
        where = f"{path}, line {reader.line_num}"
        if not any(cells):
            continue
        if dim is None and _is_header(cells):
            dim = len(cells) - 1
            continue
        dim = len(cells) - 1 if dim is None else dim
        if len(cells) - 1 != dim or dim < 1:
            raise SourceError(
                f"{where}: a vector of the wrong length",
                got=f"{len(cells) - 1} numbers",
                allowed=f"{dim} numbers, as on the lines before" if dim else "a term and numbers",
            )
        yield cells[0], parse_components(cells[1:], where)
    if dim is None:
        raise SourceError(f"{path}: the file is empty", allowed="a term and its vector a row")


def _is_header(cells: list[str]) -> bool:
    if cells[0].strip().lower() in _HEADS:
        return True
    try:
        [float(cell) for cell in cells[1:]]
    except ValueError:
        return True
    return False
