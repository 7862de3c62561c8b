"""Measures of association: parameters, effect sizes with p-values of two groups, EAT patterns.

What associates a target with an attribute is a dot product of rows that stand for the terms, so
that levels 1 to 3 are computed alike: cosine takes unit vectors, projection takes their coordinates
along one direction. The nine EAT patterns are from Wolfe, Hiniker and Howe (2024), section
"EAT Patterns" and Figure 2.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np

from eatlas.errors import SignatureError
from eatlas.measures.base import (
    FLAG,
    FROM_0,
    SHARE,
    Allowed,
    Array,
    Input,
    Measure,
    Needs,
    parameter,
    whole,
)
from eatlas.notes import Note
from eatlas.results.levels import (
    Level,
    PValues,
)
from eatlas.results.parts import TAILS
from eatlas.stats.bootstrap import PatternRule, TailRule
from eatlas.stats.effect_size import effect_size, unequal_spread
from eatlas.stats.permutation import (
    DRAWING,
    DRAWS,
    GUARANTEE,
    METHODS,
    STUDENTISED_METHODS,
    PermutationResult,
    permutation_test,
)
from eatlas.stats.regression import welch_permutation_test

Statistic = Literal["difference", "studentised"]
"""What is compared over permutations."""
Adjust = Literal["frequency", "none"]
"""Whether associations are also found adjusted for the frequency of the words."""
DECIMALS = 6
"""Kept of figures whose own error is larger by far."""
_remembered = lru_cache(maxsize=4096)(permutation_test)
"""Of methods that draw nothing at random: measures that differ in what they make of a p-value, such
as the tail or the threshold of a pattern, ask the same question."""
MOST_BITS = 13_000
"""Of a whole number in a result: 3,914 digits. Python's own reader refuses 4,301."""


@dataclass(frozen=True)
class AssociationMeasure(Measure):
    """A measure of association between targets and attributes; a frozen value.

    Parameters
    ----------
    alpha : float
        Significance level, between 0 and 1.
    ddof : {1, 0}
        Denominator of the standard deviation in the effect size: N - ddof.
    p : {"auto", "exact", "sampled", "normal"}
        How p-values are found; ``auto`` counts, inverts or draws, and the result says what it
        did. The others reproduce published work.
    permutations : int
        Random permutations, where `p` is ``sampled``.
    strict : bool
        Count only permutations beyond the observed statistic, without those that tie with it.
    statistic : {"difference", "studentised"}
        What is relabelled: the difference of the two means, or that difference divided by its
        standard error (Janssen 1997; Chung and Romano 2013) on the normal scale of its degrees of
        freedom, which allows for groups that differ
        in size and in spread. Studentised p-values are counted or drawn at random.
    adjust : {"frequency", "none"}
        Whether effect sizes and p-values are also found adjusted for the frequency of the words,
        and for the covariates of a run.
    """

    kind: ClassVar[str] = "association"
    compared: ClassVar[tuple[str, ...]] = ("X", "A")
    """First groups of the pairs whose scores are compared: X with Y, A with B."""

    alpha: float = parameter(0.05, SHARE)
    ddof: int = parameter(1, Allowed("1 or 0", lambda ddof: type(ddof) is int and ddof in {0, 1}))
    p: str = parameter("auto", Allowed(", ".join(METHODS), lambda value: value in METHODS))
    _: KW_ONLY
    permutations: int = parameter(DRAWS, whole(1), optional=True)
    strict: bool = parameter(default=False, allowed=FLAG, optional=True)
    statistic: Statistic = parameter("difference", Statistic, optional=True)
    adjust: Adjust = parameter("frequency", Adjust, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.statistic == "studentised" and self.p not in STUDENTISED_METHODS:
            raise SignatureError(
                f"{self.name}: a studentised statistic needs an exact or sampled permutation test",
                got=f"p={self.p}, statistic=studentised",
                allowed=f"p={', p='.join(STUDENTISED_METHODS)}; or statistic=difference",
            )

    def idle(self) -> set[str]:
        """Parameters that the signature leaves out."""
        return super().idle() - ({"permutations"} if self.p in DRAWING else set())

    @property
    def needs(self) -> Needs:
        """Vectors, and ranks of words by frequency."""
        return Needs(ranks="ranks")

    def level(
        self,
        first: Array,
        second: Array,
        place: str,
        notes: list[Note],
        given: Input,
        answer: PermutationResult | None = None,
        *,
        spread: bool = True,
    ) -> Level:
        """Effect size and permutation p-values of two groups of scores.

        Pass `answer` if the p-values are computed in another way. Without `spread`, nothing warns
        about groups that differ in size and spread.
        """
        scores, n = np.concatenate([first, second]), (len(first), len(second))
        scale, precision = given.magnitude, given.precision
        difference, d = effect_size(scores, n[0], ddof=self.ddof, scale=scale, precision=precision)
        p = to_record(answer or self.permutation_test(scores, n[0], given, scale))
        if np.isnan(d):
            notes.append(Note("undefined.effect-size", place))
        else:
            notes.extend(remarks(p, place, n, self.alpha))
            if spread and self.statistic == "difference":
                notes.extend(of_spread(first, second, place))
        return Level(effect_size=None if np.isnan(d) else d, difference=difference, n=n, p=p)

    def permutation_test(
        self, scores: Array, n: int, given: Input, scale: float, error: float = GUARANTEE
    ) -> PermutationResult:
        """P-values of the first `n` scores against the others, as the parameters find them.

        `error` comes from :func:`permutation_test`, for p-values whose counts are not shown.
        """
        if self.statistic == "difference" and self.p not in DRAWING:
            return _remembered(
                tuple(scores.tolist()),
                n,
                method=self.p,
                scale=scale,
                strict=self.strict,
                precision=given.precision,
                error=error,
            )
        test = permutation_test if self.statistic == "difference" else welch_permutation_test
        return test(
            scores,
            n,
            method=self.p,
            scale=scale,
            strict=self.strict,
            rng=given.rng,
            permutations=self.permutations,
            precision=given.precision,
        )


@dataclass(frozen=True)
class PatternMeasure(AssociationMeasure):
    """A measure that says which of two associations at level 2 are there.

    Parameters
    ----------
    tail, threshold
        As in :class:`eatlas.MLEAT`.
    """

    tail: TailRule = parameter("directional", TailRule)
    threshold: float = parameter(0.2, FROM_0)

    @property
    def rule(self) -> PatternRule:
        """When a target counts as associated."""
        return PatternRule(self.alpha, self.threshold, self.tail, self.ddof)


def to_record(answer: PermutationResult) -> PValues:
    """Write down three tails: p, method, and the count or the stated error of each."""
    tails = {name: getattr(answer, name) for name in TAILS}
    methods = {name: tail.method for name, tail in tails.items()}
    columns = {
        "count": {name: json_count(tail.count) for name, tail in tails.items()},
        **{
            key: {name: getattr(tail, key) for name, tail in tails.items()}
            for key in ("rel_err", "interval", "permutations")
        },
    }
    fields: dict[str, Any] = {
        **{name: tail.p for name, tail in tails.items()},
        **{key: column for key, column in columns.items() if set(column.values()) != {None}},
        "method": methods if len(set(methods.values())) > 1 else answer.greater.method,
        "total": json_count(answer.total),
        "min_p": answer.min_p,
    }
    return PValues.model_validate(fields)


def json_count(count: int | None) -> int | None:
    """A count that a reader of JSON takes."""
    return None if count is None or count.bit_length() > MOST_BITS else count


def of_spread(first: Array, second: Array, place: str) -> Iterator[Note]:
    """What a reader must know of groups that differ in size and clearly in spread."""
    if values := unequal_spread(first, second):
        yield Note("p.unequal-spread", place, values)


def remarks(p: PValues, place: str, design: Sequence[int], alpha: float) -> Iterator[Note]:
    """What a reader must know of these p-values before comparing them with alpha."""
    values = {"sizes": list(design), "total": p.total, "alpha": alpha}
    zero = [name for name in TAILS if p.count_of(name) == 0]
    if zero:
        yield Note("p.strict-zero", place, {"tails": zero})
    elif p.min_p >= alpha:
        yield Note("p.design", place, {**values, "least": p.min_p})
    elif len(design) == 2 and design[0] == design[1] and 2 * p.min_p >= alpha:
        # of groups of one size every subset has a mirror image, so two-sided counts are even
        yield Note("p.design-two-sided", place, {**values, "least": 2 * p.min_p})
    permutations = p.permutations and p.permutations.greater
    if permutations and 1 / (permutations + 1) >= alpha:
        values = {"permutations": permutations, "least": 1 / (permutations + 1), "alpha": alpha}
        yield Note("p.permutations", place, values)
