"""What a result shows: its questions, the answer to each, and a sentence of all of them."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from eatlas.results.parts import Probability, Record, is_empty

Verdict = Literal["supported", "these words", "not shown"]
VERDICTS: tuple[Verdict, ...] = ("supported", "these words", "not shown")
"""From the strongest to the weakest."""
PLACES = ("level1", "level2.X", "level2.Y")
"""The questions of a test, by the place of their effect sizes in a result."""


class QuestionP(Record):
    """Two-sided p-values of one question; None if undefined."""

    these: Probability | None
    """From the permutation test of these word lists."""
    new: Probability | None = None
    """From the crossed test, which generalises to new words of the same kinds."""
    adjusted: Probability | None = None
    """From the crossed test at equal covariates."""
    claim: Probability | None = None
    """The largest of them, adjusted by Holm over the tests that are shown together; 1 where a sign
    differs, None where nothing can be claimed beyond these words."""


class Question(Record):
    """What a result answers to one question."""

    verdict: Verdict
    effect_size: float | None
    interval: tuple[float, float] | None = None
    """In units of the effect size, for other words: at equal covariates where these are known."""
    p: QuestionP
    reason: str = Field(default="", exclude_if=is_empty)
    """Why it is not supported."""
    facets: tuple[str, ...] = ()
    """Over what the claim generalises; empty for one about these words only."""
    sentence: str
    """What the verdict says in words, with a full stop."""

    def __repr__(self) -> str:
        return f"<Question: {self.sentence}>"


class Finding(Record):
    """What a result shows: its questions with their answers, and a sentence of all of them.

    Examples
    --------
    >>> import eatlas
    >>> finding = eatlas.run(tests="weat-1")[0].finding
    >>> finding.questions["level1"].verdict
    'supported'
    >>> print(finding.questions["level1"].sentence)
    Flowers are more strongly associated with Pleasant than Insects are.
    """

    questions: dict[str, Question] = Field(default_factory=dict)
    """By the place of the effect size: ``level1``, ``level2.X``, ``level2.Y``; of measures of
    single terms or targets ``terms`` or ``targets``. Empty for a number without a test."""
    sentence: str
    """The sentences of the questions in their order."""
    sensitive_to: tuple[str, ...] = Field(default=(), exclude_if=is_empty)
    """Words without any one of which the verdict on the first question would be weaker; of
    near-synonyms, which are left out together, one text such as ``happy/lucky``."""

    def __repr__(self) -> str:
        return f"<Finding: {self.sentence}>"

    def __str__(self) -> str:
        return self.sentence

    @property
    def verdict(self) -> Verdict | None:
        """The answer to the first question; None of a number without a test."""
        return next((question.verdict for question in self.questions.values()), None)

    def columns(self) -> dict[str, Any]:
        """Columns of a frame: of each question its verdict and two of its p-values.

        The others are ``crossed_p_two_sided`` (new words) and ``adjusted_p_two_sided``.
        """
        row: dict[str, Any] = {}
        for place, question in self.questions.items():
            suffix = f"_{place[-1]}" if place.startswith("level2.") else ""
            row[f"verdict{suffix}"] = question.verdict
            row[f"p_these{suffix}"] = question.p.these
            if question.p.new is not None:
                row[f"p_claim{suffix}"] = question.p.claim
        return row
