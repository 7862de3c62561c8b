"""Vectors of terms as subcorpora use them: what ``eatlas embed`` writes, as sources."""

from __future__ import annotations

import hashlib
import json
import zipfile
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, ValidationError, model_validator

from eatlas.decoding import json_value
from eatlas.errors import SourceError, described, listing
from eatlas.notes import Note
from eatlas.paths import is_file
from eatlas.results.parts import Record, is_empty
from eatlas.sources.archives import faults_of_library, npz_arrays
from eatlas.sources.frequency_order import WordOrder
from eatlas.sources.source import Source, Vector
from eatlas.sources.spec import MEMBER, check_options, load
from eatlas.stimuli.records import fault_at, faults_of

KEY = "eatlas_parts"
"""Array that identifies these files; it holds their record as JSON."""
ARRAYS = ("rows", "sums", "counts", "matrix", "published")
SCHEMA = "eatlas/parts/2"
TARGETS, ALL = "targets", "all"
"""Which terms have the vectors of the part: the tests' targets, or all."""
FEW = 10
"""A warning names a term with fewer contexts."""
MOST_PARTS = 200
"""Subcorpora; a field with more values names something else."""
MOST_BLOCKS = 200
"""Blocks of documents of a part of the corpus; of fewer documents each is one."""
TIERS = 32
"""Tiers of contexts: of the tier k or a later one is a random 2**-k of them."""
MOST = 10**12
"""Any number of a file that counts something."""
_OVER_DOCUMENTS = "eatlas_corpora.engine.documents:over_documents"
LARGEST = 1e14
"""Components of sums of vectors; their squares, of all blocks together, are still numbers in single
precision."""

Number = Annotated[int, Field(ge=0, le=MOST)]
Year = Annotated[int, Field(ge=-9_999, le=9_999)]


# --- what a file says -----------------------------------------------------------------------------


class Transformation(Record):
    """How well the matrix that carries mean contexts to vectors fits them."""

    quality: float
    """Median cosine of refitted words with their own vectors."""
    words: Number
    """Words that it was learned from."""
    file: str = Field(default="", exclude_if=is_empty)
    """The file that it was taken from; empty if it was learned from the corpus."""


class Ranks(Record):
    """Ranks of terms by frequency in the vectors' source."""

    order: str = Field(alias="in")
    """Whose order it is."""
    size: Number
    """Words that it orders."""
    of: dict[str, Annotated[int, Field(ge=1, le=MOST)]]


class CorpusFile(Record):
    """A file of the corpus."""

    file: str
    size: Number
    ends_sha256: str
    """Hash of its beginning and end."""
    texts: Number
    damaged: Number
    skipped: dict[str, Number]
    """Texts that were not read, by the reason."""


class DamagedLine(Record):
    """A line of the corpus that could not be read."""

    file: str
    line: Number
    why: str


class CorpusFiles(Record):
    """What was read."""

    corpus_sha256: str
    files: tuple[CorpusFile, ...]
    damaged: tuple[DamagedLine, ...]
    """The first of them."""


class PartsRecord(Record):
    """The record of all subcorpora: what eatlas read, and how it computed their vectors."""

    version: str
    parts: Annotated[tuple[str, ...], Field(min_length=1, max_length=MOST_PARTS)]
    """Names of the parts."""
    years: tuple[Year, ...]
    """Of each part, if all parts are years; else empty."""
    documents: tuple[Number, ...]
    """Documents of each part."""
    blocks: tuple[Annotated[int, Field(ge=1, le=MOST_BLOCKS)], ...]
    """Blocks of documents, or of units, of each part."""
    units: tuple[tuple[str, ...], ...]
    """Names of the units of each part; of documents none."""
    by: str
    """The field that names the parts."""
    resample: str
    """The field that names units; empty for documents."""
    resample_found: bool = Field(default=False, exclude_if=is_empty)
    """Whether it was taken because its values repeat, and not as the user names it."""
    targets: tuple[str, ...]
    tests: tuple[str, ...]
    ranks: Ranks | str
    """Ranks of terms; or why there are none."""
    source: str
    source_fingerprint: str
    window: Number
    stop_words: tuple[str, ...]
    case: str
    language: str
    transformation: Transformation
    words: Number
    known: Number
    """Words that have a vector, or are stop words."""
    repeats: Number
    left_out: dict[str, Number]
    """Documents in no part, by the reason."""
    corpus: CorpusFiles

    @model_validator(mode="after")
    def _of_as_many_parts(self) -> Self:
        """All lists are of these parts, each of which has a name and a year of its own."""
        n = len(self.parts)
        for name in ("documents", "blocks", "units", "years"):
            values = self[name]
            if len(values) != n and (values or name != "years"):
                raise ValueError(f"{name} of {len(values)} parts, where there are {n}")
        for name in ("parts", "years"):
            if len(set(self[name])) != len(self[name]):
                raise ValueError(f"{name} has a value twice")
        if isinstance(self.ranks, Ranks) and max(self.ranks.of.values(), default=1) > (
            self.ranks.size
        ):
            raise ValueError("ranks: a rank is beyond the number of words")
        return self


# --- the parts ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class CorpusParts:
    """Sums of the contexts of terms in the blocks of all subcorpora."""

    terms: tuple[str, ...]
    rows: NDArray[np.int32]
    """Numbers of part, block, term and tier of each sum."""
    sums: NDArray[np.float32]
    counts: NDArray[np.int64]
    matrix: NDArray[np.float32]
    """The transformation: ``mean @ matrix`` is a vector."""
    published: NDArray[np.float32]
    """Vectors of the terms in the source; NaN of those that it lacks."""
    about: PartsRecord
    """Subcorpora, documents, targets, corpus, window and quality, from the record."""

    def __repr__(self) -> str:
        size = f"{len(self.parts):,} subcorpora, {len(self.terms):,} terms"
        return f"<CorpusParts: {size}, {self.matrix.shape[1]} dimensions>"

    @property
    def parts(self) -> list[str]:
        """Names of the parts."""
        return list(self.about.parts)

    @cached_property
    def contexts(self) -> NDArray[np.int64]:
        """Contexts of each term in each part, shape (parts, terms)."""
        table = np.zeros((len(self.parts), len(self.terms)), np.int64)
        np.add.at(table, (self.rows[:, 0], self.rows[:, 2]), self.counts)
        return table

    @cached_property
    def sha256(self) -> str:
        """Hash of the content."""
        digest = hashlib.sha256(json.dumps(self.about.to_dict(), sort_keys=True).encode())
        for name in ARRAYS:
            digest.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        return digest.hexdigest()

    def write(self, file: Any) -> None:
        """Write everything to an open file."""
        about = {"schema": SCHEMA, "terms": list(self.terms), **self.about.to_dict()}
        arrays: dict[str, Any] = {KEY: np.array(json.dumps(about, ensure_ascii=False))}
        np.savez(file, **arrays, **{name: getattr(self, name) for name in ARRAYS})


def is_parts(path: Path) -> bool:
    """Whether a file has subcorpora."""
    if path.suffix.lower() != ".npz" or not is_file(path):
        return False
    try:
        with zipfile.ZipFile(path) as archive:
            return f"{KEY}.npy" in archive.namelist()
    except Exception:  # noqa: BLE001  (what zipfile raises for a damaged file has no common class)
        return False


def read_parts(path: Path) -> CorpusParts:
    """Read what ``eatlas embed`` has written."""
    what = "the file of parts"
    arrays = npz_arrays(path, what)
    with faults_of_library(path, what):
        if lacking := [name for name in (KEY, *ARRAYS) if name not in arrays]:
            raise ValueError(f"no array {lacking[0]}")
        said = json_value(str(arrays[KEY].item()))
        if not isinstance(said, dict):
            raise ValueError(f"{KEY} is not a JSON object")
        schema = said.pop("schema", None)
        if schema != SCHEMA:
            raise SourceError(
                f"{path}: an unknown version of the file",
                got=described(schema),
                allowed=SCHEMA,
                remedy="create the file again with this version of eatlas embed",
            )
        terms = said.pop("terms", None)
        if not (terms and isinstance(terms, list) and all(isinstance(t, str) for t in terms)):
            raise ValueError("terms: no list of texts")
        about = _record_of(said)
        parts = CorpusParts(tuple(terms), about=about, **{name: arrays[name] for name in ARRAYS})
        if fault := _fault_of_forms(parts) or _fault_of_rows(parts) or _fault_of_numbers(parts):
            raise ValueError(fault)
    return parts


def _record_of(said: dict[str, Any]) -> PartsRecord:
    """The record of all subcorpora; refuse it with its first fault."""
    try:
        return PartsRecord.from_dict(said)
    except ValidationError as error:
        place, fault = next(faults_of(error, PartsRecord.model_fields))
        raise ValueError(fault_at(place, fault) if place else fault) from error


def _fault_of_forms(parts: CorpusParts) -> str:
    """Name an array of the wrong type, or of a shape that does not fit the others."""
    n, terms = parts.rows.shape[:1] or (0,), len(parts.terms)
    dim = max(1, *(parts.matrix.shape[-1:] or (1,)))
    forms = {
        "matrix": ("f", "numbers", (dim, dim)),
        "rows": ("i", "whole numbers", (*n, 4)),
        "sums": ("f", "numbers", (*n, dim)),
        "counts": ("i", "whole numbers", n),
        "published": ("f", "numbers", (terms, dim)),
    }
    for name, (kinds, numbers, shape) in forms.items():
        array = getattr(parts, name)
        if array.dtype.kind not in kinds or array.shape != shape:
            return (
                f"{name}: {array.dtype}, shape {array.shape}, where there should be {numbers}, "
                f"shape {shape}"
            )
    return "a term occurs twice" if len(set(parts.terms)) != terms else ""


def _fault_of_rows(parts: CorpusParts) -> str:
    """Say whether a sum is of no part, block, term or tier, or of the same as another."""
    part, block, term, tier = parts.rows.astype(np.int64).T
    blocks = np.array([*parts.about.blocks, 0])  # of a part that is not there
    there = (part >= 0) & (part < len(parts.parts)) & (term >= 0) & (term < len(parts.terms))
    there &= (tier >= 0) & (tier < TIERS)
    if not (there & (block >= 0) & (block < blocks[np.where(there, part, -1)])).all():
        return "rows: a part, block, term or tier that is not there"
    number = ((part * MOST_BLOCKS + block) * len(parts.terms) + term) * TIERS + tier
    return "" if (np.diff(number) > 0).all() else "rows: they are not in order, or one is twice"


def _fault_of_numbers(parts: CorpusParts) -> str:
    """Say which numbers are beyond what can be computed with."""
    if not ((parts.counts >= 0) & (parts.counts <= MOST)).all():
        return f"counts: not all of them are from 0 to {MOST:,}"
    sums, matrix = (float(np.abs(array).max(initial=0)) for array in (parts.sums, parts.matrix))
    if not sums * matrix * len(parts.matrix) <= LARGEST:  # which NaN is not
        return f"sums and matrix: numbers up to {sums:g} and {matrix:g}, beyond what can be squared"
    lacking = np.isnan(parts.published).all(axis=1)
    if not (np.abs(parts.published[~lacking]) <= LARGEST).all():
        return "published: numbers that are not finite, or too large"
    return ""


class PartSource(Source):
    """The terms of tests as one part of a corpus uses them."""

    def __init__(self, name: str, parts: CorpusParts, number: int, local: str = TARGETS) -> None:
        self.corpus, self.number, self.local = parts, number, local
        self._name = f"{name}#{quote(parts.parts[number], safe=' -_.,')}"

    @property
    def name(self) -> str:
        """The fingerprint of the file, and the subcorpus."""
        return self._name

    @property
    def dim(self) -> int:
        """Components of the vectors."""
        return int(self.corpus.matrix.shape[1])

    @property
    def fingerprint(self) -> str:
        """Of the file, the part and what is local."""
        return f"sha256:{self.corpus.sha256};part={self.corpus.parts[self.number]};{self.local}"

    @property
    def period(self) -> int | None:
        """First year of a part that is a year or several."""
        years = self.corpus.about.years
        return years[self.number] if years else None

    @property
    def listed(self) -> bool:
        """Whether its vectors form a vocabulary."""
        return False

    def require_listed(self, why: str) -> None:
        """Refuse: it only has the terms of tests."""
        raise SourceError(
            f"{self.name}: {why}, and a subcorpus only has vectors of the terms of its tests",
            remedy=f"use the vectors that it was embedded with: {self.corpus.about.source}",
        )

    @property
    def order(self) -> WordOrder | str:
        """Ranks of the terms in the vectors' source; or why there are none."""
        ranks = self.corpus.about.ranks
        if isinstance(ranks, str):
            return ranks
        words = sorted(ranks.of, key=ranks.of.__getitem__)
        return WordOrder(ranks.order, words, [ranks.of[word] for word in words], ranks.size)

    usable = "context"
    remedy = (
        "take a larger part of the corpus (other --bins, a field with fewer values), or terms that "
        "it uses"
    )

    @property
    def background(self) -> PartSource:  # type: ignore[override]
        """Itself: what its documents say."""
        return self

    def called(self, name: str) -> str:
        """The part, and the file that results may call otherwise."""
        return f"the part {self.corpus.parts[self.number]} of {name.partition('#')[0]}"

    def additions(
        self, measure: Any, test: Any, given: Any
    ) -> tuple[dict[str, Any], tuple[Note, ...]]:
        """How a result varies with the documents, and terms with few contexts."""
        documents = load(_OVER_DOCUMENTS)(measure, given, self)
        return {"documents": documents} if documents else {}, self.notes_of({*test.terms})

    @cached_property
    def is_local(self) -> NDArray[np.bool_]:
        """Which terms have vectors of the part."""
        targets = set(self.corpus.about.targets)
        return np.array([self.local == ALL or term in targets for term in self.corpus.terms])

    @property
    def contexts(self) -> NDArray[np.int64]:
        """Contexts of each term in the part."""
        return np.asarray(self.corpus.contexts[self.number])

    @cached_property
    def vectors_of_terms(self) -> dict[str, Vector]:
        """The vector of each term that has one."""
        corpus = self.corpus
        own = corpus.rows[:, 0] == self.number
        sums = np.zeros((len(corpus.terms), self.dim))
        np.add.at(sums, corpus.rows[own, 2], corpus.sums[own].astype(np.float64))
        means = sums / np.maximum(self.contexts, 1)[:, None]
        local = means @ corpus.matrix.astype(np.float64)
        table = np.where(self.is_local[:, None], local, corpus.published.astype(np.float64))
        there = np.where(self.is_local, self.contexts > 0, ~np.isnan(corpus.published[:, 0]))
        return {term: table[i] for i, term in enumerate(corpus.terms) if there[i]}

    def notes_of(self, terms: Collection[str]) -> tuple[Note, ...]:
        """That some terms of a test have few contexts."""
        few = {
            term: int(n)
            for term, n, local in zip(
                self.corpus.terms, self.contexts.tolist(), self.is_local.tolist(), strict=True
            )
            if local and term in terms and 0 < n < FEW
        }
        return (Note("parts.few-contexts", values={"terms": few, "least": FEW}),) if few else ()

    def lookup(self, keys: Collection[str]) -> Mapping[str, Vector]:
        """Vectors of terms as the tests write them."""
        return {key: self.vectors_of_terms[key] for key in keys if key in self.vectors_of_terms}


def open_parts(path: Path, options: Mapping[str, str], name: str) -> tuple[PartSource, ...]:
    """Open all parts of a file, or the one that is named behind ``#``."""
    chosen = dict(options)
    member = chosen.pop(MEMBER, None)
    chosen.pop("format", None)
    check_options(chosen, ("local",), name)
    local = chosen.get("local", TARGETS)
    if local not in {TARGETS, ALL}:
        raise SourceError(
            f"{name}: the option local is not usable", got=local, allowed=f"{TARGETS} or {ALL}"
        )
    corpus = read_parts(path)
    numbers = [*range(len(corpus.parts))]
    if member is not None:
        if member not in corpus.parts:
            raise SourceError(
                f"{path}: there is no such subcorpus", got=member, allowed=listing(corpus.parts, 20)
            )
        numbers, name = [corpus.parts.index(member)], name.partition("#")[0]
    return tuple(PartSource(name, corpus, number, local) for number in numbers)
