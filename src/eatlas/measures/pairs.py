"""Measures along the direction in which pairs of terms differ: direct and indirect bias, RIPA."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from eatlas import kernels
from eatlas.errors import CoverageError, StimulusError, listing
from eatlas.measures.base import FROM_0, Allowed, Array, Compared, Input, Needs, Pca, parameter
from eatlas.measures.earlier import (
    RawOrUnit,
    TargetMeasure,
    Vectors,
    cosine_range,
    lengths,
    mean,
    median,
)
from eatlas.notes import Note
from eatlas.numbers import number_of
from eatlas.results.parts import Coverage
from eatlas.results.targets import Range, TargetValuesResult
from eatlas.stimuli import GroupsTest, Test
from eatlas.stimuli.kinds import OF_TARGETS

Relation = Literal["principal", "mean"]
Pairs = Literal["test", "order"]
"""The pairs of the test; or the first term of one group with the first of the other, and so on."""
EVERY = ""
"""No word: every two of the targets are compared."""
THE_WORD = ""
"""Role of the word of a measure's own, which no group can have."""
WORD = Allowed("a word, or nothing", lambda value: isinstance(value, str))
ALIKE = 1e-12
"""The cosine of a word with itself lies that near to 1."""


@dataclass(frozen=True)
class PairsMeasure(TargetMeasure):
    """A measure along the direction in which pairs of terms differ, such as she and he."""

    _: KW_ONLY
    pairs: Pairs = parameter("test", Pairs, optional=True)
    groups: Compared = parameter("attributes", Compared, optional=True)

    def reads(self, test: Test) -> Test:
        """A test of groups, with its terms paired in their order if `pairs` says so."""
        test = super().reads(test)
        if self.pairs == "test" or not isinstance(test, GroupsTest):
            return test
        return test.model_copy(update={"pairs": pairs_in_order(test)})

    def require_stimuli(self, test: Test) -> None:
        """Refuse a test without pairs."""
        super().require_stimuli(test)
        if getattr(test, "pairs", ()):
            return
        _, first, second = test.concepts.values()
        by_hand = (
            "name the pairs in a test of groups, or in Python by "
            "eatlas.GroupsTest.of_association(test, pairs=...)"
        )
        if len(first.terms) != len(second.terms):
            raise StimulusError(
                f"the measure {self.name} needs pairs of terms that differ only in their group",
                got=f"the test {test.id}, which names none; {first.name} has "
                f"{number_of(len(first.terms), 'term')}, {second.name} {len(second.terms)}",
                allowed="pairs that the test names; pairs=order for groups of one size",
                remedy=by_hand,
            )
        in_order = zip(first.terms, second.terms, strict=True)
        some = ", ".join(" and ".join(pair) for pair, _ in zip(in_order, range(3), strict=False))
        raise StimulusError(
            f"the measure {self.name} needs pairs of terms that differ only in their group",
            got=f"the test {test.id}, which names none",
            allowed="pairs that the test names, or terms that are paired in their order",
            remedy=f"{self.name}(pairs=order) pairs the terms of {first.name} and {second.name} in "
            f"their order: {some}, and so on; or {by_hand}",
        )

    def record(
        self, given: Input, notes: list[Note], *found: Any, **fields: Any
    ) -> TargetValuesResult:
        """Make the record of a result; a note says which pairs the order of terms makes."""
        if self.pairs == "order":
            pairs = [" and ".join(pair) for pair in given.head["pairs"]]
            notes.append(Note("measure.pairs-in-order", values={"pairs": pairs}))
        return super().record(given, notes, *found, **fields)


@dataclass(frozen=True)
class DirectBias(PairsMeasure, RawOrUnit):
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
    pairs : {"test", "order"}, default "test"
        The pairs that the test names; or its terms in their order: the first term of A with the
        first of B, the second with the second, and so on.
    groups : {"targets", "attributes"}, default "attributes"
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
    Direct bias = 0.188; targets from businessman (−0.295) to businesswoman (0.276)
    """

    name: ClassVar[str] = "direct-bias"

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
class IndirectBias(PairsMeasure):
    """Indirect bias: the share of the similarity of two words that is along a direction.

    Parameters
    ----------
    word : str, optional
        Compared with each other target, such as softball in the paper. By default every two targets
        are compared, and the number of a target is the median over the others.
    pca : {"uncentred", "centred"}, default "uncentred"
        As in :class:`eatlas.DirectBias`.
    pairs : {"test", "order"}, default "test"
        The pairs that the test names; or its terms in their order: the first term of A with the
        first of B, the second with the second, and so on.
    groups : {"targets", "attributes"}, default "attributes"
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
    Indirect bias = −0.003; targets from dancer (−1.604) to businessman (0.169)
    """

    name: ClassVar[str] = "indirect-bias"
    minimum: ClassVar = {"targets": 2, "groups": 1}

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
class RIPA(PairsMeasure, RawOrUnit):
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
    pairs : {"test", "order"}, default "test"
        The pairs that the test names; or its terms in their order: the first term of A with the
        first of B, the second with the second, and so on.
    groups : {"targets", "attributes"}, default "attributes"
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
    RIPA = 0.067; targets from businessman (−1.510) to nurse (1.392)
    """

    name: ClassVar[str] = "ripa"

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


def principal(given: Input, notes: list[Note], pca: Pca) -> Array:
    """Direction along which the test's pairs differ most, from the second to the first group."""
    first, second = pairs_of(given, notes)
    direction = kernels.pair_direction(first, second, centred=pca == "centred")
    if pca == "centred" and np.any(first != second) and not np.any(direction):
        raise CoverageError(
            "there is no direction in which the pairs differ from their mean difference",
            got=f"{number_of(len(first), 'pair')} with the same difference",
            allowed="two pairs or more, with different differences",
            remedy="add pairs, or remove pca=centred",
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
            remedy="use pairs of terms whose vectors differ",
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
            remedy="use pairs of terms that are in the source",
        )
    if lost:
        notes.append(Note("coverage.pairs", values={"pairs": lost}))
    return np.array([first[a] for a, _ in usable]), np.array([second[b] for _, b in usable])


def pairs_in_order(test: GroupsTest) -> tuple[tuple[str, ...], ...]:
    """The first terms of all groups, the second ones, and so on; none if groups differ in size."""
    terms = [group.terms for group in test.groups]
    return tuple(zip(*terms, strict=True)) if len({*map(len, terms)}) == 1 else ()
