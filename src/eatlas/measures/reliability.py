"""How far the words of a test's lists hang together, by a result or by similarities."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from eatlas.errors import EatlasError, described
from eatlas.measures.p_values import DECIMALS
from eatlas.measures.rows import several, stimuli_of
from eatlas.measures.seeding import generator_of, stimuli_covered
from eatlas.results import AssociationResult, is_result
from eatlas.results.inference import Coefficient, GroupReliability, Reliability, Unit
from eatlas.results.parts import defined
from eatlas.stats.inputs import numbers, open_unit, whole
from eatlas.stats.reliability import Coefficient as Found
from eatlas.stats.reliability import PairReliability, list_reliability
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

Array = NDArray[np.float64]
GROUPS = 4


def reliability(
    given: AssociationResult | ArrayLike,
    sizes: Sequence[int] | None = None,
    *,
    seed: int = 0,
    resamples: int = 1000,
    confidence: float = 0.95,
) -> Reliability:
    """Reliability of the word lists of a test: do their words hang together, and are they apart.

    Parameters
    ----------
    given : result or array_like, shape (targets, attributes)
        A result that keeps its similarities; or similarities, rows X then Y, columns A then B.
    sizes : sequence of four int, optional
        Terms of X, Y, A and B, where `given` is an array.
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
        If a result keeps no similarities, an array does not fit its sizes, or a group has fewer
        than 2 terms.

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
    confidence = open_unit(confidence)
    table, (n_x, n_a), unit, rng = _asked(given, sizes, whole(seed, "seed", 0))
    how: dict[str, Any] = {"rng": rng, "resamples": resamples, "level": confidence}
    targets = list_reliability(table[:n_x], table[n_x:], **how)
    attributes = list_reliability(table[:, :n_a].T, table[:, n_a:].T, **how)
    return Reliability(
        unit=unit,
        confidence=confidence,
        **_groups(TARGETS, targets),
        **_groups(ATTRIBUTES, attributes),
        targets=_record(targets.between),
        attributes=_record(attributes.between),
    )


def _asked(
    given: Any, sizes: Sequence[int] | None, seed: int
) -> tuple[Array, tuple[int, int], Unit, np.random.Generator]:
    """The table, the sizes of X and A, what its rows are, and a generator."""
    if is_result(given):
        kept = given.similarities
        if kept is None:
            raise EatlasError(
                f"the result of {given.test} keeps no similarities",
                got=f"a result of {given.measure}",
                allowed="a result of ML-EAT, WEAT, CEAT or LPBS of up to some hundred terms a side",
            )
        table, stimuli = np.array(kept), stimuli_of(given.coverage)
        rng = generator_of(seed, stimuli_covered(given.coverage), "reliability")
        x, y, a, b = (stimuli[role] for role in ROLES)
        if not several(stimuli):
            return table, (len(x), len(a)), "term", rng
        if len(table) > len(x) + len(y):  # a row for each sentence, not for each stimulus
            table = (x + y).averaging().T @ table @ (a + b).averaging()
        return table, (len(x), len(a)), "stimulus", rng
    table = numbers(given, "similarities", 2)
    try:
        n = [whole(size, "a size", 1) for size in sizes or ()]
    except TypeError:
        n = []
    if len(n) != GROUPS or (n[0] + n[1], n[2] + n[3]) != table.shape:
        raise EatlasError(
            "the sizes are not those of the similarities",
            got=f"{n or described(sizes)} for a table of {table.shape[0]} by {table.shape[1]}",
            allowed="terms of X, Y, A and B: as many targets as rows, and attributes as columns",
        )
    return table, (n[0], n[2]), "term", np.random.default_rng(seed)


def _groups(roles: Iterable[str], found: PairReliability) -> dict[str, GroupReliability]:
    return {
        role: GroupReliability(
            terms=one.items,
            raw_alpha=defined(one.raw_alpha, DECIMALS),
            alpha=_record(one.alpha),
            omega=_record(one.omega),
        )
        for role, one in zip(roles, (found.first, found.second), strict=True)
    }


def _record(found: Found) -> Coefficient:
    values = {name: defined(getattr(found, name), DECIMALS) for name in ("value", "low", "high")}
    return Coefficient(**values)
