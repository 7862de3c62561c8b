"""The kinds of tests, and the batteries they come in: tests of groups against a reference."""

from __future__ import annotations

import math
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

from pydantic import ValidationInfo, field_validator, model_validator

from eatlas.errors import nearest
from eatlas.stimuli.association_test import (
    ATTRIBUTES,
    OPPOSITES,
    TARGETS,
    AssociationTest,
    Described,
    digest,
    with_id,
)
from eatlas.stimuli.concepts import Concept, as_concept, listed, repeated
from eatlas.stimuli.images import told_apart
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

    whole: ClassVar[str] = "reference"
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

    @classmethod
    def in_full(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Make concepts of lists, and an id of their names where there is none."""
        concepts = {}
        if "targets" in values:
            concepts["targets"] = as_concept(values["targets"], OF_TARGETS.capitalize())
        if isinstance(groups := values.get("groups"), Mapping) and "terms" not in groups:
            concepts["groups"] = tuple(as_concept({k: one}, k) for k, one in groups.items())
        values = {**values, **concepts}
        groups = values.get("groups")
        named = groups if isinstance(groups, list | tuple) else ()
        return with_id(values, (values.get("targets"), *named))

    @classmethod
    def between(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the terms of each group, and of all groups, together."""
        if fault := repeated(listed(values.get("targets"))):
            yield "targets.terms", fault
        groups = values.get("groups")
        groups = list(groups) if isinstance(groups, list | tuple) else []
        for number, group in enumerate(groups, start=1):
            if fault := repeated(listed(group)):
                yield f"groups.terms, group {number}", fault
        named = [(name, listed(group)) for group in groups if (name := _name(group))]
        if named and len(named) == len(groups):
            for fault in not_told_apart(named):
                yield "groups", fault

    @model_validator(mode="before")
    @classmethod
    def _names_tell_images_apart(cls, values: object) -> object:
        """Give images of different groups different names, longer ends of their paths."""
        if not isinstance(values, Mapping):
            return values
        groups = values.get("groups")
        groups = list(groups) if isinstance(groups, list | tuple) else []
        numbered = {str(place): one for place, one in enumerate(groups)}
        found = told_apart({OF_TARGETS: values.get(OF_TARGETS), **numbered})
        if not found:
            return values
        kept = [found.get(place, one) for place, one in numbered.items()]
        return {**values, OF_TARGETS: found.get(OF_TARGETS, values.get(OF_TARGETS)), "groups": kept}

    @field_validator("groups")
    @classmethod
    def _groups_can_be_told_apart(cls, groups: tuple[Concept, ...]) -> tuple[Concept, ...]:
        if faults := not_told_apart([(group.name, group.terms) for group in groups]):
            raise ValueError(faults[0])
        return groups

    @field_validator("reference", mode="before")
    @classmethod
    def _uniform_or_weights(cls, given: object) -> Reference:
        """Convert a reference to ``uniform`` or to sorted weights."""
        if given == "uniform":
            return "uniform"
        if isinstance(given, Mapping):
            return tuple(sorted((name, _weight(name, weight)) for name, weight in given.items()))
        if isinstance(given, tuple | list) and all(map(_is_pair, given)):
            return cls._uniform_or_weights(dict(given))
        raise ValueError(
            f'{given!r} is not a reference (allowed: "uniform", or one weight for each group, as '
            "in { Female = 0.5, Male = 0.5 })"
        )

    @field_validator("references", mode="before")
    @classmethod
    def _as_pairs(cls, given: Any) -> Any:
        return tuple(sorted(given.items())) if isinstance(given, Mapping) else given

    @model_validator(mode="after")
    def _one_weight_for_each_group(self) -> GroupsTest:
        names = [group.name for group in self.groups]
        for target, weights in self.references:
            if faults := not_shares(weights, names):
                raise ValueError(f"the reference of {target!r}: {faults[0]}")
        if self.reference == "uniform":
            return self
        if faults := not_weighted(dict(self.reference), names):
            raise ValueError(faults[0])
        return self

    @field_validator("pairs")
    @classmethod
    def _pairs_are_of_the_groups(
        cls, pairs: tuple[tuple[str, ...], ...], given: ValidationInfo
    ) -> tuple[tuple[str, ...], ...]:
        if faults := not_paired(pairs, given.data.get("groups", ())):
            raise ValueError(faults[0])
        return pairs

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
        (first, second), sides = ATTRIBUTES if groups == "AB" else TARGETS, OPPOSITES
        one, other = (test.concept(role) for side in sides if first not in side for role in side)
        targets = Concept(
            name=f"{one.name}/{other.name}",
            terms=one.terms + other.terms,
            images=one.images + other.images,
            sentences=one.sentences + other.sentences,
            absent=one.absent + other.absent,
            clusters=one.clusters + other.clusters,
        )
        said = {"id": f"{test.id}-{groups}", "reference": "uniform", "targets": targets}
        kept = {name: getattr(test, name) for name in ("title", "citation", "contexts")}
        compared = (test.concept(first), test.concept(second))
        return cls(**{**kept, **said, "groups": compared, **values})

    @property
    def weights(self) -> tuple[float, ...]:
        """The reference in the order of the groups; sums to 1."""
        if self.reference == "uniform":
            return (1 / len(self.groups),) * len(self.groups)
        given = dict(self.reference)
        return tuple(given[group.name] for group in self.groups)

    @property
    def concepts(self) -> dict[str, Concept]:
        """The targets, as ``targets``, and the groups by their names."""
        return {OF_TARGETS: self.targets, **{group.name: group for group in self.groups}}

    @classmethod
    def of(cls, concepts: Mapping[str, Concept], **values: Any) -> Self:
        """Make a test of the targets and of the concepts of the groups, by their names."""
        groups = tuple(one for name, one in concepts.items() if name != OF_TARGETS)
        return cls(targets=concepts[OF_TARGETS], groups=groups, **values)

    def stated(self) -> dict[str, Any]:
        """Names of the groups, and their shares in the reference; pairs where there are any."""
        more = {
            "pairs": self.pairs,
            "references": dict(self.references),
            "reference_from": self.reference_from,
        }
        return {
            "groups": tuple(one.name for one in self.groups),
            "reference": self.weights,
            **{name: value for name, value in more.items() if value},
        }

    def against(self, other: Described) -> Self:
        """Return the test with the reference of another, where that took the place of its own."""
        if not isinstance(other, GroupsTest) or not other.reference_from:
            return self
        kept = ("reference", "references", "reference_from")
        return self.model_copy(update={name: getattr(other, name) for name in kept})

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
        groups = [_hashed(group) for group in self.groups]
        more = {"pairs": sorted(self.pairs), "references": self.references}
        targets = {"kind": self.kind, "targets": _hashed(self.targets)}
        known = {name: value for name, value in more.items() if value}
        return digest({**targets, "groups": groups, "weights": self.weights, **known})


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


class Battery(Frozen):
    """Tests that were published, or are meant to be reported, together."""

    id: Identifier
    title: str = ""
    citation: str = ""
    notes: tuple[str, ...] = ()
    tests: tuple[Test, ...]


def not_told_apart(groups: Sequence[tuple[str, Iterable[str]]]) -> list[str]:
    """Say why groups, as pairs of a name and terms, cannot be distinguished."""
    faults = [f"needs two groups at least, got {len(groups)}"] * (len(groups) < 2)
    twice = [name for name, n in Counter(name for name, _ in groups).items() if n > 1]
    if twice:
        faults.append(f"more than one group has the name {quoted(twice)}; names must differ")
    if any(name == OF_TARGETS for name, _ in groups):
        faults.append(f"a group has the name {OF_TARGETS!r}, by which the targets are known")
    both = [
        f"{quoted(shared)} in {one} and {other}"
        for (one, terms), (other, others) in combinations(groups, 2)
        if (shared := [term for term in terms if term in others])
    ]
    if both:
        faults.append(
            f"terms are in two groups: {'; '.join(both)}; "
            "a term of both cannot distinguish the groups"
        )
    return faults


def not_paired(pairs: Iterable[Sequence[str]], groups: Sequence[Concept]) -> list[str]:
    """Say which pairs are not one term of each group, in the order of the groups."""
    return [
        f"{list(pair)} is not a pair of the groups (allowed: one term of each of "
        f"{', '.join(group.name for group in groups)}, in this order)"
        for pair in pairs
        if groups
        if len(pair) != len(groups)
        or any(term not in one.terms for term, one in zip(pair, groups, strict=True))
    ]


def not_weighted(weights: Mapping[str, float], names: Sequence[str]) -> list[str]:
    """Say why weights are not one for each of the groups that have these names, with sum 1."""
    faults = [
        f"there is no group {name!r}{_near(name, names)}" for name in weights if name not in names
    ]
    missing = [name for name in names if name not in weights]
    if missing:
        faults.append(f"no weight for {quoted(missing)}; 0 is a weight")
    total = math.fsum(weights.values())
    if not faults and abs(total - 1) > SUM_TOLERANCE:
        faults.append(f"the weights sum to {total:.12g}; they must sum to 1")
    return faults


def not_shares(weights: Sequence[float], names: Sequence[str]) -> list[str]:
    """Say why numbers are not one weight for each of some groups, in their order, with sum 1."""
    if len(weights) != len(names):
        return [f"{len(weights)} weights for {len(names)} groups ({quoted(names)})"]
    bad = [weight for weight in weights if not 0 <= weight <= 1]
    if bad:
        return [f"the weight {bad[0]!r} is not a number from 0 to 1"]
    return not_weighted(dict(zip(names, weights, strict=True)), names)


def _hashed(concept: Concept) -> list[Any]:
    """What of a concept belongs to the hash: its terms, or the hashes of its images."""
    return concept.stimuli if concept.images else sorted(concept.terms)


def _weight(name: object, weight: object) -> float:
    if isinstance(weight, bool) or not isinstance(weight, int | float) or not 0 <= weight <= 1:
        raise ValueError(f"the weight of {name!r} is {weight!r} (allowed: a number from 0 to 1)")
    return float(weight)


def _name(group: object) -> str | None:
    name = group.get("name") if isinstance(group, Mapping) else getattr(group, "name", None)
    return name if isinstance(name, str) else None


def _is_pair(pair: object) -> bool:
    return isinstance(pair, tuple | list) and len(pair) == 2 and isinstance(pair[0], str)


def _near(name: str, names: Iterable[str]) -> str:
    near = nearest(name, names)
    return f"; did you mean {near[0]!r}?" if near else f" (allowed: {quoted(names)})"


_JOINERS = "\u200c\u200d"
"""Invisible, but part of how Persian, Hindi and emoji are written."""


def remarks(test: Test) -> list[str]:
    """Say, in whole sentences, what deserves a second look.

    Two concepts of one name are allowed, since names change no number; a table or a sentence can
    then not tell which of the two is meant. A term may hold an invisible character, and then it is
    found nowhere.
    """
    terms = _of_terms if test.contexts is None else _of_contexts
    return [*_of_exploring(test), *_of_names(test), *terms(test), *of_sentences(test)]


def _of_exploring(test: Test) -> Iterator[str]:
    if test.explored is not None:
        lists = "1 list was" if test.explored == 1 else f"{test.explored:,} lists were"
        yield (
            "The words were changed after results had been seen: p-values describe these lists, "
            f"and are no evidence of a discovery. {lists} looked at."
        )


def _of_names(test: Test) -> Iterator[str]:
    if not isinstance(test, AssociationTest):
        return
    for one, other in OPPOSITES:
        if test.concept(one).name == test.concept(other).name:
            yield (
                f"{one} and {other} have the same name, {test.concept(one).name}: "
                "tables and sentences cannot distinguish them."
            )


def _of_terms(test: Test) -> Iterator[str]:
    """Name terms that hold what a vocabulary does not."""
    for role, concept in test.parts:
        if concept.images:
            yield from _of_a_set(role, concept)
            continue
        for term in concept.terms:
            if hidden := _hidden(term):
                yield (
                    f"The term {term!a} of {role} ({concept.name}) holds {hidden}: it matches no "
                    "word that is written without."
                )
            elif not unicodedata.is_normalized("NFC", term):
                yield (
                    f"The term {term!a} of {role} ({concept.name}) is not in the composed form of "
                    "Unicode, NFC, in which most vectors name their words."
                )


def _of_a_set(role: str, concept: Concept) -> Iterator[str]:
    """Say so where a copy of a published set has fewer or more images than were published."""
    if not concept.images_from or not concept.at_hand:
        return
    from eatlas.stimuli.image_sets import published_count  # noqa: PLC0415  (only tests of images need it)

    here, published = len(concept.images), published_count(concept.images_from)
    if here != published:
        left_out = len(concept.absent)
        same = f" ({left_out} more have the bytes of another one)" if left_out else ""
        yield (
            f"{role} ({concept.name}): {here} images of {concept.images_from} are here{same}, and "
            f"{published} were published."
        )


def _of_contexts(test: Test) -> Iterator[str]:
    """Count contexts with characters that nobody sees; there may be very many."""
    texts = {text for _, concept in test.parts for text in concept.texts}
    hidden = sorted(text for text in texts if _hidden(text))
    if hidden:
        yield (
            f"{len(hidden):,} of {len(texts):,} contexts hold a character that cannot be seen, "
            f"such as {_hidden(hidden[0])}."
        )


def of_sentences(test: Test) -> Iterator[str]:
    """Say how many stimuli there really are, to readers of p-values over sentences."""
    parts = [(role, concept) for role, concept in test.parts if concept.sentences]
    counted = [
        f"{role} {len(concept.terms)} of {stimuli}"
        for role, concept in parts
        if (stimuli := len(set(concept.stimulus_of.values()))) < len(concept.terms)
    ]
    if counted:
        yield (
            f"Each stimulus occurs in several sentences ({', '.join(counted)}). Sentences with "
            "the same stimulus are not independent, so p-values that relabel single sentences are "
            "too small."
        )


def _hidden(term: str) -> str | None:
    """Name the first character of a term that cannot be seen, such as a tab."""
    for character in "" if term.isprintable() else term:
        if unicodedata.category(character) in {"Cc", "Cf"} and character not in _JOINERS:
            name = unicodedata.name(character, "a control character").lower()
            return f"U+{ord(character):04X} ({name}), which cannot be seen"
    return None
