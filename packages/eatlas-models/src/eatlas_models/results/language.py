"""Records of measures of log-probabilities, of zero-shot readings and of pairs of sentences."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, ClassVar, Literal

from pydantic import Field

from eatlas.numbers import effect, percent
from eatlas.results.base import SoftmaxResult
from eatlas.results.effects import Effect
from eatlas.results.embedding_tests import ThreeLevelResult
from eatlas.results.levels import (
    CELLS,
    DrawsRecord,
    EffectInterval,
    Interval,
    Level,
    OverDraws,
)
from eatlas.results.parts import ByRole, Probability, Record, at
from eatlas.results.targets import TargetValuesResult
from eatlas_models.results.language_model import LanguageModelRecord, LanguageModelResult

Direction = Literal["target given attribute", "attribute given target"]


class PieceCounts(ByRole[tuple[int, ...]]):
    """Pieces of each used term, by role and in its order: the most that any sentence needs."""


class CellIntervals(Record):
    """Percentile intervals of mean shares over resamples of the stimuli; None where undefined."""

    XA: Interval | None
    XB: Interval | None
    YA: Interval | None
    YB: Interval | None
    difference: Interval | None
    """Of the proportion of A with X less that with Y."""


class ZeroShotResult(ThreeLevelResult, SoftmaxResult):
    """What :class:`eatlas.ZeroShot` found.

    Each cell of level 3 has the proportions of one attribute concept in the readings of one target
    group, a number for each target: the means of XA and XB sum to 1, as do the means of YA and YB.
    ``scores`` are, of a target, its proportion of A less what chance gives A; of an attribute, its
    mean share in the readings of one target group.
    """

    display_name: ClassVar[str] = "Zero-shot"
    full_name: ClassVar[str] = (
        "the zero-shot reading of a two-tower model (Radford et al. 2021), the softmax proportion "
        "of the labels of each attribute concept for each target, at the three levels of the ML-EAT"
    )
    subject: ClassVar[str] = "zero-shot readings"
    words: ClassVar[str] = "zero_shot"
    glossary: ClassVar[tuple[str, ...]] = ("glossary_readings",)
    unit: ClassVar[str] = "proportion"

    measure: Literal["zero-shot"] = "zero-shot"
    logit_scale: float = Field(gt=0)
    """What a cosine is multiplied by before the softmax."""
    scale_from: Literal["model", "signature"]
    """Whether the source states it, or the signature."""
    chance: Probability
    """Share that A has where all labels are alike: its part of the labels."""
    readings: tuple[tuple[float, ...], ...] | None = None
    """Proportion of each attribute (A then B) in the reading of each target (X then Y), to 6
    decimals; None where there are too many to keep."""
    share_intervals: CellIntervals | None = None
    """Intervals of the four mean shares and of their difference; None where the measure does not
    resample."""

    def cell_text(self, name: str) -> str:
        """The mean share of a cell, in percent; only none is 0%, and only all are 100%."""
        return percent(self.level3[name].mean)

    def rows(self) -> list[dict[str, Any]]:
        """One row: the columns of an ML-EAT, then the four shares with their intervals."""
        (row,) = super().rows()
        row |= {"logit_scale": self.logit_scale, "chance": self.chance}
        for name in (*CELLS, "difference"):
            low, high = at(self.share_intervals, name) or (None, None)
            share = self.level1.difference if name == "difference" else self.level3[name].mean
            row |= {f"share_{name}": share, f"share_{name}_low": low, f"share_{name}_high": high}
        return [row]


class LogRatioResult(ThreeLevelResult, LanguageModelResult):
    """Result of a measure of log-probabilities.

    What associates a target x with an attribute a is a log-probability ratio in nats: the log of
    the probability of one, given the other, less the log of its probability without the other.
    """

    unit: ClassVar[str] = "log-ratio"
    scale: ClassVar[str] = "nats"
    places: ClassVar[tuple[str, ...]] = ("level1", "level2.X", "level2.Y", "over_attributes")
    brief: ClassVar[tuple[str, ...]] = (
        "effect_size_over_attributes",
        "p_two_sided_over_attributes",
    )
    over_attributes_is: ClassVar[str] = "the effect size of LPBS"
    over_attributes_name: ClassVar[str] = "LPBS"
    words: ClassVar[str] = "log_ratios"
    section: ClassVar[str] = "log_ratios"
    glossary: ClassVar[tuple[str, ...]] = ("glossary_log_ratio", "glossary_over_attributes")

    over_attributes: Level
    """The effect size of Kurita et al. (2019): of s(a), the ratio of X minus the ratio of Y, over A
    minus B. Its p-values move the labels of attributes, or of attributes in single sentences; those
    of `level1` move labels of targets."""
    direction: Direction
    """What is conditioned on what."""
    language_model: LanguageModelRecord
    pieces: PieceCounts
    templates: tuple[str, ...]
    """Sentences with places for a target and an attribute, over which ratios are aggregated or
    drawn. Empty if the sentences come from a corpus."""

    @property
    def effect_size(self) -> float | None:
        """The effect size of LPBS, over attributes; None where the scores have no spread."""
        return self.over_attributes.effect_size

    def rows(self) -> list[dict[str, Any]]:
        """One row: the columns of an ML-EAT, and what is conditioned on what."""
        return [row | {"direction": self.direction} for row in super().rows()]


class FMATResult(ThreeLevelResult, LanguageModelResult):
    """What :class:`eatlas.FMAT` found.

    ``scores`` of level 1 are the log probability ratios of the targets: the mean over A less that
    over B.
    """

    display_name: ClassVar[str] = "FMAT"
    full_name: ClassVar[str] = (
        "the Fill-Mask Association Test (FMAT; Bao 2024), log probability ratios behind a mask, at "
        "the three levels of the ML-EAT"
    )
    words: ClassVar[str] = "log_ratios"
    section: ClassVar[str] = "log_ratios"
    glossary: ClassVar[tuple[str, ...]] = ("glossary_log_ratio",)
    unit: ClassVar[str] = "log-ratio"
    scale: ClassVar[str] = "nats"

    measure: Literal["fmat"] = "fmat"
    direction: Literal["targets behind a mask", "attributes behind a mask", "options behind a mask"]
    """What the mask stands for."""
    language_model: LanguageModelRecord
    pieces: PieceCounts
    templates: tuple[str, ...]
    """The queries."""
    reliability: float | None = None
    """Cronbach's alpha of the targets' ratios over the queries; None for one query."""

    def rows(self) -> list[dict[str, Any]]:
        """One row: the columns of an ML-EAT, what is behind the mask, and the reliability."""
        more = {"direction": self.direction, "reliability": self.reliability}
        return [row | more for row in super().rows()]


class LPBSResult(LogRatioResult):
    """What :class:`eatlas.LPBS` found."""

    display_name: ClassVar[str] = "LPBS"
    full_name: ClassVar[str] = (
        "the log-probability bias score (LPBS; Kurita, Vyas, Pareek, Black and Tsvetkov 2019), at "
        "the three levels of the ML-EAT and over attributes"
    )

    measure: Literal["lpbs"] = "lpbs"
    over_attributes_uncertainty: EffectInterval | None = None
    """Interval of that effect size; None where the measure does not resample."""


class SentenceDraws(DrawsRecord):
    """Samples of one sentence for each pair of a target and an attribute."""

    drawn: ClassVar[str] = "one sentence for each pair of a target and an attribute"
    varied: ClassVar[str] = "sentences"
    varied_of: ClassVar[str] = "sentences of the same pairs"

    over_attributes: OverDraws


class LPBSCEATResult(LogRatioResult):
    """What :class:`eatlas.LPBSCEAT` found.

    All effect sizes are equally weighted means over draws, and so is `difference`; their
    permutation p-values test these means. Scores, similarities and the means of level 3 are means
    over draws, in nats, in the order of the used terms; `sd`, `n` and quantiles of level 3 are
    those of the single log-ratios of the first draws.
    """

    display_name: ClassVar[str] = "LPBS-CEAT"
    full_name: ClassVar[str] = (
        "the log-probability bias score (LPBS; Kurita, Vyas, Pareek, Black and Tsvetkov 2019) "
        "within the Contextualized Embedding Association Test (CEAT; Guo and Caliskan 2021), as "
        "Husse and Spitz (2022) merge them, at the three levels of the ML-EAT and over attributes"
    )

    measure: Literal["lpbs-ceat"] = "lpbs-ceat"
    samples: SentenceDraws


class ScoreDifference(Record):
    """Mean score of the more stereotyping sentence minus the other, over all pairs."""

    mean: float
    interval: Interval | None
    """95% percentile interval over resamples of pairs."""
    p: Probability | None
    """Two-sided, over signs of the differences of pairs; None of one pair."""
    permutations: int | None
    """So many drawn signs are behind p; None where all were counted."""


class PLLResult(TargetValuesResult, LanguageModelResult):
    """What :class:`eatlas.PLL` found: of how many pairs the stereotype scores higher.

    `value` is a proportion in percent, of all pairs; `targets` has the proportion for each type.
    Intervals are Clopper and Pearson's.
    """

    kind: ClassVar[str] = "sentence-pairs"
    display_name: ClassVar[str] = "PLL"
    full_name: ClassVar[str] = (
        "the proportion of sentence pairs in which the more stereotyping sentence has the higher "
        "pseudo-log-likelihood (Nangia et al. 2020; Kaneko and Bollegala 2022)"
    )
    remark: ClassVar[str] = (
        "The authors of the pairs decided which sentence is more stereotyping: a score cannot "
        "distinguish a flawed pair from a model's preference."
    )
    tested: ClassVar[str] = "of a sign test over pairs, exact"
    words: ClassVar[str] = "sentence_pairs"
    glossary: ClassVar[tuple[str, ...]] = ("glossary_log_ratio",)

    measure: Literal["pll"] = "pll"
    value: float
    language_model: LanguageModelRecord
    count: int
    """Pairs that have both scores."""
    equal: int
    """Of these, with scores that differ by no more than rounding; the sign test leaves them out."""
    interval: Interval
    difference: ScoreDifference
    pair_scores: tuple[tuple[float, float], ...] | None
    """Scores of both sentences of each pair, to 6 decimals; None of more than 10,000 pairs."""

    @property
    def view(self) -> str:
        """The probabilities of a language model."""
        return "models"

    def effect(self, place: str) -> Effect:
        """The proportion of all pairs, with its interval."""
        return replace(super().effect(place), neutral=50.0)

    @property
    def less(self) -> float:
        """Percentage of pairs in which the less stereotyping sentence scores higher."""
        return 100 - self.value - 100 * self.equal / self.count

    def further_obstacles(self, effect: Effect) -> Iterable[str]:  # noqa: ARG002  (there is one)
        """Why a significant preference is not shown: ties count as no preference."""
        return obstacles_of_preference(self, "the percentage, in which ties count, and most pairs")

    def rows(self) -> list[dict[str, Any]]:
        """One row for each type, and the proportion of all pairs."""
        ends = dict(zip(("pll_low", "pll_high"), self.interval, strict=True))
        whole = {**ends, "pll_difference": self.difference.mean}
        return [
            {**row, "difference": target.difference, **whole}
            for row, target in zip(super().rows(), self.targets, strict=True)
        ]

    def summary(self) -> str:
        """The proportion with its interval and p, and the types at either end."""
        low, high = self.interval
        share = f"{self.value:.1f}% of {self.count:,} pairs [{low:.1f}, {high:.1f}]"
        text = super().summary().replace(f"{self.display_name} = {effect(self.value, 3)}", share)
        return text.replace("targets", "types")


def obstacles_of_preference(result: Any, numbers: str) -> Iterable[str]:
    """Why a sign test of sentences shows no preference; `numbers` are what may disagree.

    The sign test leaves ties out; the percentage counts them against the stereotype.
    """
    tails = result.p_values
    positive = {result.value > 50, result.value > result.less, tails.greater < tails.less}
    if len(positive) > 1 or result.value in {50.0, result.less}:
        yield f"{numbers} point in different directions"
    if result.interval is not None and result.interval[0] <= 50 <= result.interval[1]:
        yield "the interval contains 50"
