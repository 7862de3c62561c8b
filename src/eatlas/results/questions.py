"""What a result may claim: three questions of a test, and one rule for what each answer says.

A test of X, Y, A and B asks three questions, always in this order: does X differ from Y (level 1)?
Is X, alone, nearer to A or to B? Is Y (level 2)? For each there are up to three two-sided p-values:

============ =======================================================================
these        permutation of the labels of these words, near-synonyms as one unit
new          crossed test: would other words of the same kinds show it?
adjusted     the crossed test at equal word frequency, and at equal values of other covariates
============ =======================================================================

A question is *supported* if all of them are significant, with the sign of the effect size: an
intersection-union test (Berger 1982, Multiparameter hypothesis testing and acceptance sampling,
Technometrics 24), whose p-value is the largest of the three and needs no further correction. Over
the tests that are shown together p-values are adjusted by Holm's procedure, each question by
itself. What cannot be computed never makes a claim stronger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

from eatlas.errors import join_names
from eatlas.numbers import count, is_plural
from eatlas.results.finding import PLACES, Question, QuestionP, Verdict
from eatlas.results.parts import at
from eatlas.results.settings import test_and_setting
from eatlas.stats.multiplicity import holm_adjusted

if TYPE_CHECKING:
    from eatlas.results.base import AssociationResult
    from eatlas.results.effects import Effect
    from eatlas.results.levels import AdjustedLevel, CrossedLevel, Level, Units

TESTS = ("these", "new", "adjusted")
"""The p-values of a question, each by its name in a record."""
LEAST_UNITS = 4
"""Fewest units of a group that allow a claim about new words."""
NOT_SIGNIFICANT = "not significant"
"""How a reason begins that a test or a correction gives."""


class Scope(NamedTuple):
    """What a claim generalises over, in words."""

    facets: tuple[str, ...] = ("words",)
    others: str = "other words"
    these: str = "these word lists"
    end: str = ""
    """Its words in the sentence of a supported claim; empty for a claim about words only."""
    among: str = ""
    """Among what nothing is shown."""

    @classmethod
    def of_words_and(cls, others: Sequence[str]) -> Scope:
        """Words, and what else varies in a result."""
        facets = "words", *others
        return cls(facets, f"other {join_names(facets)}")


WORDS = Scope()
"""Claims about other words."""


class SignedP(NamedTuple):
    """A two-sided p-value, and whether what it is about has the sign of the effect size."""

    p: float | None
    agrees: bool = True

    @classmethod
    def of(cls, p: float | None, number: float | None, d: float | None) -> SignedP:
        """The p-value of a number beside an effect size."""
        return cls(p, p is None or (number or 0.0) * (d or 0.0) > 0)

    @property
    def p_of_claim(self) -> float | None:
        """The p-value of a claim with this sign."""
        return self.p if self.agrees else 1.0

    def fails(self, alpha: float) -> bool:
        """Whether it is known and contradicts a claim."""
        return self.p is not None and not (self.agrees and self.p <= alpha)


class Claims(NamedTuple):
    """The p-values of one question."""

    these: SignedP
    new: SignedP
    adjusted: SignedP

    @classmethod
    def of(
        cls,
        place: str,
        d: float | None,
        p: float | None,
        units: Units | None,
        crossed: CrossedLevel | None,
        adjusted: AdjustedLevel | None,
    ) -> Claims:
        """The p-values beside an effect size, whose own two-sided one is `p`."""
        estimate = at(adjusted, "estimate")
        if estimate is None:  # no crossed test at equal covariates
            estimate = at(adjusted, "effect_size")
        return cls(
            SignedP(p) if units is None else _permutation_p(at(units, place), d),
            SignedP.of(at(crossed, "p_two_sided"), at(crossed, "difference"), d),
            SignedP.of(at(adjusted, "p.two_sided"), estimate, d),
        )

    def significant(self, alpha: float) -> list[str]:
        """The names of those that are claimed at a level of significance."""
        claims = self._asdict().items()
        return [
            name
            for name, test in claims
            if test.p_of_claim is not None and test.p_of_claim <= alpha
        ]


def _permutation_p(level: Level | None, d: float | None) -> SignedP:
    """The permutation test of units."""
    if level is None or level.effect_size is None:
        return SignedP(None)
    return SignedP.of(level.p.two_sided, level.effect_size, d)


@dataclass(frozen=True)
class Evidence:
    """The p-values of one question, and what stands against a claim beyond these words."""

    effect: Effect
    these: SignedP
    new: SignedP
    adjusted: SignedP
    obstacle: str = ""
    """Why nothing can be claimed beyond these words, whatever the p-values are."""
    covariates: str = "word frequency"
    """For what `adjusted` is adjusted."""
    interval: tuple[float, float] | None = None
    """In units of the effect size."""
    scope: Scope = WORDS
    untested: str = "cannot be tested (too few words)"
    """Why nothing is shown if there is no permutation test."""

    @classmethod
    def of(cls, result: AssociationResult, effect: Effect) -> Evidence:
        """The evidence that a result has on one effect size."""
        few = has_few_units(result, effect)
        crossed, adjusted = (None, None) if few else (effect.crossed, effect.adjusted)
        p = effect.p_of("two_sided")
        claims = Claims.of(effect.place, effect.d, p, result.units, crossed, adjusted)
        obstacles = _obstacles(result, effect, claims.new.p, claims.adjusted.p)
        names = result.adjusted.covariates if result.adjusted else ("frequency",)
        return cls(
            effect,
            *claims,
            next(obstacles, ""),
            join_names(["word frequency" if name == "frequency" else name for name in names]),
            None if few else effect.interval,
            Scope.of_words_and(at(result, "generalisation.facets") or ()),
        )

    def of_tests(self, made: Collection[str]) -> Evidence:
        """The evidence if only some of the tests had been made."""
        missing = [name for name in TESTS if name not in made and getattr(self, name).p is not None]
        if not missing:
            return self
        changes: dict[str, Any] = {name: SignedP(None) for name in missing}
        if "these" in missing:
            changes["untested"] = "these word lists were not tested"
        if "adjusted" in missing:
            verb = "were" if " and " in self.covariates else "was"
            changes["obstacle"] = f"{self.covariates} {verb} not adjusted for"
            changes["interval"] = self.effect.interval_for_new_words if self.interval else None
        if "new" in missing:
            changes["obstacle"] = "generalisation was not tested"
            if "adjusted" in missing or self.adjusted.p is None:
                changes["interval"] = None
        return replace(self, **changes)

    @property
    def claim(self) -> float | None:
        """The p-value of a claim beyond these words; None where none can be made."""
        if self.obstacle or self.these.p is None:
            return None
        tests = (self.these, self.new, self.adjusted)
        return max(test.p_of_claim for test in tests if test.p_of_claim is not None)

    def failure(self, alpha: float) -> str:
        """The first reason why there is no claim beyond these words; empty if there is none."""
        if self.adjusted.fails(alpha):
            turned = (self.adjusted.p or 0.0) <= alpha
            opposite = "of the opposite sign" if turned else NOT_SIGNIFICANT
            return f"{opposite} after adjusting for {self.covariates}"
        if self.new.fails(alpha):
            return f"not shown to generalise to {self.scope.others}"
        return self.obstacle

    def contrast(self, alpha: float) -> str:
        """Why nothing is shown if the interval excludes 0; empty if it contains 0."""
        if self.interval is None or self.interval[0] * self.interval[1] <= 0:
            return ""
        if self.these.p is None or self.these.p <= alpha:
            return ""
        return f"{NOT_SIGNIFICANT} in the permutation test of {self.scope.these}"


def answer_together(
    evidence: Sequence[tuple[Mapping[str, str], Evidence]],
) -> list[Question]:
    """The answers to one question about tests that are shown together, each with its names.

    P-values are adjusted over the tests.
    """
    these = holm_adjusted([found.these.p_of_claim for _, found in evidence])
    claims = holm_adjusted([found.claim for _, found in evidence])
    return [
        answer(names, found, p_these, p_claim, len(evidence))
        for (names, found), p_these, p_claim in zip(evidence, these, claims, strict=True)
    ]


def units_of(result: AssociationResult, role: str) -> int:
    """How many words of a group count, near-synonyms as one."""
    return result.units.sizes[role] if result.units else len(result.scored(role))


def has_few_units(result: AssociationResult, effect: Effect) -> bool:
    """Whether a group has too few units for a claim about new words."""
    roles = "XYAB" if effect.place == "level1" else f"{effect.place[-1]}AB"
    return min(units_of(result, role) for role in roles) < LEAST_UNITS


def _obstacles(
    result: AssociationResult, effect: Effect, new: float | None, adjusted: float | None
) -> Iterator[str]:
    """Why a result can claim nothing beyond its words, the first reason first."""
    if has_few_units(result, effect):
        yield "generalisation cannot be tested (too few words)"
    elif new is None:
        yield "generalisation was not tested"
    if adjusted is None and result.adjustment_is_off:
        yield "word frequency was not adjusted for"
    elif adjusted is None and result.adjustable:
        yield "word frequency cannot be adjusted for"
    yield from own_obstacles(result, effect)


def own_obstacles(result: AssociationResult, effect: Effect) -> Iterator[str]:
    """Obstacles that only some measures or sources have, such as refusals or few documents."""
    yield from filter(None, (part.obstacle(effect.place) for part in effect.parts))
    yield from result.further_obstacles(effect)


def evidence_of(result: AssociationResult) -> dict[str, Evidence]:
    """The evidence on each question of a test of X, Y, A and B."""
    return {
        effect.place: Evidence.of(result, effect)
        for effect in result.effects()
        if effect.place in PLACES and effect.term is None
    }


def questions_of(results: Iterable[AssociationResult]) -> list[dict[str, Question]]:
    """The answers of each of some results that are shown together.

    P-values are adjusted over the tests of each setting (source, layer, period, measure), as those
    of :meth:`Results.family`; each question by itself.
    """
    evidence = [(result, evidence_of(result)) for result in results]
    groups: dict[tuple[str, tuple[object, ...]], list[tuple[int, Evidence]]] = {}
    times: Counter[tuple[object, ...]] = Counter()
    for i, (result, of_places) in enumerate(evidence):
        test, *setting = test_and_setting(result)
        key = test, *setting, result.provenance.stimuli_sha256
        times[key] += 1
        for place, found in of_places.items():
            groups.setdefault((place, (times[key], *setting)), []).append((i, found))
    answers: list[dict[str, Question]] = [{} for _ in evidence]
    for (place, _), group in groups.items():
        of_group = [(evidence[i][0].concepts, found) for i, found in group]
        for (i, _), question in zip(group, answer_together(of_group), strict=True):
            answers[i][place] = question
    return [{place: found[place] for place in PLACES if place in found} for found in answers]


def answer(
    names: Mapping[str, str],
    evidence: Evidence,
    these: float | None,
    claim: float | None,
    tests: int,
) -> Question:
    """The verdict on one question, and its sentence.

    `these` and `claim` are adjusted over so many tests that are shown together.
    """
    effect, alpha = evidence.effect, evidence.effect.rule.alpha
    corrected = f"{NOT_SIGNIFICANT} after correction for {count(tests)} tests"
    verdict: Verdict = "not shown"
    reason = ""
    if these is None:
        reason = evidence.untested
    elif these > alpha:
        reason = evidence.contrast(alpha) if evidence.these.fails(alpha) else corrected
    elif these <= alpha and claim is not None and claim <= alpha:
        verdict = "supported"
    elif these <= alpha:
        verdict, reason = "these words", evidence.failure(alpha) or corrected
    facets = *evidence.scope.facets, *(part.facet for part in effect.parts if part.facet)
    p_values = (evidence.these.p, evidence.new.p, evidence.adjusted.p, claim)
    return Question(
        verdict=verdict,
        effect_size=effect.d,
        interval=evidence.interval,
        p=QuestionP(**dict(zip(QuestionP.model_fields, p_values, strict=True))),
        reason=reason,
        facets=facets if verdict == "supported" else (),
        sentence=sentence_of(names, effect, verdict, reason, evidence.scope),
    )


class Answer(NamedTuple):
    """What some of the tests of a question support."""

    verdict: Verdict
    reason: str
    sentence: str
    interval: tuple[float, float] | None


def answer_of_tests(
    names: Mapping[str, str], evidence: Evidence, question: Question, made: Collection[str]
) -> Answer:
    """The answer to a question if only some of its tests had been made.

    It is what :func:`answer_together` gives if this result alone lacks the other tests: without a
    test that is known nothing is claimed beyond these words, and their test is the same.
    """
    found = evidence.of_tests(made)
    if found is evidence:
        return Answer(question.verdict, question.reason, question.sentence, question.interval)
    verdict, reason = question.verdict, question.reason
    if found.these.p is None:
        verdict, reason = "not shown", found.untested
    elif verdict != "not shown":
        verdict, reason = "these words", found.failure(evidence.effect.rule.alpha)
    elif found.these.fails(evidence.effect.rule.alpha):
        reason = found.contrast(evidence.effect.rule.alpha)
    sentence = sentence_of(names, evidence.effect, verdict, reason, evidence.scope)
    if found.these.p is None:
        sentence = f"{sentence.removesuffix('.')}; {reason}."
    return Answer(verdict, reason, sentence, found.interval)


def further_reason(question: Question) -> str:
    """The reason of an answer if its sentence does not give it."""
    said = question.reason.removeprefix(NOT_SIGNIFICANT) in question.sentence
    return "" if said else question.reason


def sentence_of(
    names: Mapping[str, str],
    effect: Effect,
    verdict: Verdict,
    reason: str,
    scope: Scope = WORDS,
) -> str:
    """The sentence of a question: one table of verdicts by levels."""
    target = "X" if effect.place == "level1" else effect.place[-1]
    are, are_y = ("are" if is_plural(names[role]) else "is" for role in (target, "Y"))
    names = {role: f"“{name}”" if ", " in name else name for role, name in names.items()}
    x, y = names[target], names["Y"]
    a, b = (names["A"], names["B"]) if (effect.d or 0.0) > 0 else (names["B"], names["A"])
    if effect.place == "level1":
        shown = f"{x} {are} more strongly associated with {a} than {y} {are_y}"
        what, missing = "difference", f"difference between {x} and {y} in their association"
    else:
        shown = f"{x} {are} associated with {a} rather than {b}"
        what, missing = "association", f"association of {x}"
    if verdict == "supported":
        return f"{shown}{scope.end}."
    if verdict == "these words":
        return f"In {scope.these}, {shown}; {_in_words(what, reason)}."
    why = reason.removeprefix(NOT_SIGNIFICANT) if reason.startswith(NOT_SIGNIFICANT) else ""
    return f"No significant {missing} with {names['A']} or {names['B']} is shown{scope.among}{why}."


def _in_words(what: str, reason: str) -> str:
    """A reason as the end of a sentence on a difference, or an association."""
    return f"the {what} is {reason}" if reason.startswith(("not ", "of ")) else reason
