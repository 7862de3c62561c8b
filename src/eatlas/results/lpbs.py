"""Records of log-probability bias scores at three levels."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

from eatlas.results.base import measured
from eatlas.results.effects import Effect, shown
from eatlas.results.ml_eat import ThreeLevelResult
from eatlas.results.parts import ByGroup, LanguageModelRecord, Level
from eatlas.results.uncertainty import EffectInterval
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
    """Interval of that effect size; None where the measure was told not to resample."""

    def _resampled(self) -> EffectInterval | None:
        return self.over_attributes_uncertainty
