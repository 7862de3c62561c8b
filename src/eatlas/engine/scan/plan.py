"""What a scan is to do, checked before anything is computed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.engine.scan.attributes import (
    AttributeRows,
    Attributes,
    embed_attributes,
    find_attributes,
)
from eatlas.errors import EatlasError, SignatureError
from eatlas.measures import SCEAT, get_measure
from eatlas.results.parts import Provenance
from eatlas.sources import CaseRule, open_vectors
from eatlas.sources.whole import ListedSource, require_whole
from eatlas.stats.max_t import RunningMaxT
from eatlas.stats.permutation.batch import LARGEST
from eatlas.stats.permutation.batch_inversion import MOST_SCORES
from eatlas.version import __version__

ROWS, SLOW_ROWS, SLOWEST_ROWS = 8192, 1024, 64
"""Words of a chunk: a second or a few, where a word takes microseconds, a millisecond, or is tested
by itself. A scan that is killed loses the chunks in the making."""
QUICK = 22
"""Up to so many attributes a word takes less than 0.2 ms."""
DRAWS = 10_000
"""Relabellings for maxT, where there are more; an adjusted p near 0.05 is known within 0.004."""
FORM = 2
"""Raised whenever chunks hold something else than before."""


@dataclass(frozen=True)
class ScanPlan:
    """A scan that can be done."""

    source: ListedSource
    measure: SCEAT
    attributes: Attributes
    found: AttributeRows
    shared: RunningMaxT
    """The relabellings that all words share."""
    seed: int
    case: CaseRule
    first: int | None
    """Only so many words from the start of the source; None takes all."""
    rows: int
    """Words of a chunk."""

    @property
    def identity(self) -> str:
        """Names all that the chunks depend on; equal names mean equal chunks."""
        parts = [
            *(FORM, __version__, self.source.name, self.source.fingerprint),
            *(self.found.sha256, self.found.sizes, sorted(self.found.flagged.items())),
            *(self.measure.ddof, self.first, self.rows, self.shared.relabellings),
            None if self.shared.enumerated else self.seed,
        ]
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()

    @property
    def provenance(self) -> Provenance:
        """What is needed to compute the scan again and to see that nothing has changed."""
        return Provenance(
            version=__version__,
            seed=self.seed,
            case=self.case,
            stimuli_sha256=self.attributes.stimuli_sha256,
            source_fingerprint=self.source.fingerprint,
            vectors_sha256=self.found.sha256,
            citation=self.attributes.citation,
        )

    @property
    def expected(self) -> int | None:
        """Words that will be read, where the source knows before it is read."""
        count: int | None = getattr(self.source, "expected", None)
        return self.first if count is None else min(count, self.first or count)

    @property
    def about(self) -> dict[str, str]:
        """What a file of words says of itself."""
        provenance = self.provenance
        return {
            "signature": self.measure.signature,
            "test": self.attributes.test or "",
            "source": self.source.name,
            "version": provenance.version,
            "seed": str(provenance.seed),
            "stimuli_sha256": provenance.stimuli_sha256,
            "source_fingerprint": provenance.source_fingerprint,
        }

    def chunks(self) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """Words and vectors of the source, up to `first`."""
        left = self.first
        for words, vectors in self.source.iter_chunks(self.rows):
            if left is None:
                yield words, vectors
                continue
            yield words[:left], vectors[:left]
            left -= len(words)
            if left <= 0:
                return


def make_scan(
    vectors: Any,
    attributes: Any,
    measure: str | SCEAT = "sc-eat",
    *,
    case: CaseRule = "auto",
    seed: int = 0,
    first: int | None = None,
) -> ScanPlan:
    """Resolve the source, the attributes and the measure; the attributes are looked up here.

    Parameters are those of :func:`eatlas.scan`.

    Raises
    ------
    EatlasError
        If any of them is not usable; nothing has been computed then.
    """
    chosen = _scannable(get_measure(measure))
    _whole("seed", seed, 0)
    if first is not None:
        _whole("first", first, 1)
    wanted = find_attributes(attributes)
    source = require_whole(open_vectors(vectors), "a scan tests every word")
    found = embed_attributes(wanted, source, case)
    size = sum(found.sizes)
    if chosen.p == "exact" and size > LARGEST:
        raise SignatureError(
            "a scan counts all relabellings of up to 32 attributes",
            got=f"{chosen.signature} with {size} attributes",
            allowed="p=auto, which counts or inverts and states its error",
        )
    shared = RunningMaxT(
        size, found.sizes[0], rng=np.random.default_rng(seed), draws=DRAWS, scale=1.0
    )
    rows = ROWS if size <= QUICK else SLOW_ROWS if size <= MOST_SCORES else SLOWEST_ROWS
    return ScanPlan(source, chosen, wanted, found, shared, seed, case, first, rows)


def _scannable(measure: object) -> SCEAT:
    if not isinstance(measure, SCEAT):
        raise SignatureError(
            "a scan tests single words",
            got=str(measure),
            allowed="sc-eat, with parameters alpha and ddof",
        )
    if measure.strict or measure.studentised or measure.p not in {"auto", "exact"}:
        raise SignatureError(
            "a scan counts relabellings, or inverts where they are too many",
            got=measure.signature,
            allowed="sc-eat with p=auto, without strict and statistic",
            remedy="eatlas run --measure takes the other p-values, for the words of a test",
        )
    return measure


def _whole(name: str, value: object, least: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise EatlasError(
            f"{name} is not usable", got=repr(value), allowed=f"a whole number from {least}"
        )
