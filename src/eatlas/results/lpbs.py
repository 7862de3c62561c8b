"""Records of log-probability bias scores at three levels, over templates and over draws."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

from eatlas.results.base import measured
from eatlas.results.draws import DrawnResult, DrawsRecord, OverDraws, draws_columns
from eatlas.results.effects import Effect, shown
from eatlas.results.embedding_tests import ThreeLevelResult
from eatlas.results.levels import Level
from eatlas.results.parts import ByGroup, LanguageModelRecord
from eatlas.results.variation import EffectInterval
from eatlas.stimuli.model import ROLES

Direction = Literal["target given attribute", "attribute given target"]


class PieceCounts(ByGroup[tuple[int, ...]]):
    """Pieces of each used term, by role and in its order: the most that any sentence needs."""

    names: ClassVar = ROLES


class LogRatioResult(ThreeLevelResult):
    """What a measure of log-probabilities found.

    What associates a target x with an attribute a is a log-probability ratio in nats: the log of
    the probability of one, given the other, less the log of its probability without the other.
    """

    subject: ClassVar[str] = "model's predictions"
    unit: ClassVar[str] = "log-ratio"
    scale: ClassVar[str] = "nats"
    places: ClassVar[tuple[str, ...]] = ("level1", "level2.X", "level2.Y", "over_attributes")

    over_attributes: Level
    """The effect size of Kurita et al. (2019): of s(a), the mean ratio of X less that of Y, over
    A less B. Its p-values move the labels of attributes; those of `level1` move labels of
    targets."""
    direction: Direction
    """What is conditioned on what."""
    language_model: LanguageModelRecord
    pieces: PieceCounts
    templates: tuple[str, ...]
    """Sentences with places for a target and an attribute, over which ratios are aggregated or
    drawn. Empty where the sentences are those of a corpus."""
    sentences: tuple[tuple[int, ...], ...] | None = None
    """Sentences of a corpus with each target and each attribute, in the order of the similarities,
    over which ratios are aggregated or drawn. None where templates made the sentences."""

    @property
    def effect_size(self) -> float | None:
        """The published effect size, over attributes; None where the scores have no spread."""
        return self.over_attributes.effect_size

    def rows(self) -> list[dict[str, Any]]:
        """One row: the published effect size, then the columns of an ML-EAT."""
        (row,) = super().rows()
        published = self.effect("over_attributes").columns()
        return [{**self.head(), **published, **row, "direction": self.direction}]

    def effect(self, place: str) -> Effect:
        """The effect size at one place; that over attributes is the published one."""
        if place != "over_attributes":
            return super().effect(place)
        found, given = measured(self, place, self, None), self.uncertainty
        return replace(
            found,
            remark="the published effect size",
            in_family=False,
            resampled=self._resampled(),
            confidence=given.confidence if given and self._resampled() else None,
        )

    def _resampled(self) -> EffectInterval | None:
        """Interval of the published effect size."""
        return None

    def summary(self) -> str:
        """The published effect size, then those of an ML-EAT."""
        return f"d over attributes = {shown(self.effect_size)}; {super().summary()}"


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

    def _resampled(self) -> EffectInterval | None:
        return self.over_attributes_uncertainty


class SentenceDraws(DrawsRecord):
    """Draws of one sentence for each pair of a target and an attribute."""

    drawn: ClassVar[str] = "one sentence for each pair of a target and an attribute"
    varied: ClassVar[str] = "sentences"
    varied_of: ClassVar[str] = "sentences of the same pairs"

    over_attributes: OverDraws


class LPBSCEATResult(LogRatioResult, DrawnResult):
    """What :class:`eatlas.LPBSCEAT` found.

    All effect sizes are equally weighted means over draws, and `difference` too; their permutation
    p-values are those of these means. Scores, similarities and the means of level 3 are means over
    draws, in nats, in the order of the used terms; `sd`, `n` and quantiles of level 3 are those of
    the single log-ratios of the first draws.
    """

    display_name: ClassVar[str] = "LPBS-CEAT"
    full_name: ClassVar[str] = (
        "the log-probability bias score (LPBS; Kurita, Vyas, Pareek, Black and Tsvetkov 2019) "
        "within the Contextualized Embedding Association Test (CEAT; Guo and Caliskan 2021), as "
        "Husse and Spitz (2022) merge them, at the three levels of the ML-EAT and over attributes"
    )

    measure: Literal["lpbs-ceat"] = "lpbs-ceat"
    draws: SentenceDraws

    def rows(self) -> list[dict[str, Any]]:
        """One row: the columns of an LPBS, and what draws and the random-effects model add."""
        (row,) = super().rows()
        return [{**row, **draws_columns(self.draws.over_attributes, "_over_attributes")}]
