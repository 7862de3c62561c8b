"""How far the words of a test's lists hang together, by the similarities that a result keeps."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from eatlas.errors import EatlasError, described
from eatlas.measures.base import generator_of, stimuli_covered
from eatlas.measures.rows import several, stimuli_of
from eatlas.results import AssociationResult, is_result
from eatlas.results.inference import Unit
from eatlas.stats.inputs import open_unit, whole
from eatlas.stats.reliability import Coefficient, ListReliability, list_reliability
from eatlas.stimuli import ROLES


@dataclass(frozen=True)
class Reliability:
    """Reliability of the four groups of a test, and of the contrasts between them."""

    unit: Unit
    """Whether terms, or stimuli of sentences, are the items."""
    confidence: float
    X: ListReliability
    Y: ListReliability
    A: ListReliability
    B: ListReliability
    targets: Coefficient
    """Reliability of the difference between the mean profiles of X and Y over attributes: 0 or less
    for random words, 1 where the words of each group are all alike."""
    attributes: Coefficient
    """The same of A and B over targets."""

    def __repr__(self) -> str:
        units = "terms" if self.unit == "term" else "stimuli"
        groups = zip(ROLES, (self.X, self.Y, self.A, self.B), strict=True)
        lines = [
            f"{role}: {group.items} {units}, alpha {group.alpha}, raw alpha "
            f"{'undefined' if math.isnan(group.raw_alpha) else f'{group.raw_alpha:.2f}'}"
            for role, group in groups
        ]
        apart = [f"X and Y apart: {self.targets}", f"A and B apart: {self.attributes}"]
        return "\n".join([*lines, *apart])


def reliability(
    result: AssociationResult,
    *,
    seed: int = 0,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> Reliability:
    """Reliability of the word lists of a test: do their words hang together, and are they apart.

    Parameters
    ----------
    result : result
        One that keeps its similarities.
    seed : int, default 0
        Of the resamples behind the intervals.
    resamples : int, default 1000
        1 or more; the terms of the other side are drawn again.
    confidence : float, default 0.95
        Of the percentile intervals, in (0, 1).

    Returns
    -------
    Reliability
        For each group alpha of column-centred similarities, and the raw alpha; for
        each side the reliability of the difference between its groups. Over stimuli in tests of
        sentences.

    Raises
    ------
    EatlasError
        If the result keeps no similarities, or a group has fewer than 2 terms.

    Notes
    -----
    Formulas, simulations and how to read them are in the page on reliability.

    Examples
    --------
    >>> import eatlas
    >>> found = eatlas.reliability(eatlas.run(tests="weat-6")[0])
    >>> round(found.X.alpha.value, 2), round(found.targets.value, 2)
    (0.91, 0.95)
    """
    if not is_result(result) or result.similarities is None:
        raise EatlasError(
            "the reliability of word lists takes a result that keeps its similarities",
            got=f"a result of {result.measure}" if is_result(result) else described(result),
            allowed="a result of ML-EAT, CEAT or LPBS of up to some hundred terms a side",
        )
    table, stimuli = np.array(result.similarities), stimuli_of(result.coverage)
    x, y, a, b = (stimuli[role] for role in ROLES)
    if len(table) > len(x) + len(y):  # a row for each sentence, not for each stimulus
        table = (x + y).mean_rows((a + b).mean_rows(table.T).T)
    rng = generator_of(whole(seed, "seed", 0), stimuli_covered(result.coverage), "reliability")
    level, drawn = open_unit(confidence), whole(resamples, "resamples", 1)
    x_y, a_b = (
        list_reliability(scores[:n], scores[n:], rng=rng, resamples=drawn, level=level)
        for scores, n in ((table, len(x)), (table.T, len(a)))
    )
    return Reliability(
        "stimulus" if several(stimuli) else "term",
        level,
        *(x_y.first, x_y.second, a_b.first, a_b.second),
        targets=x_y.between,
        attributes=a_b.between,
    )
