"""Effect sizes in words: the rule by which they are read, what is compared, their intervals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from eatlas.present.numbers import UNDEFINED, ends_of, interval, p_value
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.parts import TAILS

BOUNDS = "A p after ≤, or between brackets, is known by certain bounds alone."
"""What a legend adds where a p-value is shown by bounds."""
RUNNER_UP = 0.05
"""Share of resamples, draws or random lists from which another pattern is worth a mention."""
OVER_SENTENCES = (
    "Sentences of one stimulus are not independent, so p-values that relabel single sentences are "
    "smaller than the number of stimuli warrants. What is read, starred and adjusted is over "
    "stimuli: the associations of the sentences of one stimulus are averaged first, and the "
    "p-values relabel stimuli."
)
"""Why findings over single sentences stand below those over stimuli."""


def levels_of(result: AssociationResult) -> list[Effect]:
    """The effect sizes of a result as a whole, without those of single terms."""
    return [effect for effect in result.effects() if effect.term is None]


def about_terms(result: AssociationResult) -> bool:
    """Whether a result says nothing but what single terms are associated with."""
    effects = result.effects()
    return len(effects) == len(result.rows()) and all(one.term is not None for one in effects)


def compared(effect: Effect) -> str:
    """What an effect size compares, in the concepts' names, and what else it is known as."""
    return f"{effect.name}: {effect.remark}" if effect.remark else effect.name


def ends(effect: Effect) -> tuple[str, str] | None:
    """The ends of the bootstrap interval, with the digits that resampling can tell."""
    if effect.resampled is None or effect.resampled.interval is None:
        return None
    return ends_of(effect.resampled.interval, errors=effect.resampled.error)


def bracketed(effect: Effect) -> str:
    """The bootstrap interval in brackets; a dash where it is undefined."""
    given = effect.resampled
    return UNDEFINED if given is None else interval(given.interval, errors=given.error)


def bounds_shown(effects: Iterable[Effect]) -> bool:
    """Whether any p-value is shown by bounds, as its one number is not known."""
    shown = (
        p_value(effect.p.tail(tail), effect.rule.alpha, effect.p.low(tail))
        for effect in effects
        if effect.p is not None
        for tail in TAILS
    )
    return any(text.startswith(("≤", "[")) for text in shown)


def shares_of(result: AssociationResult) -> tuple[dict[str, float], dict[str, float]]:
    """Share of each pattern among draws of contexts, or else resamples, and its standard error."""
    if result.draws is not None:
        return result.draws.patterns, {}
    given = result.primary.uncertainty
    return ((given and given.patterns) or {}), ((given and given.patterns_error) or {})


def own_share(result: AssociationResult) -> float | None:
    """The share of the result's own pattern, where it is known."""
    return shares_of(result)[0].get(result.primary.label)


def runner_up(shares: Mapping[str, float], own: str) -> tuple[str, float] | None:
    """The most frequent of the other patterns, with its share; None where it is seldom seen."""
    others = ((label, share) for label, share in shares.items() if label != own)
    label, share = max(others, key=lambda pair: pair[1], default=("", 0.0))
    return (label, share) if share >= RUNNER_UP else None
