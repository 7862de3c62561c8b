"""Precomputed features of images as tables whose last column names the image.

The form is that of ``DataFrame.to_csv`` of a frame with a column of names, in which Steed and
Caliskan (2021) publish features of iGPT and SimCLR: a row number, d numbers, ``img``. Of their
folder of such tables, one for each concept and model, all of one model are one source.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError, listed, nearest
from eatlas.sources.archives import Content, locate
from eatlas.sources.files.dialects import HEAD_BYTES, check_finite, names_images, numbered_lines
from eatlas.sources.memory import ArraySource
from eatlas.sources.spec import check_options
from eatlas.stimuli.image_sets import image_sets

MODEL = "model"
_OPTIONS = {MODEL: "the model of the tables, as igpt_l_32 of age_young_igpt_l_32.csv"}


def open_features(content: Content, options: Mapping[str, str], name: str) -> ArraySource:
    """Open a table whose last column names images."""
    check_options(options, {"format": "the format"}, content.label)
    words, rows = _table(content)
    return ArraySource(words, rows, name=name)


def tables_in(folder: Path) -> dict[str, dict[str, Path]]:
    """Tables of features in a folder: by model and by the folder of the images."""
    found: dict[str, dict[str, Path]] = {}
    if not folder.is_dir():
        return found
    of_images = [one for known in image_sets().values() for one in known.folders]
    for path in sorted(folder.glob("*.csv")):
        for images in of_images:
            start = f"{images.replace('/', '_')}_"
            if path.stem.startswith(start) and _is_table(path):
                found.setdefault(path.stem.removeprefix(start), {})[images] = path
    return found


def open_folder(folder: Path, options: Mapping[str, str], name: str) -> ArraySource:
    """Open all tables of one model in a folder; images are keyed by folder and name."""
    check_options(options, _OPTIONS, str(folder))
    models = tables_in(folder)
    chosen = options.get(MODEL) or (next(iter(models)) if len(models) == 1 else "")
    if chosen not in models:
        near = nearest(chosen, models, 3) if chosen else []
        raise SourceError(
            f"{folder}: " + (f"no tables of the model {chosen!r}" if chosen else "several models"),
            got=None if chosen else listed(sorted(models)),
            allowed=f"?{MODEL}= and one of {listed(sorted(models), 20)}",
            remedy=f"did you mean {near[0]}?" if near else None,
        )
    words: list[str] = []
    blocks: list[NDArray[np.float32]] = []
    for images, path in models[chosen].items():
        names, rows = _table(locate(path))
        if blocks and rows.shape[1] != blocks[0].shape[1]:
            raise SourceError(
                f"{path}: vectors of another length than in the tables before it",
                got=f"{rows.shape[1]} numbers",
                allowed=f"{blocks[0].shape[1]} numbers",
            )
        words += [f"{images}/{one}" for one in names]
        blocks.append(rows)
    return ArraySource(words, np.concatenate(blocks), name=name)


def _is_table(path: Path) -> bool:
    with path.open("rb") as file:
        lines = numbered_lines(file.read(HEAD_BYTES))
    return bool(lines) and names_images(lines[0][1])


def _table(content: Content) -> tuple[list[str], NDArray[np.float32]]:
    """Names and vectors of a table; columns without a header, such as row numbers, are left out."""
    with content.open() as raw, io.TextIOWrapper(raw, encoding="utf-8", newline="") as text:
        try:
            rows = list(_rows(csv.reader(text, strict=True), content.label))
        except (UnicodeDecodeError, csv.Error) as error:
            raise SourceError(
                f"{content.label}: the table cannot be read", got=str(error)
            ) from error
    if not rows:
        raise SourceError(
            f"{content.label}: the table has a header and no rows",
            allowed="numbers and the name of an image a row",
        )
    return [name for name, _ in rows], np.stack([vector for _, vector in rows])


def _rows(rows: Iterator[list[str]], label: str) -> Iterator[tuple[str, NDArray[np.float32]]]:
    """The name and the vector of each row."""
    header = next(rows)
    kept = [place for place, cell in enumerate(header[:-1]) if cell.strip()]
    for line, row in enumerate(rows, start=2):
        where = f"{label}, line {line}"
        if not row:
            continue
        if len(row) != len(header):
            raise SourceError(
                f"{where}: a row of the wrong length",
                got=f"{len(row)} cells",
                allowed=f"{len(header)} cells, as in the header",
            )
        try:
            vector = np.array([row[place] for place in kept], np.float64).astype(np.float32)
        except ValueError as error:
            raise SourceError(f"{where}: a component is not a number", got=str(error)) from error
        check_finite(vector, where)
        yield row[-1], vector
