"""Concepts and association tests: frozen values that can only be well formed."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from typing import Annotated, Literal

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
            raise ValueError(f"duplicate terms {_quoted(twice)}; each term may stand once")
        return terms


class AssociationTest(Frozen):
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

    id: Identifier
    """Short name, unique within a battery; no spaces, commas or ``;#?=``."""
    kind: Literal["association"] = "association"
    title: str = ""
    citation: str = ""
    table: str = ""
    """Where published numbers for this test stand."""
    notes: tuple[str, ...] = ()
    """Every deviation of the stimuli from the source cited, and cautions."""
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
                    f"terms {_quoted(both)} stand on both sides, {one} and {other}; "
                    "a term that is both cannot tell the two concepts apart"
                )
        return self

    def concept(self, role: str) -> Concept:
        """Return the concept that plays ``role``, one of X, Y, A, B."""
        concept: Concept = getattr(self, role)
        return concept

    @property
    def label(self) -> str:
        """Concept names in the order of the papers' tables."""
        return f"{self.X.name}/{self.Y.name}, {self.A.name}/{self.B.name}"

    @property
    def stimuli_sha256(self) -> str:
        """Hash of the terms by role; the order of terms and all names leave it unchanged."""
        terms = {role: sorted(self.concept(role).terms) for role in ROLES}
        text = json.dumps({"kind": self.kind, **terms}, ensure_ascii=False, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()


class Battery(Frozen):
    """Tests that were published, or are meant to be reported, together."""

    id: Identifier
    title: str = ""
    citation: str = ""
    notes: tuple[str, ...] = ()
    tests: tuple[AssociationTest, ...]


def _quoted(terms: list[str]) -> str:
    return ", ".join(repr(term) for term in terms)
