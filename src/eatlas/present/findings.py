"""What a result shows: the one record that every headline, row, caption and file prints.

Of a test of X, Y, A and B these are its three questions, with the answers that
:mod:`eatlas.results.questions` gives. Other measures answer less: that single terms or targets, or
two groups, differ by a permutation test of these words; or they have a number without a test, which
has no verb.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from eatlas.errors import join_names
from eatlas.numbers import brief_p
from eatlas.present.commentary import Commentary, commentaries
from eatlas.present.effects import (
    levels_of,
    names_of,
    of_random_weights,
    only_terms,
    p_heads,
    short_name,
    unit_of,
    without_adjustment,
)
from eatlas.present.family import DeclaredFamily
from eatlas.present.rendering import FILTERS, little_among, phrase
from eatlas.present.targets import leans
from eatlas.present.text import isolate
from eatlas.results import AssociationResult
from eatlas.results.effects import parameters
from eatlas.results.finding import Finding, Question, QuestionP, Verdict
from eatlas.results.parts import Tail, at
from eatlas.results.pooled import PooledGroup, pool_groups
from eatlas.results.questions import (
    TESTS,
    Answer,
    answer_of_tests,
    evidence_of,
    questions_of,
    sentence_of,
)
from eatlas.results.settings import Settings
from eatlas.stimuli.kinds import ROLES

if TYPE_CHECKING:
    from eatlas.results.effects import Effect
    from eatlas.results.levels import AdjustedTarget
    from eatlas.results.targets import TargetShares

RANDOM = "Randomly initialised weights: "
"""Begins the sentence of a model that was not trained, as a control."""
ONLY_THESE = "the measure has no test for other words"
EXAMPLES = 3
"""Targets that a finding names."""
MOST_SAID = 3
"""Sentences of different results that a title has."""


def finding_of(result: AssociationResult) -> Finding:
    """What a result shows by itself."""
    return findings_of([result])[0]


def findings_of(results: Iterable[AssociationResult]) -> list[Finding]:
    """What each of some results shows, adjusted over the tests that are shown together."""
    every = list(results)
    comments = commentaries(every)
    return [
        _finding(result, questions, comments)
        for result, questions in zip(every, questions_of(every), strict=True)
    ]


def _finding(
    result: AssociationResult, questions: dict[str, Question], comments: Iterable[Commentary]
) -> Finding:
    """One finding, with what comes before its sentence."""
    if result.by_target is not None:
        finding = _of_targets(result)
    elif result.kind == "groups" and any(target.p is not None for target in result.values or ()):
        finding = _of_values(result)
    elif result.values is not None:
        finding = _of_number(result)
    elif only_terms(result.effects()):
        finding = _of_terms(result)
    elif questions:
        questions = _questions_with_names(result, questions)
        sentence = " ".join(question.sentence for question in questions.values())
        finding = Finding(questions=questions, sentence=sentence)
        words = _sensitive_to(result, finding.verdict)
        finding = finding.model_copy(update={"sensitive_to": words})
    else:
        finding = _of_number(result)
    sentence = finding.sentence
    if result.shows_little:
        sentence = phrase("sentences", "little", result, sentence)
    for comment in comments:
        if comment.concerns(result):
            sentence = comment.sentence(result, sentence)
    if of_random_weights(result):
        sentence = RANDOM + sentence
    return finding.model_copy(update={"sentence": sentence})


def _questions_with_names(
    result: AssociationResult, questions: dict[str, Question]
) -> dict[str, Question]:
    """Questions whose sentences hold names fit for a sentence, of any length and script."""
    names = names_of(result)
    if names == result.concepts:
        return questions
    effects = {effect.place: effect for effect in result.effects()}
    return {
        place: question.model_copy(
            update={
                "sentence": sentence_of(names, effects[place], question.verdict, question.reason)
            }
        )
        for place, question in questions.items()
    }


def _sensitive_to(result: AssociationResult, verdict: Verdict | None) -> tuple[str, ...]:
    """Words without any one of which the verdict on the first question would be weaker.

    Near-synonyms, which are left out together, are one name.
    """
    names: list[str] = []
    for role in ROLES if result.sensitivity else ():
        order = {word: i for i, word in enumerate(result.coverage[role].stimuli)}
        units = {
            unit for p in _P_OF[verdict] for unit in at(result.sensitivity, f"{p}.{role}") or ()
        }
        names += [
            "/".join(map(short_name, unit))
            for unit in sorted(units, key=lambda unit: order.get(unit[0], len(order)))
        ]
    return tuple(names)


_P_OF: dict[Verdict | None, tuple[str, ...]] = {
    "supported": ("these", "new", "adjusted"),
    "these words": ("these",),
    "not shown": (),
    None: (),
}
"""The p-values that a verdict needs."""


class Tally(NamedTuple):
    """Single terms, or targets, that differ from chance, adjusted by Holm over all of them."""

    all: int
    shown: list[tuple[str, str]]
    """Name of each, and the group that it is associated with."""
    p: float | None
    """The smallest adjusted p-value."""
    lost: int = 0
    """How many have no number that is defined; they are not among all."""


def terms_adjusted(result: AssociationResult) -> list[tuple[Effect, float | None]]:
    """Effect sizes of single terms, each with its p-value after Holm over all of them."""
    family = DeclaredFamily.of([result], "level2")
    return [
        (effect, None if effect.p_of() is None else family.p_adjusted(result, effect))
        for effect in result.effects()
    ]


def effects_with_verdicts(result: AssociationResult, finding: Finding) -> list[Effect]:
    """All effect sizes of a result, with what its finding says of each; of single terms by Holm."""
    if not only_terms(result.effects()):
        return levels_of(result, finding)
    return [
        replace(effect, verdict="these words" if p is not None and p <= alpha else "not shown")
        for effect, p in terms_adjusted(result)
        for alpha in [effect.rule.alpha]
    ]


def _of_terms(result: AssociationResult) -> Finding:
    """The finding of a measure of single terms."""
    every, names = terms_adjusted(result), result.concepts
    shown = [
        (effect.name, names["A" if effect.direction == "greater" else "B"])
        for effect, p in every
        if p is not None and p <= result.rule.alpha
    ]
    smallest = min((p for _, p in every if p is not None), default=None)
    tally = Tally(len(every), shown, smallest)
    unit = unit_of(result, ("X", "Y"))
    finding = _finding_of_tally("terms", tally, unit, names["A"], names["B"])
    if parameters(result.signature).get("instead_of") != "weat":
        return finding
    alone = [isolate(names[g]) for g in "XY" if len(result.coverage[g].used) == 1]
    if not alone:
        return finding
    have = "has one term" if len(alone) == 1 else "have one term each"
    sentence = f"{join_names(alone)} {have}, so an SC-EAT replaces the WEAT. {finding.sentence}"
    return finding.model_copy(update={"sentence": sentence})


def _of_targets(result: AssociationResult) -> Finding:
    """The finding of a measure of targets against k groups: those that differ beyond chance."""
    every = leans(result)
    known = [lean.adjusted for lean in every.known if lean.adjusted is not None]
    if not known:
        return Finding(sentence=f"{phrase('sentences', 'untested_targets', every)}.")
    shown = [lean for lean in every.known if lean.star and not lean.is_reversed]
    tally = Tally(
        len(every.known),
        [(lean.term, most_of(lean.shown, every.groups)) for lean in shown],
        min(known),
        len(every.rows) - len(every.known),
    )
    examples = [
        (lean.term, every.groups[lean.towards])
        for lean in every.examples[:EXAMPLES]
        if lean.towards is not None
    ]
    return _finding_of_tally("targets", tally, "target", *every.groups, examples=examples)


def _of_values(result: AssociationResult) -> Finding:
    """The finding of a measure of two groups with a number and a p for each target."""
    values, span, alpha = result.values or (), result.each, result.rule.alpha  # type: ignore[attr-defined]
    groups = sorted(result.sides[-1], key=lambda group: group != span.larger)
    holm: Sequence[float | None] = result.holm  # type: ignore[attr-defined]
    shown = [
        (abs(target.value - span.neutral), target.term, groups[int(target.value < span.neutral)])
        for target, p in zip(values, holm, strict=True)
        if p is not None and p <= alpha
    ]
    tally = Tally(
        sum(target.p is not None for target in values),
        [(term, group) for _, term, group in shown],
        min((p for p in holm if p is not None), default=None),
    )
    furthest = {group: term for _, term, group in sorted(shown)}
    examples = [(furthest[group], group) for group in groups if group in furthest]
    finding = _finding_of_tally("targets", tally, "target", *groups, examples=examples)
    questions = result.answer(finding.questions["targets"])  # type: ignore[attr-defined]
    sentence = " ".join(question.sentence for question in questions.values())
    return Finding(questions=questions, sentence=sentence)


def most_of(target: TargetShares | AdjustedTarget, groups: Sequence[str]) -> str:
    """The group whose share is above its reference by most."""
    deviation = target.deviation or (0.0,) * len(groups)
    return groups[max(range(len(deviation)), key=deviation.__getitem__)]


def _finding_of_tally(
    name: str, tally: Tally, noun: str, *groups: str, examples: Sequence[tuple[str, str]] = ()
) -> Finding:
    """The finding of a measure that counts single terms, or targets; examples with their group."""
    towards = [(group, sum(to == group for _, to in tally.shown)) for group in groups]
    sentence = f"{phrase('sentences', 'tally', tally, noun, towards, examples)}."
    return Finding(
        questions={name: _of_these(sentence, tally.p, shown=bool(tally.shown))}, sentence=sentence
    )


def _of_these(
    sentence: str, p: float | None, *, shown: bool, effect_size: float | None = None
) -> Question:
    """An answer about these words only."""
    return Question(
        verdict="these words" if shown else "not shown",
        effect_size=effect_size,
        p=QuestionP(these=p),
        reason=ONLY_THESE if shown else "",
        sentence=sentence,
    )


def _of_number(result: AssociationResult) -> Finding:
    """The finding of a measure that has one number, and often no p-value."""
    for effect in levels_of(result):
        p = effect.p_of(tail_of(result, effect))
        if p is not None:
            obstacle = next(iter(result.further_obstacles(effect)), "")
            significant = p <= result.rule.alpha
            shown = significant and not obstacle
            sentence = f"{phrase('sentences', 'tested_number', result, effect, shown)}."
            question = _of_these(sentence, p, shown=shown, effect_size=effect.d)
            if significant and obstacle:
                question = question.model_copy(update={"reason": obstacle})
            return Finding(questions={effect.place: question}, sentence=sentence)
    return Finding(sentence=f"{phrase('sentences', 'number', result)}.")


def tail_of(result: AssociationResult, effect: Effect) -> Tail:
    """The tail of a number: a size that cannot be negative has no sign."""
    return "greater" if at(result, "whole.low") == 0.0 == effect.neutral else "two_sided"


NAMES: dict[Verdict | None, str] = {
    "supported": "supported",
    "these words": "these word lists only",
    "not shown": "not shown",
    None: "no test",
}
"""What readers call a verdict."""


def first_of(finding: Finding) -> str:
    """The sentence of the first question, with what a finding says before it."""
    others = list(finding.questions.values())[1:]
    return finding.sentence.removesuffix(" ".join(["", *(each.sentence for each in others)]))


class AnswersByTests(NamedTuple):
    """What a question answers with any of its three tests."""

    answers: list[Answer]
    """Different ones, without their intervals."""
    at: str
    """The number of the answer for each set of tests, from none to all: 1 stands for these words,
    2 for new words, 4 for the adjusted test."""
    crossed: tuple[float, float] | None
    """The interval without the adjusted test."""


def answers_by_tests(result: AssociationResult, finding: Finding) -> dict[str, AnswersByTests]:
    """What each question of a finding answers with any of its tests."""
    evidence, names = evidence_of(result), names_of(result)
    found: dict[str, AnswersByTests] = {}
    for place, question in finding.questions.items():
        known = evidence[place]
        of_sets = [
            answer_of_tests(
                names, known, question, [name for i, name in enumerate(TESTS) if tests >> i & 1]
            )
            for tests in (0, 1, 3, 5, 7)
        ]
        crossed = of_sets[2].interval
        texts = [answer._replace(interval=None) for answer in of_sets]
        if not found:  # what comes before the first sentence stays
            before = first_of(finding).removesuffix(question.sentence)
            texts = [answer._replace(sentence=before + answer.sentence) for answer in texts]
        answers = list(dict.fromkeys(texts))
        none, these, new, adjusted, whole = map(answers.index, texts)
        # without the permutation test nothing is shown, whatever the other tests say
        at = f"{none}{these}{none}{new}{none}{adjusted}{none}{whole}"
        found[place] = AnswersByTests(answers, at, crossed)
    return found


def p_values(result: AssociationResult, question: Question) -> str:
    """The p-values of a question in a line, each by its name; why one is missing."""
    known = {head: getattr(question.p, name) for name, head in p_heads([result]).items()}
    alpha = result.rule.alpha
    texts = [f"{head} {brief_p(p, alpha)}" for head, p in known.items() if p is not None]
    if texts and any(tail_of(result, effect) == "greater" for effect in levels_of(result)):
        texts[-1] += " (one-sided)"
    if question.p.new is not None and question.p.adjusted is None and result.kind != "groups":
        texts.append(without_adjustment(result))
    return f"p {', '.join(texts)}" if texts else ""


def title(
    results: Sequence[AssociationResult],
    findings: Sequence[Finding],
    settings: Settings,
    pooled: Sequence[PooledGroup] | None = None,
    *,
    examples: int = MOST_SAID,
) -> str:
    """What a page is about: the first sentence of one result; what holds of several.

    Of tests on several sources, what holds over these; `pooled` has them if they are known.
    `examples` of associations that hold are named.
    """
    if pooled is None:
        pooled = pool_groups(results)
    alike = len({test.noun for _, test in pooled}) == 1
    if alike and sum(len(members) for members, _ in pooled) == len(results):
        values = [test for _, test in pooled], little_among(results), len(results)
        return phrase("sentences", "title_pooled", settings.subject, *values) + title_end(results)
    said = dict.fromkeys(map(first_of, findings))
    if len(said) == 1:
        return f"{settings.subject}: {next(iter(said))}".removesuffix(".")
    tested = [
        (result, finding.questions["level1"])
        for result, finding in zip(results, findings, strict=True)
        if "level1" in finding.questions
    ]
    little = little_among(results)
    if len(tested) == len(findings):
        noun = "association" if len({result.test for result in results}) == len(results) else ""
        text = phrase("sentences", "title", tested, noun or "result", little, examples)
        return f"{settings.subject}: {text}{title_end(results)}"
    if len(said) > MOST_SAID:
        verdicts: dict[str, list[Verdict | None]] = {}
        for result, finding in zip(results, findings, strict=True):
            verdicts.setdefault(result.display_name, []).append(finding.verdict)
        text = phrase("sentences", "title_of_kinds", len(findings), verdicts, little)
        return f"{settings.subject}: {text}"
    sentences = [text.removeprefix(RANDOM) for text in said]
    return f"{settings.subject}: {' '.join(sentences)}".removesuffix(".")


def title_end(results: Iterable[AssociationResult]) -> str:
    """What packages say of results at the end of a title; empty where they say nothing."""
    return "".join(comment.title() for comment in commentaries(results))


_SHOWN: dict[str, Callable[..., object]] = {
    "finding_of": finding_of,
    "first_of": first_of,
    "verdict_name": NAMES.__getitem__,
}
FILTERS.update(_SHOWN)
