"""What WEAT and ML-EAT share: the association function of vectors."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from eatlas.measures.association import (
    LEARNED,
    Association,
    defining_pairs,
    external_direction,
    learned_direction,
    projected,
)
from eatlas.measures.base import Input
from eatlas.measures.resampled import ResampledMeasure
from eatlas.sources import CaseRule
from eatlas.stimuli import AssociationTest


@dataclass(frozen=True)
class TwoTargetMeasure(ResampledMeasure):
    """A measure of two target groups by their vectors.

    Parameters
    ----------
    association : {"cosine", "projection"}
        What associates a target with an attribute: the cosine of their vectors, or the product of
        their projections on one direction (Bolukbasi et al. 2016).
    direction : str
        Defining pairs of the direction, such as ``"she/he;woman/man"``. Empty: it is learned from
        the attributes of the test, and learned anew for each relabelling of them.
    """

    association: Association = field(default="cosine", kw_only=True)
    direction: str = field(default=LEARNED, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_choice("association", Association)
        self._check("direction", "a text of defining pairs", ok=isinstance(self.direction, str))
        if self.direction and self.association == "cosine":
            allowed = "no direction, or association=projection"
            self._check("direction", allowed, ok=False)
        defining_pairs(self.direction)

    def idle(self) -> set[str]:
        """Parameters that a signature leaves out: these, where they have their defaults."""
        own = {"association": "cosine", "direction": LEARNED}
        return super().idle() | {name for name in own if getattr(self, name) == own[name]}

    @property
    def words(self) -> tuple[str, ...]:
        """The terms of the defining pairs."""
        return tuple(term for pair in defining_pairs(self.direction) for term in pair)

    @property
    def relearned(self) -> bool:
        """Whether relabelled attributes change the association function itself."""
        return self.association == "projection" and not self.direction

    def _embed(
        self,
        test: AssociationTest,
        source: Any,
        case: CaseRule,
        seed: int,
        rng: np.random.Generator,
    ) -> Input:
        """Rows whose dot products are the associations."""
        given = super()._embed(test, source, case, seed, rng)
        if self.association == "cosine":
            return given
        pairs = defining_pairs(self.direction)
        direction = (
            external_direction(pairs, source, case) if pairs else learned_direction(given.rows)
        )
        return replace(given, rows=projected(given.rows, direction), unit=given.rows)
