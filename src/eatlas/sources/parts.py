"""Vectors of terms as parts of a corpus use them: what ``eatlas embed`` writes, as sources."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError, listed
from eatlas.notes import Note
from eatlas.sources.archives import faults_of_library
from eatlas.sources.frequency_order import WordOrder
from eatlas.sources.source import Source, Vector
from eatlas.sources.spec import FileSpec, check_options

KEY = "eatlas_parts"
"""Array that tells these files from others; it holds what is said of them as JSON."""
ARRAYS = ("rows", "sums", "counts", "matrix", "published")
SCHEMA = "eatlas/parts/1"
NEEDED = ("parts", "years", "documents", "blocks", "resample", "targets", "ranks", "corpus")
"""What is said of all parts."""
TARGETS, ALL = "targets", "all"
"""Which terms have the vectors of the part: the tests' targets, or all."""
FEW = 10
"""Contexts below which a remark names a term."""


@dataclass(frozen=True)
class CorpusParts:
    """Sums of the contexts of terms in the blocks of all parts of a corpus."""

    terms: tuple[str, ...]
    rows: NDArray[np.int32]
    """Numbers of part, block and term of each sum."""
    sums: NDArray[np.float32]
    counts: NDArray[np.int64]
    matrix: NDArray[np.float32]
    """The transformation: ``mean @ matrix`` is a vector."""
    published: NDArray[np.float32]
    """Vectors of the terms in the source; NaN of those that it lacks."""
    about: Mapping[str, Any]
    """Parts, documents, targets, corpus, window, quality: what was said when they were made."""

    @property
    def parts(self) -> list[str]:
        """Names of the parts."""
        return list(self.about["parts"])

    @cached_property
    def contexts(self) -> NDArray[np.int64]:
        """Contexts of each term in each part, shape (parts, terms)."""
        table = np.zeros((len(self.parts), len(self.terms)), np.int64)
        np.add.at(table, (self.rows[:, 0], self.rows[:, 2]), self.counts)
        return table

    @cached_property
    def sha256(self) -> str:
        """Hash of the content."""
        digest = hashlib.sha256(json.dumps(dict(self.about), sort_keys=True).encode())
        for name in ARRAYS:
            digest.update(np.ascontiguousarray(getattr(self, name)).tobytes())
        return digest.hexdigest()

    def write(self, file: Any) -> None:
        """Write everything to an open file."""
        about = {"schema": SCHEMA, "terms": list(self.terms), **self.about}
        arrays: dict[str, Any] = {KEY: np.array(json.dumps(about, ensure_ascii=False))}
        np.savez(file, **arrays, **{name: getattr(self, name) for name in ARRAYS})


def is_parts(path: Path) -> bool:
    """Whether a file has parts of a corpus."""
    if path.suffix.lower() != ".npz":
        return False
    try:
        with np.load(path, allow_pickle=False) as file:
            return KEY in file.files
    except Exception:  # noqa: BLE001  (what zipfile raises for a damaged file has no common class)
        return False


def read_parts(path: Path) -> CorpusParts:
    """Read what ``eatlas embed`` has written."""
    what = "the file of parts"
    with faults_of_library(path, what), np.load(path, allow_pickle=False) as file:
        about = json.loads(str(file[KEY][()]))
        schema = about.pop("schema", None)
        if schema != SCHEMA:
            raise SourceError(
                f"{path}: parts of another form",
                got=repr(schema),
                allowed=SCHEMA,
                remedy="write the file again with this version's eatlas embed",
            )
        arrays = {name: file[name] for name in ARRAYS}
        parts = CorpusParts(tuple(about.pop("terms")), about=about, **arrays)
        _ = parts.contexts, [about[name] for name in NEEDED]  # numbers of parts and terms fit
    return parts


class PartSource(Source):
    """The terms of tests as one part of a corpus uses them."""

    def __init__(self, name: str, parts: CorpusParts, number: int, local: str = TARGETS) -> None:
        self.corpus, self.number, self.local = parts, number, local
        self._name = f"{name}#{quote(parts.parts[number], safe=' -_.,')}"

    @property
    def name(self) -> str:
        """That of the file, and the part."""
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
        years = self.corpus.about["years"]
        return years[self.number] if years else None

    @property
    def listed(self) -> bool:
        """Whether its vectors are those of a vocabulary."""
        return False

    def require_listed(self, why: str) -> None:
        """Refuse: it has the terms of tests alone."""
        raise SourceError(
            f"{self.name}: {why}, and a part of a corpus has the terms of its tests alone",
            remedy=f"take the vectors that it was embedded with: {self.corpus.about['source']}",
        )

    @property
    def order(self) -> WordOrder | str:
        """Ranks of the terms in the vectors' source; or why there are none."""
        ranks = self.corpus.about["ranks"]
        if isinstance(ranks, str):
            return ranks
        words = sorted(ranks["of"], key=ranks["of"].__getitem__)
        return WordOrder(ranks["in"], words, [ranks["of"][w] for w in words], ranks["size"])

    @property
    def part(self) -> PartSource:
        """Itself: what its documents say."""
        return self

    @cached_property
    def is_local(self) -> NDArray[np.bool_]:
        """Which terms have vectors of the part."""
        targets = self.corpus.about["targets"]
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


def open_parts(spec: FileSpec, name: str) -> tuple[PartSource, ...]:
    """Open all parts of a file, or the one that is named behind ``#``."""
    check_options(spec.options, ("local",), name)
    local = spec.options.get("local", TARGETS)
    if local not in {TARGETS, ALL}:
        raise SourceError(
            f"{name}: the option local is not usable", got=local, allowed=f"{TARGETS} or {ALL}"
        )
    corpus = read_parts(spec.path)
    numbers = [*range(len(corpus.parts))]
    if spec.member is not None:
        if spec.member not in corpus.parts:
            raise SourceError(
                f"{spec.path}: there is no such part",
                got=spec.member,
                allowed=listed(corpus.parts, 20),
            )
        numbers, name = [corpus.parts.index(spec.member)], name.partition("#")[0]
    return tuple(PartSource(name, corpus, number, local) for number in numbers)
