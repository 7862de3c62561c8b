"""How far a finding may be trusted, in plain sentences: chance, other words, single terms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from eatlas.present import inference
from eatlas.present.contexts import in_other_contexts
from eatlas.present.frequency import about_frequency
from eatlas.present.levels import LevelRow
from eatlas.present.numerals import (
    count,
    effect,
    effects_apart,
    explain_p,
    number_of,
    p_equals,
    percent,
)
from eatlas.present.rule import Rule
from eatlas.present.sentences import one_stimulus, short_name
from eatlas.present.stimulus_level import over_stimuli
from eatlas.present.text import isolated
from eatlas.results import AssociationResult, DrawnResult, ThreeLevelResult, WEATResult
from eatlas.results.parts import Level
from eatlas.results.uncertainty import Uncertainty

DRAWN = {
    "both": "all terms are",
    "targets": "the target terms are",
    "attributes": "the attribute terms are",
}
_RUNNER_UP = 0.05
"""Share of the resamples from which another pattern is worth a mention."""


class Statement(NamedTuple):
    """One sentence or two with a word in front that says what they are about."""

    about: str
    text: str


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
    text = inference.other_words(result)
    if read.uncertainty is not None:
        text = " ".join([*_other_words(result, read.uncertainty, levels[0]), text])
    found.append(Statement("Other words.", text.strip()))
    if isinstance(result, DrawnResult):
        found.append(Statement(f"Other {result.varied}.", in_other_contexts(result)))
    found.append(Statement("Frequency.", about_frequency(result)))
    single = _single_terms(result, levels[0])
    if single:
        found.append(Statement("Single terms.", single))
    found.append(Statement("What this design can find.", inference.design(result)))
    found.append(Statement("Too small to matter?", inference.too_small(result)))
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
