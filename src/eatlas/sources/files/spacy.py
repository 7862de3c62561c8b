"""Vectors of a spaCy pipeline, read from its folder; spaCy is not needed.

``vectors`` is an array, ``key2row`` a map from the hash of a word to its row, and ``strings.json``
lists the words, but not those that are symbols of spaCy, whose keys are small numbers instead of
hashes. Several words may share a row: that is how spaCy prunes a table.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.sources.files.matrix import (
    ArrayMatrix,
    MatrixSource,
    as_floats,
    check_matrix,
    rows_at_once,
)
from eatlas.sources.files.msgpack import read_int_map
from eatlas.sources.files.murmur import murmur64a
from eatlas.sources.files.npy import map_array
from eatlas.sources.files.spacy_symbols import SYMBOLS

_TABLE = "key2row"


def find_spacy(folder: Path) -> Path | None:
    """The folder with the vectors: this one, its ``vocab``, or that of the package in it."""
    places = [folder, folder / "vocab", *sorted(folder.glob("*/vocab"))]
    places += sorted(folder.glob("*/*/vocab"))
    return next((place for place in places if (place / _TABLE).is_file()), None)


def open_spacy(folder: Path, name: str) -> MatrixSource:
    """Open the vectors of a spaCy pipeline.

    Parameters
    ----------
    folder : Path
        Where ``vectors``, ``key2row`` and ``strings.json`` are.

    Raises
    ------
    SourceError
        If one of the files is missing or damaged, or the vectors are made of hashed n-grams.
    """
    paths = [folder / "vectors", folder / _TABLE, folder / "strings.json"]
    for path in paths:
        if not path.is_file():
            raise SourceError(
                f"{folder}: a file of the spaCy vectors is not there",
                got=f"no {path.name}",
                remedy="save the pipeline with nlp.to_disk(folder)",
            )
    _refuse_floret(folder)
    array = map_array(paths[0])
    check_matrix(array.shape, array.dtype, str(paths[0]))
    rows = read_int_map(paths[1].read_bytes(), str(paths[1]))
    words, places = [], []
    keys = {word: _key(word) for word in _strings(paths[2])} | SYMBOLS
    for word, key in keys.items():
        row = rows.get(key, -1)
        if 0 <= row < len(array):
            words.append(word)
            places.append(row)
        elif row >= 0:
            raise SourceError(
                f"{paths[1]}: a word has a row that is not there",
                got=f"{word!r}, row {row}",
                allowed=f"rows 0 to {len(array) - 1}",
            )
    if not words:
        raise SourceError(f"{folder}: no word of this pipeline has a vector")
    return MatrixSource(words, SharedRows(array, np.array(places)), name=name, files=paths)


class SharedRows(ArrayMatrix):
    """Rows of a table, one for each word, some for several."""

    def __init__(self, table: NDArray[Any], places: NDArray[np.int64]) -> None:
        super().__init__(table)
        object.__setattr__(self, "places", places)

    places: NDArray[np.int64]

    @property
    def shape(self) -> tuple[int, int]:
        """Words and components."""
        return len(self.places), self.array.shape[1]

    def take(self, rows: Any) -> NDArray[np.floating]:
        """Rows in ascending order, shape (len(rows), dim)."""
        return as_floats(np.asarray(self.array[self.places[list(rows)]]))

    def blocks(self, size: int) -> Any:
        """All rows in order, at most `size` at a time."""
        size = rows_at_once(size, self.array.shape[1])
        for start in range(0, len(self.places), size):
            yield as_floats(np.asarray(self.array[self.places[start : start + size]]))


def _key(word: str) -> int:
    return murmur64a(word.encode("utf-8", "surrogatepass"))


def _refuse_floret(folder: Path) -> None:
    path = folder / "vectors.cfg"
    if path.is_file() and _json(path) and b"floret" in path.read_bytes():
        raise SourceError(
            f"{folder}: these vectors are made of hashed n-grams (floret), which cannot be read",
            allowed="tables with a row for each word",
            remedy="export the words you need: nlp.vocab[word].vector",
        )


def _strings(path: Path) -> list[str]:
    words = _json(path)
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise SourceError(f"{path}: this is no list of words")
    return words


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(f"{path}: this is not JSON", got=str(error)[:200]) from error
