"""Assign: the LLM Word Association Test of Bai, Wang, Sucholutsky and Griffiths (2025)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import CoverageError, SignatureError, StimulusError
from eatlas.measures.association import DECIMALS, AssociationMeasure
from eatlas.measures.base import FROM_0, SHARE, Allowed, Array, Input, Needs, parameter, whole
from eatlas.measures.seeding import generator_of
from eatlas.notes import Note
from eatlas.results.parts import Coverage, finite, finite_ends
from eatlas.stats.facets import Facet, contrast_test
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS, AssociationTest
from eatlas.stimuli.languages import is_english
from eatlas_models.measures.answers import check_origin, models_and_dates, temperature_of
from eatlas_models.measures.comparisons import MOST_TEMPLATES
from eatlas_models.measures.lpbs import Term, coverage_of_test, require_words, terms_of
from eatlas_models.measures.templates import file_of, is_name, is_text, templates_of
from eatlas_models.results.answers import (
    AssignResult,
    AttributesByInstructions,
    CollectedRecord,
)
from eatlas_models.stats.choices import (
    assignment_scores,
    complete_questions,
    mean_interval,
    mean_of_those_there,
)
from eatlas_models.stimuli.asking import (
    CollectedAnswer,
    Prompt,
    Reply,
    fill_template,
    reply_of,
    rows_of,
)
from eatlas_models.stimuli.assigning import (
    ASSIGNED,
    EXAMPLE,
    WordList,
    assignments_of,
    fault_of_assignment,
    is_list,
    plain,
    targets_assigned,
)
from eatlas_models.stimuli.choosing import ASK_OTHERWISE, CHECK_FILE, QUOTED
from eatlas_models.stimuli.questions import built_in_questions, read_questions

LISTS = "lists"
_TEMPLATES = Allowed(f"{LISTS}, published, a TOML file, or {EXAMPLE}", is_text)
Targets = tuple[str | None, str | None]
"""The targets of X and of Y of a list; None if an answer of unknown targets names none."""


@dataclass(frozen=True)
class Assigned:
    """Which words of each list went to which target, with an account of every term."""

    coverage: Coverage
    to_x: NDArray[np.int64]
    """Lists in which each used attribute, A then B, went to the target of X, shape (instructions,
    attributes)."""
    to_any: NDArray[np.int64]
    """Lists in which it went to a target."""
    instructions: NDArray[np.intp]
    """Of each list, its instruction."""
    counts: NDArray[np.int64]
    """Words of A and B that the targets of X and Y were given, shape (lists, 2, 2)."""
    unread: int
    replies: tuple[Reply, ...]
    collected: CollectedRecord | None = None
    rows: ClassVar[Mapping[str, Array]] = {}
    """No product of rows is a proportion."""

    @property
    def shares(self) -> Array:
        """By used attribute, the proportion of its assignments to the target of X."""
        return np.asarray(self.to_x.sum(axis=0) / self.to_any.sum(axis=0))

    @property
    def table(self) -> Array:
        """The same by instruction, shape (attributes, instructions); NaN where there are none."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.to_x / self.to_any).T

    def scores_by_instruction(self, scores: Array) -> Array:
        """Mean of the numbers of its lists, for each instruction; NaN where none is defined."""
        lists = np.where(self.instructions == np.arange(len(self.to_x))[:, None], scores, np.nan)
        return mean_of_those_there(lists, 1)

    def cross_instructions(self, n_a: int, confidence: float) -> AttributesByInstructions | None:
        """Compare A with B for other attributes and instructions; None of a single instruction."""
        sizes = (n_a, len(self.table) - n_a)
        table = complete_questions(self.table, (sizes,), self.shares)
        if table is None or min(sizes) < 2:
            return None
        facets = [Facet.of_groups(n) for n in (sizes, table.shape[1:])]
        test = contrast_test(table, facets, level=confidence)
        fields = test._asdict()
        return AttributesByInstructions(
            **{name: finite(fields[name]) for name in AttributesByInstructions.model_fields}
        )

    @property
    def single(self) -> Array:
        """Every number, for the size of what is summed and for the hash of what was measured."""
        return np.concatenate([self.shares, np.asarray(self.counts, np.float64).ravel()])


@dataclass(frozen=True)
class Assign(AssociationMeasure):
    r"""The LLM Word Association Test: lists of words that a model assigns to one of two targets.

    A list has a target of X, a target of Y, in random order, and all attributes, shuffled: "For
    each word pick a word, Ben or Julia, and write it after the word." Of each list Bai, Wang,
    Sucholutsky and Griffiths (2025) compute

    D = N(x, A) / (N(x, A) + N(x, B)) + N(y, B) / (N(y, A) + N(y, B)) - 1,

    where N(x, A) is the number of words of A that the target of X was given: 1 where it was given
    all words of A and no other, 0 where words go without regard to their group. The result has the
    mean of D over instructions, with an interval by Student's t for other instructions; of a single
    instruction that over lists. The paper has no p-value for one model. The score of an attribute
    is the proportion of its assignments that went to the target of X; the effect size compares A
    with B, and its p-value permutes their labels. A crossed test tells whether other attributes and
    other instructions would show it.

    Parameters
    ----------
    alpha, ddof, p, draws, strict, statistic
        As in :class:`eatlas.MLEAT`.
    lists : int, default 48
        Lists that a model is given; 50 in the paper.
    temperature : float, default 1.0
        At which answers are sampled.
    templates : str, default "lists"
        Eight instructions, the first from the paper; ``published``: only the first;
        instructions themselves, with ``;`` between several; or a TOML file with a table
        ``[assignments]``, with ``#NAME`` for one of its lists. An instruction has ``{first}`` and
        ``{second}``, which are the two targets, and ``{words}``. They take turns.
    tokens : int, default 1024
        Pieces of an answer at most.
    added : float, default 0.01
        Added to both denominators of D, as the code of the paper does: where one target was given
        no word, D is about -0.5 for that. With 0 such a list has no D.
    confidence : float, default 0.95
        Of the interval of D.

    Notes
    -----
    Attributes are shuffled in each list, so that their labels are exchangeable where a model has no
    preference, whatever their order does. Labels of targets are not permuted: a target of X is only
    ever given next to one of Y, so that what one of them gets the other lacks, and no list shows
    two targets of a group.

    The targets of lists are sampled so that each comes before any comes again. The paper draws each
    list anew, and writes the words in lower case, in brackets and quotes.

    Lines such as ``word - name``, ``word: name`` or ``1. **word** – name`` are read, in any case,
    and lines of several such with commas between them. A line that assigns no word of the test to
    one of the two targets is unread, and so are the lines of a word that has both. An answer that
    assigns nothing is a refusal.

    References
    ----------
    Bai, X., Wang, A., Sucholutsky, I. and Griffiths, T. L. (2025). Explicitly unbiased large
    language models still form biased associations. PNAS 122(8), e2416228122.

    Examples
    --------
    >>> import eatlas
    >>> def model(prompts):
    ...     return ["office - Ben\nsalary - Ben\nhome - Ann\nfamily - Ann"] * len(prompts)
    >>> test = {"Men": ["Ben"], "Women": ["Ann"], "Work": ["office", "salary"],
    ...         "Home": ["home", "family"]}
    >>> result = eatlas.run(tests=test, vectors=model, measures="assign")[0]
    >>> round(result.score, 2), result.shares["home"], round(result.p, 3)
    (0.99, 0.0, 0.167)
    """

    name: ClassVar[str] = "assign"
    minimum: ClassVar[Mapping[str, int]] = {
        **dict.fromkeys(TARGETS, 1),
        **dict.fromkeys(ATTRIBUTES, 2),
    }
    compared: ClassVar[tuple[str, ...]] = ("A",)
    of_questions: ClassVar[tuple[str, ...]] = ("lists", "templates", "temperature", "tokens")
    """Parameters that change nothing where lists were collected elsewhere."""

    _: KW_ONLY
    lists: int = parameter(48, whole(1))
    temperature: float = parameter(1.0, FROM_0)
    templates: str = parameter(LISTS, _TEMPLATES)
    tokens: int = parameter(1024, whole(1), optional=True)
    added: float = parameter(0.01, FROM_0, optional=True)
    confidence: float = parameter(0.95, SHARE, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if file := file_of(self.templates):
            sets = read_questions(file.path).of("assignments", str(file.path))
            object.__setattr__(self, "templates", file.chosen(sets))
        for template in self.prompts:
            if fault := fault_of_assignment(template):
                raise SignatureError(f"{self.name}: the prompt {fault}", allowed=EXAMPLE)

    @property
    def needs(self) -> Needs:
        """A model that answers."""
        return Needs(source="answers", keeps=True)

    @cached_property
    def prompts(self) -> tuple[str, ...]:
        """The prompts that the signature names."""
        return templates_of(self.name, self.templates, built_in_questions().assignments, EXAMPLE)

    def design(self, test: AssociationTest) -> dict[Prompt, WordList]:
        """The lists of a test, as prompts; a repeated list requests more answers."""
        require_words(self.name, test)
        if is_name(self.templates) and not is_english(test.language):
            raise StimulusError(
                f"test {test.id}: the instructions of {self.name} are English",
                got=f"a test in {test.language}",
                allowed=f"instructions in its language, of the form {EXAMPLE}",
                remedy='name them: assign(templates="...")',
            )
        # by name, so that neither the labels of groups nor the order of terms decide
        words = sorted(term for _, term in terms_of(test, ATTRIBUTES))
        groups = sorted((sorted(test.concept(role).terms), role) for role in TARGETS)
        stimuli = {
            "attributes": words,
            **{f"targets {i}": group for i, (group, _) in enumerate(groups)},
        }
        chance = generator_of(0, stimuli, "lists of words")
        turns = {role: _turns(names, self.lists, chance) for names, role in groups}
        drawn: Counter[WordList] = Counter()
        for at, targets in enumerate(zip(turns["X"], turns["Y"], strict=True)):
            turned = groups[chance.integers(2)][1] == "Y"
            shuffled = tuple(words[place] for place in chance.permutation(len(words)).tolist())
            drawn[WordList(targets, turned, shuffled, at % len(self.prompts))] += 1
        return {
            Prompt(
                fill_template(
                    self.prompts[word_list.instruction],
                    first=word_list.targets[word_list.turned],
                    second=word_list.targets[not word_list.turned],
                    words=", ".join(word_list.words),
                ),
                options=word_list.targets,
                words=word_list.words,
                answers=times,
                by="samples",
                temperature=self.temperature,
                tokens=self.tokens,
            ): word_list
            for word_list, times in drawn.items()
        }

    def questions(self, test: AssociationTest) -> Iterable[Prompt]:
        """Every list of a test."""
        return self.design(test)

    def associate(self, test: AssociationTest, answers: Mapping[Prompt, Reply]) -> Assigned:
        """Read the answers to all lists of a test."""
        lists = self.design(test)
        replies = tuple(answers[prompt] for prompt in lists)
        answered = [
            (word_list.instruction, word_list.targets, text)
            for word_list, reply in zip(lists.values(), replies, strict=True)
            for text in reply.texts
        ]
        return _count_assignments(test, answered, len(self.prompts), replies, None)

    def collected(
        self, test: AssociationTest, answers: Mapping[Prompt, Reply]
    ) -> Iterator[CollectedAnswer]:
        """Answers to all lists of a test, as the rows of a file."""
        for prompt in self.design(test):
            words = {"template": prompt.text, "test": test.id}
            yield from rows_of(answers[prompt], prompt.options, **words)

    def associate_collected(
        self, test: AssociationTest, rows: Sequence[CollectedAnswer]
    ) -> Assigned:
        """Read lists that were collected elsewhere; lists of other tests are ignored."""
        require_words(self.name, test)
        of_test = [
            (row, targets)
            for row in rows
            if row.about is None and (targets := _targets_of(row, test)) is not None
        ]
        if all(targets == (None, None) for _, targets in of_test):  # none, or refusals
            raise CoverageError(
                f"test {test.id}: none of the {len(rows):,} answers is to a list of its words",
                got=f"the first: {rows[0].text[:QUOTED]!a}",
                allowed="answers with a word, a dash and a target on each line",
            )
        instructions = _instructions_of([row for row, _ in of_test], test)
        answered = [
            (number, targets, row.text)
            for number, (row, targets) in zip(instructions, of_test, strict=True)
        ]
        collected = CollectedRecord(rows=len(rows), others=len(rows) - len(of_test))
        return _count_assignments(
            test,
            answered,
            max(instructions) + 1,
            (reply_of([row for row, _ in of_test]),),
            collected,
        )

    def compute(self, given: Input, notes: list[Note]) -> AssignResult:
        """The effect size over attributes, and D of Bai et al."""
        assigned: Assigned = given.asked
        shares, n_a = assigned.shares, len(given.coverage["A"].used)
        scores = assignment_scores(assigned.counts, self.added)
        by_instruction = assigned.scores_by_instruction(scores)
        defined = by_instruction[~np.isnan(by_instruction)]
        if len(defined) < 2:
            by_instruction, defined = defined[:0], scores[~np.isnan(scores)]
        mean, interval = mean_interval(defined, self.confidence)
        filled_lists = int((assigned.counts.sum(axis=(1, 2)) > 0).sum())
        lists = len(assigned.counts)
        collected = assigned.collected
        result = AssignResult(
            **given.head,
            templates=None if collected else self.prompts,
            over_attributes=self.level(shares[:n_a], shares[n_a:], "over_attributes", notes, given),
            score=finite(mean, DECIMALS),
            score_interval=interval and finite_ends(interval, DECIMALS),
            score_by_instruction=tuple(finite(d, DECIMALS) for d in by_instruction.tolist()),
            crossed=assigned.cross_instructions(n_a, self.confidence),
            lists=lists,
            with_score=int((~np.isnan(scores)).sum()),
            assignments=int(assigned.counts.sum()),
            unread=assigned.unread,
            refused=lists - filled_lists,
            shares={
                term: round(share, DECIMALS)
                for term, share in zip(
                    given.coverage["A"].used + given.coverage["B"].used,
                    shares.tolist(),
                    strict=True,
                )
            },
            temperature=None if collected else temperature_of(given, self.temperature),
            **models_and_dates(assigned.replies),
            collected=collected,
        )
        notes.extend(_remarks(result, assigned.counts))
        notes.extend(check_origin(assigned.replies, given))
        return result


def _turns(names: Sequence[str], count: int, chance: np.random.Generator) -> list[str]:
    """Draw names, each before any is sampled again."""
    rounds = -(-count // len(names))
    drawn = [names[place] for _ in range(rounds) for place in chance.permutation(len(names))]
    return drawn[:count]


def _count_assignments(
    test: AssociationTest,
    answered: Sequence[tuple[int, Targets, str]],
    instructions: int,
    replies: tuple[Reply, ...],
    collected: CollectedRecord | None,
) -> Assigned:
    """Count what goes to which target, and leave out what occurs in no list.

    Of an answer there are the number of its instruction, its targets and its text.
    """
    attributes = terms_of(test, ATTRIBUTES)
    words = [term for _, term in attributes]
    to_x, to_any = np.zeros((2, instructions, len(words)), np.int64)
    counts = np.zeros((len(answered), 2, 2), np.int64)
    unread = 0
    for at, (number, targets, text) in enumerate(answered):
        read = assignments_of(text, words, [target for target in targets if target is not None])
        unread += read.unread if read.to else 0
        for place, (role, word) in enumerate(attributes):
            if (target := read.to.get(word)) is not None:
                to_y = target == targets[1]
                to_x[number, place] += not to_y
                to_any[number, place] += 1
                counts[at, int(to_y), int(role == "B")] += 1
    if not counts.any():
        raise CoverageError(
            f"test {test.id}: no answer assigns a word to a target",
            got=f"{len(answered):,} answers; the first: {answered[0][2][:QUOTED]!a}",
            allowed=ASSIGNED,
            remedy=CHECK_FILE if collected else ASK_OTHERWISE,
        )
    named = {target for _, targets, _ in answered for target in targets}
    reasons: dict[Term, str] = {
        (role, term): "in no list" for role, term in terms_of(test, TARGETS) if term not in named
    }
    reasons |= {
        term: "assigned in no list"
        for term, times in zip(attributes, to_any.sum(axis=0).tolist(), strict=True)
        if not times
    }
    used = to_any.any(axis=0)
    coverage = coverage_of_test(test, reasons, {})
    of_lists = np.array([number for number, _, _ in answered], np.intp)
    tallies = to_x[:, used], to_any[:, used], of_lists, counts
    return Assigned(coverage, *tallies, unread, replies, collected)


def _instructions_of(rows: Sequence[CollectedAnswer], test: AssociationTest) -> list[int]:
    """Number of the instruction of each row: of the prompt without the words of the test."""
    words = {word for role in ROLES for word in test.concept(role).terms}
    longest_first = "|".join(map(re.escape, sorted(words, key=len, reverse=True)))
    forms = [re.sub(longest_first, "", row.template, flags=re.IGNORECASE) for row in rows]
    numbers = {form: number for number, form in enumerate(dict.fromkeys(forms))}
    return [numbers[form] if len(numbers) <= MOST_TEMPLATES else 0 for form in forms]


def _targets_of(row: CollectedAnswer, test: AssociationTest) -> Targets | None:
    """The targets of X and of Y of a list of a file; None for a list of another test."""
    x, y = (test.concept(role).terms for role in TARGETS)
    if not row.options:
        words = [term for _, term in terms_of(test, ATTRIBUTES)]
        targets = targets_assigned(row.text, words, x, y)
        return None if targets == (None, None) and is_list(row.text) else targets
    names = set(map(plain, row.options))
    named = [[term for term in side if plain(term) in names] for side in (x, y)]
    if len(names) != 2 or [len(side) for side in named] != [1, 1]:
        return None
    return named[0][0], named[1][0]


def _remarks(result: AssignResult, counts: NDArray[np.int64]) -> Iterator[Note]:
    """What a reader must know of how the model answered."""
    if result.collected and result.collected.others:
        yield Note("answers.other-tests", values=result.collected.model_dump())
    if result.unread:
        values = {"count": result.unread, "of": result.unread + result.assignments}
        yield Note("answers.unread-lines", values=values)
    if result.refused:
        yield Note("answers.refused-lists", values={"count": result.refused, "of": result.lists})
    given = counts.sum(axis=2)
    if count := int((given.any(axis=1) & ~given.all(axis=1)).sum()):
        both = counts[given.all(axis=1)]
        d = round(float(assignment_scores(both).mean()), DECIMALS) if len(both) else None
        lists = {"count": count, "of": result.lists, "without": d}
        yield Note("answers.one-target", values=lists)
