"""What a scan is to do, checked before anything is computed: attributes, source and measure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import CoverageError, EatlasError, ResultsError, SignatureError, StimulusError
from eatlas.measures import SCEAT, get_measure
from eatlas.notes import Note
from eatlas.results.parts import GroupCoverage, Provenance
from eatlas.results.scan import SIDES, Side, require_suffix, summary_of
from eatlas.sources import CaseRule, Source
from eatlas.sources.coverage import embed_concepts
from eatlas.sources.naming import is_by_name, named_spec, open_one_named
from eatlas.sources.spec import parse_file_spec
from eatlas.stats.multiplicity import RunningMaxT
from eatlas.stats.permutation.batch import LARGEST, MOST_SCORES
from eatlas.stimuli import AssociationTest, Concept, GroupsTest, load_tests
from eatlas.stimuli.kinds import digest
from eatlas.version import __version__

MANY = 12
"""So many ids are named in a message."""
NAMING = 2
"""So many words name a list that has no name."""
_TESTS = (str, Path, AssociationTest, GroupsTest)


@dataclass(frozen=True)
class Attributes:
    """Two concepts and where they come from."""

    test: str | None
    """Id of the test that they come from; None for words that were handed over."""
    title: str
    citation: str
    concepts: Mapping[Side, Concept]

    def side(self, side: Side) -> str:
        """One side, as messages name it."""
        where = "" if self.test is None else f" of {self.test}"
        return f"attributes {side} ({self.concepts[side].name}){where}"

    @property
    def stimuli_sha256(self) -> str:
        """Hash of the terms by role; their order and all names leave it unchanged."""
        parts: dict[str, object] = {"kind": "attributes"}
        return digest(parts | {side: sorted(self.concepts[side].terms) for side in SIDES})


@dataclass(frozen=True)
class AttributeRows:
    """Attributes as a source has them."""

    rows: NDArray[np.float64]
    """Unit rows, shape (N, d), those of A first."""
    sizes: tuple[int, int]
    groups: Mapping[str, GroupCoverage]
    flagged: Mapping[str, Side]
    """Words of the source that are attributes."""
    notes: tuple[Note, ...]
    sha256: str


def find_attributes(spec: Any) -> Attributes:
    """Take A and B of a test, or two concepts or lists of words."""
    if isinstance(spec, tuple | list) and not any(isinstance(part, _TESTS) for part in spec):
        return Attributes(None, "", "", _pair(spec))
    tests = load_tests(spec)
    if len(tests) > 1:
        ids = ", ".join(test.id for test in tests[:MANY])
        raise StimulusError(
            f"{spec}: a scan takes the attributes of one test",
            got=f"{len(tests)} tests: {ids}{', ...' if len(tests) > MANY else ''}",
            remedy="name one of them",
        )
    (test,) = tests
    if not isinstance(test, AssociationTest):
        raise StimulusError(
            f"the test {test.id} has no attributes A and B",
            got=f"a test of the kind {test.kind}",
            allowed="a test of the kind association",
            remedy="eatlas tests list shows the kind of each test",
        )
    if any(test.concept(side).images for side in SIDES):
        raise StimulusError(
            f"the test {test.id} has images as attributes",
            got=", ".join(test.concept(side).name for side in SIDES),
            allowed="attributes that are words: a scan is of the words of a vocabulary",
        )
    return Attributes(
        test.id, test.title, test.citation, {side: test.concept(side) for side in SIDES}
    )


def _pair(spec: Sequence[Any]) -> dict[Side, Concept]:
    """The two attribute concepts of a scan, which may not share a word."""
    if len(spec) != len(SIDES):
        raise StimulusError(
            "a scan takes two groups of attributes",
            got=str(len(spec)),
            allowed="a test, two concepts, or two lists of words",
        )
    a, b = (part if isinstance(part, Concept) else _named(part) for part in spec)
    both = sorted(set(a.terms) & set(b.terms))
    if both:
        raise StimulusError(
            "some attributes are on both sides, A and B",
            got=", ".join(both),
            allowed="words that are in one of the concepts only",
        )
    return dict(zip(SIDES, (a, b), strict=True))


def _named(words: Any) -> Concept:
    """A concept that is called by its first words."""
    terms = Concept(name="attributes", terms=words).terms
    more = ", ..." if len(terms) > NAMING else ""
    return Concept(name=", ".join(terms[:NAMING]) + more, terms=terms)


def embed_attributes(attributes: Attributes, source: Source, case: CaseRule) -> AttributeRows:
    """Look the attributes up."""
    terms = {side: attributes.concepts[side].terms for side in SIDES}
    embedded = embed_concepts({side: attributes.concepts[side] for side in SIDES}, source, case)
    least = SCEAT.minimum[SIDES[0]]
    for side in SIDES:
        group = embedded.coverage[side]
        if len(terms[side]) < least:
            raise CoverageError(
                f"{attributes.side(side)}: a group of one term",
                got=repr(terms[side][0]),
                allowed=f"at least {least} terms on each side (their labels are permuted)",
                remedy="add terms",
            )
        if len(group.used) < least:
            reasons = [f"{term} ({why})" for term, why in group.reasons.items()]
            raise CoverageError(
                f"{attributes.side(side)}: "
                + ("no term has" if not group.used else f"only {len(group.used)} term has")
                + f" a usable vector in {source.name}",
                got=f"missing: {', '.join(reasons)}",
                allowed=f"at least {least} usable terms on each side (their labels are permuted)",
                remedy="use attributes that the source has, or a source with more words",
            )
    a, b = (len(embedded.coverage[side].used) for side in SIDES)
    return AttributeRows(
        rows=np.concatenate([kernels.unit_rows(embedded.vectors[side]) for side in SIDES]),
        sizes=(a, b),
        groups=embedded.coverage,
        flagged={key: side for side in SIDES for key in embedded.keys[side].values()},
        notes=embedded.notes,
        sha256=embedded.sha256,
    )


def require_usable(out: Path, *inputs: Any) -> None:
    """Refuse a file that cannot be written, or that would replace one that is read."""
    require_suffix(out)
    read = [path for source in inputs if (path := _file(source)) is not None]
    for target in (out, summary_of(out)):
        if target.is_dir():
            raise ResultsError(f"--out {out}: {target} is a directory", allowed="a file")
        if any(target.exists() and target.samefile(path) for path in read):
            raise ResultsError(
                f"--out {out}: {target} is a file that is read; writing would destroy it",
                remedy="choose another file",
            )


def _file(source: Any) -> Path | None:
    if is_by_name(source):
        (source,) = source.values() if len(source) == 1 else [None]
    if not isinstance(source, str | Path):
        return None
    spec = named_spec(source).spec if isinstance(source, str) else str(source)
    path = parse_file_spec(spec).path
    return path if path.is_file() else None


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

    source: Source
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
    name: str = ""
    """What the scan calls the source; empty where that is its source string."""

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
        count = self.source.expected
        return self.first if count is None else min(count, self.first or count)

    @property
    def about(self) -> dict[str, str]:
        """What a file of words says of itself."""
        provenance = self.provenance
        return {
            "signature": self.measure.signature,
            "test": self.attributes.test or "",
            "source": self.name or self.source.name,
            **({"source_from": self.source.name} if self.name else {}),
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
    """
    chosen = _scannable(get_measure(measure))
    _whole("seed", seed, 0)
    if first is not None:
        _whole("first", first, 1)
    named_attributes = find_attributes(attributes)
    named_source = open_one_named(vectors, "a scan")
    source = named_source.source
    source.require_listed("a scan tests every word")
    embedded = embed_attributes(named_attributes, source, case)
    size = sum(embedded.sizes)
    if chosen.p == "exact" and size > LARGEST:
        raise SignatureError(
            "a scan counts all relabellings of up to 32 attributes",
            got=f"{chosen.signature} with {size} attributes",
            allowed="p=auto, which counts or inverts and states its error",
        )
    shared = RunningMaxT(
        size, embedded.sizes[0], rng=np.random.default_rng(seed), draws=DRAWS, scale=1.0
    )
    rows = ROWS if size <= QUICK else SLOW_ROWS if size <= MOST_SCORES else SLOWEST_ROWS
    return ScanPlan(
        source,
        chosen,
        named_attributes,
        embedded,
        shared,
        seed,
        case,
        first,
        rows,
        named_source.name,
    )


def _scannable(measure: object) -> SCEAT:
    """Return the measure if a scan can compute it: SC-EAT with exact p-values."""
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
