"""How strongly targets are associated with k groups, drawn again and relabelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import CoverageError, SignatureError
from eatlas.measures.association import written
from eatlas.measures.base import Input, generator_of, stimuli_covered
from eatlas.measures.levels import Stimuli
from eatlas.results.levels import LabelDesign, LabelTest
from eatlas.stats.inputs import clopper_pearson
from eatlas.stats.permutation import (
    ALWAYS_EXACT,
    LARGEST,
    Tail,
    permutation_test,
    permutation_tests,
)
from eatlas.stats.permutation.problem import SMALLEST
from eatlas.stats.shares import (
    MOST_LISTED,
    label_powers,
    label_tests,
    posterior,
    relabellings,
    resampled_weights,
)
from eatlas.stimuli.kinds import OF_TARGETS

Array = NDArray[np.float64]

FEW_TARGETS = 10
"""So many tests of two groups of 20 are counted in a second and a half; 288 would take 40."""
BETWEEN = "sum of squares between the groups' mean cosines with the target"
BETWEEN_SHARES = "sum of squares between the groups' mean shares of a label, of the target"
MOST_COUNTED = 2**53
"""Larger numbers are not known to be whole."""
TOGETHER = 16
"""Resamples of contexts whose means are held together: of 300 words of 768 numbers 30 MB."""
NOTHING = 1e-12
"""Length of a mean of rows of magnitude 1 that cancel."""


@dataclass(frozen=True)
class Resampled:
    """Associations in bootstrap resamples."""

    targets: Array
    """Shape (resamples, targets, k)."""
    concept: Array
    """Of the mean of the targets drawn, shape (resamples, k)."""
    weights: Array
    """How often each target was drawn, shape (resamples, targets)."""


@dataclass(frozen=True)
class Evidence:
    """Associations of targets with groups, and how they vary."""

    targets: tuple[str, ...]
    associations: Array
    """Shape (targets, k)."""
    concept: Array
    """Of all targets as one mean, shape (k,)."""
    barred: Mapping[str, str] = field(default_factory=dict)
    """Targets that no distribution is made for, with the reason."""
    cosines: Array | None = None
    """Of targets, and of the concept in the last row, with each word of the groups, those of the
    first group first; None where no words of groups associate."""
    sizes: tuple[int, ...] = ()
    """Words of each group."""
    draw: Callable[[int], Resampled] | None = None
    """Draws resamples; None where there is nothing to draw from."""
    fixed: bool = False
    """Whether a target is the same in every resample, so that it has no interval."""
    contexts: Array | None = None
    """Of counts of contexts, these, shape (targets, k)."""
    statistic: str = BETWEEN
    """What is relabelled, in words."""
    shares_of_words: bool = False
    """Whether words that do not differ give a group its share of the words, not an equal one."""
    magnified: float = 1.0
    """By how much the rounding of cosines is larger in what is relabelled."""

    @property
    def exchangeable(self) -> Array:
        """Shares of the groups that are expected where their words do not differ, shape (k,)."""
        sizes = self.sizes if self.shares_of_words else np.ones(self.associations.shape[1])
        return np.asarray(sizes) / np.sum(sizes)


def of_words(given: Input, *, unit: bool) -> Evidence:
    """Cosines of targets with mean vectors of groups (DivDist, section 4.2).

    In a resample the words of each group are drawn again, and the contexts of each word too, where
    rows are means over contexts.
    """
    names, barred, counted = told_apart(given)
    # raw rows are divided by the greatest number, so that their squares are in range
    scaled = {
        name: kernels.unit_rows(rows) if unit else np.asarray(rows / np.abs(rows).max())
        for name, rows in given.rows.items()
    }
    targets, groups = scaled[OF_TARGETS], [scaled[group] for group in given.head["groups"]]
    unit_targets, centre = kernels.unit_rows(targets), _direction(targets[counted])
    centres = [_direction(group) for group in groups]

    def draw(resamples: int) -> Resampled:
        of_targets, of_groups = _drawn_weights(given, counted, resamples)
        contexts = None if given.single is None else _Contexts(given)
        together = TOGETHER if contexts else resamples
        each, concept = np.empty((resamples, len(targets), len(groups))), np.empty((0, len(groups)))
        for first, last in pairwise([*range(0, resamples, together), resamples]):
            block, rows = slice(first, last), scaled
            if contexts:
                drawn = contexts.draw(last - first)
                rows = {name: _unit(part) if unit else part for name, part in drawn.items()}
            of_all = _unit(_sums(of_targets[block], rows[OF_TARGETS]))
            near = np.empty((last - first, len(groups)))
            for j, group in enumerate(given.head["groups"]):
                mean = _unit(_sums(of_groups[j][block], rows[group]))
                each[block, :, j] = _products(_unit(rows[OF_TARGETS]), mean)
                near[:, j] = np.einsum("rd,rd->r", of_all, mean)
            concept = np.concatenate([concept, near])
        return Resampled(each, concept, of_targets)

    return Evidence(
        targets=names[OF_TARGETS],
        associations=np.stack([kernels.associations(unit_targets, c) for c in centres], axis=1),
        concept=np.array([kernels.associations(centre[None], c)[0] for c in centres]),
        barred=barred,
        cosines=np.vstack([unit_targets, centre]) @ kernels.unit_rows(np.concatenate(groups)).T,
        sizes=tuple(map(len, groups)),
        draw=draw,
    )


class _Contexts:
    """Draws the contexts of each word again: their means, by group."""

    def __init__(self, given: Input) -> None:
        names, stimuli = (OF_TARGETS, *given.head["groups"]), stimuli_covered(given.coverage)
        self.single = given.single or {}
        self.parts = {name: Stimuli.of_group(given.coverage[name]) for name in names}
        self.rngs = {
            name: generator_of(given.seed, {name: stimuli[name]}, "resamples of contexts")
            for name in names
        }

    def draw(self, resamples: int) -> dict[str, Array]:
        """Means of as many contexts of each word, shape (resamples, words, d)."""
        means = {}
        for name, parts in self.parts.items():
            rows, order = self.single[name], np.argsort(parts.of, kind="stable")
            starts = np.cumsum(parts.sizes) - parts.sizes
            means[name] = np.empty((resamples, len(parts), rows.shape[1]))
            for i, (start, size) in enumerate(zip(starts, parts.sizes, strict=True)):
                weights = resampled_weights(int(size), resamples, self.rngs[name]) / size
                means[name][:, i] = weights @ rows[order[start : start + size]]
        return means


def _sums(weights: Array, rows: Array) -> Array:
    """Weighted sum of rows for each resample, whose rows differ or are the same: (resamples, d)."""
    return weights @ rows if rows.ndim == 2 else np.einsum("rw,rwd->rd", weights, rows)


def _products(rows: Array, means: Array) -> Array:
    """Product of each row with the mean of its resample, shape (resamples, rows)."""
    return means @ rows.T if rows.ndim == 2 else np.einsum("rtd,rd->rt", rows, means)


def _unit(rows: Array) -> Array:
    """Rows of length 1 along the last axis; NaN for rows that cancelled out."""
    lengths = np.sqrt(np.einsum("...d,...d->...", rows, rows))[..., None]
    return np.asarray(rows / np.where(lengths > NOTHING, lengths, np.nan))


def _direction(rows: Array) -> Array:
    """Unit vector of the mean of some rows; NaN where they cancel out, or there are none."""
    mean = kernels.mean_row(rows) if len(rows) else np.zeros(rows.shape[1])
    if not len(rows) or np.abs(mean).max() <= 1e-15 * np.abs(rows).max():
        return np.full(len(mean), np.nan)
    unit: Array = kernels.unit_rows(mean[None])[0]
    return unit


def of_labels(given: Input, scale: float) -> Evidence:
    """Shares of groups in a softmax over all their words (Radford et al. 2021, section 3.1.2).

    The concept is the mean of the readings of its targets. Relabelling words leaves every reading
    as it is; in a resample of words all are computed anew.
    """
    names, barred, counted = told_apart(given)
    rows = {name: kernels.unit_rows(rows) for name, rows in given.rows.items()}
    groups = [rows[group] for group in given.head["groups"]]
    sizes = tuple(map(len, groups))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    similar = kernels.similarities(rows[OF_TARGETS], np.concatenate(groups))
    powers = label_powers(similar, scale)
    readings = powers / powers.sum(axis=1, keepdims=True)
    concept = readings[counted].mean(axis=0) if counted.any() else np.full(sum(sizes), np.nan)

    def draw(resamples: int) -> Resampled:
        of_targets, of_groups = _drawn_weights(given, counted, resamples)
        totals = powers @ np.concatenate(of_groups, axis=1).T
        parts = [
            powers[:, start : start + size] @ weights.T / totals
            for start, size, weights in zip(starts, sizes, of_groups, strict=True)
        ]
        shares = np.stack(parts, axis=2).swapaxes(0, 1)
        with np.errstate(invalid="ignore"):
            means = np.einsum("rt,rtk->rk", of_targets, shares)
            means = means / of_targets.sum(axis=1, keepdims=True)
        return Resampled(shares, means, of_targets)

    return Evidence(
        targets=names[OF_TARGETS],
        associations=np.add.reduceat(readings, starts, axis=1),
        concept=np.add.reduceat(concept, starts),
        barred=barred,
        cosines=np.vstack([readings, concept]),
        sizes=sizes,
        draw=draw,
        statistic=BETWEEN_SHARES,
        shares_of_words=True,
        magnified=given.magnified,
    )


def of_counts(targets: Sequence[str], counts: Array, given: Input) -> Evidence:
    """Numbers of each target for each group; of the concept their sums (DivDist, section 4.1).

    Whole numbers are contexts: what shares may be behind them is drawn from the posterior of each
    target, and of the sum of the targets drawn. Shares are as they are.
    """
    whole = bool((counts == np.round(counts)).all()) and counts.max(initial=0) < MOST_COUNTED
    contexts = whole and counts.sum(axis=1).max(initial=0) > 1

    def draw(resamples: int) -> Resampled:
        rng = generator_of(given.seed, {OF_TARGETS: targets}, "resamples")
        weights = resampled_weights(len(targets), resamples, rng)
        sums = weights @ counts
        if not contexts:
            return Resampled(np.repeat(counts[None], resamples, axis=0), sums, weights)
        return Resampled(posterior(counts, resamples, rng), posterior(sums, 1, rng)[0], weights)

    return Evidence(
        targets=tuple(targets),
        associations=counts,
        concept=counts.sum(axis=0),
        draw=draw,
        fixed=not contexts,
        contexts=counts if contexts else None,
    )


def stimuli_of_groups(given: Input) -> dict[str, tuple[str, ...]]:
    """Used words of targets and groups, of contexts the stimuli; groups may share none."""
    names = {name: group.stimuli for name, group in given.coverage.items()}
    folded = {group: {word.casefold() for word in names[group]} for group in given.head["groups"]}
    for first, second in combinations(folded, 2):
        if shared := sorted(folded[first] & folded[second]):
            raise CoverageError(
                f"the groups {first} and {second} share words",
                got=", ".join(shared),
                allowed="groups without a word in common",
                remedy="a word of both cannot distinguish the groups: leave it out of one",
            )
    return names


def told_apart(
    given: Input,
) -> tuple[dict[str, tuple[str, ...]], dict[str, str], NDArray[np.bool_]]:
    """Words, targets that are words of a group too with the reason, and which targets are not."""
    names = stimuli_of_groups(given)
    group_of = {word.casefold(): group for group in given.head["groups"] for word in names[group]}
    barred = {
        target: f"it is a word of {group_of[target.casefold()]}"
        for target in names[OF_TARGETS]
        if target.casefold() in group_of
    }
    return names, barred, np.array([name not in barred for name in names[OF_TARGETS]])


def _drawn_weights(
    given: Input, counted: NDArray[np.bool_], resamples: int
) -> tuple[Array, list[Array]]:
    """How often each target, and each word of each group, is drawn: (resamples, words) each."""
    stimuli = stimuli_covered(given.coverage)

    def drawn(name: str, size: int) -> Array:
        if not size:
            return np.zeros((resamples, 0))
        rng = generator_of(given.seed, {name: stimuli[name]}, "resamples")
        return resampled_weights(size, resamples, rng)

    of_targets = np.zeros((resamples, len(counted)))
    of_targets[:, counted] = drawn(OF_TARGETS, int(counted.sum()))
    return of_targets, [drawn(group, len(given.rows[group])) for group in given.head["groups"]]


def relabelled(
    evidence: Evidence,
    how: str,
    draws: int,
    rng: np.random.Generator,
    tested: NDArray[np.bool_],
    precision: float | None = None,
) -> tuple[list[LabelTest | None], LabelDesign | None]:
    """Test for each target, and last for the concept, whether the labels of the words matter."""
    tests: list[LabelTest | None] = [None] * (len(evidence.targets) + 1)
    if how == "off" or evidence.cosines is None:
        return tests, None
    usable = [name not in evidence.barred for name in evidence.targets]
    good = np.array([*usable, np.isfinite(evidence.cosines[-1]).all()]) & tested
    if not good.any():
        return tests, None
    rows, sizes, scale = evidence.cosines[good], evidence.sizes, evidence.magnified
    total, two = relabellings(sizes), len(sizes) == 2
    few = total <= ALWAYS_EXACT or len(rows) <= FEW_TARGETS
    if two and (how == "exact" or (how == "auto" and few)):
        found = _counted(rows, sizes[0], precision, scale)
    elif how == "exact" and total > MOST_LISTED:
        raise SignatureError(
            "divdist: the relabellings of more than two groups are listed one by one",
            got=f"p=exact, {total:,} relabellings",
            allowed=f"up to {MOST_LISTED:,}",
            remedy="take p=sampled",
        )
    else:
        found = _listed_or_drawn(rows, sizes, draws, rng)
        if two and how == "auto" and good[-1]:  # the concept alone is counted quickly
            found[-1:] = _counted(rows[-1:], sizes[0], precision, scale)
    for place, test in zip(np.flatnonzero(good).tolist(), found, strict=True):
        tests[place] = test
    drawn = any(test.method == "sampled" for test in found)
    return tests, LabelDesign(
        statistic=evidence.statistic,
        sizes=sizes,
        total=written(total),
        draws=draws if drawn else None,
        min_p=1 / (draws + 1) if drawn else max(1 / total, SMALLEST),
    )


def _counted(rows: Array, n: int, precision: float | None, scale: float) -> list[LabelTest]:
    """Two-sided tests of the difference of two means, by the permutation engine."""
    size = rows.shape[1]
    total = relabellings((n, size - n))
    if size <= LARGEST and total <= ALWAYS_EXACT:
        counts = permutation_tests(rows, n, scale=scale, precision=precision)[2]
        tails = [Tail.exact(count, total) for count in counts.tolist()]
    else:
        tests = (permutation_test(row, n, scale=scale, precision=precision) for row in rows)
        tails = [test.two_sided for test in tests]
    return [
        LabelTest(p=tail.p, method=tail.method, count=written(tail.count), interval=tail.interval)
        for tail in tails
    ]


def _listed_or_drawn(
    rows: Array, sizes: Sequence[int], draws: int, rng: np.random.Generator
) -> list[LabelTest]:
    """Tests of all rows by the same relabellings, every one or some at random."""
    total, counts = relabellings(sizes), label_tests(rows, sizes, draws=draws, rng=rng).tolist()
    if total <= MOST_LISTED:
        return [LabelTest(p=count / total, method="exact", count=count) for count in counts]
    ends = {count: clopper_pearson(count, draws) for count in set(counts)}
    least = max(1 / total, SMALLEST)
    return [
        LabelTest(
            p=(count + 1) / (draws + 1),
            method="sampled",
            count=count,
            interval=(max(ends[count][0], least), ends[count][1]),
        )
        for count in counts
    ]
