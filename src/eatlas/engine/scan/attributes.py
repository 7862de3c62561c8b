"""The two attribute groups of a scan: where they come from, and their unit rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import CoverageError, StimulusError
from eatlas.measures import SCEAT
from eatlas.results.parts import GroupCoverage
from eatlas.results.scan import SIDES, Side
from eatlas.sources import CaseRule, VectorSource
from eatlas.sources.coverage import embed_groups
from eatlas.stimuli import AssociationTest, Concept, GroupsTest, load_tests
from eatlas.stimuli.model import digest

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
    notes: tuple[str, ...]
    sha256: str


def find_attributes(spec: Any) -> Attributes:
    """Take A and B of a test, or two concepts or lists of words.

    Raises
    ------
    StimulusError
        If there is no such test, more than one, or one of another kind; if the words are not
        usable.
    """
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
            remedy="eatlas tests list says of what kind a test is",
        )
    return Attributes(test.id, test.title, test.citation, {"A": test.A, "B": test.B})


def _pair(spec: Sequence[Any]) -> dict[Side, Concept]:
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
            "attributes stand on both sides, A and B",
            got=", ".join(both),
            allowed="words that tell the two concepts apart",
        )
    return {"A": a, "B": b}


def _named(words: Any) -> Concept:
    """A concept that is called by its first words."""
    terms = Concept(name="attributes", terms=words).terms
    more = ", ..." if len(terms) > NAMING else ""
    return Concept(name=", ".join(terms[:NAMING]) + more, terms=terms)


def embed_attributes(attributes: Attributes, source: VectorSource, case: CaseRule) -> AttributeRows:
    """Look the attributes up.

    Raises
    ------
    CoverageError
        If either side has fewer than two terms with a usable vector.
    SourceError
        If the vectors are not well formed.
    """
    terms: dict[str, tuple[str, ...]] = {side: attributes.concepts[side].terms for side in SIDES}
    found = embed_groups(terms, source, case)
    least = SCEAT.minimum["A"]
    for side in SIDES:
        group = found.groups[side]
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
    return AttributeRows(
        rows=np.concatenate([kernels.unit_rows(found.vectors[side]) for side in SIDES]),
        sizes=(len(found.groups["A"].used), len(found.groups["B"].used)),
        groups=found.groups,
        flagged={key: side for side in SIDES for key in found.keys[side].values()},
        notes=found.notes,
        sha256=found.sha256,
    )
