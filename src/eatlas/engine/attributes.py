"""Groups of words that a scan compares: of a test, or lists of words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eatlas.errors import StimulusError, listed
from eatlas.results.scan import SIDES
from eatlas.stimuli import AssociationTest, Concept, GroupsTest, load_tests
from eatlas.stimuli.kinds import TestLike

GroupsLike = TestLike | tuple[Concept, Concept] | Mapping[str, Sequence[str]]


def find_attributes(spec: Any) -> tuple[AssociationTest | None, dict[str, Concept]]:
    """Take A and B of a test, or two concepts or lists of words, which come from no test."""
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
        return None, {"A": a, "B": b}
    test, *others = load_tests(spec)
    if others or not isinstance(test, AssociationTest) or test.A.images or test.B.images:
        raise StimulusError(
            f"{spec}: a scan takes the attributes of one test, and they are words",
            got=f"{listed([t.id for t in (test, *others)], 12)}, of the kind {test.kind}",
            allowed="a test of the kind association, with words as attributes A and B",
            remedy="name one of them; eatlas tests list shows the kind of each test",
        )
    return test, {"A": test.A, "B": test.B}


def _named(words: Any) -> Concept:
    """A concept that is called by its first two words."""
    terms = Concept(name="attributes", terms=words).terms
    return Concept(name=", ".join(terms[:2]) + ", ..." * (len(terms) > 2), terms=terms)


def find_groups(attributes: Any) -> tuple[AssociationTest | GroupsTest | None, dict[str, Concept]]:
    """Groups of a test, or lists of words, by role."""
    test, concepts = None, []
    if isinstance(attributes, Mapping):
        concepts = [Concept(name=str(name), terms=words) for name, words in attributes.items()]
    elif not isinstance(attributes, tuple | list):
        test, *others = load_tests(attributes)
        if isinstance(test, GroupsTest) and not others:
            concepts = list(test.groups)
    if not concepts:
        return find_attributes(attributes)
    counts = Counter(word for concept in concepts for word in concept.terms)
    if several := [word for word, n in counts.items() if n > 1]:
        raise StimulusError(
            "some words are in several groups",
            got=listed(several),
            allowed="words that are in one of the groups only",
        )
    if len(concepts) < 2:
        raise StimulusError(
            "themes are compared between groups of words",
            got=f"one group, {concepts[0].name}",
            allowed="two groups or more",
        )
    return test, by_role(concepts)


def by_role(concepts: Sequence[Concept]) -> dict[str, Concept]:
    """Two groups are A and B, more are G1, G2 and so on."""
    roles = SIDES if len(concepts) == 2 else [f"G{i}" for i in range(1, len(concepts) + 1)]
    return dict(zip(roles, concepts, strict=True))
