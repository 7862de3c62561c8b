"""Sources made of others: a year of a series, a text as the mean of its words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

import numpy as np

from eatlas.errors import SourceError
from eatlas.notes import Note
from eatlas.paths import is_there
from eatlas.sources.coverage import spellings
from eatlas.sources.interface import Answers, Found, Item, Vector
from eatlas.sources.source import Source, Wrapper, forwarded
from eatlas.sources.spec import FileSpec, check_options

HISTWORDS = re.compile(r"(?P<year>\d{4})-w\.npy")
"""Vectors of a decade as HistWords stores them, beside YEAR-vocab.pkl."""
BY_YEAR = re.compile(r"(?P<year>\d{4})\.(?!npy$)[a-z0-9.]+", re.IGNORECASE)
"""Any other file of vectors that is called by its year, such as 1990.txt.gz or 1990.bin."""
_PERIODS = {
    "from": "first year that is taken",
    "to": "last year that is taken",
    "period": "the one year that is taken",
}


class PeriodSource(Wrapper):
    """One period of a series: the vectors of a file, the name of the series, the year."""

    def __init__(self, name: str, period: int, source: Source) -> None:
        super().__init__(source)
        self._name, self._period = name, period

    name = forwarded("_name")
    period = forwarded("_period")


def is_series(path: Path) -> bool:
    """Whether a folder holds vectors by year."""
    return is_there(path) and path.is_dir() and bool(_files(path))


def open_series(spec: FileSpec, name: str) -> tuple[PeriodSource, ...]:
    """Open every period of a series, in the order of years."""
    from eatlas.sources.files.arrays import array_with_words  # noqa: PLC0415  (few are series)
    from eatlas.sources.files.formats import open_file  # noqa: PLC0415

    check_options(spec.options, _PERIODS, str(spec.path))
    for key, value in spec.options.items():
        if not re.fullmatch(r"\d{1,4}", value):
            raise SourceError(
                f"{spec.path}: the option {key} is not a year",
                got=f"{key}={value}",
                allowed="a year such as 1990",
            )
    years = {key: int(value) for key, value in spec.options.items()}
    first = years.get("period", years.get("from", 0))
    last = years.get("period", years.get("to", 9999))
    files = sorted(_files(spec.path))
    sources = []
    for year, path in files:
        if first <= year <= last:
            words = path.name.replace("-w.npy", "-vocab.pkl")
            of_array = HISTWORDS.fullmatch(path.name)
            source = array_with_words(path, words, str(path)) if of_array else open_file(path)
            sources.append(PeriodSource(name, year, source))
    if not sources:
        raise SourceError(
            f"{spec.path}: the series has no such period",
            got="&".join(f"{key}={value}" for key, value in spec.options.items()),
            allowed=", ".join(str(year) for year, _ in files),
        )
    return tuple(sources)


def _files(folder: Path) -> list[tuple[int, Path]]:
    """Files of vectors with their years: those of HistWords, or else all that a year names."""
    names = sorted(path for path in folder.iterdir() if path.is_file())
    for pattern in (HISTWORDS, BY_YEAR):
        files = [(int(m["year"]), path) for path in names if (m := pattern.fullmatch(path.name))]
        years = [year for year, _ in files]
        if twice := [path.name for year, path in files if years.count(year) > 1]:
            raise SourceError(
                f"{folder}: two files for one year",
                got=", ".join(twice[:2]),
                allowed="one file of vectors for each year",
                remedy="move one of them out of the folder",
            )
        if files:
            return files
    return []


CBOW = "cbow:"
_WORD = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*")
"""Letters and digits, with apostrophes, hyphens and full stops inside; punctuation is left out."""
_PART = re.compile(r"(?=['\u2019])|-")
"""Where a word is cut that has no vector of its own: person's into person and 's."""
_SHOWN = 10


class CBOWSource(Source):
    """Sentences encoded as the mean of their words' vectors (May et al. 2019, section 4)."""

    def __init__(self, words: Source) -> None:
        self.words = words
        self._unknown: set[str] = set()

    @property
    def name(self) -> str:
        """``cbow:`` and the name of the vectors of words."""
        return f"{CBOW}{self.words.name}"

    dim = forwarded("words.dim")

    @property
    def fingerprint(self) -> str:
        """That of the vectors of words, marked as their mean."""
        return f"{CBOW}{self.words.fingerprint}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Words without a vector, so far."""
        if not self._unknown:
            return self.words.notes
        values = {"words": sorted(self._unknown), "most": _SHOWN}
        return (*self.words.notes, Note("coverage.words-left-out", values=values))

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Mean of the words' vectors, float64; a text none of whose words has one is missing."""
        split = {one: _WORD.findall(one.content) for one in items}
        tokens = {token for words in split.values() for token in words}
        pieces = {token: (token, *filter(None, _PART.split(token))) for token in tokens}
        wanted = {s for many in pieces.values() for p in many for s in spellings(p, "auto")}
        found = self.words.lookup(wanted)

        @cache
        def of_word(token: str) -> list[Vector]:
            """Of the word, or else of its parts."""
            whole, *parts = (
                [found[key] for key in spellings(p, "auto") if key in found][:1]
                for p in pieces[token]
            )
            hits = whole or [vector for part in parts for vector in part]
            if not hits:
                self._unknown.add(token.lower())
            return hits

        yield {
            one: Found(np.mean(rows, axis=0, dtype=np.float64))
            for one, words in split.items()
            if (rows := [vector for token in words for vector in of_word(token)])
        }


def open_cbow(words: Source) -> CBOWSource:
    """Take the mean of words' vectors for texts."""
    if isinstance(words, CBOWSource):
        raise SourceError(
            "the mean of words is taken twice", got=words.name, remedy=f"leave out one {CBOW}"
        )
    return CBOWSource(words)
