"""Diagnoses of embedding spaces as tables for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.text import Text

from eatlas.cli.console import new_console, say, show, table_of
from eatlas.present.text import one_line
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

ABOUT_DIAGNOSES = (
    "Mean cosine: of two texts; IsoScore: 1 if all directions vary alike; top component and "
    "loudest dimension: percentage of variance and of squared length. For a single source, eatlas "
    "shows every figure."
)
SIGNS = {None: ("",), False: ("fine", "green"), True: ("doubtful", "bold red")}


Reading = tuple[str, str, str, bool | None]
"""A figure of a diagnosis, its value, what it means, and whether it passes its limit; None where it
has none, or is undefined."""


def readings(d: Diagnosis) -> list[Reading]:
    """Every figure of a diagnosis with what it means."""
    return [*_of_cosines(d), *_of_variance(d), *_of_dimensions(d)]


def _of_cosines(d: Diagnosis) -> Iterator[Reading]:
    """How near unrelated words are to each other."""
    yield (
        "Mean cosine of two words",
        f"{d.mean_cosine:.3f} (sd {d.sd_cosine:.3f})",
        "Over all pairs of words. 0: the vectors point in all directions alike; 1: all in one. "
        f"From {MEAN_COSINE} on, tests miss EAT patterns; level 1 changes little.",
        d.mean_cosine >= MEAN_COSINE,
    )
    bands = [
        f"{_ranks(band)}: {band.mean_cosine:.3f}{', doubtful' * _doubtful(band)}"
        for band in d.bands
        if band.mean_cosine is not None
    ]
    if d.bands:  # the order of texts that were encoded says nothing
        yield (
            "The same by rank in the source",
            "\n".join(bands) or "too few vectors",
            "Words of the papers' tests are mostly among the first. If bands differ and the source "
            "is sorted by frequency, frequent and rare words are in different regions of the "
            "embedding space.",
            None,
        )
    yield (
        "Level 3 sign of ML-EAT",
        "yes" if d.alike else "no",
        f"Yes if cosines are {ALIKE_MEAN} or more on average with a standard deviation of "
        f"{ALIKE_SD} or less, as in GPT-2 (Wolfe et al. 2024, Table 3).",
        d.alike,
    )


def _of_variance(d: Diagnosis) -> Iterator[Reading]:
    """How evenly directions vary."""
    score, too_low = d.iso_score, d.vectors < 10 * d.dim
    yield (
        "IsoScore",
        "undefined" if score is None else f"{score:.3f}",
        "1: the variance is spread evenly over all directions; 0: one has all. At "
        f"{ISO_SCORE} or less, tests miss patterns and level 1."
        + " With fewer than 10 vectors per dimension it is too low."
        * too_low,
        None if score is None else score <= ISO_SCORE,
    )
    shares = [] if d.variance is None else [f"{share:.1%}" for _, share in d.variance]
    yield (
        "Variance in the top 1, 3, 10 components",
        ", ".join(shares) or "undefined",
        "If a few components stand out, all-but-the-top:k removes them.",
        None,
    )


def _of_dimensions(d: Diagnosis) -> Iterator[Reading]:
    """What single dimensions do."""
    limit, loud = max(LOUD_DIMENSION, LOUD_RATIO / d.dim), d.loudest
    yield (
        "Loudest dimension",
        f"dimension {loud.dimension}: {loud.length:.1%} of the squared length",
        f"{1 / d.dim:.1%} if all were alike. From {limit:.0%} on, cosines follow it more than "
        "the others.",
        loud.loud,
    )
    rogues = [
        f"dimension {rogue.dimension}: {rogue.contribution:+.3f}"
        + ("" if rogue.share is None else f" ({rogue.share:.0%})")
        for rogue in d.rogue
    ]
    yield (
        "Rogue dimensions",
        "\n".join(rogues),
        "What single dimensions add to the mean cosine (Timkey and van Schijndel 2021). A "
        "large percentage matters only if the mean is large.",
        None,
    )


def _ranks(band: RankBand) -> str:
    return f"{band.first:,} to {band.last:,}"


def _doubtful(band: RankBand) -> bool:
    """A band of fewer than 100 words may pass the limit by chance."""
    mean = band.mean_cosine
    return mean is not None and mean >= MEAN_COSINE and band.last - band.first >= 99


def verdict(diagnosis: Diagnosis) -> str:
    """Whether cosines can be read in this space, in a sentence or two."""
    if passed := sum(doubtful is True for *_, doubtful in readings(diagnosis)):
        figures = "one figure passes its limit" if passed == 1 else f"{passed} pass their limits"
        return f"Cosines are doubtful here: {figures}."
    usable = "No figure passes its limit: cosines look usable here."
    alike = " and ".join(_ranks(band) for band in diagnosis.bands if _doubtful(band))
    if not alike:
        return usable
    return (
        f"{usable} However, words {alike} of the source share a direction: results of tests of "
        "such words have a warning."
    )


def print_diagnosis(diagnosis: Diagnosis) -> None:
    """Print the verdict, a row for each figure with what it means, and what passes a limit."""
    console = new_console()
    zero = f"; {diagnosis.zero:,} zero vectors left out" if diagnosis.zero else ""
    size = f"{diagnosis.vectors:,} vectors of {diagnosis.dim} components{zero}"
    say(console, f"{one_line(diagnosis.source)}: {size}", "bold")
    say(console, f"{verdict(diagnosis)}\n")
    rows: list[tuple[str | Text, ...]] = []
    for figure, value, meaning, doubtful in readings(diagnosis):
        rows += [(Text(figure, "bold"), value, Text(*SIGNS[doubtful]), one_line(meaning)), ()]
    table = table_of(("Figure", "Value", "", "What it means"), rows, "llll")
    for column in table.columns[0], table.columns[1], table.columns[3]:
        column.min_width, column.no_wrap, column.overflow = None, False, "fold"
    show(console, table, folds=True)
    for warning in diagnosis.warnings:
        say(console, str(warning), head="WARNING: ")


def print_diagnoses(diagnoses: Sequence[Diagnosis]) -> None:
    """Print the figures of several sources, such as the layers of a model, side by side."""
    console = new_console()
    heads = ("Source", "mean cosine", "IsoScore", "top\ncomponent", "loudest\ndimension", "")
    rows = [
        (
            one_line(each.source),
            f"{each.mean_cosine:.3f}",
            "–" if each.iso_score is None else f"{each.iso_score:.3f}",
            "–" if each.variance is None else f"{each.variance.top1:.0%}",
            f"{each.loudest.dimension}: {each.loudest.length:.0%}",
            Text(*SIGNS[any(doubtful for *_, doubtful in readings(each))]),
        )
        for each in diagnoses
    ]
    show(console, table_of(heads, rows, "lrrrrl"))
    say(console, ABOUT_DIAGNOSES, "dim")
