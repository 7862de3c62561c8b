"""Gates: whether results may pass, by expressions over their numbers and against a baseline.

What cannot be checked does not pass: neither a number that is undefined nor a test that could not
be measured counts as a success.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from eatlas.errors import EatlasError, ResultsError, did_you_mean, join_names, listing
from eatlas.lazy import find_offer
from eatlas.numbers import brief_p, effect, number_of
from eatlas.results.expressions import FACTS, Expression, Value
from eatlas.results.finding import PLACES, VERDICTS, Finding, Question
from eatlas.results.parts import finite
from eatlas.results.settings import Settings, test_and_setting
from eatlas.results.unit_tables import CommonWords, LevelTable, StimulusTable
from eatlas.stats.multiplicity import holm_adjusted

if TYPE_CHECKING:
    from eatlas.results.base import AssociationResult

Status = Literal[
    "unchanged", "new", "grew", "weaker", "not compared", "no longer comparable",
    "not in the baseline", "no longer measured",
]  # fmt: skip


@dataclass(frozen=True)
class Check:
    """What an expression says of a result."""

    label: str
    """The test, and its setting if there are several."""
    expression: str
    answer: bool | None
    """Whether it is true; None if it depends on a value that is undefined."""
    values: dict[str, Value]
    """Of the names that it uses."""
    missing: tuple[str, ...] = ()
    """Names that results of this measure do not have: the expression is not checked."""

    @property
    def passes(self) -> bool:
        """Whether the expression is false, or is not about results of this measure."""
        return self.answer is False or bool(self.missing)

    def __str__(self) -> str:
        undefined = [name for name, value in self.values.items() if value is None]
        if self.answer is None:
            verb = "is" if len(undefined) == 1 else "are"
            names = f"{join_names(undefined)} {verb}" if undefined else "its value is"
            return f"{self.label}: could not be checked, as {names} undefined"
        texts = (f"{n} is {_value_in_words(value)}" for n, value in self.values.items())
        return f"{self.label}: {str(self.answer).lower()}, as {join_names(list(texts))}"


@dataclass(frozen=True)
class Change:
    """What became of a question of a result, or of the result, since the baseline."""

    label: str
    """The test, and its setting if there are several."""
    status: Status
    place: str = ""
    """The question, such as ``level1``; empty of a result as a whole."""
    d: float | None = None
    before: float | None = None
    """Effect size in the baseline. Both are those of the findings, on all words of each result."""
    p: float | None = None
    """Of the difference on the words that both results have, adjusted by Holm over all questions
    that are compared."""
    verdict: str = ""
    verdict_before: str = ""
    reason: str = ""
    """Why the difference was not tested."""

    @property
    def passes(self) -> bool:
        """Whether no association is new, none grew, and none ceased to be comparable."""
        is_new = self.status == "not in the baseline" and self.verdict == "supported"
        return not is_new and self.status not in {"new", "grew", "no longer comparable"}

    def __str__(self) -> str:
        verdicts = (verdict and f"“{verdict}”" for verdict in (self.verdict, self.verdict_before))
        facts = [_versus(*verdicts)]
        if self.d is not None:
            before = "" if self.before is None else effect(self.before)
            facts.append(f"d {_versus(effect(self.d), before)}")
        if self.p is not None:
            facts.append(f"p of the difference {brief_p(self.p)}")
        text = "; ".join(filter(None, [*facts, self.reason]))
        return f"{self.status} ({text})" if text else self.status


@dataclass(frozen=True, repr=False)
class Gate:
    """Whether results pass, and why.

    Examples
    --------
    >>> import eatlas
    >>> gate = eatlas.run(["weat-6", "weat-7"]).gate("level1.supported and abs(d) > 0.5")
    >>> gate.passes
    False
    >>> print(gate)
    Fails if level1.supported and abs(d) > 0.5:
      weat-6: true, as level1.supported is true and d is 1.71777
      false for 1 of 2 results
    Gate failed: weat-6
    """

    checks: tuple[Check, ...]
    """One for each expression and result."""
    changes: tuple[Change, ...]
    """One for each question of a result that is compared with the baseline."""
    unmeasured: tuple[str, ...] = ()
    """Tests that could not be measured, and so not be checked."""

    @property
    def failing(self) -> list[str]:
        """The results that do not pass."""
        parts: list[Check | Change] = [*self.checks, *self.changes]
        labels = [part.label for part in parts if not part.passes]
        return list(dict.fromkeys([*labels, *self.unmeasured]))

    @property
    def passes(self) -> bool:
        """Whether all results pass."""
        return not self.failing

    def __repr__(self) -> str:
        outcome = "passed" if self.passes else f"failed by {number_of(len(self.failing), 'result')}"
        return f"<Gate: {outcome}>"

    def __str__(self) -> str:
        return "\n".join(self.lines())

    def lines(self) -> Iterator[str]:
        """What was checked and compared, with the outcome."""
        for text in dict.fromkeys(check.expression for check in self.checks):
            checks = [check for check in self.checks if check.expression == text]
            yield f"Fails if {text}:"
            yield from (f"  {check}" for check in checks if not check.passes)
            for names in dict.fromkeys(check.missing for check in checks if check.missing):
                labels = listing(check.label for check in checks if check.missing == names)
                yield f"  not checked, as there is no {' and no '.join(names)}: {labels}"
            if n := sum(check.answer is False for check in checks):
                yield f"  false for {n} of {len(checks)} results"
        if self.changes:
            yield "Compared with the baseline:"
        for label in dict.fromkeys(change.label for change in self.changes):
            of_result = [change for change in self.changes if change.label == label]
            changed = [change for change in of_result if change.status != "unchanged"]
            for change in changed or of_result[:1]:
                place = f", {change.place}" if changed and change.place else ""
                yield f"  {label}{place}: {change}"
        yield from (f"{test}: not measured, so not checked" for test in self.unmeasured)
        yield f"Gate failed: {listing(self.failing)}" if self.failing else "Gate passed"


def make_gate(
    results: Sequence[AssociationResult],
    fail_if: str | Expression | Iterable[str | Expression],
    baseline: Sequence[AssociationResult] | None,
    unmeasured: Sequence[str] = (),
) -> Gate:
    """The gate of some results; :meth:`eatlas.Results.gate` explains it."""
    texts = [fail_if] if isinstance(fail_if, str | Expression) else list(fail_if)
    if not texts and baseline is None:
        raise EatlasError("a gate checks nothing", allowed="expressions, a baseline, or both")
    parsed = [text if isinstance(text, Expression) else Expression.parse(text) for text in texts]
    changes = [] if baseline is None else changes_since(baseline, results)
    checks = checks_of(results, parsed, unmeasured)
    return Gate(tuple(checks), tuple(changes), tuple(unmeasured))


def _findings_of(results: Sequence[AssociationResult]) -> list[Finding]:
    findings: list[Finding] = find_offer("findings")(results)
    return findings


def _versus(now: str, before: str) -> str:
    return f"{now}, was {before}" if before and before != now else now


def _value_in_words(value: Value) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"“{value}”" if isinstance(value, str) else f"{value:.6g}"


# --- expressions ----------------------------------------------------------------------------------


def checks_of(
    results: Sequence[AssociationResult],
    expressions: Sequence[Expression],
    unmeasured: Sequence[str],
) -> Iterator[Check]:
    """What each expression says of each result."""
    settings = Settings.from_results(results)
    values = [values_of(*pair) for pair in zip(results, _findings_of(results), strict=True)]
    for expression in expressions:
        _require_known(expression, values, unmeasured)
        for result, known in zip(results, values, strict=True):
            missing = tuple(name for name in expression.names if name not in known)
            used = {name: known[name] for name in expression.names if name in known}
            answer = None if missing else expression.evaluate(known)
            yield Check(settings.label(result), expression.text, answer, used, missing)


def values_of(result: AssociationResult, finding: Finding) -> dict[str, Value]:
    """All names that an expression can use of a result, with their values; None if undefined."""
    numbers = result.numbers()
    values: dict[str, Value] = {fact: getattr(result, fact) for fact in FACTS}
    values |= {"value": next(iter(numbers.values()), None), **numbers}
    for place, question in finding.questions.items():
        low, high = question.interval or (None, None)
        of_question: dict[str, Value] = {
            "supported": is_supported(question), "verdict": question.verdict,
            "d": question.effect_size, "low": low, "high": high, "p": question.p.claim,
            "p_these": question.p.these, "p_new": question.p.new, "p_adjusted": question.p.adjusted,
        }  # fmt: skip
        values |= {f"{place}.{name}": value for name, value in of_question.items()}
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in values.items()
    }


def is_supported(question: Question) -> bool | None:
    """Whether a claim is supported; None if that cannot be known, as a p-value is missing."""
    unknown = question.p.claim is None and question.verdict == "these words"
    return None if unknown or question.p.these is None else question.verdict == "supported"


def _require_known(
    expression: Expression, values: Sequence[dict[str, Value]], unmeasured: Sequence[str]
) -> None:
    """Refuse names that no result has together, and texts that no result can be equal to."""
    names = dict.fromkeys(name for known in values for name in known)
    missing = [name for name in expression.names if name not in names]
    if not missing and not any(known.keys() >= set(expression.names) for known in values):
        missing = [f"{join_names(expression.names)} together"]
    for name in missing:
        shown = (n for n in names if "." not in n or n.endswith(".supported"))
        hint, allowed = did_you_mean(name, names), ", ".join(shown)
        raise EatlasError(f"no result has {name}{hint}", got=expression.text, allowed=allowed)
    for name, text in expression.texts:
        texts = {str(known[name]) for known in values if name in known}
        texts |= set(unmeasured if name == "test" else () if name in FACTS else VERDICTS)
        if text not in texts:
            what = f"no result has the {name} “{text}”{did_you_mean(text, texts)}"
            raise EatlasError(what, got=expression.text, allowed=listing(sorted(texts)))


# --- a baseline -----------------------------------------------------------------------------------

Pairs = list[tuple["AssociationResult", "AssociationResult"]]


def changes_since(
    baseline: Sequence[AssociationResult], results: Sequence[AssociationResult]
) -> list[Change]:
    """What became of each question since a baseline, as Results.gate says."""
    pairs, added, gone = _pair_results(baseline, results)
    settings, former = Settings.from_results(results), Settings.from_results(baseline)
    findings = [_findings_of(part) for part in zip(*pairs, strict=True)]
    compared = [
        _Compared.of(settings.label(pair[1]), place, pair, (was.questions[place], question))
        for pair, was, now in zip(pairs, *findings, strict=True)
        for place, question in now.questions.items()
        if place in was.questions
    ]
    adjusted = holm_adjusted([question.p for question in compared])
    changes = [question.change(p) for question, p in zip(compared, adjusted, strict=True)]
    if all(change.status == "not compared" for change in changes):  # or there is none
        raise ResultsError(
            "nothing can be compared with the baseline",
            got=listing(f"{c.label}, {c.place}: {c}" for c in changes[:3]) or "no questions",
            allowed="results of ML-EAT, or of another measure with a test for other words, with "
            "four words or more in each group",
        )
    for result, finding in zip(results, _findings_of(results), strict=True):
        if any(result is other for other in added):
            changes += _changes_of_added(settings.label(result), finding)
    return changes + [Change(former.label(result), "no longer measured") for result in gone]


def _pair_results(
    baseline: Sequence[AssociationResult], results: Sequence[AssociationResult]
) -> tuple[Pairs, list[AssociationResult], list[AssociationResult]]:
    """Results of one test and measure in the baseline and now; those only now, and only then."""
    by_source = any(len({result.source for result in part}) > 1 for part in (baseline, results))
    parts: list[dict[Any, AssociationResult]] = [{}, {}]
    for part, keyed in zip((baseline, results), parts, strict=True):
        times = Counter[Any]()
        for result in part:
            test, source, *setting = test_and_setting(result)
            key = (test, source if by_source else "", *setting)
            times[key] += 1
            keyed[key, times[key]] = result
    before, now = parts
    pairs = [(before[key], now[key]) for key in now if key in before]
    added = [now[key] for key in now if key not in before]
    gone = [before[key] for key in before if key not in now]
    alike = [
        (old, new)
        for old in gone
        for new in added
        if (old.test, old.measure, old.period) == (new.test, new.measure, new.period)
        and old.signature != new.signature
        and (old.source == new.source or not by_source)
    ]
    for pair in (*pairs, *alike):
        _require_same_settings(*pair)
    if not pairs:
        names = (
            listing((f"{r.test} by {r.measure} on {r.source}" for r in part), 5)
            for part in (results, baseline)
        )
        remedy = "give sources the names that they have in the baseline: --vectors NAME=SOURCE"
        got, allowed = names
        raise ResultsError("the baseline has none of these results", got=got,
                           allowed=allowed or "none: it is empty", remedy=remedy)  # fmt: skip
    return pairs, added, gone


def _require_same_settings(before: AssociationResult, now: AssociationResult) -> None:
    """Refuse to compare other words, or another measure."""
    for what, got, allowed in _setting_differences(before, now):
        raise ResultsError(
            f"{now.test} was measured with other {what} than in the baseline",
            got=f"only now: {got}",
            allowed=f"only in the baseline: {allowed}",
            remedy="measure as the baseline was, or make a new baseline",
        )


def _setting_differences(
    before: AssociationResult, now: AssociationResult
) -> Iterator[tuple[str, str, str]]:
    """What results were measured with that is not the same, as only one of them has it."""
    if now.provenance.stimuli_sha256 != before.provenance.stimuli_sha256:
        new, old = (
            {t for g in r.coverage.values() for t in g.used + g.missing} for r in (now, before)
        )
        yield (
            "words",
            listing(sorted(new - old)) or "no word",
            listing(sorted(old - new)) or "no word",
        )
    if now.signature != before.signature:
        yield "parameters", now.signature, before.signature
    if now.adjusted and before.adjusted and now.adjusted.covariates != before.adjusted.covariates:
        new_names, old_names = now.adjusted.covariates, before.adjusted.covariates
        yield "covariates", ", ".join(new_names), ", ".join(old_names)


@dataclass(frozen=True)
class _Compared:
    """A question in the baseline and now."""

    label: str
    place: str
    before: Question
    now: Question
    alpha: float
    level: LevelTable | None
    """The associations that the difference is tested with."""
    was_comparable: bool
    """Whether the baseline has such associations."""
    obstacle: str = ""
    """Why the difference has no p-value, if it has none."""

    @classmethod
    def of(
        cls,
        label: str,
        place: str,
        pair: Sequence[AssociationResult],
        questions: tuple[Question, Question],
    ) -> _Compared:
        """What two results have to answer a question with."""
        level, former = (_level_of(results, place) for results in (pair, pair[:1]))
        obstacle = "the difference is undefined" if level else _obstacle(pair)
        return cls(label, place, *questions, pair[1].rule.alpha, level, bool(former), obstacle)

    @property
    def p(self) -> float | None:
        """Of the difference of the effect sizes, for other words."""
        if self.level is None:
            return None
        before, now = self.level.effect_sizes
        return 1.0 if before == now else finite(self.level.difference(0, 1).p_two_sided)

    def change(self, p: float | None) -> Change:
        """What became of it, with the adjusted p-value of the difference."""
        status = self.status(p)
        if status in {"not compared", "no longer comparable"}:
            reason = self.now.reason or self.before.reason or "the difference cannot be tested"
            return Change(self.label, status, self.place, reason=reason)
        is_untested = p is None and status != "weaker"
        reason = f"whether it grew cannot be tested: {self.obstacle}" if is_untested else ""
        sizes = self.now.effect_size, self.before.effect_size
        verdicts = self.now.verdict, self.before.verdict
        return Change(self.label, status, self.place, *sizes, p, *verdicts, reason)

    def status(self, p: float | None) -> Status:
        """New, if a claim in this direction was not supported; else by the difference."""
        is_now, was = is_supported(self.now), is_supported(self.before)
        product = (self.now.effect_size or 0.0) * (self.before.effect_size or 0.0)
        if is_now and not (was and product > 0):
            return "new"
        if self.level is not None and p is not None and p <= self.alpha:
            before, now = abs(self.level.effect_sizes)
            return "grew" if now > before else "weaker"
        if was and is_now is False:
            return "weaker"
        was_claimable = was is not None and self.before.p.new is not None
        if (p is None and self.was_comparable) or (is_now is None and was_claimable):
            return "no longer comparable"
        untested = None in {self.now.p.new, self.before.p.new}
        return "not compared" if p is None and untested else "unchanged"


def _level_of(results: Sequence[AssociationResult], place: str) -> LevelTable | None:
    """The associations that differences are tested with; None if they are too few, or not kept."""
    if place not in PLACES or any(result.read_over == "sentences" for result in results):
        return None  # sentences of one stimulus are not independent
    common = CommonWords.of(results)
    level = common.level(place) if common else None
    return level if level is not None and level.is_enough else None


def _obstacle(results: Sequence[AssociationResult]) -> str:
    """Why the difference of two results cannot be tested."""
    if any(result.read_over == "sentences" for result in results):
        return "results over sentences keep no associations of single stimuli"
    if any(result.over_stimuli for result in results):
        return "level 1 weights words by their numbers of sentences, which the test does not"
    if not all(table and table.of_attributes for table in map(StimulusTable.of, results)):
        return f"results of {results[0].display_name} keep no associations of single attributes"
    return "the two results have too few words in common"


def _changes_of_added(label: str, finding: Finding) -> list[Change]:
    """The supported questions of a result that the baseline lacks; else that it lacks it."""
    return [
        Change(label, "not in the baseline", place, question.effect_size, verdict="supported")
        for place, question in finding.questions.items()
        if question.verdict == "supported"
    ] or [Change(label, "not in the baseline")]
