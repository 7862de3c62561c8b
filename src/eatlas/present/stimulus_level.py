"""Findings over single sentences beside those over stimuli, which are read."""

from __future__ import annotations

from dataclasses import dataclass

from eatlas.present.rule import Rule
from eatlas.results import AssociationResult, SCEATResult, ThreeLevelResult, WEATResult
from eatlas.results.parts import Level

EXPLANATION = (
    "Sentences of one stimulus are not independent, so p-values that relabel single sentences are "
    "smaller than the number of stimuli warrants. What is read, starred and adjusted is over "
    "stimuli: the associations of the sentences of one stimulus are averaged first, and the "
    "p-values relabel stimuli."
)


@dataclass(frozen=True)
class StimulusRow:
    """One effect size in both readings."""

    title: str
    """Such as "Level 2, X"."""
    what: str
    """What is compared, in the concepts' names."""
    sentences: Level
    stimuli: Level | None
    """None where a group has one stimulus alone."""
    interval: tuple[float, float] | None
    """Of the effect size over sentences."""
    rule: Rule


def over_stimuli(result: AssociationResult) -> bool:
    """Whether the findings of a result are read over stimuli."""
    if isinstance(result, SCEATResult):
        return result.over_stimuli
    return isinstance(result, ThreeLevelResult | WEATResult) and result.primary.over_stimuli


def stimulus_rows(result: AssociationResult) -> list[StimulusRow]:
    """Levels 1 and 2 over sentences and over stimuli; none in tests of words.

    Examples
    --------
    >>> import eatlas
    >>> results = eatlas.run(tests="sent-weat-9", vectors="cbow:glove-sample")
    >>> [(row.title, row.sentences.n, row.stimuli.n) for row in stimulus_rows(results[0])][0]
    ('Level 1', (18, 73), (6, 6))
    """
    if not isinstance(result, ThreeLevelResult | WEATResult) or not result.primary.over_stimuli:
        return []
    rule, names, read, given = Rule.of(result), result.concepts, result.primary, result.uncertainty
    rows = [
        StimulusRow(
            "Level 1",
            f"{names.X} against {names.Y}",
            result.level1,
            read.level1,
            given.level1.interval if given else None,
            rule,
        )
    ]
    if isinstance(result, ThreeLevelResult):
        within = given.level2 if given else None
        rows += [
            StimulusRow(
                f"Level 2, {role}",
                names.name(role),
                result.level2.group(role),
                read.group(role),
                within.group(role).interval if within else None,
                rule,
            )
            for role in "XY"
        ]
    return rows
