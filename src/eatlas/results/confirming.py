"""Whether results confirm themes that were found on other vectors."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from eatlas.results.effects import Effect
from eatlas.stats.multiplicity import holm

if TYPE_CHECKING:
    from eatlas.results.base import AssociationResult
    from eatlas.stimuli import ExploredOn

Verdict = Literal["same vectors", "not tested", "confirmed", "not confirmed"]
TESTED = "level2.X"
"""Where a result has the association of a theme with A and B."""


@dataclass(frozen=True)
class Confirmation:
    """What a result says of a theme that was found before.

    A theme is confirmed where level 2 of X, given the covariates if there are any, has the sign
    that was found, and a two-sided p below alpha, adjusted by Holm's procedure over the themes that
    are measured in the same setting.
    """

    result: AssociationResult
    found: ExploredOn
    """Where the theme was found, and which attributes it goes with there."""
    verdict: Verdict
    """The same vectors confirm nothing; a measure without level 2 of X does not test it."""
    effect: Effect | None = None
    """Level 2 of X, given the covariates if there are any."""
    adjusted: float | None = None
    """Its two-sided p, adjusted."""
    together: int = 0
    """How many p-values were adjusted together, this one included."""

    @property
    def group(self) -> str:
        """Name of the attributes that the theme goes with where it was found."""
        return self.result.concepts.get(self.found.towards, self.found.towards)

    @property
    def other_side(self) -> bool:
        """Whether the sign is the other one."""
        effect = self.effect
        return bool(effect and effect.d and effect.direction != _SIDES[self.found.towards])

    def __repr__(self) -> str:
        p = "" if self.adjusted is None else f", p = {self.adjusted:.2g}"
        return f"<{self.found.theme} on {self.result.source}: {self.verdict}{p}>"


_SIDES = {"A": "greater", "B": "less"}


def same_vectors(result: AssociationResult) -> bool:
    """Whether the theme of a result was found on the vectors that it is measured on."""
    theme, cells = result.provenance.explored_on, result.level3
    cosines = (cells.XA.mean, cells.XB.mean) if cells else ()
    return bool(theme and theme.same_vectors(result.provenance.source_fingerprint, cosines))


def confirmations_of(
    results: Iterable[AssociationResult], setting: Any
) -> tuple[Confirmation, ...]:
    """What results say of themes; `setting` is what tells the settings of results apart."""
    confirmations: list[Confirmation] = []
    families: dict[Any, list[tuple[int, Effect]]] = {}
    for result in results:
        theme = result.provenance.explored_on
        if theme is None:
            continue
        plain = next((effect for effect in result.effects() if effect.place == TESTED), None)
        verdict: Verdict = "not confirmed"
        if same_vectors(result):
            verdict = "same vectors"
        elif plain is None or plain.p is None:
            verdict = "not tested"
        else:
            family = families.setdefault(setting(result), [])
            family.append((len(confirmations), plain.after or plain))
        confirmations.append(Confirmation(result, theme, verdict))
    for family in families.values():
        # without spread there is no effect size, and p is 1
        raw = [effect.p_of("two_sided") or 1.0 for _, effect in family]
        for (i, effect), p in zip(family, holm(np.array(raw)).tolist(), strict=True):
            same_side = effect.direction == _SIDES[confirmations[i].found.towards]
            verdict = "confirmed" if same_side and p < effect.rule.alpha else "not confirmed"
            confirmations[i] = replace(
                confirmations[i], verdict=verdict, effect=effect, adjusted=p, together=len(family)
            )
    return tuple(confirmations)
