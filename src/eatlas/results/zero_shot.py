"""The record of a zero-shot reading: which share of each target each attribute concept takes."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

from pydantic import Field

from eatlas.results.embedding_tests import ThreeLevelResult
from eatlas.results.inference import Interval
from eatlas.results.levels import CELLS
from eatlas.results.parts import Probability, Record
from eatlas.stimuli.association_test import TARGETS


class ShareIntervals(Record):
    """Percentile intervals of mean shares over resamples of the stimuli; None where undefined."""

    XA: Interval | None
    XB: Interval | None
    YA: Interval | None
    YB: Interval | None
    difference: Interval | None
    """Of the share of A with X less that with Y."""


class ZeroShotResult(ThreeLevelResult):
    """What :class:`eatlas.ZeroShot` found.

    Each cell of level 3 has the shares of one attribute concept in the readings of one target
    group, a number for each target: the means of XA and XB sum to 1, as do those of YA and YB.
    ``scores`` are, of a target, its share of A less what chance gives A; of an attribute, its mean
    share in the readings of one target group.
    """

    display_name: ClassVar[str] = "Zero-shot"
    full_name: ClassVar[str] = (
        "the zero-shot reading of a two-tower model (Radford et al. 2021), the softmax share that "
        "the labels of each attribute concept take of each target, at the three levels of the "
        "ML-EAT"
    )
    subject: ClassVar[str] = "zero-shot readings"
    unit: ClassVar[str] = "share"

    measure: Literal["zero-shot"] = "zero-shot"
    logit_scale: float = Field(gt=0)
    """What a cosine is multiplied by before the softmax."""
    scale_from: Literal["model", "signature"]
    """Whether the source states it, or the signature."""
    chance: Probability
    """Share that A has where all labels are alike: its part of the labels."""
    readings: tuple[tuple[float, ...], ...] | None = None
    """Share of each attribute (A then B) in the reading of each target (X then Y), to 6 decimals;
    None where there are too many to keep."""
    share_intervals: ShareIntervals | None = None
    """Intervals of the four mean shares and of their difference; None where the measure does not
    resample."""

    @property
    def share_difference(self) -> float:
        """Mean share of A with X less that with Y."""
        return self.level1.difference

    def cell_text(self, name: str) -> str:
        """The mean share of a cell, in percent; only none is 0%, and only all are 100%."""
        mean: float = self.level3.cell(name).mean
        nearly = {"0%": "<1%", "100%": ">99%"} if 0 < mean < 1 else {}
        return nearly.get(f"{mean:.0%}", f"{mean:.0%}")

    def rows(self) -> list[dict[str, Any]]:
        """One row: the four shares with their intervals, then the columns of an ML-EAT."""
        (row,) = super().rows()
        found = self.share_intervals
        shares: dict[str, Any] = {"logit_scale": self.logit_scale, "chance": self.chance}
        for name in (*CELLS, "difference"):
            low, high = (found and getattr(found, name)) or (None, None)
            value = self.share_difference if name == "difference" else self.level3.cell(name).mean
            shares |= {f"share_{name}": value, f"share_{name}_low": low, f"share_{name}_high": high}
        head = self.head()
        return [head | shares | {key: row[key] for key in row if key not in head}]

    def summary(self) -> str:
        """The pattern, and the share of A with either target."""
        a = self.concepts.name("A")
        shares = " and ".join(
            f"{self.concepts.name(role)} {self.cell_text(f'{role}A')}" for role in TARGETS
        )
        return f"{self.primary.label}, share of {a}: {shares}"
