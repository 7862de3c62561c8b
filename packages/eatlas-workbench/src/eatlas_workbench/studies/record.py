"""What a study found: every specification with its choices and its effect size."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from pydantic import Field

from eatlas.results.parts import Magnitude, Probability, Record

Status = Literal["done", "failed", "skipped"]
Metric = Literal["cosine", "log-probability", "answer", "count"]
"""What an effect size is made of."""


class Specification(Record):
    """One combination of choices, with its result."""

    number: int = Field(ge=1)
    choices: dict[str, str]
    """The alternative of each choice by its label; "" where a choice means nothing."""
    status: Status
    reason: str = ""
    """Why it failed, or was skipped."""
    line: int | None = None
    """Line of the results file that holds its result."""
    job: str = ""
    """Names all that the result depends on; 64 hexadecimal digits."""
    test: str = ""
    source: str = ""
    signature: str = ""
    metric: Metric | None = None
    symbol: str = "d"
    """What the number is called: d for effect sizes."""
    d: Magnitude | None = None
    """The first effect size of the result, level 1 where there are levels."""
    low: Magnitude | None = None
    """Bootstrap interval."""
    high: Magnitude | None = None
    p: Probability | None = None
    """Of the tail that the measure's rule reads."""
    two_sided: Probability | None = None
    holm: Probability | None = None
    """The two-sided p adjusted over its family."""
    bh: Probability | None = None
    significant: bool | None = None
    """Whether p is below the measure's alpha; None where there is no p."""
    pattern: str = ""
    """Label of the EAT pattern; "" where the measure has none."""

    @property
    def counts(self) -> bool:
        """Whether it has an effect size."""
        return self.status == "done" and self.d is not None


class StudyRecord(Record):
    """All specifications of a study, in the order of its grid.

    Examples
    --------
    >>> import eatlas
    >>> study = eatlas.multiverse({"tests": ["weat-6"], "choices": {"ddof": [1, 0]}})
    >>> [f"{one.d:.2f}" for one in study.record.specifications]
    ['1.72', '1.77']
    """

    schema_: Literal["eatlas/study/1"] = Field("eatlas/study/1", alias="schema")
    version: str
    plan_sha256: str
    title: str = ""
    question: str = ""
    notes: tuple[str, ...] = ()
    choices: dict[str, tuple[str, ...]]
    """Labels of the alternatives by choice, in the order of the plan."""
    over: tuple[str, ...] = ()
    """Choices whose alternatives are tests of one family."""
    alpha: float = Field(gt=0.0, lt=1.0)
    specifications: tuple[Specification, ...]

    @property
    def varying(self) -> tuple[str, ...]:
        """Choices that have more than one alternative."""
        return tuple(name for name, labels in self.choices.items() if len(labels) > 1)

    @property
    def measured(self) -> list[Specification]:
        """Specifications with an effect size d."""
        return [spec for spec in self.specifications if spec.counts and spec.symbol == "d"]

    def of(self, status: Status) -> tuple[Specification, ...]:
        """Return the specifications of a status."""
        return tuple(spec for spec in self.specifications if spec.status == status)

    def rows(self) -> list[dict[str, Any]]:
        """Rows of the table of choices: the choices, then what was found."""
        columns = {name: f"choice_{name}" if name in _TAKEN else name for name in self.choices}
        return [
            {
                "specification": spec.number,
                **{column: spec.choices.get(name, "") for name, column in columns.items()},
                "test_id": spec.test,
                **{column: getattr(spec, name) for name, column in _BEHIND.items()},
            }
            for spec in self.specifications
        ]

    def summaries(self) -> list[dict[str, Any]]:
        """Sum up all specifications, then those of each alternative of what varies.

        Numbers of different kinds are not summed up together: only effect sizes d count.
        """
        of_d = [spec for spec in self.specifications if spec.symbol == "d"]
        of_labels = [
            _summary([spec for spec in of_d if spec.choices.get(name) == label], name, label)
            for name in self.varying
            for label in self.choices[name]
        ]
        return [_summary(of_d), *of_labels]


_BEHIND = {name: name for name in (
    "status", "d", "low", "high", "p", "two_sided", "holm", "bh", "significant",
    "pattern", "metric", "symbol", "signature", "source", "line", "reason",
)} | {"d": "effect_size", "two_sided": "p_two_sided", "holm": "p_holm", "bh": "p_bh"}  # fmt: skip
"""Fields of a specification behind its choices, and what their columns are called."""
_TAKEN = {"specification", "test_id", *_BEHIND, *_BEHIND.values()}


def _summary(some: Sequence[Specification], choice: str = "", label: str = "") -> dict[str, Any]:
    """Sum up specifications that have the label of a choice in common."""
    effects = sorted(spec.d for spec in some if spec.counts and spec.d is not None)
    judged = [spec.significant for spec in some if spec.counts and spec.significant is not None]
    patterns = Counter(spec.pattern for spec in some if spec.status == "done" and spec.pattern)
    pattern, times = patterns.most_common(1)[0] if patterns else ("", 0)
    return {
        "choice": choice,
        "label": label,
        "number": len(effects),
        "median": statistics.median(effects) if effects else None,
        "least": effects[0] if effects else None,
        "greatest": effects[-1] if effects else None,
        "significant": sum(judged) / len(judged) if judged else None,
        "pattern": pattern,
        "share": times / patterns.total() if patterns else None,
    }


Share = Annotated[float, Field(ge=-1e-9, le=1.0 + 1e-9)]
Coefficient = Annotated[float, Field(ge=-1.0 - 1e-9, le=1.0 + 1e-9)]


class ChoiceShare(Record):
    """How much of the variance of d one choice explains, over the grid of this plan."""

    choice: str
    first: Share
    """Main effect: the variance of the means of its alternatives."""
    total: Share
    """With all its interactions: what is left when all other choices are known."""
    shapley: Coefficient
    """Shapley effect: interactions are shared out; all of them add up to `explained`."""


class PatternCounts(Record):
    """How often each EAT pattern occurs over the specifications of one test."""

    test: str
    """The test, as the plan calls it; "" for all of them."""
    counts: dict[str, int]
    mode: str
    share: Share
    """Of the most frequent pattern."""
    entropy: float = Field(ge=0.0)
    """In bits: 0 where all specifications show one pattern, at most log2(9) = 3.17."""


class MethodCorrelation(Record):
    """Correlation of the effect sizes of two alternatives over the same tests."""

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
    """Two alternatives of one choice, with all other choices the same."""

    choice: str
    first: str
    second: str
    n: int
    """Pairs of specifications that differ only in this choice."""
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
    """Proportion of the variance of d that all choices together explain."""
    shares: tuple[ChoiceShare, ...] = ()
    patterns: tuple[PatternCounts, ...] = ()
    contrasts: tuple[Contrast, ...] = ()
    correlations: tuple[MethodCorrelation, ...] = ()
    seed: int = 0
    """Of intervals."""
