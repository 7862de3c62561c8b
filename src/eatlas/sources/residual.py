"""Clusters, neighbours and a classifier before and after a transform, beside random directions."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, SourceError
from eatlas.kernels.cosines import unit_rows
from eatlas.results.residual import BeforeAfter, ResidualBias
from eatlas.sources.debiasing import (
    ALLOWED,
    BiasSets,
    DebiasedSource,
    FoundSets,
    bias_sets,
    leanings,
    looked_up,
    most_of_each,
    within,
)
from eatlas.sources.opening import VectorsLike, open_vectors
from eatlas.sources.source import Mapped, Source
from eatlas.stats.inputs import whole
from eatlas.stats.space import agreement, k_means, neutralize
from eatlas.stimuli import GroupsTest, load_tests
from eatlas.stimuli.kinds import TestsLike
from eatlas.version import __version__

Array = NDArray[np.float64]
Labels = NDArray[np.int64]
Figures = dict[str, float | None]

CLUSTERED = 500
"""Most biased words of each group that are clustered, as Gonen and Goldberg (2019)."""
CLASSIFIED = 2_500
"""Most biased words of each group for the classifier, of which a fifth is trained on: the same."""
NEIGHBOURS = 100
DIRECTIONS = 19
"""Random ones: a further one exceeds them all in one of twenty cases."""
TARGETS = "divdist-gender"
"""The test whose targets, 288 professions, are looked at unless others are given."""
DECIMALS = 6


def residual_bias(
    source: VectorsLike,
    *,
    sets: str | None = None,
    targets: TestsLike = TARGETS,
    seed: int = 0,
) -> ResidualBias:
    """Look for a bias of words after a transform, by clusters, neighbours and a classifier.

    Parameters
    ----------
    source : anything that :func:`eatlas.open_vectors` opens
        With a transform, such as ``"glove-sample?transform=hard-debias:gender"``; it is compared
        with the same source without any.
    sets : str, optional
        Word sets that define the bias: ``gender``, ``race``, ``religion``, a TOML file of sets, or
        a test of groups. By default those of the last debiasing.
    targets : what :func:`eatlas.load_tests` takes, default ``divdist-gender``
        A test of groups, whose targets' neighbours are counted.
    seed : int, default 0
        Of the starts of clusters and of the random directions, 0 or more.

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
    3. *neighbours*: Pearson correlation of the bias of each target, before, with the share of its
       100 nearest words that lean to the group, the mean over groups;
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
    if not isinstance(after, Mapped):
        raise SourceError(
            f"{after.name}: nothing was done to these vectors that could leave a bias",
            allowed="a source with a transform: SOURCE?transform=hard-debias:gender",
        )
    chosen = bias_sets(sets) if sets is not None else _sets_of(after)
    words, start = _targets(targets), whole(seed, "seed", 0)
    try:
        return _Study(after, chosen, words, start).record()
    except SourceError:
        raise
    except EatlasError as error:
        raise within(after.name, error) from error


def _sets_of(source: Source) -> BiasSets:
    """Return the sets of the last debiasing."""
    one = source
    while isinstance(one, Mapped):
        if isinstance(one, DebiasedSource):
            return one.step.sets
        one = one.source
    raise SourceError(
        f"{source.name}: the word sets that define the bias are needed",
        got="a transform that names none",
        allowed=ALLOWED,
    )


def _targets(tests: Any) -> tuple[str, ...]:
    """Return the targets of tests of groups."""
    found: dict[str, None] = {}
    for test in load_tests(tests):
        if not isinstance(test, GroupsTest):
            raise SourceError(
                f"{test.id}: targets are taken from a test of groups",
                got=f"a test of the kind {test.kind}",
            )
        found |= dict.fromkeys(test.targets.terms)
    return tuple(found)


class _Study:
    """The figures of one source before and after, and those that random directions leave."""

    def __init__(self, after: Mapped, sets: BiasSets, targets: tuple[str, ...], seed: int) -> None:
        self.after, self.before, self.sets, self.seed = after, after.original, sets, seed
        self.found = (looked_up(self.before, sets), looked_up(self.after, sets))
        directions = self.found[0].group_directions
        self.words, self.leans = leanings(self.before, directions, self.found[0].spared)
        self.rows = (self._rows(self.before), self._rows(self.after))
        places = {word: i for i, word in enumerate(self.words)}
        self.targets = [places[word] for word in targets if word in places]

    def _rows(self, source: Source) -> Array:
        """Unit rows of all frequent words; of a word without a vector, zeros."""
        found = source.lookup(self.words)
        rows = np.zeros((len(self.words), source.dim))
        there = [i for i, word in enumerate(self.words) if word in found and found[word].any()]
        if there:
            rows[there] = unit_rows(np.stack([found[self.words[i]] for i in there]))
        return rows

    def record(self) -> ResidualBias:
        """The record, with its warnings."""
        before, after = (
            self._figures(rows, self.leans, sets.group_directions, self.targets)
            for rows, sets in zip(self.rows, self.found, strict=True)
        )
        rng = np.random.default_rng((self.seed, 1))
        controls = [self._control(rng) for _ in range(DIRECTIONS)]
        figures = {
            name: _figure(before[name], after[name], [one[name] for one in controls])
            for name in before
        }
        many = most_of_each(self.leans, CLASSIFIED)[0]
        trained = int(_trained_on(len(many)).sum())
        record = ResidualBias(
            source=self.after.name,
            source_fingerprint=self.after.fingerprint,
            before=self.before.name,
            groups=self.sets.groups,
            version=__version__,
            seed=self.seed,
            vocabulary=len(self.words),
            directions=DIRECTIONS,
            projection=figures["projection"],
            clusters=figures["clusters"],
            clustered=len(most_of_each(self.leans, CLUSTERED)[0]),
            neighbours=figures["neighbours"],
            targets=len(self.targets),
            classifier=figures["classifier"],
            trained=trained,
            tested=len(many) - trained,
        )
        return record.model_copy(update={"warnings": record.remarks()})

    def _control(self, rng: np.random.Generator) -> Figures:
        """Figures of the mean difference of random words, after it is removed."""
        rows, k = self.rows[0], len(self.sets.groups)
        sets = max(1, min(len(self.found[0].defining), len(rows) // (10 * k)))
        drawn = rng.choice(len(rows), (sets, k), replace=False)
        directions = FoundSets([*rows[drawn]], {}, frozenset(), ()).group_directions
        rest = np.delete(np.arange(len(rows)), drawn.ravel())
        basis = np.linalg.svd(directions, full_matrices=False)[2][: k - 1]
        targets = np.flatnonzero(np.isin(rest, self.targets)).tolist()
        leans = rows[rest] @ directions.T
        return self._figures(neutralize(rows[rest], basis), leans, directions, targets)

    def _figures(self, rows: Array, leans: Array, directions: Array, targets: list[int]) -> Figures:
        """Figures of one space, by the words that lean to directions, these or earlier ones."""
        few, labels = most_of_each(leans, CLUSTERED)
        many, classes = most_of_each(leans, CLASSIFIED)
        k = leans.shape[1]
        clusters = k_means(rows[few], k, np.random.default_rng(self.seed))
        return {
            "projection": float(np.add.reduce(rows[few] * directions[labels], axis=1).mean()),
            "clusters": agreement(labels, clusters, k),
            "neighbours": _neighbours(rows, leans, targets),
            "classifier": _classified(rows[many], classes),
        }


def _neighbours(rows: Array, leans: Array, targets: list[int]) -> float | None:
    """Correlate the bias of targets with the leanings of their neighbours."""
    count = min(NEIGHBOURS, len(rows) // 10)
    cosines = rows[targets] @ rows.T
    cosines[np.arange(len(targets)), targets] = -np.inf
    near = np.argmax(leans, axis=1)[np.argpartition(-cosines, count, axis=1)[:, :count]]
    parts = [
        _correlation(lean, np.mean(near == group, axis=1))
        for group, lean in enumerate(leans[targets].T)
    ]
    correlations = [part for part in parts if part is not None]
    return float(np.mean(correlations)) if correlations else None


def _correlation(one: Array, other: Array) -> float | None:
    """Pearson correlation; None for fewer than three pairs, or where a side does not vary."""
    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _trained_on(words: int) -> NDArray[np.bool_]:
    """Which words a classifier is trained on: a fifth, as Gonen and Goldberg (2019)."""
    mask: NDArray[np.bool_] = np.arange(words) % 5 == 0
    return mask


def _classified(rows: Array, labels: Labels) -> float | None:
    """Accuracy on words that were not trained on; None where scikit-learn is not installed."""
    try:
        from sklearn.svm import SVC  # noqa: PLC0415  (an extra, and slow to import)
    except ImportError:
        return None
    trained = _trained_on(len(rows))
    guessed = SVC(kernel="rbf").fit(rows[trained], labels[trained]).predict(rows[~trained])
    return float(np.mean(guessed == labels[~trained]))


def _figure(before: float | None, after: float | None, left: list[float | None]) -> BeforeAfter:
    """One figure, beside what random directions leave of it."""
    random = [value for value in left if value is not None]
    chance = (float(np.mean(random)), min(random), max(random)) if random else (None, None, None)
    values = (
        None if value is None else round(value, DECIMALS) + 0.0  # no -0.0
        for value in (before, after, *chance)
    )
    return BeforeAfter(**dict(zip(BeforeAfter.model_fields, values, strict=True)))
