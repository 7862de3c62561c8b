"""Three levels of association, whatever associates a target with an attribute."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from eatlas import kernels
from eatlas.measures.association import LevelsMeasure
from eatlas.measures.base import Input
from eatlas.measures.inference import correlated, design_power, equivalence, generalised_input
from eatlas.measures.patterns import pattern_of
from eatlas.measures.resampling import variation
from eatlas.measures.rows import Array, Ordered, Rows, several, sides, sizes, stimuli_of
from eatlas.notes import OVER_STIMULI, Note
from eatlas.results.levels import (
    CELLS,
    AttributeScores,
    Cell,
    Level,
    Level2,
    Level3,
    Scores,
    SentenceCounts,
    StimulusLevel,
)
from eatlas.stats.bootstrap import PatternRule
from eatlas.stats.space import cosines_mean_and_sd
from eatlas.stimuli import ATTRIBUTES, TARGETS

COMPARED = {"level1": TARGETS, **{f"level2.{role}": ATTRIBUTES for role in TARGETS}}
"""The groups that each contrast compares, by place in a result."""
Contrasts = Mapping[str, tuple[Array, Array]]
"""Scores of the two groups that are compared, by place: s(w, A, B) of the targets of X and Y;
u(T, a) of the attributes of A and B, for each target group."""
KEPT_SCORES = 10_000
"""Largest number of terms whose associations a result keeps: 60 bytes each. Corpus sentences are
more, and then the means over their stimuli, which are kept, say what there is to see."""
KEPT_CELLS = 10_000
"""Largest number of cosines that a result keeps; 50 targets by 50 attributes take 2,500."""
TABLE_CELLS = 2_000_000
"""Largest number of cosines of two groups that are all computed, 16 MB: 1,400 by 1,400."""
SAMPLED_ROWS = 1_000
"""Of more, quartiles are those of so many rows of either group: of a million cosines, whose
quartiles differ from those of all by some hundredth of their standard deviation."""
QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


def contrasts_of(rows: Rows, *, level2: bool) -> Contrasts:
    """Find the scores from rows whose dot products are the associations."""
    mean = {role: kernels.mean_row(rows[role]) for role in rows}
    toward = {"level1": mean["A"] - mean["B"]}
    if level2:
        toward |= {f"level2.{target}": mean[target] for target in TARGETS}
    contrasts = {}
    for place, direction in toward.items():
        first, second = (kernels.associations(rows[role], direction) for role in COMPARED[place])
        contrasts[place] = first, second
    return contrasts


def kept_scores(contrasts: Contrasts, most: float = math.inf) -> Scores:
    """Scores as a result keeps them: none where there are more terms than `most`."""
    places = [place for place in ("level1", "level2.X") if place in contrasts]
    end = 0 if sum(len(scores) for place in places for scores in contrasts[place]) > most else None
    kept = {place: [s[:end].tolist() for s in pair] for place, pair in contrasts.items()}
    targets = dict(zip(TARGETS, kept["level1"], strict=True))
    if "level2.X" not in kept:
        return Scores(**targets)
    x, y = (
        AttributeScores(dict(zip(ATTRIBUTES, kept[f"level2.{t}"], strict=True))) for t in TARGETS
    )
    return Scores(**targets, attributes_with_X=x, attributes_with_Y=y)


def compared(
    measure: LevelsMeasure, given: Input, notes: list[Note], *, level2: bool
) -> dict[str, Any]:
    """Compare groups of scores, and say how the findings depend on the terms.

    Where stimuli have several sentences, the means over them are compared as well; where a group
    has one stimulus alone there is nothing to relabel, which a note says.
    """
    stimuli, ordered = stimuli_of(given.coverage), Ordered.of(given.rows, given.coverage)
    contrasts = read = contrasts_of(given.rows, level2=level2)
    by_term: dict[str, Level | None] = {
        place: measure.level(*pair, place, notes, given) for place, pair in contrasts.items()
    }
    judged, over = levels_of(by_term, measure.rule), None
    fields = dict(judged)
    if sentences := several(stimuli):
        read = {
            place: (stimuli[first].means(pair[0]), stimuli[second].means(pair[1]))
            for place, pair in contrasts.items()
            for first, second in [COMPARED[place]]
        }
        by_stimulus: dict[str, Level | None] = {}
        for place, pair in read.items():
            alone = [r for r, scores in zip(COMPARED[place], pair, strict=True) if len(scores) < 2]
            if alone:
                note = Note("undefined.one-stimulus", f"{OVER_STIMULI}{place}", {"groups": alone})
                notes.append(note)
                by_stimulus[place] = None
            else:
                by_stimulus[place] = measure.level(*pair, f"{OVER_STIMULI}{place}", notes, given)
        judged = levels_of(by_stimulus, measure.rule)
    varied, varied_over = variation(measure, given, ordered, notes, level2=level2)
    if sentences:
        counts = {
            role: dict(zip(given.coverage[role].stimuli, group.sizes.tolist(), strict=True))
            for role, group in stimuli.items()
        }
        over = StimulusLevel(
            **judged,
            sentences=SentenceCounts(counts),
            scores=kept_scores(read),
            **varied_over,
        )
    crossed = generalised_input(given, ordered, notes, measure.confidence, level2=level2)
    n = {place: (len(first), len(second)) for place, (first, second) in read.items()}
    return {
        **fields,
        **varied,
        "scores": kept_scores(contrasts, KEPT_SCORES),
        "stimulus_level": over,
        "generalisation": crossed,
        "power": design_power(
            n["level1"],
            n.get("level2.X"),
            alpha=measure.alpha,
            unit="stimulus" if sentences else "term",
            rule=measure.rule,
            observed=correlated(judged.get("level2"), read),
        ),
        "equivalence": equivalence(measure, read, crossed, given),
    }


def levels_of(levels: Mapping[str, Level | None], rule: PatternRule | None) -> dict[str, Any]:
    """Fields of a record: effect sizes by level, and with a rule the pattern of both level 2."""
    if "level2.X" not in levels:
        return dict(levels)
    x, y = levels["level2.X"], levels["level2.Y"]
    level2 = Level2(X=x, Y=y) if x and y else None
    pattern = pattern_of(level2, rule) if level2 and rule else None
    return {"level1": levels["level1"], "level2": level2, "pattern": pattern}


def level3(rows: Rows) -> Level3:
    """Mean, standard deviation and quantiles of the cosines of all four pairs of groups.

    Of too many cosines, quantiles are those of some; mean and standard deviation are exact.
    """
    cells = {}
    for name in CELLS:
        t, a = rows[name[0]], rows[name[1]]
        n, sampled = len(t) * len(a), None
        if n > TABLE_CELLS:
            mean, sd = cosines_mean_and_sd(t, a, 1)
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
