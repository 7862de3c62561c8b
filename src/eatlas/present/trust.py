"""How far a finding may be trusted, in plain sentences: chance, other words, single terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from eatlas.present.effects import LevelRow, Rule, over_stimuli
from eatlas.present.frequency import about_frequency
from eatlas.present.numbers import (
    count,
    effect,
    effects_apart,
    explain_p,
    interval,
    level_of,
    number_of,
    p_equals,
    p_value,
    percent,
)
from eatlas.present.sentences import Statement, one_stimulus, short_name
from eatlas.present.text import isolated
from eatlas.results import (
    AssociationResult,
    CEATResult,
    DrawnResult,
    LogRatioResult,
    LPBSCEATResult,
    SCEATResult,
    ThreeLevelResult,
    WEATResult,
)
from eatlas.results.diagnosis import TermsDiagnosis
from eatlas.results.draws import OverDraws
from eatlas.results.inference import CrossedLevel, DesignPower, EquivalentLevel, Generalisation
from eatlas.results.parts import Level
from eatlas.results.uncertainty import Uncertainty

DRAWN = {
    "both": "all terms are",
    "targets": "the target terms are",
    "attributes": "the attribute terms are",
}
_RUNNER_UP = 0.05
"""Share of the resamples from which another pattern is worth a mention."""


def statements(result: AssociationResult, levels: Sequence[LevelRow]) -> list[Statement]:
    """What a reader should weigh before believing a finding; nothing for other measures."""
    if not isinstance(result, ThreeLevelResult | WEATResult) or not levels:
        return []
    read = result.primary
    if read.level1 is None:
        return [Statement("Chance alone.", _undefined(result))]
    if levels[0].d is None:
        return []
    found = [Statement("Chance alone.", _chance(result, levels[0], read.level1))]
    text = other_words(result)
    if read.uncertainty is not None:
        text = " ".join([*_other_words(result, read.uncertainty, levels[0]), text])
    found.append(Statement("Other words.", text.strip()))
    if isinstance(result, DrawnResult):
        found.append(Statement(f"Other {result.varied}.", in_other_contexts(result)))
    found.append(Statement("Frequency.", about_frequency(result)))
    single = _single_terms(result, levels[0])
    if single:
        found.append(Statement("Single terms.", single))
    found.append(Statement("What this design can find.", design(result)))
    found.append(Statement("Too small to matter?", too_small(result)))
    return [statement for statement in found if statement.text]


def _undefined(result: ThreeLevelResult | WEATResult) -> str:
    return (
        f"Over stimuli level 1 is undefined: {one_stimulus(result, 'XY')}. The p-values of single "
        "sentences say nothing about other stimuli."
    )


def _chance(result: ThreeLevelResult | WEATResult, row: LevelRow, level: Level) -> str:
    p, alpha = level.p, row.rule.alpha
    x, y = (short_name(result.concepts.name(role)) for role in "XY")
    tail = row.one_sided_tail
    one = p_equals(p.tail(tail), alpha, p.low(tail)), explain_p(p, tail, alpha)
    two = p_equals(p.two_sided, alpha, p.low("two_sided")), explain_p(p, "two_sided", alpha)
    what = "stimuli" if result.primary.over_stimuli else "terms"
    text = (
        f"If it did not matter which of the {count(sum(level.n))} target {what} stand for {x} "
        f"and which for {y}, a difference at least this large in this direction would have "
        f"{one[0]} ({one[1]}), and in either direction {two[0]} ({two[1]})."
    )
    if row.adjusted is not None:
        adjusted = p_equals(row.adjusted, alpha, row.adjusted_low)
        text += f" Adjusted for the size of the family: {adjusted}."
    return f"{text}{_over_sentences(result)}"


def _over_sentences(result: ThreeLevelResult | WEATResult) -> str:
    """The p-value of level 1 that relabels single sentences, in tests of sentences."""
    level, alpha = result.level1, Rule.of(result).alpha
    if not result.primary.over_stimuli or level.effect_size is None:
        return ""
    p = p_equals(level.p.two_sided, alpha, level.p.low("two_sided"))
    return (
        f" Over their {count(sum(level.n))} sentences d is {effect(level.effect_size)}, and "
        f"{p} in either direction; that p is smaller than the "
        "number of stimuli warrants, as sentences of one stimulus are not independent."
    )


def _other_words(
    result: ThreeLevelResult | WEATResult, given: Uncertainty, row: LevelRow
) -> Iterator[str]:
    what = DRAWN[given.over]
    if given.unit == "stimulus":
        what = what.replace("terms", "stimuli")
    if given.unit == "cluster":
        what = what.replace("terms", "clusters of terms")
    drawn = f"When {what} drawn anew {number_of(given.resamples, 'time')}"
    if given.patterns and isinstance(result, ThreeLevelResult):
        shares = _shares(result.primary.label, given.patterns, given.patterns_error or {})
        yield (
            f"{drawn} from those of the test, the pattern is {shares} of these resamples, which is "
            "no probability of replication."
        )
        drawn = "In the same draws"
    if row.ends is None:
        yield f"{drawn}, no interval of d can be given."
        return
    low, high = row.ends
    sure = percent(given.confidence)
    yield f"{drawn}, the {sure} interval of d at level 1 goes from {low} to {high}."


def _shares(pattern: str, patterns: dict[str, float], errors: dict[str, float]) -> str:
    own = patterns.get(pattern, 0.0)
    others = {label: share for label, share in patterns.items() if label != pattern}
    label, share = max(others.items(), key=lambda pair: pair[1], default=("", 0.0))
    found = f"{pattern} in {percent(own, errors.get(pattern, 0.0))}"
    other = f" and {label} in {percent(share, errors.get(label, 0.0))}"
    return f"{found}{other}" if share >= _RUNNER_UP else found


def _single_terms(result: AssociationResult, row: LevelRow) -> str:
    if row.influence is None or row.d is None:
        return ""
    changes = [c for role in "XYAB" for c in row.influence.group(role) if c is not None]
    strongest = row.influence.drivers(row.d, result.coverage, 1)
    if not changes or not strongest:
        return ""
    low, high = effects_apart(row.d + min(changes), row.d + max(changes))
    driver = strongest[0]
    without, whole = effects_apart(row.d + driver.change, row.d)
    term = isolated(short_name(driver.term))
    unit = "stimulus" if over_stimuli(result) else "term"
    return (
        f"Without “{term}”, the {unit} that it rests on most, d at level 1 is {without} rather "
        f"than {whole}. Leaving out any one {unit} keeps it between {low} and {high}."
    )


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


def about_space(given: TermsDiagnosis | None) -> str:
    """Say what the diagnosis of a test's terms found; nothing where there is none.

    Parameters
    ----------
    given : TermsDiagnosis or None
    """
    if given is None:
        return ""
    mean = (
        f"Over all pairs of a target and an attribute, the mean cosine is "
        f"{effect(given.mean_cosine)} (sd {effect(given.sd_cosine)})"
    )
    share = given.rogue.share
    if share is not None and 0.0 <= share <= 1.0:
        mean += f", to which dimension {given.rogue.dimension} adds most, {percent(share)}"
    if given.iso_score is None:
        return f"{mean}."
    return (
        f"{mean}. By the spread of these {number_of(given.terms, 'term')}, the IsoScore of the "
        f"space is {effect(given.iso_score)}: 1 where all directions vary alike, 0 where one "
        "drowns the others."
    )


MEANINGS = {
    "target given attribute": "log P(target | attribute) − log P(target), in nats: how much more "
    "probable {model} finds a target behind a mask in a sentence with the attribute than in the "
    "same sentence with the attribute masked too",
    "attribute given target": "log P(attribute | target) − log P(attribute), in nats: how much "
    "more probable {model} finds an attribute after the target than after a neutral word in its "
    "place",
}


def about_ratios(result: AssociationResult) -> str:
    """Say what was asked of which model in which sentences; nothing of other measures."""
    if not isinstance(result, LogRatioResult):
        return ""
    said = MEANINGS[result.direction].format(model=result.language_model.architecture)
    if result.templates:
        where = f"Sentences: {'; '.join(result.templates)}"
    else:
        count = sum(n for row in result.sentences or () for n in row)
        where = f"{number_of(count, 'sentence')} of a corpus that hold a target and an attribute."
    return f"A log-ratio is {said}. {where}"
