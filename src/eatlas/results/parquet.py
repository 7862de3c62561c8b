"""Stores: results in Parquet, columns of the frame with the packed record, for millions of results.

A store is a folder of parts, ``NAME.parquet/part-*.parquet``. Each part is written whole or not at
all, so a run that is killed leaves a store that can be read. A part has the columns of
:meth:`Results.to_frame`, and `OWN`. Of a result with several rows the first has the record.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from eatlas.errors import ResultsError
from eatlas.paths import is_folder
from eatlas.results.collection import STORE_ENDING, Failure, question_of, run_number
from eatlas.results.json_lines import to_json_line
from eatlas.results.questions import evidence_of
from eatlas.results.settings import test_and_setting
from eatlas.writing import atomic_file

if TYPE_CHECKING:
    from eatlas.results.base import AssociationResult

RUN, FAILURES = "_run.json", "_failures.jsonl"
"""What a store holds beside its parts; readers of Parquet pass over names with an underscore."""
SCHEMA = "eatlas/store/1"
RECORD, SHA256, IDENTITY, QUESTION = "_record", "_sha256", "_identity", "_question"
SETTING, TEST, ALPHA, P_THESE = "_setting", "_test", "_alpha", "_p_these"
OWN = (RECORD, SHA256, IDENTITY, QUESTION, SETTING, TEST, ALPHA)
"""Columns of each part: the line of JSON and its hash; the hash of all that the result depends on;
what it answers; its setting, and its test there, within which p-values are adjusted, and alpha."""
SUFFIXES = {"level1": "", "level2.X": "_X", "level2.Y": "_Y"}
"""Of the columns of a question; ``_p_these`` has its p-value for a claim with the sign of d."""
RESULTS_OF_A_PART, BYTES_OF_A_PART, SECONDS_OF_A_PART = 2_000, 32 << 20, 60.0
"""A part is written at any of these; what a killed run loses."""
RESULTS_OF_A_GROUP = 500
"""Rows of a row group, of which readers hold one."""
PAGE = 8 << 20
"""Bytes of a page: records resemble each other, so many together shrink better."""


def arrow(path: Path) -> tuple[Any, Any]:
    """Import pyarrow, which only stores need."""
    try:
        return import_module("pyarrow"), import_module("pyarrow.parquet")
    except ImportError as error:
        raise ResultsError(
            f"{path}: pyarrow is needed to read and write Parquet",
            remedy="pip install 'eatlas[files]'",
        ) from error


def parts_in(path: Path) -> list[Path]:
    """The parts of a store in their order; a single file of Parquet is one part."""
    return sorted(path.glob(f"part-*{STORE_ENDING}")) if is_folder(path) else [path]


def _key(*facts: object) -> int:
    """A number of 64 bits that is equal for equal facts."""
    return run_number(json.dumps(facts))


def rows_of(result: AssociationResult, identity: str) -> list[dict[str, Any]]:
    """The rows of one result, the first with its record."""
    rows = result.rows_with(result.finding)
    line = to_json_line(result)
    test, *setting = test_and_setting(result)
    rows[0] |= {
        f"{P_THESE}{SUFFIXES[place]}": found.these.p_of_claim
        for place, found in evidence_of(result).items()
        if place in result.finding.questions
    }
    rows[0] |= {
        RECORD: line,
        SHA256: sha256(line.encode()).hexdigest(),
        IDENTITY: identity,
        QUESTION: run_number(question_of(result)),
        SETTING: _key(*setting),
        TEST: _key(test, *setting, result.provenance.stimuli_sha256),
        ALPHA: result.rule.alpha,
    }
    return rows


@dataclass
class Written:
    """What was written, in a few numbers."""

    results: int = 0
    taken_over: int = 0
    """Results that the store had already."""
    failures: list[Failure] = field(default_factory=list)
    """Of jobs, and of sources of which none of the jobs could be done."""
    failed: int = 0
    """Jobs that could not be done."""


class PartsWriter:
    """Writes results into parts of a store; use as a context manager, which writes the rest.

    `prefix` begins the names of its parts and is of this writer only.
    """

    def __init__(self, folder: Path, prefix: str) -> None:
        self.folder, self.prefix = folder, prefix
        self._arrow, self._parquet = arrow(folder)
        self._kinds: dict[str, Any] = {}
        self._number = 0
        self._begin()

    def _begin(self) -> None:
        self._rows: list[dict[str, Any]] = []
        self._results = self._bytes = 0
        self._begun = time.monotonic()

    def add(self, result: AssociationResult, identity: str) -> None:
        """Add a result; write a part when it is full or old."""
        rows = rows_of(result, identity)
        self._rows += rows
        self._results += 1
        self._bytes += len(rows[0][RECORD])
        full = self._results >= RESULTS_OF_A_PART or self._bytes >= BYTES_OF_A_PART
        if full or time.monotonic() - self._begun > SECONDS_OF_A_PART:
            self.write_part()

    def write_part(self) -> None:
        """Write what was added since the last part."""
        if not self._rows:
            return
        path = self.folder / f"part-{self.prefix}-{self._number:04d}{STORE_ENDING}"
        table = self._table()
        texts = [name for name in table.column_names if name not in (RECORD, SHA256, IDENTITY)]
        with atomic_file(path, binary=True) as file:
            self._parquet.write_table(
                table, file, compression="zstd", use_dictionary=texts,
                row_group_size=RESULTS_OF_A_GROUP, data_page_size=PAGE, write_statistics=[IDENTITY],
            )  # fmt: skip
        self._number += 1
        self._begin()

    def _table(self) -> Any:
        """The rows as a table; a column keeps its type from part to part."""
        names = dict.fromkeys(name for row in self._rows for name in row)
        ordered = [*(name for name in names if not is_own(name)), *filter(is_own, names)]
        columns = {}
        for name in ordered:
            values = [row.get(name) for row in self._rows]
            kind = self._kind(values) or self._kinds.get(name) or self._arrow.float64()
            kind = common_kind(self._arrow, [kind, self._kinds.get(name, kind)])
            self._kinds[name] = kind
            if kind == self._arrow.string():
                values = [None if value is None else str(value) for value in values]
            columns[name] = self._arrow.array(values, kind)
        return self._arrow.table(columns)

    def _kind(self, values: Iterable[Any]) -> Any:
        """The type of a column; None if it has no values."""
        known = [value for value in values if value is not None]
        if not known:
            return None
        if all(isinstance(value, bool) for value in known):
            return self._arrow.bool_()
        if any(isinstance(value, bool) or not isinstance(value, int | float) for value in known):
            return self._arrow.string()
        whole = all(isinstance(value, int) for value in known)
        return self._arrow.int64() if whole else self._arrow.float64()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.write_part()


def is_own(name: str) -> bool:
    """Whether a column is for eatlas, not of the frame."""
    return name in OWN or name.startswith(P_THESE)


def common_kind(arrow_module: Any, kinds: Iterable[Any]) -> Any:
    """The type that holds the values of several: the same, a number, or text."""
    different = set(kinds)
    if len(different) == 1:
        return different.pop()
    numbers = {arrow_module.int64(), arrow_module.float64()}
    return arrow_module.float64() if different <= numbers else arrow_module.string()
