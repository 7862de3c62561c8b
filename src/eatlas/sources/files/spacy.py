"""Vectors of a spaCy pipeline, read from its folder.

``vectors`` is an array, ``key2row`` a map from the key of a word to its row, and ``strings.json``
lists the words, but not those that are symbols of spaCy. The keys are had from spaCy. Several words
may share a row: that is how spaCy prunes a table.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from eatlas.errors import SourceError
from eatlas.sources.files.arrays import map_array
from eatlas.sources.files.matrix import (
    ArrayMatrix,
    MatrixSource,
    check_matrix,
)

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
    keys, words, places = _keys(_strings(paths[2]), folder), [], []
    rows = _rows(paths[1])
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
    return MatrixSource(words, ArrayMatrix(array, places=np.array(places)), name=name, files=paths)


def _keys(words: list[str], folder: Path) -> dict[str, int]:
    """The keys by which spaCy knows words: hashes, or small numbers of its symbols."""
    try:
        store: Any = importlib.import_module("spacy.strings").StringStore()
        symbols: Any = importlib.import_module("spacy.symbols").IDS
    except ImportError as error:
        raise SourceError(
            f"{folder}: spaCy is needed to read the vectors of its pipelines",
            remedy="pip install spacy",
        ) from error
    return {word: store[word] for word in words} | {word: n for word, n in symbols.items() if n}


def _rows(path: Path) -> dict[int, int]:
    """The row of each key."""
    try:
        rows = importlib.import_module("srsly").msgpack_loads(path.read_bytes())
    except Exception as error:
        raise _no_table(path, str(error)) from error
    if not isinstance(rows, dict) or {type(n) for pair in rows.items() for n in pair} - {int}:
        raise _no_table(path, "something other than whole numbers")
    return rows


def _no_table(path: Path, got: str) -> SourceError:
    return SourceError(f"{path}: this is no table of words and rows", got=got[:200])


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
    try:
        "".join(words).encode()
    except UnicodeEncodeError as error:
        raise SourceError(f"{path}: a word is half a character", got=str(error)[:200]) from error
    return words


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        raise SourceError(f"{path}: this is not JSON", got=str(error)[:200]) from error
