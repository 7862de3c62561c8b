"""Records of models that only answer: preferences at three levels, and lists of assignments."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from eatlas.numbers import effect as format_effect
from eatlas.numbers import percent
from eatlas.results.base import Share
from eatlas.results.effects import Effect, parameters
from eatlas.results.embedding_tests import ThreeLevelResult
from eatlas.results.levels import EffectInterval, Interval, Level
from eatlas.results.parts import (
    ByRole,
    BySide,
    Probability,
    Record,
    Tail,
    at,
    is_empty,
    is_none,
)
from eatlas_models.results.language_model import LanguageModelResult
from eatlas_models.stimuli.asking import About
from eatlas_models.stimuli.choosing import Fault
from eatlas_models.stimuli.questions import is_built_in

Count = Annotated[int, Field(ge=0)]
MANY_REFUSED = 0.2
"""Proportion of refusals and unusable answers above which a result shows little."""
LEAST_MASS = 0.1
"""Probability of both options together below which they are no answers that a model gives."""


class Shares(ByRole[Share]):
    """A proportion from 0 to 1 for each group."""


class OfComparisons(Record):
    """How far one effect size would move with other questions about the same words.

    Intervals are Student's, over questions with the pairs and answers of each; None for a single
    question. For new words, see the `generalisation` of a result.
    """

    difference: EffectInterval
    """Of the difference of means, in shares."""
    d: EffectInterval
    """The same in standard deviations of the scores as they are."""
    bounds: Interval | None
    """The effect size if all refusals and unusable answers had gone against a positive one, and for
    it; None where one of them is undefined."""
    uneven: Interval | None
    """The same of those alone that are beyond what all kinds of questions have: see `alike`."""
    p_uneven: tuple[Probability, Probability] | None
    """Two-sided p of both effect sizes of `uneven`."""

    def against(self, direction: Tail) -> tuple[float | None, float | None]:
        """Effect size and two-sided p had uneven refusals gone against a sign of d."""
        end = int(direction == "less")
        return at(self.uneven, str(end)), at(self.p_uneven, str(end))

    @property
    def range(self) -> Interval | None:
        """Both bounds, the lesser one first."""
        return self.bounds and (min(self.bounds), max(self.bounds))


OfLevel2 = BySide[OfComparisons]
Level2Sizes = BySide[float | None]
"""The same for both level 2 effect sizes, without level 1."""


class OfTemplate(Record):
    """The result of one template."""

    text: str
    effect_size: float | None
    """At level 1, or over attributes where both target groups have one term; of the terms that the
    template has comparisons of. None where undefined."""
    level2: Level2Sizes
    """For each target group; None if undefined."""
    usable: Share
    """Proportion of its answers that choose."""


class CollectedRecord(Record):
    """The file of answers that a result comes from."""

    rows: int
    """Answers in the file."""
    others: int
    """Answers to other tests, which are ignored."""


class ReasoningBlock(Record):
    """Answers of one kind, and the tokens that the model reasoned with before them."""

    answers: Count
    mean: float | None
    """Tokens of an answer; None of no answer."""


class ReasoningRecord(Record):
    """Tokens that the model reasoned with before its answers, as the endpoint counts them."""

    answers: Count
    """Answers whose tokens were counted."""
    mean: float
    """Tokens of an answer."""
    compatible: ReasoningBlock
    """Answers that put X with A, or Y with B; of comparisons with an option of each group."""
    incompatible: ReasoningBlock
    """Those that put X with B, or Y with A."""
    difference: float | None
    """Tokens of incompatible answers less those of compatible ones: the mean over subjects of the
    difference within each; None where no subject has both."""
    interval: Interval | None
    """Student's, over subjects; None of fewer than two, and where they do not vary."""
    subjects: Count
    """Subjects with answers of both kinds."""


class AnswersRecord(Record):
    """How a model answered the questions of a test, and how far that decides the result."""

    asked: int = Field(ge=1)
    """Requested answers: each comparison in both orders."""
    by: Literal["logprobs", "samples"]
    """Whether choices are probabilities of the options, or answers that were sampled."""
    usable: Count
    """Answers that choose one of their options."""
    faults: dict[Fault, Count] = Field(default_factory=dict, exclude_if=is_empty)
    """The others by kind: refused, neither, both, empty, long."""
    unusable: Shares
    """Rate of refusals and unusable answers about each group: questions with a term of
    it."""
    alike: Share
    """Proportion of refusals and unusable answers that every kind of question may have, as from a
    model that declines at random: the smallest upper limit (95%, Jeffreys) over the six kinds, by
    the group asked about and the groups of both options. What a kind has beyond it is in
    `uneven`."""
    mass: float | None = Field(default=None, ge=0, exclude_if=is_none)
    """Mean probability of both options together, where log-probabilities were read: what is left
    goes to other answers."""
    first_place: Share
    """Share won by the option that is named first: 0.5 where the order plays no part."""
    first_place_interval: Interval | None
    """Interval of it over comparisons, by Student's t."""
    agreement: float | None = None
    """Cronbach's alpha over templates of the scores of targets, or of attributes where both target
    groups have one term; None for one template."""
    templates: tuple[OfTemplate, ...]
    about: About
    comparisons: int
    """Pairs for each subject, over all questions."""
    answers: int
    """Answers to one question, at most; 1 where log-probabilities were read."""
    temperature: float | None
    """At which answers were sampled; None where log-probabilities or a file were read, and of a
    function, which only takes prompts."""
    models: tuple[str, ...] = ()
    """What the model calls itself in its answers."""
    dates: tuple[str, ...] = ()
    """First and last day of the answers, where they are known."""
    level1: OfComparisons
    level2: OfLevel2
    over_attributes: OfComparisons
    collected: CollectedRecord | None = Field(default=None, exclude_if=is_none)
    """Of answers that were read from a file."""
    reasoning: ReasoningRecord | None = Field(default=None, exclude_if=is_none)
    """None where the model does not say how many tokens it reasoned with."""

    @property
    def refused(self) -> float:
        """Proportion of refusals and unusable answers."""
        return 1 - self.usable / self.asked

    @property
    def improbable(self) -> bool:
        """Whether the model would mostly answer something else than one of its options."""
        return self.mass is not None and self.mass < LEAST_MASS


class AnsweredResult(LanguageModelResult):
    """A result of a measure that asks a model in words, which may refuse to choose."""

    subject: ClassVar[str] = "model's answers"
    unit: ClassVar[str] = "proportion"
    hashed: ClassVar[str] = "answers"
    words: ClassVar[str] = "answers"
    section: ClassVar[str] = "answers"
    glossary: ClassVar[tuple[str, ...]] = ("glossary_paired",)
    account: ClassVar[str] = "eatlas_models.present.answers:ACCOUNT"
    tracked: ClassVar[int] = 3

    @property
    def view(self) -> str:
        """A model's answers."""
        return "answers"

    @property
    def unanswered(self) -> float:
        """Proportion of refusals and unusable answers."""
        raise NotImplementedError

    @property
    def shows_little(self) -> bool:
        """Whether so many answers are refusals or unusable that the other answers show little."""
        return self.unanswered > MANY_REFUSED

    def numbers(self) -> dict[str, float | None]:
        """The numbers of any result, and last the proportion of unusable answers."""
        return super().numbers() | {"unanswered": self.unanswered}

    def summary(self) -> str:
        """The finding in a few words, after the percentage of unusable answers if it is large."""
        text = super().summary()
        return f"{self.unanswered:.0%} unusable answers, {text}" if self.shows_little else text


class AskResult(ThreeLevelResult, AnsweredResult):
    """What :class:`eatlas.Ask` found.

    Each cell of level 3 has the proportions of comparisons that attributes win for targets, a
    number for each pair of them; 0.5 on average over all competitors. ``over_attributes`` is the
    effect size of the difference between X and Y over the attributes, whose labels are permuted, as
    in LPBS.
    """

    display_name: ClassVar[str] = "Ask"
    full_name: ClassVar[str] = (
        "paired comparisons answered by a model (Ask), the proportion of comparisons that an "
        "attribute wins for a target, at the three levels of the ML-EAT"
    )
    computed_from: ClassVar[str] = "choices"
    neutral: ClassVar[float | None] = 0.5
    places: ClassVar[tuple[str, ...]] = ("level1", "level2.X", "level2.Y", "over_attributes")
    brief: ClassVar[tuple[str, ...]] = ("refused",)

    measure: Literal["ask"] = "ask"
    over_attributes: Level
    over_attributes_uncertainty: EffectInterval | None = None
    """Interval of that effect size; None where the measure does not resample."""
    answers: AnswersRecord

    def of_the_test(self) -> dict[str, Any]:
        """The test's own questions, if the model was prompted with them."""
        of_measure = parameters(self.signature).get("templates") != "auto"
        return (
            {} if of_measure or is_built_in(self.templates or ()) else {"questions": self.templates}
        )

    @property
    def competing(self) -> bool:
        """Where attributes compete for a target, what A wins B loses."""
        return self.answers.about == "target"

    @property
    def unanswered(self) -> float:
        """Rate of refusals and unusable answers; for log-probabilities, of missing probability."""
        answers = self.answers
        return 1 - (answers.mass or 0.0) if answers.improbable else answers.refused

    def further_obstacles(self, effect: Effect) -> Iterable[str]:
        """Refusals that could explain an effect size."""
        answers, above = self.answers, effect.direction == "greater"
        level: OfComparisons = at(answers, effect.place)
        d, p = level.against(effect.direction)
        left = d is not None and p is not None and (d > 0) is above and p <= effect.rule.alpha
        if self.shows_little or answers.improbable:
            yield "the model rarely chose an option"
        elif answers.refused and not left:
            yield "refusals and unusable answers could explain it"

    def cell_text(self, name: str) -> str:
        """The mean share of a cell, in percent."""
        return percent(self.level3[name].mean)

    def rows(self) -> list[dict[str, Any]]:
        """One row: the columns of an ML-EAT, then how the model answered.

        For each effect size: its interval over questions; its value if all refusals and unusable
        answers had gone one way or the other; and its two-sided p-value after counting each group's
        excess refusals as answers against the effect. For each group: the proportion of refusals
        and unusable answers.
        """
        (row,) = super().rows()
        answers = self.answers
        names = ("asked", "by", "refused", "first_place", "agreement", "mass", "temperature")
        row |= {name: getattr(answers, name) for name in names}
        row |= {f"refused_{role}": share for role, share in answers.unusable.items()}
        for effect in self.effects():
            moved = at(answers, effect.place)
            for name, ends in (("questions", moved.d.interval), ("refusals", moved.range)):
                low, high = ends or (None, None)
                row |= {f"{name}_low{effect.suffix}": low, f"{name}_high{effect.suffix}": high}
            row[f"refusals_p{effect.suffix}"] = moved.against(effect.direction)[1]
        return [row | {"models": "; ".join(answers.models), "dates": " to ".join(answers.dates)}]


class AttributesByInstructions(Record):
    """Crossed test of A with B, for other attributes and other instructions."""

    difference: float
    """Of the mean shares that go to the target of X."""
    se: float
    t: float | None
    """None where nothing varies, as all below."""
    df: float | None
    p_two_sided: Probability | None
    low: float | None
    """Lower end of the confidence interval of the difference."""
    high: float | None


class AssignResult(AnsweredResult):
    """What :class:`eatlas.Assign` found.

    Each attribute's score is the proportion of the lists in which it was given to the target of X.
    The effect size compares A with B, and its p-values permute the labels of attributes.
    """

    display_name: ClassVar[str] = "Word assignments"
    full_name: ClassVar[str] = (
        "the LLM Word Association Test (Bai, Wang, Sucholutsky and Griffiths 2025)"
    )
    computed_from: ClassVar[str] = "choices"
    places: ClassVar[tuple[str, ...]] = ("over_attributes",)
    brief: ClassVar[tuple[str, ...]] = (
        "effect_size_over_attributes", "low_over_attributes", "high_over_attributes",
        "p_two_sided_over_attributes", "score", "refused",
    )  # fmt: skip

    measure: Literal["assign"] = "assign"
    over_attributes: Level
    score: float | None
    """D of Bai et al., from -1 to 1: of each list N(x, A) / (N(x, A) + N(x, B)) + N(y, B) /
    (N(y, A) + N(y, B)) - 1, the mean over instructions; None where no list has it."""
    score_interval: Interval | None
    """Student's, for other instructions; of a single one that over lists."""
    score_by_instruction: tuple[float | None, ...] = Field(default=(), exclude_if=is_empty)
    """Mean over the lists of each of several instructions."""
    crossed: AttributesByInstructions | None = Field(default=None, exclude_if=is_none)
    """None of a single instruction, and of a single attribute in a group."""
    lists: int = Field(ge=1)
    """Lists requested, or read."""
    with_score: Count
    """Lists with a D."""
    assignments: Count
    """Words that were assigned."""
    unread: Count
    """Lines of the answers that assign no word of the test to a target of their list."""
    refused: Count
    """Lists in which nothing is assigned; their lines are not among the unread ones."""
    shares: dict[str, Share]
    """Of each attribute, the proportion of its assignments that go to targets of X."""
    temperature: float | None
    """At which answers were sampled; None of those that were read from a file, and of a
    function."""
    models: tuple[str, ...] = ()
    """What the model calls itself in its answers."""
    dates: tuple[str, ...] = ()
    """First and last day of the answers, where they are known."""
    collected: CollectedRecord | None = Field(default=None, exclude_if=is_none)
    """Of answers that were read from a file."""

    def further_obstacles(self, effect: Effect) -> Iterable[str]:  # noqa: ARG002  (there is one)
        """That the crossed test of attributes and instructions is not significant."""
        p = at(self.crossed, "p_two_sided")
        if p is not None and p > self.rule.alpha:
            yield "not shown to hold for other attributes and instructions"

    def rows(self) -> list[dict[str, Any]]:
        """One row: D of Bai et al. and how the model answered next to the effect size."""
        (row,) = super().rows()
        names = ("score", "lists", "with_score", "assignments", "unread", "refused", "temperature")
        low, high = self.score_interval or (None, None)
        about = {name: getattr(self, name) for name in names}
        return [row | about | {"score_low": low, "score_high": high}]

    def numbers(self) -> dict[str, float | None]:
        """D of Bai et al. with its interval first; see :meth:`AssociationResult.metrics`."""
        low, high = self.score_interval or (None, None)
        numbers = super().numbers()
        others = {name: value for name, value in numbers.items() if name not in {"low", "high"}}
        return {"score": self.score, "low": low, "high": high} | others

    def summary(self) -> str:
        """D of Bai et al., then the effect size over attributes with its p-value."""
        return f"D = {format_effect(self.score)}, {super().summary()}"

    @property
    def unanswered(self) -> float:
        """Proportion of the lists in which nothing is assigned."""
        return self.refused / self.lists
