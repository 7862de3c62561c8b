"""Record of the Context Association Test: LMS, SS and ICAT."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar, Literal

from pydantic import Field

from eatlas.results.effects import Effect
from eatlas.results.levels import Interval
from eatlas.results.parts import Probability, Record, is_empty
from eatlas.results.targets import TargetValue, TargetValuesResult
from eatlas_models.results.language import obstacles_of_preference
from eatlas_models.results.language_model import LanguageModelRecord, LanguageModelResult


class Score(Record):
    """A score of the Context Association Test, in percent."""

    value: float = Field(ge=0, le=100)
    interval: Interval | None
    """95% percentile interval over bootstrap samples of subjects; None of few subjects, or if all
    have the same score."""
    p: Probability | None
    """Two-sided, of an exact sign test of whether as many subjects go either way; None of ICAT."""


class TypeScores(TargetValue):
    """Scores of the triples of one type; `value`, `interval` and `p` are those of SS.

    `counts` has, for each kind of sentence, the triples in which it scores highest.
    """

    lms: Score
    icat: Score
    subjects: int = Field(ge=1)
    """Over how many subjects the scores are means."""


class CATResult(TargetValuesResult, LanguageModelResult):
    """What :class:`eatlas.CAT` found; `value` is the stereotype score (SS) in percent."""

    kind: ClassVar[str] = "sentence-triples"
    display_name: ClassVar[str] = "CAT"
    full_name: ClassVar[str] = (
        "the Context Association Test (CAT; Nadeem, Bethke and Reddy 2021), the stereotype score "
        "(SS), the language modelling score (LMS) and the idealised score (ICAT) of triples of "
        "sentences"
    )
    remark: ClassVar[str] = (
        "The authors of the triples decided which sentence is a stereotype: a score cannot "
        "distinguish a flawed triple from a model's preference."
    )
    tested: ClassVar[str] = "of a sign test over subjects, exact"
    words: ClassVar[str] = "sentence_triples"
    section: ClassVar[str] = "sentence_triples"
    account: ClassVar[str] = "eatlas_models.present.triples:ACCOUNT"

    measure: Literal["cat"] = "cat"
    value: float
    targets: tuple[TypeScores, ...]
    language_model: LanguageModelRecord
    subjects: tuple[str, ...]
    """What each triple of the test is about, in their order."""
    lms: Score
    """Language modelling score."""
    icat: Score
    """Idealised CAT score."""
    count: int
    """Triples that have three scores."""
    equal: float = Field(default=0.0, ge=0, le=100, exclude_if=is_empty)
    """Percentage of triples with ties of stereotype and anti-stereotype, a mean over subjects."""
    subject_count: int
    """Over how many subjects the scores are means."""
    triple_scores: tuple[tuple[float, float, float], ...] | None
    """Scores of the three sentences of each triple, to 6 decimals; None of more than 10,000."""

    @property
    def view(self) -> str:
        """The probabilities of a language model."""
        return "models"

    def of_the_test(self) -> dict[str, Any]:
        """What other tests of groups have, and the subjects."""
        return {**super().of_the_test(), "subjects": self.subjects}

    def effect(self, place: str) -> Effect:
        """The stereotype score of all triples, with its interval."""
        return replace(super().effect(place), neutral=50.0)

    @property
    def less(self) -> float:
        """Percentage of triples in which the anti-stereotype scores higher."""
        return 100 - self.value - self.equal

    def further_obstacles(self, effect: Effect) -> Iterable[str]:  # noqa: ARG002  (there is one)
        """Why a significant preference of subjects is not shown."""
        return obstacles_of_preference(self, "the mean and most subjects")

    def rows(self) -> list[dict[str, Any]]:
        """One row for each type with its three scores, and the scores of all triples."""
        whole = _columns("all_", {"lms": self.lms, "icat": self.icat})
        return [
            {**row, **_columns("", {"lms": target.lms, "icat": target.icat}), **whole}
            for row, target in zip(super().rows(), self.targets, strict=True)
        ]

    def summary(self) -> str:
        """The three scores, and the types at either end."""
        parts = [
            f"{name} {score.value:.1f}{_ends(score.interval)}"
            for name, score in (("LMS", self.lms), ("ICAT", self.icat))
        ]
        own = f"SS {self.value:.1f}{_ends(self.interval)}"
        text = super().summary().partition(", two-sided")
        return ", ".join((own, *parts)) + "".join(text[1:]).replace("targets", "types")


def _columns(prefix: str, scores: dict[str, Score]) -> dict[str, Any]:
    """Columns of some scores with their intervals."""
    row: dict[str, Any] = {}
    for name, score in scores.items():
        low, high = score.interval or (None, None)
        row |= {f"{prefix}{name}": score.value}
        row |= {f"{prefix}{name}_low": low, f"{prefix}{name}_high": high}
    return row


def _ends(interval: Interval | None) -> str:
    """An interval behind a number; nothing where there is none."""
    return f" [{interval[0]:.1f}, {interval[1]:.1f}]" if interval else ""
