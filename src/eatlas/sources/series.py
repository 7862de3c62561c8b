"""Folders of vectors by year, such as HistWords: one source for each period, under one name."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from eatlas.errors import SourceError
from eatlas.sources.protocol import ListedSource
from eatlas.sources.source import Wrapper, as_source
from eatlas.sources.spec import FileSpec, check_options, is_there

HISTWORDS = re.compile(r"(?P<year>\d{4})-w\.npy")
"""Vectors of a decade as HistWords stores them, beside YEAR-vocab.pkl."""
BY_YEAR = re.compile(r"(?P<year>\d{4})\.(?!npy$)[a-z0-9.]+", re.IGNORECASE)
"""Any other file of vectors that is called by its year, such as 1990.txt.gz or 1990.bin."""
OPTIONS = {
    "from": "first year that is taken",
    "to": "last year that is taken",
    "period": "the one year that is taken",
}


class PeriodSource(Wrapper):
    """One period of a series: the vectors of a file, the name of the series, the year."""

    def __init__(self, name: str, period: int, source: ListedSource) -> None:
        super().__init__(source)
        self._name, self._period = name, period

    @property
    def name(self) -> str:
        """Name of the series; the same for all periods."""
        return self._name

    @property
    def period(self) -> int:
        """The year."""
        return self._period


def is_series(path: Path) -> bool:
    """Whether a folder holds vectors by year.

    Examples
    --------
    >>> is_series(Path("no such folder"))
    False
    """
    return is_there(path) and path.is_dir() and bool(_files(path))


def open_series(spec: FileSpec, name: str) -> tuple[PeriodSource, ...]:
    """Open every period of a series, in the order of years.

    Parameters
    ----------
    spec : FileSpec
        The folder, and which years are taken: ``from``, ``to`` or ``period``.
    name : str
        What names the series in results; the same for all periods.

    Raises
    ------
    SourceError
        If an option is unknown or no year, no period is left, or a file is damaged.
    """
    check_options(spec.options, OPTIONS, str(spec.path))
    years = {key: _year(value, key, spec.path) for key, value in spec.options.items()}
    first = years.get("period", years.get("from", 0))
    last = years.get("period", years.get("to", 9999))
    files = _files(spec.path)
    taken = {year: path for year, path in sorted(files.items()) if first <= year <= last}
    if not taken:
        raise SourceError(
            f"{spec.path}: the series has no such period",
            got="&".join(f"{key}={value}" for key, value in spec.options.items()),
            allowed=", ".join(str(year) for year in sorted(files)),
        )
    return tuple(PeriodSource(name, year, _open(path)) for year, path in taken.items())


def period_of(source: Any) -> int | None:
    """Year of a source that belongs to a series."""
    return as_source(source).period


def _files(folder: Path) -> dict[int, Path]:
    """Files of vectors by year."""
    names = sorted(path for path in folder.iterdir() if path.is_file())
    histwords = {int(m["year"]): p for p in names if (m := HISTWORDS.fullmatch(p.name))}
    if histwords:
        return histwords
    found: dict[int, Path] = {}
    for path in names:
        match = BY_YEAR.fullmatch(path.name)
        if match is None:
            continue
        year = int(match["year"])
        if year in found:
            raise SourceError(
                f"{folder}: two files for one year",
                got=f"{found[year].name}, {path.name}",
                allowed="one file of vectors for each year",
                remedy="move one of them out of the folder",
            )
        found[year] = path
    return found


def _open(path: Path) -> ListedSource:
    from eatlas.sources.files.arrays import array_with_words  # noqa: PLC0415  (few are series)
    from eatlas.sources.files.formats import open_file  # noqa: PLC0415

    if HISTWORDS.fullmatch(path.name):
        return array_with_words(path, path.name.replace("-w.npy", "-vocab.pkl"), str(path))
    return open_file(path)


def _year(text: str, key: str, folder: Path) -> int:
    if re.fullmatch(r"\d{1,4}", text):
        return int(text)
    raise SourceError(
        f"{folder}: the option {key} is no year", got=f"{key}={text}", allowed="a year such as 1990"
    )
