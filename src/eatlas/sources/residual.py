"""Clusters, neighbours and a classifier before and after a transform, beside random directions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, SourceError
from eatlas.kernels.cosines import unit_rows
from eatlas.results.residual import BeforeAfter, ResidualBias
from eatlas.sources.debiasing import (
    ALLOWED,
    BiasSets,
    Debiasing,
    bias_sets,
    directions_of,
    find_sets,
    frequent_rows,
    most_biased,
)
from eatlas.sources.opening import VectorsLike, open_vectors
from eatlas.sources.source import Source
from eatlas.sources.transforms import TransformedSource, located
from eatlas.stats.space import clusters_by_group, neutralize, sklearn, unit_or_zero
from eatlas.stimuli import load_tests
from eatlas.version import __version__

Array = NDArray[np.float64]

CLUSTERED = 500
"""Most biased words of each group that are clustered, as Gonen and Goldberg (2019)."""
CLASSIFIED = 2_500
"""Most biased words of each group for the classifier, of which a fifth is trained on: the same."""
NEIGHBOURS = 100
DIRECTIONS = 19
"""Random ones: a further one exceeds them all in one of twenty cases."""
TARGETS = "divdist-gender"
"""The test whose targets, 288 professions, are looked at."""
DECIMALS = 6


def residual_bias(source: VectorsLike, *, sets: str | None = None) -> ResidualBias:
    """Look for a bias of words after a transform, by clusters, neighbours and a classifier.

    Parameters
    ----------
    source : anything that :func:`eatlas.open_vectors` opens
        With a transform, such as ``"glove-sample?transform=hard-debias:gender"``; it is compared
        with the same source without any.
    sets : str, optional
        Word sets that define the bias: ``gender``, ``race``, ``religion``, or a TOML file of
        sets. By default those of the last debiasing.

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
    direction of each group: the mean of the group's defining words less that of their sets. It
    leans to the group of the largest. Among the first 50,000 words of the source, letters only and
    without specific words:

    1. *projection*: mean cosine of the 500 most biased words of each group with its direction;
    2. *clusters*: share of these in the cluster of their group, by k-means with k clusters;
    3. *neighbours*: Pearson correlation of the bias of each of 288 professions, the targets of
       ``divdist-gender``, before, with the share of its 100 nearest words that lean to the group,
       the mean over groups;
    4. *classifier*: accuracy of a support vector machine with radial basis functions, trained on a
       fifth of the 2,500 most biased words of each group, on the others.

    Words, groups and leanings are those before the transform. The paper takes he - she for the
    direction and the bias; smaller sources have shorter lists, 15% of all words for each group.

    *Chance* is what is left of a direction that means nothing. Words that are chosen because they
    lean to a direction share more than that direction, whichever it is, and do so after it is
    removed. So the same figures are computed for 19 random directions, each after its removal:
    means of as many sets of random frequent words as there are defining sets, in place of these.
    Their mean, lowest and highest stand beside each figure. A further random direction exceeds
    all of them in one of twenty cases. The paper has no such control. A figure that is no higher
    is no evidence that the transform left a bias, nor that it left none.

    Examples
    --------
    >>> import eatlas
    >>> found = eatlas.residual_bias("glove-sample?transform=hard-debias:gender")
    >>> abs(found.projection.after) < 0.005, found.neighbours.beside_chance
    (True, 'within')
    """
    after = open_vectors(source)
    if not isinstance(after, TransformedSource):
        raise SourceError(
            f"{after.name}: nothing was done to these vectors that could leave a bias",
            allowed="a source with a transform: SOURCE?transform=hard-debias:gender",
        )
    inner: Source = after
    chosen = None if sets is None else bias_sets(sets)
    while chosen is None and isinstance(inner, TransformedSource):
        chosen = inner.step.sets if isinstance(inner.step, Debiasing) else None
        inner = inner.source
    if chosen is None:
        raise SourceError(
            f"{after.name}: the word sets that define the bias are needed",
            got="a transform that names none",
            allowed=ALLOWED,
        )
    with located(after.name):
        return _compare(after, chosen)


def _compare(after: TransformedSource, sets: BiasSets) -> ResidualBias:
    """Figures of a source before and after, and those that random directions leave."""
    before = after.original
    found = find_sets(before, sets)
    words, raw = frequent_rows(before, found.spared)
    rows, place_of = unit_rows(raw), {word: i for i, word in enumerate(words)}
    leans = rows @ found.directions.T
    vectors = after.lookup(words)
    zeros = np.zeros(after.dim)
    left = unit_or_zero(np.stack([vectors.get(word, zeros) for word in words]).astype(np.float64))
    (test,) = load_tests(TARGETS)
    terms = test.concepts["targets"].terms
    targets = np.array([place_of[term] for term in terms if term in place_of], np.intp)
    of_before = _figures(rows, leans, found.directions, targets)
    of_after = _figures(left, leans, find_sets(after, sets).directions, targets)
    rng = np.random.default_rng((0, 1))
    drawn = max(1, min(len(found.defining), len(rows) // (10 * len(sets.groups))))
    shape = drawn, len(sets.groups)
    controls = [_control(rows, targets, shape, rng) for _ in range(DIRECTIONS)]
    many = len(most_biased(leans, CLASSIFIED)[0])
    trained = int(_trained_on(many).sum())
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
        tested=many - trained,
        **{
            name: _figure(of_before[name], of_after[name], [each[name] for each in controls])
            for name in of_before
        },
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
    leans = rows[rest] @ directions.T
    own = np.flatnonzero(np.isin(rest, targets))
    return _figures(neutralize(rows[rest], basis), leans, directions, own)


def _figures(
    rows: Array, leans: Array, directions: Array, targets: NDArray[np.intp]
) -> Mapping[str, float]:
    """Figures of one space, by the words that lean to directions, these or earlier ones."""
    few, labels = most_biased(leans, CLUSTERED)
    many, classes = most_biased(leans, CLASSIFIED)
    trained = _trained_on(len(many))
    machine = sklearn("svm").SVC(kernel="rbf").fit(rows[many][trained], classes[trained])
    return {
        "projection": float(np.sum(rows[few] * directions[labels], axis=1).mean()),
        "clusters": clusters_by_group(rows[few], labels),
        "neighbours": _neighbours(rows, leans, targets),
        "classifier": float(machine.score(rows[many][~trained], classes[~trained])),
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
            "too few words whose neighbours could be counted",
            got=f"{len(targets)} targets of {TARGETS}",
        )
    return float(np.mean(correlations))


def _trained_on(words: int) -> NDArray[np.bool_]:
    """Which words a classifier is trained on: a fifth, as Gonen and Goldberg (2019)."""
    mask: NDArray[np.bool_] = np.arange(words) % 5 == 0
    return mask


def _figure(before: float, after: float, random: list[float]) -> BeforeAfter:
    """One figure, beside what random directions leave of it."""
    values = (before, after, float(np.mean(random)), min(random), max(random))
    numbers = (round(value, DECIMALS) + 0.0 for value in values)  # no -0.0
    return BeforeAfter(**dict(zip(BeforeAfter.model_fields, numbers, strict=True)))
