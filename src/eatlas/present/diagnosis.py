"""A diagnosis of a space for people: every figure with what it means, and a verdict."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from eatlas.results.diagnosis import (
    ALIKE_MEAN,
    ALIKE_SD,
    HUBNESS,
    ISO_SCORE,
    LOUD_DIMENSION,
    LOUD_RATIO,
    MEAN_COSINE,
    Diagnosis,
    Dimension,
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
    alike = [_places(band) for band in diagnosis.bands if _doubtful(band)]
    if not alike:
        return usable
    return (
        f"{usable} Words {' and '.join(alike)} of the source share a direction, though: the result "
        "of a test of such words warns of it."
    )


def readings(diagnosis: Diagnosis) -> list[Reading]:
    """Every figure of a diagnosis with what it means."""
    parts = (_of_cosines, _of_directions, _of_dimensions, _of_words)
    return [reading for part in parts for reading in part(diagnosis)]


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
    """How evenly the variance is spread over directions."""
    if d.iso_score is None:
        why = f"there are {d.vectors} of {d.dim}, or they do not vary."
        yield Reading("IsoScore", "undefined", f"It needs more vectors than dimensions, and {why}")
    else:
        few = " With fewer than 10 vectors to a dimension it comes out too low."
        yield Reading(
            "IsoScore",
            f"{d.iso_score:.3f}",
            f"As if the variance were spread evenly over {d.effective_dimensions:.1f} of {d.dim} "
            f"dimensions. 1: all alike; 0: one alone. At {ISO_SCORE} or less, patterns and level 1 "
            f"get lost.{few * (d.vectors < 10 * d.dim)}",
            d.iso_score <= ISO_SCORE,
        )
    if d.variance is None:
        yield Reading("Variance in the top components", "undefined", "The vectors do not vary.")
    else:
        yield Reading(
            "Variance in the top 1, 3, 10 components",
            ", ".join(f"{100 * share:.1f}%" for _, share in d.variance),
            "Where a few components stand out, all-but-the-top:k removes them.",
        )


def _of_dimensions(d: Diagnosis) -> Iterator[Reading]:
    """What single dimensions do."""
    limit = 100 * max(LOUD_DIMENSION, LOUD_RATIO / d.dim)
    yield Reading(
        "Loudest dimension",
        f"dimension {d.loudest.dimension}: {100 * d.loudest.length:.1f}% of the squared length",
        f"{100 / d.dim:.1f}% if all were alike. From {limit:.0f}% on, cosines follow it more than "
        "the others.",
        d.loudest.loud,
    )
    yield Reading(
        "Rogue dimensions",
        "\n".join(map(_contribution, d.rogue)),
        "What single dimensions add to the mean cosine (Timkey and van Schijndel 2021). A large "
        "share matters only where the mean is large.",
    )


def _of_words(d: Diagnosis) -> Iterator[Reading]:
    """Words that are neighbours of many, and the lengths of frequent ones."""
    hubs = d.hubness
    if hubs is None:
        yield Reading("Hubness", "undefined", "There are too few vectors for 10 neighbours.")
    else:
        yield Reading(
            f"Hubness (k = {hubs.k}, {hubs.sample:,} words)",
            "undefined" if hubs.skewness is None else f"{hubs.skewness:.2f}",
            f"Skewness of how often a word is among the {hubs.k} nearest of another; 0.3 in an "
            f"isotropic space. {hubs.hub!r} is for {hubs.largest:,} words, and "
            f"{100 * hubs.orphans:.0f}% are for none. No test here depends on it; above "
            f"{HUBNESS:g} do not read nearest neighbours as meaning.",
        )
    if d.bands:
        yield Reading(
            "Length and frequency",
            "undefined" if d.norm_frequency is None else f"{d.norm_frequency:+.2f}",
            "Rank correlation; the rank in the source stands for frequency, which is right only if "
            "the source is sorted by it. Cosines ignore length, but where all vectors share a "
            "direction, differences of length turn into differences of cosine.",
        )


def _places(band: RankBand) -> str:
    return f"{band.first:,} to {band.last:,}"


def _doubtful(band: RankBand) -> bool:
    """A band of fewer than 100 words may pass the limit by chance."""
    mean = band.mean_cosine
    return mean is not None and mean >= MEAN_COSINE and band.last - band.first >= 99


def _contribution(dimension: Dimension) -> str:
    share = "" if dimension.share is None else f" ({100 * dimension.share:.0f}%)"
    return f"dimension {dimension.dimension}: {dimension.contribution:+.3f}{share}"
