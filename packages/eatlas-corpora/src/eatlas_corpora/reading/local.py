"""Contexts of terms in subcorpora, added up: *a la carte* vectors before transformation.

The context of an occurrence is the mean vector of the words near it (Khodak et al. 2018). Of each
term there is a sum in each part of the corpus, and in each block of its documents, which is all
that any resample of documents needs. Contexts of a block are kept apart by tiers, each a random
half of what the tiers before it leave, so that a random few of many contexts can be taken later.
"""

from __future__ import annotations

import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.packing import pack, unpack
from eatlas.stimuli.languages import capital, upper
from eatlas_corpora import reading
from eatlas_corpora.reading.files import SIZE, Account, Batch, Part, Values, read_documents
from eatlas_corpora.reading.matching import Matcher, MatchRule, character_table
from eatlas_corpora.sources.parts import MOST_BLOCKS, TIERS

GROUPS = 16
"""Groups of files at least, where there are so many; and those that a transformation is learned
from at most."""
FILE = "file"
"""Replaces the name of a field to select the name of the file."""
MOST_PLACES = 1 << 20
"""Words of a document within which occurrences are distinguished."""
LACKING, NO_UNIT = "without the field", "without the field of the unit"
OUTSIDE = "outside all bins"
OWN = -1
"""What stands for a unit of its own, of a document without the field of the unit."""
NO_YEAR = "with a field that is not a year"
_GOLDEN = 0x9E3779B97F4A7C15
_MIXING = (30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)
_YEAR = re.compile(r"-?\d{1,4}(?=$|[-/T. ])")


def year_of(value: str) -> int | None:
    """The year that a value is, or begins with as a date; None where it does not.

    >>> year_of("1989"), year_of("1989-07-14"), year_of("14 July"), year_of("19890714")
    (1989, 1989, None, None)
    """
    match = _YEAR.match(value)
    return int(match[0]) if match and (match.end() == len(value) or match.end() >= 4) else None


@dataclass(frozen=True)
class Parting:
    """How documents form subcorpora, and these form units for resampling."""

    by: str
    """Field whose values name the parts, or FILE."""
    bins: tuple[tuple[int, int], ...] = ()
    """First and last years of the parts; empty where each value is a part."""
    unit: str | None = ""
    """Field whose values name the units, such as speakers; empty for documents; None while it is
    not known."""
    covariates: tuple[str, ...] = ()
    """Fields whose values together, as a list in JSON, name the parts in place of `by`; each unit
    of such a part is a block."""
    unit_found: bool = False
    """Whether it was found because its values repeat: a document without it is then a unit by
    itself, and is left out otherwise."""
    occurrences: bool = False
    """Whether each occurrence of a term has a sum of its own, in place of a tier."""
    length: int = 0
    """Years of each part, such as ten; 0 if `bins` or each value are the parts."""

    @property
    def naming_fields(self) -> tuple[str, ...]:
        """Fields whose values name the parts."""
        return self.covariates or (self.by,)

    @property
    def columns(self) -> int:
        """Most sums of a term in a block: tiers, or places of occurrences in a document."""
        return MOST_PLACES if self.occurrences else TIERS

    @property
    def blocks(self) -> int:
        """Most blocks of a part."""
        return sys.maxsize if self.covariates else MOST_BLOCKS

    def part_of(self, values: Sequence[str | None]) -> tuple[str, str]:
        """The part that a document with such values is in; or nothing, and why."""
        if self.covariates:
            lacking = [name for name, v in zip(self.covariates, values, strict=True) if v is None]
            why = f"without {', '.join(lacking)}" if lacking else ""
            return json.dumps(values, ensure_ascii=False), why
        if None in values:
            return "", LACKING
        value = values[0] or ""
        if not (self.bins or self.length):
            return value, ""
        year = year_of(value)
        if year is None:
            return "", NO_YEAR
        low, high = next((b for b in self.bins if b[0] <= year <= b[1]), (0, -1))
        if self.length:
            low = year - year % self.length
            high = low + self.length - 1
        return (f"{low}-{high}" if low != high else str(low), "") if low <= high else ("", OUTSIDE)


@dataclass(frozen=True)
class PartGroup:
    """Parts of files that one process reads together, so that small files cost little."""

    parts: tuple[Part, ...]
    learns: bool
    """Whether the transformation is learned from them."""

    @property
    def size(self) -> int:
        """Bytes of the files."""
        return sum(map(_size, self.parts))


def _size(part: Part) -> int:
    return (part.stamp.size if part.stop is None else part.stop) - part.start


def groups_of(parts: Sequence[Part]) -> list[PartGroup]:
    """Put neighbouring parts of files into groups of a like size."""
    least = min(SIZE, sum(map(_size, parts)) / GROUPS)
    groups: list[list[Part]] = [[]]
    size = 0
    for part in parts:
        if size >= least:
            groups.append([])
            size = 0
        groups[-1].append(part)
        size += _size(part)
    step = -(-len(groups) // GROUPS)
    return [PartGroup(tuple(group), number % step == 0) for number, group in enumerate(groups)]


@dataclass
class Sums:
    """What was found in some documents."""

    parts: list[str] = field(default_factory=list)
    units: list[list[str]] = field(default_factory=list)
    """Of each part the blocks: names of units, or numbers of documents from 0."""
    documents: list[int] = field(default_factory=list)
    """Documents of each part."""
    rows: NDArray[np.int32] = field(default_factory=lambda: np.empty((0, 4), np.int32))
    """Numbers of part, block, term and tier of each sum; or place of an occurrence."""
    sums: NDArray[Any] = field(default_factory=lambda: np.empty((0, 0)))
    counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    learned: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    """Words of the transformation that were found."""
    learned_sums: NDArray[Any] = field(default_factory=lambda: np.empty((0, 0)))
    learned_counts: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    words: int = 0
    known: int = 0
    """Words that have a vector, or are stop words."""
    texts: NDArray[np.uint64] = field(default_factory=lambda: np.empty(0, np.uint64))
    """Hash of the text of each document in a part."""
    left_out: Counter[str] = field(default_factory=Counter)
    """Documents in no part, by reason."""

    def to_bytes(self) -> bytes:
        """For a journal."""
        return pack({each.name: getattr(self, each.name) for each in fields(self)})

    @classmethod
    def from_bytes(cls, data: bytes) -> Sums:
        """The inverse of :meth:`to_bytes`."""
        values = unpack(data)
        return cls(**{**values, "left_out": Counter(values["left_out"])})


@dataclass(frozen=True)
class LocalSearch:
    """Adds up the contexts of terms in the documents of a part of a corpus."""

    terms: tuple[str, ...]
    rule: MatchRule
    parting: Parting
    words: tuple[str, ...]
    """Words that contexts are made of, each with a vector."""
    vectors: NDArray[np.float32]
    """Shape (words, d)."""
    stop_words: frozenset[str]
    """Words that are left out of contexts."""
    learned: int
    """Words that the transformation is learned from, the first ones; 0 where it is there."""
    most: float
    """Contexts of each of these, for a byte of the files that it is learned from."""
    window: int

    @cached_property
    def fields(self) -> tuple[str, ...]:
        """Fields of the rows of files that are read."""
        names = (*self.parting.naming_fields, self.parting.unit)
        return tuple(dict.fromkeys(name for name in names if name and name != FILE))

    @cached_property
    def _matcher(self) -> Matcher:
        return Matcher(self.terms, self.rule)

    @cached_property
    def _table(self) -> Any:
        """Where each spelling of a word is: as written, and with capitals where it has none."""
        kernels = reading.local_kernels
        spellings = {word: i for i, word in enumerate(self.words)}
        for change in (capital, upper):
            for i, word in enumerate(self.words):
                spellings.setdefault(change(word, self.rule.language), i)
        for word in self.stop_words:
            for spelling in {
                word,
                *(change(word, self.rule.language) for change in (capital, upper)),
            }:
                spellings[spelling] = kernels.STOP_WORD
        coded = [spelling.encode() for spelling in spellings]
        ends = np.cumsum([len(each) for each in coded], dtype=np.int64)
        hashes = kernels.hashes_of(np.frombuffer(b"".join(coded), np.uint8), ends)
        size = 1 << int(2 * len(coded)).bit_length()
        return kernels.table_of(hashes, np.fromiter(spellings.values(), np.int32), size)

    def __call__(self, group: PartGroup) -> tuple[Sums, list[Account]]:
        """Add up all contexts of a group of files, with an account of each."""
        kernels = reading.local_kernels
        d, number = self.vectors.shape[1], self.learned if group.learns else 0
        found, documents = Sums(), _Documents(self)
        most = max(1, round(self.most * group.size))
        row_of: dict[int, int] = {}
        sums, counts = np.zeros((0, d)), np.zeros(0, np.int64)
        learned_sums, learned_counts = np.zeros((number, d), np.float32), np.zeros(number, np.int64)
        accounts = [Account(part.label) for part in group.parts]
        texts = [found.texts]
        for batch, values in documents.read(group, accounts):
            data, separator = batch
            starts, rows, of_document = kernels.words(
                data, separator, character_table(), self._table
            )
            found.words += len(rows)
            found.known += int(np.count_nonzero(rows != kernels.NO_WORD))
            hashes = kernels.hashes_of_documents(data, separator)
            blocks = documents.blocks(len(hashes), values, of_document)
            texts.append(hashes[blocks[:, 0] >= 0])
            if number:
                kernels.add_words(
                    rows, of_document, most, self.vectors, self.window, learned_sums, learned_counts
                )
            begins, ends, terms = self._matcher.matches(*batch)
            firsts = np.searchsorted(starts, begins)
            lasts = np.searchsorted(starts, ends) - 1
            where = blocks[of_document[firsts]] if len(firsts) else np.empty((0, 2), np.int32)
            inside = where[:, 0] >= 0 if len(firsts) else np.empty(0, np.bool_)
            if not inside.any():
                continue
            keys = (where[:, 0].astype(np.int64) << 28 | where[:, 1]) * len(self.terms) + terms
            keys *= self.parting.columns
            if self.parting.occurrences:
                place = firsts - np.searchsorted(of_document, of_document[firsts])
                keys += np.minimum(place, MOST_PLACES - 1)
            elif not self.parting.covariates:
                keys += tiers(hashes, of_document, firsts)
            for key in np.unique(keys[inside]).tolist():
                row_of.setdefault(key, len(row_of))
            sums, counts = (_grown(each, len(row_of)) for each in (sums, counts))
            into = np.array([row_of[key] for key in keys[inside].tolist()], np.int64)
            kernels.add_contexts(
                rows, of_document, firsts[inside], lasts[inside], into, self.vectors, self.window,
                sums, counts,
            )  # fmt: skip
        places = np.array(list(row_of), np.int64)
        sums_of_terms, of_tier = np.divmod(places, self.parting.columns)
        blocks, terms = np.divmod(sums_of_terms, len(self.terms))
        columns = blocks >> 28, blocks & ((1 << 28) - 1), terms, of_tier
        found.rows = np.column_stack(columns).astype(np.int32)
        found.sums, found.counts = sums[: len(row_of)].astype(np.float32), counts[: len(row_of)]
        found.parts, found.units = documents.parts, documents.units
        found.documents, found.left_out = documents.counts, documents.left_out
        found.texts = np.concatenate(texts)
        found.learned = np.flatnonzero(learned_counts).astype(np.int32)
        found.learned_sums = learned_sums[found.learned]
        found.learned_counts = learned_counts[found.learned]
        return found, accounts


def tiers(
    hashes: NDArray[np.uint64], of_document: NDArray[np.int32], words: NDArray[np.int64]
) -> NDArray[np.int64]:
    """The tier of each occurrence, k with the chance 2**-(k + 1): by its text and its place there.

    So it depends on no order of files or documents. `words` are the words that occurrences begin
    with, `of_document` the document of each word, `hashes` are of the texts of documents.
    """
    documents = of_document[words]
    place = words - np.searchsorted(of_document, documents)
    mixed = hashes[documents] + (place.astype(np.uint64) + np.uint64(1)) * np.uint64(_GOLDEN)
    for shift, factor in _MIXING:  # the finalizer of SplitMix64 (Steele, Lea and Flood 2014)
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    mixed ^= mixed >> np.uint64(31)
    lowest = mixed & (~mixed + np.uint64(1))  # the last bit that is set
    tier = np.log2(np.maximum(lowest, np.uint64(1)).astype(np.float64)).astype(np.int64)
    return np.asarray(np.minimum(tier, TIERS - 1))


def _grown(array: NDArray[Any], rows: int) -> NDArray[Any]:
    """The same with so many rows at least; four times as many, as zeros cost nothing."""
    if len(array) >= rows:
        return array
    grown = np.zeros((max(rows, 4 * len(array)), *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown


class _Documents:
    """The parts and blocks of documents, as they come."""

    def __init__(self, search: LocalSearch) -> None:
        self.parting, self._fields = search.parting, search.fields
        self._file = self._label = ""
        self._places = [
            None if name in {"", FILE} else search.fields.index(name)
            for name in (*search.parting.naming_fields, search.parting.unit)
        ]
        self.parts: list[str] = []
        self.counts: list[int] = []
        self.left_out: Counter[str] = Counter()
        self._number: dict[str, int] = {}
        self._units: list[dict[str, int]] = []
        self._seen: dict[Values, tuple[int, int, str]] = {}

    @property
    def units(self) -> list[list[str]]:
        """Of each part the blocks."""
        if self.parting.unit:
            return [list(units) for units in self._units]
        return [
            [str(block) for block in range(min(count, self.parting.blocks))]
            for count in self.counts
        ]

    def read(
        self, group: PartGroup, accounts: Iterable[Account]
    ) -> Iterator[tuple[Batch, list[Values]]]:
        """Read all documents of a group of files."""
        for part, account in zip(group.parts, accounts, strict=True):
            self._file = Path(part.path).name.partition(".")[0]
            self._label = part.label
            self._seen.clear()
            yield from read_documents(part, account, self._fields)

    def blocks(
        self, count: int, values: Sequence[Values], of_word: NDArray[np.int32]
    ) -> NDArray[np.int32]:
        """Part and block of each of some documents, -1 of those in none."""
        places = np.full((count, 2), -1, np.int32)
        documents = of_word[np.flatnonzero(np.diff(of_word, prepend=-1))]  # empty lines are none
        found = []
        for document in documents.tolist():
            own = values[document] if values else ()
            seen = self._seen.get(own)
            if seen is None:
                seen = self._seen[own] = self._place(own)
            part, block, why = seen
            if why:
                self.left_out[why] += 1
            else:
                if not self.parting.unit:
                    block = self.counts[part] % self.parting.blocks
                elif block == OWN:
                    name = f"document {self.counts[part]} of {self._label}"
                    block = self._units[part].setdefault(name, len(self._units[part]))
                self.counts[part] += 1
            found.append((part, block))
        places[documents] = np.array(found, np.int32).reshape(-1, 2)
        return places

    def _place(self, own: Values) -> tuple[int, int, str]:
        """Part and unit of documents with such values; -1 and why, where they are in none."""
        *by, unit = self._places
        name, why = self.parting.part_of([self._file if i is None else own[i] for i in by])
        called = self._file if unit is None else own[unit]
        if not why and called is None and not self.parting.unit_found:
            why = NO_UNIT
        if why:
            return -1, -1, why
        part = self._number.setdefault(name, len(self.parts))
        if part == len(self.parts):
            self.parts.append(name)
            self.counts.append(0)
            self._units.append({})
        if called is None:
            return part, OWN, ""
        return part, self._units[part].setdefault(called, len(self._units[part])), ""


class Joined:
    """What was found in all groups of files, added in their order.

    More than MOST_BLOCKS blocks of a part are folded.
    """

    def __init__(self, search: LocalSearch) -> None:
        d = search.vectors.shape[1]
        self._parting, self._total = search.parting, Sums()
        self._total.learned = np.arange(search.learned, dtype=np.int32)
        self._total.learned_sums = np.zeros((search.learned, d))
        self._total.learned_counts = np.zeros(search.learned, np.int64)
        self._total.sums = np.zeros((0, d))
        self._texts = [self._total.texts]
        self._number: dict[str, int] = {}
        self._blocks: list[dict[str, int]] = []
        self._row_of: dict[tuple[int, int, int, int], int] = {}

    def add(self, found: Sums) -> None:
        """Add what was found in the next group."""
        kernels = reading.local_kernels
        total, most = self._total, self._parting.blocks
        total.words += found.words
        total.known += found.known
        total.left_out += found.left_out
        self._texts.append(found.texts)
        total.learned_sums[found.learned] += found.learned_sums
        total.learned_counts[found.learned] += found.learned_counts
        numbers: list[tuple[int, list[int]]] = []
        for name, units, documents in zip(found.parts, found.units, found.documents, strict=True):
            part = self._number.setdefault(name, len(self._number))
            if part == len(self._blocks):
                self._blocks.append({})
                total.parts.append(name)
                total.documents.append(0)
            own, offset = self._blocks[part], total.documents[part]
            called = units
            if not self._parting.unit:
                called = [str((offset + int(unit)) % most) for unit in units]
            numbers.append((part, [own.setdefault(unit, len(own)) % most for unit in called]))
            total.documents[part] += documents
        keys = [
            (numbers[i][0], numbers[i][1][block], term, tier)
            for i, block, term, tier in found.rows.tolist()
        ]
        into = np.array([self._row_of.setdefault(key, len(self._row_of)) for key in keys], np.int64)
        total.sums = _grown(total.sums, len(self._row_of))
        total.counts = _grown(total.counts, len(self._row_of))
        kernels.add_rows(total.sums, into, found.sums.astype(np.float32, copy=False))
        np.add.at(total.counts, into, found.counts)

    def total(self) -> Sums:
        """All together."""
        rows = np.array(list(self._row_of), np.int32).reshape(-1, 4)
        units = [list(blocks)[: self._parting.blocks] for blocks in self._blocks]
        sums, counts = self._total.sums[: len(rows)], self._total.counts[: len(rows)]
        texts = np.concatenate(self._texts)
        return replace(self._total, rows=rows, units=units, sums=sums, counts=counts, texts=texts)
