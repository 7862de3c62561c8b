"""The kinds of tests, and the batteries they come in: tests of groups against a reference."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Discriminator, Field, Tag, ValidationInfo, field_validator, model_validator

from eatlas.errors import did_you_mean
from eatlas.notes import Note
from eatlas.stimuli.association_test import (
    ATTRIBUTES,
    OPPOSITES,
    TARGETS,
    AssociationTest,
    Described,
    digest,
    with_id,
)
from eatlas.stimuli.concepts import Concept, as_concept, repeated, told_apart
from eatlas.stimuli.records import Frozen, Identifier, Term, quoted

Reference = Literal["uniform"] | tuple[tuple[str, float], ...]

OF_TARGETS = "targets"
"""Name of the group of targets, which no other group may have."""
SUM_TOLERANCE = 1e-9
"""Weights written with ten decimals or more pass; thirds written as 0.333 are a mistake."""


class GroupsTest(Described):
    """A concept of targets and two or more social groups.

    How strongly is each target associated with each group, and how far is that from the reference
    (Bommasani and Liang 2022, DivDist)? Targets are measured one by one, never as a mean. In Python
    targets may be a list of terms, and groups a mapping from names to lists.

    Examples
    --------
    >>> GroupsTest(
    ...     targets={"Professions": ["nurse", "pilot"]},
    ...     groups={"Female": ["she", "woman"], "Male": ["he", "man"]},
    ...     reference="uniform",
    ... ).id
    'professions-female-male'

    In full:

    >>> test = GroupsTest(
    ...     id="tiny",
    ...     targets=Concept(name="Professions", terms=("nurse", "pilot")),
    ...     groups=(
    ...         Concept(name="Female", terms=("she", "woman")),
    ...         Concept(name="Male", terms=("he", "man")),
    ...     ),
    ...     reference="uniform",
    ... )
    >>> test.label
    'Professions: Female/Male'
    >>> test.weights
    (0.5, 0.5)
    """

    kind: Literal["groups"] = "groups"
    targets: Concept
    """Terms that are measured each alone."""
    groups: tuple[Concept, ...]
    """Two groups at least; names differ, and no term is in two of them."""
    reference: Reference
    """``"uniform"``, or a weight for each group's name; given as a mapping, kept as sorted pairs.

    Weights are 0 or more and sum to 1.
    """
    pairs: tuple[tuple[Term, ...], ...] = ()
    """Terms that differ in the group alone, such as she and he: one of each group, in the order of
    the groups. Measures of a direction need them."""
    references: tuple[tuple[str, tuple[float, ...]], ...] = ()
    """For single targets, where each has a reference of its own: pairs of a target and a weight for
    each group, in their order. A target that is not among them has none then."""
    reference_from: str = ""
    """Where a reference comes from that took the place of the test's own."""

    @model_validator(mode="before")
    @classmethod
    def _in_full(cls, values: Any) -> Any:
        """Make concepts of lists, and an id of their names where there is none."""
        if not isinstance(values, Mapping):
            return values
        targets, groups = values.get("targets"), values.get("groups", ())
        concepts = {}
        if "targets" in values:
            concepts["targets"] = targets = as_concept(targets, OF_TARGETS.capitalize())
        if isinstance(groups, Mapping):
            groups = tuple(as_concept({name: terms}, name) for name, terms in groups.items())
            concepts["groups"] = groups
        names = groups if isinstance(groups, list | tuple) else ()
        return with_id({**values, **concepts}, (targets, *names))

    @field_validator("groups")
    @classmethod
    def _groups_can_be_told_apart(cls, groups: tuple[Concept, ...]) -> tuple[Concept, ...]:
        """Refuse fewer than two groups, and two of one name."""
        if len(groups) < 2:
            raise ValueError(f"needs two groups at least, got {len(groups)}")
        names = [OF_TARGETS, *(group.name for group in groups)]
        if twice := repeated(names):
            raise ValueError(f"the name {quoted(twice)} is taken; names must differ")
        return groups

    @field_validator("reference", mode="before")
    @classmethod
    def _uniform_or_weights(cls, reference: Any, info: ValidationInfo) -> Any:
        """Convert a mapping to sorted pairs; refuse what is no share of each group."""
        if reference == "uniform":
            return reference
        try:
            weights = dict(reference)
        except (TypeError, ValueError):
            raise ValueError(
                f'{reference!r} is not a reference (allowed: "uniform", or one weight for each '
                "group, as in { Female = 0.5, Male = 0.5 })"
            ) from None
        if "groups" not in info.data:  # they are faulty, which is said
            return "uniform"
        if fault := fault_of_weights(weights, [group.name for group in info.data["groups"]]):
            raise ValueError(fault)
        return tuple(sorted(weights.items()))

    @field_validator("references", mode="before")
    @classmethod
    def _as_pairs(cls, references: Any) -> Any:
        return tuple(sorted(references.items())) if isinstance(references, Mapping) else references

    @field_validator("pairs")
    @classmethod
    def _pairs_are_of_the_groups(
        cls, pairs: tuple[tuple[str, ...], ...], info: ValidationInfo
    ) -> tuple[tuple[str, ...], ...]:
        groups = info.data.get("groups", ())
        for pair in pairs if groups else ():
            if len(pair) != len(groups) or any(
                term not in group.terms for term, group in zip(pair, groups, strict=True)
            ):
                raise ValueError(
                    f"{list(pair)} is not a pair of the groups (allowed: one term of each of "
                    f"{', '.join(group.name for group in groups)}, in this order)"
                )
        return pairs

    @model_validator(mode="after")
    def _groups_share_no_term(self) -> GroupsTest:
        """Give images of different groups different names; check the references of targets."""
        targets, *groups = told_apart([self.targets, *self.groups])
        self.__dict__.update(targets=targets, groups=tuple(groups))
        shared = [
            f"{quoted(both)} in {one.name} and {other.name}"
            for one, other in combinations(groups, 2)
            if (both := [term for term in one.terms if term in set(other.terms)])
        ]
        if shared:
            raise ValueError(
                f"terms are in two groups: {'; '.join(shared)}; "
                "a term of both cannot distinguish the groups"
            )
        names = [group.name for group in groups]
        for target, weights in self.references:
            if len(weights) != len(names):
                raise ValueError(f"{len(weights)} weights of {target!r} for {len(names)} groups")
            if fault := fault_of_weights(dict(zip(names, weights, strict=True)), names):
                raise ValueError(f"the reference of {target!r}: {fault}")
        return self

    @classmethod
    def of_association(
        cls, test: AssociationTest, groups: Literal["AB", "XY"] = "AB", **values: Any
    ) -> Self:
        """Make a test of groups of an association test.

        Parameters
        ----------
        test : AssociationTest
        groups : {"AB", "XY"}
            What becomes the two groups; the terms of the other two become the targets.
        **values
            Other fields, such as ``id`` and ``pairs``; the reference is uniform by default.

        Examples
        --------
        >>> from eatlas import load_tests
        >>> (test,) = load_tests("weat-6")
        >>> GroupsTest.of_association(test).label, GroupsTest.of_association(test, "XY").id
        ('Male names/Female names: Career/Family', 'weat-6-XY')
        """
        targets, compared = (TARGETS, ATTRIBUTES) if groups == "AB" else (ATTRIBUTES, TARGETS)
        one, other = map(test.concept, targets)
        lists = ("terms", "images", "sentences", "absent", "clusters")
        both = {name: getattr(one, name) + getattr(other, name) for name in lists}
        fields = {
            "id": f"{test.id}-{groups}",
            "title": test.title,
            "citation": test.citation,
            "contexts": test.contexts,
            "targets": Concept(name=f"{one.name}/{other.name}", **both),
            "groups": tuple(map(test.concept, compared)),
            "reference": "uniform",
        }
        return cls(**{**fields, **values})

    @property
    def weights(self) -> tuple[float, ...]:
        """The reference in the order of the groups; sums to 1."""
        if self.reference == "uniform":
            return (1 / len(self.groups),) * len(self.groups)
        weights = dict(self.reference)
        return tuple(float(weights[group.name]) for group in self.groups)

    @property
    def concepts(self) -> dict[str, Concept]:
        """The targets, as ``targets``, and the groups by their names."""
        return {OF_TARGETS: self.targets, **{group.name: group for group in self.groups}}

    @classmethod
    def of(cls, concepts: Mapping[str, Concept], **values: Any) -> Self:
        """Make a test of the targets and of the concepts of the groups, by their names."""
        groups = tuple(group for name, group in concepts.items() if name != OF_TARGETS)
        return cls(targets=concepts[OF_TARGETS], groups=groups, **values)

    def stated(self) -> dict[str, Any]:
        """Names of the groups, and their shares in the reference; pairs where there are any."""
        stated = {
            "groups": tuple(group.name for group in self.groups),
            "reference": self.weights,
            "pairs": self.pairs,
            "references": dict(self.references),
            "reference_from": self.reference_from,
        }
        return {name: value for name, value in stated.items() if value}

    def against(self, other: Described) -> Self:
        """Return the test with the reference of another, where that took the place of its own."""
        if not isinstance(other, GroupsTest) or not other.reference_from:
            return self
        names = ("reference", "references", "reference_from")
        return self.model_copy(update={name: getattr(other, name) for name in names})

    @property
    def parts(self) -> tuple[tuple[str, Concept], ...]:
        """Every concept with the part it plays, which all groups share."""
        return ((OF_TARGETS, self.targets), *(("group", group) for group in self.groups))

    @property
    def label(self) -> str:
        """The targets' name, then the groups'."""
        return f"{self.targets.name}: {'/'.join(group.name for group in self.groups)}"

    @property
    def stimuli_sha256(self) -> str:
        """Hash of the terms by part, with the reference's weights, and of the pairs.

        The order of terms and all names leave it unchanged; the order of the groups does not.
        """
        content = {
            "kind": self.kind,
            "targets": _hashed(self.targets),
            "groups": [_hashed(group) for group in self.groups],
            "weights": self.weights,
            "pairs": sorted(self.pairs),
            "references": self.references,
        }
        return digest({name: value for name, value in content.items() if value})


Test = AssociationTest | GroupsTest
"""A test of any kind; ``kind`` says which."""
TestLike = str | Path | Test | Mapping[str, Sequence[str]]
"""The id of a test or battery, a TOML file, a test, or four lists of terms by name."""
TestsLike = TestLike | Iterable[TestLike]
"""One or several of what :func:`eatlas.load_tests` finds tests by."""

KINDS: dict[str, type[AssociationTest] | type[GroupsTest]] = {
    "association": AssociationTest,
    "groups": GroupsTest,
}


def _kind_of(test: Any) -> str:
    """The kind of a test, or of a table: it may be left out where the keys show it."""
    if not isinstance(test, Mapping):
        return getattr(test, "kind", "association")
    return str(test.get("kind", "groups" if {"targets", "groups"} & test.keys() else "association"))


_Kinds = Annotated[AssociationTest, Tag("association")] | Annotated[GroupsTest, Tag("groups")]
_BY_KIND = Discriminator(
    _kind_of,
    custom_error_type="kind",
    custom_error_message=f"kind is one of {', '.join(KINDS)}",
)


class Battery(Frozen):
    """Tests that were published, or are meant to be reported, together."""

    id: Identifier
    title: str = ""
    citation: str = ""
    notes: tuple[str, ...] = ()
    tests: tuple[Annotated[_Kinds, _BY_KIND], ...] = Field(min_length=1)

    @field_validator("tests")
    @classmethod
    def _ids_differ(cls, tests: tuple[Test, ...]) -> tuple[Test, ...]:
        if twice := repeated(test.id for test in tests):
            raise ValueError(f"several tests have the id {quoted(twice)}; ids must differ")
        return tests


def fault_of_weights(weights: Mapping[str, object], names: Sequence[str]) -> str:
    """Say why weights are not one for each of the groups with these names, with sum 1."""
    for name, weight in weights.items():
        if name not in names:
            return (
                f"there is no group {name!r}{did_you_mean(name, names)} (allowed: {quoted(names)})"
            )
        if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:
            return f"the weight of {name!r} is {weight!r} (allowed: a number from 0 to 1)"
    if missing := [name for name in names if name not in weights]:
        return f"no weight for {quoted(missing)}; 0 is a weight"
    total = math.fsum(weights.values())  # type: ignore[arg-type]
    return (
        "" if abs(total - 1) <= SUM_TOLERANCE else f"the weights sum to {total:.12g}, and not to 1"
    )


def _hashed(concept: Concept) -> list[Any]:
    """What of a concept belongs to the hash: its terms, or the hashes of its images."""
    return concept.stimuli if concept.images else sorted(concept.terms)


_JOINERS = "\u200c\u200d"
"""Invisible, but part of how Persian, Hindi and emoji are written."""


def remarks(test: Test) -> list[Note]:
    """Say what deserves a second look.

    Two concepts of one name are allowed, since names change no number; a table or a sentence can
    then not tell which of the two is meant. A term may hold an invisible character, and then it is
    found nowhere.
    """
    notes: list[Note] = []
    if test.explored is not None:
        notes.append(Note("stimuli.explored", values={"lists": test.explored}))
    for one, other in OPPOSITES if isinstance(test, AssociationTest) else ():
        if (name := test.concept(one).name) == test.concept(other).name:
            notes.append(Note("stimuli.one-name", values={"groups": [one, other], "name": name}))
    for role, concept in test.parts if test.contexts is None else ():
        notes += _of_images(role, concept) if concept.images else _of_terms(role, concept)
    return [*notes, *of_sentences(test)]


def _of_terms(role: str, concept: Concept) -> Iterator[Note]:
    """Name terms that hold what a vocabulary does not."""
    for term in concept.terms:
        values = {"term": ascii(term), "concept": concept.name}
        if hidden := _hidden(term):
            yield Note("stimuli.hidden-character", role, {**values, "character": hidden})
        elif not unicodedata.is_normalized("NFC", term):
            yield Note("stimuli.not-composed", role, values)


def _of_images(role: str, concept: Concept) -> Iterator[Note]:
    """Say so where a copy of a published set has fewer or more images than were published."""
    if not concept.images_from or not concept.at_hand:
        return
    from eatlas.stimuli.image_files import published_count  # noqa: PLC0415  (only tests of images need it)

    here, published = len(concept.images), published_count(concept.images_from)
    if here != published:
        values = {"concept": concept.name, "here": here, "set": concept.images_from}
        values |= {"same": len(concept.absent), "published": published}
        yield Note("stimuli.images-of-a-set", role, values)


def of_sentences(test: Test) -> Iterator[Note]:
    """Say how many stimuli there really are, to readers of p-values over sentences."""
    counted = {
        role: [len(concept.terms), stimuli]
        for role, concept in test.parts
        if concept.sentences
        if (stimuli := len(set(concept.stimulus_of.values()))) < len(concept.terms)
    }
    if counted:
        yield Note("stimuli.sentences", values={"groups": counted})


def _hidden(term: str) -> str | None:
    """Name the first character of a term that cannot be seen, such as a tab."""
    for character in "" if term.isprintable() else term:
        if unicodedata.category(character) in {"Cc", "Cf"} and character not in _JOINERS:
            name = unicodedata.name(character, "a control character").lower()
            return f"U+{ord(character):04X} ({name}), which cannot be seen"
    return None
