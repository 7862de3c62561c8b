"""Findings over stimuli beside those over sentences, as tables and pages show them."""

from __future__ import annotations

from dataclasses import dataclass

from eatlas.report.rule import Rule
from eatlas.results import AssociationResult, ThreeLevelResult, WEATResult
from eatlas.results.ml_eat import StimulusMLEAT
from eatlas.results.parts import Level
from eatlas.results.weat import StimulusWEAT

EXPLANATION = (
    "Over stimuli: the associations of the sentences of one stimulus are averaged first, and the "
    "p-values relabel stimuli. Sentences of one stimulus are not independent, so p-values over "
    "sentences are smaller than the number of stimuli warrants."
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
    """Of the effect size over stimuli."""
    rule: Rule

    @property
    def over_sentences(self) -> float:
        """The p-value over sentences that the rule reads."""
        return self.rule.p(self.sentences)


def stimulus_level(result: AssociationResult) -> StimulusWEAT | StimulusMLEAT | None:
    """Return the findings over stimuli, where there are any."""
    if isinstance(result, ThreeLevelResult | WEATResult):
        return result.stimulus_level
    return None


def stimulus_rows(result: AssociationResult) -> list[StimulusRow]:
    """Levels 1 and 2 over sentences and over stimuli; none in tests of words.

    Examples
    --------
    >>> import eatlas
    >>> results = eatlas.run(tests="sent-weat-9", vectors="cbow:glove-sample")
    >>> [(row.title, row.sentences.n, row.stimuli.n) for row in stimulus_rows(results[0])][0]
    ('Level 1', (18, 73), (6, 6))
    """
    found = stimulus_level(result)
    if found is None or not isinstance(result, ThreeLevelResult | WEATResult):
        return []
    rule, names, given = Rule.of(result), result.concepts, found.uncertainty
    rows = [
        StimulusRow(
            "Level 1",
            f"{names.X} against {names.Y}",
            result.level1,
            found.level1,
            given.level1.interval if given else None,
            rule,
        )
    ]
    if isinstance(result, ThreeLevelResult) and isinstance(found, StimulusMLEAT):
        within = given.level2 if given else None
        rows += [
            StimulusRow(
                f"Level 2, {role}",
                names.name(role),
                result.level2.group(role),
                found.level2.group(role) if found.level2 else None,
                within.group(role).interval if within else None,
                rule,
            )
            for role in "XY"
        ]
    return rows
