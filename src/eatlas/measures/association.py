"""The association function: how much one target and one attribute have to do with each other.

Every function here is a dot product of rows that stand for the terms, so that levels 1 to 3 are
computed alike: cosine takes unit vectors, projection takes their coordinates along one direction.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import CoverageError, SignatureError, listed
from eatlas.measures.stimuli import Stimuli
from eatlas.sources import CaseRule, VectorSource, spellings
from eatlas.stats.permutation import PermutationResult, recomputed_test

Association = Literal["cosine", "projection"]
Rows = Mapping[str, NDArray[np.float64]]
LEARNED = ""
"""The direction that is learned from the test's own attributes."""
RECOMPUTED_DRAWS = 10_000
"""Most relabellings for which a direction is learned anew: each takes half a millisecond with 50
attributes."""


def defining_pairs(direction: str) -> tuple[tuple[str, str], ...]:
    """Read the defining pairs of a direction, such as ``she/he;woman/man``.

    Raises
    ------
    SignatureError
        If they are no pairs.

    Examples
    --------
    >>> defining_pairs("she/he; woman/man")
    (('she', 'he'), ('woman', 'man'))
    """
    if direction == LEARNED:
        return ()
    pairs = tuple(
        tuple(term.strip() for term in pair.split("/")) for pair in direction.strip(" ;").split(";")
    )
    if not all(len(pair) == 2 and all(pair) and pair[0] != pair[1] for pair in pairs):
        raise SignatureError(
            "the direction cannot be read",
            got=repr(direction),
            allowed='pairs of two different terms, such as "she/he;woman/man"',
        )
    return tuple((pair[0], pair[1]) for pair in pairs)


def external_direction(
    pairs: tuple[tuple[str, str], ...], source: VectorSource, case: CaseRule
) -> NDArray[np.float64]:
    """Direction of defining pairs, which does not depend on the terms of any test.

    Raises
    ------
    CoverageError
        If a term has no usable vector, or no pair differs.
    """
    terms = [term for pair in pairs for term in pair]
    found = source.lookup({key for term in terms for key in spellings(term, case)})
    rows, missing = [], []
    for term in terms:
        usable = [found[k] for k in spellings(term, case) if k in found and np.any(found[k])]
        if usable:
            rows.append(np.asarray(usable[0], dtype=np.float64))
        else:
            missing.append(term)
    if missing:
        raise CoverageError(
            f"the direction needs terms that have no usable vector in {source.name}",
            got=f"missing: {listed(missing)}",
            remedy="name defining pairs whose terms the source has",
        )
    unit = kernels.unit_rows(np.array(rows))
    return _usable(
        kernels.pair_direction(unit[0::2], unit[1::2]), "the terms of each defining pair coincide"
    )


def learned_direction(rows: Rows) -> NDArray[np.float64]:
    """Direction between the test's own attribute groups."""
    if np.ptp(np.concatenate([rows["A"], rows["B"]]), axis=0).max() == 0:
        return _usable(np.zeros(rows["A"].shape[1]), "all attributes coincide")
    return kernels.group_direction(rows["A"], rows["B"])


def _usable(direction: NDArray[np.float64], why: str) -> NDArray[np.float64]:
    if np.any(direction):
        return direction
    raise CoverageError(
        "there is no direction to project on",
        got=why,
        remedy="name defining pairs that differ, or use association=cosine",
    )


def projected(rows: Rows, direction: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    """Coordinates of all terms along a direction, shape (n, 1) for each group."""
    return {role: kernels.coordinates(rows[role], direction) for role in rows}


def learned_level2(
    rows: Rows,
    target: str,
    *,
    draws: int,
    rng: np.random.Generator | None,
    stimuli: Mapping[str, Stimuli] | None = None,
    precision: float | None = None,
) -> PermutationResult:
    """P-values of a level 2 whose direction is learned anew for each relabelling of attributes.

    The statistic is ``(mean of T . g) (mean of A . g - mean of B . g)`` with the direction g of
    the relabelled groups. With `stimuli`, of A and of B, all sentences of one are relabelled
    together, and the means of A . g and B . g are over stimuli.
    """
    attributes = np.concatenate([rows["A"], rows["B"]])
    each = {role: stimuli[role] if stimuli else Stimuli.single(len(rows[role])) for role in "AB"}
    both = each["A"] + each["B"]
    directions = kernels.GroupDirections(attributes)
    mean = kernels.mean_row(rows[target]) @ directions.axes.T
    averaging = both.averaging() if stimuli else None

    def statistic(first: NDArray[np.bool_]) -> NDArray[np.float64]:
        g = directions.within(first[:, both.of])
        along = g @ directions.rows.T
        if averaging is not None:
            along = along @ averaging
        a, b = (np.where(group, along, 0.0).sum(axis=1) for group in (first, ~first))
        n = first.sum(axis=1)
        return np.asarray((g @ mean) * (a / n - b / (first.shape[1] - n)))

    draws = min(draws, RECOMPUTED_DRAWS)
    return recomputed_test(
        statistic, len(both), len(each["A"]), draws=draws, rng=rng, precision=precision
    )


def is_association(name: object) -> bool:
    """Whether there is such a function."""
    return name in get_args(Association)
