"""What WEAT and ML-EAT share: the association function of vectors."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from eatlas.errors import SignatureError
from eatlas.measures.association import (
    LEARNED,
    Association,
    defining_pairs,
    external_direction,
    learned_direction,
    projected,
)
from eatlas.measures.base import Input
from eatlas.measures.frequency import DRAWS, LEAST_DRAWS, WISHES, Observed
from eatlas.measures.resampled import ResampledMeasure
from eatlas.sources import CaseRule
from eatlas.sources.frequency.ranking import Wish
from eatlas.stats.pattern_stability import PatternRule
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
    frequency : {"auto", "off"} or int
        Lists of random words of the frequencies of the test's words that it is compared with:
        2,000 where the source has an order of frequency and it takes less than a second; none; or
        so many wherever the source has an order.
    """

    association: Association = field(default="cosine", kw_only=True)
    direction: str = field(default=LEARNED, kw_only=True)

    frequency: int | str = field(default="auto", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        drawn = type(self.frequency) is int and self.frequency >= LEAST_DRAWS
        allowed = f"auto, off, or a whole number from {LEAST_DRAWS}"
        self._check("frequency", allowed, ok=drawn or self.frequency in WISHES)
        self._check_choice("association", Association)
        self._check("direction", "a text of defining pairs", ok=isinstance(self.direction, str))
        if self.direction and self.association == "cosine":
            allowed = "no direction, or association=projection"
            self._check("direction", allowed, ok=False)
        defining_pairs(self.direction)
        if self.studentised and self.relearned:
            raise SignatureError(
                f"{self.name}: a direction learned anew for each relabelling has a statistic of "
                "its own",
                got="association=projection, statistic=studentised",
                allowed="statistic=difference, or a direction of defining pairs",
            )

    def idle(self) -> set[str]:
        """Parameters that a signature leaves out: these, where they have their defaults."""
        own = {"association": "cosine", "direction": LEARNED, "frequency": "auto"}
        return super().idle() | {name for name in own if getattr(self, name) == own[name]}

    @property
    def wish(self) -> Wish | None:
        """Whether random words are drawn where that is quick, wherever it can be, or not at all."""
        if self.frequency == "off":
            return None
        return "cheap" if self.frequency == "auto" else "always"

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

    def observed(self, result: Any) -> Observed | str:
        """The effect sizes, and the rule by which random lists show a pattern."""
        if self.association != "cosine":
            return "random words are compared by cosines, and the test by projections"
        draws = DRAWS if isinstance(self.frequency, str) else self.frequency
        levels = getattr(result, "level2", None)
        return Observed(
            level1=result.level1.effect_size,
            level2=levels and (levels.X.effect_size, levels.Y.effect_size),
            draws=draws,
            ddof=self.ddof,
            rule=self.matched_rule,
        )

    @property
    def matched_rule(self) -> PatternRule | None:
        """When a random list shows a pattern; None for a measure without patterns."""
        return None
