"""Sources made of others: words in a prompt, a year of a series, a text as the mean of words."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import numpy as np

from eatlas.errors import SourceError
from eatlas.notes import Note, as_notes
from eatlas.paths import is_there
from eatlas.results.parts import Encoding
from eatlas.sources.coverage import spellings
from eatlas.sources.interface import (
    Answers,
    ContextualSource,
    Found,
    Item,
    ListedSource,
    Vector,
    VectorSource,
)
from eatlas.sources.source import Source, Wrapper, as_source, forwarded, is_contextual
from eatlas.sources.spec import FileSpec, check_options, with_option

PROMPT = "prompt"
HERE = "{}"
"""Place for the word in a prompt; templates of sentences call it {term}."""
UNESCAPED = "/ {}.,:;!'\"()*-"
"""Characters of a prompt that a source string holds as they are."""


class PromptedSource(Wrapper):
    """A source whose words are put into a prompt before they are encoded."""

    prompt: str

    def __init__(self, source: VectorSource, prompt: str) -> None:
        if isinstance(source, PromptedSource):
            raise SourceError(
                f"{source.name}: words are put into two prompts",
                got=f"{source.prompt!r} and {prompt!r}",
                remedy=f"leave one out: the option ?{PROMPT}= or --prompt",
            )
        super().__init__(source)
        self.prompt = prompt
        self._template = _template(prompt)

    @property
    def name(self) -> str:
        """That of the source, with the prompt as an option."""
        return with_option(self.source.name, f"{PROMPT}={quote(self.prompt, safe=UNESCAPED)}")

    @property
    def fingerprint(self) -> str:
        """That of the source, and the prompt."""
        return f"{self.source.fingerprint};{PROMPT}={self.prompt}"

    @property
    def encoding(self) -> Encoding:
        """That of the source, with the prompt."""
        encoding = cast("ContextualSource", self.source).encoding
        # a prefix of the source's own precedes all of it
        said = encoding.prompt.replace(HERE, self.prompt) if encoding.prompt else self.prompt
        return encoding.model_copy(update={"prompt": said})

    def vectors(self, items: Collection[Item]) -> Iterator[Answers]:
        """Encode words in the prompt; images as they are."""
        plain_of: dict[Item, list[Item]] = {}
        for one, prompted_item in self.in_prompt(items).items():
            plain_of.setdefault(prompted_item, []).append(one)
        for batch in self.source.vectors(plain_of.keys()):
            yield {one: found for put, found in batch.items() for one in plain_of[put]}

    def in_prompt(self, items: Collection[Item]) -> Mapping[Item, Item]:
        """Return each item with the one that is encoded for it."""
        from eatlas.stimuli.sentences import (  # noqa: PLC0415
            PLACE,
            built_in,
            fill,
            forms_of,
        )

        words = [one for one in items if one.kind == "text"]
        for one in words:
            if one.stimulus != one.text:
                raise SourceError(
                    f"{self.name}: a prompt is for tests of words",
                    got=f"the sentence {one.text!r}",
                    remedy="leave the prompt out, or take the test of the words that these "
                    "sentences are made of",
                )
        forms = {}
        if set(PLACE.findall(self._template)) != {"term"}:
            known = built_in().forms
            forms = {**known, **forms_of(one.text for one in words if one.text not in known)}
        return {one: one for one in items} | {
            one: Item(*fill(self._template, one.text, forms.get(one.text))) for one in words
        }


def prompted(source: VectorSource, prompt: str) -> PromptedSource:
    """Put the words that a source encodes into a prompt."""
    if not is_contextual(source):
        raise SourceError(
            f"{source.name}: a prompt changes nothing here, as words are looked up one by one",
            got=f"the prompt {prompt!r}",
            allowed="prompts for sources that encode text, such as hf:",
            remedy="leave the prompt out for these vectors",
        )
    return PromptedSource(source, prompt)


def _template(prompt: str) -> str:
    """Return a prompt as a template of sentences, with one place."""
    from eatlas.stimuli.sentences import PLACE, fault_of  # noqa: PLC0415

    template = prompt.replace(HERE, "{term}")
    fault = fault_of(template)
    places = PLACE.findall(template)
    if fault is not None or len(places) != 1:
        raise SourceError(
            "the prompt has no place for the word" if not places else "the prompt cannot be used",
            got=repr(prompt),
            allowed="one place, {}, as in 'This is {}'; or a form of the word, as in "
            "'This is {a term}' and 'These are {terms}'",
        )
    return template


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
    """Whether a folder holds vectors by year."""
    return is_there(path) and path.is_dir() and bool(_files(path))


def open_series(spec: FileSpec, name: str) -> tuple[PeriodSource, ...]:
    """Open every period of a series, in the order of years."""
    check_options(spec.options, _PERIODS, str(spec.path))
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
    return tuple(PeriodSource(name, year, _open_period(path)) for year, path in taken.items())


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


def _open_period(path: Path) -> ListedSource:
    from eatlas.sources.files.arrays import array_with_words  # noqa: PLC0415  (few are series)
    from eatlas.sources.files.formats import open_file  # noqa: PLC0415

    if HISTWORDS.fullmatch(path.name):
        return array_with_words(path, path.name.replace("-w.npy", "-vocab.pkl"), str(path))
    return open_file(path)


def _year(text: str, key: str, folder: Path) -> int:
    if re.fullmatch(r"\d{1,4}", text):
        return int(text)
    raise SourceError(
        f"{folder}: the option {key} is not a year",
        got=f"{key}={text}",
        allowed="a year such as 1990",
    )


CBOW = "cbow:"
_WORD = re.compile(r"[^\W_]+(?:['\u2019.-][^\W_]+)*")
"""Letters and digits, with apostrophes, hyphens and full stops inside; punctuation is left out."""
_PART = re.compile(r"(?=['\u2019])|-")
"""Where a word is cut that has no vector of its own: person's into person and 's."""
_SHOWN = 10


class CBOWSource(Source):
    """Sentences encoded as the mean of their words' vectors (May et al. 2019, section 4)."""

    def __init__(self, words: VectorSource) -> None:
        self.words = words
        self._unknown: set[str] = set()

    @property
    def name(self) -> str:
        """``cbow:`` and the name of the vectors of words."""
        return f"{CBOW}{self.words.name}"

    dim = forwarded("words", "dim")

    @property
    def fingerprint(self) -> str:
        """That of the vectors of words, marked as their mean."""
        return f"{CBOW}{self.words.fingerprint}"

    @property
    def notes(self) -> tuple[Note, ...]:
        """Words without a vector, so far."""
        notes = as_notes(self.words.notes)
        if not self._unknown:
            return notes
        values = {"words": sorted(self._unknown), "most": _SHOWN}
        return (*notes, Note("coverage.words-left-out", values=values))

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


def open_cbow(words: VectorSource) -> CBOWSource:
    """Take the mean of words' vectors for texts."""
    if isinstance(words, CBOWSource):
        raise SourceError(
            "the mean of words is taken twice", got=words.name, remedy=f"leave out one {CBOW}"
        )
    return CBOWSource(words)
