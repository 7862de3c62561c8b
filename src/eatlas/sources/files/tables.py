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
from eatlas.sources.archives import Content, check_growth, locate
from eatlas.sources.files.matrix import MatrixSource, as_floats, part_of
from eatlas.sources.files.on_disk import faults_of_library, library
from eatlas.sources.spec import check_options
from eatlas.stimuli.image_sets import image_sets

HEAD_BYTES = 1 << 20
_HEADS = {"", "word", "term"}
_OF_IMAGES = {"img", "image", "file", "filename", "path"}
"""Headers of a last column that names images, in a table of their features."""
_MODEL = {"model": "the model of the tables, as igpt_l_32 of age_young_igpt_l_32.csv"}


def open_table(content: Content, options: Mapping[str, str], name: str) -> MatrixSource:
    """Open a CSV or TSV file: a term and its numbers a row, or numbers and the name of an image."""
    words, rows = _read(content, options.get("encoding", "utf-8"))
    return MatrixSource(words, rows, name=name, files=(content.path,))


def first_cells(head: bytes) -> tuple[list[str], str]:
    """Cells of the first row that is not blank, and what separates them."""
    lines = head.decode("utf-8-sig", "replace").splitlines()
    line = next((line for line in lines if line.strip()), "")
    separator = max(",\t", key=line.count)
    with io.StringIO(line) as text:
        return next(csv.reader(text, delimiter=separator), []), separator


def is_number(text: str) -> bool:
    """Whether a cell reads as a number."""
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text


def _read(content: Content, encoding: str) -> tuple[list[str], NDArray[np.floating]]:
    """Words and vectors of a table."""
    import pandas as pd  # noqa: PLC0415  (few sources are tables)

    label = content.label
    first, separator = first_cells(content.head(HEAD_BYTES))
    if len(first) < 2:
        raise SourceError(
            f"{label}: a vector of the wrong length",
            got="0 numbers" if first else "an empty file",
            allowed="a term and numbers, separated by commas or tabs",
        )
    images = first[-1].strip().lower() in _OF_IMAGES
    header = images or first[0].strip().lower() in _HEADS or not all(map(is_number, first[1:]))
    with content.open() as raw:
        try:
            frame = pd.read_csv(
                raw,
                sep=separator,
                header=0 if header else None,
                index_col=False,
                dtype={len(first) - 1 if images else 0: str}
                if not header
                else {first[-images]: str},
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
    words = frame.iloc[:, -images].astype(str).tolist()
    # columns without a header beside the names of images are row numbers
    places = [k for k, cell in enumerate(first[:-1]) if cell.strip()] if images else slice(1, None)
    numbers = frame.iloc[:, places]
    for place, kind in enumerate(numbers.dtypes):
        if kind.kind not in "fiu":
            cells = zip(words, numbers.iloc[:, place].astype(str), strict=True)
            bad = (pair for pair in cells if not is_number(pair[1]) or pair[1].lower() == "nan")
            word, cell = next(bad, (words[0], numbers.iloc[0, place]))
            raise SourceError(
                f"{label}: a component is not a number",
                got=f"{str(cell)[:60]!r} in the row of {word[:60]!r}",
                allowed="numbers, with a decimal point, in all columns but that of the words",
            )
    with np.errstate(over="ignore"):
        return words, numbers.to_numpy(np.float64).astype(np.float32)


# --- tables of features of images -----------------------------------------------------------------

# The form is that of ``DataFrame.to_csv`` of a frame with a column of names, in which Steed and
# Caliskan (2021) publish features of iGPT and SimCLR: a row number, d numbers, ``img``. Of their
# folder of such tables, one for each concept and model, all of one model are one source.


def names_images(head: bytes) -> bool:
    """Whether the header of a table ends with a column that names images.

    >>> names_images(b",0,1,img"), names_images(b"word,0,1")
    (True, False)
    """
    cells, _ = first_cells(head)
    return len(cells) > 1 and cells[-1].strip().lower() in _OF_IMAGES


def tables_in(folder: Path) -> dict[str, dict[str, Path]]:
    """Tables of features in a folder: by model and by the folder of the images."""
    tables: dict[str, dict[str, Path]] = {}
    folders = [images for known in image_sets().values() for images in known.folders]
    for path in sorted(folder.glob("*.csv")):
        for images in folders:
            start = f"{images.replace('/', '_')}_"
            if path.stem.startswith(start) and names_images(locate(path).head(HEAD_BYTES)):
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
        head = parquet.read_metadata(path)
        size = sum(head.row_group(k).total_byte_size for k in range(head.num_row_groups))
        check_growth(str(path), max(size, 8 * head.num_rows), content.stamp.size)
        schema = parquet.read_schema(path)
        kinds = {field.name: str(field.type) for field in schema}
        texts = [field.name for field in schema if "string" in str(field.type)]
        lists = [
            field.name
            for field in schema
            if hasattr(field.type, "value_type") and types.is_floating(field.type.value_type)
        ]
        numbers = [
            field.name
            for field in schema
            if (types.is_floating(field.type) or types.is_integer(field.type))
            and not field.name.startswith("__index")
        ]
        usual = [text for text in texts if text.lower() in {"word", "words", "term"}]
        words = part_of(str(path), "words", kinds, usual or texts, options.get("words"))
        if lists or "vectors" in options:
            numbers = [part_of(str(path), "vectors", kinds, lists, options.get("vectors"))]
        # of a word in many rows the file has one copy, and so has the memory
        table = parquet.read_table(path, columns=[words, *numbers], read_dictionary=[words])
        column: list[str] = []
        for chunk in table.column(words).chunks:
            if chunk.null_count:
                raise SourceError(f"{path}, column {words}: a word is missing")
            texts = chunk.dictionary.to_pylist()
            column += [texts[place] for place in chunk.indices.to_pylist()]
        rows = (
            _lists(table.column(numbers[0]), path)
            if lists
            else (table.select(numbers).to_pandas().to_numpy())
        )
    return MatrixSource(column, as_floats(rows), name=name, files=(path,))


def _lists(column: Any, path: Path) -> NDArray[Any]:
    """A column of lists as an array."""
    flat = column.combine_chunks().flatten()
    lengths = library("pyarrow.compute", str(path), "Parquet").list_value_length(column)
    if flat.null_count or lengths.null_count or len(lengths.unique()) > 1:
        raise SourceError(f"{path}: vectors differ in length, or a number is missing")
    rows: NDArray[Any] = flat.to_numpy(zero_copy_only=False)
    return rows.reshape(len(column), -1 if len(column) else 0)
