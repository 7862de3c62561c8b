"""What a scan is to do, checked before anything is computed: attributes, source and measure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import (
    CoverageError,
    EatlasError,
    ResultsError,
    SignatureError,
    StimulusError,
    listed,
)
from eatlas.measures import SCEAT, get_measure
from eatlas.results.parts import Provenance
from eatlas.results.scan import SIDES, Side, require_suffix, summary_of
from eatlas.sources import CaseRule, Source
from eatlas.sources.coverage import Embedded, embed_concepts
from eatlas.sources.opening import named_spec, open_one_named
from eatlas.sources.spec import parse_file_spec
from eatlas.stats.multiplicity import RunningMaxT
from eatlas.stats.permutation.batch import LARGEST, MOST_SCORES
from eatlas.stimuli import AssociationTest, Concept, GroupsTest, load_tests
from eatlas.stimuli.kinds import digest
from eatlas.version import __version__

ROWS, SLOW_ROWS, SLOWEST_ROWS = 8192, 1024, 64
"""Words of a chunk: a second or a few, where a word takes microseconds, a millisecond, or is tested
by itself. A scan that is killed loses the chunks in the making."""
QUICK = 22
"""Up to so many attributes a word takes less than 0.2 ms."""
DRAWS = 10_000
"""Relabellings for maxT, where there are more; an adjusted p near 0.05 is known within 0.004."""
FORM = 3
"""Raised whenever chunks hold something else than before."""


@dataclass(frozen=True)
class Attributes:
    """Two concepts and where they come from."""

    test: str | None
    """Id of the test that they come from; None for words that were handed over."""
    title: str
    citation: str
    concepts: Mapping[Side, Concept]


def find_attributes(spec: Any) -> Attributes:
    """Take A and B of a test, or two concepts or lists of words."""
    tests = (str, Path, AssociationTest, GroupsTest)
    if isinstance(spec, tuple | list) and not any(isinstance(part, tests) for part in spec):
        if len(spec) != len(SIDES):
            raise StimulusError(
                "a scan takes two groups of attributes",
                got=str(len(spec)),
                allowed="a test, two concepts, or two lists of words",
            )
        a, b = (part if isinstance(part, Concept) else _named(part) for part in spec)
        if both := sorted(set(a.terms) & set(b.terms)):
            raise StimulusError(
                "some attributes are on both sides, A and B",
                got=", ".join(both),
                allowed="words that are in one of the concepts only",
            )
        return Attributes(None, "", "", {"A": a, "B": b})
    chosen = load_tests(spec)
    test = chosen[0]
    if len(chosen) > 1 or not isinstance(test, AssociationTest) or test.A.images or test.B.images:
        raise StimulusError(
            f"{spec}: a scan takes the attributes of one test, and they are words",
            got=f"{listed([test.id for test in chosen], 12)}, of the kind {test.kind}",
            allowed="a test of the kind association, with words as attributes A and B",
            remedy="name one of them; eatlas tests list shows the kind of each test",
        )
    return Attributes(test.id, test.title, test.citation, {"A": test.A, "B": test.B})


def _named(words: Any) -> Concept:
    """A concept that is called by its first two words."""
    terms = Concept(name="attributes", terms=words).terms
    return Concept(name=", ".join(terms[:2]) + ", ..." * (len(terms) > 2), terms=terms)


def embed_attributes(attributes: Attributes, source: Source, case: CaseRule) -> Embedded:
    """Look the attributes up; each side needs two, as their labels are permuted."""
    terms: dict[str, Any] = {side: attributes.concepts[side].terms for side in SIDES}
    embedded = embed_concepts({side: attributes.concepts[side] for side in SIDES}, source, case)
    least = SCEAT.minimum[SIDES[0]]
    for side in SIDES:
        group = embedded.coverage[side]
        if len(group.used) < least:
            reasons = listed(f"{term} ({why})" for term, why in group.reasons.items())
            raise CoverageError(
                f"attributes {side} ({attributes.concepts[side].name}): "
                f"{len(group.used)} of {len(terms[side])} terms have a usable vector in "
                f"{source.name}",
                got=f"missing: {reasons}" if reasons else repr(terms[side][0]),
                allowed=f"at least {least} usable terms on each side (their labels are permuted)",
                remedy="add terms that the source has, or use a source with more words",
            )
    return embedded


def require_usable(out: Path, *inputs: Any) -> None:
    """Refuse a file that cannot be written, or that would replace one that is read."""
    require_suffix(out)
    files = [
        parse_file_spec(named_spec(str(source)).spec).path
        for source in inputs
        if isinstance(source, str | Path)
    ]
    for target in (out, summary_of(out)):
        if target.is_dir():
            raise ResultsError(f"--out {out}: {target} is a directory", allowed="a file")
        if target.exists() and any(path.is_file() and target.samefile(path) for path in files):
            raise ResultsError(
                f"--out {out}: {target} is a file that is read; writing would destroy it",
                remedy="choose another file",
            )


@dataclass(frozen=True)
class ScanPlan:
    """A scan that can be done."""

    source: Source
    measure: SCEAT
    attributes: Attributes
    embedded: Embedded
    """The attributes as the source has them."""
    rows: NDArray[np.float64]
    """Unit rows of the attributes, shape (N, d), those of A first."""
    sizes: tuple[int, int]
    shared: RunningMaxT
    """The relabellings that all words share."""
    seed: int
    case: CaseRule
    first: int | None
    """Only so many words from the start of the source; None takes all."""
    name: str = ""
    """What the scan calls the source; empty where that is its source string."""

    @property
    def called(self) -> str:
        """What the scan calls the source."""
        return self.name or self.source.name

    @property
    def step(self) -> int:
        """Words of a chunk."""
        size = sum(self.sizes)
        return ROWS if size <= QUICK else SLOW_ROWS if size <= MOST_SCORES else SLOWEST_ROWS

    @property
    def flagged(self) -> dict[str, Side]:
        """Words of the source that are attributes."""
        return {key: side for side in SIDES for key in self.embedded.keys[side].values()}

    @property
    def identity(self) -> str:
        """Hash of all that the chunks depend on; equal hashes mean equal chunks."""
        parts = [
            *(FORM, __version__, self.source.name, self.source.fingerprint),
            *(self.embedded.sha256, self.sizes, sorted(self.flagged.items())),
            *(self.measure.ddof, self.first, self.step, self.shared.relabellings),
            None if self.shared.enumerated else self.seed,
        ]
        return hashlib.sha256(json.dumps(parts, ensure_ascii=False).encode()).hexdigest()

    @property
    def provenance(self) -> Provenance:
        """What is needed to compute the scan again and to see that nothing has changed."""
        stimuli: dict[str, object] = {"kind": "attributes"}
        stimuli |= {side: sorted(self.attributes.concepts[side].terms) for side in SIDES}
        return Provenance(
            version=__version__,
            seed=self.seed,
            case=self.case,
            stimuli_sha256=digest(stimuli),
            source_fingerprint=self.source.fingerprint,
            vectors_sha256=self.embedded.sha256,
            citation=self.attributes.citation,
        )

    @property
    def expected(self) -> int | None:
        """Words that will be read, where the source knows before it is read."""
        count = self.source.expected
        return self.first if count is None else min(count, self.first or count)

    def chunks(self) -> Iterator[tuple[list[str], NDArray[np.floating]]]:
        """Words and vectors of the source, up to `first`."""
        left = self.first
        for words, vectors in self.source.iter_chunks(self.step):
            yield words[:left], vectors[:left]
            if left is not None:
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
    """
    chosen = get_measure(measure)
    if not isinstance(chosen, SCEAT) or {chosen.strict, chosen.studentised} != {False}:
        raise SignatureError(
            "a scan tests single words, and counts relabellings or inverts",
            got=chosen.signature,
            allowed="sc-eat, with parameters alpha and ddof",
        )
    for name, value, least in (("seed", seed, 0), ("first", 1 if first is None else first, 1)):
        if type(value) is not int or value < least:
            raise EatlasError(
                f"{name} is not usable", got=repr(value), allowed=f"a whole number from {least}"
            )
    named_attributes = find_attributes(attributes)
    named_source = open_one_named(vectors, "a scan")
    source = named_source.source
    source.require_listed("a scan tests every word")
    embedded = embed_attributes(named_attributes, source, case)
    a, b = (len(embedded.coverage[side].used) for side in SIDES)
    if chosen.p not in {"auto", "exact"} or (chosen.p == "exact" and a + b > LARGEST):
        raise SignatureError(
            "a scan counts all relabellings of up to 32 attributes, and inverts beyond",
            got=f"{chosen.signature} with {a + b} attributes",
            allowed="p=auto, which counts or inverts and states its error",
            remedy="eatlas run --measure takes the other p-values, for the words of a test",
        )
    rng = np.random.default_rng(seed)
    return ScanPlan(
        source=source,
        measure=chosen,
        attributes=named_attributes,
        embedded=embedded,
        rows=np.concatenate([kernels.unit_rows(embedded.vectors[side]) for side in SIDES]),
        sizes=(a, b),
        shared=RunningMaxT(a + b, a, rng=rng, draws=DRAWS, scale=1.0),
        seed=seed,
        case=case,
        first=first,
        name=named_source.name,
    )
