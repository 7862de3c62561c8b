"""The measures before DivDist: a number for each target, and one for all of them.

RND, MAC, ECT and RNSB say how far targets are from groups of terms, SemAxis where they are along
one direction. Measures along the direction of pairs are in :mod:`eatlas.measures.pairs`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from importlib.util import find_spec
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import EatlasError, StimulusError
from eatlas.measures.association import remarks, to_record
from eatlas.measures.base import (
    Array,
    Compared,
    GroupsMeasure,
    Input,
    Needs,
    parameter,
    whole,
)
from eatlas.notes import Note
from eatlas.results.effects import DEFAULT_ALPHA
from eatlas.results.levels import PValues
from eatlas.results.parts import Coverage, GroupCoverage, finite
from eatlas.results.targets import EarlierResult, Range, TargetValue, TargetValuesResult
from eatlas.stats import permutation
from eatlas.stats.correlation import ranks, spearman
from eatlas.stats.shares import labels_of, relabellings
from eatlas.stimuli import Test
from eatlas.stimuli.kinds import OF_TARGETS

Vectors = Literal["raw", "unit"]
"""Vectors as the source has them, or scaled to length 1."""
Distance = Literal["euclidean", "cosine"]
Over = Literal["groups", "words"]
PRECISE = 1e-10
"""Tolerance of the classifier, far below what a reader of the number sees."""
MOST_STEPS = 10_000
TINY = np.finfo(np.float64).tiny
"""In place of a squared length of 0, so that cosines with such a sum are 0."""
ROUNDING = 1e-14
"""Length of a mean of rows that cancel, relative to that of a row; 1e-16 was seen."""
Statistic = Callable[..., Array]
"""The number for all targets, for each row of the arrays of weights of all terms in each group."""


@dataclass(frozen=True)
class TargetMeasure(GroupsMeasure):
    """A measure that gives one number for each target, and one for all of them."""

    two_groups: ClassVar[bool] = True
    """Whether it compares two groups, and takes no test of more."""
    result_type: ClassVar[type[TargetValuesResult]] = EarlierResult
    """The record of its results."""

    def require_stimuli(self, test: Test) -> None:
        """Refuse a test of more than two groups, where two are compared."""
        super().require_stimuli(test)
        _, *groups = test.concepts.values()
        if self.two_groups and len(groups) != 2:
            raise StimulusError(
                f"the measure {self.name} compares two groups",
                got=f"the test {test.id} of {len(groups)}: {', '.join(one.name for one in groups)}",
                allowed="tests of two groups; mac takes any number",
                remedy="write one test for each pair of groups",
            )

    def record(  # noqa: PLR0913  (fields of a record)
        self,
        given: Input,
        notes: list[Note],
        value: float,
        values: NDArray[np.floating],
        overall: Range,
        *,
        each: Range | None = None,
        association: Array | None = None,
        p: PValues | None = None,
        more: Sequence[Mapping[str, Any]] = (),
        reason: str = "",
        **fields: Any,
    ) -> TargetValuesResult:
        """Make the record of a result; what is not finite is undefined, and a note says so.

        `overall` says how `value`, the number for all targets, is read, and `each` how `values`
        are, one a target; `association` has the shape (targets, groups). `more` are other fields of
        each target, `reason` is why one may be undefined, and `fields` are others of the record.
        """
        terms, number = given.coverage[OF_TARGETS].scored, finite(value)
        by_group = [None] * len(terms) if association is None else association.tolist()
        targets = tuple(
            TargetValue(
                term=term,
                association=near and tuple(map(finite, near)),
                value=finite(own),
                **rest,
            )
            for term, near, own, rest in zip(
                terms, by_group, values.tolist(), more or [{}] * len(terms), strict=True
            )
        )
        if undefined := [target.term for target in targets if target.value is None]:
            lost = {"measure": self.name, "terms": undefined, "reason": reason}
            notes.append(Note("undefined.targets", "targets", lost))
        if number is None:
            notes.append(Note("undefined.value", "value", {"measure": self.name}))
        return self.result_type(
            **given.head,
            measure=self.name,
            value=number,
            p_values=None if number is None else p,
            whole=overall,
            each=each or overall,
            targets=targets,
            **fields,
        )

    def permutation_p_values(
        self, given: Input, notes: list[Note], permutations: int, statistic: Statistic
    ) -> PValues | None:
        """P-values of a statistic over permutations of the terms of all groups.

        `statistic` takes the weights of all terms in the mean of each group, shape (permutations,
        terms) each. None in tests of sentences, as those of one stimulus are not independent; and
        where no draws are wanted.
        """
        groups = [given.coverage[name] for name in given.head["groups"]]
        sizes = [len(group.used) for group in groups]

        def test() -> permutation.PermutationResult:
            if len(sizes) > 2:
                return k_sample_test(statistic, sizes, permutations, given)
            return permutation.generic_permutation_test(
                lambda of_first: statistic(of_first / sizes[0], ~of_first / sizes[1]),
                sum(sizes),
                sizes[0],
                permutations=permutations,
                rng=given.rng,
                precision=given.precision,
            )

        return self.run_test(notes, permutations, groups, sizes, test)

    def run_test(
        self,
        notes: list[Note],
        permutations: int,
        permuted: Iterable[GroupCoverage],
        sizes: Sequence[int],
        test: Callable[[], permutation.PermutationResult],
    ) -> PValues | None:
        """P-values of a test of what is permuted, with remarks."""
        if not permutations:
            return None
        if any(group.stimulus for group in permuted):
            notes.append(Note("p.sentences", "value", {"measure": self.name}))
            return None
        p = to_record(test())
        notes.extend(remarks(p, "value", sizes, DEFAULT_ALPHA))
        return p


@dataclass(frozen=True)
class RawOrUnit(TargetMeasure):
    """A measure that depends on whether vectors keep their lengths."""

    vectors: Vectors = parameter("raw", Vectors)

    def arranged(
        self, vectors: dict[str, Array], coverage: Coverage, words: Mapping[str, Array]
    ) -> dict[str, Any]:
        """Rows as they are, or of length 1."""
        if self.vectors == "unit":
            return super().arranged(vectors, coverage, words)
        return {"rows": {role: np.asarray(rows, np.float64) for role, rows in vectors.items()}}


@dataclass(frozen=True)
class RND(RawOrUnit):
    """Relative norm distance of each target from the means of two groups.

    Parameters
    ----------
    distance : {"euclidean", "cosine"}, default "euclidean"
        Distances from the two means, or cosines with them.
    vectors : {"unit", "raw"}, default "unit"
        As the paper has them, scaled to length 1; or as the source has them.
    permutations : int, default 10,000
        Random permutations behind the p-values, where there are more than 20,000 in all; 0 for no
        p-values.
    groups : {"targets", "attributes"}, default "targets"
        Of an association test: whether its groups are X and Y, or A and B.

    Raises
    ------
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
    RND = 0.002, two-sided p = .92; targets from businesswoman (−0.110) to businessman (0.108)
    """

    name: ClassVar[str] = "rnd"

    distance: Distance = parameter("euclidean", Distance)
    vectors: Vectors = parameter("unit", Vectors)
    _: KW_ONLY
    permutations: int = parameter(10_000, whole(0), optional=True)

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Distance of each target from both means, and the mean of their differences."""
        targets, groups = given.rows[OF_TARGETS], groups_of(given)
        cosine, (first, second) = self.distance == "cosine", given.head["groups"]
        means = [kernels.mean_row(group) for group in groups]
        near = np.stack(
            [cosines(targets, m) if cosine else lengths(targets - m) for m in means], axis=1
        )
        values = near[:, 0] - near[:, 1]
        ordered, terms = in_order(targets), np.concatenate([in_order(group) for group in groups])
        products, among = ordered @ terms.T, terms @ terms.T
        squares = np.add.reduce(ordered**2, axis=1)[:, None]

        def from_mean(weights: Array) -> Array:
            """Distances of the targets from weighted sums of terms, using only dot products."""
            along = products @ weights.T
            norms = np.add.reduce((weights @ among) * weights, axis=1)
            if cosine:
                return np.asarray(along / np.sqrt(squares * np.maximum(norms, TINY)))
            return np.asarray(np.sqrt(np.maximum(squares - 2 * along + norms, 0.0)))

        p = self.permutation_p_values(
            given, notes, self.permutations, lambda a, b: (from_mean(a) - from_mean(b)).mean(axis=0)
        )
        limit = 2.0 if cosine or self.vectors == "unit" else None
        span = Range(
            unit="cosine" if cosine else "distance",
            low=limit and -limit,
            high=limit,
            neutral=0.0,
            larger=first if cosine else second,
        )
        return self.record(given, notes, mean(values), values, span, association=near, p=p)


@dataclass(frozen=True)
class MAC(TargetMeasure):
    """Mean average cosine distance of targets from groups.

    Parameters
    ----------
    over : {"groups", "words"}, default "groups"
        What the number of a target is the mean over: the groups, as in the paper; or the words of
        all groups, of which the larger groups have more, as in the code of Bommasani and Liang
        (2022).
    groups : {"targets", "attributes"}, default "attributes"
        Of an association test: whether its groups are X and Y, or A and B.

    Raises
    ------
    CoverageError
        If a group has no term with a vector.

    Notes
    -----
    Manzini, Lim, Tsvetkov and Black (2019): of targets T and groups of attributes
    A1 ... Ak, which may share terms, ::

        MAC(T, A) = 1 / (|T| k) sum over t, j of S(t, Aj),
        S(t, Aj) = mean over a in Aj of (1 - cos(t, a))

    From 0 to 2; 1 is what orthogonal vectors have, and is taken for no bias. The number of a target
    is its mean over the groups, or over all their words: with groups of one size both are the same.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("divdist-face-validity")
    >>> round(eatlas.MAC()(test, "glove-sample").value, 3)
    0.718
    """

    name: ClassVar[str] = "mac"
    two_groups: ClassVar[bool] = False
    takes_shared_terms: ClassVar[bool] = True

    _: KW_ONLY
    over: Over = parameter("groups", Over, optional=True)
    groups: Compared = parameter("attributes", Compared, optional=True)

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Distance of each target from each group, and the mean of all."""
        targets, groups = given.rows[OF_TARGETS], groups_of(given)
        means = [kernels.mean_row(group) for group in groups]
        away = np.stack([1 - kernels.associations(targets, point) for point in means], axis=1)
        if self.over == "words":
            every = kernels.mean_row(np.concatenate(groups))
            values = 1 - kernels.associations(targets, every)
        else:
            values = np.array([mean(row) for row in away])
        span = Range(unit="cosine distance", low=0.0, high=2.0, neutral=1.0)
        return self.record(given, notes, mean(values), values, span, association=away)


@dataclass(frozen=True)
class ECT(RawOrUnit):
    """Embedding coherence test: whether targets have one order by their nearness to two groups.

    Parameters
    ----------
    vectors : {"raw", "unit"}, default "raw"
        Whether the means of the groups are over vectors as the source has them.
    groups : {"targets", "attributes"}, default "targets"
        Of an association test: whether its groups are X and Y, or A and B.

    Raises
    ------
    StimulusError
        If a test has more than two groups.

    Notes
    -----
    Dev and Phillips (2019): Spearman's rank correlation of the cosines of the targets
    with the mean of the first group and with the mean of the second. 1 means no bias. The number
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
        return self.record(
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
    """Relative negative sentiment bias: how unequally a classifier calls targets negative.

    A classifier learns the two groups, the first of positive and the second of negative words;
    then it says how likely each target is negative. Needs scikit-learn.

    Parameters
    ----------
    vectors : {"raw", "unit"}, default "raw"
        What the classifier learns from: vectors as the source has them, or scaled to length 1.
    groups : {"targets", "attributes"}, default "attributes"
        Of an association test: whether its groups are X and Y, or A and B.

    Raises
    ------
    EatlasError
        If scikit-learn is not installed.
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
    groups: Compared = parameter("attributes", Compared, optional=True)

    def require_source(self, source: Any) -> None:  # noqa: ARG002
        """Refuse any source without scikit-learn."""
        if find_spec("sklearn") is None:
            raise EatlasError(
                "the measure rnsb needs scikit-learn",
                remedy="pip install 'eatlas[probes]'",
            )

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Probability that each target is negative, and its divergence from an equal one."""
        from sklearn.linear_model import LogisticRegression  # noqa: PLC0415  (optional, 1 s)

        positive, negative = map(in_order, groups_of(given))
        classifier = LogisticRegression(solver="liblinear", tol=PRECISE, max_iter=MOST_STEPS)
        labels = np.repeat([0, 1], [len(positive), len(negative)])
        classifier.fit(np.concatenate([positive, negative]), labels)
        of_classes = np.asarray(classifier.predict_proba(given.rows[OF_TARGETS]), np.float64)
        probabilities = of_classes[:, 1]
        shares = probabilities / math.fsum(probabilities)
        parts = [share * math.log(share * len(shares)) for share in shares.tolist() if share]
        return self.record(
            given,
            notes,
            max(math.fsum(parts), 0.0),
            probabilities,
            Range(unit="nats", low=0.0, high=math.log(len(shares)), neutral=0.0),
            each=Range(unit="probability", low=0.0, high=1.0, larger=given.head["groups"][1]),
            association=of_classes,
        )


@dataclass(frozen=True)
class SemAxis(RawOrUnit):
    """SemAxis: the cosine of each target with the axis from the second to the first group.

    Parameters
    ----------
    vectors : {"raw", "unit"}, default "raw"
        Whether the means of the groups are over vectors as the source has them.
    permutations : int, default 10,000
        Random permutations behind the p-values, where there are more than 20,000 in all; 0 for no
        p-values.
    neighbours : int, default 0
        Soften the poles: each term of a group is the mean of its vector and the vectors of so many
        nearest words of the source by cosine. The paper takes 10. Results list the words.
    groups : {"targets", "attributes"}, default "targets"
        Of an association test: whether its groups are X and Y, or A and B.

    Raises
    ------
    StimulusError
        If a test has more than two groups.
    SourceError
        With `neighbours`, if the source cannot list its words, such as a model of texts.

    Notes
    -----
    An, Kwak and Ahn (2018): ``cos(w, g1 - g2)`` with the means g1 and g2 of the vectors
    of the groups. The number for all targets is the mean; the p-values relabel the terms of the
    two groups.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("divdist-face-validity")
    >>> eatlas.SemAxis()(test, "glove-sample").summary().split("; ")[1]
    'targets from businessman (−0.272) to businesswoman (0.298)'
    """

    name: ClassVar[str] = "semaxis"

    _: KW_ONLY
    permutations: int = parameter(10_000, whole(0), optional=True)
    neighbours: int = parameter(0, whole(0), optional=True)

    @property
    def needs(self) -> Needs:
        """Vectors of words, and nearest words of terms of the groups."""
        return replace(super().needs, neighbours=self.neighbours)

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Cosine of each target with the difference of the two means."""
        targets = given.rows[OF_TARGETS]
        first, second = map(kernels.mean_row, groups_of(given))
        values = cosines(targets, first - second)
        rows = np.concatenate([in_order(group) for group in groups_of(given)])
        towards, among = kernels.mean_row(kernels.unit_rows(targets)) @ rows.T, rows @ rows.T

        def mean_cosine(first: Array, second: Array) -> Array:
            """Mean cosine for each permutation, by dot products."""
            weights = first - second
            squares = np.add.reduce((weights @ among) * weights, axis=1)
            return np.asarray((weights @ towards) / np.sqrt(np.maximum(squares, TINY)))

        p = self.permutation_p_values(given, notes, self.permutations, mean_cosine)
        return self.record(given, notes, mean(values), values, cosine_range(given), p=p)


def k_sample_test(
    statistic: Statistic, sizes: Sequence[int], permutations: int, given: Input
) -> permutation.PermutationResult:
    """Tails of a statistic of the weights in each of k groups, over permutations."""

    def of(labels: NDArray[np.intp]) -> Array:
        return statistic(*((labels == g) / size for g, size in enumerate(sizes)))

    observed = float(of(np.repeat(np.arange(len(sizes)), sizes)[None])[0])
    values = np.concatenate(
        [of(ls) for ls in labels_of(sizes, permutations=permutations, rng=given.rng)]
    )
    return permutation.tails_of_values(values, observed, relabellings(sizes), given.precision)


def groups_of(given: Input) -> list[Array]:
    """Rows of each group, in the order of the test."""
    return [given.rows[name] for name in given.head["groups"]]


def cosine_range(given: Input) -> Range:
    """Range of a cosine that is positive on the side of the first group."""
    larger = given.head["groups"][0]
    return Range(unit="cosine", low=-1.0, high=1.0, neutral=0.0, larger=larger)


def cosines(rows: Array, direction: Array) -> Array:
    """Cosine of each row with a direction; NaN where that has no length but for rounding."""
    size, sizes = math.sqrt(math.fsum(direction * direction)), lengths(rows)
    if size <= ROUNDING * sizes.max():
        return np.full(len(rows), np.nan)
    return np.asarray(kernels.associations(rows, direction) / (sizes * size))


def lengths(rows: Array) -> Array:
    """Euclidean length of each row."""
    return np.asarray(np.sqrt(np.add.reduce(rows * rows, axis=1)))


def in_order(rows: Array) -> Array:
    """The rows in an order that depends on them alone, for sums that are not fixed otherwise."""
    return rows[np.lexsort(rows.T[::-1])]


def mean(values: NDArray[np.floating]) -> float:
    """Mean of the values that are defined, in any order the same; NaN where none is."""
    known = [value for value in values.tolist() if not math.isnan(value)]
    return math.fsum(known) / len(known) if known else math.nan


def median(values: NDArray[np.floating]) -> float:
    """Median of the values that are defined; NaN where none is."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else math.nan
