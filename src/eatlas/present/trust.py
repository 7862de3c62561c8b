"""How far a finding may be trusted, in plain sentences: chance, other words, single terms."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from eatlas.present.effects import ends, runner_up
from eatlas.present.family import DeclaredFamily
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
    some_of,
)
from eatlas.present.sentences import Statement, names_of, one_stimulus, short_name
from eatlas.present.text import isolated
from eatlas.results import AssociationResult
from eatlas.results.diagnosis import TermsDiagnosis
from eatlas.results.effects import Effect
from eatlas.results.variation import Uncertainty

NAMED = 12
"""Results that a line names."""
DRAWN = {
    "both": "all {} are",
    "targets": "the target {} are",
    "attributes": "the attribute {} are",
}
UNITS = {"term": "terms", "stimulus": "stimuli", "cluster": "clusters of terms"}
SIDES = {"two_sided": "two-sided", "greater": "one-sided", "less": "one-sided"}
RATIOS = {
    "target given attribute": "log P(target | attribute) − log P(target), in nats: how much more "
    "probable {model} finds a target behind a mask in a sentence with the attribute than in the "
    "same sentence with the attribute masked too",
    "attribute given target": "log P(attribute | target) − log P(attribute), in nats: how much "
    "more probable {model} finds an attribute after the target than after a neutral word in its "
    "place",
}


def statements(
    result: AssociationResult, levels: Sequence[Effect], family: DeclaredFamily
) -> list[Statement]:
    """What a reader should weigh before believing a finding on X and Y; nothing for others.

    Parameters
    ----------
    result : AssociationResult
    levels : sequence of Effect
        Its effect sizes.
    family : DeclaredFamily
    """
    level1 = next((one for one in levels if one.place == "level1"), None)
    if level1 is None:
        return []
    if level1.p is None:
        why = (
            f"Over stimuli level 1 is undefined: {one_stimulus(result, 'XY')}. The p-values of "
            "single sentences say nothing about other stimuli."
        )
        return [Statement("Chance alone.", why)]
    if level1.d is None:
        return []
    found = [
        ("Chance alone.", _chance(result, level1, family)),
        ("Other words.", " ".join([*_resamples(result, level1), other_words(result)]).strip()),
    ]
    if result.draws is not None:
        found.append((f"Other {result.draws.varied}.", in_other_contexts(result)))
    found += [
        ("Frequency.", about_frequency(result)),
        ("Single terms.", _single_terms(result, level1)),
        ("What this design can find.", design(result)),
        ("Too small to matter?", too_small(result)),
    ]
    return [Statement(about, text) for about, text in found if text]


def _chance(result: AssociationResult, level: Effect, family: DeclaredFamily) -> str:
    """What relabelling says of level 1, in both readings."""
    alpha, name = level.rule.alpha, names_of(result)
    one, two = (
        f"{_p_equals(level, tail)} ({explain_p(level.p, tail, alpha)})"
        for tail in (level.one_sided_tail, "two_sided")
        if level.p is not None
    )
    what = "terms" if level.over_sentences is None else "stimuli"
    text = (
        f"If it did not matter which of the {count(sum(level.n or ()))} target {what} stand for "
        f"{name['X']} and which for {name['Y']}, a difference at least this large in this "
        f"direction would have {one}, and in either direction {two}."
    )
    adjusted, low = family.adjusted(result, level)
    if adjusted is not None:
        text += f" Adjusted for the size of the family: {p_equals(adjusted, alpha, low)}."
    single = level.over_sentences
    if single is None or single.d is None:
        return text
    return (
        f"{text} Over their {count(sum(single.n or ()))} sentences d is {effect(single.d)}, and "
        f"{_p_equals(single, 'two_sided')} in either direction; that p is smaller than the "
        "number of stimuli warrants, as sentences of one stimulus are not independent."
    )


def _p_equals(shown: Effect, tail: str) -> str:
    """One tail of an effect size, as part of a sentence."""
    if shown.p is None:
        return ""
    return p_equals(shown.p.tail(tail), shown.rule.alpha, shown.p.low(tail))


def _resamples(result: AssociationResult, level: Effect) -> Iterator[str]:
    """How the pattern and d at level 1 vary when words are drawn again."""
    given = result.primary.uncertainty
    if given is None:
        return
    what = DRAWN[given.over].format(UNITS[given.unit])
    drawn = f"When {what} drawn anew {number_of(given.resamples, 'time')}"
    if given.patterns and result.pattern is not None:
        shares = _shares(result.primary.label, given)
        yield (
            f"{drawn} from those of the test, the pattern is {shares} of these resamples, which is "
            "no probability of replication."
        )
        drawn = "In the same draws"
    both = ends(level)
    if both is None:
        yield f"{drawn}, no interval of d can be given."
        return
    sure = percent(given.confidence)
    yield f"{drawn}, the {sure} interval of d at level 1 goes from {both[0]} to {both[1]}."


def _shares(own: str, given: Uncertainty) -> str:
    """The share of the pattern, and of another that is seen often."""
    shares, errors = given.patterns or {}, given.patterns_error or {}
    found = f"{own} in {percent(shares.get(own, 0.0), errors.get(own, 0.0))}"
    if other := runner_up(shares, own):
        found += f" and {other[0]} in {percent(other[1], errors.get(other[0], 0.0))}"
    return found


def other_words(result: AssociationResult) -> str:
    """Whether other targets and other attributes would show it."""
    found, alpha = result.generalisation, result.rule.alpha
    if found is None:
        return ""
    if found.reason:
        return f"Whether other targets and attributes would show it is unknown: {found.reason}."
    level = found.level1
    if level is None or level.p_two_sided is None or level.low is None or level.high is None:
        return ""
    what = UNITS["stimulus" if found.unit == "stimulus" else "term"]
    verdict = (
        "which speaks for other words too"
        if level.p_two_sided < alpha
        else "so other words may well not show it"
    )
    text = (
        f"Tested against the spread of target {what} and of attribute {what} together, the "
        f"difference of {result.unit}s at level 1, {effect(level.difference, 3)} "
        f"{interval((level.low, level.high), 3)}, has "
        f"{p_equals(level.p_two_sided, alpha)} in either direction, {verdict}."
    )
    alone = " and ".join(
        f"{p_equals(one.p_two_sided, alpha)} for {short_name(result.concepts.name(role))}"
        for role in "XY"
        if (one := found.level(f"level2.{role}")) and one.p_two_sided is not None
    )
    return f"{text} At level 2: {alone}." if alone else text


def in_other_contexts(result: AssociationResult) -> str:
    """How far the finding depends on the contexts, in sentences."""
    draws, own = result.draws, result.primary.label
    if draws is None:
        return ""
    text = (
        f"In {number_of(draws.count, 'draw')} of {draws.drawn}, the pattern is "
        f"{own} in {percent(draws.patterns.get(own, 0.0))}"
    )
    if other := runner_up(draws.patterns, own):
        text += f" and {other[0]} in {percent(other[1])}"
    level1 = draws.level1
    if level1.quantiles:
        low, high = (effect(end) for end in (level1.quantiles[0], level1.quantiles[4]))
        text += f"; 95% of the draws have d at level 1 between {low} and {high}"
    shares = level1.shares
    if shares is None or shares.contexts is None:
        return f"{text}."
    return (
        f"{text}. Of the variance of associations at level 1, {percent(shares.contexts)} lies "
        f"between {draws.varied_of}, {percent(shares.stimuli)} between stimuli of one "
        f"target, and {percent(shares.groups)} between the targets."
    )


def _single_terms(result: AssociationResult, level: Effect) -> str:
    """What d at level 1 is without the term that it rests on most."""
    if level.influence is None or level.d is None:
        return ""
    changes = [c for role in "XYAB" for c in level.influence.group(role) if c is not None]
    strongest = level.influence.drivers(level.d, result.coverage, 1)
    if not changes or not strongest:
        return ""
    low, high = effects_apart(level.d + min(changes), level.d + max(changes))
    without, whole = effects_apart(level.d + strongest[0].change, level.d)
    unit = "term" if level.over_sentences is None else "stimulus"
    return (
        f"Without “{isolated(short_name(strongest[0].term))}”, the {unit} that it rests on most, "
        f"d at level 1 is {without} rather than {whole}. Leaving out any one {unit} keeps it "
        f"between {low} and {high}."
    )


def design(result: AssociationResult) -> str:
    """What the design of a result can find."""
    power = result.power
    if power is None:
        return ""
    known = [
        (level.smallest_d, f"{place} ({level.n[0]} v {level.n[1]})")
        for place, level in (("level 1", power.level1), ("level 2", power.level2))
        if level is not None
    ]
    found = [f"{effect(d)} at {sizes}" for d, sizes in known if d is not None]
    lost = [sizes for d, sizes in known if d is None]
    text = ""
    if found:
        text = (
            f"With a power of {power.power:g}, at {SIDES[power.tail]} p < {level_of(power.alpha)}: "
            f"effect sizes from {' and '.join(found)}. Smaller ones are easily missed."
        )
    if lost:
        text += f" None at {' and '.join(lost)}: no p-value of the design is below alpha."
    label = result.primary.label
    if power.patterns and label in power.patterns:
        text += (
            f" If the effects at level 2 were those found here, other attributes would show "
            f"{label} with a chance of {percent(power.patterns[label])}."
        )
    return text.strip()


def too_small(result: AssociationResult) -> str:
    """Whether effects are smaller than the smallest one of interest."""
    stated = result.equivalence
    if stated is None:
        return ""
    verdicts = [_equivalent(one, stated.alpha) for one in result.effects() if one.equivalent]
    if not verdicts:
        return ""
    unit = "d" if stated.unit == "d" else f"a difference of {result.unit}s"
    return f"Smallest effect of interest: {unit} = {stated.sesoi:g}. {' '.join(verdicts)}"


def _equivalent(shown: Effect, alpha: float) -> str:
    """What two one-sided tests say of one effect."""
    level = shown.equivalent
    if level is None:
        return ""
    one = len(shown.roles) == 1
    name = f"level 2 of {short_name(shown.name)}" if one else shown.title.lower()
    if not level.reachable:
        return f"At {name} no scores of so few terms could show that the effect is smaller."
    beyond = ""
    if level.p_generalised is not None:
        beyond = f"; for other words, {_exactly(level.p_generalised, alpha)}"
    verdict = "is smaller" if level.equivalent else "is not shown to be smaller"
    return f"The effect at {name} {verdict} ({_exactly(level.p, alpha)}{beyond})."


def _exactly(p: float, alpha: float) -> str:
    text = p_value(p, alpha)
    return f"p {text}" if text[0] in "<>" else f"p = {text}"


def not_generalised(results: Sequence[AssociationResult], names: Iterable[str]) -> str:
    """One line for a table: whose level 1 other words may not show; empty where none was tested.

    Parameters
    ----------
    results : sequence of results
    names : iterable of str
        What the results are called.
    """
    known = [
        (name, level.p_two_sided, result.rule.alpha)
        for result, name in zip(results, names, strict=True)
        if result.generalisation and (level := result.generalisation.level1)
        if level.p_two_sided is not None
    ]
    if not known:
        return ""
    alpha = known[0][2]
    of = "Other words (crossed test of level 1, two-sided)"
    if len(known) == 1:
        return f"{of}: {p_equals(known[0][1], alpha)}."
    below = list(dict.fromkeys(name for name, p, limit in known if p < limit))
    others = [name for name in dict.fromkeys(name for name, *_ in known) if name not in below]
    text = f"{of}: p < {level_of(alpha)}"
    if not others:
        return f"{text} for all {len(known)}."
    if not below:
        return f"{text} for none of {len(known)}."
    return f"{text} for {len(below)} of {len(known)}, not for {some_of(others, NAMED)}."


def about_space(given: TermsDiagnosis | None) -> str:
    """Whether cosines mean anything among a test's terms; nothing where that is not known."""
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


def about_ratios(result: AssociationResult) -> str:
    """What a log-ratio is, of which language model and in which sentences; empty for vectors."""
    model, direction = result.language_model, result.direction
    if model is None or direction is None:
        return ""
    if result.templates:
        where = f"Sentences: {'; '.join(result.templates)}"
    else:
        n = sum(map(sum, result.sentences or ()))
        where = f"{number_of(n, 'sentence')} of a corpus that hold a target and an attribute."
    return f"A log-ratio is {RATIOS[direction].format(model=model.architecture)}. {where}"
