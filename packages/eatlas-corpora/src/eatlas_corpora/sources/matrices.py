"""Transformations that are given: of a file of parts, or a square array."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError, SourceError, described
from eatlas.sources import Source
from eatlas.sources.archives import faults_of_library
from eatlas_corpora.sources.parts import LARGEST, Transformation, is_parts, read_parts

Matrix = str | Path | ArrayLike
"""A path, or an array in memory, such as a table of pandas."""
IN_MEMORY = "an array in memory"
MOST_ROWS = 20_000
"""Rows of an array; more than any vectors have components."""


class GivenMatrix(NamedTuple):
    """A square array, and what it is called."""

    rows: NDArray[np.float32]
    name: str


def load_matrix(
    matrix: Matrix, source: Source
) -> GivenMatrix | tuple[NDArray[np.float32], Transformation]:
    """A transformation for the vectors of a source; of a file of parts with its quality."""
    if not isinstance(matrix, str | Path):
        return GivenMatrix(_require_square(np.asarray(matrix), source, IN_MEMORY), IN_MEMORY)
    path = Path(matrix)
    if path.suffix.lower() == ".npy" and path.is_file():
        with faults_of_library(path, "this array"):
            rows = np.load(path, allow_pickle=False, mmap_mode="r")
        return GivenMatrix(_require_square(rows, source, str(path)), path.name)
    if path.exists() and not is_parts(path):
        raise SourceError(
            f"{path}: no subcorpora, from which a transformation could be taken",
            allowed="a file that eatlas embed has written, or a square array in a file .npy",
        )
    parts = read_parts(path)
    about = parts.about
    if about.source_fingerprint != source.fingerprint:
        raise EatlasError(
            f"{path}: its transformation belongs to different vectors",
            got=about.source,
            allowed=f"a transformation learned for {source.name}",
        )
    return parts.matrix, about.transformation.model_copy(update={"file": path.name})


def _require_square(rows: NDArray[Any], source: Source, name: str) -> NDArray[np.float32]:
    """An array by which vectors of a source can be multiplied."""
    allowed = f"numbers, shape ({source.dim}, {source.dim}), as {source.name} has {source.dim}"
    allowed += " components"
    if rows.shape != (source.dim, source.dim) or rows.dtype.kind not in "fiu":
        raise EatlasError(
            f"{name}: this transformation does not fit these vectors",
            got=f"{rows.dtype}, shape {rows.shape}",
            allowed=allowed,
            remedy="transpose a matrix that multiplies from the left; convert another type with "
            "numpy's astype",
        )
    if len(rows) > MOST_ROWS or not (np.abs(rows) <= LARGEST).all():  # which NaN is not
        raise EatlasError(
            f"{name}: some numbers are too large or not finite",
            got=described(float(np.abs(rows).max())),
            allowed=f"finite numbers up to {LARGEST:g}, at most {MOST_ROWS:,} rows",
        )
    return np.asarray(rows, np.float32)
