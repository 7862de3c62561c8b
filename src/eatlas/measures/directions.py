"""Direct and indirect bias, RIPA and SemAxis: where targets are along one direction."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import CoverageError
from eatlas.measures.base import FROM_0, Allowed, Array, Input, Needs, parameter
from eatlas.measures.distances import TINY, cosines, lengths
from eatlas.measures.target_values import (
    RawOrUnit,
    RelabelledMeasure,
    TargetMeasure,
    groups_of,
    in_order,
    mean,
    pairs_of,
    signed_cosine,
)
from eatlas.notes import Note
from eatlas.results.parts import Coverage
from eatlas.results.targets import Range
from eatlas.stimuli.kinds import OF_TARGETS

if TYPE_CHECKING:
    from eatlas.results.targets import TargetValuesResult

Relation = Literal["principal", "mean"]
EVERY = ""
"""No word: every two of the targets are compared."""
THE_WORD = ""
"""Role of the word of a measure's own, which no group can have."""
ALIKE = 1e-12
"""The cosine of a word with itself lies that near to 1."""
WORD = Allowed("a word, or nothing", lambda value: isinstance(value, str))


@dataclass(frozen=True)
class DirectBias(TargetMeasure):
    """Direct bias: how much of the targets is along the direction between two groups.

    Parameters
    ----------
    strictness : float, default 1.0
        The exponent c of the paper, from 0, which counts every target that is not at right angles
        to the direction.

    Raises
    ------
    SignatureError
        If a parameter has no such value.
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

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Cosine of each target with the direction of the pairs, and their mean size."""
        values = kernels.associations(given.rows[OF_TARGETS], principal(given, notes))
        size = mean(np.abs(values) ** self.strictness)
        span = Range(unit="cosine", low=0.0, high=1.0, neutral=0.0)
        return self.found(given, notes, size, values, span, each=signed_cosine(given))


@dataclass(frozen=True)
class IndirectBias(TargetMeasure):
    """Indirect bias: the share of the similarity of two words that is along a direction.

    Parameters
    ----------
    word : str, optional
        Compared with each other target, such as softball in the paper. By default every two targets
        are compared, and the number of a target is the median over the others.

    Raises
    ------
    SignatureError
        If a parameter has no such value.
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
        targets, direction = given.rows[OF_TARGETS], principal(given, notes)
        others = given.rows[THE_WORD] if self.word else targets
        shares = explained(targets, others, direction)
        if self.word:
            # a target that is the word itself has all of its similarity
            itself = kernels.associations(targets, others[0]) > 1 - ALIKE
            every = values = np.where(itself, np.nan, shares[:, 0])
        else:
            apart = ~np.eye(len(targets), dtype=bool)
            every = shares[np.triu(apart)]
            values = np.array([median(row[keep]) for row, keep in zip(shares, apart, strict=True)])
        span = Range(unit="share of a similarity", neutral=0.0)
        return self.found(given, notes, median(every), values, span)


@dataclass(frozen=True)
class RIPA(RawOrUnit):
    """Relational inner product association of each target with pairs of terms.

    Parameters
    ----------
    relation : {"principal", "mean"}, default "principal"
        The relation vector of several pairs: the first principal component of their differences, as
        the paper has it; or the mean of their directions, which gives the mean over pairs.
    vectors : {"raw", "unit"}, default "raw"
        As the source has them, as in the paper; or scaled to length 1.

    Raises
    ------
    SignatureError
        If a parameter has no such value.
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

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Inner product of each target with the relation vector."""
        if self.relation == "principal":
            relation = principal(given, notes)
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
        return self.found(given, notes, mean(values), values, span)


@dataclass(frozen=True)
class SemAxis(RelabelledMeasure):
    """SemAxis: the cosine of each target with the axis from the second to the first group.

    Parameters
    ----------
    vectors : {"raw", "unit"}, default "raw"
        Whether the means of the groups are over vectors as the source has them.
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

    def compute(self, given: Input, notes: list[Note]) -> TargetValuesResult:
        """Cosine of each target with the difference of the two means."""
        targets = given.rows[OF_TARGETS]
        first, second = map(kernels.mean_row, groups_of(given))
        values = cosines(targets, first - second)
        rows = np.concatenate([in_order(group) for group in groups_of(given)])
        towards, among = kernels.mean_row(kernels.unit_rows(targets)) @ rows.T, rows @ rows.T

        def relabelled(first: Array, second: Array) -> Array:
            """Mean cosine for each relabelling, by dot products."""
            weights = first - second
            squares = np.add.reduce((weights @ among) * weights, axis=1)
            return np.asarray((weights @ towards) / np.sqrt(np.maximum(squares, TINY)))

        p = self.relabelled(given, notes, relabelled)
        return self.found(given, notes, mean(values), values, signed_cosine(given), p=p)


def principal(given: Input, notes: list[Note]) -> Array:
    """Direction along which the test's pairs differ most, from the second to the first group."""
    first, second = pairs_of(given, notes)
    direction = kernels.pair_direction(first, second)
    require_direction(np.any(direction))
    along = math.fsum(kernels.associations(first - second, direction))
    return -direction if along < 0 else direction


def require_direction(there: object) -> None:
    """Refuse pairs none of which differs."""
    if not there:
        raise CoverageError(
            "there is no direction between the groups",
            got="the terms of each pair of the test have one vector",
            remedy="name pairs of terms whose vectors differ",
        )


def explained(targets: Array, others: Array, direction: Array) -> Array:
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


def median(values: NDArray[np.floating]) -> float:
    """Median of the values that are defined; NaN where none is."""
    known = values[~np.isnan(values)]
    return float(np.median(known)) if len(known) else math.nan
