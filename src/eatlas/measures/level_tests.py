"""Three levels of association, whatever associates a target with an attribute."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from eatlas import kernels
from eatlas.measures.association import LevelsMeasure
from eatlas.measures.base import AssociationMeasure, Input
from eatlas.measures.inference import Observed, design_power, generalised_input
from eatlas.measures.patterns import pattern_of
from eatlas.measures.rows import (
    Array,
    Rows,
    Stimuli,
    sentence_counts,
    several,
    sides,
    sizes,
    stimuli_of,
)
from eatlas.notes import OVER_STIMULI, Note
from eatlas.results.inference import Unit
from eatlas.results.levels import (
    CELLS,
    AttributeScores,
    Cell,
    Level,
    Level2,
    Level3,
    Scores,
    StimulusLevel,
)
from eatlas.stimuli import ATTRIBUTES, TARGETS

COMPARED = {"level1": TARGETS, **{f"level2.{role}": ATTRIBUTES for role in TARGETS}}
"""The groups that each contrast compares, by place in a result."""
KEPT_SCORES = 10_000
"""Largest number of terms whose associations a result keeps: 60 bytes each. Corpus sentences are
more, and then the means over their stimuli, which are kept, say what there is to see."""


@dataclass(frozen=True)
class Associations:
    """Association of each term with the groups of the other side."""

    targets: Mapping[str, Array]
    """s(w, A, B) of each target, by role."""
    attributes: Mapping[tuple[str, str], Array] = field(default_factory=dict)
    """u(T, a) of each attribute, by target group and role; none without level 2."""

    @classmethod
    def of(cls, rows: Rows, *, level2: bool) -> Associations:
        """Find them from rows whose dot products are the associations."""
        mean = {role: kernels.mean_row(rows[role]) for role in rows}
        a, b = (mean[role] for role in ATTRIBUTES)
        s = {role: kernels.associations(rows[role], a - b) for role in TARGETS}
        pairs = [(t, role) for t in TARGETS for role in ATTRIBUTES] if level2 else []
        return cls(s, {(t, role): kernels.associations(rows[role], mean[t]) for t, role in pairs})

    def over(self, stimuli: Mapping[str, Stimuli]) -> Associations:
        """Means over the sentences of each stimulus."""
        return Associations(
            {role: stimuli[role].means(values) for role, values in self.targets.items()},
            {key: stimuli[key[1]].means(values) for key, values in self.attributes.items()},
        )

    def pairs(self) -> dict[str, tuple[Array, Array]]:
        """Scores of the two groups that are compared, by place."""
        x, y = (self.targets[role] for role in TARGETS)
        pairs = {"level1": (x, y)}
        for target in TARGETS if self.attributes else ():
            a, b = (self.attributes[target, role] for role in ATTRIBUTES)
            pairs[f"level2.{target}"] = a, b
        return pairs

    def record(self, most: float = math.inf) -> Scores:
        """Scores as a result keeps them: none where there are more terms than `most`."""
        terms = [*self.targets.values()]
        terms += [u for (target, _), u in self.attributes.items() if target == TARGETS[0]]
        end = 0 if sum(map(len, terms)) > most else None
        targets = {role: self.targets[role][:end].tolist() for role in TARGETS}
        if not self.attributes:
            return Scores(**targets)
        x, y = (
            AttributeScores({r: self.attributes[t, r][:end].tolist() for r in ATTRIBUTES})
            for t in TARGETS
        )
        return Scores(**targets, attributes_with_X=x, attributes_with_Y=y)


def compared(
    measure: LevelsMeasure, given: Input, notes: list[Note], *, level2: bool
) -> dict[str, Any]:
    """Compare groups of scores, and say how the findings depend on the terms."""
    terms, stimuli = Associations.of(given.rows, level2=level2), stimuli_of(given.coverage)
    levels = _levels(measure, terms, given, notes)
    read, judged, over = terms, levels, None
    unit: Unit = "stimulus" if several(stimuli) else "term"
    if unit == "stimulus":
        read = terms.over(stimuli)
        judged = _levels(measure, read, given, notes, stimuli)
        sentences = sentence_counts(given.coverage, stimuli)
        over = {**judged, "sentences": sentences, "scores": read.record()}
    varied, varied_over = measure.bootstrap.variation(given, notes, measure.rule, level2=level2)
    crossed = generalised_input(given, notes, confidence=measure.confidence, level2=level2)
    pairs, observed, both = read.pairs(), None, judged.get("level2")
    if both is not None:
        observed = Observed.of(both.X.effect_size, both.Y.effect_size, read.attributes)
    n = {place: (len(first), len(second)) for place, (first, second) in pairs.items()}
    return {
        **levels,
        **varied,
        "scores": terms.record(KEPT_SCORES),
        "stimulus_level": over and StimulusLevel(**over, **varied_over),
        "generalisation": crossed,
        "power": design_power(
            n["level1"],
            n.get("level2.X"),
            alpha=measure.alpha,
            unit=unit,
            rule=measure.rule,
            observed=observed,
        ),
        "equivalence": measure.smallest.equivalence(pairs, crossed, given),
    }


def _levels(
    measure: AssociationMeasure,
    scores: Associations,
    given: Input,
    notes: list[Note],
    stimuli: Mapping[str, Stimuli] | None = None,
) -> dict[str, Any]:
    """Effect sizes and p-values of all contrasts, and the pattern of both level 2.

    With `stimuli` the scores are means over their sentences; where a group has one stimulus alone
    there is nothing to relabel, which a note says.
    """
    levels: dict[str, Level | None] = {}
    for place, pair in scores.pairs().items():
        alone = [n for n, values in zip(COMPARED[place], pair, strict=True) if len(values) < 2]
        read = f"{OVER_STIMULI}{place}" if stimuli else place
        if stimuli and alone:
            notes.append(Note("undefined.one-stimulus", read, {"groups": alone}))
            levels[place] = None
            continue
        levels[place] = measure.level(*pair, read, notes, given)
    if not scores.attributes:
        return levels
    x, y = levels["level2.X"], levels["level2.Y"]
    level2 = Level2(X=x, Y=y) if x and y else None
    pattern = pattern_of(level2, measure.rule) if level2 and measure.rule else None
    return {"level1": levels["level1"], "level2": level2, "pattern": pattern}


KEPT_CELLS = 10_000
"""Largest number of cosines that a result keeps; 50 targets by 50 attributes take 2,500."""
TABLE_CELLS = 2_000_000
"""Largest number of cosines of two groups that are all computed, 16 MB: 1,400 by 1,400."""
SAMPLED_ROWS = 1_000
"""Of more, quartiles are those of so many rows of either group: of a million cosines, whose
quartiles differ from those of all by some hundredth of their standard deviation."""
QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


def level3(rows: Rows) -> Level3:
    """Mean, standard deviation and quantiles of the cosines of all four pairs of groups.

    Of too many cosines, quantiles are those of some; mean and standard deviation are exact.
    """
    cells, moments = {}, dict[str, kernels.Moments]()
    for name in CELLS:
        t, a = rows[name[0]], rows[name[1]]
        n, sampled = len(t) * len(a), None
        if n > TABLE_CELLS:
            for role in set(name) - set(moments):
                moments[role] = kernels.moments(rows[role])
            mean, sd = kernels.products_mean_and_sd(moments[name[0]], moments[name[1]], 1)
            t, a = _some(t), _some(a)
            block, sampled = t @ a.T, len(t) * len(a)
        else:
            # up to what is kept, cosines of equal rows are equal to the last bit
            block = kernels.similarities(t, a) if n <= KEPT_CELLS else t @ a.T
            mean, sd = kernels.mean_and_sd(block, 1)
        cells[name] = Cell(
            mean=mean,
            sd=None if np.isnan(sd) else sd,
            n=n,
            quantiles=kernels.quantiles(block.ravel(), QUANTILES).tolist(),
            sampled=sampled,
        )
    return Level3(**cells)


def similarities(rows: Rows) -> tuple[tuple[float, ...], ...] | None:
    """The cosines of all targets with all attributes, to 6 decimals; None for too many."""
    x, y, a, b = sizes(rows)
    if (x + y) * (a + b) > KEPT_CELLS:
        return None
    return kept_pairs(kernels.similarities(*sides(rows)))


def kept_pairs(table: Array) -> tuple[tuple[float, ...], ...] | None:
    """What a result keeps of the associations of all pairs; None for too many."""
    if table.size > KEPT_CELLS:
        return None
    return tuple(tuple(row) for row in np.round(table, 6).tolist())


def _some(rows: Array) -> Array:
    """At most SAMPLED_ROWS of the rows, as good as random, whatever the order they come in.

    The bytes of a number begin with the last digits of its fraction, so their order says nothing.
    """
    if len(rows) <= SAMPLED_ROWS:
        return rows
    order = sorted(range(len(rows)), key=lambda i: rows[i].tobytes())
    return rows[[order[i] for i in np.linspace(0, len(rows) - 1, SAMPLED_ROWS).astype(int)]]
