"""What single draws of contexts say, beside the means over all of them."""

from __future__ import annotations

from eatlas.present.numerals import effect, number_of, percent
from eatlas.results import AssociationResult, CEATResult, DrawnResult, LPBSCEATResult
from eatlas.results.draws import OverDraws

_RUNNER_UP = 0.05
"""Share of the draws from which another pattern is worth a mention."""


def over_draws(result: DrawnResult) -> list[tuple[str, str, OverDraws]]:
    """Title, name and figures of each level over draws."""
    names, found = result.concepts, result.draws
    rows = [
        ("Level 1", f"{names.X} against {names.Y}", found.level1),
        ("Level 2, X", names.X, found.level2.X),
        ("Level 2, Y", names.Y, found.level2.Y),
    ]
    if isinstance(result, LPBSCEATResult):
        what = f"{names.A} against {names.B}"
        rows.append(("Over attributes", what, result.draws.over_attributes))
    return rows


def in_other_contexts(result: DrawnResult) -> str:
    """How far the finding depends on the contexts, in sentences."""
    found, own = result.draws, result.pattern.label
    others = {label: share for label, share in found.patterns.items() if label != own}
    label, share = max(others.items(), key=lambda pair: pair[1])
    text = (
        f"In {number_of(found.count, 'draw')} of {result.drawn}, the pattern is "
        f"{own} in {percent(found.patterns.get(own, 0.0))}"
    )
    if share >= _RUNNER_UP:
        text += f" and {label} in {percent(share)}"
    if found.level1.quantiles:
        low, high = (effect(end) for end in (found.level1.quantiles[0], found.level1.quantiles[4]))
        text += f"; 95% of the draws have d at level 1 between {low} and {high}"
    shares = found.level1.shares
    if shares is None or shares.contexts is None:
        return f"{text}."
    return (
        f"{text}. Of the variance of associations at level 1, {percent(shares.contexts)} lies "
        f"between {result.varied_of}, {percent(shares.stimuli)} between stimuli of one "
        f"target, and {percent(shares.groups)} between the targets."
    )


def listed_contexts(result: AssociationResult, role: str) -> list[tuple[str, int]]:
    """Stimuli of a group, each with its number of contexts; none in other tests."""
    if isinstance(result, CEATResult):
        return list(result.draws.contexts.group(role).items())
    return list(result.coverage.group(role).contexts.items())
