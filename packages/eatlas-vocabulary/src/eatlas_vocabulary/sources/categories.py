"""Categories of words in a file: CSV, or a dictionary of content analysis."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from eatlas.errors import SourceError, described, listing
from eatlas.sources.tables import rows_by_column, table_cells
from eatlas.stimuli import Concept
from eatlas_vocabulary.stimuli.dictionaries import read_liwc, read_quanteda

Categories = dict[str, list[str]]
_DICTIONARIES = {".dic": read_liwc, ".yml": read_quanteda, ".yaml": read_quanteda}


def read_categories(themes: Any) -> tuple[Categories, str]:
    """Words by category, and the name of the file that has them.

    Of a CSV file with the columns ``theme`` and ``word``, a row for each word; a dictionary of LIWC
    (``.dic``) or quanteda (``.yml``); or lists of words by name.
    """
    if isinstance(themes, str | Path):
        path = Path(themes)
        read = _DICTIONARIES.get(path.suffix.lower())
        if read:
            return read(path).lists, path.name
        categories: Categories = {}
        for theme, word in _rows(path, "theme", "word"):
            categories.setdefault(theme, [])
            categories[theme] += [word] if word else []
        file = path.name
    elif isinstance(themes, Mapping):
        concepts = [Concept(name=str(name), terms=words) for name, words in themes.items()]
        categories, file = {concept.name: [*concept.terms] for concept in concepts}, ""
    else:
        raise SourceError(
            "this is not a set of themes",
            got=described(themes),
            allowed="a number of themes; a CSV file with the columns theme and word; or lists of "
            'words by name, {"Sports": ["game", ...], ...}',
        )
    if empty := [name for name, words in categories.items() if not words]:
        raise SourceError(
            f"{file or 'themes'}: categories without a word: {listing(empty)}",
            allowed="at least one word in each category",
        )
    if not categories:
        raise SourceError(
            f"{file or 'themes'}: there are no categories", allowed="a row for each word of a theme"
        )
    return {name: list(dict.fromkeys(words)) for name, words in categories.items()}, file


def from_a_scan(given: Any) -> bool:
    """Whether a file of categories has the differences of its words, as a scan writes them."""
    if not isinstance(given, str | Path) or Path(given).suffix.lower() in _DICTIONARIES:
        return False
    header = table_cells(Path(given), "themes", "CSV")[0]
    return "difference" in [name.strip().lower() for name in header]


def read_names(names: Any) -> Mapping[str, str]:
    """What a user calls themes, by the names that they would have."""
    if names is None:
        return {}
    if not isinstance(names, Mapping | str | Path):
        raise SourceError(
            "this is not a set of names of themes",
            got=described(names),
            allowed='a CSV file with the columns theme and name, or {"theme": "name", ...}',
        )
    pairs = names.items() if isinstance(names, Mapping) else _rows(Path(names), "theme", "name")
    renamed: dict[str, str] = {}
    for theme, name in ((theme, str(name).strip()) for theme, name in pairs):
        if name and name != theme and renamed.setdefault(theme, name) != name:
            raise SourceError(
                f"{theme!r} has two names",
                got=f"{renamed[theme]!r} and {name!r}",
                allowed="one name for each theme",
            )
    return renamed


def _rows(path: Path, *columns: str) -> Iterator[tuple[str, ...]]:
    """Some columns of a table, by the names in its first row; the first has a cell in each row."""
    form = f"CSV with the columns {' and '.join(columns)}"
    for place, row in rows_by_column(path, "themes", form, columns):
        if not row[columns[0]]:
            raise SourceError(f"{place}: there is no {columns[0]}", allowed=form)
        yield tuple(row[name] for name in columns)
