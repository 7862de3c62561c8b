"""Scores of attributes by the summed probabilities of targets, and their resamples.

What associates a group of targets with an attribute is the log of the probability that one of its
targets is behind the mask, less the log of the same probability without the attribute: targets are
summed before the logarithm, as in the code of Husse and Spitz (2022). Log-probabilities have the
shape (targets, attributes, 2, sentences), X before Y: with the attribute, and without it; minus
infinity for targets that a sentence cannot have, such as plurals in a singular.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels.cosines import product
from eatlas.stats.bootstrap import Layout, ResampledLevel, sizes_of

Array = NDArray[np.float64]


def log_sum_scores(log_probabilities: Array, n_x: int) -> Array:
    """s(a) of each attribute in each sentence, shape (attributes, sentences).

    ``(log sum_X P - log sum_Y P) - (log sum_X prior - log sum_Y prior)``; the order of targets
    changes no bit.
    """
    x, y = (
        np.logaddexp.reduce(np.sort(part, axis=0), axis=0)
        for part in (log_probabilities[:n_x], log_probabilities[n_x:])
    )
    shown, prior = np.moveaxis(x - y, 1, 0)
    return np.asarray(shown - prior)


def log_sum_layout(
    log_probabilities: Array,
    n_x: int,
    n_a: int,
    precision: float | None = None,
    *,
    each: bool = False,
) -> Layout:
    """Lay out the effect size over attributes for resampling: attributes take the place of targets.

    Level 1 has attributes as units, A then B, scored over the targets, X then Y; there are no
    other levels. Each sentence of an attribute is a row of its own, or all are averaged.
    """
    targets, attributes, _, sentences = log_probabilities.shape
    groups = slice(0, n_x), slice(n_x, None)
    sums = [_Sums(log_probabilities[group]) for group in groups]

    def moments(units: Array, others: Array) -> tuple[Array, Array | None]:  # noqa: ARG001
        x, y = (side.logs(others[group]) for side, group in zip(sums, groups, strict=True))
        scores = x - y
        means = scores.mean(axis=0)
        return means, np.square(scores - means).sum(axis=0) if each else None

    shape = attributes, targets
    peak = float(np.abs(log_probabilities[np.isfinite(log_probabilities)]).max())
    rows = np.full((attributes, 1), float(sentences)) if each else None
    level = ResampledLevel(n_a, shape, moments, rows, peak, precision)
    work = 2 * sentences * targets * attributes
    return Layout((level, level, level), sizes_of(shape, n_a, n_x), work)


class _Sums:
    """Probabilities of the targets of one group, each over the greatest at its place."""

    def __init__(self, log_probabilities: Array) -> None:
        self.peaks = log_probabilities.max(axis=0)
        self.powers = np.exp(log_probabilities - self.peaks)

    def logs(self, weights: Array) -> Array:
        """Log of the weighted sums minus log of the priors; NaN for a sentence without a target.

        Of weights of shape (targets, sets), the shape is (sentences, attributes, sets).
        """
        attributes, _, sentences = self.peaks.shape
        found = np.zeros((sentences, attributes, weights.shape[1]))
        with np.errstate(divide="ignore", invalid="ignore"):
            for sentence in range(sentences):
                for sign, prior in ((1, 0), (-1, 1)):
                    sums = product(self.powers[:, :, prior, sentence].T, weights)
                    found[sentence] += sign * (np.log(sums) + self.peaks[:, prior, sentence, None])
        return found
