"""Association tests, and what tests of all kinds have: frozen and only ever well formed."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from eatlas.errors import StimulusError
from eatlas.stimuli.concepts import Concept, as_concept, told_apart
from eatlas.stimuli.records import Frozen, Identifier, quoted
from eatlas.stimuli.writing import to_toml
from eatlas.writing import atomic_file

TARGETS: tuple[str, str] = ("X", "Y")
ATTRIBUTES: tuple[str, str] = ("A", "B")
OPPOSITES = (TARGETS, ATTRIBUTES)
ROLES: tuple[str, ...] = (*TARGETS, *ATTRIBUTES)
"""The groups of an association test."""
OF_SENTENCES = "sent-"
"""How the ids of tests begin that are made of tests of words."""


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
    explored: int | None = Field(default=None, ge=1)
    """Number of lists of words that were looked at, these among them, where words were changed
    after results had been seen; None where the words were chosen before any result."""

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

    @property
    def at_hand(self) -> bool:
        """Whether all stimuli are: False where images of a published set are not here."""
        return all(concept.at_hand for _, concept in self.parts)

    def require_at_hand(self) -> None:
        """Refuse a test whose images are not on this machine.

        Raises
        ------
        StimulusError
            Saying where they come from.
        """
        if lacking := [one.images_from for _, one in self.parts if not one.at_hand]:
            from eatlas.stimuli.image_files import not_here  # noqa: PLC0415  (only tests of images need it)

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
        path = Path(path)
        if path.suffix.lower() != ".toml":
            raise StimulusError(
                f"{path}: tests are written as TOML", allowed="a name that ends in .toml"
            )
        text = to_toml([self], path.absolute().parent)
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

        That words were changed after results were seen belongs to it.

        Parameters
        ----------
        stimuli_sha256 : str
            That of the test, which takes a while for many contexts.
        """
        names = {group: concept.name for group, concept in self.concepts.items()}
        content: dict[str, Any] = {"id": self.id, "title": self.title, "citation": self.citation}
        content |= {"names": names} | ({"explored": self.explored} if self.explored else {})
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

    @model_validator(mode="before")
    @classmethod
    def _in_full(cls, values: Any) -> Any:
        """Make concepts of lists, and an id of their names where there is none."""
        if not isinstance(values, Mapping):
            return values
        concepts = {role: as_concept(values[role], role) for role in ROLES if role in values}
        return with_id({**values, **concepts}, concepts.values())

    @model_validator(mode="after")
    def _opposites_are_disjoint(self) -> AssociationTest:
        self.__dict__.update(zip(ROLES, told_apart([*self.concepts.values()]), strict=True))
        faults = [fault for pair in OPPOSITES for fault in self._on_both_sides(*pair)]
        if faults:
            raise ValueError("; ".join(faults))
        return self

    def _on_both_sides(self, first: str, second: str) -> Iterator[str]:
        """Say which terms, and which images under whatever names, two opposites share."""
        one, other = self.concept(first), self.concept(second)
        names = {sha256: name for name, sha256 in other.image_of.items() if sha256}
        shared = sorted(set(one.terms) & set(other.terms))
        pictures = [
            f"{name!r} and {names[sha256]!r}"
            for name, sha256 in one.image_of.items()
            if sha256 in names
        ]
        if shared:
            yield (
                f"terms {quoted(shared)} are on both sides, {first} and {second}; "
                "a term that is both cannot distinguish the two concepts"
            )
        if pictures:
            yield (
                f"images are on both sides, {first} and {second}, with the same bytes: "
                f"{', '.join(pictures)}"
            )

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

    @property
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
    return re.sub(r"[\s,;#?=]+", "-", text)


def digest(content: Mapping[str, Any]) -> str:
    """SHA-256 of the content of a test, independent of the order of keys."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()
