"""What a source is like: one pass over all its vectors, and the bias that a transform left."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, SourceError
from eatlas.kernels.cosines import Moments, unit_rows
from eatlas.results.diagnosis import (
    ALIKE_MEAN,
    ALIKE_SD,
    DECIMALS,
    ComponentShares,
    Diagnosis,
    Dimension,
    RankBand,
)
from eatlas.results.parts import finite
from eatlas.sources.coverage import items_to_request
from eatlas.sources.opening import VectorsLike, open_one_named, open_vectors
from eatlas.sources.source import Source, Tell, rows_of
from eatlas.sources.transforms import TransformedSource, locate_errors, table_of_answers
from eatlas.stats.space import with_rows
from eatlas.stimuli import load_tests
from eatlas.stimuli.kinds import TestsLike
from eatlas.version import __version__
from eatlas_vocabulary import stats
from eatlas_vocabulary.results.residual import BeforeAfter, ResidualBias
from eatlas_vocabulary.sources.cost import transform_cost
from eatlas_vocabulary.sources.debiasing import (
    ALLOWED,
    BiasSets,
    DebiasingStep,
    bias_sets,
    directions_of,
    find_sets,
    frequent_rows,
    most_biased,
    require_transformed,
)
from eatlas_vocabulary.stats.debiasing import neutralize, unit_or_zero
from eatlas_vocabulary.stats.isotropy import iso_score, pair_cosines, variance_shares

Array = NDArray[np.float64]

BAND_ENDS = (1_000, 10_000, 100_000)
ROGUE = 3
"""Timkey and van Schijndel (2021) find 1 to 3 rogue dimensions in each model."""
CLUSTERED = 500
"""Most biased words of each group that are clustered, as Gonen and Goldberg (2019)."""
CLASSIFIED = 2_500
"""Most biased words of each group for the classifier, of which a fifth is trained on: the same."""
NEIGHBOURS = 100
DIRECTIONS = 19
"""Random ones: a further one exceeds them all in one of twenty cases."""
TARGETS = "divdist-gender"
"""The test whose targets, 288 professions, are looked at."""


def diagnose(
    source: VectorsLike | Mapping[str, VectorsLike],
    *,
    tests: TestsLike | None = None,
    tell: Tell | None = None,
) -> Diagnosis:
    """Judge whether cosines are meaningful in a source.

    Parameters
    ----------
    source : anything that :func:`eatlas.open_vectors` opens
        Must be readable from end to end: a file, a name, a dict, (words, array); or it encodes
        texts, and those of `tests` are looked at. It may have a name, as ``"50d=FILE"`` or
        ``{"50d": "FILE"}``.
    tests : what :func:`eatlas.load_tests` takes, optional
        For a source that encodes texts: default ``sent-caliskan`` if its vectors represent
        sentences, ``caliskan`` if they represent words.
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
    table = _list_vectors(named.source, tests, tell)
    unit: Moments | None = None
    raw: Moments | None = None
    seen = 0
    counts, totals = np.zeros(len(BAND_ENDS) + 1), np.zeros((len(BAND_ENDS) + 1, table.dim))
    for words, vectors in rows_of(table):
        there = np.flatnonzero(vectors.any(axis=1))
        band_of = np.searchsorted(BAND_ENDS, seen + there, side="right")
        seen += len(words)
        if len(there):
            rows = vectors[there]
            units = unit_rows(rows)
            unit, raw = with_rows(unit, units), with_rows(raw, rows)
            for band in np.unique(band_of):
                inside = units[band_of == band]
                counts[band] += len(inside)
                totals[band] += inside.sum(axis=0)
    if unit is None or raw is None or unit.n < 2:
        raise SourceError(
            f"{table.name}: too few vectors for a diagnosis",
            got=f"{unit.n if unit else 0} that are not zero",
            allowed="2 or more",
        )
    bands = []
    if not named.source.encodes:  # the order of texts says nothing about how frequent they are
        for n, total, first, last in zip(
            counts, totals, (0, *BAND_ENDS), (*BAND_ENDS, seen), strict=True
        ):
            if first < seen:
                mean = (float(total @ total) - n) / (n * (n - 1)) if n > 1 else math.nan
                mean_cosine = finite(mean, DECIMALS)
                band_record = RankBand(
                    first=first + 1, last=min(last, seen), mean_cosine=mean_cosine
                )
                bands.append(band_record)
    record = _record(named.source, unit, raw, seen, tuple(bands))
    return record.model_copy(update={"warnings": record.remarks()}).called(named.name)


def _list_vectors(source: Source, tests: Any, tell: Tell | None) -> Source:
    """Return a source that lists its vectors; for an encoder, vectors of tests."""
    if source.encoding is not None:
        default = "sent-caliskan" if source.encoding.level == "sentence" else "caliskan"
        items = items_to_request(
            source, load_tests(default if tests is None else tests), (), "auto"
        )
        return table_of_answers(source, source.answers(items, tell))
    if tests is not None:
        raise SourceError(
            f"{source.name}: tests apply only to encoders",
            got=f"tests {tests!r} for vectors that are all there",
            remedy="remove the tests: the diagnosis uses all vectors",
        )
    source.require_listed("a diagnosis looks at all vectors")
    return source


def _record(
    source: Source, unit: Moments, raw: Moments, seen: int, bands: tuple[RankBand, ...]
) -> Diagnosis:
    """The record, but for its warnings."""
    mean, sd, contributions, lengths = pair_cosines(unit)
    mean, sd, covariance = round(mean, DECIMALS), round(sd, DECIMALS), raw.scatter / (raw.n - 1)
    score = iso_score(covariance)
    shares = [finite(share, DECIMALS) for share in variance_shares(covariance, (1, 3, 10))]
    by_contribution = np.argsort(-contributions, kind="stable")[:ROGUE]
    rogue = [Dimension.of(int(i), contributions, lengths) for i in by_contribution]
    loudest = int(np.argmax(lengths))
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
        iso_score=finite(score, DECIMALS) if unit.n > source.dim else None,
        effective_dimensions=finite(1 + score * (source.dim - 1), DECIMALS),
        variance=None
        if None in shares
        else ComponentShares(**dict(zip(ComponentShares.model_fields, shares, strict=True))),
        rogue=tuple(rogue),
        loudest=Dimension.of(loudest, contributions, lengths),
    )


# --- the bias that a transform left ---------------------------------------------------------------


def residual_bias(
    source: VectorsLike, *, sets: str | None = None, cost: str | Iterable[str] = ()
) -> ResidualBias:
    """Look for bias that remains after a transform, by clusters, neighbours and a classifier.

    Parameters
    ----------
    source : anything that :func:`eatlas.open_vectors` opens
        With a transform, such as ``"glove-sample?transform=hard-debias:gender"``; it is compared
        with the same source without any.
    sets : str, optional
        Word sets that define the bias: ``gender``, ``race``, ``religion``, or a TOML file of
        sets. By default, the word sets of the last debiasing.
    cost : str or several, optional
        Similarity and analogy sets, as :func:`eatlas.transform_cost` takes them, for ``.cost``:
        what the transform costs beside what it leaves.

    Returns
    -------
    ResidualBias
        Projection, clusters, neighbours and classifier, each before, after, and by chance.

    Raises
    ------
    SourceError
        If the source has no transform, or no sets are known; if it has too few words.

    Notes
    -----
    Gonen and Goldberg (2019), for k groups. The bias of a word is its cosine, before, with the
    direction of each group: the mean of the group's defining words minus the mean of their sets. A
    word belongs to the group with its largest bias. Among the first 50,000 words of the source,
    letters only and without specific words:

    1. *projection*: mean cosine of the 500 most biased words of each group with its direction;
    2. *clusters*: proportion of these in the cluster of their group, by k-means with k clusters;
    3. *neighbours*: Pearson correlation of the bias of each of 288 professions, the targets of
       ``divdist-gender``, before, with the proportion of its 100 nearest words in that group,
       the mean over groups;
    4. *classifier*: accuracy of a support vector machine with radial basis functions, trained on a
       fifth of the 2,500 most biased words of each group, on the others.

    Words, groups and leanings are those before the transform. The paper takes he - she for the
    direction and the bias; smaller sources have shorter lists, 15% of all words for each group.

    *Chance* is what is left of a direction that means nothing. Words that are chosen because they
    are close to a direction share more than that direction, whichever it is, even after its
    removal. So the same figures are computed for 19 random directions, each after its removal:
    means of as many sets of random frequent words as there are defining sets, in place of these.
    Each figure comes with the mean, lowest and highest of these 19. A further random direction
    exceeds all of them in one of twenty cases. The paper has no such control. A figure that is no
    higher is no evidence that the transform left a bias, nor that it left none.

    Examples
    --------
    >>> import eatlas
    >>> found = eatlas.residual_bias("glove-sample?transform=hard-debias:gender")
    >>> abs(found.projection.after) < 0.005, found.neighbours.beside_chance
    (True, 'within')
    """
    after = require_transformed(open_vectors(source), "leave a bias")
    inner: Source = after
    chosen = None if sets is None else bias_sets(sets)
    while chosen is None and isinstance(inner, TransformedSource):
        if isinstance(inner.step, DebiasingStep):
            chosen = inner.step.sets
        inner = inner.source
    if chosen is None:
        raise SourceError(
            f"{after.name}: the diagnosis needs the word sets that define the bias",
            got="a transform that names none",
            allowed=ALLOWED,
        )
    with locate_errors(after.name):
        record = _compare(after, chosen)
    return record.model_copy(update={"cost": transform_cost(after, cost)}) if cost else record


def _compare(after: TransformedSource, sets: BiasSets) -> ResidualBias:
    """Figures of a source before and after, and those that random directions leave."""
    before = after.original
    defining = find_sets(before, sets)[0]
    words, raw = frequent_rows(before, sets.spared)
    rows, directions = unit_rows(raw), directions_of(defining)
    leans = rows @ directions.T
    vectors, zeros = after.lookup(words), np.zeros(after.dim)
    left = unit_or_zero(np.stack([vectors.get(word, zeros) for word in words]).astype(np.float64))
    row_of = {word: i for i, word in enumerate(words)}
    terms = load_tests(TARGETS)[0].concepts["targets"].terms
    targets = np.array([row_of[term] for term in terms if term in row_of], np.intp)
    of_before = _figures(rows, leans, directions, targets)
    of_after = _figures(left, leans, directions_of(find_sets(after, sets)[0]), targets)
    rng = np.random.default_rng((0, 1))
    drawn = max(1, min(len(defining), len(rows) // (10 * len(sets.groups))))
    shape = drawn, len(sets.groups)
    controls = [_control(rows, targets, shape, rng) for _ in range(DIRECTIONS)]
    figures = {}
    for name, value in of_before.items():
        chance = [control[name] for control in controls]
        values = (value, of_after[name], float(np.mean(chance)), min(chance), max(chance))
        rounded = [round(v, DECIMALS) + 0.0 for v in values]  # no -0.0
        figures[name] = BeforeAfter(**dict(zip(BeforeAfter.model_fields, rounded, strict=True)))
    classified = len(most_biased(leans, CLASSIFIED)[0])
    trained = len(range(0, classified, 5))
    record = ResidualBias(
        source=after.name,
        source_fingerprint=after.fingerprint,
        before=before.name,
        groups=sets.groups,
        version=__version__,
        vocabulary=len(words),
        directions=DIRECTIONS,
        clustered=len(most_biased(leans, CLUSTERED)[0]),
        targets=len(targets),
        trained=trained,
        tested=classified - trained,
        **figures,
    )
    return record.model_copy(update={"warnings": record.remarks()})


def _control(
    rows: Array, targets: NDArray[np.intp], shape: tuple[int, int], rng: np.random.Generator
) -> Mapping[str, float]:
    """Figures of the mean difference of sets of random words, after it is removed."""
    drawn = rng.choice(len(rows), shape, replace=False)
    directions = directions_of([*rows[drawn]])
    rest = np.delete(np.arange(len(rows)), drawn.ravel())
    basis = np.linalg.svd(directions, full_matrices=False)[2][: shape[1] - 1]
    own = np.flatnonzero(np.isin(rest, targets))
    return _figures(neutralize(rows[rest], basis), rows[rest] @ directions.T, directions, own)


def _figures(
    rows: Array, leans: Array, directions: Array, targets: NDArray[np.intp]
) -> Mapping[str, float]:
    """Figures of one embedding space, by the words closest to these or earlier directions."""
    few, labels = most_biased(leans, CLUSTERED)
    many, classes = most_biased(leans, CLASSIFIED)
    trained = np.arange(len(many)) % 5 == 0  # a fifth, as Gonen and Goldberg (2019)
    return {
        "projection": float(np.sum(rows[few] * directions[labels], axis=1).mean()),
        "clusters": stats.clusters.clusters_by_group(rows[few], labels),
        "neighbours": _neighbours(rows, leans, targets),
        "classifier": stats.classifiers.held_out_accuracy(rows[many], classes, trained),
    }


def _neighbours(rows: Array, leans: Array, targets: NDArray[np.intp]) -> float:
    """Correlate the bias of targets with the leanings of their neighbours, the mean over groups."""
    count = min(NEIGHBOURS, len(rows) // 10)
    cosines = rows[targets] @ rows.T
    cosines[np.arange(len(targets)), targets] = -np.inf
    near = np.argmax(leans, axis=1)[np.argpartition(-cosines, count, axis=1)[:, :count]]
    shares = np.stack([np.mean(near == group, axis=1) for group in range(leans.shape[1])], axis=1)
    pairs = [(lean, share) for lean, share in zip(leans[targets].T, shares.T, strict=True)]
    correlations = [np.corrcoef(*pair)[0, 1] for pair in pairs if all(map(np.ptp, pair))]
    if not correlations:
        raise EatlasError(
            "too few target words have neighbours to count",
            got=f"{len(targets)} targets of {TARGETS}",
        )
    return float(np.mean(correlations))
