"""A diagnosis in plain words: each figure, its value, and how to read it."""

from __future__ import annotations

from dataclasses import dataclass

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
    Hubness,
    RankBand,
)


@dataclass(frozen=True)
class Reading:
    """One figure, for people."""

    figure: str
    value: str
    meaning: str
    doubtful: bool | None = None
    """Whether it passes its limit; None where it has none, or is undefined."""


def readings(diagnosis: Diagnosis) -> tuple[Reading, ...]:
    """Every figure of a diagnosis with what it means."""
    by_rank = bool(diagnosis.bands)  # the order of texts that were encoded says nothing
    return (
        _cosine(diagnosis),
        *([_bands(diagnosis)] if by_rank else []),
        _level3(diagnosis),
        _iso_score(diagnosis),
        _variance(diagnosis),
        _loudest(diagnosis),
        _rogue(diagnosis),
        _hubness(diagnosis.hubness),
        *([_norms(diagnosis)] if by_rank else []),
    )


def verdict(diagnosis: Diagnosis) -> str:
    """Whether cosines can be read in this space, in a sentence or two."""
    passed = sum(reading.doubtful is True for reading in readings(diagnosis))
    if passed:
        figures = "one figure passes its limit" if passed == 1 else f"{passed} pass their limits"
        return f"Cosines are doubtful here: {figures}."
    said = "No figure passes its limit: cosines look usable here."
    alike = [_places(band) for band in diagnosis.bands if _doubtful(band)]
    if not alike:
        return said
    return (
        f"{said} Words {' and '.join(alike)} of the source share a direction, though: the result "
        "of a test of such words warns of it."
    )


def _places(band: RankBand) -> str:
    return f"{band.first:,} to {band.last:,}"


def _doubtful(band: RankBand) -> bool:
    """A band of fewer than 100 words may pass the limit by chance."""
    mean = band.mean_cosine
    return mean is not None and mean >= MEAN_COSINE and band.last - band.first >= 99


def _cosine(d: Diagnosis) -> Reading:
    return Reading(
        "Mean cosine of two words",
        f"{d.mean_cosine:.3f} (sd {d.sd_cosine:.3f})",
        "Over all pairs, whatever the words. 0: the vectors point in all directions alike; 1: all "
        f"in one. From {MEAN_COSINE} on, EAT patterns get lost; level 1 changes little.",
        d.mean_cosine >= MEAN_COSINE,
    )


def _bands(d: Diagnosis) -> Reading:
    """Mean cosine by rank of words in the source."""
    parts = [
        f"{_places(band)}: {band.mean_cosine:.3f}{', doubtful' if _doubtful(band) else ''}"
        for band in d.bands
        if band.mean_cosine is not None
    ]
    return Reading(
        "The same by rank in the source",
        "\n".join(parts) or "too few vectors",
        "Words of the papers' tests are mostly among the first. Where bands differ, frequent and "
        "rare words are in different parts of the space, if the source is sorted by frequency.",
    )


def _level3(d: Diagnosis) -> Reading:
    return Reading(
        "Level 3 sign of ML-EAT",
        "yes" if d.alike else "no",
        f"Yes where cosines are {ALIKE_MEAN} or more on average with a standard "
        f"deviation of {ALIKE_SD} or less, as in GPT-2 (Wolfe et al. 2024, Table 3).",
        d.alike,
    )


def _iso_score(d: Diagnosis) -> Reading:
    """How evenly the variance is spread over directions."""
    if d.iso_score is None:
        return Reading(
            "IsoScore",
            "undefined",
            f"It needs more vectors than dimensions, and there are {d.vectors} of {d.dim}, or they "
            "do not vary.",
        )
    few = d.vectors < 10 * d.dim
    return Reading(
        "IsoScore",
        f"{d.iso_score:.3f}",
        f"As if the variance were spread evenly over {d.effective_dimensions:.1f} of {d.dim} "
        f"dimensions. 1: all alike; 0: one alone. At {ISO_SCORE} or less, patterns and "
        "level 1 get lost."
        + (" With fewer than 10 vectors to a dimension it comes out too low." if few else ""),
        d.iso_score <= ISO_SCORE,
    )


def _variance(d: Diagnosis) -> Reading:
    if d.variance is None:
        return Reading("Variance in the top components", "undefined", "The vectors do not vary.")
    shares = (d.variance.top1, d.variance.top3, d.variance.top10)
    return Reading(
        "Variance in the top 1, 3, 10 components",
        ", ".join(f"{100 * share:.1f}%" for share in shares),
        "Where a few components stand out, all-but-the-top:k removes them.",
    )


def _loudest(d: Diagnosis) -> Reading:
    return Reading(
        "Loudest dimension",
        f"dimension {d.loudest.dimension}: {100 * d.loudest.length:.1f}% of the squared length",
        f"{100 / d.dim:.1f}% if all were alike. From "
        f"{100 * max(LOUD_DIMENSION, LOUD_RATIO / d.dim):.0f}% on, cosines "
        "follow it more than the others.",
        d.loudest.loud,
    )


def _rogue(d: Diagnosis) -> Reading:
    return Reading(
        "Rogue dimensions",
        "\n".join(map(_contribution, d.rogue)),
        "What single dimensions add to the mean cosine (Timkey and van Schijndel 2021). A large "
        "share matters only where the mean is large.",
    )


def _contribution(one: Dimension) -> str:
    share = "" if one.share is None else f" ({100 * one.share:.0f}%)"
    return f"dimension {one.dimension}: {one.contribution:+.3f}{share}"


def _hubness(hubness: Hubness | None) -> Reading:
    """How often some words are among the nearest neighbours of others."""
    if hubness is None:
        return Reading("Hubness", "undefined", "There are too few vectors for 10 neighbours.")
    value = "undefined" if hubness.skewness is None else f"{hubness.skewness:.2f}"
    return Reading(
        f"Hubness (k = {hubness.k}, {hubness.sample:,} words)",
        value,
        f"Skewness of how often a word is among the {hubness.k} nearest of another; 0.3 in an "
        f"isotropic space. {hubness.hub!r} is for {hubness.largest:,} words, and "
        f"{100 * hubness.orphans:.0f}% are for none. No test here depends on it; above "
        f"{HUBNESS:g} do not read nearest neighbours as meaning.",
    )


def _norms(d: Diagnosis) -> Reading:
    value = "undefined" if d.norm_frequency is None else f"{d.norm_frequency:+.2f}"
    return Reading(
        "Length and frequency",
        value,
        "Rank correlation; the rank in the source stands for frequency, which is right only if the "
        "source is sorted by it. Cosines ignore length, but where all vectors share a direction, "
        "differences of length turn into differences of cosine.",
    )
