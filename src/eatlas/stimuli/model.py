"""Concepts and association tests: frozen values that can only be well formed."""

from __future__ import annotations

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    field_validator,
    model_validator,
)

Role = Literal["X", "Y", "A", "B"]
ROLES: tuple[Role, ...] = ("X", "Y", "A", "B")


def _no_outer_space(text: str) -> str:
    if text != text.strip():
        raise ValueError(f"{text!r} begins or ends with a space, so no vector would match it")
    return text


Term = Annotated[str, StringConstraints(min_length=1), AfterValidator(_no_outer_space)]
Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Identifier = Annotated[str, StringConstraints(pattern=r"^[^\s,;#?=]+$")]


class Frozen(BaseModel):
    """A record that cannot be changed and that refuses keys it does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)


class Concept(Frozen):
    """A concept and the terms that stand for it.

    Examples
    --------
    >>> Concept(name="Flowers", terms=("aster", "clover")).terms
    ('aster', 'clover')
    """

    name: Text
    """What a reader calls the concept, as in "Flowers are associated with Pleasant"."""
    terms: tuple[Term, ...] = Field(min_length=1)
    """The stimuli, as they would be written in a text; no term twice."""

    @field_validator("terms")
    @classmethod
    def _each_term_once(cls, terms: tuple[str, ...]) -> tuple[str, ...]:
        twice = [term for term, count in Counter(terms).items() if count > 1]
        if twice:
            raise ValueError(f"duplicate terms {quoted(twice)}; each term may stand once")
        return terms


class Described(Frozen):
    """What every kind of test says about itself."""

    id: Identifier
    """Short name, unique within a battery; no spaces, commas or ``;#?=``."""
    title: str = ""
    citation: str = ""
    table: str = ""
    """Where published numbers for this test stand."""
    notes: tuple[str, ...] = ()
    """Every deviation of the stimuli from the source cited, and cautions."""


class AssociationTest(Described):
    """Two target concepts X and Y, two attribute concepts A and B.

    Examples
    --------
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

    @model_validator(mode="after")
    def _opposites_are_disjoint(self) -> AssociationTest:
        for one, other in (("X", "Y"), ("A", "B")):
            both = sorted(set(self.concept(one).terms) & set(self.concept(other).terms))
            if both:
                raise ValueError(
                    f"terms {quoted(both)} stand on both sides, {one} and {other}; "
                    "a term that is both cannot tell the two concepts apart"
                )
        return self

    def concept(self, role: str) -> Concept:
        """Return the concept that plays ``role``, one of X, Y, A, B."""
        concept: Concept = getattr(self, role)
        return concept

    @property
    def parts(self) -> tuple[tuple[str, Concept], ...]:
        """Every concept with the role it plays."""
        return tuple((role, self.concept(role)) for role in ROLES)

    @property
    def terms(self) -> tuple[str, ...]:
        """Every term of the test, once."""
        return every_term(self.parts)

    @property
    def label(self) -> str:
        """Concept names in the order of the papers' tables."""
        return f"{self.X.name}/{self.Y.name}, {self.A.name}/{self.B.name}"

    @property
    def stimuli_sha256(self) -> str:
        """Hash of the terms by role; the order of terms and all names leave it unchanged."""
        terms = {role: sorted(concept.terms) for role, concept in self.parts}
        return digest({"kind": self.kind, **terms})


def identifier(text: str) -> str:
    """Make an id of a file's name.

    >>> identifier("my tests, 2")
    'my-tests-2'
    """
    return re.sub(r"[\s,;#?=]+", "-", text)


def every_term(parts: Iterable[tuple[str, Concept]]) -> tuple[str, ...]:
    """Terms of several concepts in order, each once."""
    return tuple(dict.fromkeys(term for _, concept in parts for term in concept.terms))


def digest(content: Mapping[str, Any]) -> str:
    """SHA-256 of what a test asks, independent of the order of keys."""
    text = json.dumps(content, ensure_ascii=False, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def quoted(terms: Iterable[str]) -> str:
    """Terms in quotation marks, for a message."""
    return ", ".join(repr(term) for term in terms)
