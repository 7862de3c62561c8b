"""Records of whether cosines mean anything in a space: of a whole source, or of a test's terms.

When a space makes cosines doubtful: limits, each with the evidence for it.

From ``benchmarks/anisotropy_study.py``: tests of 8 terms a group with a planted EAT pattern, in
spaces of growing anisotropy. A limit is where the pattern is named rightly in 80% of the tests in
which it is without anisotropy. The tables stand in the documentation, under Diagnosis.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from eatlas.notes import Note, Noted
from eatlas.results.parts import Record, finite, is_empty

Array = NDArray[np.float64]

MEAN_COSINE = 0.3
"""Mean cosine of random pairs of a source; of one test, the smallest of its four level 3 means,
because words of one topic raise the others in any space. 80% is reached at .32 with a vector that
all words share, at .33 with three loud dimensions with means, at .24 with one; level 2 and with it
the pattern dissolve into differences of length, while level 1 holds."""
ISO_SCORE = 0.2
"""IsoScore, from above. 80% is reached at .16 with one loud dimension, .33 with three and .13 with
a power law of the principal components; level 1 is lost further on. The estimate from the terms of
one test has the same limit; of 25 tests of four groups on GloVe 6B of 50 and 100 dimensions, where
the IsoScore is .77 and .58, it is lowest for weat-9, .39."""
LOUD_DIMENSION = 0.25
"""Proportion of one dimension in the squared length. With one loud dimension 80% is reached at .18
(no mean) to .25 (with a mean). GloVe 6B of 50 dimensions has .18 among the words of weat-7."""
LOUD_RATIO = 5.0
"""How many times its even share, 1 / d, a loud dimension must also have: in spaces of fewer than
20 dimensions a quarter is nothing unusual."""
ROGUE_SHARE = 0.5
"""Proportion of one dimension in the mean cosine, from which on it is named as the cause. It says
nothing where the mean is small: dimension 30 of GloVe 6B, 50 dimensions, has 73% of a mean of
.22."""
SHARED_MEAN = 0.05
"""Mean cosine below which proportions of it are noise: contributions of both signs cancel."""
ALIKE_MEAN, ALIKE_SD = 0.9, 0.05
"""Level 3 means and standard deviations by which Wolfe, Hiniker and Howe (2024) call GPT-2
unsuited to cosines. In their Tables 3 and 5 to 8, GPT-2 base and medium have means of .97 to .99
with standard deviations up to .02; the models that they accept have means up to .51."""

SCHEMA: Literal["eatlas/diagnosis/1"] = "eatlas/diagnosis/1"
DECIMALS = 6
"""Kept of each figure: the last bits of sums depend on the machine and on the order of words."""


class Dimension(Record):
    """What one dimension does to the cosines."""

    dimension: int
    """Its position in the vectors, from 0."""
    contribution: float
    """What it adds to the mean cosine."""
    share: float | None
    """Contribution over mean cosine; None where the mean is too small to be shared."""
    length: float
    """Its mean share in the squared length of a vector; 1 / d in an isotropic space."""
    loud: bool
    """Whether that proportion exceeds the limit."""

    @classmethod
    def of(cls, i: int, contributions: Array, lengths: Array) -> Self:
        """Describe dimension `i` of a space, given each dimension's contribution and length."""
        mean, length = float(contributions.sum()), round(float(lengths[i]), DECIMALS)
        share = float(contributions[i]) / mean if mean >= SHARED_MEAN else math.nan
        return cls(
            dimension=i,
            contribution=round(float(contributions[i]), DECIMALS),
            share=finite(share, DECIMALS),
            length=length,
            loud=length >= max(LOUD_DIMENSION, LOUD_RATIO / len(lengths)),
        )


class RankBand(Record):
    """Mean cosine among words of similar rank in the source."""

    first: int
    """Rank of the first word, from 1."""
    last: int
    mean_cosine: float | None
    """None where the band has fewer than two usable vectors."""


class ComponentShares(Record):
    """Proportion of the variance in the first principal components."""

    top1: float
    top3: float
    top10: float


class TermsDiagnosis(Record):
    """Cosines of one test's own terms; it describes these terms, not the source they come from."""

    terms: int
    """Vectors that were looked at."""
    mean_cosine: float
    """Mean over all pairs of a target and an attribute."""
    sd_cosine: float
    """Standard deviation over the same pairs."""
    lowest_mean: float
    """The smallest of the four level 3 means."""
    largest_sd: float | None
    """The largest of the four level 3 standard deviations; None where each is of one cosine."""
    alike: bool
    """Whether all level 3 means are near 1 with almost no spread."""
    iso_score: float | None
    """IsoScore of the space as estimated from the directions in which targets and attributes both
    spread within their groups; None for groups of fewer than three."""
    rogue: Dimension
    """The dimension that contributes most to the mean cosine."""
    loudest: Dimension
    """The dimension with the largest share in the squared length."""

    def __repr__(self) -> str:
        return (
            f"<Diagnosis of {self.terms} terms: mean cosine {self.mean_cosine:.2f}, level 3 means "
            f"from {self.lowest_mean:.2f}, IsoScore {_figure(self.iso_score)}, "
            f"{len(self.remarks())} warnings>"
        )

    def remarks(self) -> tuple[Note, ...]:
        """What a reader should know before trusting the cosines."""
        lowest, sd = self.lowest_mean, self.largest_sd
        return tuple(_remarks(self, lowest, sd, self.rogue, "diagnosis", self.terms))


class Diagnosis(Record):
    """Whether cosines mean anything in a source, over all its vectors."""

    schema_version: Literal["eatlas/diagnosis/1"] = Field(default=SCHEMA, alias="schema")
    source: str
    """Source string of the vectors, or the name that they were given."""
    source_from: str = Field(default="", exclude_if=is_empty)
    """Source string of vectors that were given a name; empty where `source` is one."""
    source_fingerprint: str
    version: str
    """Version of eatlas."""
    dim: int
    vectors: int
    """Vectors that the figures are about."""
    zero: int
    """Vectors of length 0, left out."""
    mean_cosine: float
    """Over all pairs: the expected cosine of two words taken at random."""
    sd_cosine: float
    alike: bool
    """Whether cosines are near 1 with almost no spread, as ML-EAT's level 3 would show."""
    bands: tuple[RankBand, ...]
    """Mean cosine by rank in the source, which stands for frequency."""
    iso_score: float | None
    """1 where all directions vary alike, 0 where one has all variance; None for fewer vectors than
    dimensions."""
    effective_dimensions: float | None
    variance: ComponentShares | None
    """None where the vectors do not vary."""
    rogue: tuple[Dimension, ...]
    """The dimensions that contribute most to the mean cosine."""
    loudest: Dimension
    """The dimension with the largest share in the squared length."""
    warnings: tuple[Noted, ...] = ()
    """What a reader should know."""

    def called(self, name: str) -> Diagnosis:
        """The same under a name of the source; as it is for an empty one."""
        if not name:
            return self
        return self.model_copy(update={"source": name, "source_from": self.source})

    def __repr__(self) -> str:
        return (
            f"<Diagnosis of {self.source}: {self.vectors:,} vectors of {self.dim}, mean cosine "
            f"{self.mean_cosine:.2f}, IsoScore {_figure(self.iso_score)}, "
            f"{len(self.warnings)} warnings>"
        )

    def remarks(self) -> tuple[Note, ...]:
        """Return the warnings that the figures call for."""
        return tuple(_remarks(self, self.mean_cosine, self.sd_cosine, self.rogue[0]))


def _remarks(
    record: Diagnosis | TermsDiagnosis,
    lowest: float,
    sd: float | None,
    rogue: Dimension,
    place: str = "",
    terms: int | None = None,
) -> Iterator[Note]:
    """What passes a limit, in a source or among so many terms."""
    about = {"terms": terms}
    if record.alike:
        yield Note("space.alike", place, {**about, "mean": lowest, "sd": sd})
    elif lowest >= MEAN_COSINE:
        caused = rogue.share is not None and rogue.share >= ROGUE_SHARE
        mean = {"lowest": lowest, "mean": record.mean_cosine, "limit": MEAN_COSINE}
        cause = {"dimension": rogue.dimension if caused else None, "share": rogue.share}
        yield Note("space.mean", place, {**about, **mean, **cause})
    if record.iso_score is not None and record.iso_score <= ISO_SCORE:
        score = {"iso_score": record.iso_score, "limit": ISO_SCORE}
        yield Note("space.iso-score", place, {**about, **score})
    if record.loudest.loud:
        loudest = {"dimension": record.loudest.dimension, "share": record.loudest.length}
        yield Note("space.loud", place, {**about, **loudest, "limit": LOUD_DIMENSION})


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
