"""RND, MAC, ECT and RNSB: how far targets are from groups of terms."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from eatlas import kernels
from eatlas.errors import EatlasError
from eatlas.measures.base import Allowed, Array, Input, is_number, parameter
from eatlas.measures.target_values import (
    RawOrUnit,
    RelabelledMeasure,
    TargetMeasure,
    Vectors,
    groups_of,
    in_order,
    mean,
)
from eatlas.notes import Note
from eatlas.results.targets import Range
from eatlas.stats.paired import ranks, spearman
from eatlas.stimuli.kinds import OF_TARGETS

if TYPE_CHECKING:
    from eatlas.results.targets import TargetValuesResult

Distance = Literal["euclidean", "cosine"]
ABOVE_0 = Allowed("a number above 0", lambda value: is_number(value) and value > 0)


@dataclass(frozen=True)
class RND(RelabelledMeasure):
    """Relative norm distance of each target from the means of two groups.

    Parameters
    ----------
    distance : {"euclidean", "cosine"}, default "euclidean"
        Distances from the two means, or cosines with them.
    vectors : {"unit", "raw"}, default "unit"
        As the paper has them, scaled to length 1; or as the source has them.
    draws : int, default 10,000
        Random relabellings behind the p-values, where there are more than 20,000 in all; 0 for no
        p-values.

    Raises
    ------
    SignatureError
        If a parameter has no such value.
    StimulusError
        If a test has more than two groups.

    Notes
    -----
    Garg, Schiebinger, Jurafsky and Zou (2018), Materials and Methods: with the mean g1 of the
    vectors of the first group, and g2 of the second, the distance of a target w is ::

        ||w - g1|| - ||w - g2||

    Negative numbers are closer to the first group. With cosines it is ``cos(w, g1) - cos(w, g2)``,
    and positive numbers are closer to the first group. The number for all targets is the mean; the
    paper takes the sum. The p-values relabel the terms of the two groups.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("divdist-face-validity")
    >>> print(eatlas.RND()(test, "glove-sample").summary())
    RND = 0.00209, two-sided p = 0.921; targets from businesswoman (-0.11) to businessman (0.108)
    """

    name: ClassVar[str] = "rnd"

    distance: Distance = parameter("euclidean", Distance)
    vectors: Vectors = parameter("unit", Vectors)

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Distance of each target from both means, and the mean of their differences."""
        targets, groups = given.rows[OF_TARGETS], groups_of(given)
        means = map(kernels.mean_row, groups)
        measured = cosines if self.distance == "cosine" else distances
        near = np.stack([measured(targets, point) for point in means], axis=1)
        values = near[:, 0] - near[:, 1]
        from_means = by_weights(
            in_order(targets), np.concatenate(list(map(in_order, groups))), self.distance
        )
        p = self.relabelled(
            given,
            notes,
            lambda first, second: (from_means(first) - from_means(second)).mean(axis=0),
        )
        cosine, (first, second) = self.distance == "cosine", given.head["groups"]
        limit = 2.0 if cosine or self.vectors == "unit" else None
        span = Range(
            unit="cosine" if cosine else "distance",
            low=limit and -limit,
            high=limit,
            neutral=0.0,
            larger=first if cosine else second,
        )
        return self.found(given, notes, mean(values), values, span, association=near, p=p)


@dataclass(frozen=True)
class MAC(TargetMeasure):
    """Mean average cosine distance of targets from groups.

    Raises
    ------
    CoverageError
        If a group has no term with a vector.

    Notes
    -----
    Manzini, Lim, Tsvetkov and Black (2019): of targets T and groups of attributes
    A1 ... Ak ::

        MAC(T, A) = 1 / (|T| k) sum over t, j of S(t, Aj),
        S(t, Aj) = mean over a in Aj of (1 - cos(t, a))

    From 0 to 2; 1 is what orthogonal vectors have, and is taken for no bias. The number of a target
    is its mean over the groups.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("divdist-face-validity")
    >>> round(eatlas.MAC()(test, "glove-sample").value, 3)
    0.718
    """

    name: ClassVar[str] = "mac"
    two_groups: ClassVar[bool] = False

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Distance of each target from each group, and the mean of all."""
        targets = given.rows[OF_TARGETS]
        means = [kernels.mean_row(group) for group in groups_of(given)]
        away = np.stack([1 - kernels.associations(targets, point) for point in means], axis=1)
        values = np.array([mean(row) for row in away])
        span = Range(unit="cosine distance", low=0.0, high=2.0, neutral=1.0)
        return self.found(given, notes, mean(values), values, span, association=away)


@dataclass(frozen=True)
class ECT(RawOrUnit):
    """Embedding coherence test: whether targets have one order by their nearness to two groups.

    Parameters
    ----------
    vectors : {"raw", "unit"}, default "raw"
        Whether the means of the groups are over vectors as the source has them.

    Raises
    ------
    SignatureError
        If a parameter has no such value.
    StimulusError
        If a test has more than two groups.

    Notes
    -----
    Dev and Phillips (2019): Spearman's rank correlation of the cosines of the targets
    with the mean of the first group and with that of the second. 1 is what no bias has. The number
    of a target is its rank by the first group less that by the second, and positive where it is
    closer to the first group than its rank among all by the second says.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("divdist-face-validity")
    >>> round(eatlas.ECT()(test, "glove-sample").value, 3)
    0.5
    """

    name: ClassVar[str] = "ect"
    minimum: ClassVar = {"targets": 2, "groups": 1}

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Cosine of each target with both means, and the correlation of the two orders."""
        targets, names = given.rows[OF_TARGETS], given.head["groups"]
        near = [cosines(targets, kernels.mean_row(group)) for group in groups_of(given)]
        known = all(np.isfinite(point).all() for point in near)
        most = float(len(targets) - 1)
        return self.found(
            given,
            notes,
            spearman(*near) if known else math.nan,
            ranks(near[0]) - ranks(near[1]) if known else np.full(len(targets), np.nan),
            Range(unit="rank correlation", low=-1.0, high=1.0, neutral=1.0),
            each=Range(unit="ranks", low=-most, high=most, neutral=0.0, larger=names[0]),
            association=np.stack(near, axis=1),
        )


@dataclass(frozen=True)
class RNSB(RawOrUnit):
    """Relative negative sentiment bias: how unequally targets are taken for negative.

    A classifier learns the two groups, the first of positive and the second of negative words;
    then it says how likely each target is negative. Needs scikit-learn.

    Parameters
    ----------
    vectors : {"raw", "unit"}, default "raw"
        What the classifier learns from: vectors as the source has them, or scaled to length 1.
    penalty : float, default 1.0
        Inverse strength of the classifier's L2 penalty, scikit-learn's C.

    Raises
    ------
    EatlasError
        If scikit-learn is not installed.
    SignatureError
        If a parameter has no such value.
    StimulusError
        If a test has more than two groups.

    Notes
    -----
    Sweeney and Najafian (2019): with the probability f(w) that a logistic regression
    gives to the negative class, RNSB is the Kullback-Leibler divergence, in nats, of
    ``f(w) / sum of f`` from the uniform distribution over the targets: 0 where all are equally
    negative, at most the logarithm of their number. The regression is L2-penalised with its
    intercept (liblinear), and learns from all terms of both groups, so that nothing is random.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("weat-1")
    >>> of_garden = eatlas.GroupsTest.of_association(test)
    >>> eatlas.RNSB()(of_garden, "glove-sample").whole.unit
    'nats'
    """

    name: ClassVar[str] = "rnsb"

    _: KW_ONLY
    penalty: float = parameter(1.0, ABOVE_0, optional=True)

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Probability that each target is negative, and its divergence from an equal one."""
        positive, negative = map(in_order, groups_of(given))
        probabilities = self._classified(positive, negative, given.rows[OF_TARGETS])
        shares = probabilities[:, 1] / math.fsum(probabilities[:, 1])
        parts = [share * math.log(share * len(shares)) for share in shares.tolist() if share]
        most = math.log(len(shares))
        return self.found(
            given,
            notes,
            max(math.fsum(parts), 0.0),
            probabilities[:, 1],
            Range(unit="nats", low=0.0, high=most, neutral=0.0),
            each=Range(unit="probability", low=0.0, high=1.0, larger=given.head["groups"][1]),
            association=probabilities,
        )

    def _classified(self, positive: Array, negative: Array, targets: Array) -> Array:
        """Probability of both classes for each target, shape (targets, 2)."""
        try:
            from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (optional, 1 s)
        except ImportError as error:
            raise EatlasError(
                "the measure rnsb needs scikit-learn", remedy="pip install 'eatlas[probes]'"
            ) from error
        classifier = LogisticRegression(
            solver="liblinear", C=self.penalty, tol=PRECISE, max_iter=MOST_STEPS
        )
        labels = np.repeat([0, 1], [len(positive), len(negative)])
        classifier.fit(np.concatenate([positive, negative]), labels)
        return np.asarray(classifier.predict_proba(targets), np.float64)


PRECISE = 1e-10
"""Tolerance of the classifier, far below what a reader of the number sees."""
MOST_STEPS = 10_000
TINY = np.finfo(np.float64).tiny
"""In place of a squared length of 0, so that cosines with such a sum are 0."""
ROUNDING = 1e-14
"""Length of a mean of rows that cancel, relative to that of a row; 1e-16 was seen."""


def lengths(rows: Array) -> Array:
    """Euclidean length of each row."""
    return np.asarray(np.sqrt(np.add.reduce(rows * rows, axis=1)))


def distances(rows: Array, point: Array) -> Array:
    """Euclidean distance of each row from a point."""
    return lengths(rows - point)


def by_weights(targets: Array, terms: Array, distance: Distance) -> Callable[[Array], Array]:
    """Distances of targets from weighted sums of terms, by dot products alone."""
    products, among = targets @ terms.T, terms @ terms.T
    squares = np.add.reduce(targets**2, axis=1)[:, None]

    def measured(weights: Array) -> Array:
        along = products @ weights.T
        norms = np.add.reduce((weights @ among) * weights, axis=1)
        if distance == "cosine":
            return np.asarray(along / np.sqrt(squares * np.maximum(norms, TINY)))
        return np.asarray(np.sqrt(np.maximum(squares - 2 * along + norms, 0.0)))

    return measured


def cosines(rows: Array, direction: Array) -> Array:
    """Cosine of each row with a direction; NaN where that has no length but for rounding."""
    size, sizes = math.sqrt(math.fsum(direction * direction)), lengths(rows)
    if size <= ROUNDING * sizes.max():
        return np.full(len(rows), np.nan)
    return np.asarray(kernels.associations(rows, direction) / (sizes * size))
