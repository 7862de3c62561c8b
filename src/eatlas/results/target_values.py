"""The record of measures that give one number for each target, and one for all of them."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from pydantic import Field

from eatlas.results.base import GroupsResult
from eatlas.results.effects import Effect
from eatlas.results.groups import TargetValue
from eatlas.results.levels import PValues
from eatlas.results.parts import Record


class Words(NamedTuple):
    """How a measure is named in texts, and what its readers need to know."""

    short: str
    full: str
    remark: str


WORDS = {
    "direct-bias": Words(
        "Direct bias",
        "direct bias (Bolukbasi et al. 2016), the mean size of the cosines of targets with a "
        "direction",
        "Direct bias has no sign: targets that lean to either group add up.",
    ),
    "indirect-bias": Words(
        "Indirect bias",
        "indirect bias (Bolukbasi et al. 2016), the share of a similarity along a direction",
        "Indirect bias is a ratio, which is large where two targets are hardly similar.",
    ),
    "ripa": Words(
        "RIPA",
        "the relational inner product association (RIPA; Ethayarajh, Duvenaud and Hirst 2019)",
        "RIPA grows with the length of vectors, and so with the frequency of words.",
    ),
    "semaxis": Words(
        "SemAxis",
        "SemAxis (An, Kwak and Ahn 2018), the cosine of targets with an axis between two groups",
        "A mean of SemAxis is 0 where targets lean to both groups alike.",
    ),
    "rnd": Words(
        "RND",
        "the relative norm distance (RND; Garg et al. 2018) of targets from two groups",
        "An RND is 0 where targets lean to both groups alike; it does not say how near they are.",
    ),
    "mac": Words(
        "MAC",
        "the mean average cosine distance (MAC; Manzini et al. 2019) of targets from groups",
        "MAC is a mean over the groups: it cannot say that one of them is nearer than another.",
    ),
    "ect": Words(
        "ECT",
        "the embedding coherence test (ECT; Dev and Phillips 2019)",
        "ECT compares the order of targets: it is 1 where all of them are nearer to one group.",
    ),
    "rnsb": Words(
        "RNSB",
        "the relative negative sentiment bias (RNSB; Sweeney and Najafian 2019)",
        "RNSB compares targets with each other: it is 0 where all are equally negative.",
    ),
}
"""The measures that the record serves."""
Named = Literal["direct-bias", "indirect-bias", "ripa", "semaxis", "rnd", "mac", "ect", "rnsb"]


class Range(Record):
    """What a number of a measure can be, and how it is read."""

    unit: str
    """What it is counted in, such as "cosine"."""
    low: float | None = None
    """The smallest that is possible; None where there is no limit."""
    high: float | None = None
    """The largest that is possible; None where there is no limit."""
    neutral: float | None = None
    """The number that shows no bias; None where no number does."""
    larger: str | None = None
    """The group that larger numbers are closer to; None where they have no direction."""


class TargetValuesResult(GroupsResult):
    """What a measure found that gives one number for each target, and one for all.

    These are the measures that came before DivDist: :class:`eatlas.RND`, :class:`eatlas.MAC`,
    :class:`eatlas.RIPA`, :class:`eatlas.RNSB`, :class:`eatlas.ECT`, :class:`eatlas.SemAxis`,
    :class:`eatlas.DirectBias` and :class:`eatlas.IndirectBias`.
    """

    measure: Named
    value: float | None
    """The number for all targets; None where it is undefined."""
    p_values: PValues | None = Field(default=None, alias="p")
    """Of `value`, over relabellings of the terms of the two groups; None where the measure has
    none."""
    whole: Range
    """How `value` is read."""
    each: Range
    """How the values of single targets are read."""
    targets: tuple[TargetValue, ...]
    """In the order of the used terms."""

    @property
    def display_name(self) -> str:  # type: ignore[override]
        """Name of the measure in texts."""
        return WORDS[self.measure].short

    @property
    def full_name(self) -> str:  # type: ignore[override]
        """The measure as a methods section names it."""
        return WORDS[self.measure].full

    @property
    def remark(self) -> str:  # type: ignore[override]
        """A sentence that a reader of any result of the measure needs."""
        return WORDS[self.measure].remark

    @property
    def values(self) -> tuple[TargetValue, ...]:
        """The number of each target."""
        return self.targets

    @property
    def places(self) -> tuple[str, ...]:  # type: ignore[override]
        """One number, that for all targets."""
        return ("value",)

    def effect(self, place: str) -> Effect:
        """The number for all targets."""
        return Effect(
            place=place,
            title=self.display_name,
            roles=tuple(self.concepts),
            names=tuple(self.concepts.values()),
            d=self.value,
            rule=self.rule,
            p=self.p_values,
            symbol=self.display_name,
            suffix=f"_{place}",
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row for each target: its number, those by group, and the number for all."""
        whole = {self.measure.replace("-", "_"): self.value}
        if self.p_values is not None:
            whole |= {f"p_{tail}": getattr(self.p_values, tail) for tail in ("greater", "less")}
            whole["p_two_sided"] = self.p_values.two_sided
        return [
            {
                **self.head(),
                "term": one.term,
                "value": one.value,
                **{
                    f"association_{group}": number
                    for group, number in zip(self.groups, one.association or (), strict=False)
                },
                **whole,
            }
            for one in self.targets
        ]

    def summary(self) -> str:
        """The number with its p, and the targets at either end."""
        said = f"{self.display_name} = {_brief(self.value)}"
        if self.p_values is not None:
            said += f", two-sided p = {self.p_values.two_sided:.3g}"
        known = sorted((one.value, one.term) for one in self.targets if one.value is not None)
        if len(known) < 2:
            return said
        ends = [f"{term} ({_brief(value)})" for value, term in (known[0], known[-1])]
        return f"{said}; targets from {ends[0]} to {ends[1]}"


def _brief(value: float | None) -> str:
    """A number of any size for people; undefined is a dash."""
    return "–" if value is None else f"{value:.3g}"
