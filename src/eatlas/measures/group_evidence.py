"""How strongly targets are associated with k groups, drawn again and relabelled."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import CoverageError, SignatureError
from eatlas.measures.base import Input
from eatlas.measures.p_values import written
from eatlas.measures.rows import Stimuli
from eatlas.measures.seeding import generator_of, stimuli_covered
from eatlas.results.levels import LabelDesign, LabelTest
from eatlas.results.parts import Coverage
from eatlas.stats.inputs import clopper_pearson
from eatlas.stats.permutation import ALWAYS_EXACT, permutation_test, permutation_tests
from eatlas.stats.permutation.batch import LARGEST
from eatlas.stats.permutation.problem import SMALLEST
from eatlas.stats.shares import (
    MOST_LISTED,
    Cosines,
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
    """Cosines of targets with mean vectors of groups (DivDist, section 4.2)."""
    groups: tuple[str, ...] = given.head["groups"]
    names = words_of(given.coverage)
    require_apart(names, groups)
    barred = _in_groups(names, groups)
    rows = {name: _scaled(rows, unit=unit) for name, rows in given.rows.items()}
    targets, of_groups = rows[OF_TARGETS], [rows[group] for group in groups]
    kept = np.array([name not in barred for name in names[OF_TARGETS]])
    unit_targets = kernels.unit_rows(targets)
    centres = [_direction(group) for group in of_groups]
    centre = _direction(targets[kept])
    words = kernels.unit_rows(np.concatenate(of_groups))
    return Evidence(
        targets=tuple(names[OF_TARGETS]),
        associations=np.stack([kernels.associations(unit_targets, one) for one in centres], axis=1),
        concept=np.array([kernels.associations(centre[None], one)[0] for one in centres]),
        barred=barred,
        cosines=np.vstack([unit_targets, centre]) @ words.T,
        sizes=tuple(map(len, of_groups)),
        draw=_drawing(given, targets, of_groups, kept, unit=unit),
    )


def of_labels(given: Input, scale: float) -> Evidence:
    """Shares of groups in a softmax over all their words (Radford et al. 2021, section 3.1.2).

    The concept is the mean of the readings of its targets. Relabelling words leaves every reading
    as it is; in a resample of words all are computed anew.
    """
    groups: tuple[str, ...] = given.head["groups"]
    names = words_of(given.coverage)
    require_apart(names, groups)
    barred = _in_groups(names, groups)
    rows = {name: kernels.unit_rows(rows) for name, rows in given.rows.items()}
    sizes = tuple(len(rows[group]) for group in groups)
    words = np.concatenate([rows[group] for group in groups])
    powers = label_powers(kernels.similarities(rows[OF_TARGETS], words), scale)
    readings = powers / powers.sum(axis=1, keepdims=True)
    kept = np.array([name not in barred for name in names[OF_TARGETS]])
    whole = readings[kept].mean(axis=0) if kept.any() else np.full(len(words), np.nan)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])

    def draw(resamples: int) -> Resampled:
        of_targets, of_groups = _drawn_weights(given, kept, sizes, resamples)
        drawn = powers @ np.concatenate(of_groups, axis=1).T
        parts = [
            powers[:, start : start + size] @ weights.T / drawn
            for start, size, weights in zip(starts, sizes, of_groups, strict=True)
        ]
        found = np.stack(parts, axis=2).swapaxes(0, 1)
        with np.errstate(invalid="ignore"):
            concept = np.einsum("rt,rtk->rk", of_targets, found)
            concept = concept / of_targets.sum(axis=1, keepdims=True)
        return Resampled(found, concept, of_targets)

    return Evidence(
        targets=tuple(names[OF_TARGETS]),
        associations=np.add.reduceat(readings, starts, axis=1),
        concept=np.add.reduceat(whole, starts),
        barred=barred,
        cosines=np.vstack([readings, whole]),
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


def _scaled(rows: Array, *, unit: bool) -> Array:
    """Rows of length 1, or of their own lengths over the greatest, whose squares are in range."""
    if unit:
        return kernels.unit_rows(rows)
    return np.asarray(rows / np.abs(rows).max())


def _direction(rows: Array) -> Array:
    """Unit vector of the mean of some rows; NaN where they cancel out, or there are none."""
    if not len(rows):
        return np.full(rows.shape[1], np.nan)
    mean = kernels.mean_row(rows)
    if np.abs(mean).max() <= 1e-15 * np.abs(rows).max():
        return np.full(len(mean), np.nan)
    unit: Array = kernels.unit_rows(mean[None])[0]
    return unit


def words_of(coverage: Coverage) -> dict[str, tuple[str, ...]]:
    """Used words of each group; of contexts the stimuli that they are of."""
    return {name: group.stimuli for name, group in coverage.items()}


def of_contexts(vectors: Mapping[str, Array], coverage: Coverage) -> dict[str, Array]:
    """Mean vector of each stimulus over its contexts (DivDist, section 4.3)."""
    return {
        name: Stimuli.of_group(coverage.group(name)).mean_rows(rows)
        for name, rows in vectors.items()
    }


def require_apart(names: Mapping[str, Sequence[str]], groups: Sequence[str]) -> None:
    """Refuse groups that share a word, in whatever case."""
    folded = {group: {word.casefold() for word in names[group]} for group in groups}
    for one, other in combinations(groups, 2):
        if shared := sorted(folded[one] & folded[other]):
            raise CoverageError(
                f"the groups {one} and {other} share words",
                got=", ".join(shared),
                allowed="groups without a word in common",
                remedy="a word of both cannot distinguish the groups: leave it out of one",
            )


def _in_groups(names: Mapping[str, Sequence[str]], groups: Sequence[str]) -> dict[str, str]:
    """Targets that are words of a group too."""
    of = {word.casefold(): group for group in groups for word in names[group]}
    return {
        target: f"it is a word of {of[target.casefold()]}"
        for target in names[OF_TARGETS]
        if target.casefold() in of
    }


def _drawing(
    given: Input, targets: Array, groups: Sequence[Array], kept: NDArray[np.bool_], *, unit: bool
) -> Callable[[int], Resampled]:
    """How words, targets and contexts are drawn again."""

    def draw(resamples: int) -> Resampled:
        of_targets, of_groups = _drawn_weights(given, kept, list(map(len, groups)), resamples)
        if given.single is not None:
            return _with_contexts(given, of_targets, of_groups, unit=unit)
        single = Cosines.of(kernels.unit_rows(targets), groups)
        mean = Cosines.of(targets, groups)
        lengths = _lengths(targets, of_targets)
        found = [single.at(j, w) for j, w in enumerate(of_groups)]
        whole = [
            np.einsum("rt,rt->r", of_targets, mean.at(j, w)) / lengths
            for j, w in enumerate(of_groups)
        ]
        return Resampled(np.stack(found, axis=2), np.stack(whole, axis=1), of_targets)

    return draw


def _drawn_weights(
    given: Input, kept: NDArray[np.bool_], sizes: Sequence[int], resamples: int
) -> tuple[Array, list[Array]]:
    """How often each target, and each word of each group, is drawn: (resamples, words) each."""
    known = stimuli_covered(given.coverage)
    weights = {
        name: resampled_weights(
            size, resamples, generator_of(given.seed, {name: known[name]}, "resamples")
        )
        for name, size in zip(
            (OF_TARGETS, *given.head["groups"]), (int(kept.sum()), *sizes), strict=True
        )
        if size
    }
    of_targets = np.zeros((resamples, len(kept)))
    of_targets[:, kept] = weights.pop(OF_TARGETS, np.zeros((resamples, 0)))
    return of_targets, list(weights.values())


def _lengths(rows: Array, weights: Array) -> Array:
    """Length of weighted sums of rows; NaN for 0."""
    sums = weights @ rows
    lengths = np.sqrt(np.einsum("rd,rd->r", sums, sums))
    return np.where(lengths > 0, lengths, np.nan)


def _with_contexts(
    given: Input, of_targets: Array, of_groups: Sequence[Array], *, unit: bool
) -> Resampled:
    """Resamples in which the contexts of each word are drawn again too."""
    names = (OF_TARGETS, *given.head["groups"])
    known = stimuli_covered(given.coverage)
    single = given.single or {}
    parts = {name: Stimuli.of_group(given.coverage.group(name)) for name in names}
    rngs = {
        name: generator_of(given.seed, {name: known[name]}, "resamples of contexts")
        for name in names
    }
    resamples = len(of_targets)
    found = np.empty((resamples, of_targets.shape[1], len(of_groups)))
    whole = np.empty((resamples, len(of_groups)))
    bounds = [*range(0, resamples, TOGETHER), resamples]
    for first, last in pairwise(bounds):
        drawn = {
            name: _drawn_means(single[name], parts[name], last - first, rngs[name])
            for name in names
        }
        if unit:
            drawn = {name: _unit(rows) for name, rows in drawn.items()}
        targets = drawn[OF_TARGETS]
        centre = _unit(np.einsum("rt,rtd->rd", of_targets[first:last], targets))
        for j, (name, weights) in enumerate(zip(names[1:], of_groups, strict=True)):
            mean = _unit(np.einsum("rw,rwd->rd", weights[first:last], drawn[name]))
            found[first:last, :, j] = np.einsum("rtd,rd->rt", _unit(targets), mean)
            whole[first:last, j] = np.einsum("rd,rd->r", centre, mean)
    return Resampled(found, whole, of_targets)


def _drawn_means(rows: Array, parts: Stimuli, resamples: int, rng: np.random.Generator) -> Array:
    """Mean of as many contexts of each stimulus, drawn with replacement: (resamples, words, d)."""
    order = np.argsort(parts.of, kind="stable")
    starts = np.cumsum(parts.sizes) - parts.sizes
    means = np.empty((resamples, len(parts), rows.shape[1]))
    for i, (start, size) in enumerate(zip(starts.tolist(), parts.sizes.tolist(), strict=True)):
        weights = resampled_weights(size, resamples, rng) / size
        means[:, i] = weights @ rows[order[start : start + size]]
    return means


def _unit(rows: Array) -> Array:
    """Rows of length 1 along the last axis; NaN for zero."""
    lengths = np.sqrt(np.einsum("...d,...d->...", rows, rows))[..., None]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(lengths > 0, rows / lengths, np.nan)


@dataclass(frozen=True)
class Relabelled:
    """What relabelling the words of the groups shows."""

    targets: tuple[LabelTest | None, ...]
    concept: LabelTest | None
    design: LabelDesign | None


def relabelled(
    evidence: Evidence,
    how: str,
    draws: int,
    rng: np.random.Generator,
    tested: NDArray[np.bool_],
    precision: float | None = None,
) -> Relabelled:
    """Test for each target, and for the concept, whether the labels of the words matter."""
    known = [name not in evidence.barred for name in evidence.targets]
    if how == "off" or evidence.cosines is None:
        return Relabelled((None,) * len(known), None, None)
    good = np.array([*known, np.isfinite(evidence.cosines[-1]).all()]) & tested
    if not good.any():
        return Relabelled((None,) * len(known), None, None)
    rows, sizes = evidence.cosines[good], evidence.sizes
    total = relabellings(sizes)
    two = len(sizes) == 2
    few = total <= ALWAYS_EXACT or len(rows) <= FEW_TARGETS
    if two and (how == "exact" or (how == "auto" and few)):
        found = _counted(rows, sizes[0], precision, evidence.magnified)
    else:
        _require_listed(how, total)
        found = _listed_or_drawn(rows, sizes, draws, rng)
        if two and how == "auto" and good[-1]:  # the concept alone is counted quickly
            found[-1:] = _counted(rows[-1:], sizes[0], precision, evidence.magnified)
    each = iter(found)
    tests = [next(each) if one else None for one in good]
    drawn = any(one.method == "sampled" for one in found)
    design = LabelDesign(
        statistic=evidence.statistic,
        sizes=sizes,
        total=written(total),
        draws=draws if drawn else None,
        min_p=1 / (draws + 1) if drawn else max(1 / total, SMALLEST),
    )
    return Relabelled(tuple(tests[:-1]), tests[-1], design)


def _require_listed(how: str, total: int) -> None:
    """Refuse to list more relabellings of several groups than can be listed."""
    if how == "exact" and total > MOST_LISTED:
        raise SignatureError(
            "divdist: the relabellings of more than two groups are listed one by one",
            got=f"p=exact, {total:,} relabellings",
            allowed=f"up to {MOST_LISTED:,}",
            remedy="take p=sampled",
        )


def _counted(rows: Array, n: int, precision: float | None, scale: float = 1.0) -> list[LabelTest]:
    """Two-sided tests of the difference of two means, by the permutation engine."""
    size = rows.shape[1]
    if size <= LARGEST and relabellings((n, size - n)) <= ALWAYS_EXACT:
        batch = permutation_tests(rows, n, scale=scale, precision=precision)
        tails = [batch.row(i).two_sided for i in range(len(rows))]
    else:
        tests = (permutation_test(row, n, scale=scale, precision=precision) for row in rows)
        tails = [one.two_sided for one in tests]
    return [
        LabelTest(p=one.p, method=one.method, count=written(one.count), interval=one.interval)
        for one in tails
    ]


def _listed_or_drawn(
    rows: Array, sizes: Sequence[int], draws: int, rng: np.random.Generator
) -> list[LabelTest]:
    """Tests of all rows by the same relabellings, every one or some at random."""
    found = label_tests(rows, sizes, draws=draws, rng=rng)
    if found.draws is None:
        return [
            LabelTest(p=p, method="exact", count=count)
            for p, count in zip(found.p.tolist(), found.count.tolist(), strict=True)
        ]
    intervals = {count: clopper_pearson(count, draws) for count in set(found.count.tolist())}
    least = max(1 / found.total, SMALLEST)
    return [
        LabelTest(
            p=p,
            method="sampled",
            count=count,
            interval=(max(intervals[count][0], least), intervals[count][1]),
        )
        for p, count in zip(found.p.tolist(), found.count.tolist(), strict=True)
    ]
