"""Effect sizes over many draws of contexts or sentences: the parts that records of them share."""

from __future__ import annotations

from typing import ClassVar, Literal, get_args

from pydantic import Field

from eatlas.results.levels import Label
from eatlas.results.parts import ByGroup, ByTail, Magnitude, Probability, Record, is_empty
from eatlas.stimuli.association_test import TARGETS

Model = Literal["dl", "pm", "reml"]
Variance = Literal["common", "union", "borenstein", "ceat"]
Replace = Literal["auto", "always"]
Triple = tuple[float | None, float | None, float | None]


class NormalP(ByTail[Probability]):
    """P-values of z under a normal distribution."""


class CombinedEffect(Record):
    """Effect sizes of draws, combined by a random-effects model as in the published CEAT.

    Draws share their stimuli, which the model takes for independent: z and its p-values mostly
    measure how many draws were made.
    """

    draws: int
    """Draws with an effect size and a variance above 0."""
    effect_size: Magnitude
    """Mean of the effect sizes, weighted by 1 / (variance + tau2): equally, where the variance is
    common to all draws."""
    se: float
    interval: tuple[float, float]
    """Effect size plus and minus 1.96 standard errors."""
    z: float
    p: NormalP
    """For comparison with published tables; not to be reported as evidence."""
    tau2: float
    """Variance of effect sizes between draws beyond their sampling variance."""
    q: float
    """Cochran's Q."""
    i2: float
    """Share of the variation of effect sizes that is between draws."""
    prediction: tuple[float, float] | None
    """Where the effect size of another draw lies, with 95%; None for two draws."""


class VarianceShares(Record):
    """Where the variance of associations lies; shares of 1."""

    variance: float
    """Sum of the three components, in squared units of cosine, or squared nats."""
    contexts: float | None
    """Between contexts of one stimulus, or sentences of the same pairs; None where each has one
    alone."""
    stimuli: float
    """Between stimuli of one group; with the contexts, where those are not known apart."""
    groups: float
    """Between the two groups."""


class OverDraws(Record):
    """One effect size over draws."""

    undefined: int
    """Draws whose associations do not differ; they are left out."""
    sd: float | None
    """Standard deviation of the effect sizes; None for fewer than two."""
    quantiles: tuple[float, float, float, float, float] | None
    """2.5%, lower quartile, median, upper quartile, 97.5%; None where none is defined."""
    combined: CombinedEffect | None
    """None where fewer than two draws can be combined."""
    shares: VarianceShares | None
    """Of the associations of all contexts; None where they do not differ, and of fewer than three
    stimuli."""


class Level2OverDraws(ByGroup[OverDraws]):
    """Both level 2 effect sizes over draws."""

    names: ClassVar = TARGETS


class DrawsRecord(Record):
    """Many draws, and the effect sizes of each."""

    drawn: ClassVar[str]
    """What one draw takes, as sentences name it."""
    varied: ClassVar[str]
    """What differs from draw to draw, in one word; a plural."""
    varied_of: ClassVar[str]
    """The same, of what it is."""

    count: int
    replace: Replace
    """``auto``: without replacement where there is a context for each draw."""
    model: Model
    """How tau2 was estimated: DerSimonian-Laird, Paule-Mandel, REML."""
    variance: Variance
    """What stands for the sampling variance of an effect size: one number for all draws
    (``common``), or a function of each draw."""
    level1: OverDraws
    level2: Level2OverDraws
    patterns: dict[str, float]
    """Share of the draws that show each of the nine EAT patterns, under the measure's rule."""
    p_error: float
    """Standard error of a p-value near alpha behind these shares; 0 where it is exact."""
    kept: tuple[Triple, ...]
    """Effect sizes d, d of X and d of Y of the first draws, to 4 decimals: 2,000 at most."""
    kept_patterns: str = Field(default="", pattern=r"^[0-8]*$", exclude_if=is_empty)
    """The EAT pattern of each of these, a digit each: its place among the nine labels, 0 for
    AB-Divergent to 8 for Non-Directional; empty in files of versions that did not keep it."""

    @property
    def labels_of_kept(self) -> tuple[str, ...]:
        """The EAT pattern of each draw that is kept; empty where the file does not have them."""
        names = get_args(Label)
        return tuple(names[int(digit)] for digit in self.kept_patterns)
