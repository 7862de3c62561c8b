"""A diagnosis of a space for people: every figure with what it means, and a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from eatlas.results.diagnosis import (
    ALIKE_MEAN,
    ALIKE_SD,
    ISO_SCORE,
    LOUD_DIMENSION,
    LOUD_RATIO,
    MEAN_COSINE,
    Diagnosis,
    RankBand,
)


class Reading(NamedTuple):
    """One figure."""

    figure: str
    value: str
    meaning: str
    doubtful: bool | None = None
    """Whether it passes its limit; None where it has none, or is undefined."""


def verdict(diagnosis: Diagnosis) -> str:
    """Whether cosines can be read in this space, in a sentence or two."""
    if passed := sum(reading.doubtful is True for reading in readings(diagnosis)):
        figures = "one figure passes its limit" if passed == 1 else f"{passed} pass their limits"
        return f"Cosines are doubtful here: {figures}."
    usable = "No figure passes its limit: cosines look usable here."
    alike = " and ".join(_places(band) for band in diagnosis.bands if _doubtful(band))
    if not alike:
        return usable
    return (
        f"{usable} Words {alike} of the source share a direction, though: the result of a test of "
        "such words warns of it."
    )


def readings(d: Diagnosis) -> list[Reading]:
    """Every figure of a diagnosis with what it means."""
    return [*_of_cosines(d), *_of_directions(d)]


def _of_cosines(d: Diagnosis) -> Iterator[Reading]:
    """How alike vectors are, of all words and by rank."""
    yield Reading(
        "Mean cosine of two words",
        f"{d.mean_cosine:.3f} (sd {d.sd_cosine:.3f})",
        "Over all pairs, whatever the words. 0: the vectors point in all directions alike; 1: all "
        f"in one. From {MEAN_COSINE} on, EAT patterns get lost; level 1 changes little.",
        d.mean_cosine >= MEAN_COSINE,
    )
    if d.bands:  # the order of texts that were encoded says nothing
        bands = [
            f"{_places(band)}: {band.mean_cosine:.3f}{', doubtful' * _doubtful(band)}"
            for band in d.bands
            if band.mean_cosine is not None
        ]
        yield Reading(
            "The same by rank in the source",
            "\n".join(bands) or "too few vectors",
            "Words of the papers' tests are mostly among the first. Where bands differ, frequent "
            "and rare words are in different parts of the space, if the source is sorted by "
            "frequency.",
        )
    yield Reading(
        "Level 3 sign of ML-EAT",
        "yes" if d.alike else "no",
        f"Yes where cosines are {ALIKE_MEAN} or more on average with a standard deviation of "
        f"{ALIKE_SD} or less, as in GPT-2 (Wolfe et al. 2024, Table 3).",
        d.alike,
    )


def _of_directions(d: Diagnosis) -> Iterator[Reading]:
    """How evenly the variance is spread over directions, and what single dimensions do."""
    score, few = d.iso_score, d.vectors < 10 * d.dim
    yield Reading(
        "IsoScore",
        "undefined" if score is None else f"{score:.3f}",
        "1: the variance is spread evenly over all directions; 0: one has all. At "
        f"{ISO_SCORE} or less, patterns and level 1 get lost."
        f"{' With fewer than 10 vectors to a dimension it comes out too low.' * few}",
        None if score is None else score <= ISO_SCORE,
    )
    shares = [] if d.variance is None else [f"{share:.1%}" for _, share in d.variance]
    yield Reading(
        "Variance in the top 1, 3, 10 components",
        ", ".join(shares) or "undefined",
        "Where a few components stand out, all-but-the-top:k removes them.",
    )
    limit = max(LOUD_DIMENSION, LOUD_RATIO / d.dim)
    yield Reading(
        "Loudest dimension",
        f"dimension {d.loudest.dimension}: {d.loudest.length:.1%} of the squared length",
        f"{1 / d.dim:.1%} if all were alike. From {limit:.0%} on, cosines follow it more than the "
        "others.",
        d.loudest.loud,
    )
    yield Reading(
        "Rogue dimensions",
        "\n".join(
            f"dimension {rogue.dimension}: {rogue.contribution:+.3f}"
            + ("" if rogue.share is None else f" ({rogue.share:.0%})")
            for rogue in d.rogue
        ),
        "What single dimensions add to the mean cosine (Timkey and van Schijndel 2021). A large "
        "share matters only where the mean is large.",
    )


def _places(band: RankBand) -> str:
    return f"{band.first:,} to {band.last:,}"


def _doubtful(band: RankBand) -> bool:
    """A band of fewer than 100 words may pass the limit by chance."""
    mean = band.mean_cosine
    return mean is not None and mean >= MEAN_COSINE and band.last - band.first >= 99
