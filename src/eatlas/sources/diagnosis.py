"""Diagnosis of a source: one pass over all its vectors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.kernels.cosines import Moments, unit_rows
from eatlas.results.diagnosis import (
    ALIKE_MEAN,
    ALIKE_SD,
    DECIMALS,
    Diagnosis,
    Dimension,
    RankBand,
    VarianceShares,
)
from eatlas.results.parts import defined
from eatlas.sources.coverage import needed_items
from eatlas.sources.interface import Tell
from eatlas.sources.opening import VectorsLike, open_one_named
from eatlas.sources.source import Source, rows_of
from eatlas.sources.transforms import encoded_table
from eatlas.stats.space import iso_score, pair_cosines, variance_shares, with_rows
from eatlas.stimuli import load_tests
from eatlas.stimuli.kinds import TestsLike
from eatlas.version import __version__

BAND_ENDS = (1_000, 10_000, 100_000)
ROGUE = 3
"""Timkey and van Schijndel (2021) find 1 to 3 rogue dimensions in each model."""


def diagnose(
    source: VectorsLike | Mapping[str, VectorsLike],
    *,
    tests: TestsLike | None = None,
    tell: Tell | None = None,
) -> Diagnosis:
    """Say whether cosines are meaningful in a source.

    Parameters
    ----------
    source : anything that :func:`eatlas.open_vectors` opens
        Must be readable from end to end: a file, a name, a dict, (words, array); or it encodes
        texts, and those of `tests` are looked at. It may have a name, as ``"50d=FILE"`` or
        ``{"50d": "FILE"}``.
    tests : what :func:`eatlas.load_tests` takes, optional
        For a source that encodes texts: default ``sent-caliskan`` where its vectors are those of
        sentences, ``caliskan`` where they are those of words.
    tell : callable, optional
        Called with the number of passages encoded and the number of all.

    Returns
    -------
    Diagnosis
        Mean and standard deviation of the cosine over all pairs, IsoScore, share of variance in
        the top components, and rogue dimensions. ``.warnings`` names what passes a limit;
        :mod:`eatlas.results.diagnosis` gives the evidence.

    Raises
    ------
    SourceError
        If the source cannot be listed, or can and `tests` are given; if it has fewer than two
        vectors that are not zero, or has one that is not finite.

    Examples
    --------
    >>> import eatlas
    >>> found = eatlas.diagnose("glove-sample")
    >>> round(found.mean_cosine, 2), round(found.iso_score, 2), found.warnings
    (0.16, 0.58, ())
    """
    named = open_one_named(source, "a diagnosis")
    table = _listed(named.source, tests, tell)
    unit: Moments | None = None
    raw: Moments | None = None
    seen, bands = 0, [(0, np.zeros(table.dim)) for _ in (1, *BAND_ENDS)]
    for words, vectors in rows_of(table):
        there = np.flatnonzero(vectors.any(axis=1))
        rows, places = vectors[there], seen + there
        seen += len(words)
        if len(rows):
            units = unit_rows(rows)
            unit, raw = with_rows(unit, units), with_rows(raw, rows)
            band_of = np.searchsorted(BAND_ENDS, places, side="right")
            for band in np.unique(band_of):
                n, total = bands[band]
                inside = band_of == band
                bands[band] = n + int(inside.sum()), total + units[inside].sum(axis=0)
    if unit is None or raw is None or unit.n < 2:
        raise SourceError(
            f"{table.name}: too few vectors for a diagnosis",
            got=f"{unit.n if unit else 0} that are not zero",
            allowed="2 or more",
        )
    # the order of texts says nothing about how frequent they are
    by_rank = () if named.source.encodes else _by_rank(bands, seen)
    record = _record(named.source, unit, raw, seen, by_rank)
    return record.model_copy(update={"warnings": record.remarks()}).called(named.name)


def _listed(source: Source, tests: Any, tell: Tell | None) -> Source:
    """Return a source that lists its vectors; of an encoder, those of tests."""
    if source.encodes:
        if tests is None:
            encoding = source.encoding
            in_texts = encoding is not None and encoding.level == "sentence"
            tests = "sent-caliskan" if in_texts else "caliskan"
        items = needed_items(source, load_tests(tests), (), "auto")
        return encoded_table(source, source.answers(items, tell))
    if tests is not None:
        raise SourceError(
            f"{source.name}: tests say which texts an encoder encodes",
            got=f"tests {tests!r} for vectors that are all there",
            remedy="leave the tests out: all vectors are looked at",
        )
    source.require_listed("a diagnosis looks at all vectors")
    return source


def _by_rank(bands: list[tuple[int, NDArray[np.float64]]], size: int) -> tuple[RankBand, ...]:
    """Mean cosine among the words between two ranks, from the sums of their unit rows."""
    records = []
    for (n, total), first, last in zip(bands, (0, *BAND_ENDS), (*BAND_ENDS, size), strict=True):
        if first < size:
            mean = (float(total @ total) - n) / (n * (n - 1)) if n > 1 else math.nan
            mean_cosine = defined(mean, DECIMALS)
            records.append(RankBand(first=first + 1, last=min(last, size), mean_cosine=mean_cosine))
    return tuple(records)


def _record(
    source: Source, unit: Moments, raw: Moments, seen: int, bands: tuple[RankBand, ...]
) -> Diagnosis:
    """The record, but for its warnings."""
    cosines, covariance = pair_cosines(unit), raw.scatter / (raw.n - 1)
    mean, sd = round(cosines.mean, DECIMALS), round(cosines.sd, DECIMALS)
    score = iso_score(covariance)
    shares = [defined(share, DECIMALS) for share in variance_shares(covariance, (1, 3, 10))]
    by_contribution = np.argsort(-cosines.contributions, kind="stable")[:ROGUE]
    rogue = [Dimension.of(int(i), cosines.contributions, cosines.lengths) for i in by_contribution]
    loudest = int(np.argmax(cosines.lengths))
    return Diagnosis(
        source=source.name,
        source_fingerprint=source.fingerprint,
        version=__version__,
        dim=source.dim,
        vectors=unit.n,
        zero=seen - unit.n,
        mean_cosine=mean,
        sd_cosine=sd,
        alike=mean >= ALIKE_MEAN and sd <= ALIKE_SD,
        bands=bands,
        iso_score=defined(score, DECIMALS) if unit.n > source.dim else None,
        effective_dimensions=defined(1 + score * (source.dim - 1), DECIMALS),
        variance=None
        if None in shares
        else VarianceShares(**dict(zip(VarianceShares.model_fields, shares, strict=True))),
        rogue=tuple(rogue),
        loudest=Dimension.of(loudest, cosines.contributions, cosines.lengths),
    )
