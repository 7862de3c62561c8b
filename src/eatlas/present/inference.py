"""Whether other words would show it, what a design can find, what is too small: in sentences."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from eatlas.present.numerals import effect, interval, level_of, p_equals, p_value, percent
from eatlas.present.rule import Rule
from eatlas.present.sentences import short_name
from eatlas.results import AssociationResult, SCEATResult, ThreeLevelResult, WEATResult
from eatlas.results.inference import CrossedLevel, DesignPower, EquivalentLevel, Generalisation

NAMED = 12
"""Results that a line names."""
TAILS = {"two_sided": "two-sided", "greater": "one-sided", "less": "one-sided"}


def crossed_of(result: AssociationResult) -> Generalisation | None:
    """The crossed tests of a result, where it has any."""
    found: Generalisation | None = getattr(result, "generalisation", None)
    return found


def crossed_cell(result: AssociationResult, place: str) -> CrossedLevel | None:
    """The crossed test of one level."""
    found = crossed_of(result)
    return None if found is None else found.level(place)


def has_crossed(result: AssociationResult) -> bool:
    """Whether any level was tested on other words."""
    found = crossed_of(result)
    return found is not None and (found.level1 is not None or found.level2 is not None)


def other_words(result: ThreeLevelResult | WEATResult) -> str:
    """Whether other targets and other attributes would show it."""
    found, alpha = crossed_of(result), Rule.of(result).alpha
    if found is None:
        return ""
    if found.reason:
        return f"Whether other targets and attributes would show it is unknown: {found.reason}."
    level = found.level1
    if level is None or level.p_two_sided is None or level.low is None or level.high is None:
        return ""
    what = "stimuli" if found.unit == "stimulus" else "terms"
    verdict = (
        "which speaks for other words too"
        if level.p_two_sided < alpha
        else "so other words may well not show it"
    )
    ends = interval((level.low, level.high), 3)
    text = (
        f"Tested against the spread of target {what} and of attribute {what} together, the "
        f"difference of {result.unit}s at level 1, {effect(level.difference, 3)} {ends}, has "
        f"{p_equals(level.p_two_sided, alpha)} in either direction, {verdict}."
    )
    return " ".join([text, *_level2(result, found, alpha)])


def _level2(
    result: ThreeLevelResult | WEATResult, found: Generalisation, alpha: float
) -> Iterator[str]:
    pairs = [
        (short_name(result.concepts.name(role)), p)
        for role in "XY"
        if (level := found.level(f"level2.{role}")) and (p := level.p_two_sided) is not None
    ]
    if pairs:
        told = " and ".join(f"{p_equals(p, alpha)} for {name}" for name, p in pairs)
        yield f"At level 2: {told}."


def design(result: AssociationResult) -> str:
    """What the design of a result can find."""
    if not isinstance(result, ThreeLevelResult | WEATResult | SCEATResult) or result.power is None:
        return ""
    found = result.power
    places = (("level 1", found.level1), ("level 2", found.level2))
    known = [(place, level) for place, level in places if level is not None]
    told = [_smallest(level, place) for place, level in known if level.smallest_d is not None]
    lost = [f"{place} ({_sizes(level)})" for place, level in known if level.smallest_d is None]
    text = ""
    if told:
        text = (
            f"With a power of {found.power:g}, at {TAILS[found.tail]} p < {level_of(found.alpha)}: "
            f"effect sizes from {' and '.join(told)}. Smaller ones are easily missed."
        )
    if lost:
        text += f" None at {' and '.join(lost)}: no p-value of the design is below alpha."
    if isinstance(result, ThreeLevelResult) and found.patterns:
        label = result.primary.label
        if label in found.patterns:
            text += (
                f" If the effects at level 2 were those found here, other attributes would show "
                f"{label} with a chance of {percent(found.patterns[label])}."
            )
    return text.strip()


def _smallest(level: DesignPower, place: str) -> str:
    return f"{effect(level.smallest_d)} at {place} ({_sizes(level)})"


def _sizes(level: DesignPower) -> str:
    return f"{level.n[0]} v {level.n[1]}"


def too_small(result: ThreeLevelResult | WEATResult) -> str:
    """Whether effects are smaller than the smallest one of interest."""
    found = result.equivalence
    if found is None:
        return ""
    unit = "d" if found.unit == "d" else f"a difference of {result.unit}s"
    names = {"level1": "level 1"}
    names |= {f"level2.{r}": f"level 2 of {short_name(result.concepts.name(r))}" for r in "XY"}
    told = [
        _equivalent(level, name, found.alpha)
        for place, name in names.items()
        if (level := found.level(place)) is not None
    ]
    return (
        f"Smallest effect of interest: {unit} = {found.sesoi:g}. {' '.join(told)}" if told else ""
    )


def _equivalent(level: EquivalentLevel, name: str, alpha: float) -> str:
    shown = "is smaller" if level.equivalent else "is not shown to be smaller"
    p = p_value(level.p, alpha)
    if not level.reachable:
        return f"At {name} no scores of so few terms could show that the effect is smaller."
    beyond = ""
    if level.p_generalised is not None:
        beyond = f"; for other words, p {_after(p_value(level.p_generalised, alpha))}"
    return f"The effect at {name} {shown} (p {_after(p)}{beyond})."


def _after(p: str) -> str:
    return p if p[0] in "<>" else f"= {p}"


def not_generalised(results: Sequence[AssociationResult], names: Iterable[str]) -> str:
    """One line for a table: whose level 1 other words may not show; empty where none was tested.

    `names` are what the results are called.
    """
    known = [
        (name, level.p_two_sided, Rule.of(result).alpha)
        for result, name in zip(results, names, strict=True)
        if (level := crossed_cell(result, "level1")) and level.p_two_sided is not None
    ]
    if not known:
        return ""
    alpha = known[0][2]
    below = list(dict.fromkeys(name for name, p, limit in known if p < limit))
    others = [name for name in dict.fromkeys(name for name, *_ in known) if name not in below]
    text = f"Other words (crossed test of level 1, two-sided): p < {level_of(alpha)}"
    if len(known) == 1:
        return f"{text.partition(': ')[0]}: {p_equals(known[0][1], alpha)}."
    if not others:
        return f"{text} for all {len(known)}."
    if not below:
        return f"{text} for none of {len(known)}."
    told = ", ".join(others[:NAMED])
    if len(others) > NAMED:
        told += f" and {len(others) - NAMED} more"
    return f"{text} for {len(below)} of {len(known)}, not for {told}."


def methods_sentences(given: Sequence[AssociationResult]) -> Iterator[str]:
    """What a methods paragraph says of all this."""
    tested = [found for r in given if (found := crossed_of(r)) and has_crossed(r)]
    if tested:
        units = {"stimuli" if one.unit == "stimulus" else "terms" for one in tested}
        what = " or ".join(sorted(units, reverse=True))
        sure = " or ".join(dict.fromkeys(percent(one.confidence) for one in tested))
        yield (
            f"Whether effects hold for other target and attribute {what} was tested by a quasi-F "
            "with both as crossed random effects (Clark 1973), as a t with unequal variances and "
            f"{sure} intervals."
        )
    margins = dict.fromkeys(
        (stated.sesoi, stated.unit, r.unit)
        for r in given
        if isinstance(r, ThreeLevelResult | WEATResult) and (stated := r.equivalence)
    )
    for sesoi, unit, of in margins:
        margin = f"d = {sesoi:g}" if unit == "d" else f"a difference of {of}s of {sesoi:g}"
        yield (
            f"The smallest effect of interest was {margin}; that effects are smaller was tested by "
            "two one-sided permutation tests (Schuirmann 1987)."
        )
