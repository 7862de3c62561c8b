"""Records of measures of targets against k groups: shares, deviations from a reference, biases."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, ClassVar, Literal

from pydantic import Field

from eatlas.results.base import GroupsResult
from eatlas.results.effects import Effect, Rule
from eatlas.results.groups import Interval, LabelDesign, Probe, TargetShares
from eatlas.results.parts import is_empty, is_none
from eatlas.stats.multiplicity import holm
from eatlas.stimuli.kinds import OF_TARGETS


class TargetsResult(GroupsResult):
    """A result with a finding for each target: associations, shares, deviations, a bias.

    Presenters read `by_target`, `whole` and `mean_bias`; a record of another measure of groups
    that fills these in is shown alike.
    """

    places: ClassVar[tuple[str, ...]] = ("mean_bias", "concept")
    bias_name: ClassVar[str] = "bias"
    """What the number of a target is called."""

    targets: tuple[TargetShares, ...]
    concept: TargetShares | None = None
    """The target concept as one mean."""
    mean_bias: float | None
    """Mean bias of the targets that have one."""
    mean_bias_interval: Interval | None = None
    resamples: int = 0
    """Bootstrap resamples behind the intervals; 0 for none."""
    confidence: float | None = None
    """Of the intervals."""
    labels: LabelDesign | None = None
    """Of the permutation test; None where there is none."""

    @property
    def by_target(self) -> tuple[TargetShares, ...]:
        """What was found of each target."""
        return self.targets

    @cached_property
    def adjusted(self) -> tuple[float | None, ...]:
        """Holm's adjusted p of each target, over all targets with a p."""
        found = [one.labels.p if one.labels else math.nan for one in self.targets]
        adjusted: list[float] = holm(found).tolist() if found else []
        return tuple(None if math.isnan(p) else p for p in adjusted)

    def effect(self, place: str) -> Effect:
        """The mean bias, or the bias of the concept as a whole."""
        whole = place == "concept"
        value = (self.concept.bias if self.concept else None) if whole else self.mean_bias
        title = "Bias of the concept" if whole else "Mean bias of targets"
        return Effect(
            place="concept_bias" if whole else "mean_bias",
            title=title,
            roles=tuple(self.concepts),
            names=(self.concepts[OF_TARGETS],),
            d=value,
            rule=Rule(),
            symbol=title,
            in_family=False,
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row for each target, with a column for each group."""
        return [
            self.head() | self._row(one) | {"p_holm": adjusted}
            for one, adjusted in zip(self.targets, self.adjusted, strict=True)
        ]

    def _row(self, one: TargetShares) -> dict[str, Any]:
        """Columns of one target."""
        row: dict[str, Any] = {"term": one.term}
        for name, values in (
            ("association", one.association),
            ("share", one.distribution),
            ("reference", self.reference_of(one.term)),
            ("deviation", one.deviation),
        ):
            row |= {
                f"{name}_{group}": None if values is None else values[i]
                for i, group in enumerate(self.groups)
            }
        if one.uncertainty is not None:
            for i, group in enumerate(self.groups):
                low, high = one.uncertainty.deviation[i] or (None, None)
                row |= {f"deviation_low_{group}": low, f"deviation_high_{group}": high}
        low, high = (one.uncertainty and one.uncertainty.bias) or (None, None)
        row |= {"bias": one.bias, "bias_low": low, "bias_high": high}
        if one.contexts is not None:
            row["contexts"] = one.contexts
        return row | {"p": one.labels.p if one.labels else None}

    def summary(self) -> str:
        """The mean bias and the targets that lean most."""
        if self.mean_bias is None:
            return "no bias is defined"
        top = max(self.targets, key=lambda one: one.bias or 0.0)
        return f"mean bias {self.mean_bias:.3f}, largest {top.bias or 0.0:.3f} ({top.term})"


class DivDistResult(TargetsResult):
    """What DivDist found: for each target a distribution over groups, and its divergence."""

    display_name: ClassVar[str] = "DivDist"
    full_name: ClassVar[str] = "DivDist (Bommasani and Liang 2022)"

    measure: Literal["divdist"] = "divdist"
    probe: Probe | None = Field(default=None, exclude_if=is_empty)
    """Of ``soa=probe`` alone."""
    logit_scale: float | None = Field(default=None, gt=0, exclude_if=is_none)
    """What a cosine is multiplied by before the softmax; of ``soa=softmax`` alone."""
