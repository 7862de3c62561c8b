"""Ask: paired comparisons of attributes for each target, answered by a model in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property, lru_cache
from itertools import product
from typing import Any, ClassVar, Literal

import numpy as np

from eatlas import kernels
from eatlas.errors import SignatureError, SourceError, StimulusError
from eatlas.measures.association import PatternMeasure
from eatlas.measures.base import FROM_0, SHARE, Allowed, Input, Needs, parameter, whole
from eatlas.measures.levels import Ordered, level3, similarities
from eatlas.measures.resampling import Variation
from eatlas.measures.seeding import generator_of
from eatlas.measures.weat import compare_groups
from eatlas.notes import Note
from eatlas.results.parts import at
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS, AssociationTest
from eatlas_models.measures.answers import (
    Design,
    Preferences,
    check_origin,
    preferences_of,
    record_of,
    remarks,
    require_told_apart,
    sides_of,
)
from eatlas_models.measures.comparisons import preferences_collected
from eatlas_models.measures.lpbs import require_words
from eatlas_models.measures.over_attributes import over_attributes
from eatlas_models.measures.reasoning import reasoning_of
from eatlas_models.measures.templates import file_of, is_name, is_text, templates_of
from eatlas_models.results.answers import AskResult
from eatlas_models.stimuli.asking import (
    ALLOWED,
    By,
    CollectedAnswer,
    Prompt,
    Reply,
    fault_of_questions,
    fill_template,
    pairs_of,
    rows_of,
    subject_of,
)
from eatlas_models.stimuli.questions import (
    built_in_questions,
    languages_of_questions,
    questions_in,
    read_questions,
)

AUTO = "auto"
DEFAULT = "words"
_TEMPLATES = Allowed(f"auto, a name, a TOML file, or {ALLOWED}", is_text)
_EVEN = Allowed(
    "an even number from 2", lambda value: type(value) is int and value >= 2 and value % 2 == 0
)


@dataclass(frozen=True)
class Ask(PatternMeasure):
    """Paired comparisons that a model answers, at the three levels of the ML-EAT.

    For each question, the measure samples pairs of attributes from A and B together, regardless of
    group, the same pairs for all targets: "Which word goes better with Julia: office or home?" Each
    appears in both orders. P(x, w), the proportion of its comparisons that an attribute w wins for
    x, takes the place of cosines. Since pairs ignore groups, labels of targets and of attributes
    are exchangeable where no group is preferred, whatever the order of options does to answers.

    Questions vary as words do: what is supported holds for other words and other questions.

    Questions about an attribute let two targets compete, as decisions between two persons do: "Who
    should lead the workshop: Julia or Ben?" Then P(x, w) is the proportion of its comparisons that
    x wins for w.

    Parameters
    ----------
    alpha, ddof, p, draws, strict, statistic, adjust, tail, threshold, resamples, confidence
        As in :class:`eatlas.MLEAT`.
    templates : str, default "auto"
        The test's own questions, or else ``words``. A name of built-in questions (``words``,
        ``names``, ``groups``, ``professions``, ``persons``), in the language of the test: English,
        German, Spanish, French, Italian, Dutch or Portuguese; questions themselves, with ``;``
        between several; or a TOML file, with ``#NAME`` for one of its lists. A question has
        ``{first}`` and ``{second}``, and either ``{target}`` or ``{attribute}``.
    by : {"auto", "logprobs", "samples"}, default "auto"
        What a choice is: the probability of each option as the model's answer, or an answer that
        is sampled; auto: probabilities where the model gives them.
    opponents : int, default 2
        With how many others each option is compared in a question, an even number; with all others
        where there are no more.
    answers : int, default 1
        Answers that are sampled to each question.
    temperature : float, default 1.0
        At which answers are sampled.
    tokens : int, default 32
        Pieces of an answer at most.

    Notes
    -----
    An answer is a choice if it names one of its two options and does not decline. Refusals and
    unusable answers are left out. The result reports how many there are, and the effect sizes if
    all of them had gone one way or the other.

    By log-probabilities, the first option wins p1 / (p1 + p2) of a comparison, where p is the
    probability of an answer that begins with the option. Models of transformers are read for the
    option as it is written and with a capital letter; of an option that begins the other, the
    probability of the other is taken off.

    Examples
    --------
    >>> Ask().signature
    'ASK(alpha=0.05,answers=1,by=auto,ddof=1,opponents=2,p=auto,tail=directional,temperature=1.0,\
templates=auto,threshold=0.2)'
    """

    name: ClassVar[str] = "ask"
    minimum: ClassVar[Mapping[str, int]] = dict.fromkeys(ROLES, 1)
    of_questions: ClassVar[tuple[str, ...]] = (
        "answers", "by", "opponents", "templates", "temperature", "tokens",
    )  # fmt: skip
    """Parameters that change nothing where answers were collected elsewhere."""

    _: KW_ONLY
    templates: str = parameter(AUTO, _TEMPLATES)
    by: By = parameter("auto", By)
    opponents: int = parameter(2, _EVEN)
    answers: int = parameter(1, whole(1))
    temperature: float = parameter(1.0, FROM_0)
    tokens: int = parameter(32, whole(1), optional=True)
    resamples: int | Literal["auto"] = parameter("auto", whole(0, "auto"), optional=True)
    confidence: float = parameter(0.95, SHARE, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if file := file_of(self.templates):
            sets = read_questions(file.path).of("questions", str(file.path))
            object.__setattr__(self, "templates", file.chosen(sets))
        if self.templates != AUTO and (fault := fault_of_questions(self._question_ids)):
            raise SignatureError(f"{self.name}, templates: {fault}", allowed=ALLOWED)

    def idle(self) -> set[str]:
        """Parameters that the signature omits: parameters of sampling, if no answer is sampled."""
        drawn = {"answers", "temperature"} if self.by == "logprobs" else set()
        return super().idle() | drawn

    @property
    def needs(self) -> Needs:
        """A model that answers."""
        return Needs(source="answers", ranks="ranks", keeps=True)

    @cached_property
    def _question_ids(self) -> tuple[str, ...]:
        """The questions that the signature names."""
        return templates_of(self.name, self.templates, built_in_questions().questions, ALLOWED)

    def templates_for(self, test: AssociationTest) -> tuple[str, ...]:
        """The questions of a test: its own, or those that the signature names."""
        if self.templates == AUTO and (own := dict(test.more).get("questions")):
            return own
        if self.templates != AUTO and not is_name(self.templates):
            return self._question_ids
        if not (known := questions_in(test.language)):
            raise StimulusError(
                f"test {test.id}: {self.name} has no questions in its language",
                got=f"a test in {test.language}",
                allowed=f"{', '.join(languages_of_questions())}; or questions in its language, of "
                f"the form {ALLOWED}",
                remedy="put [[question]] tables into the test's file, or name them: "
                'ask(templates="...")',
            )
        return known[DEFAULT if self.templates == AUTO else self.templates.strip()]

    def wording(self, test: AssociationTest, result: Any) -> tuple[str, ...]:
        """The questions of a test; for collected answers, the questions of the file."""
        return () if at(result, "answers.collected") else self.templates_for(test)

    def design(self, test: AssociationTest) -> Design:
        """All prompts about a test."""
        return _design(self, test)

    def questions(self, test: AssociationTest) -> Iterable[Prompt]:
        """Every question to a model about one test."""
        return self.design(test).prompts

    def associate(self, test: AssociationTest, answers: Mapping[Prompt, Reply]) -> Preferences:
        """Make shares of comparisons won of the answers to all questions about a test."""
        design = self.design(test)
        replies = [answers[prompt] for prompt in design.prompts]
        return preferences_of(test, design, replies)

    def collected(
        self, test: AssociationTest, answers: Mapping[Prompt, Reply]
    ) -> Iterator[CollectedAnswer]:
        """Answers to all questions about a test, as the rows of a file."""
        design = self.design(test)
        both = (
            (subject, design.templates[question])
            for (_, subject), question in product(design.subjects, design.questions.tolist())
            for _ in range(2)
        )
        for (subject, template), prompt in zip(both, design.prompts, strict=True):
            about = {"subject": subject, "about": design.about, "template": template}
            yield from rows_of(answers[prompt], prompt.options, test=test.id, **about)

    def associate_collected(
        self, test: AssociationTest, rows: Sequence[CollectedAnswer]
    ) -> Preferences:
        """Make shares of comparisons won of answers that were collected elsewhere."""
        require_words(self.name, test)
        if self.by == "logprobs" and not any(row.chances for row in rows):
            raise SourceError(
                f"test {test.id}: the file of answers has texts, not log-probabilities",
                remedy="by=samples, or leave by out",
            )
        return preferences_collected(test, rows)

    def compute(self, given: Input, notes: list[Note]) -> AskResult:
        """Three levels, the pattern, an effect size over attributes, and how the model answered."""
        preferences: Preferences = given.asked
        ordered = Ordered.of(given.rows, given.coverage)
        vary = Variation(given, ordered, notes, self.resamples, self.confidence, self.ddof)
        levels = compare_groups(self, vary, further=preferences.facets)
        x, y = (kernels.mean_row(given.rows[role]) for role in TARGETS)
        first, second = (kernels.associations(given.rows[role], x - y) for role in ATTRIBUTES)
        over = self.level(first, second, "over_attributes", notes, given)
        reasoning = reasoning_of(preferences.design, preferences.replies, self.confidence)
        record = record_of(self, preferences, given, self.confidence, reasoning)
        origin = check_origin(preferences.replies, given)
        notes.extend([*preferences.remarks, *remarks(record), *origin])
        # the notes of an interval over attributes would be those of level 1
        return AskResult(
            **given.head,
            **levels,
            templates=preferences.design.templates,
            level3=level3(given.rows),
            similarities=similarities(given.rows),
            over_attributes=over,
            over_attributes_uncertainty=over_attributes(replace(vary, notes=[])),
            answers=record,
        )


@lru_cache(maxsize=1)  # questions are made for a run, and once more to read their answers
def _design(measure: Ask, test: AssociationTest) -> Design:
    """Draw pairs of competitors, and write a question for each order of them."""
    require_words(measure.name, test)
    templates = measure.templates_for(test)
    about = subject_of(templates[0])
    subjects, competitors = sides_of(test, about)
    require_told_apart(test, competitors)
    names = [name for _, name in competitors]
    # by name, so that neither groups nor the order of terms decide which pairs are sampled
    by_name = np.array(sorted(range(len(names)), key=names.__getitem__), np.intp)
    chance = generator_of(0, {"competitors": names}, "pairs")
    by_question = [by_name[pairs_of(len(names), measure.opponents, chance)] for _ in templates]
    pairs = np.concatenate(by_question)
    questions = np.repeat(np.arange(len(templates)), [len(own) for own in by_question])
    how = measure.by, measure.answers, measure.temperature, measure.tokens
    prompts = []
    for (_, subject), ((i, j), question) in product(
        subjects, zip(pairs.tolist(), questions.tolist(), strict=True)
    ):
        for first, second in ((names[i], names[j]), (names[j], names[i])):
            words = {about: subject, "first": first, "second": second}
            prompts.append(
                Prompt(fill_template(templates[question], **words), (first, second), *how)
            )
    return Design(subjects, competitors, pairs, questions, templates, prompts)
