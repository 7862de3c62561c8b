"""Bias that is left after a transform: clusters, neighbours and a classifier, before and after."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas.errors import EatlasError, SourceError
from eatlas.kernels.cosines import unit_rows
from eatlas.results.residual import BeforeAfter, ResidualBias
from eatlas.sources.bias_sets import (
    ALLOWED,
    BiasSets,
    FoundSets,
    bias_sets,
    leanings,
    looked_up,
    most_of_each,
    within,
)
from eatlas.sources.debiasing import DebiasedSource
from eatlas.sources.mapped import Mapped
from eatlas.sources.opening import VectorsLike, open_vectors
from eatlas.sources.source import Source
from eatlas.stats.debiasing import agreement, k_means
from eatlas.stats.inputs import whole
from eatlas.stimuli import GroupsTest, load_tests
from eatlas.stimuli.kinds import TestsLike
from eatlas.version import __version__

Array = NDArray[np.float64]
Labels = NDArray[np.int64]

CLUSTERED = 500
"""Most biased words of each group that are clustered, as Gonen and Goldberg (2019)."""
CLASSIFIED = 2_500
"""Most biased words of each group for the classifier, of which a fifth is trained on: the same."""
NEIGHBOURS = 100
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
    """Measure the bias that a transform leaves in vectors of words.

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
        Of the starts of clusters, 0 or more.

    Returns
    -------
    ResidualBias
        Projection, clusters, neighbours and classifier, each before and after.

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

    Examples
    --------
    >>> import eatlas
    >>> found = eatlas.residual_bias("glove-sample?transform=hard-debias:gender")
    >>> abs(found.projection.after) < 0.005, found.clusters.after < 0.55
    (True, True)
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
    """Return the sets of the last debiasing.

    Raises
    ------
    SourceError
        If there was none.
    """
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
    """Return the targets of tests of groups.

    Raises
    ------
    SourceError
        If one is of another kind.
    """
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
    """The figures of one source before and after."""

    def __init__(self, after: Mapped, sets: BiasSets, targets: tuple[str, ...], seed: int) -> None:
        self.after, self.before, self.sets, self.seed = after, after.original, sets, seed
        self.found = (looked_up(self.before, sets), looked_up(self.after, sets))
        directions = self.found[0].group_directions
        self.words, self.leans = leanings(self.before, directions, self.found[0].spared)
        self.labels = np.argmax(self.leans, axis=1)
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
        few, labels = most_of_each(self.leans, CLUSTERED)
        many, classes = most_of_each(self.leans, CLASSIFIED)
        k = len(self.sets.groups)
        trained = np.arange(len(many)) % 5 == 0
        correlations = self._neighbours()
        clusters = [self._clustered(rows[few], labels, k) for rows in self.rows]
        guessed = [_classified(rows[many], classes, trained) for rows in self.rows]
        projections = [
            self._projected(rows[few], labels, found)
            for rows, found in zip(self.rows, self.found, strict=True)
        ]
        record = ResidualBias(
            source=self.after.name,
            source_fingerprint=self.after.fingerprint,
            before=self.before.name,
            groups=self.sets.groups,
            version=__version__,
            seed=self.seed,
            vocabulary=len(self.words),
            projection=_figure(projections, 0.0),
            clusters=_figure(clusters, 1 / k),
            clustered=len(few),
            neighbours=_figure(correlations, 0.0),
            targets=len(self.targets),
            classifier=_figure(guessed, 1 / k),
            trained=int(trained.sum()),
            tested=int((~trained).sum()),
        )
        return record.model_copy(update={"warnings": record.remarks()})

    def _projected(self, rows: Array, labels: Labels, found: FoundSets) -> float:
        return float(np.add.reduce(rows * found.group_directions[labels], axis=1).mean())

    def _clustered(self, rows: Array, labels: Labels, k: int) -> float:
        clusters = k_means(rows, k, np.random.default_rng(self.seed))
        return agreement(labels, clusters, k)

    def _neighbours(self) -> list[float | None]:
        """Correlate the bias of targets with that of their neighbours, before and after."""
        count = min(NEIGHBOURS, len(self.words) // 10)
        correlations: list[float | None] = []
        for rows in self.rows:
            near = np.argsort(-(rows[self.targets] @ rows.T), axis=1, kind="stable")
            near_ones = [
                self.labels[[j for j in order[: count + 1] if j != i][:count]]
                for i, order in zip(self.targets, near, strict=True)
            ]
            parts = [
                _correlation(lean, np.array([np.mean(one == group) for one in near_ones]))
                for group, lean in enumerate(self.leans[self.targets].T)
            ]
            known = [part for part in parts if part is not None]
            correlations.append(float(np.mean(known)) if known else None)
        return correlations


def _correlation(one: Array, other: Array) -> float | None:
    """Pearson correlation; None for fewer than three pairs, or where a side does not vary."""
    if len(one) < 3 or np.ptp(one) == 0 or np.ptp(other) == 0:
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _classified(rows: Array, labels: Labels, trained: NDArray[np.bool_]) -> float | None:
    """Accuracy on words that were not trained on; None where scikit-learn is not installed."""
    try:
        from sklearn.svm import SVC  # noqa: PLC0415  (an extra, and slow to import)
    except ImportError:
        return None
    found = SVC(kernel="rbf").fit(rows[trained], labels[trained]).predict(rows[~trained])
    return float(np.mean(found == labels[~trained]))


def _figure(values: list[float | None] | list[float], chance: float) -> BeforeAfter:
    before, after = (None if one is None else round(one, DECIMALS) for one in values)
    return BeforeAfter(before=before, after=after, chance=round(chance, DECIMALS))
