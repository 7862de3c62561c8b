"""What a result shows, graded by named checks: the one record that every headline prints.

A finding makes claims: that X, or Y, alone is associated with an attribute, or that X is more than
Y; of single terms and of targets, how many are. Each claim is checked in up to five ways, and the
verb of the sentence follows the checks:

========== ============= ==============================================================
grade      verb          checks
========== ============= ==============================================================
shown      go with       every check that was made holds, and one of other words, after
                         frequency and chance was made
partly     lean towards  one check besides these words fails, or none of the three was made
doubtful   may go with   two or more fail, these words hold by a one-sided rule alone, or a model
                         asked in words chose nothing in more than a fifth of its answers
not shown  not shown     these words do not hold
no test    (a number)    the measure has no p-value
========== ============= ==============================================================
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, NamedTuple

from eatlas.errors import joined
from eatlas.numbers import all_of, interval, number_of, p_equals, percent, plural
from eatlas.numbers import effect as number
from eatlas.present.effects import (
    answers_of,
    documents_in_words,
    held_equal,
    levels_of,
    of_random_weights,
    only_terms,
    resampled_units,
    short_name,
    unit_of,
)
from eatlas.present.family import DeclaredFamily
from eatlas.present.rendering import FILTERS, phrase
from eatlas.present.targets import leans
from eatlas.results import AssociationResult
from eatlas.results.confirming import Confirmation
from eatlas.results.effects import Effect
from eatlas.results.parts import LEAST_MASS, MANY_REFUSED, at
from eatlas.results.settings import Settings
from eatlas.stimuli import TARGETS

if TYPE_CHECKING:
    from eatlas.results.levels import AdjustedTarget
    from eatlas.results.targets import TargetShares

Grade = Literal["shown", "partly", "doubtful", "not shown", "no test"]
GRADES: tuple[Grade, ...] = ("shown", "partly", "doubtful", "not shown", "no test")
"""From the strongest to the weakest."""
WORDS, OTHER, AFTER, CHANCE, TESTS = CHECKS = (
    "these words", "other words", "after frequency", "chance", "number of tests",
)  # fmt: skip
"""Of these words, in either direction; of words like them; at equal frequency, or equal covariates
that were stated; beside random topics; counting all tests."""
DOCUMENTS = "other documents"
"""Of documents like those of a part of a corpus."""
PAIRS, REFUSALS, TEMPLATES = OF_ANSWERS = ("other pairs and answers", "refusals", "templates")
"""Of other comparisons of the same words, and other answers; had all answers without a choice gone
the other way; in each template."""
OF_TEMPLATE = {"level1": "effect_size", "level2.X": "level2.X", "level2.Y": "level2.Y"}
"""Where the effect sizes of a template are, by their place in a result."""
NOTHING = "there is nothing to check"
RANDOM = "Random weights: "
"""Begins the sentence of a model that was not trained, as a control."""
CONFIRMED = (
    "Confirmed: level 2 of X, given frequency where it is known, on the side that was found and "
    "with a two-sided p below alpha, by Holm over these themes. Vectors of the same text confirm "
    "little: they share its chance."
)
"""What is said once of themes that were found before."""
MAY_BE_LOST = 0.05
"""Share of the terms, or targets, of a finding that need not be left after covariates."""


class Check(NamedTuple):
    """Whether a claim holds in one way."""

    name: str
    holds: bool | None
    """None where the check was not made."""
    why: str
    """The p-value behind it, or why it was not made."""
    decides: bool = False
    """Whether its failure alone makes a claim doubtful."""


@dataclass(frozen=True)
class Claim:
    """One statement of a finding."""

    effect: Effect
    """X or Y alone, or X against Y."""
    towards: Literal["A", "B"]
    checks: tuple[Check, ...]

    @property
    def grade(self) -> Grade:
        """What the checks allow to say."""
        return graded(self.checks)


@dataclass(frozen=True)
class Finding:
    """What a result shows, in one sentence, and how far it may be trusted.

    Examples
    --------
    >>> import eatlas
    >>> finding = eatlas.run(tests="weat-6")[0].finding
    >>> finding.grade, [check.name for check in finding.checks if check.holds]
    ('shown', ['these words', 'other words', 'after frequency', 'chance'])
    """

    sentence: str
    """One short sentence without a stop."""
    grade: Grade
    checks: tuple[Check, ...]
    """These words, other words, after frequency, chance, number of tests; of a part of a corpus
    other documents in the third place."""
    claims: tuple[Claim, ...] = ()
    """Of X and Y; empty for single terms, for targets, and where nothing is shown."""
    hangs_on: tuple[str, ...] = ()
    """Terms, or stimuli, without which the conclusion is different."""
    confirmation: Confirmation | None = None
    """What it says of a theme that was found before; None of other tests."""

    def __str__(self) -> str:
        """The sentence."""
        return self.sentence

    @property
    def in_words(self) -> str:
        """The grade as a reader of a page sees it."""
        if self.grade == "partly":
            return "one check fails" if self.fails else "only these words checked"
        if self.fails_alone and self.grade == "shown":
            return "every check of both compared holds"
        return {"shown": "every check holds", "no test": "no p-value"}.get(self.grade, self.grade)

    @property
    def untested(self) -> bool:
        """Whether there is no p-value to grade it by."""
        return self.grade == "no test"

    @property
    def fails(self) -> tuple[Check, ...]:
        """The checks besides these words that do not hold."""
        return tuple(check for check in self.checks[1:] if check.holds is False)

    @property
    def fails_alone(self) -> tuple[tuple[Claim, Check], ...]:
        """The checks of X and Y alone that do not hold, where the comparison of both leads."""
        alone = self.claims[1:] if self.claims and self.claims[0].effect.place == "level1" else ()
        return tuple((c, check) for c in alone for check in c.checks if check.holds is False)


def checks_of(*results: AssociationResult) -> tuple[str, ...]:
    """Names of the checks of some results in their order."""
    parts = any(result.documents is not None for result in results)
    asked = any(result.unanswered is not None for result in results)
    return (*CHECKS[:2], *[DOCUMENTS] * parts, *OF_ANSWERS * asked, *CHECKS[2:])


def graded(checks: Sequence[Check]) -> Grade:
    """The grade that checks allow; the first one is that of these words."""
    words = checks[0].holds
    if words is None:
        return "no test"
    made = [c for c in checks if c.name in {OTHER, AFTER, CHANCE} and c.holds is not None]
    failed = [check for check in checks[1:] if check.holds is False]
    if not words or len(failed) > 1 or any(check.decides for check in failed):
        return "doubtful"
    return "partly" if failed or not made else "shown"


def finding_of(result: AssociationResult, family: DeclaredFamily | None = None) -> Finding:
    """What a result shows, graded; a `family` is of all results that are shown together."""
    if result.by_target is not None:
        finding = _of_targets(result)
    elif result.kind == "groups" and any(target.p is not None for target in result.values or ()):
        finding = _of_values(result)
    elif result.values is not None:
        finding = _of_number(result)
    elif only_terms(result.effects()):
        finding = _of_terms(result)
    elif any(effect.place == "level1" for effect in result.effects()):
        finding = _of_groups(result, family)
    elif result.unanswered is not None:
        finding = _of_lists(result, family)
    else:
        finding = _of_number(result)
    if result.shows_little:
        finding = replace(finding, sentence=phrase("sentences", "little", result, str(finding)))
    if said := (family or DeclaredFamily(None)).confirmation(result):
        sentence = phrase("sentences", "confirmation", said, result, str(finding))
        finding = replace(finding, sentence=sentence, confirmation=said)
    return (
        replace(finding, sentence=RANDOM + str(finding)) if of_random_weights(result) else finding
    )


def findings_of(
    results: Iterable[AssociationResult], family: DeclaredFamily | None = None
) -> list[Finding]:
    """What each of some results shows, where all of them are counted as tests."""
    every = list(results)
    declared = DeclaredFamily.of(every) if family is None else family
    return [finding_of(result, declared) for result in every]


def _of_groups(result: AssociationResult, family: DeclaredFamily | None) -> Finding:
    """The finding of a measure that compares X with Y: what each does alone, or both together.

    The comparison leads where the checks allow more of it than of X and Y alone.
    """
    effects = {effect.place: effect for effect in result.effects()}
    level1, alone, against = effects["level1"], [], []
    alpha = level1.rule.alpha
    for role in TARGETS if result.pattern is not None else ():
        if towards := result.primary.attribute(role):
            effect = effects[f"level2.{role}"]
            alone.append(Claim(effect, towards, _checks(result, effect, family)))
    if level1.significant or (level1.p_of("two_sided") or 1.0) < alpha:
        towards = "A" if level1.direction == "greater" else "B"
        against.append(Claim(level1, towards, _checks(result, level1, family)))
    ahead = against and (not alone or _grade_of(against) < _grade_of(alone))
    claims, also = (against, alone) if ahead else (alone, [])
    sentence = phrase("sentences", "claims", result, claims, also)
    if not claims:
        read = [e.p_of("two_sided") for e in effects.values() if e.place.startswith("level")]
        known = [p for p in read if p is not None]
        why = f"two-sided {p_equals(min(known), alpha)} at least" if known else "undefined"
        return _not_shown(result, sentence, why)
    checks = tuple(_of_claims(claims, place) for place in range(len(claims[0].checks)))
    hangs_on = _decisive(result, None if claims[0].effect.place != "level1" else level1)
    return Finding(sentence, graded(checks), checks, (*claims, *also), hangs_on)


def _of_lists(result: AssociationResult, family: DeclaredFamily | None) -> Finding:
    """The finding of lists of words that a model assigned: whether X is given A more than Y is."""
    effect = levels_of(result)[0]
    p, alpha = effect.p_of("two_sided"), effect.rule.alpha
    claims = []
    if effect.significant or (p is not None and p < alpha):
        towards: Literal["A", "B"] = "A" if effect.direction == "greater" else "B"
        claims = [Claim(effect, towards, _checks(result, effect, family))]
    sentence = phrase("sentences", "lists", result, claims)
    if claims:
        return Finding(sentence, claims[0].grade, claims[0].checks, tuple(claims))
    why = "undefined" if p is None else f"two-sided {p_equals(p, alpha)}"
    return _not_shown(result, sentence, why)


def _not_shown(result: AssociationResult, sentence: str, why: str) -> Finding:
    """The finding of a result in which nothing is shown, so that no other check is made."""
    others = (Check(name, None, NOTHING) for name in checks_of(result)[1:])
    return Finding(sentence, "not shown", (Check(WORDS, holds=False, why=why), *others))


def _decisive(result: AssociationResult, level1: Effect | None) -> tuple[str, ...]:
    """Terms without which level 1, where the finding is read from it, or the pattern differs."""
    influence = result.primary.influence
    terms = (influence and influence.decisive) or ()
    own = result.primary.label if level1 is None else level1.conclusion
    return tuple(
        short_name(each.term)
        for each in terms
        if own != (each.pattern if level1 is None else each.level1)
    )


def _grade_of(claims: Sequence[Claim]) -> int:
    """The place of the weakest grade of some claims."""
    return max(GRADES.index(claim.grade) for claim in claims)


def _of_claims(claims: Sequence[Claim], place: int) -> Check:
    """A check of all claims: one that fails before one that was not made, before one that holds.

    It says whose it is, and both numbers where both are alike.
    """
    checks = [claim.checks[place] for claim in claims]
    weakest = min(checks, key=lambda check: (False, None, True).index(check.holds))
    if len({check.why for check in checks}) == 1:
        return weakest
    reasons = [
        f"{short_name(claim.effect.names[0])}: {check.why}"
        for claim, check in zip(claims, checks, strict=True)
        if check.holds is weakest.holds
    ]
    return weakest._replace(why="; ".join(reasons))


def _checks(
    result: AssociationResult, effect: Effect, family: DeclaredFamily | None
) -> tuple[Check, ...]:
    """The checks of one effect size, each two-sided."""
    alpha, known, after = effect.rule.alpha, result.frequency, effect.after
    held = held_equal(result.adjusted.covariates) if result.adjusted else ""
    left = after.p_of("two_sided") if after is not None else None
    adjusted, of = (family and family.of_tests(result, effect)) or (None, 0)
    method = family.method if family else ""
    p_values = (
        (WORDS, "two-sided", effect.p_of("two_sided")),
        (OTHER, "crossed test, two-sided", at(effect.crossed, "p_two_sided")),
        (AFTER, f"given {held}, two-sided", left),
        (CHANCE, "among random topics, two-sided", at(effect.matched, "p_two_sided")),
        (TESTS, f"{method} over {all_of(of)} p-values, two-sided", adjusted),
    )
    reasons = {
        OTHER: (result.generalisation and result.generalisation.reason) or "no crossed test",
        AFTER: "no value of a covariate is known, or too few words are left",
        CHANCE: (known.reason if known else result.frequency_reason) or "no topics were drawn",
        TESTS: "one test alone",
    }
    checks = [
        Check(name, None, reasons.get(name, "no p-value"))
        if p is None
        else Check(name, p < alpha, f"{how} {p_equals(p, alpha)}")
        for name, how, p in p_values
    ]
    if left is not None and after is not None and after.direction != effect.direction:
        checks[CHECKS.index(AFTER)] = Check(
            AFTER, holds=False, why=f"given {held}, d has the other sign"
        )
    if result.documents is not None:
        checks.insert(checks_of(result).index(DOCUMENTS), _over_documents(result, effect))
    if result.unanswered is not None:
        first = checks_of(result).index(PAIRS)
        checks[first:first] = _over_answers(result, effect)
    return tuple(checks)


def _over_answers(result: AssociationResult, effect: Effect) -> tuple[Check, ...]:
    """Whether other comparisons, other fates of refusals, and each template say the same."""
    answers, above = answers_of(result), effect.direction == "greater"
    pairs = Check(PAIRS, None, "too few of them for an interval")
    ends = at(answers, f"{effect.place}.d.interval") if answers else at(result, "score_interval")
    if ends:
        what = "d over them" if answers else "D over lists"
        pairs = Check(PAIRS, _beyond(ends, above), f"95% interval of {what} {interval(ends)}")
    templates = Check(TEMPLATES, None, "one template alone")
    sizes = [at(each, OF_TEMPLATE[effect.place]) for each in (answers.templates if answers else ())]
    if len(sizes) > 1:
        known = [d for d in sizes if d is not None]
        why = f"d by template {joined([number(d) for d in sizes])}"
        templates = Check(TEMPLATES, all((d > 0) is above for d in known) if known else None, why)
    return pairs, _had_they_gone(result, effect), templates


def _had_they_gone(result: AssociationResult, effect: Effect) -> Check:
    """Whether a finding is left had uneven refusals gone against it, and few did not choose."""
    answers, little, alpha = answers_of(result), result.shows_little, effect.rule.alpha
    why = phrase("sentences", "unanswered", result)
    improbable = answers is not None and answers.improbable
    if little:
        why += f", more than {percent(1 - LEAST_MASS if improbable else MANY_REFUSED)}"
    if answers is None:
        return Check(REFUSALS, not little, why, decides=little)
    if answers.mass is not None and not little and not answers.refused:
        rest = f"{percent(1 - answers.mass)} of the probability goes to other answers"
        return Check(REFUSALS, None, f"log-probabilities do not show them; {rest}")
    d, p = at(answers, effect.place).against(effect.direction)
    if answers.refused and d is not None and not improbable:
        why += (
            f"; had all that some kinds of questions have beyond {percent(answers.alike)} "
            f"gone against it, d {number(d)}, two-sided {p_equals(p, alpha)}"
        )
    left = d is not None and (d > 0) is (effect.direction == "greater") and p < alpha
    return Check(REFUSALS, left and not little, why, decides=little)


def _beyond(ends: tuple[float, float], above: bool) -> bool:  # noqa: FBT001
    """Whether an interval is on one side of 0."""
    return ends[0] > 0 if above else ends[1] < 0


def _over_documents(result: AssociationResult, effect: Effect) -> Check:
    """Whether the interval of an effect size over documents is on its side of 0."""
    ends = effect.documents and effect.documents.interval
    if not ends or not result.documents:
        return Check(DOCUMENTS, None, f"too few {resampled_units([result])} for an interval")
    holds = _beyond(ends, effect.direction == "greater")
    of = documents_in_words(result.documents)
    return Check(DOCUMENTS, holds, f"95% interval of d over {of} {interval(ends)}")


class Tally(NamedTuple):
    """Single terms, or targets, that differ beyond chance, counting all of them."""

    all: int
    shown: list[tuple[str, str]]
    """Name of each, and the group that it leans to."""
    raw: int
    """How many differ, each taken by itself."""
    left: int | None
    """How many of those shown are left after covariates; None where that is not known."""
    lost: int = 0
    """How many have no number that is defined; they are not among all."""

    def checks(self, noun: str, covariates: Sequence[str]) -> tuple[Check, ...]:
        """These are no claims about other words, and no random topics stand for one term."""
        of = number_of(self.all, noun)
        many = len(self.shown)
        after = Check(AFTER, None, NOTHING if not many else "no covariates are known")
        if self.left is not None and many:
            why = f"given {held_equal(covariates)}, {self.left} of {many} are left"
            after = Check(AFTER, self.left >= (1 - MAY_BE_LOST) * many, why)
        counted = Check(TESTS, None, NOTHING)
        if self.raw:
            why = f"{self.raw} of {of} without Holm's adjustment, {many or 'none'} with it"
            counted = Check(TESTS, many > 0, why)
        return (
            Check(WORDS, many > 0, f"{many} of {of}, Holm's p over all of them"),
            Check(OTHER, None, f"no crossed test of single {plural(noun)}"),
            after,
            Check(CHANCE, None, f"no topics stand for single {plural(noun)}"),
            counted,
        )


def _of_terms(result: AssociationResult) -> Finding:
    """The finding of a measure of single terms."""
    effects = [effect for effect in result.effects() if effect.p_of("two_sided") is not None]
    alpha = result.rule.alpha
    family = DeclaredFamily.of([result], "level2")
    shown = [e for e in effects if (family.adjusted(result, e) or 0.0) < alpha]
    left = None
    if result.adjusted is not None and result.adjusted.terms:
        left = sum(
            e.after is not None
            and e.after.direction == e.direction
            and (p := e.after.p_of("two_sided")) is not None
            and p < alpha
            for e in shown
        )
    names = result.concepts
    tally = Tally(
        len(result.effects()),
        [(e.name, names["A" if e.direction == "greater" else "B"]) for e in shown],
        sum((e.p_of("two_sided") or 0.0) < alpha for e in effects),
        left,
    )
    return _tallied(result, tally, unit_of(result, TARGETS), names["A"], names["B"])


def _of_targets(result: AssociationResult) -> Finding:
    """The finding of a measure of targets against k groups: those that differ beyond chance."""
    every = leans(result)
    tested = any(lean.adjusted is not None for lean in every.known)
    shown = [lean for lean in every.known if lean.star and not lean.turned]
    left = None
    if result.adjusted is not None and result.adjusted.targets and tested:
        left = sum(
            lean.after is not None
            and lean.after.p is not None
            and lean.after.p < result.rule.alpha
            and _most(lean.after, every.groups) == _most(lean.shown, every.groups)
            for lean in shown
        )
    tally = Tally(
        len(every.known),
        [(lean.term, _most(lean.shown, every.groups)) for lean in shown],
        sum(bool(t.shown.labels and t.shown.labels.p < result.rule.alpha) for t in every.known),
        left,
        len(every.rows) - len(every.known),
    )
    if not tested:
        sentence = phrase("sentences", "untested_targets", every)
        checks = tuple(Check(name, None, "no permutation test was made") for name in CHECKS)
        return Finding(sentence, "no test", checks)
    examples = [
        (lean.term, every.groups[lean.towards])
        for lean in every.examples[:EXAMPLES]
        if lean.towards is not None
    ]
    return _tallied(result, tally, "target", *every.groups, examples=examples)


EXAMPLES = 3
"""Targets that a finding names."""


def _of_values(result: AssociationResult) -> Finding:
    """The finding of a measure of two groups with a number and a p for each target."""
    values, span, alpha = result.values or (), result.each, result.rule.alpha  # type: ignore[attr-defined]
    groups = sorted(result.sides[-1], key=lambda group: group != span.larger)
    shown = [
        (abs(target.value - span.neutral), target.term, groups[int(target.value < span.neutral)])
        for target, p in zip(values, result.holm, strict=True)  # type: ignore[attr-defined]
        if p is not None and p < alpha
    ]
    tally = Tally(
        sum(target.p is not None for target in values),
        [(term, group) for _, term, group in shown],
        sum(target.p is not None and target.p < alpha for target in values),
        None,
    )
    furthest = {group: term for _, term, group in sorted(shown)}
    examples = [(furthest[group], group) for group in groups if group in furthest]
    return _tallied(result, tally, "target", *groups, examples=examples)


def _most(target: TargetShares | AdjustedTarget, groups: Sequence[str]) -> str:
    """The group whose share is above its reference by most."""
    deviation = target.deviation or (0.0,) * len(groups)
    return groups[max(range(len(deviation)), key=deviation.__getitem__)]


def _tallied(
    result: AssociationResult,
    tally: Tally,
    noun: str,
    *groups: str,
    examples: Sequence[tuple[str, str]] = (),
) -> Finding:
    """The finding of a measure that counts single terms, or targets; examples with their group."""
    covariates = result.adjusted.covariates if result.adjusted else ()
    checks = tally.checks(noun, covariates)
    grade = graded(checks) if tally.shown else "not shown"
    towards = [(group, sum(to == group for _, to in tally.shown)) for group in groups]
    sentence = phrase("sentences", "tally", tally, noun, grade, towards, examples)
    return Finding(sentence, grade, checks)


def _of_number(result: AssociationResult) -> Finding:
    """The finding of a measure that has one number, and often no p-value."""
    tested = [e for e in levels_of(result) if e.p_of("two_sided") is not None]
    if not tested:
        sentence = phrase("sentences", "number", result)
        return Finding(sentence, "no test", tuple(Check(c, None, "no p-value") for c in CHECKS))
    effect, alpha = tested[0], result.rule.alpha
    p = effect.p_of("two_sided") or 0.0
    checks = (
        Check(WORDS, p < alpha, f"two-sided {p_equals(p, alpha)}"),
        *(Check(name, None, "the measure has none") for name in CHECKS[1:]),
    )
    grade = graded(checks) if p < alpha else "not shown"
    return Finding(phrase("sentences", "tested_number", result, effect, grade), grade, checks)


def title(
    results: Sequence[AssociationResult], findings: Sequence[Finding], settings: Settings
) -> str:
    """What a page is about: the one finding; those of one test; or how many of each grade."""
    tests, sources = {r.test for r in results}, {(r.source, r.period) for r in results}
    if len(findings) > 1 and (len(tests) > 1 or len(sources) > 1):
        graded = [
            f for f in findings if not (f.confirmation and f.confirmation.verdict == "same vectors")
        ]
        if not graded:
            return f"{settings.subject}: {of_themes(findings).removeprefix('; ')}"
        facts = settings.subject, len(tests), in_grades(graded), little_among(results)
        return phrase("sentences", "title", *facts) + of_themes(findings)
    untested = [r.display_name for r, f in zip(results, findings, strict=True) if f.untested]
    said = dict.fromkeys(str(finding) for finding in findings if not finding.untested)
    if len(untested) == 1 == len(findings) or not said:
        said = dict.fromkeys(map(str, findings))
    elif untested:
        said[f"{joined(untested)} {'has' if len(untested) == 1 else 'have'} no test"] = None
    about = settings.subject
    named = "random weights" in about
    return f"{about}: {'. '.join(text.removeprefix(RANDOM) if named else text for text in said)}"


def little_among(results: Iterable[AssociationResult]) -> int:
    """How many results show little, since their model seldom chose."""
    return sum(result.shows_little for result in results)


def of_themes(findings: Iterable[Finding]) -> str:
    """How many themes are confirmed, as the end of a title; empty where there are none."""
    verdicts = Counter(f.confirmation.verdict for f in findings if f.confirmation)
    return phrase("sentences", "of_themes", verdicts) if verdicts else ""


def in_grades(findings: Iterable[Finding]) -> list[tuple[str, int]]:
    """How many findings have each grade, the strongest first, the unchecked after the failing."""
    grades = ["unchecked" if f.grade == "partly" and not f.fails else f.grade for f in findings]
    order = ("shown", "partly", "unchecked", *GRADES[2:])
    return [(grade, grades.count(grade)) for grade in order if grade in grades]


_SHOWN: dict[str, Callable[..., object]] = {
    "finding_of": finding_of,
    "checks_of": lambda results: checks_of(*results),
}
FILTERS.update(_SHOWN)
