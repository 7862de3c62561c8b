"""Concepts and association tests: frozen values that can only be well formed."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, StringConstraints, field_validator, model_validator

from eatlas.errors import StimulusError
from eatlas.stimuli.records import Frozen, quoted
from eatlas.writing import atomic_file

TARGETS: tuple[str, str] = ("X", "Y")
ATTRIBUTES: tuple[str, str] = ("A", "B")
OPPOSITES = (TARGETS, ATTRIBUTES)
ROLES: tuple[str, ...] = (*TARGETS, *ATTRIBUTES)
"""The groups of an association test."""
FEW = 4
"""Terms of a concept that are shown where it is named in short."""


def _no_outer_space(text: str) -> str:
    if text != text.strip():
        raise ValueError(f"{text!r} begins or ends with a space, so no vector would match it")
    return text


Term = Annotated[str, StringConstraints(min_length=1), AfterValidator(_no_outer_space)]
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Identifier = Annotated[str, StringConstraints(pattern=r"^[^\s,;#?=]+$")]


class Sentence(Frozen):
    """A sentence that represents a concept, and what it was made of."""

    text: Term
    """The whole sentence, as it is to be encoded."""
    stimulus: Term
    """The word or phrase that the sentence is about."""
    template: str = ""
    """The sentence before the word was put in, as in ``This is {a term}.``"""
    span: tuple[int, int] | None = None
    """Place of the stimulus: characters of the text, first and behind the last. Found where it
    is not given; None where the text does not hold the stimulus as it is written."""
    key: str = Field(default="", repr=False)
    """What distinguishes it from another sentence of the same text; empty where the text does."""

    @property
    def term(self) -> str:
        """The term that the sentence is: its key, or else its text."""
        return self.key or self.text

    @model_validator(mode="before")
    @classmethod
    def _find_the_stimulus(cls, values: object) -> object:
        if isinstance(values, Mapping) and values.get("span") is None:
            text, stimulus = values.get("text"), values.get("stimulus")
            if isinstance(text, str) and isinstance(stimulus, str) and stimulus:
                return {**values, "span": place_of(stimulus, text)}
        return values

    @model_validator(mode="after")
    def _span_lies_in_the_text(self) -> Sentence:
        if self.span is not None and not 0 <= self.span[0] < self.span[1] <= len(self.text):
            raise ValueError(
                f"the span {list(self.span)} does not lie in the {len(self.text)} characters "
                f"of {self.text!r}"
            )
        return self


class Concept(Frozen):
    """A concept and the terms that represent it.

    Examples
    --------
    >>> Concept(name="Flowers", terms=("aster", "clover")).terms
    ('aster', 'clover')
    >>> said = Concept(name="Flowers", sentences=[{"text": "This is ivy.", "stimulus": "ivy"}])
    >>> said.terms, said.stimulus_of
    (('This is ivy.',), {'This is ivy.': 'ivy'})
    """

    name: Text
    """What a reader calls the concept, as in "Flowers are associated with Pleasant"."""
    terms: tuple[Term, ...] = Field(min_length=1)
    """The stimuli, as they would be written in a text; no term twice."""
    sentences: tuple[Sentence, ...] = ()
    """Where the terms are sentences made of stimuli: each with its stimulus; the terms are their
    keys, or else their texts."""
    absent: tuple[tuple[Term, Text], ...] = ()
    """Stimuli of the concept that have no sentence, each with the reason."""
    clusters: tuple[tuple[Term, ...], ...] = ()
    """Words that are no separate draws, such as synonyms or forms of one word: intervals draw each
    cluster whole. Words in none are clusters of their own."""
    whole: ClassVar[str] = "terms"

    def __repr__(self) -> str:
        shown = ", ".join(self.terms[:FEW]) + (", ..." if len(self.terms) > FEW else "")
        return f"<Concept {self.name}: {len(self.terms):,} terms, {shown}>"

    __str__ = __repr__

    @property
    def texts(self) -> tuple[str, ...]:
        """What is looked up or encoded: the words, or the texts of the sentences."""
        return tuple(one.text for one in self.sentences) or self.terms

    @property
    def text_of(self) -> dict[str, str]:
        """The text of each sentence that has a key beside it."""
        return {one.key: one.text for one in self.sentences if one.key}

    @property
    def stimulus_of(self) -> dict[str, str]:
        """The stimulus of each sentence, by its term; empty for words."""
        return {sentence.term: sentence.stimulus for sentence in self.sentences}

    @property
    def span_of(self) -> dict[str, tuple[int, int]]:
        """Place of the stimulus in each sentence in which a search would not find it there."""
        return {
            one.term: one.span
            for one in self.sentences
            if one.span is not None and one.span != place_of(one.stimulus, one.text)
        }

    @property
    def cluster_of(self) -> dict[str, str]:
        """The first word of its cluster, for each word that is in one."""
        return {term: cluster[0] for cluster in self.clusters for term in cluster}

    @property
    def stimuli(self) -> list[Any]:
        """What distinguishes these stimuli from others, in a fixed order."""
        if self.sentences:
            return sorted([one.text, one.stimulus, *(one.span or ())] for one in self.sentences)
        return sorted(self.terms)

    @classmethod
    def between(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the terms together."""
        if fault := repeated(listed(values)):
            yield "terms", fault

    @model_validator(mode="before")
    @classmethod
    def _terms_of_sentences(cls, values: object) -> object:
        """Take keys or texts of the sentences as terms where no terms are given."""
        if isinstance(values, Mapping) and "terms" not in values and values.get("sentences"):
            return {**values, "terms": listed(values)}
        return values

    @model_validator(mode="after")
    def _sentences_are_the_terms(self) -> Concept:
        if self.sentences and tuple(one.term for one in self.sentences) != self.terms:
            raise ValueError("are not the texts of the sentences; give sentences alone")
        return self

    @model_validator(mode="after")
    def _clusters_are_of_the_terms(self) -> Concept:
        """Refuse clusters that are not disjoint sets of terms."""
        if self.clusters and self.sentences:
            raise ValueError("clusters are of words; of sentences, stimuli are drawn already")
        members = [term for cluster in self.clusters for term in cluster]
        if strangers := sorted(set(members) - set(self.terms)):
            raise ValueError(f"clusters hold {quoted(strangers)}, which the terms do not")
        if fault := repeated(members):
            raise ValueError(fault.replace("each term may occur once", "one cluster a term"))
        if any(len(cluster) == 1 for cluster in self.clusters):
            raise ValueError("a cluster holds two terms or more; others are left out")
        return self

    @field_validator("terms", mode="before")
    @classmethod
    def _from_any_list(cls, terms: object) -> object:
        """Take columns of frames and arrays too, and sets in an order that is always the same."""
        if isinstance(terms, set | frozenset):
            return tuple(sorted(terms, key=str))
        return terms.tolist() if hasattr(terms, "tolist") else terms

    @field_validator("terms")
    @classmethod
    def _each_term_once(cls, terms: tuple[str, ...]) -> tuple[str, ...]:
        if fault := repeated(terms):
            raise ValueError(fault)
        return terms


class ContextsOrigin(Frozen):
    """A file of contexts, and what of it was taken.

    Examples
    --------
    >>> str(ContextsOrigin(name="contexts.parquet", sha256="0" * 64, per_term=20))[:30]
    'contexts.parquet, SHA-256 0000'
    """

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
        found = {"window": self.window, "distance": self.distance}
        return {name: size for name, size in found.items() if size is not None}

    @property
    def size(self) -> str:
        """Such as "window 9, distance 18"; empty where nothing is known."""
        return ", ".join(f"{name} {size}" for name, size in self.columns().items())

    def __str__(self) -> str:
        """Name and hash, for people."""
        return f"{self.name or 'a corpus'}, SHA-256 {self.sha256}"


class Described(Frozen):
    """What every kind of test says about itself."""

    id: Identifier
    """Short name, unique within a battery; no spaces, commas or ``;#?=``."""
    title: str = ""
    citation: str = ""
    table: str = ""
    """Where numbers for this test are published."""
    notes: tuple[str, ...] = ()
    """Every deviation of the stimuli from the source cited, and cautions."""
    sentences_from: str = ""
    """Where sentences that were not made for the test were taken from, such as a file's hash."""
    contexts: ContextsOrigin | None = None
    """The file of contexts that they are, where :func:`eatlas.with_contexts` took them."""

    @property
    def concepts(self) -> Mapping[str, Concept]:
        """The concept of each group, by the group's name."""
        raise NotImplementedError

    @classmethod
    def of(cls, concepts: Mapping[str, Concept], **values: Any) -> Self:
        """Make a test of the concepts by their groups' names, as :attr:`concepts` has them."""
        return cls(**concepts, **values)

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
        path = Path(path)
        if path.suffix.lower() != ".toml":
            raise StimulusError(
                f"{path}: tests are written as TOML", allowed="a name that ends in .toml"
            )
        text = import_module("eatlas.stimuli.toml").to_toml([self])  # it reads tests, so imports us
        with atomic_file(path) as file:
            file.write(text)

    def __repr__(self) -> str:
        sizes = ", ".join(str(len(one.terms)) for one in self.concepts.values())
        return f"<{type(self).__name__} {self.id}: {self.label} ({sizes} terms)>"

    __str__ = __repr__

    @property
    def label(self) -> str:
        """Names of the concepts, for people."""
        return "/".join(one.name for one in self.concepts.values())

    def labels_sha256(self, stimuli_sha256: str) -> str:
        """Hash of what the test and its groups are called, bound to the stimuli.

        Parameters
        ----------
        stimuli_sha256 : str
            That of the test, which takes a while for many contexts.
        """
        names = {group: concept.name for group, concept in self.concepts.items()}
        said = {"id": self.id, "title": self.title, "citation": self.citation, "names": names}
        return digest({**said, "stimuli": stimuli_sha256})


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

    whole: ClassVar[str] = "terms"
    kind: Literal["association"] = "association"
    X: Concept
    Y: Concept
    A: Concept
    B: Concept

    @classmethod
    def between(cls, values: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield what is wrong with the terms of each concept, and of opposites, together."""
        terms: dict[str, list[str]] = {role: listed(values.get(role)) for role in ROLES}
        for role in ROLES:
            if fault := repeated(terms[role]):
                yield f"{role}.terms", fault
        for fault in on_both_sides(terms):
            yield cls.whole, fault

    @classmethod
    def in_full(cls, values: dict[str, Any]) -> dict[str, Any]:
        """Make concepts of lists, and an id of their names where there is none."""
        concepts = {role: as_concept(values[role], role) for role in ROLES if role in values}
        return with_id({**values, **concepts}, concepts.values())

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
                got=f"{len(groups)}: {quoted(map(str, groups))}",
                allowed='two targets, then two attributes, by name: {"Engineers": [...], '
                '"Nurses": [...], "Male": [...], "Female": [...]}',
            )
        by_role = groups if set(groups) == set(ROLES) else dict(zip(ROLES, groups, strict=True))
        if by_role is groups:
            return cls(**groups, **values)
        return cls(**{role: {name: groups[name]} for role, name in by_role.items()}, **values)

    @model_validator(mode="after")
    def _opposites_are_disjoint(self) -> AssociationTest:
        if faults := on_both_sides({role: one.terms for role, one in self.concepts.items()}):
            raise ValueError(faults[0])
        return self

    @property
    def concepts(self) -> dict[str, Concept]:
        """The concepts by their role: X, Y, A, B."""
        return {role: getattr(self, role) for role in ROLES}

    @property
    def label(self) -> str:
        """Concept names in the order of the papers' tables."""
        return f"{self.X.name}/{self.Y.name}, {self.A.name}/{self.B.name}"

    @property
    def stimuli_sha256(self) -> str:
        """Hash of the stimuli by role; the order of terms and all names leave it unchanged.

        Of sentences, what each is about and its place belong to it; of contexts, how much
        of a text they hold.
        """
        stimuli = {role: concept.stimuli for role, concept in self.parts}
        sizes = {} if self.contexts is None else self.contexts.columns()
        return digest({"kind": self.kind, **stimuli, **sizes})


def as_concept(given: Any, name: str) -> Any:
    """Make a concept of a list of terms, or of a mapping from its name to a list.

    What is of another form, such as a concept or the fields of one, is returned as it is.

    >>> as_concept({"Male": ["he"]}, "A"), as_concept(["he", "him"], "A").name
    (<Concept Male: 1 terms, he>, 'A')
    """
    if isinstance(given, Mapping) and len(given) == 1:
        ((key, terms),) = given.items()
        if key not in Concept.model_fields:
            return Concept(name=key, terms=terms)
    is_list = isinstance(given, list | tuple | set | frozenset) or hasattr(given, "tolist")
    return Concept(name=name, terms=given) if is_list else given


def with_id(values: dict[str, Any], concepts: Iterable[Any]) -> dict[str, Any]:
    """Add an id made of the names of concepts, where there is none."""
    names = [one.name for one in concepts if isinstance(one, Concept)]
    if "id" in values or not names:
        return values
    return {**values, "id": identifier("-".join(names).lower())}


def place_of(stimulus: str, text: str) -> tuple[int, int] | None:
    """Find where a stimulus first occurs in a text as a word of its own.

    As it is written, or else in any case.

    >>> place_of("will", "Will is a will.")
    (10, 14)
    >>> place_of("aster", "These are asters.") is None
    True
    """
    word = rf"(?<!\w){re.escape(stimulus)}(?!\w)"
    found = re.search(word, text) or re.search(word, text, re.IGNORECASE)
    return found.span() if found else None


def identifier(text: str) -> str:
    """Make an id of a file's name.

    >>> identifier("my tests, 2")
    'my-tests-2'
    """
    return re.sub(r"[\s,;#?=]+", "-", text)


def digest(content: Mapping[str, Any]) -> str:
    """SHA-256 of the content of a test, independent of the order of keys."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def listed(concept: object) -> list[str]:
    """Return the terms of what is, or was to be, a concept; those that are text."""
    if isinstance(concept, Mapping):
        terms = concept.get("terms", _texts(concept.get("sentences")))
    else:
        terms = getattr(concept, "terms", None)
    return [t for t in terms if isinstance(t, str)] if isinstance(terms, list | tuple) else []


def _texts(sentences: object) -> list[object]:
    """Return the keys, or else the texts, of what are, or were to be, sentences."""
    given = sentences if isinstance(sentences, list | tuple) else []
    texts = [
        one.get("key") or one.get("text") if isinstance(one, Mapping) else one for one in given
    ]
    return [getattr(one, "term", one) for one in texts]


def repeated(terms: Iterable[str]) -> str | None:
    """Say which terms a group has more than once."""
    twice = [term for term, count in Counter(terms).items() if count > 1]
    return f"duplicate terms {quoted(twice)}; each term may occur once" if twice else None


def on_both_sides(terms: Mapping[str, Iterable[str]]) -> list[str]:
    """Say which terms are in X and Y, or in A and B; `terms` by role."""
    return [
        f"terms {quoted(both)} are on both sides, {one} and {other}; "
        "a term that is both cannot tell the two concepts apart"
        for one, other in OPPOSITES
        if (both := sorted(set(terms[one]) & set(terms[other])))
    ]
