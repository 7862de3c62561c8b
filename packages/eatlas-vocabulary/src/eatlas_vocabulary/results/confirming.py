"""Whether results confirm themes that a search found, with words that it did not use."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from eatlas.numbers import p_equals
from eatlas.results.exploration import words_of_search
from eatlas.results.parts import at
from eatlas.results.questions import SignedP, evidence_of
from eatlas.results.settings import test_and_setting
from eatlas.stats.multiplicity import holm_adjusted

if TYPE_CHECKING:
    from eatlas.results.base import AssociationResult
    from eatlas.results.effects import Effect
    from eatlas.stimuli import ExploredOn

Verdict = Literal["same words", "not tested", "confirmed", "not confirmed"]
TESTED = "level2.X"
"""Where a result has the association of a theme with A and B."""


@dataclass(frozen=True)
class Confirmation:
    """What a result says of a theme that was found before.

    A theme is confirmed if level 2 of X, for words that the search did not use, has the sign that
    was found and a two-sided p of at most alpha, adjusted by Holm's procedure over the themes that
    are measured in the same setting. As in the search, the association is adjusted for word
    frequency if this is known, and near-synonyms count as one word.
    """

    result: AssociationResult
    found: ExploredOn
    """Where the theme was found, with which words, and which attributes it is associated with."""
    verdict: Verdict
    """A test with words of the search confirms nothing. One without a p-value of level 2 of X, or
    without the adjustment for a known word frequency, does not test the theme."""
    same: tuple[str, ...] = ()
    """Words of the test that the search used."""
    effect: Effect | None = None
    """Level 2 of X, adjusted for the covariates if there are any."""
    adjusted: float | None = None
    """Its two-sided p, adjusted over the themes."""
    together: int = 0
    """How many p-values were adjusted together, this one included."""

    @property
    def group(self) -> str:
        """Name of the attributes that the theme is associated with where it was found."""
        return self.result.concepts.get(self.found.towards, self.found.towards)

    @property
    def same_vectors(self) -> bool:
        """Whether the result is of the vectors of the search, in the same file."""
        return self.found.fingerprint == self.result.provenance.source_fingerprint

    @property
    def other_side(self) -> bool:
        """Whether the sign is the other one."""
        effect = self.effect
        return bool(effect and effect.d and effect.direction != _SIDES[self.found.towards])

    def __repr__(self) -> str:
        p = "" if self.adjusted is None else f", {p_equals(self.adjusted)}"
        return f"<{self.found.theme} on {self.result.source}: {self.verdict}{p}>"


_SIDES = {"A": "greater", "B": "less"}


def confirmations(results: Iterable[AssociationResult]) -> tuple[Confirmation, ...]:
    """Say of each test of a theme whether words that the search did not use confirm it.

    Parameters
    ----------
    results : Results or iterable of AssociationResult
        Results of the tests that :meth:`ThemesResult.write_tests
        <eatlas_vocabulary.results.themes.ThemesResult.write_tests>` wrote; of others nothing is
        said.

    Returns
    -------
    tuple of Confirmation
        In the order of the results.

    Notes
    -----
    Level 2 of X is read, adjusted for word frequency if this is known; p-values are two-sided and
    adjusted by Holm's procedure over the themes measured in one setting. A test with any word that
    the search used confirms nothing, on any vectors.
    """
    found: list[Confirmation] = []
    families: dict[Any, list[tuple[int, float]]] = {}
    for result in results:
        theme = result.provenance.explored_on
        if theme is None:
            continue
        said = Confirmation(result, theme, "not tested", words_of_search(theme, result.coverage))
        effect, p = _level_to_test(result)
        if said.same:
            said = replace(said, verdict="same words")
        elif effect is not None and p is not None:
            families.setdefault(test_and_setting(result)[1:], []).append((len(found), p))
            said = replace(said, effect=effect)
        found.append(said)
    for family in families.values():
        for (i, _), p in zip(family, holm_adjusted([p for _, p in family]), strict=True):
            said = replace(found[i], adjusted=p, together=len(family))
            holds = p <= said.effect.rule.alpha and not said.other_side  # type: ignore[union-attr, operator]
            found[i] = replace(said, verdict="confirmed" if holds else "not confirmed")
    return tuple(found)


def _level_to_test(result: AssociationResult) -> tuple[Effect | None, float | None]:
    """Level 2 of X and its two-sided p; nothing where a search would have found another."""
    evidence = evidence_of(result).get(TESTED)
    if evidence is None:
        return None, None
    if (adjusted := evidence.effect.after) is not None:
        of_units = at(evidence.effect.adjusted, "estimate")
        if of_units is None:  # the words are the units
            of_units = adjusted.d
        return adjusted, SignedP.of(evidence.adjusted.p, of_units, adjusted.d).p_of_claim
    if result.adjustment_is_off or result.adjustable:  # frequency alone may be what is found
        return None, None
    return evidence.effect, evidence.these.p_of_claim
