"""Answers of a model to paired comparisons: what they choose, and how far they decide a result."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import CoverageError, StimulusError
from eatlas.measures.association import DECIMALS, AssociationMeasure
from eatlas.measures.base import Array, Input
from eatlas.measures.inference import FacetTable
from eatlas.notes import Note
from eatlas.results.levels import EffectInterval
from eatlas.results.parts import Coverage, finite, finite_ends
from eatlas.stats.effect_size import effect_size
from eatlas.stats.facets import ContrastTest, Facet, contrast_test
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS, AssociationTest
from eatlas_models.measures.lpbs import Term, coverage_of_test, drop_incomplete, terms_of
from eatlas_models.results.answers import (
    LEAST_MASS,
    MANY_REFUSED,
    AnswersRecord,
    AskResult,
    CollectedRecord,
    Level2Sizes,
    OfComparisons,
    OfLevel2,
    OfTemplate,
    ReasoningRecord,
    Shares,
)
from eatlas_models.stats import choices
from eatlas_models.stats.reliability import cronbach_alpha
from eatlas_models.stimuli.asking import About, Prompt, Reply, subject_of
from eatlas_models.stimuli.choosing import ASK_OTHERWISE, NOT_LISTED, QUOTED, alike, choice_of

QUESTIONS = "questions"
"""What varies beside words: the templates, with the pairs that are compared in each."""
PLACES = AskResult.places
"""Of the effect sizes of a result."""
SIGNS = {"X": 1.0, "Y": -1.0, "A": 1.0, "B": -1.0}
"""A positive association is one of X with A and of Y with B."""
FIRST_DAY = "2015-01-01"
"""An earlier date is not the date of an answer: the clock of the server is not set."""
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
ONE_SIDED = 0.75
"""Share won by the first place from which the order decides half of all pairs or more: a pair whose
choice it does not decide gives half of its comparisons to the first place."""
LEAST_ALPHA = 0.5
"""Cronbach's alpha below which less than half of the variance of the scores is common to the
templates."""
UNEQUAL = 0.1
"""Difference of proportions of unusable answers: where all of these would have gone one way, the
proportions of two groups that are alike would differ by as much."""


class Design(NamedTuple):
    """The prompts: comparisons of competitors about each subject, in both orders."""

    subjects: list[Term]
    competitors: list[Term]
    pairs: NDArray[np.intp]
    """Places of the competitors of each comparison, shape (comparisons, 2)."""
    questions: NDArray[np.intp]
    """Place of its question among the templates, shape (comparisons,)."""
    templates: tuple[str, ...]
    prompts: list[Prompt]
    """In the order (subjects, comparisons, 2); the second of two names the pair's second first."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Subjects, comparisons, and both orders."""
        return len(self.subjects), len(self.pairs), 2

    @property
    def about(self) -> About:
        """What a question is about."""
        return subject_of(self.templates[0])


class Choices(NamedTuple):
    """What answers choose, in the shape of a design."""

    wins: Array
    """Proportion of its answers that the first of a pair wins; NaN where none chooses."""
    usable: NDArray[np.int64]
    """Answers that choose."""
    asked: NDArray[np.int64]
    """All answers; one where log-probabilities were read."""
    faults: Counter[str]
    """Answers that do not choose, by kind."""
    mass: float | None
    """Mean probability of both options together, of log-probabilities."""
    example: str
    """The first answer that does not choose."""


@dataclass(frozen=True)
class Preferences:
    """How often each attribute wins for each target, with an account of every term."""

    design: Design
    choices: Choices
    replies: Sequence[Reply]
    coverage: Coverage
    used: tuple[list[int], list[int]]
    """Places of the subjects and of the competitors that are used."""
    values: Array
    """Proportion of comparisons won, shape (targets, attributes): X then Y, A then B, of used
    terms."""
    collected: CollectedRecord | None = None
    """Of answers that were read from a file."""
    remarks: tuple[Note, ...] = ()
    """What a reader must know of that file."""

    @property
    def single(self) -> Array:
        """Every proportion, for the size of what is summed and for the hash of what was measured.

        How decided each comparison is, the least first: a rebuilt test has missing terms last.
        """
        wins = self.choices.wins
        decided = np.sort(np.abs(wins[~np.isnan(wins)] - 0.5))
        return np.concatenate([decided, self.values.ravel()])

    @property
    def rows(self) -> dict[str, Array]:
        """Rows whose dot products are the proportions: a row of them, and a place.

        Places are in the order of names, so that sums over them run in one order.
        """
        n_x, n_a = self.sizes["X"], self.sizes["A"]
        names = [name for role in ATTRIBUTES for name in self.coverage[role].used]
        order = sorted(range(len(names)), key=names.__getitem__)
        shares, places = self.values[:, order], np.eye(len(names))[:, order]
        return dict(
            zip(ROLES, (shares[:n_x], shares[n_x:], places[:n_a], places[n_a:]), strict=True)
        )

    @property
    def sizes(self) -> dict[str, int]:
        """Used terms of each group."""
        return {role: len(self.coverage[role].used) for role in ROLES}

    @property
    def headline(self) -> str:
        """The effect size of single templates; two targets have no spread within their groups."""
        return "level1" if self.sizes["X"] + self.sizes["Y"] > 2 else "over_attributes"

    @cached_property
    def tables(self) -> Array:
        """Shares in each question, shape (targets, attributes, questions); NaN of none."""
        design, won = self.design, choices.won(self.choices.wins)[self.used[0]]
        tables = []
        for question in range(len(design.templates)):
            own = design.questions == question
            shares = choices.shares_won(won[:, own], design.pairs[own], len(design.competitors))
            tables.append(self.orient_shares(shares))
        return np.stack(tables, axis=-1)

    @cached_property
    def facets(self) -> FacetTable | None:
        """Shares by question without missing cells; None of fewer than two questions."""
        n = self.sizes
        sizes = (n["X"], n["Y"]), (n["A"], n["B"])
        tables = choices.complete_questions(self.tables, sizes, self.values)
        return None if tables is None else FacetTable(tables, (QUESTIONS,))

    def orient_shares(self, shares: Array) -> Array:
        """Proportions of used competitors by used subject, as targets by attributes."""
        shares = shares[..., self.used[1]]
        return shares if self.design.about == "target" else np.swapaxes(shares, -1, -2)


def sides_of(test: AssociationTest, about: About) -> tuple[list[Term], list[Term]]:
    """Terms that questions are about, and those that compete for them."""
    targets, attributes = terms_of(test, TARGETS), terms_of(test, ATTRIBUTES)
    return (targets, attributes) if about == "target" else (attributes, targets)


def require_told_apart(test: AssociationTest, competitors: Sequence[Term]) -> None:
    """Refuse options that differ only in case or punctuation."""
    if pair := alike([name for _, name in competitors]):
        raise StimulusError(
            f"test {test.id}: no answer can distinguish {pair[0]!r} from {pair[1]!r}",
            got="two options that differ only in case or punctuation",
            remedy="remove one of them",
        )


# --- from answers to shares -----------------------------------------------------------------------


def preferences_of(
    test: AssociationTest, design: Design, replies: Sequence[Reply], remedy: str = ""
) -> Preferences:
    """Make shares of comparisons won of the replies to all prompts of a design.

    `remedy` is what to try where no answer chooses.
    """
    return tally_preferences(test, design, choices_of(design, replies), replies, remedy)


def tally_preferences(
    test: AssociationTest,
    design: Design,
    read: Choices,
    replies: Sequence[Reply] = (),
    remedy: str = "",
) -> Preferences:
    """Make shares of comparisons won of choices, and leave out terms without them."""
    if not read.usable.any():
        raise _no_choice(test, design, read, remedy)
    won = choices.won(read.wins)
    shares = choices.shares_won(won, design.pairs, len(design.competitors))
    reasons = _missing_comparisons(design, ~np.isnan(shares))
    sides = design.subjects, design.competitors
    used = [[i for i, term in enumerate(side) if term not in reasons] for side in sides]
    values = shares[np.ix_(*used)]
    return Preferences(
        design,
        read,
        replies,
        coverage_of_test(test, reasons, {}),
        (used[0], used[1]),
        values if design.about == "target" else values.T,
    )


def choices_of(design: Design, replies: Sequence[Reply]) -> Choices:
    """Read what each reply chooses."""
    wins = np.full(len(replies), np.nan)
    usable, asked = (np.zeros(len(replies), np.int64) for _ in range(2))
    faults: Counter[str] = Counter()
    masses, example = [], ""
    for at, (prompt, reply) in enumerate(zip(design.prompts, replies, strict=True)):
        first = at % 2  # where the first of the pair is named
        if reply.chances is not None:
            total = float(np.logaddexp.reduce(reply.chances))
            masses.append(np.exp(total))
            asked[at] = 1
            if np.isfinite(total):
                wins[at], usable[at] = np.exp(reply.chances[first] - total), 1
            else:
                faults["neither"] += 1
            continue
        chosen = [choice_of(text, prompt.options) for text in reply.texts]
        places = [choice for choice in chosen if isinstance(choice, int)]
        asked[at], usable[at] = len(chosen), len(places)
        if places:
            wins[at] = places.count(first) / len(places)
        for choice, text in zip(chosen, reply.texts, strict=True):
            if isinstance(choice, str):
                faults[choice] += 1
                example = example or text
    mass = float(np.mean(masses)) if masses else None
    shape = design.shape
    counts = usable.reshape(shape), asked.reshape(shape)
    return Choices(wins.reshape(shape), *counts, faults, mass, example)


def _no_choice(test: AssociationTest, design: Design, read: Choices, remedy: str) -> CoverageError:
    """What to say where no answer can be used."""
    by_kind = ", ".join(f"{count:,} {kind}" for kind, count in read.faults.most_common())
    example = repr(read.example[:QUOTED]) + ("..." if len(read.example) > QUOTED else "")
    if read.mass is not None:
        example = NOT_LISTED
    by_samples = "; by=samples reads what a model writes" if read.mass is not None else ""
    return CoverageError(
        f"test {test.id}: no answer chooses one of its two options",
        got=f"{int(read.asked.sum()):,} answers ({by_kind}); the first: {example}",
        allowed=f"answers that name one option, such as {design.prompts[0].options[0]!r}",
        remedy=remedy or ASK_OTHERWISE + by_samples,
    )


def _missing_comparisons(design: Design, there: NDArray[np.bool_]) -> dict[Term, str]:
    """Terms without a usable comparison with some of the others, and why."""
    sides = design.subjects, design.competitors
    names = [[name for _, name in side] for side in sides]
    others = ("attributes", "targets") if design.about == "target" else ("targets", "attributes")
    return {
        sides[side][place]: f"no usable comparison with {holes} of {of} {others[side]}"
        for side, place, holes, of in drop_incomplete(there, names)
    }


# --- what a result says of the answers ------------------------------------------------------------


def record_of(
    measure: AssociationMeasure,
    preferences: Preferences,
    given: Input,
    confidence: float,
    reasoning: ReasoningRecord | None = None,
) -> AnswersRecord:
    """How the model answered, and how far that decides the effect sizes."""
    design, read, replies = preferences.design, preferences.choices, preferences.replies
    collected = preferences.collected
    first, interval = choices.first_place(read.wins, confidence)
    counted, alike = beyond_chance(preferences)
    of_place = _of_comparisons(measure, preferences, given, confidence, counted)
    templates, alpha = _by_template(preferences, measure.ddof)
    texts = [len(reply.texts) for reply in replies if reply.texts]
    return AnswersRecord(
        asked=int(read.asked.sum()),
        by="samples" if texts else "logprobs",
        usable=int(read.usable.sum()),
        faults=dict(sorted(read.faults.items())),
        unusable=_unusable(design, read),
        alike=round(alike, DECIMALS),
        mass=None if read.mass is None else round(read.mass, DECIMALS),
        first_place=round(first, DECIMALS),
        first_place_interval=interval and finite_ends(interval, DECIMALS),
        agreement=finite(alpha, DECIMALS),
        templates=templates,
        about=design.about,
        comparisons=len(design.pairs),
        answers=max(texts, default=1),
        temperature=None
        if collected or not texts
        else temperature_of(given, design.prompts[0].temperature),
        **models_and_dates(replies),
        level1=of_place["level1"],
        level2=OfLevel2({role: of_place[f"level2.{role}"] for role in TARGETS}),
        over_attributes=of_place["over_attributes"],
        collected=collected,
        reasoning=reasoning,
    )


def models_and_dates(replies: Sequence[Reply]) -> dict[str, Any]:
    """What a model calls itself, and the first and last day of its answers, as a result has it."""
    names = {name for reply in replies for name in reply.models if name}
    days = sorted(
        {day for reply in replies for day in reply.dates if day and not is_too_early(day)}
    )
    return {
        "models": tuple(sorted(names)),
        "dates": tuple(dict.fromkeys((*days[:1], *days[-1:]))),
    }


def is_too_early(day: str) -> bool:
    """Whether a day, as in 2026-03-01, is before language models answered questions.

    >>> is_too_early("1970-01-01"), is_too_early("2026-03-01"), is_too_early("")
    (True, False, False)
    """
    return bool(_DAY.match(day)) and day < FIRST_DAY


def check_origin(replies: Sequence[Reply], given: Input) -> Iterator[Note]:
    """Warn of dates before such models existed, and of servers that name no model."""
    days = [day for reply in replies for day in reply.dates]
    early = sorted(filter(is_too_early, days))
    if early:
        values = {"count": len(early), "of": len(days), "first": early[0], "least": FIRST_DAY[:4]}
        yield Note("answers.too-early", values=values)
    names = [name for reply in replies for name in reply.models]
    served = given.head["language_model"].architecture == "endpoint"
    if served and (without := names.count("")):
        yield Note("answers.no-name", values={"count": without, "of": len(names)})


def temperature_of(given: Input, asked_at: float) -> float | None:
    """At which answers were sampled; None for a function, which only takes prompts."""
    return None if given.head["language_model"].architecture == "function" else asked_at


def scores_at(tables: Array, place: str, n: Mapping[str, int]) -> tuple[Array, int]:
    """Scores of an effect size, and how many of them are of its first group.

    Of tables of targets by attributes, over the proportions that are there.
    """
    mean = choices.mean_of_those_there
    x, y = tables[..., : n["X"], :], tables[..., n["X"] :, :]
    if place == "level1":
        return mean(tables[..., : n["A"]], -1) - mean(tables[..., n["A"] :], -1), n["X"]
    if place == "over_attributes":
        return mean(x, -2) - mean(y, -2), n["A"]
    return mean(x if place == "level2.X" else y, -2), n["A"]


def _there(scores: Array, n: int) -> tuple[Array, int]:
    """The scores that are there, and how many of them are of the first group."""
    there = ~np.isnan(scores)
    return scores[there], int(there[:n].sum())


def _effect(scores: Array, n: int, ddof: int) -> float:
    """Effect size of the first `n` scores against the others, of those that are there."""
    scores, n = _there(scores, n)
    return effect_size(scores, n, ddof=ddof)[1] if 0 < n < len(scores) else np.nan


def _of_comparisons(
    measure: AssociationMeasure,
    preferences: Preferences,
    given: Input,
    confidence: float,
    counted: Array,
) -> dict[str, OfComparisons]:
    """Intervals over questions, and effect sizes had refusals and unusable answers gone one way.

    Of these answers `counted` is the proportion beyond chance, shape (used subjects, comparisons).
    """

    def two_sided(end: tuple[Array, int]) -> float:
        return measure.permutation_test(*end, given, given.magnitude).two_sided.p

    ddof, records = measure.ddof, {}
    intervals = intervals_of(preferences, ddof, confidence)
    ends, uneven = ends_of(preferences), ends_of(preferences, counted)
    for place in PLACES:
        bounds, sizes = (
            [_effect(*end, ddof) for end in both] for both in (ends[place], uneven[place])
        )
        low, high = uneven[place]
        difference, d = intervals[place]
        records[place] = OfComparisons(
            difference=difference,
            d=d,
            bounds=finite_ends(bounds, DECIMALS),
            uneven=finite_ends(sizes, DECIMALS),
            p_uneven=None if np.isnan(sizes).any() else (two_sided(low), two_sided(high)),
        )
    return records


def intervals_of(
    preferences: Preferences, ddof: int, confidence: float
) -> dict[str, tuple[EffectInterval, EffectInterval]]:
    """Intervals of the difference and of d by place: these words, other questions like these."""
    unknown = EffectInterval(se=None, interval=None)
    if preferences.facets is None:
        return dict.fromkeys(PLACES, (unknown, unknown))
    table, n, intervals = preferences.facets.values, preferences.sizes, {}
    attributes, questions = Facet.of_groups([n["A"], n["B"]]), Facet.of_groups([table.shape[2]])
    for place in PLACES:
        rows, sizes = {
            "level2.X": (slice(n["X"]), [n["X"]]),
            "level2.Y": (slice(n["X"], None), [n["Y"]]),
        }.get(place, (slice(None), [n["X"], n["Y"]]))
        facets = [Facet.of_groups(sizes), attributes, questions]
        test = contrast_test(table[rows], facets, fixed=(0, 1), level=confidence)
        scores, _ = scores_at(preferences.values, place, n)
        sd = scores.std(ddof=ddof) if len(scores) > ddof else math.nan
        intervals[place] = _interval(test, 1.0), _interval(test, sd or math.nan)
    return intervals


def _interval(test: ContrastTest, sd: float) -> EffectInterval:
    """Interval of a contrast in standard deviations."""
    ends = finite_ends((test.low / sd, test.high / sd), DECIMALS)
    return EffectInterval(se=finite(test.se / sd, DECIMALS), interval=ends)


def _signs(preferences: Preferences) -> tuple[Array, Array]:
    """Signs of the used subjects, and of both competitors of each comparison."""
    design, (used, _) = preferences.design, preferences.used
    of_subjects, of_competitors = (
        np.array([SIGNS[role] for role, _ in terms])
        for terms in (design.subjects, design.competitors)
    )
    return of_subjects[used], of_competitors[design.pairs]


def beyond_chance(preferences: Preferences) -> tuple[Array, float]:
    """Proportion of the refusals and unusable answers that refusing at random does not explain.

    Shape (used subjects, comparisons), and the proportion of all answers that it may explain.
    """
    read, (used, _) = preferences.choices, preferences.used
    of_subjects, of_pairs = _signs(preferences)
    # a question is about one of two groups, and has 2, 1 or no options of the first group
    firsts = (of_pairs > 0).sum(axis=1)
    kinds = np.add.outer(3 * (of_subjects > 0), firsts)
    return choices.beyond_chance(read.usable[used], read.asked[used], kinds, 6)


def ends_of(
    preferences: Preferences, counted: Array | float = 1.0
) -> dict[str, list[tuple[Array, int]]]:
    """Scores had all refusals and unusable answers gone against a positive effect size, and for it.

    Or a proportion of them, shape (used subjects, comparisons), the others left out as they are.
    """
    design, read, (used, _) = preferences.design, preferences.choices, preferences.used
    of_subjects, of_pairs = _signs(preferences)
    lean = np.outer(of_subjects, of_pairs[:, 0] - of_pairs[:, 1]) / 2
    answers = read.wins[used], read.usable[used], read.asked[used]
    tables = []
    for sign in (-1, 1):
        won, weights = choices.all_gone(*answers, sign * lean, counted)
        shares = choices.shares_won(won, design.pairs, len(design.competitors), weights)
        tables.append(preferences.orient_shares(shares))
    return {
        place: [
            _there(*scores_at(table, place, preferences.sizes))
            for table in (tables[::-1] if place == "level2.Y" else tables)
        ]
        for place in PLACES
    }


def _by_template(preferences: Preferences, ddof: int) -> tuple[tuple[OfTemplate, ...], float]:
    """The result of each template; and Cronbach's alpha of the scores over templates."""
    design, read, place = preferences.design, preferences.choices, preferences.headline
    templates, columns = [], []
    for k, text in enumerate(design.templates):
        table, own = preferences.tables[..., k], design.questions == k
        scores, _ = scores_at(table, place, preferences.sizes)
        usable = read.usable[:, own].sum() / max(1, read.asked[:, own].sum())
        effects = {
            at: finite(_effect(*scores_at(table, at, preferences.sizes), ddof), DECIMALS)
            for at in PLACES
        }
        templates.append(
            OfTemplate(
                text=text,
                effect_size=effects[place],
                level2=Level2Sizes({role: effects[f"level2.{role}"] for role in TARGETS}),
                usable=round(float(usable), DECIMALS),
            )
        )
        if not np.isnan(scores).all():
            columns.append(scores)
    if len(columns) < 2:
        return tuple(templates), np.nan
    scores = np.stack(columns, axis=1)
    scores = scores[~np.isnan(scores).any(axis=1)]
    return tuple(templates), cronbach_alpha(scores) if len(scores) > 2 else np.nan


def _unusable(design: Design, read: Choices) -> Shares:
    """Proportion of refusals and unusable answers in the questions with a term of each group."""
    usable, asked = (counts.sum(axis=2) for counts in (read.usable, read.asked))
    subjects = np.array([role for role, _ in design.subjects])
    of_pairs = np.array([role for role, _ in design.competitors])[design.pairs]
    shares = {}
    for role in ROLES:
        about, among = subjects == role, (of_pairs == role).any(axis=1)
        cells = np.broadcast_to(about[:, None] if about.any() else among, asked.shape)
        shares[role] = round(1 - usable[cells].sum() / max(1, asked[cells].sum()), DECIMALS)
    return Shares(shares)


def remarks(record: AnswersRecord) -> Iterator[Note]:
    """What a reader must know of the answers."""
    if record.refused > MANY_REFUSED:
        values = {"share": record.refused, "limit": MANY_REFUSED, "faults": record.faults}
        yield Note("answers.refused", values=values)
    shares = record.unusable.root
    apart = {f"{a} and {b}": [shares[a], shares[b]] for a, b in ("XY", "AB")}
    groups, both = max(apart.items(), key=lambda item: abs(item[1][0] - item[1][1]))
    if abs(both[0] - both[1]) > UNEQUAL:
        values = {"groups": groups, "shares": both, "limit": UNEQUAL}
        yield Note("answers.unequal", values=values)
    if not 1 - ONE_SIDED <= record.first_place <= ONE_SIDED:
        yield Note("answers.first-place", values={"share": record.first_place})
    if record.improbable:
        yield Note("answers.mass", values={"mass": record.mass, "limit": LEAST_MASS})
    if record.agreement is not None and record.agreement < LEAST_ALPHA:
        values = {"alpha": record.agreement, "limit": LEAST_ALPHA}
        yield Note("answers.disagree", values=values)
