"""Ask: rates of false findings, coverage of intervals and loss of d, in simulated models.

A model prefers options as utilities say: some are preferred whatever is asked about, subjects go
with some of them, and X prefers A and Y prefers B as far as that is planted, by a number of logits
that differs between questions. The option that is named first has an advantage, and some answers
decline. Choices go straight into the measure. The script prints the tables of
docs/evidence/ask-simulation.md; a rate that is more than two standard errors beyond .03 to .07, or
.93 to .97, is bold.

    python benchmarks/ask_simulation.py [--models 4000] [--only false kept coverage loss]
"""

from __future__ import annotations

import argparse
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas import AssociationTest, Concept
from eatlas.results.levels import EffectInterval
from eatlas.stats.effect_size import effect_size
from eatlas.stats.facets import Facet, contrast_test
from eatlas.stats.permutation import below
from eatlas_models.measures.answers import (
    Choices,
    Design,
    Preferences,
    beyond_chance,
    ends_of,
    intervals_of,
    scores_at,
    tally_preferences,
)
from eatlas_models.measures.ask import Ask
from eatlas_models.stats import choices

Array = NDArray[np.float64]
PLACES = {"level1": "level 1", "level2.X": "level 2, X", "over_attributes": "over attributes"}
AGAINST = "these words, also with uneven refusals against it"
LEVEL1 = ("these words", "other words", "other words and questions", AGAINST)
EVERY = 200
"""Questions from which it is known what all of them would show."""
QUESTIONS = {
    "target": "Which word goes better with {target}: {first} or {second}?",
    "attribute": "Who goes better with {attribute}: {first} or {second}?",
}
TESTS = 3
"""Tests with words of their own that models are asked about in turn."""


class Model(NamedTuple):
    """How a simulated model prefers and answers: logits, standard deviations of logits, shares."""

    preference: float = 0.0
    """Of X for A over B, and of Y for B over A."""
    questions: float = 0.0
    """Questions differ in this preference."""
    wordings: float = 0.0
    """Options differ, in each question otherwise."""
    options: float = 0.0
    """Options differ, whatever is asked about."""
    matches: float = 0.0
    """Subjects differ in what they go with, option by option."""
    leanings: float = 0.0
    """Subjects differ in how much they prefer the first group of options."""
    sharpness: float = 0.0
    """Subjects differ in how decided answers are, by a factor: of its logarithm."""
    place: float = 0.0
    """Advantage of the option that is named first."""
    places: float = 0.0
    """Subjects differ in it."""
    declined: float = 0.0
    """Answers decline at random."""
    declined_by_option: float = 0.0
    """Answers decline, in questions with one of a random half of the options."""
    declined_by_group: float = 0.0
    """Answers decline, about the first group of subjects."""
    declined_by_choice: float = 0.0
    """Answers about the first group decline where they would choose the second group of options."""
    declined_between: float = 0.0
    """The same, and about the second group where they would choose the first, both in questions
    with an option of either group."""
    declined_within: float = 0.0
    """Answers decline, in questions with two options of one group."""
    logprobs: bool = False

    @property
    def declines(self) -> bool:
        """Whether some answers decline."""
        groups = self.declined_by_group, self.declined_by_choice, self.declined_between
        return any((self.declined, self.declined_by_option, *groups))


@dataclass(frozen=True)
class Survey:
    """Sizes of a test, and how it is asked."""

    sizes: tuple[int, int, int, int] = (8, 8, 8, 8)
    answers: int = 1
    templates: int = 8
    opponents: int = 2
    about: str = "target"

    def asked(self, number: int) -> tuple[AssociationTest, Design]:
        """A test whose words have a number of their own, and what is asked about it."""
        question = QUESTIONS[self.about]
        questions = [question.replace("?", f" ({i})?") for i in range(self.templates)]
        concepts = {
            role: Concept(name=role, terms=tuple(f"{role}{number}n{i}" for i in range(size)))
            for role, size in zip("XYAB", self.sizes, strict=True)
        }
        test = AssociationTest(id="simulated", **concepts)
        measure = Ask(templates="; ".join(questions), opponents=self.opponents)
        return test, measure.design(test)


asked = cache(Survey.asked)


class World:
    """One simulated model, asked about one test."""

    def __init__(self, model: Model, survey: Survey, number: int) -> None:
        self.model, self.rng = model, np.random.default_rng([7, number])
        self.answers = survey.answers
        self.test, design = asked(survey, number % TESTS)
        # pairs as of words in another order
        order = self.rng.permutation(len(design.competitors))
        self.design = design._replace(pairs=order[design.pairs])
        self.sizes = survey.sizes
        sides = survey.sizes[:2], survey.sizes[2:]
        subjects, options = sides if survey.about == "target" else sides[::-1]
        normal, count = self.rng.normal, (sum(subjects), sum(options))
        self.of, self.among = (np.repeat([1.0, -1.0], sizes) for sizes in (subjects, options))
        leaning = model.preference / 2 * self.of + model.leanings / 2 * normal(size=count[0])
        utility = np.outer(leaning, self.among) + model.options * normal(size=count[1])
        utility += model.matches * normal(size=count)
        self.utility = utility
        self.sharpness = np.exp(model.sharpness * normal(size=(count[0], 1)))
        self.place = model.place + model.places * normal(size=count[0])
        self.hard = self.rng.permutation(count[1]) % 2 == 0

    def asked_utility(self) -> Array:
        """Utilities in one question, which has a preference and a wording of its own."""
        model, normal = self.model, self.rng.normal
        own = model.questions / 2 * normal() * np.outer(self.of, self.among)
        own += model.wordings * normal(size=len(self.among))
        return np.asarray((self.utility + own) * self.sharpness)

    def chances(self, utility: Array, pairs: NDArray[np.intp]) -> Array:
        """Probability that the first of each pair wins, named first and named second."""
        ahead = utility[:, pairs[:, 0]] - utility[:, pairs[:, 1]]
        place = self.place[:, None, None] * np.array([1.0, -1.0])
        return np.asarray(1 / (1 + np.exp(-(ahead[..., None] + place))))

    def preferences(self) -> Preferences:
        """What the measure makes of the answers."""
        shape, chances = self.design.shape, np.empty(self.design.shape)
        for question in range(len(self.design.templates)):
            own = self.design.questions == question
            chances[:, own] = self.chances(self.asked_utility(), self.design.pairs[own])
        asked = np.full(shape, 1 if self.model.logprobs else self.answers)
        if self.model.logprobs:
            read = Choices(chances, asked, asked, Counter(), 1.0, "")
            return tally_preferences(self.test, self.design, read)
        wins = self.rng.random((*shape, self.answers)) < chances[..., None]
        usable = self.rng.random(wins.shape) >= self.declining(wins)
        count = usable.sum(axis=-1)
        with np.errstate(invalid="ignore"):
            shares = (wins & usable).sum(axis=-1) / count
        faults = Counter({"refused": int((asked - count).sum())})
        return tally_preferences(
            self.test, self.design, Choices(shares, count, asked, faults, None, "")
        )

    def declining(self, wins: NDArray[np.bool_]) -> Array:
        """Probability of each answer that it declines."""
        model, pairs = self.model, self.design.pairs
        by_pair = model.declined + model.declined_by_option * self.hard[pairs].any(axis=1)
        chosen = np.where(
            wins, *(self.among[pairs[:, side]][None, :, None, None] for side in (0, 1))
        )
        between = self.among[pairs].sum(axis=1) == 0
        by_pair += model.declined_within * ~between
        of = self.of[:, None, None, None]
        return np.asarray(
            by_pair[None, :, None, None]
            + model.declined_by_group * (of > 0)
            + model.declined_by_choice * (of > 0) * (chosen < 0)
            + model.declined_between * between[None, :, None, None] * (of != chosen)
        )

    def table(self, preferences: Preferences) -> Array:
        """Shares of used terms over all pairs and many questions, without chance in answers."""
        pairs = np.array(list(combinations(range(len(self.among)), 2)))
        questions = EVERY if self.model.questions or self.model.wordings else 1
        won = np.mean(
            [self.chances(self.asked_utility(), pairs).mean(axis=-1) for _ in range(questions)], 0
        )
        shares = choices.shares_won(won, pairs, self.utility.shape[1])
        return preferences.orient_shares(shares[preferences.used[0]])


def effect(table: Array, place: str, sizes: Mapping[str, int]) -> tuple[float, float]:
    """Difference of means and effect size at a place."""
    return effect_size(*scores_at(table, place, sizes))


# --- false findings -------------------------------------------------------------------------------

COMMON = {"place": 1.0, "options": 1.0}
DIFFERING = {"sharpness": 0.5, "places": 1.0, "matches": 0.5, "leanings": 0.5, "wordings": 0.5}
ALL = Model(**COMMON, **DIFFERING)
FALSE: dict[str, tuple[Model, Survey]] = {
    "random answers": (Model(), Survey()),
    "order matters (73% take the first)": (Model(place=1.0), Survey()),
    "order decides nearly all (95%)": (Model(place=3.0), Survey()),
    "order and options": (Model(**COMMON), Survey()),
    "order, options and subjects": (ALL, Survey()),
    "the same, 3 answers": (ALL, Survey(answers=3)),
    "the same, 1 question": (ALL, Survey(templates=1, opponents=16)),
    "the same, questions differ by 0.25 logits": (ALL._replace(questions=0.25), Survey()),
    "questions differ by 0.5 logits": (ALL._replace(questions=0.5), Survey()),
    "questions differ by 1 logit": (ALL._replace(questions=1.0), Survey()),
    "questions differ by 1 logit, 16 words per group": (
        ALL._replace(questions=1.0),
        Survey((16,) * 4),
    ),
    "questions differ by 1 logit, 3 questions with 6 opponents": (
        ALL._replace(questions=1.0),
        Survey(templates=3, opponents=6),
    ),
    "questions differ by 0.5 logits, log-probabilities": (
        ALL._replace(questions=0.5, logprobs=True),
        Survey(),
    ),
    "questions do not differ, log-probabilities": (ALL._replace(logprobs=True), Survey()),
    "questions do not differ, questions about attributes": (ALL, Survey(about="attribute")),
    "questions do not differ, 4 targets against 12": (ALL, Survey((4, 12, 8, 8))),
    "20% decline at random": (ALL._replace(declined=0.2), Survey()),
    "60% decline about half of the options": (ALL._replace(declined_by_option=0.6), Survey()),
    "50% decline about X": (ALL._replace(declined_by_group=0.5), Survey()),
    "50% decline about X, 4 against 12": (
        ALL._replace(declined_by_group=0.5),
        Survey((4, 12, 8, 8)),
    ),
    "10% decline where B would be chosen for X": (ALL._replace(declined_by_choice=0.1), Survey()),
    "30% decline where B would be chosen for X": (ALL._replace(declined_by_choice=0.3), Survey()),
    "the same, and 10% decline at random": (
        ALL._replace(declined_by_choice=0.3, declined=0.1),
        Survey(),
    ),
    "30% decline where B would be chosen for X or A for Y, between A and B": (
        ALL._replace(declined_between=0.3),
        Survey(),
    ),
    "the same, and 15% decline between words of one group": (
        ALL._replace(declined_between=0.3, declined_within=0.15),
        Survey(),
    ),
}
"""Models without a preference between groups."""


def is_significant(scores: Array, n: int) -> bool:
    """Whether the two-sided p of the permutation of labels is at most .05."""
    return bool(below(scores[None], n, math.nextafter(0.05, 1.0), two_sided=True)[0])


def rejected(model: Model, survey: Survey, number: int) -> list[float]:
    """Whether p < .05 at level 1: of these words, other words, other words and questions.

    And whether p of these words also is had uneven refusals gone against it.
    """
    preferences = World(model, survey, number).preferences()
    scores = scores_at(preferences.values, "level1", preferences.sizes)
    significant = is_significant(*scores)
    above = effect_size(*scores)[0] > 0
    end = ends_of(preferences, beyond_chance(preferences)[0])["level1"][0 if above else 1]
    left = (effect_size(*end)[0] > 0) is above and is_significant(*end) and significant
    others = crossed(preferences, questions=False), crossed(preferences, questions=True)
    return [float(each) for each in (significant, *(p < 0.05 for p in others), left)]


def crossed(preferences: Preferences, *, questions: bool) -> float:
    """Two-sided p for other words, and other questions."""
    n = preferences.sizes
    table = preferences.values[..., None]
    if preferences.facets is not None:
        table = preferences.facets.values
    sizes = [n["X"], n["Y"]], [n["A"], n["B"]], [table.shape[2]]
    if min(*sizes[0], *sizes[1]) < 2 or (questions and table.shape[2] < 2):
        return math.nan
    fixed = () if questions else (2,)
    return contrast_test(table, [Facet.of_groups(of) for of in sizes], fixed).p_two_sided


def false_findings(models: int) -> Iterator[list[str]]:
    """A row of rates for each scene."""
    yield ["model without preference", *LEVEL1]
    for line, (name, (model, survey)) in enumerate(FALSE.items()):
        numbers = range(line * models, (line + 1) * models)
        rates = np.mean([rejected(model, survey, number) for number in numbers], axis=0)
        cells = [shown(rate, models, 0.03, 0.07) for rate in rates[:-1].tolist()]
        if survey.templates == 1:
            cells[2] = "–"
        cells.append(shown(rates[-1], models, 0.0, 0.06) if model.declines else "–")
        yield [name, *cells]


def kept(models: int) -> Iterator[list[str]]:
    """A row of rates for each preference and share of answers that decline at random."""
    yield ["preference", "questions differ by", "questions", "decline at random", *LEVEL1]
    designs = [
        *((preference, 0.25, Survey(), 0.0) for preference in (0.5, 1.0)),
        *((preference, 0.25, Survey(templates=3, opponents=6), 0.0) for preference in (0.5, 1.0)),
        (1.0, 0.5, Survey(), 0.0),
        *product((0.5, 1.0), (0.25,), (Survey(),), (0.05, 0.1, 0.2)),
    ]
    for preference, differ, survey, declined in designs:
        model = ALL._replace(preference=preference, questions=differ, declined=declined)
        rates = np.mean([rejected(model, survey, number) for number in range(models)], axis=0)
        about = f"{preference}", f"{differ}", f"{survey.templates}", f"{declined:.0%}"
        yield [*about, *(f"{rate:.3f}" for rate in rates.tolist())]


# --- coverage -------------------------------------------------------------------------------------

PREFERS = ALL._replace(preference=1.0, questions=0.25)
DECLINES = PREFERS._replace(declined=0.1)
COVERAGE: dict[str, tuple[Model, Survey]] = {
    "8 words per group, 10% decline": (DECLINES, Survey()),
    "the same, 3 questions with 6 opponents": (DECLINES, Survey(templates=3, opponents=6)),
    "the same, questions differ by 1 logit": (DECLINES._replace(questions=1.0), Survey()),
    "the same, 10 answers": (DECLINES, Survey(answers=10)),
    "the same, all pairs": (DECLINES, Survey(opponents=16)),
    "the same, about attributes": (DECLINES, Survey(about="attribute")),
    "the same, order decides nearly all (95%)": (DECLINES._replace(place=3.0), Survey()),
    "4 words per group, 10% decline": (DECLINES, Survey((4, 4, 4, 4))),
    "8 targets and 25 attributes per group, 10% decline": (DECLINES, Survey((8, 8, 25, 25))),
    "8 words per group, 40% decline": (PREFERS._replace(declined=0.4), Survey()),
    "8 words per group, log-probabilities": (PREFERS._replace(logprobs=True), Survey()),
}


def covered(model: Model, survey: Survey, number: int) -> tuple[list[float], tuple[float, float]]:
    """Whether intervals hold what all questions and pairs show, of these words.

    The difference at level 1 and at level 2; then that of level 1, and the interval for other words
    and questions.
    """
    world = World(model, survey, number)
    preferences = world.preferences()
    intervals = intervals_of(preferences, ddof=1, confidence=0.95)
    every, hits = world.table(preferences), []
    for place in ("level1", "level2.X"):
        difference, _ = effect(every, place, preferences.sizes)
        hits.append(is_in(difference, intervals[place][0]))
    n, table = preferences.sizes, preferences.facets.values
    sizes = [n["X"], n["Y"]], [n["A"], n["B"]], [table.shape[2]]
    test = contrast_test(table, [Facet.of_groups(of) for of in sizes])
    difference, _ = effect(every, "level1", n)
    return [*hits, difference], (test.low, test.high)


def is_in(value: float, of: EffectInterval) -> float:
    """1 if an interval has a value; an undefined one has all."""
    low, high = of.interval or (-math.inf, math.inf)
    return float(low <= value <= high)


def coverage(models: int) -> Iterator[list[str]]:
    """A row of shares for each scene."""
    yield ["model", "level 1", "level 2, X", "level 1, also other words"]
    for line, (name, (model, survey)) in enumerate(COVERAGE.items()):
        numbers = range(line * models, (line + 1) * models)
        found = [covered(model, survey, number) for number in numbers]
        *shares, truth = np.mean([hits for hits, _ in found], axis=0).tolist()
        shares.append(float(np.mean([low <= truth <= high for _, (low, high) in found])))
        yield [name, *(shown(share, models, 0.93, 0.97) for share in shares)]


# --- loss of d ------------------------------------------------------------------------------------


def loss(models: int) -> Iterator[list[str]]:
    """A row of mean effect sizes for each strength of a preference and number of answers."""
    yield [
        "preference",
        "answers per pair",
        *(f"d, {name}" for name in PLACES.values()),
        "difference",
    ]
    for preference in (0.3, 1.0):
        model = ALL._replace(preference=preference)
        for answers in (1, 3, 10, 30, None):
            effects = []
            for number in range(models):
                survey = Survey(answers=answers or 1, templates=1, opponents=16)
                world = World(model._replace(wordings=0.0), survey, number)
                answered = world.preferences()
                table = answered.values if answers else world.table(answered)
                effects.append([effect(table, place, answered.sizes) for place in PLACES])
            means = np.mean(effects, axis=0)
            count = str(2 * answers) if answers else "infinitely many"
            sizes = [f"{d:.2f}" for _, d in means.tolist()]
            yield [f"{preference}", count, *sizes, f"{means[0, 0]:.3f}"]


def shown(share: float, models: int, low: float, high: float) -> str:
    """A share; bold if beyond limits by more than two standard errors."""
    error = 2 * math.sqrt(share * (1 - share) / models)
    text = f"{share:.3f}"
    return text if low - error <= share <= high + error else f"**{text}**"


STUDIES: dict[str, tuple[Callable[[int], Iterator[list[str]]], float]] = {
    "false": (false_findings, 1.0),
    "kept": (kept, 0.5),
    "coverage": (coverage, 0.4),
    "loss": (loss, 0.125),
}
"""Each with the share of the models that it takes."""


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=4_000)
    parser.add_argument("--only", nargs="*", choices=STUDIES, default=list(STUDIES))
    wanted = parser.parse_args()
    for name in wanted.only:
        study, share = STUDIES[name]
        for number, row in enumerate(study(round(share * wanted.models))):
            print(f"| {' | '.join(row)} |", flush=True)
            if not number:
                print(f"|{' --- |' * len(row)}")
        print()


if __name__ == "__main__":
    main()
