"""Ask: paired comparisons of attributes for each target, answered by a model in words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import SignatureError, StimulusError
from eatlas.measures.association import DECIMALS, PatternMeasure
from eatlas.measures.base import (
    FROM_0,
    SHARE,
    Allowed,
    Array,
    Input,
    Needs,
    generator_of,
    parameter,
    stimuli_of_test,
    whole,
)
from eatlas.measures.levels import Ordered, level3, similarities
from eatlas.measures.lpbs import Term, completed, covered_by, require_words, terms_of
from eatlas.measures.ml_eat import compared
from eatlas.measures.resampling import Variation, interval_of
from eatlas.notes import Note
from eatlas.results.answers import (
    AnswersRecord,
    AskResult,
    OfComparisons,
    OfLevel2,
    OfTemplate,
    Shares,
)
from eatlas.results.parts import Coverage, defined, defined_ends
from eatlas.stats import choices
from eatlas.stats.agreement import cronbach_alpha
from eatlas.stats.effect_size import effect_size
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS, AssociationTest
from eatlas.stimuli.asking import (
    ALLOWED,
    By,
    Prompt,
    Reply,
    choice_of,
    fault_of_questions,
    filled,
    pairs_of,
    subject_of,
)
from eatlas.stimuli.languages import is_english
from eatlas.stimuli.pairs import SEPARATOR, choose
from eatlas.stimuli.questions import built_in_questions, read_questions
from eatlas.untrusted import require_trust

DRAWS = 2_000
"""Draws of pairs, for intervals over comparisons."""
AUTO = "auto"
DEFAULT = "words"
_NAME = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_FILE = re.compile(r"(.*\.toml)(?:#(.*))?", re.DOTALL | re.IGNORECASE)
_TEMPLATES = Allowed(
    f"auto, a name, a TOML file, or {ALLOWED}",
    lambda value: isinstance(value, str) and bool(value.strip()),
)
_EVEN = Allowed(
    "an even number from 2", lambda value: type(value) is int and value >= 2 and value % 2 == 0
)


class Design(NamedTuple):
    """What is asked: each pair of competitors about each subject, in templates and both orders."""

    subjects: list[Term]
    competitors: list[Term]
    pairs: NDArray[np.intp]
    """Places of the competitors of each pair."""
    templates: tuple[str, ...]
    prompts: list[Prompt]
    """In the order (subjects, pairs, templates, 2); the second of two names the pair's second
    first."""

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """Subjects, pairs, templates, and both orders."""
        return len(self.subjects), len(self.pairs), len(self.templates), 2

    @property
    def about(self) -> Literal["target", "attribute"]:
        """What a question is about."""
        return subject_of(self.templates[0])


@dataclass(frozen=True)
class Preferences:
    """Which of its pairs each attribute wins for each target, with an account of every term."""

    values: Array
    """Share of comparisons won, shape (targets, attributes): X then Y, A then B, of used terms."""
    coverage: Coverage
    design: Design
    """Of the used terms."""
    wins: Array
    """Share of its answers that the first of a pair wins, in the shape of the design."""
    usable: NDArray[np.int64]
    """Answers that choose, in the same shape."""
    answers: int
    """Answers to each question."""
    faults: Mapping[str, int]
    replies: tuple[Reply, ...]
    mass: float | None

    @property
    def single(self) -> Array:
        """Every share, for the size of what is summed and for the hash of what was measured."""
        return np.concatenate([self.wins[~np.isnan(self.wins)], self.values.ravel()])

    @property
    def rows(self) -> dict[str, Array]:
        """Rows whose dot products are the shares: a row of them, and a place."""
        return rows_of(self.values, self.coverage)


@dataclass(frozen=True)
class Ask(PatternMeasure):
    """Paired comparisons, asked of a model that answers, at the three levels of the ML-EAT.

    For each target x, pairs of attributes are drawn from A and B together, whatever their group,
    the same pairs for all targets: "Which word goes better with Julia: office or home?" Each is
    asked in both orders and in several templates. P(x, w), the share of its comparisons that an
    attribute w wins for x, takes the place of cosines. Since pairs ignore groups, labels of targets
    and of attributes are exchangeable where no group is preferred, whatever the order of options
    does to answers.

    Questions about an attribute let two targets compete, as decisions between two persons do: "Who
    should lead the workshop: Julia or Ben?" Then P(x, w) is the share of its comparisons that x
    wins for w.

    Parameters
    ----------
    alpha, ddof, p, draws, strict, statistic, adjust, tail, threshold, resamples, confidence
        As in :class:`eatlas.MLEAT`.
    templates : str, default "auto"
        The test's own questions, or else ``words``. A name of built-in questions (``words``,
        ``names``, ``groups``, ``professions``, ``persons``); questions themselves, with ``;``
        between several; or a TOML file, with ``#NAME`` for one of its lists. A question has
        ``{first}`` and ``{second}``, and either ``{target}`` or ``{attribute}``.
    by : {"auto", "logprobs", "samples"}, default "auto"
        What a choice is: the probability of each option as the model's answer, or an answer that
        is drawn; auto: probabilities where the model gives them.
    opponents : int, default 6
        With how many others each option is compared, an even number; with all others where there
        are no more.
    answers : int, default 1
        Answers that are drawn to each question.
    temperature : float, default 1.0
        At which answers are drawn.
    tokens : int, default 32
        Pieces of an answer at most.

    Notes
    -----
    An answer is a choice where it names one of its two options and does not decline. Comparisons
    without a choice are left out; the result says how many, and what the effect sizes would be had
    they all gone either way.

    Examples
    --------
    >>> Ask().signature
    'ASK(alpha=0.05,answers=1,by=auto,ddof=1,opponents=6,p=auto,tail=directional,temperature=1.0,\
templates=auto,threshold=0.2)'
    """

    name: ClassVar[str] = "ask"
    minimum: ClassVar[Mapping[str, int]] = dict.fromkeys(ROLES, 1)

    _: KW_ONLY
    templates: str = parameter(AUTO, _TEMPLATES)
    by: By = parameter("auto", By)
    opponents: int = parameter(6, _EVEN)
    answers: int = parameter(1, whole(1))
    temperature: float = parameter(1.0, FROM_0)
    tokens: int = parameter(32, whole(1), optional=True)
    resamples: int | Literal["auto"] = parameter("auto", whole(0, "auto"), optional=True)
    confidence: float = parameter(0.95, SHARE, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if match := _FILE.fullmatch(self.templates):
            # what the file says takes the place of its name
            path = Path(match[1])
            require_trust(f"read questions from {path}, which no signature of a result names")
            chosen = choose(read_questions(path).questions, match[2] or "", str(path))
            object.__setattr__(self, "templates", f"{SEPARATOR} ".join(chosen))
        if self.templates != AUTO:
            self._checked(self._named)

    @property
    def needs(self) -> Needs:
        """A model that answers."""
        return Needs(source="answers", ranks="ranks")

    @cached_property
    def _named(self) -> tuple[str, ...]:
        """The questions that the signature names."""
        text = self.templates.strip()
        if _NAME.fullmatch(text):
            try:
                return choose(built_in_questions().questions, text, "templates")
            except StimulusError as error:
                raise SignatureError(
                    f"{self.name}: {error.what.partition(': ')[2]}",
                    allowed=f"{error.allowed}, a TOML file, or {ALLOWED}",
                ) from error
        return tuple(part.strip() for part in text.split(SEPARATOR) if part.strip())

    def _checked(self, templates: Sequence[str]) -> None:
        """Refuse templates without their places, or about different things."""
        if fault := fault_of_questions(templates):
            raise SignatureError(f"{self.name}, templates: {fault}", allowed=ALLOWED)

    def templates_for(self, test: AssociationTest) -> tuple[str, ...]:
        """The questions of a test: its own, or those that the signature names."""
        if self.templates == AUTO and test.questions:
            return test.questions
        if not is_english(test.language) and (
            self.templates == AUTO or _NAME.fullmatch(self.templates.strip())
        ):
            raise StimulusError(
                f"test {test.id}: the questions of {self.name} are English",
                got=f"a test in {test.language}",
                allowed=f"questions in its language, of the form {ALLOWED}",
                remedy="put [[question]] tables into the test's file, or name them: "
                'ask(templates="...")',
            )
        if self.templates == AUTO:
            return tuple(built_in_questions().questions[DEFAULT])
        return self._named

    def design(self, test: AssociationTest) -> Design:
        """Everything that is asked about a test."""
        require_words(self.name, test)
        templates = self.templates_for(test)
        about = subject_of(templates[0])
        sides = (TARGETS, ATTRIBUTES) if about == "target" else (ATTRIBUTES, TARGETS)
        subjects, competitors = (terms_of(test, side) for side in sides)
        # by name, so that no order of terms and no group decides which pairs are drawn
        by_name = sorted(range(len(competitors)), key=lambda place: competitors[place][1])
        chance = generator_of(0, stimuli_of_test(test), f"pairs of {about}s")
        drawn = pairs_of(len(competitors), self.opponents, chance)
        pairs = np.array([[by_name[i], by_name[j]] for i, j in drawn], np.intp).reshape(-1, 2)
        prompts = []
        for subject, (i, j), template in product(subjects, pairs.tolist(), templates):
            for first, second in ((i, j), (j, i)):
                options = competitors[first][1], competitors[second][1]
                words = {about: subject[1], "first": options[0], "second": options[1]}
                prompts.append(
                    Prompt(
                        filled(template, **words),
                        options,
                        self.by,
                        self.answers,
                        self.temperature,
                        self.tokens,
                    )
                )
        return Design(subjects, competitors, pairs, templates, prompts)

    def questions(self, test: AssociationTest) -> Iterable[Prompt]:  # type: ignore[override]
        """Every question to a model about one test."""
        return self.design(test).prompts

    def associate(self, test: AssociationTest, answers: Mapping[Prompt, Reply]) -> Preferences:
        """Make shares of comparisons won of the answers to all questions about a test."""
        design = self.design(test)
        replies = [answers[prompt] for prompt in design.prompts]
        faults: Counter[str] = Counter()
        wins, usable = np.full(len(replies), np.nan), np.zeros(len(replies), np.int64)
        masses = []
        for at, (prompt, reply) in enumerate(zip(design.prompts, replies, strict=True)):
            turned = at % 2  # the pair's second is named first
            if reply.chances is not None:
                total = float(np.logaddexp.reduce(reply.chances))
                masses.append(np.exp(total))
                if np.isfinite(total):
                    wins[at] = np.exp(reply.chances[turned] - total)
                    usable[at] = self.answers
                else:
                    faults["neither"] += self.answers
                continue
            chosen = [choice_of(text, prompt.options) for text in reply.texts]
            faults.update(choice for choice in chosen if isinstance(choice, str))
            places = [choice for choice in chosen if isinstance(choice, int)]
            usable[at] = len(places)
            if places:
                wins[at] = places.count(turned) / len(places)
        return self._arranged(
            test,
            design,
            wins.reshape(design.shape),
            usable.reshape(design.shape),
            faults,
            tuple(replies),
            float(np.mean(masses)) if masses else None,
        )

    def _arranged(
        self,
        test: AssociationTest,
        design: Design,
        wins: Array,
        usable: NDArray[np.int64],
        faults: Mapping[str, int],
        replies: tuple[Reply, ...],
        mass: float | None,
    ) -> Preferences:
        """Leave out what lacks comparisons, and make the table of shares of the rest."""
        won = choices.won(wins)
        count = len(design.competitors)
        there = ~np.isnan(choices.shares_won(won, design.pairs, count))
        sides = design.subjects, design.competitors
        names = [[name for _, name in side] for side in sides]
        reasons: dict[Term, str] = {}
        for side, place, holes, of in completed(there, names):
            other = ("attributes", "targets")[side == (design.about == "target")]
            reasons[sides[side][place]] = f"no usable comparison with {holes} of {of} {other}"
        kept = [[i for i, term in enumerate(side) if term not in reasons] for side in sides]
        inside = np.isin(design.pairs, kept[1]).all(axis=1)
        moved = {old: new for new, old in enumerate(kept[1])}
        pairs = np.array([[moved[i], moved[j]] for i, j in design.pairs[inside].tolist()], np.intp)
        used = design._replace(
            subjects=[design.subjects[i] for i in kept[0]],
            competitors=[design.competitors[i] for i in kept[1]],
            pairs=pairs.reshape(-1, 2),
        )
        wins, usable = wins[kept[0]][:, inside], usable[kept[0]][:, inside]
        shares = choices.shares_won(choices.won(wins), used.pairs, len(kept[1]))
        return Preferences(
            shares if design.about == "target" else shares.T,
            covered_by(test, reasons, {}),
            used,
            wins,
            usable,
            self.answers,
            faults,
            replies,
            mass,
        )

    def compute(self, given: Input, notes: list[Note]) -> AskResult:
        """Three levels, the pattern, and how the model answered."""
        preferences: Preferences = given.asked
        ordered = Ordered.of(given.rows, given.coverage)
        vary = Variation(given, ordered, notes, self.resamples, self.confidence, self.ddof)
        levels = compared(self, vary)
        x, y = (kernels.mean_row(given.rows[role]) for role in TARGETS)
        s, n_a = x - y, len(given.rows["A"])
        answers = self._answers(preferences, given)
        return AskResult(
            **given.head,
            **levels,
            templates=preferences.design.templates,
            level3=level3(given.rows),
            similarities=similarities(given.rows),
            over_attributes=self.level(s[:n_a], s[n_a:], "over_attributes", notes, given),
            answers=answers,
        )

    def _answers(self, preferences: Preferences, given: Input) -> AnswersRecord:
        """How the model answered, and how far that decides the effect sizes."""
        design, wins, usable = preferences.design, preferences.wins, preferences.usable
        replies = preferences.replies
        asked = len(replies) * self.answers
        drawn = choices.pair_weights(len(design.pairs), DRAWS, self._chance(given))
        count = len(design.competitors)
        first, interval = choices.first_place(wins, self.confidence)
        shares = choices.shares_won(choices.won(wins), design.pairs, count, drawn)
        tables = self._tables(design, shares)
        by_template = [
            self._tables(
                design, choices.shares_won(choices.won(wins[:, :, [k]]), design.pairs, count)
            )
            for k in range(len(design.templates))
        ]
        n = {role: len(given.coverage[role].used) for role in ROLES}
        scores = np.stack([of_level(table, "level1", n)[0] for table in by_template], axis=1)
        alpha = cronbach_alpha(scores) if scores.shape[1] > 1 and len(scores) > 1 else np.nan
        of_place = {
            place: self._of_comparisons(preferences, tables, place, n)
            for place in ("level1", "level2.X", "level2.Y")
        }
        dates = sorted({date for reply in replies for date in reply.dates if date})
        logprobs = replies[0].by == "logprobs" if replies else False
        return AnswersRecord(
            asked=asked,
            by="logprobs" if logprobs else "samples",
            usable=asked - sum(preferences.faults.values()),
            faults=dict(sorted(preferences.faults.items())),
            unusable=Shares(unusable_of(preferences)),
            mass=None if preferences.mass is None else round(preferences.mass, DECIMALS),
            first_place=round(first, DECIMALS),
            first_place_interval=interval and defined_ends(interval, DECIMALS),
            agreement=defined(alpha, DECIMALS),
            templates=tuple(
                OfTemplate(
                    text=text,
                    effect_size=defined(self._d(*of_level(table, "level1", n)), DECIMALS),
                    usable=round(float(usable[:, :, k].mean()) / self.answers, DECIMALS),
                )
                for k, (text, table) in enumerate(zip(design.templates, by_template, strict=True))
            ),
            about=design.about,
            pairs=len(design.pairs),
            answers=self.answers,
            temperature=None if logprobs else self.temperature,
            models=tuple(sorted({name for reply in replies for name in reply.models if name})),
            dates=tuple(dict.fromkeys((dates[0], dates[-1]))) if dates else (),
            level1=of_place["level1"],
            level2=OfLevel2(X=of_place["level2.X"], Y=of_place["level2.Y"]),
        )

    def _chance(self, given: Input) -> np.random.Generator:
        """A generator of the weights of pairs."""
        used = {role: given.coverage[role].used for role in ROLES}
        return generator_of(given.seed, used, "weights of pairs")

    def _tables(self, design: Design, shares: Array) -> Array:
        """Tables of targets by attributes."""
        return shares if design.about == "target" else np.swapaxes(shares, -1, -2)

    def _d(self, scores: Array, n: int) -> float:
        """Effect size of the first `n` scores against the others; NaN where undefined."""
        if np.isnan(scores).any():
            return np.nan
        return effect_size(scores, n, ddof=self.ddof)[1]

    def _of_comparisons(
        self, preferences: Preferences, tables: Array, place: str, n: Mapping[str, int]
    ) -> OfComparisons:
        """Intervals over pairs and answers, and bounds over answers without a choice."""
        scores, first = of_level(tables, place, n)
        groups = scores[..., :first], scores[..., first:]
        difference = groups[0].mean(axis=-1) - groups[1].mean(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            d = difference / scores.std(axis=-1, ddof=self.ddof)
        design = preferences.design
        roles = np.array([role for role, _ in design.subjects])
        sides = [1 if role in "XA" else -1 for role, _ in design.competitors]
        against = design.about == "attribute" and place == "level2.Y"
        toward = np.where(np.isin(roles, ["X", "A"]), 1.0, -1.0)
        if place.startswith("level2") and design.about == "target":
            toward = np.ones(len(roles))
        ends = []
        for sign in (-1.0, 1.0):
            won = choices.all_gone(
                preferences.wins,
                preferences.usable,
                preferences.answers,
                design.pairs,
                sides,
                sign * toward * (-1.0 if against else 1.0),
            )
            shares = choices.shares_won(won, design.pairs, len(design.competitors))
            ends.append(self._d(*of_level(self._tables(design, shares), place, n)))
        return OfComparisons(
            d=interval_of(np.where(np.isfinite(d), d, np.nan), self.confidence),
            difference=interval_of(difference, self.confidence),
            bounds=defined_ends(ends, DECIMALS),
        )


def of_level(tables: Array, place: str, n: Mapping[str, int]) -> tuple[Array, int]:
    """Scores of a level, from tables of targets by attributes, and the size of the first group."""
    if place == "level1":
        a, b = tables[..., : n["A"]], tables[..., n["A"] :]
        return a.mean(axis=-1) - b.mean(axis=-1), n["X"]
    own = tables[..., : n["X"], :] if place.endswith("X") else tables[..., n["X"] :, :]
    return own.mean(axis=-2), n["A"]


def rows_of(values: Array, coverage: Coverage) -> dict[str, Array]:
    """Rows whose dot products are the values of a table of targets by attributes."""
    n_x, n_a = len(coverage["X"].used), len(coverage["A"].used)
    places = np.eye(values.shape[1])
    parts = values[:n_x], values[n_x:], places[:n_a], places[n_a:]
    return dict(zip(ROLES, parts, strict=True))


def unusable_of(preferences: Preferences) -> dict[str, float]:
    """Share of answers without a choice in the questions with a term of each group."""
    design = preferences.design
    without = 1 - preferences.usable.mean(axis=(2, 3)) / preferences.answers
    roles = np.array([role for role, _ in design.competitors])
    shares = {}
    for role in ROLES:
        of_subject = np.array([own == role for own, _ in design.subjects])
        of_pair = (roles[design.pairs] == role).any(axis=1)
        if of_subject.any():
            shares[role] = float(without[of_subject].mean())
        else:
            shares[role] = float(without[:, of_pair].mean()) if of_pair.any() else 0.0
    return {role: round(share, DECIMALS) for role, share in shares.items()}
