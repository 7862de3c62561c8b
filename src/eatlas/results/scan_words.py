"""All words of a scan as a table: blocks of columns, CSV and Parquet."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic_core import to_json

from eatlas.csv_cells import MARK, cell
from eatlas.errors import ResultsError

if TYPE_CHECKING:
    import pandas as pd

Array = NDArray[np.float64]

COLUMNS = (
    "word",
    "effect_size",
    "p_greater",
    "p_less",
    "p_two_sided",
    "p_max_t",
    "p_by",
    "difference",
    "rank",
    "attribute",
    "method",
    "rel_err",
)
"""Columns of the table; what does not apply to a word is empty."""
TEXT = ("word", "attribute", "method")
SUFFIXES = (".csv", ".parquet")
NO_ATTRIBUTE = "no"
"""What is in the column `attribute` for all other words."""
NO_PARQUET = "Parquet needs pyarrow, which is not installed"


@dataclass(frozen=True)
class ScannedWords:
    """Some words of a scan, a column each; NaN is empty."""

    word: list[str]
    effect_size: Array
    p_greater: Array
    p_less: Array
    p_two_sided: Array
    p_max_t: Array
    """Two-sided, adjusted; NaN for attribute words, which are in no family."""
    p_by: Array
    difference: Array
    """Mean cosine with A minus mean cosine with B."""
    rank: NDArray[np.int64]
    attribute: list[str]
    """A or B for attribute words, else no."""
    method: list[str]
    rel_err: Array
    """Stated relative error of the p-values, NaN where they are counts."""

    def columns(self) -> dict[str, Any]:
        """The columns by name, in order."""
        return {name: getattr(self, name) for name in COLUMNS}


def require_suffix(path: Path) -> None:
    """Refuse a file of words that is of no known kind."""
    if path.suffix.lower() not in SUFFIXES:
        raise ResultsError(
            f"--out {path}: this kind of file is not known",
            got=path.suffix or "no suffix",
            allowed=" or ".join(SUFFIXES),
        )
    if path.suffix.lower() == ".parquet":
        _pyarrow()


@contextmanager
def words_file(
    path: Path, new: Callable[..., IO[Any]], about: Mapping[str, str] | None = None
) -> Iterator[Callable[[ScannedWords], None]]:
    """Write words to one of several files that appear together."""
    require_suffix(path)
    if path.suffix.lower() == ".parquet":
        with _parquet(new(path, binary=True), about or {}) as write_batch:
            yield write_batch
        return
    file = new(path)
    file.write(",".join(COLUMNS) + "\n")

    def write(block: ScannedWords) -> None:
        # the csv module takes four times as long: it looks for commas in every number
        file.write("\n".join(map(",".join, zip(*_texts(block), strict=True))))
        file.write("\n" if block.word else "")

    yield write


def _texts(block: ScannedWords) -> Iterator[list[str]]:
    """Each column of a block as text, in order; words quoted where they must be."""
    for name, column in block.columns().items():
        if name == "word":
            yield [cell(word) if word else MARK for word in column]
        else:
            yield column if name in TEXT else _numbers(column)


def _numbers(column: NDArray[np.generic]) -> list[str]:
    """Numbers with the fewest digits that give every bit back; NaN is empty.

    A fifth of the time that `repr` takes: 0.15 microseconds a number.
    """
    if not column.size:
        return []
    text = to_json(column.tolist(), inf_nan_mode="null").decode()
    return text[1:-1].replace("null", "").split(",")


@contextmanager
def _parquet(file: IO[bytes], about: Mapping[str, str]) -> Iterator[Callable[[ScannedWords], None]]:
    """Yield a function that writes blocks of words to a Parquet file."""
    pa, parquet = _pyarrow()
    kinds = {name: pa.string() if name in TEXT else pa.float64() for name in COLUMNS}
    fields = [(name, kind) for name, kind in (kinds | {"rank": pa.int64()}).items()]
    schema = pa.schema(fields, metadata={f"eatlas.{key}": text for key, text in about.items()})
    with parquet.ParquetWriter(file, schema, compression="zstd") as writer:

        def write(block: ScannedWords) -> None:
            arrays = [
                pa.array(column, schema.field(name).type, from_pandas=name not in TEXT)
                for name, column in block.columns().items()
            ]
            writer.write_batch(pa.record_batch(arrays, schema=schema))

        yield write


def _pyarrow() -> tuple[Any, Any]:
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")  # only Parquet needs it
    except ImportError as error:
        raise ResultsError(
            NO_PARQUET, remedy="pip install 'eatlas[files]', or choose a file that ends in .csv"
        ) from error


def frame_of(blocks: Iterable[ScannedWords]) -> pd.DataFrame:
    """All blocks as one pandas frame."""
    import pandas as pd  # noqa: PLC0415  (0.4 s, and only frames need it)

    parts = [block.columns() for block in blocks]
    return pd.DataFrame({name: _joined([part[name] for part in parts]) for name in COLUMNS})


def _joined(parts: Sequence[Any]) -> Any:
    if not parts or isinstance(parts[0], list):
        return [value for part in parts for value in part]
    return np.concatenate(parts)


def _every_bit(version: str) -> dict[str, Any]:
    """What makes pandas read a number with every bit: nothing since 3.1."""
    major, minor = map(int, version.split(".")[:2])
    return {} if (major, minor) >= (3, 1) else {"float_precision": "round_trip"}


def read_words(path: Path) -> pd.DataFrame:
    """Read a file of words as a pandas frame.

    Words such as ``nan`` and ``=1+1`` come back as they are; `eatlas.csv_cells` says how they are
    in a CSV file.
    """
    import pandas as pd  # noqa: PLC0415  (0.4 s, and only frames need it)

    try:
        if path.suffix.lower() == ".parquet":
            _pyarrow()
            frame = pd.read_parquet(path)
        else:
            # an empty cell is not a number; in a column of text it is an empty text
            empty: Mapping[str, list[str]] = {name: [""] for name in COLUMNS if name not in TEXT}
            kinds = dict.fromkeys(TEXT, str)
            frame = pd.read_csv(
                path,
                keep_default_na=False,
                na_values=empty,
                dtype=kinds,
                encoding="utf-8",
                **_every_bit(pd.__version__),
            )
            # an older file marks no word, and has empty cells for words that are no attributes
            if set(TEXT) <= set(frame) and not (frame["attribute"] == "").any():
                frame["word"] = frame["word"].str.removeprefix(MARK)
    except OSError as error:
        raise ResultsError(
            f"{path}: the words of the scan cannot be read", got=error.strerror or str(error)
        ) from error
    except ValueError as error:
        raise ResultsError(f"{path}: this is not a table of a scan", got=str(error)) from error
    if tuple(frame.columns) != COLUMNS:
        raise ResultsError(
            f"{path}: this is not a table of a scan",
            got=", ".join(map(str, frame.columns)),
            allowed=", ".join(COLUMNS),
        )
    return frame.replace({"attribute": {"": NO_ATTRIBUTE}})
