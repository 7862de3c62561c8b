"""What the specifications of a study say together."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from eatlas.results.parts import Magnitude, Probability, Record

Share = Annotated[float, Field(ge=-1e-9, le=1.0 + 1e-9)]
Coefficient = Annotated[float, Field(ge=-1.0 - 1e-9, le=1.0 + 1e-9)]


class ChoiceShare(Record):
    """How much of the variance of d one choice explains, over the grid of this plan."""

    choice: str
    first: Share
    """Alone: the variance of the means of its alternatives."""
    total: Share
    """With all its interactions: what is left when all other choices are known."""
    shapley: Coefficient
    """Shapley effect: interactions are shared out; all of them add up to `explained`."""


class PatternCounts(Record):
    """How often each EAT pattern comes, over the specifications of one test."""

    test: str
    """The test, as the plan calls it; "" for all of them."""
    counts: dict[str, int]
    mode: str
    share: Share
    """Of the most frequent pattern."""
    entropy: float = Field(ge=0.0)
    """In bits: 0 where all specifications show one pattern, at most log2(9) = 3.17."""


class MethodCorrelation(Record):
    """How the effect sizes of two alternatives go together over the same tests."""

    choice: str
    first: str
    second: str
    only: Literal["all", "significant"]
    """All pairs, or those of which both are significant (Table 5 of Husse and Spitz 2022)."""
    n: int
    pearson: Coefficient | None
    pearson_low: Coefficient | None
    pearson_high: Coefficient | None
    spearman: Coefficient | None
    spearman_low: Coefficient | None
    spearman_high: Coefficient | None
    points: tuple[tuple[Magnitude, Magnitude], ...] = ()


class Contrast(Record):
    """Two alternatives of one choice, all else alike."""

    choice: str
    first: str
    second: str
    n: int
    """Pairs of specifications that differ in this choice alone."""
    difference: Magnitude | None
    """Mean of d of the first less d of the second."""
    low: Magnitude | None
    """Interval of the mean difference, by the Bayesian bootstrap over pairs."""
    high: Magnitude | None
    size_difference: Magnitude | None
    """The same of abs(d)."""
    significant: tuple[Share, Share] | None
    """Shares that are significant."""
    signs: int
    """Pairs of which the effect sizes have opposite signs."""
    flips: int
    """Pairs of which one is significant and the other is not, or in the other direction."""
    patterns: int
    """Pairs with different EAT patterns."""


class RandomControl(Record):
    """Models with trained weights beside the same with random weights."""

    specifications: int
    controls: int
    significant: Share | None
    """Share of the trained ones that are significant."""
    random_significant: Share | None
    size: Magnitude | None
    """Median abs(d) with trained weights."""
    random_size: Magnitude | None
    beyond: int
    """Specifications whose abs(d) is above that of each of their controls."""


class JointResult(Record):
    """A joint permutation test of the specifications that share their targets."""

    stimuli: str
    """Hash of the targets."""
    tests: tuple[str, ...]
    specifications: int
    refused: str = ""
    """Why there is no joint test; "" where there is one."""
    median: Magnitude | None = None
    p_median: Probability | None = None
    share: Share | None = None
    p_share: Probability | None = None
    stouffer: float | None = None
    p_stouffer: Probability | None = None
    relabellings: int = 0
    exact: bool = False


class StudyAnalysis(Record):
    """What the specifications of a study say together; every number follows from the record.

    Examples
    --------
    >>> import eatlas
    >>> plan = {"tests": ["weat-6"], "choices": {"transform": ["none", "center"], "ddof": [1, 0]}}
    >>> analysis = eatlas.multiverse(plan).analysis()
    >>> [(one.choice, round(one.shapley, 4)) for one in analysis.shares]
    [('transform', 0.0006), ('ddof', 0.9994)]
    """

    explained: Share | None = None
    """Share of the variance of d that all choices together explain."""
    shares: tuple[ChoiceShare, ...] = ()
    patterns: tuple[PatternCounts, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    correlations: tuple[MethodCorrelation, ...] = ()
    control: RandomControl | None = None
    joint: tuple[JointResult, ...] = ()
    seed: int = 0
    """Of intervals and relabellings."""
