"""Frames that narwhals reads (pandas, polars, pyarrow), and datasets of Hugging Face."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np

from eatlas.csv_cells import NUMBER
from eatlas.errors import SourceError, described, listing
from eatlas.lazy import import_narwhals
from eatlas.sources.memory import ArraySource, as_numbers, stack_vectors

HEADS = {"", "word", "words", "term"}
"""What a column of words is called, in lower case."""
ALLOWED = "a column or an index of words; numbers in all others, or in one column of lists"
_NO_FRAMES = ("builtins", "numpy", "torch")
"""What is handed over in lists and dicts most often; narwhals need not be imported for it."""
_DATASET = "datasets.arrow_dataset.Dataset"


def _is_dataset(thing: object) -> bool:
    return any(f"{kind.__module__}.{kind.__qualname__}" == _DATASET for kind in type(thing).__mro__)


def is_frame(thing: object, *, or_series: bool = False) -> bool:
    """Whether this is a frame, or a dataset of Hugging Face; or a Series, with pandas' index."""
    if type(thing).__module__ in _NO_FRAMES:
        return False
    nw = import_narwhals()
    try:
        table = nw.from_native(thing, pass_through=True)
    except nw.exceptions.DuplicateError:  # of names of columns
        return True
    if or_series and nw.dependencies.is_pandas_like_series(thing):
        return True
    return isinstance(table, nw.DataFrame | nw.LazyFrame) or _is_dataset(thing)


def table_of(frame: Any) -> tuple[list[str], Any]:
    """Words of a text index of pandas, if there is one, and a narwhals frame of all columns."""
    nw = import_narwhals()
    if _is_dataset(frame):
        frame = frame.with_format("arrow")[:]
    frame = nw.to_native(frame, pass_through=True)
    if nw.dependencies.is_pandas_like_series(frame):
        frame = frame.to_frame()
    index: list[str] = []
    if nw.dependencies.is_pandas_like_dataframe(frame):
        rows = frame.index
        index = list(rows) if rows.nlevels == 1 and rows.dtype.kind not in "iufbmM" else []
        frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    try:
        table = nw.from_native(frame)
    except nw.exceptions.DuplicateError as error:
        fault = "frame: every column needs a name of its own"
        raise SourceError(fault, got=listing(frame.columns)) from error
    return index, table.collect() if isinstance(table, nw.LazyFrame) else table


def by_word(frame: Any) -> tuple[list[Any], Any, str]:
    """Words of a frame, a narwhals frame of its other columns, and the name of that of words.

    Words are in a column with a usual name, else in a text index of pandas, else in the first
    column of text.
    """
    index, table = table_of(frame)
    if not len(table):
        raise SourceError("frame: there are no words", got=f"a frame of shape {table.shape}")
    texts = [name for name in table.columns if kind_of(table[name]) == "text"]
    usual = [name for name in texts if name.lower() in HEADS]
    if index and not usual:
        return index, table, ""
    if not texts:
        raise SourceError("frame: the frame has only numbers, no words", allowed=ALLOWED)
    name = (usual or texts)[0]
    return table[name].to_list(), table.drop(name), name


def cells_of(column: Any) -> list[Any]:
    """Cells of a narwhals column, None where one is missing."""
    pairs = zip(column.to_list(), column.is_null(), strict=True)
    return [None if missing else cell for cell, missing in pairs]


def kind_of(column: Any) -> str:
    """What a narwhals column holds: number, text or list; empty where it is anything else."""
    nw = import_narwhals()
    if column.dtype.is_numeric():
        return "number"
    if isinstance(column.dtype, nw.String | nw.Categorical | nw.Enum):
        return "text"
    if isinstance(column.dtype, nw.List | nw.Array):
        return "list"
    cells = column.drop_nulls().to_list() if column.dtype == nw.Object else []
    if any(isinstance(cell, str) for cell in cells):
        return "text"
    if cells and all(isinstance(cell, Real) for cell in cells):
        return "number"
    return "list" if cells and hasattr(cells[0], "__len__") else ""


def from_frame(frame: Any) -> ArraySource:
    """Take a frame: words in a column or in pandas' index, numbers in the others or in lists."""
    words, table, name = by_word(frame)
    if odd := [row for row, word in enumerate(words) if not (isinstance(word, str) and word)]:
        fault = f"frame, row {odd[0] + 1}: there is no word"
        raise SourceError(fault, got=repr(words[odd[0]]), allowed="text in every row")
    kinds = {column: kind_of(table[column]) for column in table.columns}
    lists = [column for column in kinds if kinds[column] == "list"]
    numbers = lists or [column for column in kinds if kinds[column] == "number"]
    # beside a column of lists others are facts of the words, if it is plain which one the words are
    facts = ("number", "text", "") if name.lower() in HEADS else ("number", "")
    strange = [c for c in kinds if kinds[c] not in (("list", *facts) if lists else ("number",))]
    if strange:
        cells = table[strange[0]].drop_nulls().to_list() or [None]
        cell = next((cell for cell in cells if not isinstance(cell, Real)), cells[0])
        remedy = "leave it out, or name the column of words word"
        if isinstance(cell, str) and NUMBER.fullmatch(cell.strip()):
            remedy = "its numbers are text: convert them first"
        raise SourceError(
            f"frame: the column {strange[0]} contains neither numbers nor the words",
            got=f"{described(cell)}; the words are in {name or 'the index'}",
            allowed=ALLOWED,
            remedy=remedy,
        )
    if not numbers or len(lists) > 1:
        got = f"lists in {listing(lists)}" if lists else "no column of numbers"
        raise SourceError(
            "frame: the frame does not have one vector per word", got=got, allowed=ALLOWED
        )
    if lists:
        labels = (f"frame, row {row} ({word})" for row, word in enumerate(words, start=1))
        vectors = table[lists[0]].to_numpy()
        rows = (
            as_numbers(vectors, "frame")
            if vectors.ndim == 2
            else stack_vectors(zip(labels, vectors, strict=True))
        )
    else:
        rows = as_numbers(table.select(numbers).to_numpy(), "frame")
    if (gaps := np.isnan(rows)).any():
        row, k = np.argwhere(gaps)[0]
        column = lists[0] if lists else numbers[k]
        fault = f"frame, row {row + 1} ({words[row]}), column {column}: a component is missing"
        raise SourceError(fault, allowed="a number in every row")
    return ArraySource(words, rows, name="frame")


def refuse_splits(dataset: Any) -> ArraySource:
    """Say of a dataset in several parts, or one that is read as it goes, what to hand over."""
    allowed = "a Dataset, such as load_dataset(..., split='train') without streaming"
    if isinstance(dataset, dict):
        allowed = f"a split: {listing(f'dataset[{name!r}]' for name in dataset)}"
    fault = "this is not one table of words and vectors"
    raise SourceError(fault, got=type(dataset).__name__, allowed=allowed)
