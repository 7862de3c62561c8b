"""Numbers of words that may differ between groups: norms such as valence, concreteness, length."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeAlias

from eatlas.csv_cells import MISSING, NUMBER, unescape_cell
from eatlas.decoding import LARGEST
from eatlas.errors import SourceError, described, did_you_mean, listing
from eatlas.paths import find_original
from eatlas.results.parts import CovariatesOrigin
from eatlas.sources.coverage import CaseRule, spellings
from eatlas.sources.frames import by_word, cells_of, is_frame
from eatlas.sources.spec import check_options, parse_file_spec
from eatlas.sources.tables import full_rows, table_cells
from eatlas.stimuli import Test

if TYPE_CHECKING:
    from narwhals.typing import IntoFrame

FREQUENCY = "frequency"
"""Name of the covariate that a source itself knows."""
COLUMNS = "columns"
"""Option of a file: the columns that are taken, with commas between them."""
FORM = "CSV or TSV in UTF-8 with a header; words in the first column, numbers in the others"
REMEDY = (
    "name the file: eatlas verify RESULTS --covariates FILE; in Python, verify(..., covariates=...)"
)

CovariatesLike: TypeAlias = (
    "str | Path | Mapping[str, float] | Mapping[str, Mapping[str, float]] | IntoFrame | "
    "WordCovariates"
)
"""A file; numbers by word, of one covariate or of several by name; or a frame."""
Row = tuple[str, Any, Sequence[Any]]
"""Where a row is, the word, and a cell for each covariate."""


@dataclass(frozen=True)
class WordCovariates:
    """Covariates by word."""

    names: tuple[str, ...]
    values: Mapping[str, tuple[float, ...]]
    """By word as it is written, one number for each name; NaN where it is missing."""
    file: str = ""
    """Name of the file; empty of what was handed over in Python."""
    sha256: str = ""
    """Of the names, and of all words with their numbers."""

    @classmethod
    def of(cls, names: Sequence[str], rows: Iterable[Row], label: str, file: str = "") -> Self:
        """Take the rows of a table, `label` being what it is called in errors."""
        _require_names(names, label)
        values: dict[str, tuple[float, ...]] = {}
        places: dict[str, str] = {}
        for place, word, cells in rows:
            if not isinstance(word, str) or not word:
                raise SourceError(f"{place}: there is no word", got=repr(word), allowed=FORM)
            pairs = zip(names, cells, strict=True)
            numbers = tuple(_number(cell, f"{place}, column {name}") for name, cell in pairs)
            first = values.get(word)
            if first is None:
                values[word], places[word] = numbers, place
            elif repr(first) != repr(numbers):  # NaN is not equal to itself
                raise SourceError(
                    f"{place}: the word {word!r} has different numbers from before",
                    got=f"{_numbers_in_words(numbers)}; {places[word]}: {_numbers_in_words(first)}",
                    allowed="each word once, or always with the same numbers",
                )
        if not values:
            raise SourceError(f"{label}: the file has no words with covariates", allowed=FORM)
        for name, column in zip(names, zip(*values.values(), strict=True), strict=True):
            different = {number for number in column if not math.isnan(number)}
            if len(different) < 2:
                raise SourceError(
                    f"{label}, column {name}: a covariate must differ between words",
                    got=f"{different.pop():g} for all of them" if different else "no number",
                    remedy="remove the column",
                )
        table = [
            [word, *(None if math.isnan(number) else number for number in values[word])]
            for word in sorted(values)
        ]
        content = json.dumps([list(names), table], ensure_ascii=False)
        return cls(tuple(names), values, file, hashlib.sha256(content.encode()).hexdigest())

    @property
    def origin(self) -> CovariatesOrigin:
        """What provenance says of them."""
        return CovariatesOrigin(file=self.file, sha256=self.sha256, names=self.names)

    def of_word(self, word: str, case: CaseRule, language: str = "") -> tuple[float, ...] | None:
        """The covariates of a word, in the first spelling that is listed."""
        keys = spellings(word, case, language)
        return next((self.values[key] for key in keys if key in self.values), None)

    def of_tests(self, tests: Iterable[Test], case: CaseRule) -> Self:
        """Only the covariates of words of some tests, to pass to other processes."""
        terms = dict.fromkeys(
            (term, test.language)
            for test in tests
            for _, part in test.parts
            for term in part.stimulus_of.values() or part.terms
        )
        keys = {key for term, language in terms for key in spellings(term, case, language)}
        values = {word: numbers for word, numbers in self.values.items() if word in keys}
        words = [term for term, _ in terms]
        if not values:
            raise SourceError(
                f"{self.file or 'covariates'}: none of the words of the tests has covariates",
                got=f"{listing(self.values, 5)}; the tests have {listing(words, 5)}",
                allowed="words as the tests write them"
                + ("" if case == "exact" else ", in capitals or not"),
            )
        return replace(self, values=values)


def word_covariates(given: CovariatesLike) -> WordCovariates:
    """Read covariates from a file, a mapping or a frame."""
    if isinstance(given, WordCovariates):
        return given
    if isinstance(given, str | Path):
        spec = parse_file_spec(str(given))
        check_options(spec.options, (COLUMNS,), str(given))
        chosen = spec.options.get(COLUMNS)
        return _of_file(spec.path, None if chosen is None else tuple(chosen.split(",")))
    if isinstance(given, Mapping):
        return _of_mapping(given)
    if is_frame(given, or_series=True):
        return _of_frame(given)
    raise SourceError(
        "these are not covariates of words",
        got=described(given),
        allowed='a CSV or TSV file; {"joy": 8.2, ...}; {"valence": {"joy": 8.2, ...}, ...}; or a '
        "frame with a column of words",
    )


def _of_file(path: Path, chosen: Sequence[str] | None) -> WordCovariates:
    """Read a file, or some columns of it."""
    head, *lines = table_cells(path, "covariates", FORM) or [[]]
    header = [cell.strip() for cell in head]
    columns = list(range(1, len(header)))
    if chosen is not None:
        wanted = [name.strip() for name in chosen]
        if strange := [name for name in wanted if name not in header[1:]]:
            raise SourceError(
                f"{path}: there is no column {strange[0]}{did_you_mean(strange[0], header[1:])}",
                allowed=listing(header[1:]),
            )
        columns = [header.index(name, 1) for name in wanted]
    rows = (
        (place, unescape_cell(cells[0].strip()), [cells[i] for i in columns])
        for place, cells in full_rows(lines, len(header), f"{path}, line", 2)
    )
    return WordCovariates.of([header[i] for i in columns], rows, str(path), path.name)


def _of_mapping(numbers: Mapping[str, Any]) -> WordCovariates:
    """Take numbers by word, or such mappings by the name of a covariate."""
    nested = {name: column for name, column in numbers.items() if hasattr(column, "items")}
    if not nested:
        nested = {"covariate": numbers}
    elif len(nested) < len(numbers):
        name = next(name for name in numbers if name not in nested)
        raise SourceError(
            f"covariates: {name!r} has no numbers by word",
            got=described(numbers[name]),
            allowed='{"joy": 8.2, ...}, or {"valence": {"joy": 8.2, ...}, ...}',
        )
    of_words = [dict(column.items()) for column in nested.values()]
    words = dict.fromkeys(word for column in of_words for word in column)
    rows = ((f"covariates, {word!r}", word, [c.get(word) for c in of_words]) for word in words)
    return WordCovariates.of([str(name) for name in nested], rows, "covariates")


def _of_frame(frame: Any) -> WordCovariates:
    """Take a frame: words in a column of text or in pandas' index."""
    words, table, _ = by_word(frame)
    columns = [cells_of(column) for column in table.iter_columns()]
    of_rows = zip(*columns, strict=True) if columns else [()] * len(words)
    rows = (
        (f"frame, row {i}", word, row)
        for i, (word, row) in enumerate(zip(words, of_rows, strict=True), start=1)
    )
    return WordCovariates.of(table.columns, rows, "frame")


def _require_names(names: Sequence[str], label: str) -> None:
    """Refuse columns that are none, have no name, or have one twice."""
    if not names:
        raise SourceError(f"{label}: the table has no column of numbers", allowed=FORM)
    for i, name in enumerate(names):
        if not name.strip() or name in names[:i]:
            raise SourceError(
                f"{label}: every column of numbers needs a unique name",
                got="an empty name" if not name.strip() else f"{name} twice",
            )
        if name.strip().casefold() == FREQUENCY:
            raise SourceError(
                f"{label}: the column name {name!r} is reserved for the ranks of the source",
                got=listing(names),
                allowed="any other name; the ranks of the words in the source are used as they are",
                remedy="leave it out; or rename it, such as to log_count, to have both",
            )


def _number(cell: Any, place: str) -> float:
    """A number; NaN where it is missing."""
    text = cell.strip() if isinstance(cell, str) else cell
    if text is None or text == "" or (isinstance(text, str) and text in MISSING):
        return math.nan
    try:
        number = float(text) if not isinstance(text, str) or NUMBER.fullmatch(text) else math.inf
    except (TypeError, ValueError, OverflowError):
        number = math.inf
    if abs(number) > LARGEST:
        raise SourceError(
            f"{place}: this is not a number",
            got=repr(cell)[:80],
            allowed="a number with a decimal point; nothing, NA or NaN where it is missing",
            remedy=f"choose only columns of numbers: FILE.csv?{COLUMNS}=NAME,NAME",
        )
    return number


def _numbers_in_words(numbers: Sequence[float]) -> str:
    return ", ".join("nothing" if math.isnan(number) else f"{number:g}" for number in numbers)


class CovariatesAtHand:
    """Covariates that are known, and folders in which files of others may be."""

    def __init__(self, given: Any = None, folders: Iterable[Path] = ()) -> None:
        several = given if isinstance(given, list | tuple) else () if given is None else (given,)
        self._known = [
            parse_file_spec(str(each)).path
            if isinstance(each, str | Path)
            else word_covariates(each)
            for each in several
        ]
        self._folders = tuple(dict.fromkeys(folders))
        self._load = cache(_of_file)

    def find(self, origin: CovariatesOrigin) -> WordCovariates:
        """Return the covariates that a result was given."""

        def match_by_hash(covariates: WordCovariates, path: Path | None) -> WordCovariates | str:
            if covariates.sha256 == origin.sha256:
                return replace(covariates, file=origin.file)
            name = path or covariates.file or "what was handed over"
            return f"{name} has others, SHA-256 {covariates.sha256[:12]}..."

        def load(path: Path) -> WordCovariates:
            return self._load(path, origin.names)

        others = find_original(origin.file, self._known, self._folders, load, match_by_hash)
        if not isinstance(others, list):
            return others
        name = origin.file or "handed over in Python"
        raise SourceError(
            f"the result does not contain its covariates ({name}: {listing(origin.names)}; SHA-256 "
            f"{origin.sha256[:12]}...), and "
            + ("; ".join(others) or "their file is neither next to it nor in the working folder"),
            remedy=REMEDY,
        )
