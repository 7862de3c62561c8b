"""Reading a store without holding it: its columns as a frame, its records in batches."""

from __future__ import annotations

import operator
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from eatlas.decoding import (
    check_growth,
    check_parquet_growth,
    file_bytes,
    json_value,
    parquet_table,
    require_file,
)
from eatlas.errors import EatlasError, ResultsError, described
from eatlas.lazy import import_narwhals, import_pandas
from eatlas.numbers import number_of
from eatlas.paths import is_there
from eatlas.results.base import AssociationResult, FrameColumns, is_result
from eatlas.results.collection import (
    Results,
    RunFound,
    in_run,
    run_of_sum,
)
from eatlas.results.finding import VERDICTS
from eatlas.results.json_lines import record_of_line, record_types
from eatlas.results.parquet import (
    ALPHA,
    FAILURES,
    IDENTITY,
    OWN,
    P_THESE,
    QUESTION,
    RECORD,
    RUN,
    SETTING,
    SHA256,
    SUFFIXES,
    TEST,
    arrow,
    common_kind,
    is_own,
    parts_in,
)
from eatlas.results.parts import Run
from eatlas.results.settings import choose_columns, without_common_settings
from eatlas.stats.multiplicity import holm_by_group

if TYPE_CHECKING:
    import narwhals as nw
    import pandas as pd

MOST_READ = 10_000
"""Results that :meth:`ResultsScan.read` holds unless more are allowed."""
MOST_OF_RUN = 10_000
"""Bytes of the file that names the run."""
LONGEST_RECORD = 64 << 20
"""Bytes of one record."""
ROWS_OF_A_BATCH = 100
"""Rows whose records are read together."""
_LACKS = "the store has"
"""Begins the message about a column that there is not."""
_CONDITION = re.compile(r"([^<>=!]+)(<=|>=|!=|=|<|>)(.*)", re.DOTALL)
_COMPARE = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt,
    ">=": operator.ge,
}  # fmt: skip


class Condition(NamedTuple):
    """What rows must have in a column."""

    column: str
    compare: str
    value: str

    @classmethod
    def parse(cls, text: str) -> Condition:
        """Read ``COLUMN=VALUE``; also with ``!=``, ``<``, ``<=``, ``>`` or ``>=``."""
        match = _CONDITION.fullmatch(text) if isinstance(text, str) else None
        if match is None:
            raise ResultsError(
                "this is not a condition",
                got=described(text),
                allowed="COLUMN=VALUE, or with !=, <, <=, > or >=, such as test=weat-6",
            )
        return cls(match[1].strip(), match[2], match[3].strip())

    def holds(self, values: Any) -> Any:
        """Where a column of pandas meets the condition; undefined values never do."""
        wanted: Any = self.value
        if values.dtype.kind in "iufb":
            try:
                wanted = float(self.value)
            except ValueError as error:
                raise ResultsError(
                    f"the column {self.column} has numbers", got=self.value, allowed="a number"
                ) from error
        found = _COMPARE[self.compare](values, wanted)
        return (found.fillna(value=False).astype(bool) & values.notna()).to_numpy()


class ResultsScan:
    """Results in a store, which are read when they are needed.

    A store is a folder ``NAME.parquet`` of parts, which ``eatlas run --store`` writes, or one file
    of Parquet with the same columns. Iterating yields one record after the other.

    Parameters
    ----------
    path : path
        Of the store.

    Raises
    ------
    ResultsError
        If it is no store.

    See Also
    --------
    eatlas.Results.scan : the same.

    Examples
    --------
    >>> import eatlas, tempfile
    >>> store = tempfile.mkdtemp() + "/results.parquet"
    >>> scan = eatlas.run(tests=["weat-6", "weat-7"], store=store)
    >>> len(scan)
    2
    >>> scan.to_frame(["test", "verdict"], where="effect_size>1.5")
         test    verdict
    0  weat-6  supported
    >>> scan.read(where="test=weat-6")[0].pattern.label
    'BY-Singular'
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        require_file(self.path, ResultsError)
        if not is_there(self.path):
            raise ResultsError(f"{self.path}: there is no such store", remedy="check the path")
        self._arrow, self._parquet = arrow(self.path)
        self.parts = tuple(parts_in(self.path))
        """Files of Parquet."""
        for part in self.parts:
            require_file(part, ResultsError)
            if lacking := [name for name in OWN if name not in self._heads[part].names]:
                raise ResultsError(
                    f"{part}: this file does not hold results",
                    got=f"a file without the columns {', '.join(lacking)}",
                    allowed="a store, which eatlas run --store creates",
                )

    @cached_property
    def _heads(self) -> dict[Path, Any]:
        """The columns of each part."""
        heads = {}
        for part in self.parts:
            with _faults(part):
                metadata = self._parquet.read_metadata(part)
                check_parquet_growth(part, metadata, part.stat().st_size)
                heads[part] = metadata.schema.to_arrow_schema()
        return heads

    @cached_property
    def _kinds(self) -> dict[str, Any]:
        """The type of each column in all parts, in the order of first appearance."""
        kinds: dict[str, list[Any]] = {}
        for head in self._heads.values():
            for name, kind in zip(head.names, head.types, strict=True):
                kinds.setdefault(name, []).append(kind)
        return {name: common_kind(self._arrow, of_parts) for name, of_parts in kinds.items()}

    @property
    def columns(self) -> list[str]:
        """Names of the columns of :meth:`to_frame`."""
        return [name for name in self._kinds if not is_own(name)]

    @cached_property
    def _length(self) -> int:
        return sum(int(column.drop_null().length()) for column in self._own_column(IDENTITY))

    def __len__(self) -> int:
        return self._length

    def __repr__(self) -> str:
        return f"<{number_of(len(self), 'result')} in {self.path}, failures: {len(self.failures)}>"

    @property
    def run(self) -> Run | None:
        """The run that all results are of; None while it has not ended."""
        path = self.path / RUN
        if not is_there(path):
            return None
        with _faults(path):
            values = json_value(file_bytes(path, ResultsError, MOST_OF_RUN))["run"]
            return Run.model_validate(values) if values else None

    @property
    def failures(self) -> list[dict[str, str]]:
        """Jobs of the last run that could not be done: test, source, signature and error."""
        path = self.path / FAILURES
        if not is_there(path):
            return []
        require_file(path, ResultsError)
        with _faults(path), path.open("rb") as lines:
            return [json_value(line) for line in lines]

    def make_run(self) -> Run | None:
        """The run that the results here would be, by what they answer; None without any."""
        total = count = 0
        with _faults(self.path):
            for column in self._own_column(QUESTION):
                numbers = column.drop_null().to_pylist()
                total += sum(numbers)
                count += len(numbers)
        return run_of_sum(total, count) if count else None

    def run_found(self) -> RunFound | None:
        """How much of the run is here; None while it has not ended."""
        run, made = self.run, self.make_run()
        if run is None or made is None:
            return None
        changed = made.results >= run.results and made != run
        return RunFound(run.id, made.results, run.results, changed)

    def identities(self) -> np.ndarray[Any, Any]:
        """First 16 bytes of the hash of each job whose result is here, in order."""
        with _faults(self.path):
            parts = [
                np.array(
                    [bytes.fromhex(text[:32]) for text in column.drop_null().to_pylist()], "S16"
                )
                for column in self._own_column(IDENTITY)
            ]
        return np.sort(np.concatenate(parts)) if parts else np.array([], "S16")

    def _own_column(self, name: str) -> Iterator[Any]:
        for part in self.parts:
            with _faults(part):
                yield self._parquet.read_table(part, columns=[name], partitioning=None)[name]

    # --- columns ----------------------------------------------------------------------------------

    def to_frame(
        self,
        columns: FrameColumns = "brief",
        where: str | Iterable[str] = (),
    ) -> pd.DataFrame:
        """Return the tidy frame, as :meth:`Results.to_frame` does, without reading records.

        Parameters
        ----------
        columns : {"brief", "all"} or sequence of str, default "brief"
            The main columns, all, or these.
        where : str or list of str, optional
            Conditions of rows, such as ``"test=weat-6"`` or ``"effect_size>=0.8"``; all must hold.

        Returns
        -------
        DataFrame
            Verdicts and ``p_claim`` are adjusted by Holm over all tests of each setting in the
            store, whichever rows `where` leaves.

        Raises
        ------
        ResultsError
            If there is no such column, or a file is damaged.
        """
        kinds = self._record_types() if columns == "brief" else {}
        names = choose_columns(columns, self.columns, kinds, _LACKS)
        frame, holds = self._rows(names or [IDENTITY], where)  # which has the number of rows
        chosen = frame[holds][names].reset_index(drop=True)
        return without_common_settings(chosen) if columns == "brief" else chosen

    def _record_types(self) -> dict[str, type[AssociationResult]]:
        """Records of the measures by name; of a measure that is not installed the base class."""
        measures = set(self._table(["measure"])["measure"]) if "measure" in self._kinds else set()
        return {name: record_types().get(name, AssociationResult) for name in measures}

    def first_rows(self, columns: Sequence[str], where: str | Iterable[str] = ()) -> pd.DataFrame:
        """One row for each result: the frame without further rows of terms or targets."""
        choose_columns(columns, self.columns, {}, _LACKS)
        frame, holds = self._rows([*columns, IDENTITY], where)
        holds &= frame[IDENTITY].notna().to_numpy()
        return frame[holds][list(columns)].reset_index(drop=True)

    def lazy(self) -> nw.LazyFrame[Any]:
        """Return the columns as a lazy frame, for queries that :meth:`to_frame` does not have.

        Returns
        -------
        narwhals.LazyFrame
            All columns as they are stored. Verdicts and ``p_claim`` are not adjusted over several
            tests: each result has its own. :meth:`to_frame` adjusts them. If polars is installed,
            it reads the files when you call ``.collect()``; otherwise pyarrow reads them at once.
            ``.to_native()`` returns the frame of polars.

        Raises
        ------
        ResultsError
            If the store has no results, or a file is damaged.

        Examples
        --------
        >>> import eatlas, narwhals as nw, tempfile
        >>> store = tempfile.mkdtemp() + "/results.parquet"
        >>> scan = eatlas.run(tests=["weat-6", "weat-7"], store=store)
        >>> large = scan.lazy().filter(nw.col("effect_size") > 1.5).select("test", "source")
        >>> large.collect().rows()
        [('weat-6', 'glove-sample')]
        """
        narwhals = import_narwhals()
        if not self.parts:
            raise ResultsError(f"{self.path}: the store has no results")
        backend = "polars" if find_spec("polars") else "pyarrow"
        kinds = {name: self._arrow.array([], self._kinds[name]) for name in self.columns}
        empty = narwhals.from_native(self._arrow.table(kinds), eager_only=True)
        frames = []
        for part in self.parts:
            here = self._heads[part].names
            columns = [
                narwhals.col(name).cast(kind)
                if name in here
                else narwhals.lit(None, kind).alias(name)
                for name, kind in empty.schema.items()
            ]
            with _faults(part):
                read = [name for name in here if name in kinds]
                options = {"columns": read} if backend == "pyarrow" else {}
                frame = narwhals.scan_parquet(str(part), backend=backend, **options)
                frames.append(frame.select(columns))
        whole: nw.LazyFrame[Any] = narwhals.concat(frames)
        return whole

    def _rows(
        self, names: Sequence[str], where: str | Iterable[str]
    ) -> tuple[pd.DataFrame, np.ndarray[Any, Any]]:
        """Columns of all rows, and which rows meet conditions."""
        conditions = [Condition.parse(t) for t in ([where] if isinstance(where, str) else where)]
        choose_columns([condition.column for condition in conditions], self.columns, {}, _LACKS)
        with _faults(self.path):
            frame = self._frame({*names, *(condition.column for condition in conditions)})
        holds = np.ones(len(frame), dtype=bool)
        for condition in conditions:
            holds &= condition.holds(frame[condition.column])
        return frame, holds

    def _frame(self, names: set[str]) -> pd.DataFrame:
        """Columns of all rows, with verdicts that are adjusted over the tests of each setting."""
        adjusted = [s for s in SUFFIXES.values() if {f"verdict{s}", f"p_claim{s}"} & names]
        inputs = {TEST, SETTING, ALPHA} if adjusted else set()
        inputs |= {f"{name}{s}" for s in adjusted for name in (P_THESE, "verdict", "p_claim")}
        frame = self._table([name for name in self._kinds if name in names | inputs])
        if adjusted:
            times = frame.groupby(TEST).cumcount().to_numpy()
            settings, _ = import_pandas().factorize(
                frame[SETTING].astype("Int64").astype(str) + " " + times.astype(str)
            )
            for suffix in adjusted:
                if f"{P_THESE}{suffix}" in frame:
                    _adjust(frame, suffix, settings)
        return frame

    def _table(self, names: Sequence[str]) -> pd.DataFrame:
        """Columns of all parts as they are stored."""
        schema = self._arrow.schema([(name, self._kinds[name]) for name in names])
        tables = []
        for part in self.parts:
            here = [name for name in names if name in self._heads[part].names]
            with _faults(part):
                table = parquet_table(part, self._parquet, here)
                columns = {
                    name: table[name].cast(self._kinds[name])
                    if name in here
                    else self._arrow.nulls(len(table), self._kinds[name])
                    for name in names
                }
            tables.append(self._arrow.table(columns, schema=schema))
        whole = self._arrow.concat_tables(tables) if tables else schema.empty_table()
        frame: pd.DataFrame = whole.to_pandas()
        return frame

    # --- records ----------------------------------------------------------------------------------

    def lines(self, chosen: np.ndarray[Any, Any] | None = None) -> Iterator[tuple[str, str]]:
        """Where each record is, and its line of JSON; `chosen` says for each row whether it is.

        Raises
        ------
        ResultsError
            If a record is not what was written.
        """
        before = 0
        for part in self.parts:
            with _faults(part), self._parquet.ParquetFile(part, read_dictionary=[RECORD]) as file:
                groups, position = range(file.num_row_groups), 0
                for group in groups:
                    rows, own = file.metadata.row_group(group).num_rows, before + position
                    if chosen is None or chosen[own : own + rows].any():
                        yield from self._lines_of(part, file, group, position, chosen, own)
                    position += rows
                before += position

    def _lines_of(
        self, part: Path, file: Any, group: int, first: int, chosen: Any, own: int
    ) -> Iterator[tuple[str, str]]:
        """The lines of one row group."""
        of_part, size = part.stat().st_size, 0
        batches = file.iter_batches(ROWS_OF_A_BATCH, row_groups=[group], columns=[RECORD, SHA256])
        at = 0
        for batch in batches:
            for record, digest in zip(batch[RECORD], batch[SHA256], strict=True):
                at += 1
                if not record.is_valid or not (chosen is None or chosen[own + at - 1]):
                    continue
                where, line = f"{part}, row {first + at}", record.as_py()
                size += len(line)
                if len(line) > LONGEST_RECORD:
                    raise ResultsError(f"{where}: this record is too long", got=f"{len(line):,}")
                check_growth(str(part), size, of_part)
                if sha256(line.encode()).hexdigest() != digest.as_py():
                    raise ResultsError(
                        f"{where}: this record is not as it was written",
                        remedy="run the test again, or copy the file again",
                    )
                yield where, line

    def __iter__(self) -> Iterator[AssociationResult]:
        return self.records()

    def records(self, chosen: np.ndarray[Any, Any] | None = None) -> Iterator[AssociationResult]:
        """Records one after the other; `chosen` says for each row whether it is."""
        run = self.run
        for where, line in self.lines(chosen):
            record = record_of_line(where, line.encode())
            if isinstance(record, ResultsError):
                raise record
            if not is_result(record):
                raise ResultsError(f"{where}: this is not a result")
            yield in_run(record, run) if run else record

    def read(self, where: str | Iterable[str] = (), *, most: int | None = MOST_READ) -> Results:
        """Read the records of results into memory.

        Parameters
        ----------
        where : str or list of str, optional
            Conditions, as in :meth:`to_frame`.
        most : int or None, default 10000
            Refuse more results than this; None reads any number.

        Returns
        -------
        Results
            Its findings are adjusted over the results that were read.

        Raises
        ------
        ResultsError
            If there are more results, no such column, or a record is damaged.
        """
        chosen = self.choose(where)
        count = len(self) if chosen is None else int(chosen.sum())
        if most is not None and count > most:
            raise ResultsError(
                f"{self.path}: the store holds too many results to read them all",
                got=f"{count:,} results",
                allowed=f"at most {most:,}",
                remedy="select some, such as where='test=weat-6'; use to_frame; or allow more "
                "with most=None",
            )
        return Results(self.records(chosen))

    def choose(self, where: str | Iterable[str]) -> np.ndarray[Any, Any] | None:
        """For each row whether it has the record of a result that meets conditions; None: all."""
        if not where:
            return None
        frame, holds = self._rows([IDENTITY], where)
        firsts = frame[IDENTITY].notna().to_numpy()
        of_result = np.cumsum(firsts) - 1
        any_row = np.zeros(int(firsts.sum()), dtype=bool)
        np.logical_or.at(any_row, of_result[holds], True)  # noqa: FBT003
        chosen = np.zeros(len(frame), dtype=bool)
        chosen[np.flatnonzero(firsts)[any_row]] = True
        return chosen


def _adjust(frame: pd.DataFrame, suffix: str, settings: np.ndarray[Any, Any]) -> None:
    """Put verdicts and p-values in a frame that are adjusted over the tests of each setting."""
    p_these = frame[f"{P_THESE}{suffix}"].to_numpy(float)
    has = f"p_claim{suffix}" in frame
    p_claim = frame[f"p_claim{suffix}"].to_numpy(float) if has else np.full(len(frame), np.nan)
    these, claims = holm_by_group(p_these, settings), holm_by_group(p_claim, settings)
    alpha = frame[ALPHA].to_numpy(float)
    found = np.select([~(these <= alpha), claims <= alpha], [2, 0], 1)
    adjusted = ~np.isnan(p_these)
    verdicts = frame[f"verdict{suffix}"].to_numpy(dtype=object, copy=True)
    verdicts[adjusted] = np.array(VERDICTS, dtype=object)[found[adjusted]]
    frame[f"verdict{suffix}"] = verdicts
    if has:
        frame[f"p_claim{suffix}"] = np.where(adjusted, claims, p_claim)


@contextmanager
def _faults(path: Path) -> Iterator[None]:
    """Say what pyarrow or the system raise for a file as a ResultsError."""
    try:
        yield
    except ResultsError:
        raise
    except EatlasError as error:
        raise ResultsError(error.what, got=error.got, remedy=error.remedy) from error
    except Exception as error:  # a damaged file makes pyarrow raise whatever it likes
        got = str(error).split("\n", 1)[0] or type(error).__name__
        what = f"{path}: the file is damaged, or of a kind that cannot be read"
        raise ResultsError(what, got=got) from error
