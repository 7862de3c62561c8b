"""What results of all measures have in common, and how they show themselves."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, get_args

from pydantic import Field, field_validator, model_validator

from eatlas.errors import StimulusError
from eatlas.lazy import as_frame, offered
from eatlas.notes import Noted
from eatlas.results.diagnosis import TermsDiagnosis
from eatlas.results.effects import Effect, Primary, Rule, parameters, shown
from eatlas.results.inference import (
    Equivalence,
    Frequency,
    Generalisation,
    Influence,
    Power,
    Uncertainty,
)
from eatlas.results.levels import (
    DrawsRecord,
    Level,
    Level3,
    Pattern,
    StimulusWEAT,
    TargetScores,
    TargetShares,
    TargetValue,
)
from eatlas.results.parts import (
    ByGroup,
    Concepts,
    Coverage,
    Encoding,
    GroupCoverage,
    LanguageModelRecord,
    Provenance,
    Record,
    at,
    in_order,
    is_empty,
    is_none,
)
from eatlas.stimuli import KINDS, Concept, Image, Sentence, Test
from eatlas.stimuli.association_test import OPPOSITES, ROLES
from eatlas.stimuli.kinds import OF_TARGETS

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import TypeIs

    from eatlas.stimuli import ContextsOrigin


PLACES = {
    "level1": ("Level 1", "XY", ""),
    "level2.X": ("Level 2, X", "X", "_X"),
    "level2.Y": ("Level 2, Y", "Y", "_Y"),
    "over_attributes": ("Over attributes", "AB", "_over_attributes"),
}
"""Title, groups and suffix of columns of an effect size, by its place in a record."""
SCHEMA: Literal["eatlas/result/1"] = "eatlas/result/1"


class AssociationResult(Record):
    """What results of all measures have in common; each measure adds what it found.

    Presenters read from a result its effect sizes and its parts, never for its class:
    :meth:`effects` lists the effect sizes of any measure, `primary` has the findings that are
    read, and a part that only some measures have, such as `pattern` or `draws`, is None in results
    of the others.

    A record of another package derives from this class and declares what it found as fields. By
    default every field that is a number, or a :class:`~eatlas.results.levels.Level`, is one of its
    effect sizes; the attributes below are its words.
    """

    kind: ClassVar[str] = "association"
    """Kind of test that the result belongs to."""
    heading: ClassVar[str] = "EAT: X / Y, A / B"
    """Over the names of tests and their concepts in tables."""
    display_name: ClassVar[str] = ""
    """Name of the measure in texts, such as ML-EAT; by default the upper case of `measure`."""
    full_name: ClassVar[str] = ""
    """The measure as a methods section names it, with its citation; by default `display_name`."""
    remark: ClassVar[str] = ""
    """A sentence that a reader of any result of the measure needs."""
    subject: ClassVar[str] = "vectors"
    """What associates, as sentences name it; a plural."""
    unit: ClassVar[str] = "cosine"
    """What the association of one pair of terms is; with an s, of several."""
    scale: ClassVar[str] = ""
    """What it is counted in; empty for a number without a unit."""
    places: ClassVar[tuple[str, ...]] = ()
    """Where in the record its effect sizes are, such as ``level1`` and ``level2.X``; empty where
    they are all fields that are numbers or levels."""

    schema_version: Literal["eatlas/result/1"] = Field(default=SCHEMA, alias="schema")
    measure: str
    """Name of the measure, such as ml-eat."""
    signature: str
    """The measure with all its parameters."""
    test: str
    """Id of the test."""
    title: str = ""
    source: str
    """Source string of the vectors, or the name that the run gives them."""
    source_from: str = Field(default="", exclude_if=is_empty)
    """Source string of vectors that the run gives a name; empty where `source` is one."""
    period: int | None = None
    """Year of the vectors, in a series of periods."""
    encoding: Encoding | None = None
    """How texts became vectors; None where vectors were looked up."""
    concepts: Concepts
    coverage: Coverage
    diagnosis: TermsDiagnosis | None = None
    """Whether cosines mean anything among the test's terms; None where a measure has none."""
    frequency: Frequency | None = None
    """How frequent the words of the test are, and what random words of these frequencies show;
    None where no order of frequency is known."""
    frequency_reason: str = Field(default="", exclude_if=is_empty)
    """Why it is not known."""
    warnings: tuple[Noted, ...] = ()
    """What a reader should know before trusting the numbers."""
    provenance: Provenance

    # what only some measures find; None in the results of others
    pattern: Pattern | None = Field(default=None, exclude_if=is_none)
    """EAT pattern over terms; ``primary.pattern`` is the one that is read."""
    level3: Level3 | None = Field(default=None, exclude_if=is_none)
    """Mean and spread of the similarities in each of the four blocks."""
    similarities: tuple[tuple[float, ...], ...] | None = Field(default=None, exclude_if=is_none)
    """Of each target, X then Y, with each attribute, A then B."""
    draws: DrawsRecord | None = Field(default=None, exclude_if=is_none)
    """Effect sizes of each draw of contexts."""
    stimulus_level: StimulusWEAT | None = Field(default=None, exclude_if=is_none)
    """Findings over the stimuli of sentences."""
    uncertainty: Uncertainty | None = Field(default=None, exclude_if=is_none)
    """Bootstrap intervals, and the share of each pattern."""
    influence: Influence | None = Field(default=None, exclude_if=is_none)
    """Change of each effect size without each term."""
    generalisation: Generalisation | None = Field(default=None, exclude_if=is_none)
    """Crossed tests: whether other words would show it."""
    power: Power | None = Field(default=None, exclude_if=is_none)
    """What the design can find."""
    equivalence: Equivalence | None = Field(default=None, exclude_if=is_none)
    """Whether effects are smaller than what matters."""
    language_model: LanguageModelRecord | None = Field(default=None, exclude_if=is_none)
    """The model behind log-probabilities."""
    direction: str | None = Field(default=None, exclude_if=is_none)
    """What is conditioned on what in a log-ratio."""
    templates: tuple[str, ...] | None = Field(default=None, exclude_if=is_none)
    """Sentences with places for a target and an attribute."""
    sentences: tuple[tuple[int, ...], ...] | None = Field(default=None, exclude_if=is_none)
    """How many sentences of a corpus hold each pair."""
    logit_scale: float | None = Field(default=None, exclude_if=is_none)
    """What cosines are multiplied by before a softmax."""

    @property
    def by_target(self) -> tuple[TargetShares, ...] | None:
        """What was found of each target against k groups."""
        return None

    @property
    def values(self) -> tuple[TargetValue, ...] | None:
        """The number of each target, of measures that have one."""
        return None

    @property
    def d(self) -> float | None:
        """The first effect size, which is that of level 1 in most measures; None if undefined.

        :meth:`effects` has all of them, with their p-values and intervals.
        """
        return next((effect.d for effect in self.effects()), None)

    @property
    def p(self) -> float | None:
        """The p-value of that effect size in the tail that is read; None if it has none."""
        return next((effect.p_of() for effect in self.effects()), None)

    @field_validator("concepts", "coverage")
    @classmethod
    def _of_its_groups(cls, groups: ByGroup[Any]) -> ByGroup[Any]:
        """X, Y, A and B in this order; of a test of groups they have any names."""
        if cls.kind != "association":
            return groups
        return type(groups)(in_order(groups.root, ROLES))

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        """Name the measure in texts after its record, where the record does not."""
        super().__pydantic_init_subclass__(**kwargs)
        measure = cls.model_fields["measure"].default
        if isinstance(measure, str):
            cls.display_name = cls.__dict__.get("display_name") or measure.upper()
            cls.full_name = cls.__dict__.get("full_name") or cls.display_name

    @property
    def source_string(self) -> str:
        """What opens the source again."""
        return self.source_from or self.source

    @property
    def primary(self) -> Primary:
        """The findings that are read: over stimuli where one has several sentences."""
        stimuli = self.stimulus_level
        read = self if stimuli is None else stimuli
        return Primary(
            over="terms" if stimuli is None else "stimuli",
            **{name: at(read, name) for name in ("level1", "level2", "pattern")},
            scores=at(read, "scores") or TargetScores(X=(), Y=()),
            uncertainty=read.uncertainty,
            influence=read.influence,
            coverage=self.coverage,
            sentences=None if stimuli is None else stimuli.sentences,
        )

    @property
    def rule(self) -> Rule:
        """The level and the tail by which the result is read."""
        if self.pattern is not None:
            return Rule(self.pattern.alpha, self.pattern.tail, self.pattern.threshold)
        alpha = parameters(self.signature).get("alpha")
        return Rule(alpha) if isinstance(alpha, float) else Rule()

    def effects(self) -> tuple[Effect, ...]:
        """The effect sizes that are read, each with all that is known about it.

        Returns
        -------
        tuple of Effect
            In the order of the levels; of an SC-EAT one for each term. Over stimuli in tests of
            sentences. What is undefined is there, with `d` None.

        Examples
        --------
        >>> import eatlas
        >>> [effect.place for effect in eatlas.run(tests="weat-6")[0].effects()]
        ['level1', 'level2.X', 'level2.Y']
        """
        return tuple(map(self.effect, self.places or _places_of(type(self))))

    def effect(self, place: str) -> Effect:
        """The effect size at one place of the record, such as ``level2.X``."""
        read = self.primary
        single = measured(self, place, self, self.uncertainty) if read.over_stimuli else None
        return measured(
            self,
            place,
            self.stimulus_level or self,
            read.uncertainty,
            read_over=read.over,
            crossed=at(self.generalisation, place),
            equivalent=at(self.equivalence, place),
            design=at(self.power, place.partition(".")[0]),
            influence=at(read.influence, place),
            matched=at(self.frequency, f"matched.{place}"),
            over_sentences=single,
        )

    def plot(self, kind: str | None = None, *, width: str | float | None = None) -> Any:
        """Draw the result; see :func:`eatlas.plot`."""
        return offered("plot")(self, kind, width=width)

    def of_the_test(self) -> dict[str, Any]:
        """What a test of this kind has besides its concepts, to make it again."""
        return {}

    def to_test(self) -> Test:
        """Return the test that the result belongs to, made of the terms that it lists.

        Raises
        ------
        StimulusError
            If they make no test, as those of a file that was changed may.
        """
        try:
            concepts = {
                role: _concept_of(self.concepts[role], group)
                for role, group in self.coverage.items()
            }
            return KINDS[self.kind].of(
                concepts,
                id=self.test,
                title=self.title,
                citation=self.provenance.citation,
                sentences_from=self.provenance.sentences_from,
                explored=self.provenance.explored,
                **self.of_the_test(),
            )
        except StimulusError as error:
            reason = "; ".join(error.what.splitlines())
            raise StimulusError(f"the terms of the result make no test: {reason}") from error

    @property
    def sides(self) -> tuple[tuple[str, ...], ...]:
        """Names of the concepts that are compared, side by side: X and Y, then A and B."""
        return tuple(tuple(self.concepts[role] for role in side) for side in OPPOSITES)

    def scored(self, role: str) -> tuple[str, ...]:
        """What each score of a group belongs to: used terms, or stimuli."""
        return self.primary.names(role)

    def paired(self, role: str) -> tuple[str, ...]:
        """What the rows (X, Y) or columns (A, B) of `similarities` belong to."""
        return self.coverage.group(role).scored

    def contexts_of(self, role: str) -> dict[str, int]:
        """Contexts of each stimulus of a group; empty where stimuli are in none."""
        return self.coverage.group(role).contexts

    @property
    def contexts(self) -> ContextsOrigin | None:
        """Which contexts the stimuli were in, and how much of a text; None where in none."""
        return self.provenance.contexts

    def cell_text(self, name: str) -> str:  # noqa: ARG002  (few have one)
        """What a cell of an EAT-Map (XA, XB, YA, YB) says besides its colour."""
        return ""

    def head(self) -> dict[str, Any]:
        """First columns of every table."""
        return {
            "test": self.test,
            "source": self.source,
            **({"source_from": self.source_from} if self.source_from else {}),
            **({} if self.period is None else {"period": self.period}),
            **({} if self.encoding is None else self.encoding.columns()),
            **({} if self.contexts is None else self.contexts.columns()),
            "measure": self.measure,
            "signature": self.signature,
            **self.concepts,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Flat rows of the tidy table; by default one, with the columns of every effect size."""
        return [self.head() | self.columns()]

    def columns(self) -> dict[str, Any]:
        """Columns of the effect sizes that are read, one after the other."""
        return {k: value for effect in self.effects() for k, value in effect.columns().items()}

    def to_frame(self) -> pd.DataFrame:
        """Return the result as a pandas frame, one row for each row of :meth:`rows`."""
        return as_frame(self.rows())

    def __repr__(self) -> str:
        return f"<{self.signature} of {self.test} on {self.source}: {self.summary()}>"

    __str__ = __repr__

    def _repr_html_(self) -> str:
        return str(offered("notebook")(self))

    def summary(self) -> str:
        """The finding in a few words; by default its first numbers."""
        numbers = [f"{effect.symbol} = {shown(effect.d)}" for effect in self.effects()[:3]]
        return ", ".join(numbers) or f"{self.coverage.counts()[0]} terms"


def is_result(value: object) -> TypeIs[AssociationResult]:
    """Whether something is a result of a measure, not several of them or anything else."""
    return isinstance(value, AssociationResult)


def measured(
    result: AssociationResult,
    place: str,
    read: object,
    uncertainty: Uncertainty | None,
    **more: Any,
) -> Effect:
    """One effect size with its p-values and interval."""
    name = result.display_name if place == "value" else place.replace("_", " ").capitalize()
    title, roles, suffix = PLACES.get(place, (name, tuple(result.concepts), f"_{place}"))
    resampled = at(uncertainty, place)
    part, d = at(read, place), None
    if isinstance(part, Level):
        d = part.effect_size
        more |= {"difference": part.difference, "n": part.n, "p": part.p}
    elif Level not in _kinds(type(result), place):
        d = part
        more["symbol"] = title
    return Effect(
        place=place,
        title=title,
        roles=roles,
        names=tuple(result.concepts.name(role) for role in roles),
        d=d,
        rule=result.rule,
        suffix=suffix,
        resampled=resampled,
        confidence=uncertainty.confidence if uncertainty and resampled else None,
        over_draws=at(result.draws, place),
        **more,
    )


@cache
def _places_of(record: type[AssociationResult]) -> tuple[str, ...]:
    """Fields of a record of another package that are effect sizes or other single numbers."""
    own = [name for name in record.model_fields if name not in AssociationResult.model_fields]
    return tuple(name for name in own if {Level, float, int} & _kinds(record, name))


def _kinds(record: type[AssociationResult], place: str) -> set[object]:
    """Types of what a record has at a place: those of a field; inside another record, a level."""
    if place not in record.model_fields:
        return {Level}
    annotation = record.model_fields[place].annotation
    return {annotation, *get_args(annotation)}


Share = Annotated[float, Field(ge=0.0, le=1.0)]


class GroupsResult(AssociationResult):
    """A result of a :class:`eatlas.GroupsTest`: targets, each measured alone, against k groups.

    A record derives from this class and declares what it found, as that of an association test.

    Examples
    --------
    >>> from typing import Literal
    >>> class Nearness(GroupsResult):
    ...     measure: Literal["nearness"] = "nearness"
    ...     nearest: float
    >>> Nearness.display_name, Nearness.kind
    ('NEARNESS', 'groups')
    """

    kind: ClassVar[str] = "groups"
    heading: ClassVar[str] = "Test: targets, groups"

    concepts: Concepts
    """Names of the concept of targets, as ``targets``, and of each group."""
    groups: tuple[str, ...] = Field(min_length=2)
    """Names of the groups, in the order of the test."""
    reference: tuple[Share, ...]
    """Share that is expected of each of them; sums to 1."""
    pairs: tuple[tuple[str, ...], ...] = Field(default=(), exclude_if=is_empty)
    """Terms of the test that differ in the group alone, one of each group."""
    references: dict[str, tuple[Share, ...]] = Field(default_factory=dict, exclude_if=is_empty)
    """The same for single targets, where each has a reference of its own; a target that is not
    listed here has none then. Empty where all have the one above."""
    reference_from: str = Field(default="", exclude_if=is_empty)
    """Where the reference comes from; empty for the test's own."""

    @model_validator(mode="after")
    def _one_share_for_each_group(self) -> Self:
        shares = (self.reference, *self.references.values())
        if any(len(one) != len(self.groups) for one in shares):
            raise ValueError("there are as many shares in the reference as groups")
        if not tuple(self.concepts) == tuple(self.coverage) == (OF_TARGETS, *self.groups):
            raise ValueError("concepts and coverage are of the targets and of each group, in order")
        return self

    @property
    def sides(self) -> tuple[tuple[str, ...], ...]:
        """Name of the concept of targets, then those of the groups."""
        targets, *groups = self.concepts.values()
        return (targets,), tuple(groups)

    def of_the_test(self) -> dict[str, Any]:
        """The reference, by group, that of single targets, where they come from, and the pairs."""
        return {
            "pairs": self.pairs,
            "reference": dict(zip(self.groups, self.reference, strict=True)),
            "references": self.references,
            "reference_from": self.reference_from,
        }

    def reference_of(self, target: str) -> tuple[float, ...] | None:
        """Return the reference of one target; None where it has none."""
        return self.references.get(target) if self.references else self.reference


def _concept_of(name: str, group: GroupCoverage) -> Concept:
    """A concept of words, of images, or of sentences with the stimuli they are made of."""
    terms = group.used + group.missing
    if not group.image and not group.stimulus:
        clusters: dict[str, list[str]] = {}
        for term, first in group.cluster.items():
            clusters.setdefault(first, []).append(term)
        return Concept(name=name, terms=terms, clusters=tuple(map(tuple, clusters.values())))
    present = group.image or group.stimulus
    absent = tuple((term, group.reasons[term]) for term in terms if term not in present)
    terms = tuple(term for term in terms if term in present)
    if group.image:
        images = tuple(
            Image(name=term, sha256=group.image[term], path=group.found_as.get(term, ""))
            for term in terms
        )
        return Concept(name=name, terms=terms, images=images, absent=absent)
    sentences = tuple(
        Sentence(
            text=group.text.get(term, term),
            stimulus=group.stimulus[term],
            span=group.span.get(term),
            key=term if term in group.text else "",
        )
        for term in terms
    )
    keys = tuple(sentence.term for sentence in sentences)
    return Concept(name=name, terms=keys, sentences=sentences, absent=absent)
