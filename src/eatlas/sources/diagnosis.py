"""Diagnosis of a source: one pass over all its vectors, and a sample for their neighbours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import SourceError
from eatlas.kernels import unit_rows
from eatlas.results.diagnosis import (
    ALIKE_MEAN,
    ALIKE_SD,
    DECIMALS,
    Diagnosis,
    Dimension,
    Hubness,
    RankBand,
    VarianceShares,
)
from eatlas.results.parts import defined
from eatlas.sources.interface import Tell, all_items, usable
from eatlas.sources.naming import open_one_named
from eatlas.sources.opening import VectorsLike
from eatlas.sources.source import Source
from eatlas.sources.transforms import EncodedTexts
from eatlas.stats.inputs import whole
from eatlas.stats.paired import spearman
from eatlas.stats.space import (
    Moments,
    PairCosines,
    effective_dimensions,
    iso_score,
    k_occurrences,
    pair_cosines,
    skewness,
    variance_shares,
)
from eatlas.stimuli import load_tests
from eatlas.stimuli.kinds import TestsLike
from eatlas.version import __version__

Array = NDArray[np.float64]

SAMPLE = 10_000
"""Vectors drawn for hubness: 2 s on one core at 300 dimensions; the time grows with its square."""
NEIGHBOURS = 10
"""k of the k-occurrence, as Radovanovic, Nanopoulos and Ivanovic (2010)."""
BAND_ENDS = (1_000, 10_000, 100_000)
ROGUE = 3
"""Timkey and van Schijndel (2021) find 1 to 3 rogue dimensions in each model."""


def diagnose(
    source: VectorsLike | Mapping[str, VectorsLike],
    *,
    tests: TestsLike | None = None,
    sample: int = SAMPLE,
    seed: int = 0,
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
    sample : int, default 10,000
        Vectors drawn for hubness, 2 or more; all other figures are about every vector.
    seed : int, default 0
        Of that sample, 0 or more.
    tell : callable, optional
        Called with the number of passages encoded and the number of all.

    Returns
    -------
    Diagnosis
        Mean and standard deviation of the cosine over all pairs, IsoScore, share of variance in
        the top components, rogue dimensions, hubness, and the rank correlation of length with
        frequency, represented by the rank in the source. ``.warnings`` names what passes a
        limit; :mod:`eatlas.results.diagnosis` gives the evidence.

    Raises
    ------
    SourceError
        If the source cannot be listed, or can and `tests` are given; if it has fewer than two
        vectors that are not zero, or has one that is not finite.

    Examples
    --------
    >>> import eatlas
    >>> found = eatlas.diagnose("glove-sample", sample=500)
    >>> round(found.mean_cosine, 2), round(found.iso_score, 2), found.warnings
    (0.16, 0.58, ())
    """
    opened = open_one_named(source, "a diagnosis")
    survey = _Survey(
        _listed(opened.source, tests, tell),
        Sample(whole(sample, "sample", 2), np.random.default_rng(whole(seed, "seed", 0))),
    )
    survey.read()
    found = survey.diagnosis(seed)
    return found.model_copy(update={"warnings": found.remarks()}).called(opened.name)


def _listed(source: Source, tests: Any, tell: Tell | None) -> Source:
    """Return a source that lists its vectors; of an encoder, those of tests."""
    if source.encodes:
        if tests is None:
            encoding = source.encoding
            in_texts = encoding is not None and encoding.level == "sentence"
            tests = "sent-caliskan" if in_texts else "caliskan"
        return EncodedTexts(source, all_items(load_tests(tests)), tell)
    if tests is not None:
        raise SourceError(
            f"{source.name}: tests say which texts an encoder encodes",
            got=f"tests {tests!r} for vectors that are all there",
            remedy="leave the tests out: all vectors are looked at",
        )
    source.require_listed("a diagnosis looks at all vectors")
    return source


class Sample:
    """Draws `size` rows without replacement from as many as are offered.

    Each row gets a random key in the order in which rows are offered, and the smallest keys stay;
    so neither their number need be known, nor does it matter how the rows are cut into parts.
    """

    def __init__(self, size: int, rng: np.random.Generator) -> None:
        self.size, self.rng = size, rng
        self._limit = 1.0
        self._keys: NDArray[np.float64] = np.empty(0)
        self._words: list[str] = []
        self._rows: NDArray[np.float32] | None = None

    def offer(self, words: Sequence[str], rows: NDArray[np.floating]) -> None:
        """Offer rows, shape (len(words), d); single precision is kept of them."""
        keys = self.rng.random(len(words))
        taken = np.flatnonzero(keys < self._limit)
        new = rows[taken].astype(np.float32)
        self._keys = np.concatenate([self._keys, keys[taken]])
        self._words += [words[int(i)] for i in taken]
        self._rows = new if self._rows is None else np.concatenate([self._rows, new])
        if len(self._keys) > self.size:
            kept = np.sort(np.argpartition(self._keys, self.size - 1)[: self.size])
            self._keys, self._rows = self._keys[kept], self._rows[kept]
            self._words = [self._words[i] for i in kept]
            self._limit = float(self._keys.max())

    def drawn(self) -> tuple[list[str], NDArray[np.float32]]:
        """The words and rows that were drawn, in the order in which they were offered."""
        rows = np.empty((0, 0), np.float32) if self._rows is None else self._rows
        return self._words, rows


class _Survey:
    """What one pass over a source gathers."""

    def __init__(self, source: Source, sample: Sample) -> None:
        self.source, self.sample = source, sample
        # the order of texts says nothing about how frequent they are
        self.ranked = not isinstance(source, EncodedTexts)
        self.unit = Moments(source.dim)
        self.raw: Moments | None = None
        self.seen = 0
        self.norms: list[Array] = []
        self.places: list[NDArray[np.int64]] = []
        self.band_sums = np.zeros((len(BAND_ENDS) + 1, source.dim))
        self.band_sizes = np.zeros(len(BAND_ENDS) + 1, np.int64)

    def read(self) -> None:
        for words, vectors in self.source.iter_chunks():
            rows = usable(vectors, words, self.source.name)
            there = np.flatnonzero(rows.any(axis=1))
            if len(there):
                kept = [words[int(i)] for i in there]
                self._take(kept, rows[there].astype(np.float64), self.seen + there)
            self.seen += len(rows)

    def _take(self, words: Sequence[str], rows: Array, places: NDArray[np.int64]) -> None:
        """Add rows to all figures."""
        unit = unit_rows(rows)
        self.unit.add(unit)
        if self.raw is None:
            self.raw = Moments(rows.shape[1], pivot=rows.mean(axis=0))
        self.raw.add(rows)
        self.norms.append(np.linalg.norm(rows, axis=1))
        self.places.append(places)
        bands = np.searchsorted(BAND_ENDS, places, side="right")
        for band in np.unique(bands):
            inside = bands == band
            self.band_sums[band] += unit[inside].sum(axis=0)
            self.band_sizes[band] += inside.sum()
        self.sample.offer(words, unit)

    def diagnosis(self, seed: int) -> Diagnosis:
        """The record, but for its warnings."""
        source = self.source
        if self.unit.n < 2 or self.raw is None:
            raise SourceError(
                f"{source.name}: too few vectors for a diagnosis",
                got=f"{self.unit.n} that are not zero",
                allowed="2 or more",
            )
        pairs, covariance = pair_cosines(self.unit), self.raw.covariance()
        mean, sd = round(pairs.mean, DECIMALS), round(pairs.sd, DECIMALS)
        enough = pairs.n > source.dim
        return Diagnosis(
            source=source.name,
            source_fingerprint=source.fingerprint,
            version=__version__,
            seed=seed,
            dim=source.dim,
            vectors=pairs.n,
            zero=self.seen - pairs.n,
            mean_cosine=mean,
            sd_cosine=sd,
            alike=mean >= ALIKE_MEAN and sd <= ALIKE_SD,
            bands=self._bands() if self.ranked else (),
            iso_score=defined(iso_score(covariance), DECIMALS) if enough else None,
            effective_dimensions=defined(effective_dimensions(covariance), DECIMALS),
            variance=_shares(covariance),
            rogue=tuple(_dimension(pairs, i) for i in pairs.largest(ROGUE)),
            loudest=_dimension(pairs, int(np.argmax(pairs.lengths))),
            hubness=self._hubness(),
            norm_frequency=self._norm_frequency() if self.ranked else None,
        )

    def _bands(self) -> tuple[RankBand, ...]:
        """Mean cosine among the words between two ranks, from the sums of their unit rows."""
        records = []
        for number, first in enumerate((1, *(end + 1 for end in BAND_ENDS))):
            if first > self.seen:
                break
            n, total = int(self.band_sizes[number]), self.band_sums[number]
            mean = (float(total @ total) - n) / (n * (n - 1)) if n > 1 else math.nan
            last = min([*BAND_ENDS, self.seen][number], self.seen)
            records.append(RankBand(first=first, last=last, mean_cosine=defined(mean, DECIMALS)))
        return tuple(records)

    def _hubness(self) -> Hubness | None:
        """Skewness of the k-occurrence in the sample; None of too small a sample."""
        words, rows = self.sample.drawn()
        if len(rows) <= NEIGHBOURS:
            return None
        counts = k_occurrences(rows, NEIGHBOURS)
        hub = int(np.argmax(counts))
        return Hubness(
            k=NEIGHBOURS,
            sample=len(rows),
            skewness=defined(skewness(counts), DECIMALS),
            largest=int(counts[hub]),
            hub=words[hub],
            orphans=round(float(np.mean(counts == 0)), DECIMALS),
        )

    def _norm_frequency(self) -> float | None:
        norms, places = np.concatenate(self.norms), np.concatenate(self.places)
        return defined(spearman(norms, -places), DECIMALS)


def _dimension(pairs: PairCosines, i: int) -> Dimension:
    return Dimension.of(i, pairs.contributions.tolist(), pairs.lengths.tolist())


def _shares(covariance: Array) -> VarianceShares | None:
    shares = variance_shares(covariance, (1, 3, 10))
    top1, top3, top10 = (defined(one, DECIMALS) for one in shares)
    if top1 is None or top3 is None or top10 is None:
        return None
    return VarianceShares(top1=top1, top3=top3, top10=top10)
