"""Record of an SC-EAT: the association of each single target term with two attributes."""

from __future__ import annotations

from typing import Any, Literal

from eatlas.results.base import AssociationResult, p_columns, show_effect
from eatlas.results.inference import Power
from eatlas.results.parts import Level, Record


class TermAssociation(Record):
    """One target term's differential association with A and B."""

    term: str
    group: Literal["X", "Y"]
    level2: Level


class SCEATResult(AssociationResult):
    """What :class:`eatlas.SCEAT` found, one entry for each target term."""

    measure: Literal["sc-eat"] = "sc-eat"
    terms: tuple[TermAssociation, ...]
    power: Power | None = None
    """What the attributes of the test can find of one term; None in results of older versions."""

    def rows(self) -> list[dict[str, Any]]:
        """One row for each target term."""
        return [
            {
                **self.head(),
                "group": entry.group,
                "term": entry.term,
                "effect_size": entry.level2.effect_size,
                **p_columns(entry.level2.p),
                "smallest_d_level2": self.power
                and self.power.level2
                and self.power.level2.smallest_d,
            }
            for entry in self.terms
        ]

    def summary(self) -> str:
        """How many terms, and the ones at either end."""
        known = [e for e in self.terms if e.level2.effect_size is not None]
        if not known:
            return f"{len(self.terms)} terms"
        low, *_, high = sorted(known * 2, key=lambda e: e.level2.effect_size or 0.0)
        return (
            f"{len(self.terms)} terms from {low.term} ({show_effect(low.level2.effect_size)}) "
            f"to {high.term} ({show_effect(high.level2.effect_size)})"
        )
