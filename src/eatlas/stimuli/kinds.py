"""The kinds of tests, frozen and only ever well formed, and the batteries they come in."""

from __future__ import annotations

import hashlib
import json
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import AfterValidator, Discriminator, Field, Tag, field_validator, model_validator

from eatlas.errors import StimulusError, did_you_mean
from eatlas.notes import Note
from eatlas.stimuli.concepts import (
    OF_PAIRS,
    Concept,
    as_concept,
    check_tables,
    distinguish_images,
    find_duplicates,
    sentence_groups,
    without_sides,
)
from eatlas.stimuli.images import not_here
from eatlas.stimuli.keys import key_names, take_added
from eatlas.stimuli.languages import require_tag
from eatlas.stimuli.records import Frozen, Identifier, Term, quote

TARGETS: tuple[str, str] = ("X", "Y")
ATTRIBUTES: tuple[str, str] = ("A", "B")
OPPOSITES = (TARGETS, ATTRIBUTES)
ROLES: tuple[str, ...] = (*TARGETS, *ATTRIBUTES)
"""The groups of an association test."""
OF_SENTENCES = "sent-"
"""How the ids of tests begin that are made of tests of words."""


Language = Annotated[str, AfterValidator(require_tag)]
"""A language tag, or nothing."""


class ContextsOrigin(Frozen):
    """A file of contexts, and what of it was taken."""

    name: str
    """Name of the file; empty for contexts that were not loaded from one."""
    sha256: str
    """Hash of all its contexts, whatever their order."""
    per_term: int | None = Field(default=None, ge=1)
    """So many contexts of each stimulus or pair, the first; None for all."""
    window: Annotated[int, Field(ge=0)] | Literal["sentence"] | None = None
    """Words on either side of a stimulus, as they are or were cut; or the whole sentence. None
    where the file does not say."""
    distance: int | None = Field(default=None, ge=0)
    """Most words between the two stimuli of a pair, of pairs."""

    def columns(self) -> dict[str, Any]:
        """Columns of a table: what is known of the window, and of the distance of pairs."""
        sizes = {"window": self.window, "distance": self.distance}
        return {name: size for name, size in sizes.items() if size is not None}

    @property
    def size(self) -> str:
        """Such as "window 9, distance 18"; empty where nothing is known."""
        return ", ".join(f"{name} {size}" for name, size in self.columns().items())

    def __str__(self) -> str:
        """Name and hash, for people."""
        return f"{self.name or 'a corpus'}, SHA-256 {self.sha256}"


class ExploredOn(Frozen):
    """The vectors, and the words of groups, with which a theme was found whose words are X."""

    source: str
    """Source string of the vectors, or the name that the scan gave them."""
    fingerprint: str
    """Identifies their content."""
    theme: str
    towards: Literal["A", "B"]
    """The attributes that the theme is associated with there."""
    p_max_t: float = Field(gt=0.0, le=1.0)
    """Two-sided, adjusted for all themes by the step-down maxT."""
    themes: int = Field(ge=1)
    """How many were tested."""
    words: tuple[str, ...] = Field(min_length=1)
    """Words of the groups that the search used, with which no test confirms the theme."""


class Described(Frozen):
    """What every kind of test says about itself."""

    id: Identifier
    """Short name, unique within a battery; no spaces, commas or ``;#?=``."""
    title: str = ""
    citation: str = ""
    language: Language = ""
    """Language of the words as a tag of BCP 47, such as ``de``, ``pt-BR`` or ``zh-Hant``: its rules
    of case apply, and no template of English. Empty where none is named, which is as English."""
    table: str = ""
    """Where numbers for this test are published."""
    notes: tuple[str, ...] = ()
    """Every deviation of the stimuli from the source cited, and cautions."""
    sentences_from: str = ""
    """Where sentences that were not made for the test were taken from, such as a file's hash."""
    contexts: ContextsOrigin | None = None
    """The file of contexts that they are, where :func:`eatlas.with_contexts` took them."""
    explored: int | None = Field(default=None, ge=1)
    """Number of lists of words that were looked at, these among them, where words were changed
    after results had been seen; None where the words were chosen before any result."""
    explored_on: ExploredOn | None = None
    """Where X was found as a theme, and with which words: only others can confirm it."""

    @property
    def concepts(self) -> Mapping[str, Concept]:
        """The concept of each group, by the group's name."""
        raise NotImplementedError

    @classmethod
    def of(cls, concepts: Mapping[str, Concept], **values: Any) -> Self:
        """Make a test of the concepts by their groups' names, as :attr:`concepts` has them."""
        return cls(**concepts, **values)

    def with_concepts(self, concepts: Mapping[str, Concept]) -> Self:
        """The same test with other concepts of its groups."""
        kept = type(self).model_fields.keys() - {*concepts, "groups", "kind"}
        fields = {name: getattr(self, name) for name in kept}
        return type(self).of(concepts, **fields)

    def stated(self) -> dict[str, Any]:
        """What every result of a test of this kind says of it besides its concepts."""
        return {}

    def against(self, other: Described) -> Self:  # noqa: ARG002  (kinds without a reference)
        """Return the test with the reference of another, where that took the place of its own."""
        return self

    @property
    def parts(self) -> tuple[tuple[str, Concept], ...]:
        """Every concept with the part it plays."""
        return tuple(self.concepts.items())

    @property
    def terms(self) -> tuple[str, ...]:
        """Every term of the test, once."""
        return tuple(dict.fromkeys(term for one in self.concepts.values() for term in one.terms))

    @property
    def at_hand(self) -> bool:
        """Whether all stimuli are: False where images of a published set are not here."""
        return all(concept.at_hand for _, concept in self.parts)

    def require_at_hand(self) -> None:
        """Refuse a test whose images are not on this machine."""
        if lacking := [one.images_from for _, one in self.parts if not one.at_hand]:
            raise not_here(lacking, f"test {self.id}")

    def concept(self, group: str) -> Concept:
        """Return the concept of a group."""
        return self.concepts[group]

    def save(self, path: str | Path) -> None:
        """Write the test to a TOML file, which :func:`eatlas.load_tests` and the command line read.

        Parameters
        ----------
        path : str or path
            Such as ``mine.toml``; a file of this name is replaced.

        Raises
        ------
        StimulusError
            If the name does not end in ``.toml``.
        ResultsError
            If the file cannot be written.

        Examples
        --------
        >>> import eatlas, tempfile
        >>> path = tempfile.mkdtemp() + "/mine.toml"
        >>> (test,) = eatlas.load_tests("weat-6")
        >>> test.save(path)
        >>> eatlas.load_tests(path) == (test,)
        True
        """
        from eatlas.stimuli.toml import write_toml  # noqa: PLC0415  (few write tests)

        write_toml([self], path)

    def __repr__(self) -> str:
        sizes = ", ".join(str(len(one.terms)) for one in self.concepts.values())
        return f"<{type(self).__name__} {self.id}: {self.label} ({sizes} terms)>"

    __str__ = __repr__

    @property
    def label(self) -> str:
        """Names of the concepts, for people."""
        return "/".join(one.name for one in self.concepts.values())

    def labels_sha256(self, stimuli_sha256: str) -> str:
        """Hash of what the test and its groups are called, bound to the hash of its stimuli.

        That words were changed after results were seen belongs to it.
        """
        names = {group: concept.name for group, concept in self.concepts.items()}
        content: dict[str, Any] = {"id": self.id, "title": self.title, "citation": self.citation}
        found_on = self.explored_on and self.explored_on.model_dump()
        more = {"language": self.language, "explored": self.explored, "explored_on": found_on}
        content |= {"names": names, **{name: value for name, value in more.items() if value}}
        return digest({**content, "stimuli": stimuli_sha256})


class AssociationTest(Described):
    """Two target concepts X and Y, two attribute concepts A and B.

    In Python each may be given as a :class:`Concept`, as a list of terms, or as a list with its
    name, ``{"Flowers": [...]}``. The id is made of the names where it is left out.

    Examples
    --------
    >>> AssociationTest(
    ...     X={"Flowers": ["aster", "clover"]},
    ...     Y={"Insects": ["ant", "flea"]},
    ...     A={"Pleasant": ["love", "peace"]},
    ...     B={"Bad": ["hatred", "war"]},
    ... )
    <AssociationTest flowers-insects-pleasant-bad: Flowers/Insects, Pleasant/Bad (2, 2, 2, 2 terms)>

    In full:

    >>> test = AssociationTest(
    ...     id="tiny",
    ...     X=Concept(name="Flowers", terms=("aster", "clover")),
    ...     Y=Concept(name="Insects", terms=("ant", "flea")),
    ...     A=Concept(name="Pleasant", terms=("love", "peace")),
    ...     B=Concept(name="Unpleasant", terms=("hatred", "war")),
    ... )
    >>> test.label
    'Flowers/Insects, Pleasant/Unpleasant'
    """

    kind: Literal["association"] = "association"
    X: Concept
    Y: Concept
    A: Concept
    B: Concept
    more: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """Texts of keys that other packages add, by key; each is an attribute of the test."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> tuple[str, ...]:
            """Texts of a key that another package adds."""
            if name.startswith("_") or name not in key_names():
                return super().__getattr__(name)
            return dict(self.more).get(name, ())

    @model_validator(mode="before")
    @classmethod
    def _in_full(cls, values: Any) -> Any:
        """Make concepts of lists, and an id of their names where there is none."""
        if not isinstance(values, Mapping):
            return values
        concepts = {role: as_concept(values[role], role) for role in ROLES if role in values}
        values = take_added({**values, **concepts}, cls.model_fields)
        return with_id(values, concepts.values())

    @model_validator(mode="after")
    def _opposites_are_disjoint(self) -> AssociationTest:
        self.__dict__.update(zip(ROLES, distinguish_images([*self.concepts.values()]), strict=True))
        faults = []
        for first, second in OPPOSITES:
            one, other = self.concept(first), self.concept(second)
            both = sorted(set(one.terms) & set(other.terms))
            names = {sha256: name for name, sha256 in other.image_of.items() if sha256}
            both += [f"{t}, {names[h]}" for t, h in one.image_of.items() if h in names]
            if both:
                faults.append(
                    f"{'the term' if len(both) == 1 else 'terms'} {quote(both)} "
                    f"{'is' if len(both) == 1 else 'are'} on both sides, {first} and {second}; "
                    "a term that is both cannot distinguish the two concepts"
                )
        if faults:
            raise ValueError("; ".join(faults))
        return self

    @classmethod
    def of_lists(cls, groups: Mapping[str, Any], **values: Any) -> Self:
        """Make a test of four lists by name: X and Y, then A and B.

        Parameters
        ----------
        groups : mapping of str to list of str
            In the order of two target concepts and two attribute concepts.
        **values
            Other fields, such as ``id`` and ``title``.

        Raises
        ------
        StimulusError
            If there are not four, or a list is not usable.

        Examples
        --------
        >>> AssociationTest.of_lists(
        ...     {"Engineers": ["engineer"], "Nurses": ["nurse"], "Male": ["he"], "Female": ["she"]}
        ... ).label
        'Engineers/Nurses, Male/Female'
        """
        if len(groups) != len(ROLES):
            raise StimulusError(
                "an association test has four lists of terms",
                got=f"{len(groups)}: {quote(map(str, groups))}",
                allowed='two targets, then two attributes, by name: {"Engineers": [...], '
                '"Nurses": [...], "Male": [...], "Female": [...]}',
            )
        if set(groups) == set(ROLES):
            return cls(**groups, **values)
        concepts = ({name: terms} for name, terms in groups.items())
        return cls(**dict(zip(ROLES, concepts, strict=True)), **values)

    @property
    def concepts(self) -> dict[str, Concept]:
        """The concepts by their role: X, Y, A, B."""
        return {role: getattr(self, role) for role in ROLES}

    @property
    def label(self) -> str:
        """Concept names in the order of the papers' tables."""
        return f"{self.X.name}/{self.Y.name}, {self.A.name}/{self.B.name}"

    @cached_property
    def stimuli_sha256(self) -> str:
        """Hash of the stimuli by role; the order of terms and all names leave it unchanged.

        Of sentences, what each is about and its place belong to it; of contexts, how much
        of a text they hold.
        """
        stimuli = {role: concept.stimuli for role, concept in self.parts}
        sizes = {} if self.contexts is None else self.contexts.columns()
        return digest({"kind": self.kind, **stimuli, **sizes})


def with_id(values: dict[str, Any], concepts: Iterable[Any]) -> dict[str, Any]:
    """Add an id made of the names of concepts, where there is none."""
    if "id" in values:
        return values
    names = [
        one.get("name") if isinstance(one, Mapping) else getattr(one, "name", None)
        for one in concepts
    ]
    text = "-".join(name for name in names if isinstance(name, str))
    return {**values, "id": identifier(text.lower())} if text else values


def identifier(text: str) -> str:
    """Make an id of a file's name.

    >>> identifier("my tests, 2")
    'my-tests-2'
    """
    return re.sub(r"[\s\x00-\x1f\x7f-\x9f,;#?=]+", "-", text)


def digest(content: Mapping[str, Any]) -> str:
    """SHA-256 of the content of a test, independent of the order of keys."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


Reference = Literal["uniform"] | tuple[tuple[str, float], ...]

OF_TARGETS = "targets"
"""Name of the group of targets, which no other group may have."""
ALL = "(all)"
"""Row of a table of counts, of all that was counted, whatever the target."""
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
    """Terms that are measured one by one."""
    groups: tuple[Concept, ...] = Field(min_length=2)
    """Two groups at least; names differ. Only MAC takes groups that share a term."""
    reference: Reference = "uniform"
    """``"uniform"``, or a weight for each group's name; given as a mapping, kept as sorted pairs.

    Weights are 0 or more and sum to 1.
    """
    pairs: tuple[tuple[Term, ...], ...] = ()
    """Terms that differ in the group alone, such as she and he: one of each group, in the order of
    the groups. Measures of a direction need them."""
    expected: tuple[tuple[str, tuple[Term, ...]], ...] = ()
    """The targets that a stereotype puts with each group; given as a mapping from groups to lists,
    kept as sorted pairs. Every group has some, and a target is with one at most."""
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

    @field_validator("reference", "references", "expected", mode="before")
    @classmethod
    def _as_pairs(cls, weights: Any) -> Any:
        return tuple(sorted(weights.items())) if isinstance(weights, Mapping) else weights

    def require_disjoint(self) -> None:
        """Refuse a test whose groups share a term.

        Raises
        ------
        StimulusError
            Naming the terms.
        """
        if shared := find_duplicates(term for group in self.groups for term in group.terms):
            raise StimulusError(
                f"test {self.id}: terms {quote(shared)} are in two groups; a term of both cannot "
                "distinguish them",
                allowed="groups that share no term; the measure mac takes groups that do",
                remedy="remove the terms from a group",
            )

    @model_validator(mode="after")
    def _groups_pairs_and_references_fit(self) -> GroupsTest:
        """Give images of different groups different names; refuse what does not fit the groups."""
        targets, *groups = distinguish_images([self.targets, *self.groups])
        self.__dict__.update(targets=targets, groups=tuple(groups))
        names = [group.name for group in groups]
        if twice := find_duplicates([OF_TARGETS, *names]):
            raise ValueError(f"the name {quote(twice)} is taken; names of groups must differ")
        members = [frozenset(group.terms) for group in groups] if self.pairs else []
        for pair in self.pairs:
            terms = zip(pair, members, strict=False)
            if len(pair) != len(groups) or any(term not in own for term, own in terms):
                raise ValueError(
                    f"{list(pair)} is not a pair of the groups (allowed: one term of each of "
                    f"{', '.join(names)}, in this order)"
                )
        assigned = [term for _, own in self.expected for term in own]
        wrong = {*find_duplicates(assigned), *set(assigned).difference(self.targets.terms)}
        if self.expected and (wrong := wrong | set(names) ^ set(dict(self.expected))):
            raise ValueError(
                f"expected: {quote(sorted(wrong))} missing, unknown or twice (allowed: every "
                "group, each with targets that no other has)"
            )
        stated = {} if self.reference == "uniform" else {"reference": dict(self.reference)}
        for target, weights in self.references:
            if len(weights) != len(names):
                raise ValueError(f"{len(weights)} weights of {target!r} for {len(names)} groups")
            stated[f"the reference of {target!r}"] = dict(zip(names, weights, strict=True))
        for what, shares in stated.items():
            if fault := fault_of_weights(shares, names):
                raise ValueError(f"{what}: {fault}")
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
        lists = ("terms", "images", "sentences", "absent")
        both = {name: getattr(one, name) + getattr(other, name) for name in lists}
        fields = {
            "id": f"{test.id}-{groups}",
            "title": test.title,
            "citation": test.citation,
            "language": test.language,
            "contexts": test.contexts,
            "explored": test.explored,
            "explored_on": test.explored_on,
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
        """Names of the groups, and their proportions in the reference; what else there is."""
        stated = {
            "groups": tuple(group.name for group in self.groups),
            "reference": self.weights,
            "pairs": self.pairs,
            "expected": dict(self.expected),
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

    @cached_property
    def stimuli_sha256(self) -> str:
        """Hash of the terms by part, with the reference's weights, and of the pairs.

        The order of terms and all names leave it unchanged; the order of the groups does not.
        """
        content = {
            "kind": self.kind,
            "targets": self.targets.hashed,
            "groups": [group.hashed for group in self.groups],
            "weights": self.weights,
            "pairs": sorted(self.pairs),
            "expected": [(name, sorted(terms)) for name, terms in self.expected],
            "references": self.references,
        }
        return digest({name: value for name, value in content.items() if value})


_PAIR = '{ more = "Girls cannot run.", less = "Boys cannot run.", type = "gender" }'


class SentencePairsTest(GroupsTest):
    """Pairs of sentences, of which one is more stereotyping than the other, as in CrowS-Pairs.

    The targets are the types of stereotype, and the two groups the sentences; the term of a
    sentence is its number, such as ``1 more``. ``sides`` names the groups, if they are other than
    more and less stereotyping.

    Examples
    --------
    >>> test = SentencePairsTest(
    ...     id="tiny",
    ...     pairs=[{"more": "Girls cannot run.", "less": "Boys cannot run.", "type": "gender"}],
    ... )
    >>> test.targets.terms, test.groups[0].sentences[0].text, test.pairs
    (('gender',), 'Girls cannot run.', (('1 more', '1 less'),))
    """

    kind: Literal["sentence-pairs"] = "sentence-pairs"  # type: ignore[assignment]

    @model_validator(mode="before")
    @classmethod
    def _of_tables(cls, values: Any) -> Any:
        """Make groups of tables with both sentences and a type."""
        if not isinstance(values, Mapping) or "targets" in values:
            return values
        tables = check_tables(values.get("pairs"), ("more", "less"), ("type",), "pair", _PAIR)
        rest, names = without_sides(values)
        return {**rest, **sentence_groups(tables, names, "Pairs of sentences")}

    @property
    def custom_sides(self) -> tuple[str, ...]:
        """Names of the two groups, if they are other than more and less stereotyping."""
        names = tuple(group.name for group in self.groups)
        return () if names[: len(OF_PAIRS)] == OF_PAIRS else names

    @property
    def tables(self) -> list[dict[str, str]]:
        """Both sentences of each pair with its type, as a file has them."""
        more, less = ({s.key: s for s in group.sentences} for group in self.groups)
        return [
            {"more": more[first].text, "less": less[second].text, "type": more[first].stimulus}
            for first, second in self.pairs
        ]

    @cached_property
    def stimuli_sha256(self) -> str:
        """Hash of the sentences with their types; their order leaves it unchanged."""
        tables = sorted([*table.values()] for table in self.tables)
        return digest({"kind": self.kind, "pairs": tables})


_TRIPLE = (
    '{ more = "The nurse is kind.", less = "The nurse is rude.", unrelated = "The nurse is fog.", '
    'type = "profession", subject = "nurse" }'
)


class SentenceTriplesTest(SentencePairsTest):
    """Triples of sentences, as in StereoSet: a stereotype, its opposite, and one without sense.

    The targets are the types of stereotype, and the three groups the sentences. A triple may have
    a `context`, a text that precedes each of its sentences, and a `subject`, the social group that
    it is about: numbers are means over subjects. Without one, each triple has its own.

    Examples
    --------
    >>> said = {"more": "He is kind.", "less": "He is rude.", "unrelated": "He is fog."}
    >>> test = SentenceTriplesTest(id="tiny", triples=[{**said, "context": "A nurse came."}])
    >>> test.groups[2].sentences[0].text, test.pairs
    ('A nurse came. He is fog.', (('1 more', '1 less', '1 unrelated'),))
    """

    kind: Literal["sentence-triples"] = "sentence-triples"  # type: ignore[assignment]
    subjects: tuple[Term, ...] = ()
    """What each triple is about, in their order."""

    @model_validator(mode="before")
    @classmethod
    def _of_tables(cls, values: Any) -> Any:
        """Make groups of tables with three sentences, and what they are about."""
        if not isinstance(values, Mapping) or "targets" in values:
            return values
        keys, more = ("more", "less", "unrelated"), ("type", "subject", "context")
        tables = check_tables(values.get("triples"), keys, more, "triple", _TRIPLE)
        subjects = [table["subject"] or f"triple {at}" for at, table in enumerate(tables, 1)]
        rest = {name: value for name, value in values.items() if name != "triples"}
        names = dict(zip(keys, (*OF_PAIRS, "unrelated"), strict=True))
        groups = sentence_groups(tables, names, "Triples of sentences")
        return {**rest, **groups, "subjects": subjects}

    @model_validator(mode="after")
    def _subject_per_triple(self) -> SentenceTriplesTest:
        if len(self.subjects) != len(self.pairs):
            raise ValueError(f"{len(self.subjects)} subjects for {len(self.pairs)} triples")
        return self

    @property
    def tables(self) -> list[dict[str, str]]:
        """The sentences of each triple, its type, subject and context, as a file has them."""
        sides = [{s.key: s for s in group.sentences} for group in self.groups]
        tables = []
        for at, (keys, subject) in enumerate(zip(self.pairs, self.subjects, strict=True), 1):
            sentences = [side[key] for side, key in zip(sides, keys, strict=True)]
            begins = [0 if s.span is None else s.span[0] for s in sentences]
            texts = (s.text[begin:] for s, begin in zip(sentences, begins, strict=True))
            table = dict(zip(("more", "less", "unrelated"), texts, strict=True))
            table["type"] = sentences[0].stimulus
            optional = {
                "subject": "" if subject == f"triple {at}" else subject,
                "context": sentences[0].text[: begins[0]].rstrip(),
            }
            tables.append(table | {name: text for name, text in optional.items() if text})
        return tables

    @cached_property
    def stimuli_sha256(self) -> str:
        """Hash of the sentences with what they are about; their order leaves it unchanged."""
        triples = sorted(sorted(table.items()) for table in self.tables)
        return digest({"kind": self.kind, "triples": triples})

    def stated(self) -> dict[str, Any]:
        """What other tests of groups state, and the subjects."""
        return {**super().stated(), "subjects": self.subjects}


SENTENCE_KINDS = {"sentence-pairs": "pairs", "sentence-triples": "triples"}
"""Kinds of tests that compare sentences with each other, and what they are called."""


Test = AssociationTest | GroupsTest
"""A test of any kind; ``kind`` says which."""
TestLike = str | Path | Test | Mapping[str, Sequence[str]]
"""The id of a test or battery, a TOML file, a test, or four lists of terms by name."""
TestsLike = TestLike | Iterable[TestLike]
"""One or several of what :func:`eatlas.load_tests` finds tests by."""

KINDS: dict[str, type[AssociationTest] | type[GroupsTest]] = {
    "association": AssociationTest,
    "groups": GroupsTest,
    "sentence-pairs": SentencePairsTest,
    "sentence-triples": SentenceTriplesTest,
}


def _kind_of(test: Any) -> str:
    """The kind of a test, or of a table: it may be left out where the keys show it."""
    if not isinstance(test, Mapping):
        return getattr(test, "kind", "association")
    return str(test.get("kind", "groups" if {"targets", "groups"} & test.keys() else "association"))


_Kinds = (
    Annotated[AssociationTest, Tag("association")]
    | Annotated[GroupsTest, Tag("groups")]
    | Annotated[SentencePairsTest, Tag("sentence-pairs")]
    | Annotated[SentenceTriplesTest, Tag("sentence-triples")]
)
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
    language: Language = ""
    """Of the tests that name none themselves."""
    notes: tuple[str, ...] = ()
    tests: tuple[Annotated[_Kinds, _BY_KIND], ...] = Field(min_length=1)

    def __repr__(self) -> str:
        return f"<Battery {self.id}: {len(self.tests):,} tests>"

    __str__ = __repr__

    @model_validator(mode="before")
    @classmethod
    def _in_its_language(cls, values: Any) -> Any:
        """Give the battery's language to the tests that are tables and name none."""
        language = values.get("language") if isinstance(values, Mapping) else None
        if not language or not isinstance(values.get("tests"), list):
            return values
        tests = [
            {"language": language, **test} if isinstance(test, Mapping) else test
            for test in values["tests"]
        ]
        return {**values, "tests": tests}

    @field_validator("tests")
    @classmethod
    def _ids_differ(cls, tests: tuple[Test, ...]) -> tuple[Test, ...]:
        if twice := find_duplicates(test.id for test in tests):
            raise ValueError(f"several tests have the id {quote(twice)}; ids must differ")
        return tests


def fault_of_weights(weights: Mapping[str, object], names: Sequence[str]) -> str:
    """Say why weights are not one for each of the groups with these names, with sum 1."""
    for name, weight in weights.items():
        if name not in names:
            return (
                f"there is no group {name!r}{did_you_mean(name, names)} (allowed: {quote(names)})"
            )
        if not isinstance(weight, int | float) or not 0 <= weight <= 1:
            return f"the weight of {name!r} is {weight!r} (allowed: a number from 0 to 1)"
    if missing := [name for name in names if name not in weights]:
        return f"no weight for {quote(missing)}; 0 is a weight"
    total = math.fsum(weights.values())  # type: ignore[arg-type]
    return (
        "" if abs(total - 1) <= SUM_TOLERANCE else f"the weights sum to {total:.12g}, and not to 1"
    )


_JOINERS = "\u200c\u200d"
"""Invisible, but part of how Persian, Hindi and emoji are written."""


def remarks(test: Test) -> list[Note]:
    """Warn about what is probably a mistake.

    Two concepts of one name are allowed, since names change no number; a table or a sentence can
    then not tell which of the two is meant. A term may contain an invisible character;
    then it is not found.
    """
    notes: list[Note] = []
    if test.explored_on is not None:
        about = test.explored_on.model_dump(include={"theme", "source", "themes", "p_max_t"})
        notes.append(Note("stimuli.theme", values=about))
    elif test.explored is not None:
        notes.append(Note("stimuli.explored", values={"lists": test.explored}))
    for one, other in OPPOSITES if isinstance(test, AssociationTest) else ():
        if (name := test.concept(one).name) == test.concept(other).name:
            notes.append(Note("stimuli.one-name", values={"groups": [one, other], "name": name}))
    if wildcards := {r: list(c.wildcards) for r, c in test.concepts.items() if c.wildcards}:
        notes.append(Note("stimuli.wildcards", values={"groups": wildcards}))
    for role, concept in test.parts if test.contexts is None else ():
        notes += [] if concept.images else _of_terms(role, concept)
    return [*notes, *of_sentences(test)]


def _of_terms(role: str, concept: Concept) -> Iterator[Note]:
    """Name terms that hold what a vocabulary does not."""
    for term in concept.terms:
        values = {"term": ascii(term), "concept": concept.name}
        if hidden := _hidden(term):
            yield Note("stimuli.hidden-character", role, {**values, "character": hidden})
        elif not unicodedata.is_normalized("NFC", term):
            yield Note("stimuli.not-composed", role, values)


def of_sentences(test: Test) -> Iterator[Note]:
    """Say how many stimuli there really are, to readers of p-values over sentences."""
    counted = {
        role: [len(concept.terms), stimuli]
        for role, concept in test.parts
        if concept.sentences and not isinstance(test, SentencePairsTest)
        if (stimuli := len(set(concept.stimulus_of.values()))) < len(concept.terms)
    }
    if counted:
        yield Note("stimuli.sentences", values={"groups": counted})


def _hidden(term: str) -> str | None:
    """Name the first invisible character of a term, such as a tab."""
    for character in "" if term.isprintable() else term:
        if unicodedata.category(character) in {"Cc", "Cf"} and character not in _JOINERS:
            name = unicodedata.name(character, "a control character").lower()
            return f"U+{ord(character):04X} ({name}), which is invisible"
    return None
