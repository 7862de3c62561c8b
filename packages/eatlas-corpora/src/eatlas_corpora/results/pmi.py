"""Record of PMI."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, Literal, Self

from pydantic import Field

from eatlas.results.finding import Question, QuestionP, Verdict
from eatlas.results.levels import Interval
from eatlas.results.parts import Probability, Record, finite, finite_ends, is_none
from eatlas.results.questions import LEAST_UNITS, sentence_of
from eatlas.results.targets import TargetValuesResult
from eatlas.stimuli.kinds import OF_TARGETS
from eatlas_corpora.stats.by_document import DocumentTests, is_known

FACETS = ("words", "documents")
NO_DOCUMENTS = "not shown for other documents: the counts do not say which documents they are from"
THESE_TARGETS = "each target is tested for other documents, and none for other words"


class Across(Record):
    """The mean of the targets, for other targets and other documents."""

    blocks: int
    """Blocks of documents with a word of a group."""
    interval: Interval | None
    """For other targets and documents; of a single target for other documents."""
    p: Probability | None
    """Two-sided, for other targets and documents; None of a single target."""
    df: float | None
    """Degrees of freedom."""
    targets: float | None
    """Variance that targets bring, with what they share with documents."""
    documents: float | None
    """Variance that documents bring."""
    residual: float | None
    """Variance that both share."""

    @classmethod
    def of(cls, tests: DocumentTests) -> Self:
        """The record of the tests of blocks of documents."""
        crossed = tests.crossed
        if crossed is None or not is_known(crossed):
            whole = finite_ends((tests.whole.low, tests.whole.high))
            nothing = dict.fromkeys(("p", "df", "targets", "documents", "residual"))
            return cls(blocks=tests.blocks, interval=whole, **nothing)
        variances = (finite(crossed.variances[axes]) for axes in ((0,), (1,), (0, 1)))
        return cls(
            blocks=tests.blocks,
            interval=finite_ends((crossed.low, crossed.high)),
            p=crossed.p_two_sided,
            df=finite(crossed.df),
            **dict(zip(("targets", "documents", "residual"), variances, strict=True)),
        )


class PMIResult(TargetValuesResult):
    """What :class:`eatlas.PMI` found."""

    display_name: ClassVar[str] = "PMI"
    tested: ClassVar[str] = "of its estimate over the standard error"

    measure: Literal["pmi"] = "pmi"
    across: Across | None = Field(default=None, exclude_if=is_none)
    """The number for all targets, for other targets and documents; None where the counts do not
    say which documents they are from."""

    @property
    def full_name(self) -> str:  # type: ignore[override]
        """The measure, and where its intervals and p-values come from."""
        source = "blocks of documents" if self.across else "the log odds ratio"
        return (
            "the difference of the pointwise mutual information (PMI) of targets with two groups "
            f"in a text (Valentini et al. 2023), with intervals and p-values of {source}, adjusted "
            "over targets by Holm's (1979) method"
        )

    @property
    def remark(self) -> str:  # type: ignore[override]
        """What intervals and p-values are about."""
        if self.across:
            return (
                f"Intervals and p-values of PMI are over {self.across.blocks} blocks of documents."
            )
        return (
            "Intervals and p-values of PMI take every count as an independent draw, and words of "
            "one text are not; the counts do not say which documents they are from."
        )

    def answer(self, question: Question) -> dict[str, Question]:
        """Single targets, for other documents; and all targets, also for new words."""
        shown = question.verdict == "these words"
        if self.across is None:
            sentence = question.sentence.replace("In these word lists", "In these words and texts")
            reason = NO_DOCUMENTS if shown else ""
            return {"targets": question.model_copy(update={"sentence": sentence, "reason": reason})}
        changes = {"reason": THESE_TARGETS, "facets": ("documents",)} if shown else {}
        return {
            "targets": question.model_copy(update=changes),
            "value": self._answer_for_all(self.across),
        }

    def _answer_for_all(self, across: Across) -> Question:
        """Whether the targets as a whole are associated with a group, for other ones as well."""
        alpha, new = self.rule.alpha, across.p
        these = self.p_values.two_sided if self.p_values else None
        few = sum(target.value is not None for target in self.targets) < LEAST_UNITS
        claim = None if few or these is None or new is None else max(these, new)
        verdict: Verdict = "not shown"
        reason = ""
        if these is not None and these <= alpha:
            verdict = "supported" if claim is not None and claim <= alpha else "these words"
        if verdict == "these words":
            reason = "not shown to generalise to other words and documents"
            if few or new is None:
                reason = "generalisation cannot be tested (too few words)"
        first, second = self.groups
        names = {"X": self.concepts[OF_TARGETS], "Y": "", "A": first, "B": second}
        effect = replace(self.effect("value"), place="level2.X")
        return Question(
            verdict=verdict,
            effect_size=self.value,
            interval=across.interval,
            p=QuestionP(these=these, new=new, claim=claim),
            reason=reason,
            facets=FACETS if verdict == "supported" else (),
            sentence=sentence_of(names, effect, verdict, reason),
        )
