"""Records of scores that other programs measured, and of their agreement with associations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar, Literal, NoReturn

from pydantic import Field

from eatlas.errors import StimulusError
from eatlas.numbers import effect, interval
from eatlas.results.effects import Effect, Rule
from eatlas.results.parts import Probability, Record, is_none
from eatlas.results.targets import TargetValuesResult
from eatlas_models.stats.agreement import FEWEST_MODELS


class LogRecord(Record):
    """Where a score was read."""

    tool: str
    """Program and version, such as inspect_ai 0.3.285."""
    file: str
    """Name of the log."""
    sha256: str
    """Of the log, with its file of samples."""
    created: str = ""
    """When, as the log says."""
    samples: int = Field(ge=0)
    """Questions whose scores the log has."""
    basis: Literal["samples", "standard error", "none"]
    """What the intervals are from: a jackknife over questions, the standard error of the log, or
    nothing, and then there are none."""


class _FromElsewhereResult(TargetValuesResult):
    """A number that was measured elsewhere, so that it has no test of words."""

    @property
    def view(self) -> str:
        """The answers of a model."""
        return "answers"

    @property
    def cased(self) -> bool:
        """Terms are names of categories or models, which are not looked up."""
        return False

    def to_test(self) -> NoReturn:
        """Say that the result belongs to no test of words."""
        raise StimulusError(
            f"{self.test}: this number was read from logs, not measured by eatlas",
            remedy="read the logs again with eatlas logs, and compare",
        )


class BenchmarkResult(_FromElsewhereResult):
    """A score of a model in a benchmark, read from a log of another program.

    `value` is the score over all questions; `targets` has it for each category. Intervals are those
    of a delete-one jackknife over questions, with Student's t; of a log without samples, those of
    its standard error.
    """

    kind: ClassVar[str] = "scores"
    display_name: ClassVar[str] = "Benchmark score"
    full_name: ClassVar[str] = "scores of a benchmark, read from the logs of another program"
    remark: ClassVar[str] = "The score was measured by another program: eatlas has read its log."
    words: ClassVar[str] = "benchmark"
    hashed: ClassVar[str] = "scores"

    measure: Literal["benchmark"] = "benchmark"
    value: float | None
    metric: str
    """Name of the score, such as accuracy."""
    log: LogRecord

    def rows(self) -> list[dict[str, Any]]:
        """One row for each category, with its interval, and the score of all."""
        low, high = self.interval or (None, None)
        more = {"metric": self.metric, "benchmark_low": low, "benchmark_high": high}
        rows = []
        for row, target in zip(super().rows(), self.targets, strict=True):
            ends = dict(zip(("low", "high"), target.interval or (None, None), strict=True))
            rows.append({**row, **ends, **more, "log": self.log.file, "tool": self.log.tool})
        return rows

    def summary(self) -> str:
        """The score with its interval."""
        ends = f" {interval(self.interval)}" if self.interval else ""
        return f"{self.metric} = {effect(self.value)}{ends}"


class AgreementResult(_FromElsewhereResult):
    """Whether a benchmark and a measure of association order models alike.

    `value` is Spearman's rank correlation over models, which are the targets; their `association`
    has the association and the score of each. None with fewer than six models, or where a score
    does not vary.
    """

    kind: ClassVar[str] = "scores"
    display_name: ClassVar[str] = "Agreement"
    full_name: ClassVar[str] = (
        "Spearman's rank correlation over models of an association and a score of a benchmark, "
        "with the interval of Bonett and Wright (2000) and a permutation test of the models"
    )
    remark: ClassVar[str] = (
        "A correlation over models does not show that one score causes the other, or could replace "
        "it."
    )
    tested: ClassVar[str] = "with the models of one score permuted"
    words: ClassVar[str] = "agreement"
    hashed: ClassVar[str] = "scores"

    measure: Literal["agreement"] = "agreement"
    value: float | None
    association_test: str
    """Id of the test of association."""
    association_signature: str
    benchmark: str
    """Task of the log."""
    metric: str
    category: str
    """Of the benchmark; empty for all questions."""
    p_holm: Probability | None = Field(default=None, exclude_if=is_none)
    """Adjusted over all comparisons that were made together."""
    compared: int = Field(ge=1)
    """How many these are."""
    unmatched: tuple[str, ...] = ()
    """Models that only one of the two has."""

    fewest: ClassVar[int] = FEWEST_MODELS

    @property
    def rule(self) -> Rule:
        """No direction is expected."""
        return replace(super().rule, tail="two-sided")

    @property
    def models(self) -> int:
        """Models that have both numbers."""
        return len(self.targets)

    def further_obstacles(self, effect: Effect) -> Iterable[str]:  # noqa: ARG002  (there is one)
        """Why a significant correlation is not shown."""
        if self.p_holm is not None and self.p_holm > self.rule.alpha:
            yield "not significant after correction for several comparisons"
        if self.interval is not None and self.interval[0] <= 0 <= self.interval[1]:
            yield "the interval contains 0"

    def rows(self) -> list[dict[str, Any]]:
        """One row: the correlation with its interval and p-values."""
        low, high = self.interval or (None, None)
        p = self.p_values.two_sided if self.p_values else None
        return [
            {
                **self.head(),
                "association_test": self.association_test,
                "association_signature": self.association_signature,
                "benchmark": self.benchmark,
                "metric": self.metric,
                "category": self.category,
                "models": self.models,
                "rho": self.value,
                "rho_low": low,
                "rho_high": high,
                "p": p,
                "p_holm": self.p_holm,
            }
        ]

    @property
    def summary_of_rho(self) -> str:
        """The correlation with its interval."""
        ends = f" {interval(self.interval)}" if self.interval else ""
        return f"{effect(self.value)}{ends}"

    def summary(self) -> str:
        """The correlation, with its interval and the number of models."""
        return f"rho = {self.summary_of_rho} over {self.models} models"
