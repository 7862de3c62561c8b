"""How far the words of a test's lists hang together, by the similarities that a result keeps."""

from __future__ import annotations

from typing import Any

import numpy as np

from eatlas.errors import EatlasError, described
from eatlas.measures.p_values import DECIMALS
from eatlas.measures.rows import several, stimuli_of
from eatlas.measures.seeding import generator_of, stimuli_covered
from eatlas.results import AssociationResult, is_result
from eatlas.results.inference import Coefficient, GroupReliability, Reliability
from eatlas.results.parts import defined
from eatlas.stats.inputs import open_unit, whole
from eatlas.stats.reliability import Coefficient as Estimate
from eatlas.stats.reliability import list_reliability
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS


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
        For each group alpha and omega of column-centred similarities, and the raw alpha; for
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
        table = (x + y).averaging().T @ table @ (a + b).averaging()
    rng = generator_of(whole(seed, "seed", 0), stimuli_covered(result.coverage), "reliability")
    how: dict[str, Any] = {"rng": rng, "resamples": resamples, "level": open_unit(confidence)}
    groups, between = {}, {}
    for side, roles, scores, n in (
        ("targets", TARGETS, table, len(x)),
        ("attributes", ATTRIBUTES, table.T, len(a)),
    ):
        lists = list_reliability(scores[:n], scores[n:], **how)
        between[side] = _record(lists.between)
        for role, group in zip(roles, (lists.first, lists.second), strict=True):
            groups[role] = GroupReliability(
                terms=group.items,
                raw_alpha=defined(group.raw_alpha, DECIMALS),
                alpha=_record(group.alpha),
                omega=_record(group.omega),
            )
    unit = "stimulus" if several(stimuli) else "term"
    return Reliability(unit=unit, confidence=confidence, **groups, **between)


def _record(estimate: Estimate) -> Coefficient:
    names = ("value", "low", "high")
    return Coefficient(**{name: defined(getattr(estimate, name), DECIMALS) for name in names})
