"""PMI: how much more often targets occur with one group than with the other, in a text."""

from __future__ import annotations

import math
from dataclasses import KW_ONLY, dataclass
from statistics import NormalDist
from typing import Any, ClassVar

import numpy as np

from eatlas.errors import CoverageError, SourceError, listing
from eatlas.measures.base import FROM_0, SHARE, Input, Needs, parameter
from eatlas.measures.earlier import TargetMeasure, mean
from eatlas.notes import Note
from eatlas.results.levels import PValues
from eatlas.results.parts import finite, finite_ends
from eatlas.results.targets import Range, TargetValuesResult
from eatlas.stats.facets import ContrastTest
from eatlas.stats.permutation.problem import SMALLEST, normal_tails
from eatlas.stimuli.kinds import ALL, OF_TARGETS
from eatlas_corpora.results.pmi import Across, PMIResult
from eatlas_corpora.stats.by_document import document_tests

NEVER = "a count of 0, which pmi(smoothing=0.5) avoids"


@dataclass(frozen=True)
class PMI(TargetMeasure):
    """Difference of the pointwise mutual information of each target with two groups, in a text.

    Its source is a table of counts, as :func:`eatlas.count_text` and ``eatlas text`` make it.

    Parameters
    ----------
    smoothing : float, default 0.0
        Added to each of the four counts of a target: with either group, and of either group without
        the target. A target that is never with a group has no number at 0; 0.5 is common.
    confidence : float, default 0.95
        Of the intervals, between 0 and 1.
    groups : {"targets", "attributes"}, default "targets"
        Of an association test: whether its groups are X and Y, or A and B.

    Raises
    ------
    StimulusError
        If a test has more than two groups.
    SourceError
        If the table has no row of all that was counted.

    See Also
    --------
    eatlas.DivDist : With ``soa=counts``, shares of k groups against a reference.

    Notes
    -----
    Valentini, Rosati, Blasi, Fernandez Slezak and Altszyler (2023): with the counts n_wA and n_wB
    of a target w with either group, and n_A and n_B of the groups with any word ::

        PMI(w, A) - PMI(w, B) = log (n_wA / n_A) - log (n_wB / n_B)

    in nats, positive where w is more frequent near A. Of rare words it is close to the log odds
    ratio, whose standard error ``sqrt(1/n_wA + 1/n_wB + 1/(n_A - n_wA) + 1/(n_B - n_wB))`` gives
    the interval and, over it, the p-value of the log odds ratio (Wald). So it is for a table of
    counts, which are then taken as independent. Counts of :func:`eatlas.count_text` have those of
    each block of documents: intervals and p-values are over documents, and the number for all
    targets, which is their mean, is tested for other targets and documents as well. P-values of
    targets are adjusted over them by Holm's method.

    Examples
    --------
    >>> import eatlas
    >>> test = eatlas.GroupsTest(targets=["nurse"], groups={"Women": ["she"], "Men": ["he"]})
    >>> counts = {"nurse": {"Women": 30, "Men": 10}, "(all)": {"Women": 1000, "Men": 2000}}
    >>> print(eatlas.PMI()(test, counts).summary())
    PMI = 1.792, two-sided p = 7.5e-7
    """

    name: ClassVar[str] = "pmi"
    result_type: ClassVar[type[TargetValuesResult]] = PMIResult

    _: KW_ONLY
    smoothing: float = parameter(0.0, FROM_0, optional=True)
    confidence: float = parameter(0.95, SHARE, optional=True)

    @property
    def needs(self) -> Needs:
        """A table of counts, with its row of all."""
        return Needs(source="counts", words=(ALL,))

    def require_source(self, source: Any) -> None:
        """Refuse counts that lack the total counts of the groups."""
        if not source.counts(ALL):
            raise SourceError(
                f"the measure {self.name} needs the counts of each group with any word",
                got=f"{source.name}, which has no row {ALL}",
                allowed=f"a table with a row {ALL}, which eatlas text writes",
                remedy="count the text again, or add the row",
            )

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Difference of PMI with the interval and p of the log odds ratio, for each target."""
        terms, counts = given.coverage[OF_TARGETS].scored, np.asarray(given.counts, np.float64)
        rest = np.asarray(given.totals, np.float64) - counts
        if over := [term for term, row in zip(terms, rest, strict=True) if (row < 0).any()]:
            raise CoverageError(
                f"{self.name}: a target occurs more often with a group than all words do",
                got=listing(over),
                allowed=f"counts up to the counts in row {ALL}",
                remedy="count both from the same text, with the same tests",
            )
        counted, rest = counts + self.smoothing, rest + self.smoothing
        with np.errstate(divide="ignore", invalid="ignore"):
            shares, odds = np.log(counted / (counted + rest)), np.log(counted / rest)
            values, ratios = shares[:, 0] - shares[:, 1], odds[:, 0] - odds[:, 1]
            errors = np.sqrt((1 / counted + 1 / rest).sum(axis=1))
        defined = np.isfinite(values) & np.isfinite(errors)
        values, ratios, errors = (np.where(defined, x, np.nan) for x in (values, ratios, errors))
        reach = NormalDist().inv_cdf((1 + self.confidence) / 2)
        n = max(int(defined.sum()), 1)
        span = Range(unit="nats", neutral=0.0, larger=given.head["groups"][0])
        columns = (counts, values, errors, ratios / errors)
        more = [
            {
                "counts": tuple(row),
                "interval": _ends(value, error, reach),
                "p": None if math.isnan(z) else normal_tails(z)[2],
            }
            for row, value, error, z in zip(*(of.tolist() for of in columns), strict=True)
        ]
        value, error = mean(values), math.sqrt(np.nansum(errors**2)) / n
        p, whole = _p_values(mean(ratios), error), _ends(value, error, reach)
        tests = None
        if given.blocks is not None:
            tests = document_tests(given.blocks, self.smoothing, self.confidence)
        across = None
        if tests is not None:
            for row, ends, own in zip(
                more, tests.intervals.tolist(), tests.p.tolist(), strict=True
            ):
                row |= {"interval": finite_ends((ends[0], ends[1])), "p": finite(own)}
            p, across = _p_by_document(tests.whole), Across.of(tests)
            whole = across.interval
        return self.record(
            given, notes, value, values, span, p=p, more=more, reason=NEVER,
            confidence=self.confidence, interval=whole, across=across,
        )  # fmt: skip


def _ends(value: float, error: float, reach: float) -> tuple[float, float] | None:
    """A value with so many standard errors on either side."""
    return finite_ends((value - reach * error, value + reach * error))


def _p_by_document(test: ContrastTest) -> PValues | None:
    """P-values of the mean of the targets, for other documents."""
    if math.isnan(test.t):
        return None
    return PValues(
        greater=test.p_greater, less=test.p_less, two_sided=test.p_two_sided, method="wald",
        total=None, min_p=SMALLEST,
    )  # fmt: skip


def _p_values(ratio: float, error: float) -> PValues | None:
    """P-values of a log odds ratio over its standard error; None where there is none."""
    if not error or math.isnan(ratio):
        return None
    greater, less, two_sided = normal_tails(ratio / error)
    return PValues(
        greater=greater, less=less, two_sided=two_sided, method="wald", total=None, min_p=SMALLEST
    )
