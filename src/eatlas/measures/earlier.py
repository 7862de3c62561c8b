"""The measures before DivDist: a number for each target, and one for all of them.

RND, MAC, ECT and RNSB say how far targets are from groups of terms; direct and indirect bias, RIPA
and SemAxis where they are along one direction.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from importlib.util import find_spec
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import CoverageError, EatlasError, StimulusError, listing
from eatlas.measures.association import remarks, to_record
from eatlas.measures.base import (
    FROM_0,
    Allowed,
    Array,
    Compared,
    GroupsMeasure,
    Input,
    Needs,
    Pca,
    parameter,
    whole,
)
from eatlas.notes import Note
from eatlas.numbers import number_of
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
Relation = Literal["principal", "mean"]
Over = Literal["groups", "words"]
EVERY = ""
"""No word: every two of the targets are compared."""
THE_WORD = ""
"""Role of the word of a measure's own, which no group can have."""
WORD = Allowed("a word, or nothing", lambda value: isinstance(value, str))
ALIKE = 1e-12
"""The cosine of a word with itself lies that near to 1."""
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
    of_pairs: ClassVar[bool] = False
    """Whether it needs the test's pairs."""
    result_type: ClassVar[type[TargetValuesResult]] = EarlierResult
    """The record of its results."""

    def require_stimuli(self, test: Test) -> None:
        """Refuse a test of more than two groups, or without pairs, where these are needed."""
        super().require_stimuli(test)
        _, *groups = test.concepts.values()
        if self.two_groups and len(groups) != 2:
            raise StimulusError(
                f"the measure {self.name} compares two groups",
                got=f"the test {test.id} of {len(groups)}: {', '.join(one.name for one in groups)}",
                allowed="tests of two groups; mac takes any number",
                remedy="write one test for each two of the groups",
            )
        if self.of_pairs and not getattr(test, "pairs", ()):
            first, second = (one.terms[0] for one in groups)
            raise StimulusError(
                f"the measure {self.name} needs pairs of terms that differ in the group alone",
                got=f"the test {test.id}, which has none",
                allowed=f'one term of each group, such as pairs = [["{first}", "{second}"]]',
                remedy="write them into a test of groups, which in Python "
                "eatlas.GroupsTest.of_association(test, pairs=...) makes of an association test",
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
        """P-values of a statistic over relabellings of the terms of all groups.

        `statistic` takes the weights of all terms in the mean of each group, shape (relabellings,
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
        Random relabellings behind the p-values, where there are more than 20,000 in all; 0 for no
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
    RND = 0.00209, two-sided p = 0.921; targets from businesswoman (-0.11) to businessman (0.108)
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
            """Distances of the targets from weighted sums of terms, by dot products alone."""
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
    A1 ... Ak ::

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
class DirectBias(RawOrUnit):
    """Direct bias: how much of the targets is along the direction between two groups.

    Parameters
    ----------
    strictness : float, default 1.0
        The exponent c of the paper, from 0, which counts every target that is not at right angles
        to the direction.
    vectors : {"unit", "raw"}, default "unit"
        The pairs as the paper has them, scaled to length 1; or as the source has them.
    pca : {"uncentred", "centred"}, default "uncentred"
        The first principal component of the differences of the pairs as they are, as the paper has
        it; or less their mean, as in the code of Bommasani and Liang (2022) and wherever a library
        takes the PCA of differences.
    groups : {"targets", "attributes"}, default "targets"
        Of an association test: whether its groups are X and Y, or A and B.

    Raises
    ------
    StimulusError
        If a test has more than two groups, or no pairs.
    CoverageError
        If no pair has a vector for both of its terms, or no pair differs.

    Notes
    -----
    Bolukbasi, Chang, Zou, Saligrama and Kalai (2016), section 5.2: with vectors of length 1 and the
    direction g of the pairs, the first principal component of the pairs each centred on its own
    mean ::

        DirectBias = mean over targets w of |cos(w, g)|^c

    From 0 to 1. The number of a target is its cosine with g, and positive on the side of the first
    group.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("divdist-face-validity")
    >>> print(eatlas.DirectBias()(test, "glove-sample").summary())
    Direct bias = 0.188; targets from businessman (-0.295) to businesswoman (0.276)
    """

    name: ClassVar[str] = "direct-bias"
    of_pairs: ClassVar[bool] = True

    strictness: float = parameter(1.0, FROM_0)
    _: KW_ONLY
    vectors: Vectors = parameter("unit", Vectors, optional=True)
    pca: Pca = parameter("uncentred", Pca, optional=True)

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Cosine of each target with the direction of the pairs, and their mean size."""
        targets, direction = given.rows[OF_TARGETS], principal(given, notes, self.pca)
        if self.vectors == "raw":
            targets = kernels.unit_rows(targets)
        values = kernels.associations(targets, direction)
        size = mean(np.abs(values) ** self.strictness)
        span = Range(unit="cosine", low=0.0, high=1.0, neutral=0.0)
        return self.record(given, notes, size, values, span, each=cosine_range(given))


@dataclass(frozen=True)
class IndirectBias(TargetMeasure):
    """Indirect bias: the share of the similarity of two words that is along a direction.

    Parameters
    ----------
    word : str, optional
        Compared with each other target, such as softball in the paper. By default every two targets
        are compared, and the number of a target is the median over the others.
    pca : {"uncentred", "centred"}, default "uncentred"
        As in :class:`eatlas.DirectBias`.
    groups : {"targets", "attributes"}, default "targets"
        Of an association test: whether its groups are X and Y, or A and B.

    Raises
    ------
    StimulusError
        If a test has more than two groups, or no pairs.
    CoverageError
        If no pair has a vector for both of its terms, no pair differs, or the word has no vector.

    Notes
    -----
    Bolukbasi, Chang, Zou, Saligrama and Kalai (2016), section 5.3: with vectors w and v of length 1
    and what is left of them, w' and v', without their part along the direction g ::

        beta(w, v) = (w . v - w' . v' / (|w'| |v'|)) / (w . v)

    0 where the direction plays no part in their similarity, 1 where it is all of it; without
    limits where they are hardly similar, so the number for all is the median.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("divdist-face-validity")
    >>> print(eatlas.IndirectBias(word="secretary")(test, "glove-sample").summary())
    Indirect bias = -0.00265; targets from dancer (-1.6) to businessman (0.169)
    """

    name: ClassVar[str] = "indirect-bias"
    minimum: ClassVar = {"targets": 2, "groups": 1}
    of_pairs: ClassVar[bool] = True

    word: str = parameter(EVERY, WORD)
    _: KW_ONLY
    pca: Pca = parameter("uncentred", Pca, optional=True)

    @property
    def needs(self) -> Needs:
        """The word that targets are compared with."""
        return Needs(words=(self.word,) if self.word else (), contexts="written")

    def arranged(
        self, vectors: dict[str, Array], coverage: Coverage, words: Mapping[str, Array]
    ) -> dict[str, Any]:
        """Unit rows, that of the word among them."""
        if self.word:
            vectors = {**vectors, THE_WORD: words[self.word][None]}
        return super().arranged(vectors, coverage, words)

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Part of each similarity that the direction explains, and medians of them."""
        targets, direction = given.rows[OF_TARGETS], principal(given, notes, self.pca)
        others = given.rows[THE_WORD] if self.word else targets
        shares = share_along_direction(targets, others, direction)
        if self.word:
            # a target that is the word itself has all of its similarity
            itself = kernels.associations(targets, others[0]) > 1 - ALIKE
            every = values = np.where(itself, np.nan, shares[:, 0])
        else:
            apart = ~np.eye(len(targets), dtype=bool)
            every = shares[np.triu(apart)]
            values = np.array([median(row[keep]) for row, keep in zip(shares, apart, strict=True)])
        span = Range(unit="share of a similarity", neutral=0.0)
        return self.record(given, notes, median(every), values, span)


@dataclass(frozen=True)
class RIPA(RawOrUnit):
    """Relational inner product association of each target with pairs of terms.

    Parameters
    ----------
    relation : {"principal", "mean"}, default "principal"
        The relation vector of several pairs: the first principal component of their differences, as
        the paper has it; or the mean of their directions, which gives the mean over pairs.
    pca : {"uncentred", "centred"}, default "uncentred"
        Of ``relation=principal`` alone: as in :class:`eatlas.DirectBias`.
    vectors : {"raw", "unit"}, default "raw"
        As the source has them, as in the paper; or scaled to length 1.
    groups : {"targets", "attributes"}, default "targets"
        Of an association test: whether its groups are X and Y, or A and B.

    Raises
    ------
    StimulusError
        If a test has more than two groups, or no pairs.
    CoverageError
        If no pair has a vector for both of its terms, or no pair differs.

    Notes
    -----
    Ethayarajh, Duvenaud and Hirst (2019): the inner product of a target w with the
    relation vector b, which for one pair (x, y) is ``(x - y) / |x - y|``. Positive on the side of
    the first group. The number for all targets is the mean, as WEFE takes it; the paper has none.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("divdist-face-validity")
    >>> print(eatlas.RIPA()(test, "glove-sample").summary())
    RIPA = 0.0667; targets from businessman (-1.51) to nurse (1.39)
    """

    name: ClassVar[str] = "ripa"
    of_pairs: ClassVar[bool] = True

    relation: Relation = parameter("principal", Relation)
    _: KW_ONLY
    pca: Pca = parameter("uncentred", Pca, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.relation == "mean":
            self.check("pca", Allowed("uncentred, with relation=mean", lambda x: x == "uncentred"))

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Inner product of each target with the relation vector."""
        if self.relation == "principal":
            relation = principal(given, notes, self.pca)
        else:
            first, second = pairs_of(given, notes)
            apart = first - second
            differ = lengths(apart) > 0
            require_direction(differ.any())
            relation = kernels.mean_row(kernels.unit_rows(apart[differ]))
        values = kernels.associations(given.rows[OF_TARGETS], relation)
        limit = 1.0 if self.vectors == "unit" else None
        ends = {"low": limit and -limit, "high": limit, "larger": given.head["groups"][0]}
        span = Range(unit="inner product", neutral=0.0, **ends)
        return self.record(given, notes, mean(values), values, span)


@dataclass(frozen=True)
class SemAxis(RawOrUnit):
    """SemAxis: the cosine of each target with the axis from the second to the first group.

    Parameters
    ----------
    vectors : {"raw", "unit"}, default "raw"
        Whether the means of the groups are over vectors as the source has them.
    permutations : int, default 10,000
        Random relabellings behind the p-values, where there are more than 20,000 in all; 0 for no
        p-values.
    groups : {"targets", "attributes"}, default "targets"
        Of an association test: whether its groups are X and Y, or A and B.

    Raises
    ------
    StimulusError
        If a test has more than two groups.

    Notes
    -----
    An, Kwak and Ahn (2018): ``cos(w, g1 - g2)`` with the means g1 and g2 of the vectors
    of the groups. Their step of adding the nearest neighbours of the poles is left to the user, who
    may add terms to the groups. The number for all targets is the mean; the p-values relabel the
    terms of the two groups.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("divdist-face-validity")
    >>> eatlas.SemAxis()(test, "glove-sample").summary().split("; ")[1]
    'targets from businessman (-0.272) to businesswoman (0.298)'
    """

    name: ClassVar[str] = "semaxis"

    _: KW_ONLY
    permutations: int = parameter(10_000, whole(0), optional=True)

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Cosine of each target with the difference of the two means."""
        targets = given.rows[OF_TARGETS]
        first, second = map(kernels.mean_row, groups_of(given))
        values = cosines(targets, first - second)
        rows = np.concatenate([in_order(group) for group in groups_of(given)])
        towards, among = kernels.mean_row(kernels.unit_rows(targets)) @ rows.T, rows @ rows.T

        def mean_cosine(first: Array, second: Array) -> Array:
            """Mean cosine for each relabelling, by dot products."""
            weights = first - second
            squares = np.add.reduce((weights @ among) * weights, axis=1)
            return np.asarray((weights @ towards) / np.sqrt(np.maximum(squares, TINY)))

        p = self.permutation_p_values(given, notes, self.permutations, mean_cosine)
        return self.record(given, notes, mean(values), values, cosine_range(given), p=p)


def k_sample_test(
    statistic: Statistic, sizes: Sequence[int], permutations: int, given: Input
) -> permutation.PermutationResult:
    """Tails of a statistic of the weights in each of k groups, over relabellings."""

    def of(labels: NDArray[np.intp]) -> Array:
        return statistic(*((labels == g) / size for g, size in enumerate(sizes)))

    observed = float(of(np.repeat(np.arange(len(sizes)), sizes)[None])[0])
    values = np.concatenate(
        [of(ls) for ls in labels_of(sizes, permutations=permutations, rng=given.rng)]
    )
    return permutation.tails_of_values(values, observed, relabellings(sizes), given.precision)


def principal(given: Input, notes: list[Note], pca: Pca) -> Array:
    """Direction along which the test's pairs differ most, from the second to the first group."""
    first, second = pairs_of(given, notes)
    direction = kernels.pair_direction(first, second, centred=pca == "centred")
    if pca == "centred" and np.any(first != second) and not np.any(direction):
        raise CoverageError(
            "there is no direction in which the pairs differ from their mean difference",
            got=f"{number_of(len(first), 'pair')} with the same difference",
            allowed="two pairs or more, whose differences differ",
            remedy="name more pairs, or leave pca=centred out",
        )
    require_direction(np.any(direction))
    along = math.fsum(kernels.associations(first - second, direction))
    if pca == "centred":
        mean_difference = kernels.mean_row(first - second)
        length = math.sqrt(math.fsum(mean_difference * mean_difference))
        cosine = abs(along) / len(first) / length if length else 0.0
        notes.append(Note("measure.centred-pairs", values={"cosine": cosine}))
    return -direction if along < 0 else direction


def require_direction(there: object) -> None:
    """Refuse pairs none of which differs."""
    if not there:
        raise CoverageError(
            "there is no direction between the groups",
            got="the terms of each pair of the test have one vector",
            remedy="name pairs of terms whose vectors differ",
        )


def share_along_direction(targets: Array, others: Array, direction: Array) -> Array:
    """Share of each similarity that is along a direction, shape (targets, others).

    NaN where two are at right angles, or one is on the direction.
    """
    along = [kernels.associations(rows, direction) for rows in (targets, others)]
    rest = [
        rows - part[:, None] * direction
        for rows, part in zip((targets, others), along, strict=True)
    ]
    similar = kernels.similarities(targets, others)
    with np.errstate(divide="ignore", invalid="ignore"):
        left = kernels.similarities(*rest) / np.outer(*map(lengths, rest))
        found = np.asarray((similar - left) / similar)
    return np.where(np.isfinite(found), found, np.nan)


def pairs_of(given: Input, notes: list[Note]) -> tuple[Array, Array]:
    """Rows of the pairs whose terms both have a vector, in an order of their own."""
    first, second = (
        dict(zip(given.coverage[group].scored, given.rows[group], strict=True))
        for group in given.head["groups"]
    )
    pairs = sorted(given.head["pairs"])
    usable = [(a, b) for a, b in pairs if a in first and b in second]
    lost = [" and ".join(pair) for pair in pairs if tuple(pair) not in usable]
    if not usable:
        raise CoverageError(
            "no pair of the test has a vector for both of its terms",
            got=listing(lost),
            remedy="name pairs of terms that the source has",
        )
    if lost:
        notes.append(Note("coverage.pairs", values={"pairs": lost}))
    return np.array([first[a] for a, _ in usable]), np.array([second[b] for _, b in usable])


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
