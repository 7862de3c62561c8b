"""Levels of association, whatever associates a target with an attribute.

The rows of a test (which belong to one stimulus, and in what order they are sampled and summed),
what is compared at each level, what a result keeps of it, and whether cosines mean anything.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sized
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.measures.base import Array
from eatlas.measures.patterns import pattern_of
from eatlas.results.diagnosis import ALIKE_MEAN, ALIKE_SD, DECIMALS, Dimension, TermsDiagnosis
from eatlas.results.levels import CELLS, AttributeScores, Cell, Level, Level2, Level3, Scores
from eatlas.results.parts import Coverage, GroupCoverage, finite
from eatlas.stats.bootstrap import PatternRule
from eatlas.stats.inputs import remember
from eatlas.stats.space import cosines_mean_and_sd, joint_iso_score
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS
from eatlas.stimuli.kinds import OPPOSITES

Rows = Mapping[str, Array]
"""Rows of each group, shape (terms, d)."""
Contrasts = Mapping[str, tuple[Array, Array]]
"""Scores of the two groups that are compared, by place: s(w, A, B) of the targets of X and Y;
u(T, a) of the attributes of A and B, for each target group."""
COMPARED = {"level1": TARGETS, **{f"level2.{role}": ATTRIBUTES for role in TARGETS}}
"""The groups that each contrast compares, by place in a result."""
MOST_CELLS = 20_000_000
"""Largest number of cosines of all pairs that are in memory, 160 MB: 4,500 by 4,500."""
KEPT_SCORES = 10_000
"""Largest number of terms whose associations a result keeps: 60 bytes each. Corpus sentences are
more, and then the means over their stimuli, which are stored, say what there is to see."""
KEPT_CELLS = 10_000
"""Largest number of cosines that a result keeps; 50 targets by 50 attributes take 2,500."""
TABLE_CELLS = 2_000_000
"""Largest number of cosines of two groups that are all computed, 16 MB: 1,400 by 1,400."""
SAMPLED_ROWS = 1_000
"""Of more, quartiles are those of so many rows of either group: of a million cosines, whose
quartiles differ from the exact ones by some hundredths of their standard deviation."""
QUANTILES = (0.0, 0.25, 0.5, 0.75, 1.0)


def sides(rows: Rows) -> tuple[Array, Array]:
    """Rows of all targets, X then Y, and of all attributes, A then B."""
    targets, attributes = (np.concatenate([rows[role] for role in side]) for side in OPPOSITES)
    return targets, attributes


def sizes(groups: Mapping[str, Sized]) -> tuple[int, int, int, int]:
    """How many X, Y, A and B hold."""
    x, y, a, b = (len(groups[role]) for role in ROLES)
    return x, y, a, b


@dataclass(frozen=True)
class Stimuli:
    """The stimuli of the rows of one group."""

    of: NDArray[np.intp]
    """Place of the stimulus of each row, shape (rows,)."""
    sizes: NDArray[np.int64]
    """Rows of each stimulus, shape (stimuli,)."""

    @classmethod
    def of_group(cls, group: GroupCoverage) -> Stimuli:
        """Find the stimuli of the used terms of a group, in order; words are their own."""
        places = {name: i for i, name in enumerate(group.stimuli)}
        of = np.array([places[group.stimulus.get(term, term)] for term in group.used], np.intp)
        return cls(of, np.bincount(of, minlength=len(places)))

    def __len__(self) -> int:
        return len(self.sizes)

    def __add__(self, other: Stimuli) -> Stimuli:
        """Append the rows of another group, whose stimuli are others."""
        of = np.concatenate([self.of, other.of + len(self)])
        return Stimuli(of, np.concatenate([self.sizes, other.sizes]))

    def means(self, values: Array) -> Array:
        """Mean of one number of each row, for each stimulus.

        Sums are correctly rounded, so that the order of sentences changes no bit and stimuli tie
        whose sentences do.
        """
        parts = np.split(values[np.argsort(self.of, kind="stable")], np.cumsum(self.sizes)[:-1])
        return np.array([math.fsum(part.tolist()) / len(part) for part in parts])

    def mean_rows(self, rows: Array) -> Array:
        """Mean row of each stimulus, shape (stimuli, d)."""
        starts = np.cumsum(self.sizes) - self.sizes
        sums = np.add.reduceat(rows[np.argsort(self.of, kind="stable")], starts, axis=0)
        return np.asarray(sums / self.sizes[:, None])


def repeats_stimuli(stimuli: Mapping[str, Stimuli]) -> bool:
    """Whether a stimulus of any group has more than one sentence."""
    return any(len(group.of) > len(group.sizes) for group in stimuli.values())


def stimuli_of(coverage: Coverage) -> dict[str, Stimuli]:
    """Find the stimuli of all four groups.

    A stimulus whose sentences are in two groups is one of each: labels are changed within X and
    Y, and within A and B, for each group's part of its sentences.
    """
    return {role: Stimuli.of_group(coverage[role]) for role in ROLES}


@dataclass(frozen=True)
class Ordered:
    """Rows sorted by stimulus, and by term within a stimulus.

    What is sampled or summed in this order is the same to the last bit whatever the order of terms
    in the test.
    """

    rows: dict[str, Array]
    """By role, shape (terms, d)."""
    stimuli: dict[str, Stimuli]
    """Which rows belong to one stimulus."""
    names: dict[str, tuple[str, ...]]
    """The stimuli with a vector, sorted."""
    places: dict[str, list[int]]
    """Place among them of each stimulus, in the order in which the coverage first uses them."""

    @classmethod
    def of(cls, rows: Rows, coverage: Coverage) -> Ordered:
        """Sort the rows of all groups."""
        ordered, stimuli, names, places = {}, {}, {}, {}
        for role, vectors in rows.items():
            triples = sort_rows(coverage[role])
            names[role] = tuple(dict.fromkeys(stimulus for stimulus, _, _ in triples))
            at = {name: i for i, name in enumerate(names[role])}
            of = np.array([at[stimulus] for stimulus, _, _ in triples], np.intp)
            stimuli[role] = Stimuli(of, np.bincount(of, minlength=len(at)))
            ordered[role] = vectors[[i for _, _, i in triples]]
            places[role] = [at[stimulus] for stimulus in coverage[role].stimuli]
        return cls(ordered, stimuli, names, places)

    def sort_table(self, table: Array) -> Array:
        """Sort a table of targets (X, then Y) by attributes (A, then B) in the coverage's order."""
        for axis, (first, second) in enumerate((TARGETS, ATTRIBUTES)):
            n = len(self.places[first])
            order = np.argsort([*self.places[first], *(n + i for i in self.places[second])])
            table = np.take(table, order, axis)
        return table


def sort_rows(group: GroupCoverage) -> list[tuple[str, str, int]]:
    """Stimulus, term and place of each row, by stimulus and by term within one.

    Images are in the order of their hashes, so that no name decides what is sampled.
    """
    hashes = group.image
    rows = [(group.stimulus.get(term, term), term, i) for i, term in enumerate(group.used)]
    return sorted(rows, key=lambda row: (hashes.get(row[0], row[0]), hashes.get(row[1], row[1])))


def too_many(rows: Rows) -> bool:
    """Whether a table of the cosines of all targets with all attributes is not held."""
    x, y, a, b = sizes(rows)
    return (x + y) * (a + b) > MOST_CELLS


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


def scores_to_store(contrasts: Contrasts) -> Scores:
    """Scores as a result keeps them: none of very many terms."""
    terms = sum(len(s) for place in ("level1", "level2.X") for s in contrasts.get(place, ()))
    end = 0 if terms > KEPT_SCORES else None
    by_role: dict[str, dict[str, Any]] = {
        place: {
            role: scores[:end].tolist() for role, scores in zip(COMPARED[place], pair, strict=True)
        }
        for place, pair in contrasts.items()
    }
    with_targets = {
        f"attributes_with_{target}": AttributeScores(by_role[f"level2.{target}"])
        for target in TARGETS
        if f"level2.{target}" in by_role
    }
    return Scores(**by_role["level1"], **with_targets)


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
            # up to what is stored, cosines of equal rows are equal to the last bit
            block = kernels.similarities(t, a) if n <= KEPT_CELLS else t @ a.T
            mean, sd = kernels.mean_and_sd(block, 1)
        cells[name] = Cell(
            mean=mean,
            sd=None if np.isnan(sd) else sd,
            n=n,
            quantiles=np.quantile(block.ravel(), QUANTILES).tolist(),
            sampled=sampled,
        )
    return Level3(**cells)


def similarities(rows: Rows) -> tuple[tuple[float, ...], ...] | None:
    """The cosines of all targets with all attributes, to 6 decimals; None for too many."""
    x, y, a, b = sizes(rows)
    if (x + y) * (a + b) > KEPT_CELLS:
        return None
    return pairs_to_store(kernels.similarities(*sides(rows)))


def pairs_to_store(table: Array) -> tuple[tuple[float, ...], ...] | None:
    """What a result keeps of the associations of all pairs; None for too many."""
    if table.size > KEPT_CELLS:
        return None
    return tuple(tuple(row) for row in np.round(table, 6).tolist())


def _some(rows: Array) -> Array:
    """At most SAMPLED_ROWS of the rows, spread evenly over their first number."""
    if len(rows) <= SAMPLED_ROWS:
        return rows
    order = np.lexsort(rows.T[:2][::-1])
    return np.asarray(rows[order[np.linspace(0, len(rows) - 1, SAMPLED_ROWS).astype(int)]])


def diagnose_terms(rows: Rows) -> TermsDiagnosis | None:
    """Say whether cosines are meaningful among the terms of a test."""
    if not all(len(rows[role]) for role in ROLES):
        return None
    return _diagnose(*(rows[role] for role in ROLES))


@remember(256, largest=65_536)
def _diagnose(x: Array, y: Array, a: Array, b: Array) -> TermsDiagnosis:
    """Diagnose the terms of four groups."""
    rows = dict(zip(ROLES, (x, y, a, b), strict=True))
    targets, attributes = sides(rows)
    mean, sd = cosines_mean_and_sd(targets, attributes, 0)
    blocks = [(rows[t], rows[a]) for t in OPPOSITES[0] for a in OPPOSITES[1]]
    cells = [cosines_mean_and_sd(t, a, 1) for t, a in blocks]
    lowest = round(min(cell_mean for cell_mean, _ in cells), DECIMALS)
    # level 3 divides by n - 1; a single cosine has no deviation
    spreads = [s for (_, s), (t, a) in zip(cells, blocks, strict=True) if len(t) * len(a) > 1]
    largest = round(max(spreads), DECIMALS) if spreads else None
    n = len(targets) + len(attributes)
    # the mean over all pairs of t_i a_i is the product of the means
    contributions = targets.mean(axis=0) * attributes.mean(axis=0)
    lengths = (np.square(targets).sum(axis=0) + np.square(attributes).sum(axis=0)) / n
    # rounded, so that of two equal dimensions the first is named, in whatever order terms come
    rogue, loudest = (int(by.round(DECIMALS).argmax()) for by in (contributions, lengths))
    return TermsDiagnosis(
        terms=n,
        mean_cosine=round(mean, DECIMALS),
        sd_cosine=round(sd, DECIMALS),
        lowest_mean=lowest,
        largest_sd=largest,
        alike=lowest >= ALIKE_MEAN and largest is not None and largest <= ALIKE_SD,
        iso_score=finite(
            joint_iso_score(*([rows[role] for role in side] for side in OPPOSITES)), DECIMALS
        ),
        rogue=Dimension.of(rogue, contributions, lengths),
        loudest=Dimension.of(loudest, contributions, lengths),
    )
