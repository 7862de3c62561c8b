"""Record of an SC-EAT: the association of each single target term with two attributes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar, Literal

from eatlas.results.base import AssociationResult
from eatlas.results.effects import Effect, shown
from eatlas.results.inference import Power
from eatlas.results.parts import Level, Record
from eatlas.results.primary import Primary


class TermAssociation(Record):
    """One target term's differential association with A and B."""

    term: str
    group: Literal["X", "Y"]
    level2: Level


class SCEATResult(AssociationResult):
    """What :class:`eatlas.SCEAT` found, one entry for each target term."""

    display_name: ClassVar[str] = "SC-EAT"
    full_name: ClassVar[str] = (
        "the Single-Category Embedding Association Test (SC-EAT; Caliskan, Bryson and Narayanan "
        "2017) for each target term"
    )

    measure: Literal["sc-eat"] = "sc-eat"
    terms: tuple[TermAssociation, ...]
    power: Power | None = None
    """What the attributes of the test can find of one term; None in results of older versions."""
    stimulus_terms: tuple[TermAssociation, ...] | None = None
    """The same for each target stimulus, its cosines averaged over its sentences and those of each
    attribute stimulus, whose labels are permuted. None in tests of words, and where each stimulus
    has one sentence; empty where A or B has one stimulus alone."""

    @property
    def primary_terms(self) -> tuple[TermAssociation, ...]:
        """The associations that are read: of stimuli where one has several sentences."""
        return self.terms if self.stimulus_terms is None else self.stimulus_terms

    @property
    def over_stimuli(self) -> bool:
        """Whether stimuli are read, not terms."""
        return self.stimulus_terms is not None

    @property
    def primary(self) -> Primary:
        """What is read: terms, or stimuli where one has several sentences."""
        return replace(super().primary, over="stimuli" if self.over_stimuli else "terms")

    def effects(self) -> tuple[Effect, ...]:
        """The effect size of each term, or of each stimulus in tests of sentences."""
        rule, over = self.rule, self.primary.over
        return tuple(
            Effect(
                place="level2",
                title="Level 2",
                roles=entry.group,
                names=(entry.term,),
                d=entry.level2.effect_size,
                rule=rule,
                difference=entry.level2.difference,
                n=entry.level2.n,
                p=entry.level2.p,
                term=entry.term,
                read_over=over,
                design=self.power.level2 if self.power else None,
            )
            for entry in self.primary_terms
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row for each target term, or stimulus in a test of sentences."""
        return [
            {
                **self.head(),
                "read_over": one.read_over,
                "group": one.roles[0],
                "term": one.term,
                **self._rank(one),
                **{k: v for k, v in one.columns().items() if k.startswith(("effect", "p_"))},
                "smallest_d_level2": one.design and one.design.smallest_d,
            }
            for one in self.effects()
        ]

    def _rank(self, effect: Effect) -> dict[str, Any]:
        """How frequent a term is, where that is known."""
        if self.frequency is None:
            return {}
        return {"rank": self.frequency.ranks.group(effect.roles[0]).terms.get(effect.name)}

    def summary(self) -> str:
        """How many terms, and the ones at either end."""
        what = "stimuli" if self.over_stimuli else "terms"
        number = len(self.primary_terms)
        known = [one for one in self.effects() if one.d is not None]
        if not known:
            return f"{number} {what}"
        low, *_, high = sorted(known * 2, key=lambda one: one.d or 0.0)
        return f"{number} {what} from {low.name} ({shown(low.d)}) to {high.name} ({shown(high.d)})"
