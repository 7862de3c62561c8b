"""LPBS within CEAT: log-probability bias scores over samples of sentences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from eatlas.measures.base import Array, Input, parameter, whole
from eatlas.measures.draws import (
    SHARED,
    Draws,
    fields_of_draws,
    first_draws,
    level3_of,
    mean_scores,
    over_draws,
)
from eatlas.measures.inference import FacetTable, generalise
from eatlas.measures.levels import pairs_to_store, sizes
from eatlas.measures.robustness import robustness
from eatlas.notes import Note
from eatlas.results.levels import Model, Replace, Variance
from eatlas.stats.effect_size import Components, components_of_means, draw_contexts, stream
from eatlas.stimuli.kinds import OPPOSITES
from eatlas_models.kernels.pair_draws import draw_pairs
from eatlas_models.measures.lpbs import LogRatioMeasure, Ratios
from eatlas_models.measures.over_attributes import places_by_name
from eatlas_models.results.language import LPBSCEATResult, SentenceDraws

Places = NDArray[np.int64]


@dataclass(frozen=True)
class PairSentences:
    """Ratios of all sentences of a test, and the sentences of each pair.

    Targets are as X and then Y, attributes as A and then B, each group by name: so the order in
    which a test lists them changes no sum.
    """

    single: Array
    """Ratio of every sentence."""
    starts: Places
    """Place of the first sentence of each pair, shape (targets, attributes)."""
    counts: Places
    """Sentences of each pair, in the same shape."""
    names: tuple[tuple[str, ...], tuple[str, ...]]
    """Of the targets, and of the attributes."""
    sizes: tuple[int, int, int, int]
    """Terms of X, Y, A and B."""
    listed: tuple[Places, Places]
    """Where each target of the test, and each attribute, is among the names."""

    @classmethod
    def of(cls, ratios: Ratios) -> PairSentences:
        """Arrange the ratios of a test."""
        used = {role: group.used for role, group in ratios.coverage.items()}
        both = [tuple(used[role] for role in side) for side in OPPOSITES]
        rows, columns = (places_by_name(*side) for side in both)
        terms = tuple(one + other for one, other in both)
        starts = (np.cumsum(ratios.counts) - ratios.counts.ravel()).reshape(ratios.counts.shape)
        return cls(
            single=ratios.single,
            starts=starts[np.ix_(rows, columns)],
            counts=ratios.counts[np.ix_(rows, columns)],
            names=(tuple(terms[0][i] for i in rows), tuple(terms[1][i] for i in columns)),
            sizes=sizes(used),
            listed=(np.argsort(rows), np.argsort(columns)),
        )

    def draw(self, draws: int, replace: Replace, seed: int) -> Iterator[Array]:
        """Ratios of each target with each attribute in each sample, shape (attributes, draws).

        The sentences of a pair depend only on the seed and on the names of its two stimuli: not on
        the order of terms, nor on their groups, nor on the other terms.
        """
        for i, target in enumerate(self.names[0]):
            row = np.empty((len(self.names[1]), draws))
            for j, attribute in enumerate(self.names[1]):
                numbers = stream(seed, f"pair {len(target)} {target} {attribute}")
                count, start = int(self.counts[i, j]), int(self.starts[i, j])
                chosen = draw_contexts(count, draws, numbers, replace)
                np.take(self.single[start : start + count], chosen, out=row[j], mode="clip")
            yield row

    def components(self) -> tuple[Components | None, ...]:
        """Variance of the scores of samples: level 1, level 2 of X and of Y, over attributes.

        The score of a target is the mean of its ratios with A minus the mean with B, each of
        one sentence; so its variance between sentences is the sum over pairs of a pair's variance,
        times the square of the pair's weight in that mean. None for fewer than three terms.
        """
        order = np.argsort(self.starts, axis=None)
        starts, counts = self.starts.ravel()[order], self.counts.ravel()[order]
        means = np.add.reduceat(self.single, starts) / counts
        away = self.single - np.repeat(means, counts)
        squares = np.add.reduceat(away * away, starts)
        place = np.argsort(order)
        mean, square = (each[place].reshape(self.counts.shape) for each in (means, squares))
        several = self.counts > 1
        variance = square / np.maximum(self.counts - 1, 1)
        usual = float(variance[several].mean()) if several.any() else float("nan")
        # of a pair with one sentence alone nothing is known: it stands for a usual one
        variance = np.where(several, variance, usual)
        x, y, a, b = self.sizes
        first, second = _weights(a, b), _weights(x, y)
        of_x, of_y = np.maximum(second, 0), np.maximum(-second, 0)
        return (
            _components(mean.T, variance.T, self.counts.T, first, x),
            *(_components(mean, variance, self.counts, w, a) for w in (of_x, of_y, second)),
        )


def _weights(n: int, m: int) -> Array:
    """Of the terms of two groups in the difference of their means."""
    return np.repeat([1 / n, -1 / m], [n, m])


def _components(
    mean: Array, variance: Array, counts: Places, weights: Array, n: int
) -> Components | None:
    """Of units in columns, whose score is the weighted sum of their ratios in the rows."""
    if mean.shape[1] < 3:
        return None
    within = weights**2 @ variance
    known = not np.isnan(within).any()
    noise = weights**2 @ (variance / counts) if known else np.zeros(mean.shape[1])
    return components_of_means(weights @ mean, float(within.mean()), noise, n)


@dataclass(frozen=True)
class LPBSCEAT(LogRatioMeasure):
    """Log-probability bias scores over samples of sentences (Husse and Spitz 2022, section 3.4).

    Each sample takes one sentence for every pair of a target x and an attribute a: one of the
    templates, or one of the sentences of a corpus that hold both. The log-probability ratio M(x, a)
    of that sentence, in nats, fills the matrix of the sample; from it come levels 1 and 2 and the
    effect size over attributes, as in :class:`eatlas.LPBS`. Their equally weighted means
    over all samples have exact permutation p-values; next to them is their combination by a
    random-effects model, as in :class:`eatlas.CEAT`.

    Parameters
    ----------
    alpha, ddof, p, draws, strict, statistic, adjust, tail, threshold
        As in :class:`eatlas.CEAT`.
    n : int, default 10,000
        Samples of sentences.
    tau2 : {"dl", "pm"}, default "dl"
        Estimator of the variance between draws: DerSimonian-Laird or Paule-Mandel. (`model` is the
        kind of language model.)
    variance : {"common", "ceat"}, default "common"
        Sampling variance of an effect size in the random-effects model, as in
        :class:`eatlas.CEAT`.
    replace : {"auto", "always"}, default "auto"
        Whether sentences of a pair are sampled with replacement: only where it has fewer than `n`;
        or always.
    model, templates, plural, pieces, normalize, targets, attributes, pairs
        As in :class:`eatlas.LPBS`. There is no `aggregate`: a draw has one sentence of a pair.

    Raises
    ------
    StimulusError
        If a file of templates is not usable.

    Examples
    --------
    >>> LPBSCEAT(n=1000, templates="person").signature
    'LPBS-CEAT(alpha=0.05,ddof=1,model=masked,n=1000,p=auto,pieces=joint,replace=auto,\
tail=directional,tau2=dl,templates=person,threshold=0.2,variance=common)'
    """

    name: ClassVar[str] = "lpbs-ceat"

    _: KW_ONLY
    n: int = parameter(10_000, whole(2))
    tau2: Model = parameter("dl", Model)
    variance: Variance = parameter("common", Variance)
    replace: Replace = parameter("auto", Replace)

    def compute(self, given: Input, notes: list[Note]) -> LPBSCEATResult:
        """Three levels and the effect size over attributes over draws, and patterns of samples."""
        ratios, about = self.ratios_with_facts(given, notes)
        sentences = PairSentences.of(ratios)
        sizes, parts = sentences.sizes, sentences.components()
        rows = sentences.draw(self.n, self.replace, given.seed)
        drawn = draw_pairs(rows, self.n, sizes, first_draws(sizes))
        notes.append(SHARED)
        alone, of = int((sentences.counts == 1).sum()), sentences.counts.size
        if alone == of:
            notes.append(Note("samples.all-single"))
        elif alone:
            notes.append(Note("samples.single-sentence", values={"count": alone, "of": of}))
        how_drawn = Draws(self, self.n, self.tau2, self.variance, self.replace)
        fields, draws = fields_of_draws(how_drawn, drawn, sizes, parts[:3], notes, given)
        u = drawn.attributes[:, 0] - drawn.attributes[:, 1]
        over, of_draws, _ = over_draws(
            how_drawn, "over_attributes", u, sizes[2:], parts[3], notes, given
        )
        rows_listed, listed = sentences.listed
        means = drawn.means[np.ix_(rows_listed, listed)]
        s, u = drawn.targets.mean(axis=0), drawn.attributes.mean(axis=0)
        how: Any = {"scale": given.magnitude, "precision": given.precision}
        found = {
            **fields,
            "similarities": pairs_to_store(means),
            "scores": mean_scores(s[rows_listed], u[:, listed], sizes),
            "samples": SentenceDraws(**draws, over_attributes=of_draws),
            "generalisation": generalise(FacetTable(means), sizes, notes=notes, **how),
        }
        pairs = np.round(drawn.means, 6) if found["similarities"] else None  # by name
        found |= robustness(self, given, found, notes, pairs)
        return LPBSCEATResult(
            **given.head | about | found,
            over_attributes=over,
            level3=level3_of(drawn.first, drawn.cells, sizes),
        )
