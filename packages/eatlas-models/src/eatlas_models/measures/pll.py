"""Pseudo-log-likelihoods of pairs of sentences: CPS, AUL, AULA; likelihoods of causal models."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import CoverageError, listing
from eatlas.measures.association import DECIMALS, to_record
from eatlas.measures.base import SHARE, Array, Input, Measure, Needs, parameter
from eatlas.notes import Note
from eatlas.results.parts import Coverage, GroupCoverage, finite
from eatlas.results.targets import Range, TargetValue
from eatlas.stats.correlation import compare_before_after, sign_test
from eatlas.stats.inputs import clopper_pearson
from eatlas.stimuli import SentencePairsTest
from eatlas.stimuli.kinds import OF_TARGETS
from eatlas_models.results.language import PLLResult, ScoreDifference
from eatlas_models.stimuli.pairs import Answer, How, Kind, Question

Score = Literal["cps", "aul", "aula", "changed"]
HOW: Mapping[str, How] = {"cps": "pll", "aul": "shown", "aula": "attention", "changed": "changed"}
COMPARED = ("cps", "changed")
"""Scores of some pieces of a sentence, which depend on the other sentence of its pair."""
MOST_PAIRS = 10_000
"""Whose scores a result keeps."""


@dataclass(frozen=True)
class Scored:
    """Scores of the usable pairs or triples, with an account of every sentence."""

    single: Array
    """Shape (pairs, 2) or (triples, 3): of the more stereotyping sentence, then of the others."""
    types: tuple[str, ...]
    """Of each of these pairs."""
    used: tuple[int, ...]
    """Numbers of these pairs in the test, from 0."""
    coverage: Coverage
    rows: Mapping[str, Array]
    """None: sentences are no vectors."""


@dataclass(frozen=True)
class PLL(Measure):
    """Pseudo-log-likelihood scores of pairs of sentences.

    Of each pair a language model scores the sentence that is more stereotyping and the one that is
    less. The number is the proportion of pairs of which the first scores higher, in percent: 50
    without a preference. Its p-values come from an exact sign test; its interval is
    Clopper and Pearson's.

    Parameters
    ----------
    model : {"masked", "causal"}, default "masked"
        The kind of language model. A causal one scores a sentence by its log-likelihood, the sum
        over all pieces.
    score : {"cps", "aul", "aula", "changed"}, default "cps"
        Of masked models. ``cps``: the sum of log P of the pieces that both sentences have, each
        masked in turn with all others shown. ``aul``: the mean of log P of all pieces, with nothing
        masked. ``aula``: the same, each piece weighted by the mean attention that it gets.
        ``changed``: the mean of log P of the pieces that the other sentence lacks, all masked and
        filled in from left to right.
    alpha : float, default 0.05
        Significance level.
    confidence : float, default 0.95
        Of the intervals.

    See Also
    --------
    eatlas.LPBS : Log-probability ratios of words in templates.

    Notes
    -----
    CPS is the score of CrowS-Pairs (Nangia et al. 2020), AUL and AULA are from Kaneko and
    Bollegala (2022), and ``changed`` is the score of GEST (Pikuliak et al. 2024), in nats. Special
    tokens are not scored. Scores are not rounded. A pair of which a sentence has an unknown piece,
    or is too long, is left out. Pairs with scores that differ by no more than rounding count as no
    preference for the stereotype, as in the published code, and are left out of the sign test.

    Examples
    --------
    >>> PLL(score="aul").signature, PLL(model="causal").signature
    ('PLL(alpha=0.05,model=masked,score=aul)', 'PLL(alpha=0.05,model=causal)')
    """

    name: ClassVar[str] = "pll"
    kind: ClassVar[str] = "sentence-pairs"
    minimum: ClassVar[Mapping[str, int]] = {OF_TARGETS: 1}

    _: KW_ONLY
    model: Kind = parameter("masked", Kind)
    score: Score = parameter("cps", Score)
    alpha: float = parameter(0.05, SHARE)
    confidence: float = parameter(0.95, SHARE, optional=True)

    def idle(self) -> set[str]:
        """Parameters that a signature leaves out: those that change nothing."""
        return super().idle() | ({"score"} if self.model == "causal" else set())

    @property
    def needs(self) -> Needs:
        """A language model of the measure's kind."""
        return Needs(source=self.model)

    def questions(self, test: Any) -> Iterable[Question]:
        """A question about each sentence."""
        return (question for pair in self._question_pairs(test) for question in pair)

    def _question_pairs(self, test: SentencePairsTest) -> list[tuple[Question, Question]]:
        how: How = "next" if self.model == "causal" else HOW[self.score]
        questions = []
        for pair in test.tables:
            texts = pair["more"], pair["less"]
            both = texts if self.model == "masked" and self.score in COMPARED else None
            first, second = (Question(t, (0, len(t)), how=how, shared=both) for t in texts)
            questions.append((first, second))
        return questions

    def associate(self, test: SentencePairsTest, answers: Mapping[Question, Answer]) -> Scored:
        """Make scores of the answers to all questions about a test."""
        return score_sentences(test, self._question_pairs(test), answers, self._score)

    def _score(self, answer: Answer) -> float:
        """The score of one sentence: a sum, or the mean over its pieces."""
        mean = self.model == "masked" and self.score != "cps"
        return answer.nats / answer.pieces if mean else answer.nats

    def compute(self, given: Input, notes: list[Note]) -> PLLResult:
        """The proportion of pairs, for all and for each type."""
        scored: Scored = given.asked
        differences = scored.single[:, 0] - scored.single[:, 1]
        rounding = (given.precision or 0.0) * np.abs(scored.single).max(axis=1)
        signs = np.where(np.abs(differences) <= rounding, 0, np.sign(differences)).astype(int)
        notes += note_left_out(given.coverage, "pair")
        types = np.array(scored.types)
        targets = []
        for name in given.coverage[OF_TARGETS].used:
            own = types == name
            up, down = count_signs(signs[own])
            targets.append(
                TargetValue(
                    term=name,
                    association=tuple(scored.single[own].mean(axis=0).tolist()),
                    counts=(up, down),
                    difference=float(differences[own].mean()),
                    p=sign_test(up, down).two_sided.p,
                    **self._share(up, int(own.sum())),
                )
            )
        larger = given.head["groups"][0]
        whole = Range(unit="% of pairs", low=0.0, high=100.0, neutral=50.0, larger=larger)
        up, down = count_signs(signs)
        change = compare_before_after(scored.single[:, 1], scored.single[:, 0], rng=given.rng)
        return PLLResult(
            **given.head,
            **self._share(up, len(signs)),
            p_values=to_record(sign_test(up, down)),
            whole=whole,
            each=whole,
            targets=tuple(targets),
            count=len(signs),
            equal=len(signs) - up - down,
            confidence=self.confidence,
            difference=ScoreDifference(
                mean=change.change,
                interval=change.interval,
                p=finite(change.p),
                permutations=change.total if change.method == "sampled" else None,
            ),
            pair_scores=(
                scored.single.round(DECIMALS).tolist() if len(signs) <= MOST_PAIRS else None
            ),
        )

    def _share(self, count: int, of: int) -> dict[str, Any]:
        """Proportion of pairs whose first sentence scores higher, in percent, with its interval."""
        low, high = clopper_pearson(count, of, self.confidence)
        return {"value": 100 * count / of, "interval": (100 * low, 100 * high)}


def score_sentences(
    test: SentencePairsTest,
    questions: Sequence[Sequence[Question]],
    answers: Mapping[Question, Answer],
    score: Callable[[Answer], float],
) -> Scored:
    """Make scores of the sentences of each pair or triple; leave out those that lack a score."""
    scores, types, used, faults = [], [], [], dict[str, str]()
    for number, (terms, table, own) in enumerate(
        zip(test.pairs, test.tables, questions, strict=True)
    ):
        together = [answers[question] for question in own]
        if fault := next((answer.fault for answer in together if answer.fault), ""):
            faults |= dict.fromkeys(terms, fault)
            continue
        scores.append([score(answer) for answer in together])
        types.append(table["type"])
        used.append(number)
    if not scores:
        item, size = ("triple", "three") if len(test.groups) == 3 else ("pair", "two")
        raise CoverageError(
            f"test {test.id}: no {item} has {size} usable scores",
            got=listing(dict.fromkeys(faults.values()), 3),
            allowed="sentences that the model's tokenizer knows, within its length",
        )
    covered = {OF_TARGETS: _coverage_of_terms(test.targets.terms, types, faults)}
    for group in test.groups:
        usable = [term for term in group.terms if term not in faults]
        covered[group.name] = _coverage_of_terms(group.terms, usable, faults).model_copy(
            update={"text": group.text_of, "stimulus": group.stimulus_of, "span": group.span_of}
        )
    return Scored(np.array(scores, np.float64), tuple(types), tuple(used), Coverage(covered), {})


def note_left_out(coverage: Coverage, item: str) -> list[Note]:
    """Note how many pairs or triples have no score, and why; nothing if all have one."""
    first = next(group for role, group in coverage.items() if role != OF_TARGETS)
    if not (count := len(first.missing)):
        return []
    reasons = sorted(set(first.reasons.values()))
    values = {"count": count, "of": count + len(first.used), "item": item, "reasons": reasons}
    return [Note("pairs.left-out", values=values)]


def count_signs(signs: NDArray[Any]) -> tuple[int, int]:
    """How many signs are positive, and how many negative."""
    return int(np.count_nonzero(signs > 0)), int(np.count_nonzero(signs < 0))


def _coverage_of_terms(
    terms: Iterable[str], used: Iterable[str], faults: Mapping[str, str]
) -> GroupCoverage:
    """Terms that are used and those that are missing, in the order of the test."""
    there = set(used)
    missing = {t: faults.get(t, "none of its pairs") for t in terms if t not in there}
    return GroupCoverage(
        used=tuple(term for term in terms if term in there),
        missing=tuple(missing),
        reasons=missing,
    )
