"""The association function: how much one target and one attribute have to do with each other.

Every function here is a dot product of rows that stand for the terms, so that levels 1 to 3 are
computed alike: cosine takes unit vectors, projection takes their coordinates along one direction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import CoverageError, SignatureError
from eatlas.measures.base import SHARE, Allowed, AssociationMeasure, parameter, whole
from eatlas.measures.inference import SmallestEffect
from eatlas.measures.resampling import RESAMPLES, Bootstrap
from eatlas.measures.rows import Array, Rows, Stimuli
from eatlas.results.inference import SesoiUnit
from eatlas.results.parts import Coverage
from eatlas.stats import permutation
from eatlas.stats.permutation import PermutationResult
from eatlas.stats.resampling import Over
from eatlas.stimuli import ATTRIBUTES

Association = Literal["cosine", "projection"]
LEARNED = ""
"""The direction that is learned from the test's own attributes."""
RECOMPUTED_DRAWS = 10_000
"""Most relabellings for which a direction is learned anew: each takes half a millisecond with 50
attributes."""

ALIGNED = 0.7
"""Cosine of a learned direction with the difference of the group means, below which a result says
so: less than half of the direction (0.7 squared) is then in the difference that it is learned for.
In the ten tests of Caliskan et al. it is 0.86 to 1.00, with the 20 pairs of divdist-gender, which
differ more in number and kinship than in gender, 0.05."""

_DIRECTION = Allowed("a text of defining pairs", lambda value: isinstance(value, str))
LEAST_LISTS = 100
"""Random lists to compare a test with: with fewer no p below .01 can be seen."""
_FREQUENCY = Allowed(
    f"auto, off, or a whole number from {LEAST_LISTS}", whole(LEAST_LISTS, "auto", "off").includes
)


def defining_pairs(direction: str) -> tuple[tuple[str, str], ...]:
    """Read the defining pairs of a direction, such as ``she/he;woman/man``."""
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


def external_direction(pairs: tuple[tuple[str, str], ...], words: Mapping[str, Array]) -> Array:
    """Direction of defining pairs, which does not depend on the terms of any test."""
    unit = kernels.unit_rows(np.array([words[term] for pair in pairs for term in pair]))
    return _usable(
        kernels.pair_direction(unit[0::2], unit[1::2]), "the terms of each defining pair coincide"
    )


def learned_direction(rows: Rows) -> Array:
    """Direction between the test's own attribute groups."""
    a, b = (rows[role] for role in ATTRIBUTES)
    if np.ptp(np.concatenate([a, b]), axis=0).max() == 0:
        return _usable(np.zeros(a.shape[1]), "all attributes coincide")
    return kernels.group_direction(a, b)


def misaligned(along: Rows, unit: Rows) -> str | None:
    """A remark on a learned direction in which the attribute groups hardly differ, or None.

    Pairs of every A term with every B term differ as A from B, but also as the terms of one group
    differ from each other; where these differences are the larger ones, their first principal
    component is one of them. `along` holds coordinates along the direction, `unit` unit rows.
    """
    a, b = ATTRIBUTES
    apart = np.linalg.norm(kernels.mean_row(unit[a]) - kernels.mean_row(unit[b]))
    along_it = float(abs(kernels.mean_row(along[a]) - kernels.mean_row(along[b]))[0])
    if along_it >= ALIGNED * apart:
        return None
    cosine = along_it / apart if apart else 0.0
    return (
        "The direction learned from A and B is mainly one in which the terms of A differ from each "
        f"other, and those of B: its cosine with the difference of the means of A and B is "
        f"{cosine:.2f}. Projections on it say little about A and B. Name defining pairs by the "
        "parameter direction, or use association=cosine."
    )


def _usable(direction: Array, why: str) -> Array:
    if np.any(direction):
        return direction
    raise CoverageError(
        "there is no direction to project on",
        got=why,
        remedy="name defining pairs that differ, or use association=cosine",
    )


def projected(rows: Rows, direction: Array) -> dict[str, Array]:
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
    a, b = (stimuli[r] if stimuli else Stimuli.single(len(rows[r])) for r in ATTRIBUTES)
    both, n_a = a + b, len(a)
    directions = kernels.GroupDirections(np.concatenate([rows[role] for role in ATTRIBUTES]))
    mean = kernels.mean_row(rows[target]) @ directions.axes.T
    averaging = both.averaging() if stimuli else None

    def statistic(first: NDArray[np.bool_]) -> Array:
        g = directions.within(first[:, both.of])
        along = g @ directions.rows.T
        if averaging is not None:
            along = along @ averaging
        a, b = (np.where(group, along, 0.0).sum(axis=1) for group in (first, ~first))
        n = first.sum(axis=1)
        return np.asarray((g @ mean) * (a / n - b / (first.shape[1] - n)))

    draws = min(draws, RECOMPUTED_DRAWS)
    return permutation.recomputed_test(
        statistic, len(both), n_a, draws=draws, rng=rng, precision=precision
    )


@dataclass(frozen=True)
class TwoTargetMeasure(AssociationMeasure):
    """A measure of two target groups by their vectors.

    Parameters
    ----------
    association, direction, resamples, over, confidence, sesoi, sesoi_unit, frequency
        As in :class:`eatlas.MLEAT`.
    """

    _: KW_ONLY
    association: Association = parameter("cosine", Association, optional=True)
    direction: str = parameter(LEARNED, _DIRECTION, optional=True)
    resamples: int | Literal["auto"] = parameter("auto", RESAMPLES, optional=True)
    over: Over = parameter("both", Over, optional=True)
    confidence: float = parameter(0.95, SHARE, optional=True)
    sesoi: float = parameter(0.0, optional=True)
    sesoi_unit: SesoiUnit = parameter("d", SesoiUnit, optional=True)
    frequency: int | str = parameter("auto", _FREQUENCY, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.smallest.check(self)
        if self.direction and self.association == "cosine":
            allowed = "no direction, or association=projection"
            self.check("direction", Allowed(allowed, lambda direction: not direction))
        defining_pairs(self.direction)
        if self.studentised and self.relearned:
            raise SignatureError(
                f"{self.name}: a direction learned anew for each relabelling has a statistic of "
                "its own",
                got="association=projection, statistic=studentised",
                allowed="statistic=difference, or a direction of defining pairs",
            )

    @property
    def words(self) -> tuple[str, ...]:
        """The terms of the defining pairs."""
        return tuple(term for pair in defining_pairs(self.direction) for term in pair)

    @property
    def relearned(self) -> bool:
        """Whether relabelled attributes change the association function itself."""
        return self.association == "projection" and not self.direction

    @property
    def bootstrap(self) -> Bootstrap:
        """What is resampled."""
        return Bootstrap(self.resamples, self.over, self.confidence, self.ddof)

    @property
    def smallest(self) -> SmallestEffect:
        """The smallest effect size of interest."""
        return SmallestEffect(self.sesoi, self.sesoi_unit, self.alpha)

    def arranged(
        self, vectors: dict[str, Array], coverage: Coverage, words: Mapping[str, Array]
    ) -> dict[str, Any]:
        """Unit rows, or their coordinates along a direction."""
        given = super().arranged(vectors, coverage, words)
        if self.association == "cosine":
            return given
        unit, pairs = given["rows"], defining_pairs(self.direction)
        direction = external_direction(pairs, words) if pairs else learned_direction(unit)
        return {"rows": projected(unit, direction), "unit": unit}
