"""What results of all measures have in common, and how they show themselves."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, Self, TypeVar, get_args

from pydantic import ConfigDict, Field, field_validator, model_validator
from pydantic_core import PydanticCustomError

from eatlas.errors import NoTestError, StimulusError
from eatlas.lazy import find_offer
from eatlas.notes import Noted
from eatlas.numbers import effect as format_effect
from eatlas.numbers import p_equals
from eatlas.plugins import absent, load_class, usable
from eatlas.results.diagnosis import TermsDiagnosis
from eatlas.results.effects import (
    ConfidenceInterval,
    Effect,
    ReadOver,
    Rule,
    parameters,
)
from eatlas.results.finding import PLACES as QUESTIONS
from eatlas.results.levels import (
    Adjusted,
    AdjustedLevel,
    CrossedLevel,
    DesignPower,
    EffectInterval,
    Findings,
    Frequency,
    Generalisation,
    Level,
    Level3,
    MatchedLevel,
    Power,
    Sensitivity,
    StimulusLevel,
    TermInfluence,
    Units,
)
from eatlas.results.parts import (
    ByGroup,
    Concepts,
    Coverage,
    Encoding,
    Part,
    Provenance,
    Record,
    at,
    finite_numbers,
    in_order,
    is_empty,
    is_none,
    part_at,
    property_or_field,
)
from eatlas.stimuli import KINDS, Test
from eatlas.stimuli.kinds import OF_TARGETS, OPPOSITES, ROLES

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import TypeIs

    from eatlas.results.finding import Finding, Question
    from eatlas.stimuli import ContextsOrigin


PLACES = {
    "level1": ("Level 1", "XY", ""),
    "level2.X": ("Level 2, X", "X", "_X"),
    "level2.Y": ("Level 2, Y", "Y", "_Y"),
    "over_attributes": ("Over attributes", "AB", "_over_attributes"),
}
"""Title, groups and suffix of columns of an effect size, by its place in a record."""
SCHEMA: Literal["eatlas/result/1"] = "eatlas/result/1"
FINDING = "finding"
"""Key of the finding in the JSON of a result."""
_CACHE = "_cache"
"""Key of what was computed of a result, beside its fields."""
_MOST_SIZES = 6
"""Groups whose size a line shows."""
FrameColumns = Literal["brief", "all"] | Sequence[str]
"""Columns of a frame: the main ones, all, or these."""
T = TypeVar("T")


class Head(Record):
    """What was measured, in what, by what."""

    schema_version: str = Field(alias="schema")
    measure: str
    """Name of the measure, such as ml-eat."""
    signature: str
    """The measure with all its parameters."""
    test: str
    """Id of the test."""
    title: str = ""
    source: str
    """Source string of the vectors or of the series, or the name that the run gives it."""
    source_from: str = Field(default="", exclude_if=is_empty)
    """Source string of vectors that the run gives a name; empty where `source` is one."""
    run_of: str = Field(default="", exclude_if=is_empty)
    """Name of the model that the source is a training run of; empty if it is not one."""
    concepts: Concepts
    """What the groups are called."""

    @property
    def source_string(self) -> str:
        """What opens the source again."""
        return self.source_from or self.source


@cache
def part_types() -> dict[str, type[Part]]:
    """Parts of results that packages add, by their key in the JSON of a result."""
    return usable("eatlas.parts", (), partial(load_class, kind=Part))


class AssociationResult(Findings, Head):
    """What results of all measures have in common; each measure adds its own fields.

    Presenters read from a result its effect sizes and its parts, never for its class:
    :meth:`effects` lists the effect sizes of any measure, `primary` has the findings that are
    read. A part that only some measures have, such as `pattern` or `samples`, is None in results
    of the others.

    A record of another package derives from this class and declares what it found as fields. By
    default every field that is a number, or a :class:`~eatlas.results.levels.Level`, is one of its
    effect sizes; the attributes below are its words.
    """

    kind: ClassVar[str] = "association"
    """Kind of test that the result belongs to."""
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
    words: ClassVar[str] = ""
    """Template of text, ``WORDS.txt.j2``, whose macros say what is the measure's own, each given
    the result: ``more``, what else it found; ``headline``, its finding in place of a number; and
    ``association``, given all results of the measure, what associates, in a methods paragraph."""
    section: ClassVar[str] = ""
    """Template of a page, ``SECTION.html.j2``, of what its details show behind its tests."""
    glossary: ClassVar[tuple[str, ...]] = ()
    """Templates of a page of what the glossary explains for it."""
    account: ClassVar[str] = ""
    """An :class:`eatlas.present.account.Account` as ``module:name``, of what else the terminal
    prints of results of the measure."""
    neutral: ClassVar[float | None] = None
    """What the association of one pair of terms is without any preference, where that is known."""
    hashed: ClassVar[str] = "vectors"
    """What the hash of what was measured is of."""
    tracked: ClassVar[int] = 4
    """Effect sizes that :meth:`metrics` has at most."""
    brief: ClassVar[tuple[str, ...]] = ()
    """Further columns of a brief frame, besides the column of the measure's name."""
    places: ClassVar[tuple[str, ...]] = ()
    """Where in the record its effect sizes are, such as ``level1`` and ``level2.X``; empty where
    they are all fields that are numbers or levels."""

    model_config = ConfigDict(extra="allow")  # parts that packages add, and nothing else

    schema_version: Literal["eatlas/result/1"] = Field(default=SCHEMA, alias="schema")
    period: int | None = None
    """Year of the vectors, or the first of several years, in a series of periods."""
    encoding: Encoding | None = None
    """How texts became vectors; None where vectors were looked up."""
    coverage: Coverage
    diagnosis: TermsDiagnosis | None = None
    """Whether cosines mean anything among the test's terms; None where a measure has none."""
    frequency: Frequency | None = None
    """How frequent the words of the test are, and what random topics show in their place;
    None where no order of frequency is known."""
    frequency_reason: str = Field(default="", exclude_if=is_empty)
    """Why it is not known."""
    adjusted: Adjusted | None = None
    """The same associations adjusted for frequency and other covariates of the words; None where
    `warnings` says why, and with ``adjust=none``."""
    warnings: tuple[Noted, ...] = ()
    """What a reader should know before trusting the numbers."""
    provenance: Provenance

    level3: Level3 | None = Field(default=None, exclude_if=is_none)
    """Mean and spread of the similarities in each of the four blocks."""
    similarities: tuple[tuple[float, ...], ...] | None = Field(default=None, exclude_if=is_none)
    """Of each target, X then Y, with each attribute, A then B."""
    stimulus_level: StimulusLevel | None = Field(default=None, exclude_if=is_none)
    """Findings over the stimuli of sentences; None in tests of words, and where each has one."""
    units: Units | None = Field(default=None, exclude_if=is_none)
    """Near-synonyms that count as one word; None where no words are joined."""
    generalisation: Generalisation | None = Field(default=None, exclude_if=is_none)
    """Crossed tests: whether other words would show it."""
    sensitivity: Sensitivity | None = Field(default=None, exclude_if=is_none)
    """Words without which a p-value of level 1 is above alpha; None where none is below it, and of
    too many words."""
    power: Power | None = Field(default=None, exclude_if=is_none)
    """What the design can find."""

    @model_validator(mode="after")
    def _parts_are_known(self) -> Self:
        added = self.model_extra or {}
        for key, value in added.items():
            if key not in part_types():
                error = PydanticCustomError("extra_forbidden", "{key} is unknown", {"key": key})
                raise absent("parts", key) or error
            added[key] = part_types()[key].model_validate(value)
        return self

    @property
    def parts(self) -> dict[str, Part]:
        """What is known besides what its measure found, by key: its fields, then of packages."""
        return {name: value for name, value in self if isinstance(value, Part)}

    @property
    def member(self) -> str:
        """The member of a source that has several, such as a part of a corpus; empty of others."""
        return next((part.member for part in self.parts.values() if part.member), "")

    @property
    def view(self) -> str:
        """What associates, as a table of ``wording.toml`` says it."""
        return "vectors"

    @property
    def by_target(self) -> tuple[Any, ...] | None:
        """What was found of each target against k groups."""
        return None

    @property
    def values(self) -> tuple[Any, ...] | None:
        """The number of each target, of measures that have one."""
        return None

    @property
    def shows_little(self) -> bool:
        """Whether a result is weak evidence for a reason besides its numbers, such as refusals.

        Macros of `words` say why: ``little`` and ``little_of_several``, ``_mark`` and ``_legend``.
        """
        return False

    @property
    def cased(self) -> bool:
        """Whether terms are looked up by a rule of case."""
        return True

    @property
    def of_model(self) -> bool:
        """Whether the numbers come from a model, not from a file of vectors."""
        return self.encoding is not None

    @property
    def competing(self) -> bool:
        """Whether what A has of a target, B has not, so that all targets are on one line."""
        return False

    @property_or_field
    def value(self) -> float | None:
        """The number of the measure, such as d of level 1, MAC or a mean bias; None if undefined.

        :meth:`effects` has all numbers, with their p-values and intervals.
        """
        return next((effect.d for effect in self.effects()), None)

    @property
    def p(self) -> float | None:
        """The p-value of `value` in the tail that is read; None if it has none."""
        return next((effect.p_of() for effect in self.effects()), None)

    @property
    def statistic(self) -> float:
        """The number that is tested; NaN if it is undefined.

        Of a test of X, Y, A and B the effect size d of level 1, not adjusted for anything; else the
        number of the measure, such as SAME. It is what the first question of the finding is
        about.

        Raises
        ------
        NoTestError
            An AttributeError. If the measure has no significance test, as MAC, or a test of each
            term or target, as SC-EAT.
        """
        return _as_number(self._first_question()[1].effect_size)

    @property
    def pvalue(self) -> float:
        """The two-sided p-value of the first question of the finding; NaN if it has none.

        Of a test of X, Y, A and B it is the p-value of the claim that X and Y differ in their
        association with A and B, ``finding.questions["level1"].p.claim``: the largest of the
        p-values of a permutation test of these words, of the crossed test for other words, and of
        the crossed test at equal word frequency. It is at most alpha if and only if the claim is
        *supported*.

        If nothing can be claimed beyond these words (``adjust=none``, too few words, a measure
        without a crossed test), it comes from the permutation test, ``p.these``, and does not
        generalise to new words: `finding` says why. For a number that cannot be negative, such as
        SAME, it is one-sided.

        It is not adjusted for the number of tests, as the p-values of :attr:`Results.findings
        <eatlas.Results.findings>` are. `p` is the p-value by the rule of the published tables:
        permutations of single words, in the direction of d.

        Raises
        ------
        NoTestError
            An AttributeError. If the measure has no significance test, or several.

        Examples
        --------
        >>> import eatlas
        >>> result = eatlas.run(tests="weat-6")[0]
        >>> print(f"d = {result.statistic:.2f}, p = {result.pvalue:.3f}")
        d = 1.72, p = 0.011
        >>> low, high = result.confidence_interval(0.9)
        >>> print(f"{low:.2f} to {high:.2f}")
        1.02 to 3.76
        """
        p = self._first_question()[1].p
        return _as_number(p.these if p.claim is None else p.claim)

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return the confidence interval of the first question of the finding.

        Parameters
        ----------
        confidence_level : float, default 0.95
            Between 0 and 1. An interval of the crossed test can have any level; a bootstrap
            interval has the one at which it was computed.

        Returns
        -------
        ConfidenceInterval
            A named tuple ``(low, high)``, NaN if it is undefined, in units of `statistic`. Of a
            test of X, Y, A and B that of the crossed test at equal word frequency. It is for other
            words, and around the adjusted effect size, so `statistic` may lie near one of its ends.
            If the frequency of the words is unknown, from the crossed test; without a crossed
            test, of bootstrap samples of the words: ``effects()[0].interval_basis`` says which.

        Raises
        ------
        EatlasError
            If the interval is not known at this level.
        NoTestError
            An AttributeError. If the measure has no significance test, or several.
        """
        effect, question = self._first_question()
        interval = effect.confidence_interval(confidence_level)
        if effect.place in QUESTIONS and question.interval is None:  # too few words
            return ConfidenceInterval(math.nan, math.nan)
        return interval

    def _first_question(self) -> tuple[Effect, Question]:
        """The first effect size that the finding has a question about, and that question."""
        questions = self.finding.questions
        for effect in self.effects():
            if effect.place in questions:
                return effect, questions[effect.place]
        if not questions:
            raise NoTestError(
                f"{self.display_name} has no significance test",
                remedy="`value` is its number, and `finding` says what it shows",
            )
        raise NoTestError(
            f"{self.display_name} has a significance test of each of its {next(iter(questions))}, "
            "and no single p-value",
            remedy="`to_frame()` has a row for each, with its p-values",
        )

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
    def primary(self) -> Findings:
        """The findings that are read: over stimuli where one has several sentences.

        Sentences of a stimulus are not independent, so p-values that permute single sentences are
        too small. A number that is undefined over stimuli is None here, never that of sentences.

        Examples
        --------
        >>> import eatlas
        >>> result = eatlas.run(tests="sent-weat-9", vectors="cbow:glove-sample")[0]
        >>> result.read_over, result.primary.level1.n, result.level1.n
        ('stimuli', (6, 6), (18, 73))
        """
        return self if self.stimulus_level is None else self.stimulus_level

    @property
    def read_over(self) -> ReadOver:
        """What a score belongs to: terms, stimuli of sentences, or their single sentences."""
        return self._memoise("read_over", self._find_read_over)

    def _find_read_over(self) -> ReadOver:
        if self.stimulus_level is not None:
            return "stimuli"
        of_sentences = parameters(self.signature).get("over") == "sentences"
        several = any(len(group.stimuli) < len(group.used) for group in self.coverage.values())
        return "sentences" if of_sentences and several else "terms"

    @property
    def over_stimuli(self) -> bool:
        """Whether stimuli are read, not terms."""
        return self.read_over == "stimuli"

    @property
    def alone(self) -> tuple[str, ...]:
        """The groups with one stimulus alone, so that a level over stimuli is undefined."""
        sentences = self.stimulus_level.sentences if self.stimulus_level else {}
        return tuple(role for role, stimuli in sentences.items() if len(stimuli) < 2)

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
        return self._memoise("effects", lambda: tuple(map(self.effect, places_of(type(self)))))

    def effect(self, place: str) -> Effect:
        """The effect size at one place of the record, such as ``level2.X``."""
        return self._memoise(place, lambda: self._describe_effect(place))

    def _describe_effect(self, place: str) -> Effect:
        """Put together what is known of an effect size."""
        read = self.primary
        over_sentences = None
        if self.stimulus_level is not None:
            over_sentences = _effect(self, place, self)
        return _effect(
            self,
            place,
            read,
            read_over=self.read_over,
            crossed=part_at(self.generalisation, place, CrossedLevel),
            design=part_at(self.power, place.partition(".")[0], DesignPower),
            influence=part_at(read.influence, place, TermInfluence),
            matched=part_at(self.frequency, f"matched.{place}", MatchedLevel),
            adjusted=part_at(self.adjusted, place, AdjustedLevel),
            parts=tuple(self.parts.values()),
            over_sentences=over_sentences,
        )

    @property
    def changed_after(self) -> bool | None:
        """Whether adjusting for covariates changes the conclusion; None without adjustment.

        The EAT pattern may be another, or what is read from level 1, or from a single term.
        """
        pattern, after = self.primary.pattern, self.adjusted and self.adjusted.pattern
        plain = [e for e in self.effects() if e.after and e.place in {"level1", "level2"}]
        if not plain and not (pattern and after):
            return None
        return bool(pattern and after and pattern.label != after.label) or any(
            effect.conclusion != effect.after.conclusion for effect in plain if effect.after
        )

    @property
    def adjustment_is_off(self) -> bool:
        """Whether adjustment for word frequency is switched off."""
        return parameters(self.signature).get("adjust") == "none"

    @property
    def adjustable(self) -> bool:
        """Whether the frequency of some words is known."""
        ranks = at(self.frequency, "ranks")
        return bool(ranks) and any(
            rank is not None for role in ROLES for rank in ranks[role].terms.values()
        )

    def further_obstacles(self, effect: Effect) -> Iterable[str]:  # noqa: ARG002  (a choice)
        """Why an effect size says nothing beyond its words, in measures that have own reasons."""
        return ()

    @property
    def finding(self) -> Finding:
        """What the result shows: its questions, the answer to each, and a sentence."""
        finding: Finding = self._memoise(FINDING, lambda: find_offer("finding")(self))
        return finding

    def _memoise(self, name: str, compute: Callable[[], T]) -> T:
        """What follows from the fields, computed once; no copy and no file of the record has it."""
        cached: dict[str, T] = self.__dict__.setdefault(_CACHE, {})
        if name not in cached:
            cached[name] = compute()
        return cached[name]

    def __copy__(self) -> Self:
        copy = super().__copy__()
        copy.__dict__.pop(_CACHE, None)
        return copy

    def __deepcopy__(self, memo: dict[int, Any] | None = None) -> Self:
        copy = super().__deepcopy__(memo)
        copy.__dict__.pop(_CACHE, None)
        return copy

    def __getstate__(self) -> dict[Any, Any]:
        state = super().__getstate__()
        fields = {name: value for name, value in self.__dict__.items() if name != _CACHE}
        return {**state, "__dict__": fields}

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, exactly as in the JSON, plus the finding."""
        return {**super().to_dict(), FINDING: self.finding.to_dict()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Rebuild the record; its finding follows from its numbers."""
        return super().from_dict({key: values[key] for key in values if key != FINDING})

    def plot(
        self,
        kind: str | None = None,
        *,
        width: str | float | None = None,
        title: str | None = None,
    ) -> Any:
        """Draw the result; see :func:`eatlas.plot`."""
        return find_offer("plot")(self, kind, width=width, title=title)

    def of_the_test(self) -> dict[str, Any]:
        """What a test of this kind has besides its concepts, to make it again."""
        return {}

    def to_test(self) -> Test:
        """Return the test that the result belongs to, made of the terms that it lists.

        Raises
        ------
        StimulusError
            If they do not form a test, for example after the file was edited.
        """
        try:
            concepts = {
                role: group.concept(self.concepts[role]) for role, group in self.coverage.items()
            }
            return KINDS[self.kind].of(
                concepts,
                id=self.test,
                title=self.title,
                citation=self.provenance.citation,
                language=self.provenance.language,
                sentences_from=self.provenance.sentences_from,
                explored=self.provenance.explored,
                explored_on=self.provenance.explored_on,
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
        if self.stimulus_level is not None:
            return tuple(self.stimulus_level.sentences[role])
        return self.coverage[role].scored

    def paired(self, role: str) -> tuple[str, ...]:
        """What the rows (X, Y) or columns (A, B) of `similarities` belong to."""
        return self.coverage[role].scored

    def contexts_of(self, role: str) -> dict[str, int]:
        """Contexts of each stimulus of a group; empty where stimuli are in none."""
        return self.coverage[role].contexts

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
            **({"language": self.provenance.language} if self.provenance.language else {}),
            "source": self.source,
            **{key: name for key in ("source_from", "run_of") if (name := getattr(self, key))},
            **({} if self.period is None else {"period": self.period}),
            **({} if self.encoding is None else self.encoding.columns()),
            **({} if self.contexts is None else self.contexts.columns()),
            "measure": self.measure,
            "signature": self.signature,
            **self.concepts,
        }

    def rows(self) -> list[dict[str, Any]]:
        """Flat rows of the tidy table; by default one.

        Effect sizes with intervals and p-values, level 3, the pattern, and what other words, random
        topics and samples show. If stimuli are read, columns ``sentence_...`` have the same over
        single sentences.
        """
        read, effects = self.primary, self.effects()
        row: dict[str, Any] = {**self.head(), "read_over": self.read_over}
        for effect in effects:
            row |= effect.columns()
        for name, cell in self.level3 or ():
            row |= {f"mean_{name}": cell.mean, f"sd_{name}": cell.sd}
        if self.pattern is not None:
            known = (at(part, "patterns") for part in (*self.parts.values(), read.uncertainty))
            shares: dict[str, float] = next(filter(None, known), {})
            row["pattern"] = at(read.pattern, "label")
            row["two_sided_pattern"] = at(read.pattern, "two_sided_label")
            row["pattern_share"] = shares.get(read.label)
        row |= read.decisive_terms()
        row["used"], row["missing"] = self.coverage.counts()
        for effect in effects:
            row |= effect.more_columns()
        if self.frequency is not None:
            row |= {f"median_rank_{role}": self.frequency.ranks[role].median for role in ROLES}
        row |= self.adjusted.columns() if self.adjusted else {}
        for part in self.parts.values():
            row |= part.columns()
        for sentences in filter(None, (effect.over_sentences for effect in effects)):
            row |= sentences.columns("sentence_")
        if self.stimulus_level is not None and self.pattern is not None:
            row["sentence_pattern"] = self.label
            row["sentence_two_sided_pattern"] = self.two_sided_label
        return [row]

    def metrics(self) -> dict[str, float]:
        """Return the result as a few numbers under short names, as trackers of runs take them.

        Returns
        -------
        dict of str to float
            At most eleven. Undefined numbers are left out; otherwise all results of a measure have
            the same names. First the number: ``d``, ``value`` or ``mean_bias``; then ``p`` in the
            tail that is read, ``p_two_sided``, of level 1 ``p_claim``, at most alpha if the claim
            is supported, and ``low`` and ``high`` of the interval; then further effect sizes, such
            as ``d_x`` and ``d_y`` of level 2; last ``used`` and ``missing`` terms. Of an SC-EAT
            ``d`` is the mean over terms, and ``p_holm`` the smallest p after Holm; of a model that
            answers, ``unanswered`` is the proportion of refusals and unusable answers.

        Examples
        --------
        >>> import eatlas
        >>> metrics = eatlas.run(tests="weat-6")[0].metrics()
        >>> round(metrics["d"], 2), list(metrics)[1:]
        (1.72, ['p', 'p_two_sided', 'p_claim', 'low', 'high', 'd_x', 'd_y', 'used', 'missing'])
        """
        return finite_numbers(self.numbers())

    def numbers(self) -> dict[str, float | None]:
        """The numbers of :meth:`metrics`, with None for what is undefined."""
        numbers: dict[str, float | None] = {}
        for effect in self.effects()[: self.tracked]:
            name = as_name(f"d{effect.suffix}" if effect.symbol == "d" else effect.place)
            numbers[name] = effect.d
            if len(numbers) == 1:
                low, high = effect.interval or (None, None)
                numbers |= {"p": effect.p_of(), "p_two_sided": effect.p_of("two_sided")}
                if self.generalisation and effect.place == "level1":
                    numbers["p_claim"] = self.finding.questions["level1"].p.claim
                numbers |= {"low": low, "high": high}
        used, missing = self.coverage.counts()
        return {**numbers, "used": used, "missing": missing}

    def rows_with(self, finding: Finding) -> list[dict[str, Any]]:
        """Flat rows with the verdicts of a finding; rows of single terms or targets have none."""
        rows = self.rows()
        return [rows[0] | finding.columns()] if len(rows) == 1 else rows

    def to_frame(self, columns: FrameColumns = "brief") -> pd.DataFrame:
        """Return the result as a pandas frame, as :meth:`eatlas.Results.to_frame` does."""
        frame: pd.DataFrame = find_offer("results")([self]).to_frame(columns)
        return frame

    def __repr__(self) -> str:
        measure = find_offer("brief_signature")(self.signature)
        sizes = [len(group.scored) for group in self.coverage.values()]
        size = ", ".join(f"{n:,}" for n in sizes[:_MOST_SIZES]) + ", ..." * (
            len(sizes) > _MOST_SIZES
        )
        return f"<{measure} of {self.test} ({size} terms) on {self.source}: {self.summary()}>"

    def _repr_html_(self) -> str:
        return str(find_offer("notebook")(self))

    def summary(self) -> str:
        """The finding in a few words; by default the pattern and the first numbers."""
        effects = self.effects()[:4]
        parts = [self.primary.label] if self.pattern is not None else []
        for shown in effects:
            symbol = f"d{shown.suffix}" if shown.symbol == "d" else shown.symbol
            parts.append(f"{symbol} = {format_effect(shown.d, shown.decimals)}")
        if len(effects) == 1 and (p := effects[0].p_of()) is not None:
            parts.append(p_equals(p, self.rule.alpha))
        parts += ["over stimuli"] * self.over_stimuli
        return ", ".join(parts) or f"{self.coverage.counts()[0]} terms"


def as_name(text: str) -> str:
    """A name in snake case of letters, digits and underscores, as every tracker of runs takes."""
    return re.sub(r"\W+", "_", text).strip("_").lower()


def _as_number(value: float | None) -> float:
    """A number; NaN if it is undefined."""
    return math.nan if value is None else value


def is_result(value: object) -> TypeIs[AssociationResult]:
    """Whether something is a result of a measure, not several of them or anything else."""
    return isinstance(value, AssociationResult)


def _effect(result: AssociationResult, place: str, read: Findings, **more: Any) -> Effect:
    """One effect size with its p-values and interval."""
    name = result.display_name if place == "value" else place.replace("_", " ").capitalize()
    title, roles, suffix = PLACES.get(place, (name, tuple(result.concepts), f"_{place}"))
    part, resampled = at(read, place), part_at(read.uncertainty, place, EffectInterval)
    if isinstance(part, Level):
        more |= {"d": part.effect_size, "difference": part.difference, "n": part.n, "p": part.p}
    elif Level in _kinds(type(result), place):
        more["d"] = None
    else:
        more |= {"d": part, "symbol": title}
    confidence = at(read.uncertainty or result.generalisation, "confidence")
    return Effect(
        place=place,
        title=title,
        roles=roles,
        names=tuple(result.concepts[role] for role in roles),
        rule=result.rule,
        suffix=suffix,
        resampled=resampled,
        confidence=confidence,
        **more,
    )


@cache
def places_of(record: type[AssociationResult]) -> tuple[str, ...]:
    """Where a record has its effect sizes; by default its own levels and single numbers."""
    if record.places:
        return record.places
    shared = {name: field.annotation for name, field in AssociationResult.model_fields.items()}
    fields = record.model_fields.items()
    own = [name for name, field in fields if shared.get(name) != field.annotation]
    return tuple(name for name in own if {Level, float, int} & _kinds(record, name))


def _kinds(record: type[AssociationResult], place: str) -> set[object]:
    """Types of what a record has at a place: those of a field; inside another record, a level."""
    if place not in record.model_fields:
        return {Level}
    annotation = record.model_fields[place].annotation
    return {annotation, *get_args(annotation)}


class SoftmaxResult(AssociationResult):
    """A result of a softmax over cosines."""

    logit_scale: float | None = Field(default=None, gt=0, exclude_if=is_none)
    """What a cosine is multiplied by before the softmax."""


Share = Annotated[float, Field(ge=0.0, le=1.0)]


class GroupsResult(AssociationResult):
    """A result of a :class:`eatlas.GroupsTest`: targets, each measured alone, against k groups.

    A record derives from this class and declares its fields, like the record of an association
    test.

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

    concepts: Concepts
    """Names of the concept of targets, as ``targets``, and of each group."""
    groups: tuple[str, ...] = Field(min_length=2)
    """Names of the groups, in the order of the test."""
    reference: tuple[Share, ...]
    """Share that is expected of each of them; sums to 1."""
    pairs: tuple[tuple[str, ...], ...] = Field(default=(), exclude_if=is_empty)
    """Terms of the test that differ in the group alone, one of each group."""
    expected: dict[str, tuple[str, ...]] = Field(default_factory=dict, exclude_if=is_empty)
    """Targets of the test that a stereotype puts with each group."""
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
        """Name of the concept of targets, then the names of the groups."""
        targets, *groups = self.concepts.values()
        return (targets,), tuple(groups)

    @property
    def view(self) -> str:
        """Vectors and groups, or the counts of a text."""
        return "groups"

    def of_the_test(self) -> dict[str, Any]:
        """The reference by group, references of single targets, their origin, and the pairs."""
        return {
            "pairs": self.pairs,
            "expected": self.expected,
            "reference": dict(zip(self.groups, self.reference, strict=True)),
            "references": self.references,
            "reference_from": self.reference_from,
        }

    def reference_of(self, target: str) -> tuple[float, ...] | None:
        """Return the reference of one target; None where it has none."""
        return self.references.get(target) if self.references else self.reference
