"""Tables that a library reads at once: CSV and TSV, features of images, Parquet."""

from __future__ import annotations

import csv
import io
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
from eatlas.sources.files.arrays import MatrixSource, as_floats, part_of
from eatlas.sources.files.sequential import HEAD_BYTES, is_number
from eatlas.sources.spec import check_options
from eatlas.stimuli.image_files import image_sets

_HEADS = {"", "word", "term"}
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
        raise SourceError(
            f"{label}: a vector of the wrong length",
            got="0 numbers" if first else "an empty file",
            allowed="a term and numbers, separated by commas or tabs",
        )
    images = first[-1].strip().lower() in _OF_IMAGES
    head = first[0].strip().lower() in _HEADS or not all(is_number(c.encode()) for c in first[1:])
    column = len(first) - 1 if images else 0
    try:
        with content.open() as raw:
            frame = pd.read_csv(
                raw,
                sep=separator,
                header=0 if head or images else None,
                index_col=False,
                dtype={first[column] if head or images else column: str},
                na_filter=False,
                encoding=encoding,
                low_memory=False,
            )
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{label}: the file is not {encoding.upper()}",
            got=str(error)[:100],
            remedy="say what it is: ?encoding=latin-1; or convert it",
        ) from error
    except ValueError as error:
        raise SourceError(f"{label}: the table cannot be read", got=str(error)[:200]) from error
    if not len(frame):
        raise SourceError(
            f"{label}: the table has a header and no rows", allowed="a term and its vector a row"
        )
    words = frame.iloc[:, column].astype(str).tolist()
    # columns without a header beside the names of images are row numbers
    places = [k for k, cell in enumerate(first) if k != column and (cell.strip() or not images)]
    numbers = frame.iloc[:, places]
    try:
        with np.errstate(over="ignore"):
            return words, numbers.to_numpy(np.float64).astype(np.float32)
    except ValueError as error:
        numeric = [all(is_number(str(c).encode()) for c in row) for row in numbers.to_numpy()]
        raise SourceError(
            f"{label}: a component is not a number",
            got=f"{error}, in the row of {words[numeric.index(False)]!r}",
            allowed="numbers, with a decimal point, in all columns but that of the words",
        ) from error


# --- tables of features of images -----------------------------------------------------------------

# The form is that of ``DataFrame.to_csv`` of a frame with a column of names, in which Steed and
# Caliskan (2021) publish features of iGPT and SimCLR: a row number, d numbers, ``img``. Of their
# folder of such tables, one for each concept and model, all of one model are one source.


def tables_in(folder: Path) -> dict[str, dict[str, Path]]:
    """Tables of features in a folder: by model and by the folder of the images."""
    tables: dict[str, dict[str, Path]] = {}
    folders = [images for known in image_sets().values() for images in known.folders]
    for path in sorted(folder.glob("*.csv")):
        for images in folders:
            start = f"{images.replace('/', '_')}_"
            if not path.stem.startswith(start):
                continue
            cells, _ = _first_cells(locate(path).head(HEAD_BYTES))
            if len(cells) > 1 and cells[-1].strip().lower() in _OF_IMAGES:
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
            got=None if chosen else listed(sorted(models)),
            allowed=f"?model= and one of {listed(sorted(models))}",
            remedy=f"did you mean {near[0]}?" if near else None,
        )
    tables = {images: _read(locate(path), "utf-8") for images, path in models[chosen].items()}
    if len({rows.shape[1] for _, rows in tables.values()}) > 1:
        raise SourceError(f"{folder}: the vectors of {chosen} differ in length between the tables")
    words = [f"{images}/{word}" for images, (names, _) in tables.items() for word in names]
    array = np.concatenate([rows for _, rows in tables.values()])
    return MatrixSource(words, array, name=name, files=tuple(models[chosen].values()))


# --- Parquet --------------------------------------------------------------------------------------


def open_parquet(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open a column of words, and the numbers in columns of their own or in one of lists."""
    path = content.path
    parquet = library("pyarrow.parquet", str(path), "Parquet")
    types = library("pyarrow.types", str(path), "Parquet")
    with faults_of_library(path, "this Parquet file"):
        check_parquet_growth(path, parquet.read_metadata(path), content.stamp.size)
        fields = {field.name: field.type for field in parquet.read_schema(path)}
        kinds = {name: str(kind) for name, kind in fields.items()}
        texts = [name for name, kind in kinds.items() if "string" in kind]
        usual = [name for name in texts if name.lower() in {"word", "words", "term"}]
        words = part_of(str(path), "words", kinds, usual or texts, options.get("words"))
        lists = [
            name
            for name, kind in fields.items()
            if hasattr(kind, "value_type") and types.is_floating(kind.value_type)
        ]
        numbers = [
            name
            for name, kind in fields.items()
            if (types.is_floating(kind) or types.is_integer(kind))
            and not name.startswith("__index")
        ]
        if lists or "vectors" in options:
            numbers = [part_of(str(path), "vectors", kinds, lists, options.get("vectors"))]
        # of a word in many rows the file has one copy, and so has the memory
        table = parquet.read_table(path, columns=[words, *numbers], read_dictionary=[words])
        column = table.column(words)
        if column.null_count:
            raise SourceError(f"{path}, column {words}: a word is missing")
        keys = []
        for chunk in column.chunks:
            texts = chunk.dictionary.to_pylist()
            keys += [texts[place] for place in chunk.indices.to_pylist()]
        if lists:
            rows = _lists(table.column(numbers[0]), path)
        else:
            rows = table.select(numbers).to_pandas().to_numpy()
    return MatrixSource(keys, as_floats(rows), name=name, files=(path,))


def _lists(column: Any, path: Path) -> NDArray[Any]:
    """A column of lists as an array."""
    flat = column.combine_chunks().flatten()
    lengths = library("pyarrow.compute", str(path), "Parquet").list_value_length(column)
    if flat.null_count or lengths.null_count or len(lengths.unique()) > 1:
        raise SourceError(f"{path}: vectors differ in length, or a number is missing")
    rows: NDArray[Any] = flat.to_numpy(zero_copy_only=False)
    return rows.reshape(len(column), -1 if len(column) else 0)
