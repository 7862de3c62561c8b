"""Tables that a library reads at once: CSV and TSV, features of images, Parquet."""

from __future__ import annotations

import csv
import io
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError, listed, nearest
from eatlas.sources.archives import (
    Content,
    check_parquet_growth,
    faults_of_library,
    library,
    locate,
)
from eatlas.sources.files.arrays import MatrixSource, part_of
from eatlas.sources.files.sequential import HEAD_BYTES, is_number
from eatlas.sources.spec import check_options
from eatlas.stimuli.images import image_sets

_HEADS = {"", "word", "words", "term"}
_NUMBER = re.compile(r"u?int\d+|float|double|halffloat")
_LIST = re.compile(r".*list<.*: (float|double|halffloat)\b.*")
"""Types of Parquet."""
_OF_IMAGES = {"img", "image", "file", "filename", "path"}
"""Headers of a last column that names images, in a table of their features."""
_MODEL = {"model": "the model of the tables, as igpt_l_32 of age_young_igpt_l_32.csv"}


def open_table(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open a CSV or TSV file: a term and its numbers a row, or numbers and the name of an image."""
    words, rows = _read(content, options.get("encoding", "utf-8"))
    return MatrixSource(words, rows, name=name, files=(content.path,))


def _first_cells(head: bytes) -> tuple[list[str], str]:
    """Cells of the first row that is not blank, and what separates them."""
    lines = head.decode("utf-8-sig", "replace").splitlines()
    line = next((line for line in lines if line.strip()), "")
    separator = max(",\t", key=line.count)
    with io.StringIO(line) as text:
        return next(csv.reader(text, delimiter=separator), []), separator


def _read(content: Content, encoding: str) -> tuple[list[str], NDArray[np.floating]]:
    """Words and vectors of a table."""
    import pandas as pd  # noqa: PLC0415  (few sources are tables)

    label = content.label
    first, separator = _first_cells(content.head(HEAD_BYTES))
    if len(first) < 2:
        raise SourceError(f"{label}: this is not a table of words and numbers", got=str(first))
    images = first[-1].strip().lower() in _OF_IMAGES
    titled = images or first[0].strip().lower() in _HEADS or not all(map(is_number, first[1:]))
    column = len(first) - 1 if images else 0
    form: dict[str, Any] = {"sep": separator, "header": 0 if titled else None, "index_col": False}
    form |= {"dtype": {first[column] if titled else column: str}, "na_filter": False}
    try:
        with content.open() as raw, warnings.catch_warnings():
            warnings.simplefilter("error")  # of a row with more cells than the first
            frame = pd.read_csv(raw, encoding=encoding, low_memory=False, **form)
    except (ValueError, Warning) as error:
        remedy = "say what it is: ?encoding=latin-1" if isinstance(error, UnicodeError) else None
        raise SourceError(
            f"{label}: the table cannot be read", got=str(error)[:200], remedy=remedy
        ) from error
    if not len(frame):
        raise SourceError(f"{label}: the table has a header and no rows")
    words = frame.iloc[:, column].astype(str).tolist()
    # columns without a header beside the names of images are row numbers
    places = [k for k, cell in enumerate(first) if k != column and (cell.strip() or not images)]
    numbers = frame.iloc[:, places]
    try:
        with np.errstate(over="ignore"):
            return words, numbers.to_numpy(np.float64).astype(np.float32)
    except ValueError as error:
        odd = numbers.apply(pd.to_numeric, errors="coerce").isna().any(axis=1)
        raise SourceError(
            f"{label}: a component is not a number",
            got=f"{error}, in the row of {words[int(odd.to_numpy().argmax())]!r}",
        ) from error


# --- tables of features of images -----------------------------------------------------------------

# The form is that of ``DataFrame.to_csv`` of a frame with a column of names, in which Steed and
# Caliskan (2021) publish features of iGPT and SimCLR: a row number, d numbers, ``img``. Of their
# folder of such tables, one for each concept and model, all of one model are one source.


def tables_in(folder: Path) -> dict[str, dict[str, Path]]:
    """Tables of features in a folder: by model and by the folder of the images."""
    tables: dict[str, dict[str, Path]] = {}
    for images in (images for image_set in image_sets().values() for images in image_set.folders):
        start = f"{images.replace('/', '_')}_"
        for path in sorted(folder.glob(f"{start}*.csv")):
            tables.setdefault(path.stem.removeprefix(start), {})[images] = path
    return tables


def open_folder(folder: Path, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open all tables of one model in a folder; images are keyed by folder and name."""
    check_options(options, _MODEL, str(folder))
    models = tables_in(folder)
    chosen = options.get("model") or (next(iter(models)) if len(models) == 1 else "")
    if chosen not in models:
        near = nearest(chosen, models, 3) if chosen else []
        raise SourceError(
            f"{folder}: " + (f"no tables of the model {chosen!r}" if chosen else "several models"),
            allowed=f"?model= and one of {listed(sorted(models))}",
            remedy=f"did you mean {near[0]}?" if near else None,
        )
    words: list[str] = []
    blocks = []
    for images, path in models[chosen].items():
        names, rows = _read(locate(path), "utf-8")
        words += [f"{images}/{image}" for image in names]
        blocks.append(rows)
    with faults_of_library(folder, f"a table of {chosen}"):  # of vectors of another length
        array = np.concatenate(blocks)
    return MatrixSource(words, array, name=name, files=tuple(models[chosen].values()))


# --- Parquet --------------------------------------------------------------------------------------


def open_parquet(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open a column of words, and the numbers in columns of their own or in one of lists."""
    path, label = content.path, str(content.path)
    parquet = library("pyarrow.parquet", label, "Parquet")
    with faults_of_library(path, "this Parquet file"):
        check_parquet_growth(path, parquet.read_metadata(path), content.stamp.size)
        kinds = {field.name: str(field.type) for field in parquet.read_schema(path)}
        texts = [key for key, kind in kinds.items() if "string" in kind]
        usual = [key for key in texts if key.lower() in _HEADS]
        words = part_of(label, "words", kinds, usual or texts, options.get("words"))
        lists = [key for key, kind in kinds.items() if _LIST.fullmatch(kind)]
        numbers = [key for key, kind in kinds.items() if _NUMBER.fullmatch(kind)]
        numbers = [key for key in numbers if not key.startswith("__index")]
        if lists or "vectors" in options:
            numbers = [part_of(label, "vectors", kinds, lists, options.get("vectors"))]
        # of a word in many rows the file has one copy, and so has the memory
        table = parquet.read_table(path, columns=[words, *numbers], read_dictionary=[words])
        column = table.column(words)
        if column.null_count:
            raise SourceError(f"{path}, column {words}: a word is missing")
        keys: list[str] = []
        for chunk in column.chunks:
            values = chunk.dictionary.to_pylist()
            keys += [values[place] for place in chunk.indices.to_pylist()]
        rows = table.select(numbers).to_pandas().to_numpy()
        if lists:
            rows = np.stack(rows[:, 0])
    return MatrixSource(keys, rows, name=name, files=(path,))
