"""CEAT and its three levels: association tests over draws of contexts.

Of draws of any kind (of contexts, or of sentences of pairs) an association of every unit in every
draw is all that is needed, however it was found.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.measures.association import (
    LABELS,
    PatternMeasure,
    of_spread,
    pattern_of,
    pattern_shares,
    remarks,
    to_record,
)
from eatlas.measures.base import Array, Input, Needs, parameter, whole
from eatlas.measures.inference import CONFIDENCE, generalised_input
from eatlas.measures.levels import QUANTILES as QUARTILES
from eatlas.measures.levels import kept_pairs, kept_scores, sizes, sorted_rows
from eatlas.measures.units import TestUnits, unit_levels
from eatlas.notes import Note
from eatlas.results.contextual import CEATResult, ContextDraws
from eatlas.results.levels import (
    CELLS,
    Cell,
    CombinedEffect,
    Label,
    Level,
    Level2,
    Level2OverDraws,
    Level3,
    Model,
    NormalP,
    OverDraws,
    Replace,
    Scores,
    SentenceCounts,
    Variance,
    VarianceShares,
)
from eatlas.results.parts import Coverage
from eatlas.stats.designs import Judge
from eatlas.stats.effect_size import (
    Components,
    DrawEffects,
    draw_contexts,
    draw_effects,
    nested_components,
    random_effects,
    stream,
    union_variance,
)
from eatlas.stats.inputs import relative_tolerance
from eatlas.stats.permutation.problem import normal_tails
from eatlas.stats.units import find_units
from eatlas.stimuli import ROLES
from eatlas.stimuli.kinds import OPPOSITES

Sizes = tuple[int, int, int, int]
"""Units of X, Y, A and B."""

QUANTILES = (0.025, 0.25, 0.5, 0.75, 0.975)
KEPT = 2_000
"""Draws whose effect sizes a result keeps: a cloud of more is no clearer, and 2,000 are 60 kB."""
DIGITS = {label: str(place) for place, label in enumerate(get_args(Label))}
"""Of each EAT pattern."""
CELL_SINGLES = 20_000
"""Single associations behind the standard deviation and the quantiles of a cell of level 3."""
SHARED = Note("draws.shared")
"""A note on every result."""
DIAGNOSED = 500
"""Contexts of a group, at most but one of each stimulus at least, among which cosines are looked
at: 1,000 by 1,000 of them take 8 MB."""


@dataclass(frozen=True)
class StimulusContexts:
    """All contexts of a test, and which rows are those of which stimulus."""

    rows: kernels.CompactRows
    """X, Y, A and B in turn, stimuli by name, contexts of a stimulus by their text: so the order in
    which a test lists them changes no sum."""
    counts: Mapping[str, Mapping[str, int]]
    """Contexts of each stimulus, by role, in the order of the rows."""

    @classmethod
    def of(cls, vectors: dict[str, Array], coverage: Coverage) -> StimulusContexts:
        """Arrange the vectors of a test; they are taken out of the mapping, to free memory."""
        counts, parts = {}, []
        for role in ROLES:
            rows = sorted_rows(coverage[role])
            counts[role] = dict(Counter(stimulus for stimulus, _, _ in rows))
            parts.append(kernels.compact_rows(vectors.pop(role)[[place for _, _, place in rows]]))
        inverse = np.concatenate([part.inverse for part in parts])
        return cls(
            kernels.CompactRows(np.concatenate([part.values for part in parts]), inverse), counts
        )

    @cached_property
    def sizes(self) -> tuple[int, int, int, int]:
        """Stimuli of X, Y, A and B."""
        return sizes(self.counts)

    @cached_property
    def each(self) -> NDArray[np.int64]:
        """Contexts of each stimulus, shape (stimuli,)."""
        return np.array([n for role in ROLES for n in self.counts[role].values()], np.int64)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """First row of each stimulus, shape (stimuli,)."""
        return np.cumsum(self.each) - self.each

    @cached_property
    def means(self) -> Array:
        """Mean unit vector of each stimulus over its contexts, shape (stimuli, d)."""
        parts = zip(self.starts.tolist(), self.each.tolist(), strict=True)
        return np.array(
            [
                self.rows.part(slice(start, start + n)).weighted_sum(np.full(n, 1 / n))
                for start, n in parts
            ]
        )

    @property
    def units(self) -> TestUnits:
        """Stimuli whose mean vectors say the same thing twice are one unit."""
        parts = np.split(self.means, np.cumsum(self.sizes)[:-1])
        return TestUnits({role: find_units(p) for role, p in zip(ROLES, parts, strict=True)})

    def draw(self, draws: int, replace: Replace, seed: int) -> NDArray[np.int64]:
        """Row of the context of each stimulus in each draw, shape (draws, stimuli).

        The contexts of a stimulus depend on the seed, its name and its side alone: not on the
        order of terms, nor on the other stimuli.
        """
        chosen = [
            draw_contexts(count, draws, stream(seed, f"{''.join(side)} {name}"), replace)
            for side in OPPOSITES
            for role in side
            for name, count in self.counts[role].items()
        ]
        return self.starts + np.stack(chosen, axis=1)

    def some(self) -> dict[str, Array]:
        """Unit vectors of some contexts of every stimulus, spread evenly, by role."""
        places, starts = dict[str, list[NDArray[np.intp]]](), iter(self.starts.tolist())
        for role in ROLES:
            most = max(1, DIAGNOSED // len(self.counts[role]))
            places[role] = [
                next(starts) + np.unique(np.linspace(0, count - 1, most).astype(np.intp))
                for count in self.counts[role].values()
            ]
        return {role: self.rows.units(np.concatenate(parts)) for role, parts in places.items()}

    def components(self) -> tuple[Components, Components, Components]:
        """Variance of associations over all contexts: level 1, level 2 of X, level 2 of Y.

        A context is scored against the means of the other side over all contexts, each of its
        stimuli counting alike.
        """
        n_x, n_y, n_a, _ = self.sizes
        border = n_x + n_y
        groups = np.split(self.means, [n_x, border, border + n_a])
        x, y, a, b = (group.mean(axis=0) for group in groups)
        each, row = self.each, int(self.starts[border])
        s = self.rows.part(slice(row)).along((a - b)[None])[:, 0]
        u = self.rows.part(slice(row, None)).along(np.stack([x, y]))
        return (
            nested_components(s, each[:border], n_x),
            nested_components(u[:, 0], each[border:], n_a),
            nested_components(u[:, 1], each[border:], n_a),
        )


@dataclass(frozen=True)
class CEAT(PatternMeasure):
    """Contextualized Embedding Association Test (Guo and Caliskan 2021), at three levels.

    Each draw takes one context of every stimulus and finds the effect sizes of an ML-EAT. Their
    equally weighted means over all draws are levels 1 and 2, with exact permutation p-values;
    beside them is their combination by a random-effects model: as published, the CES with its z
    and two-sided p, in ``draws.level1.published``; and as `model` and `variance` say, in
    ``draws.level1.combined``.

    Parameters
    ----------
    alpha, ddof, p, draws, strict, statistic, adjust, tail, threshold
        As in :class:`eatlas.MLEAT`.
    n : int, default 10,000
        Draws of contexts.
    model : {"dl", "pm"}, default "dl"
        Estimator of the variance between draws: DerSimonian-Laird, as published, or Paule-Mandel.
    variance : {"common", "ceat"}, default "common"
        Sampling variance of an effect size in the random-effects model: one for all draws, the mean
        of those of their d, so that no draw is weighed by its own effect size; or, as published,
        the variance of the associations themselves, which weighs some effects more.
    replace : {"auto", "always"}, default "auto"
        Whether contexts are drawn with replacement: only for stimuli with fewer than `n`, as
        published; or always, as in the published code.

    Examples
    --------
    >>> import eatlas
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> def said(name, words):
    ...     texts = [(f"{how} {one}", one) for one in words.split() for how in ("a", "my", "the")]
    ...     sentences = [{"text": text, "stimulus": one} for text, one in texts]
    ...     return eatlas.Concept(name=name, sentences=sentences)
    >>> test = eatlas.AssociationTest(
    ...     id="said",
    ...     X=said("Flowers", "rose tulip lily iris"),
    ...     Y=said("Insects", "wasp flea moth gnat"),
    ...     A=said("Pleasant", "joy love peace luck"),
    ...     B=said("Unpleasant", "war pain filth grief"),
    ... )
    >>> vectors = {text: rng.normal(size=50) for text in test.terms}  # of noise
    >>> result = eatlas.CEAT(n=1000)(test, vectors)
    >>> result.pattern.label, result.draws.count, result.level1.p.total
    ('Non-Directional', 1000, 70)
    """

    name: ClassVar[str] = "ceat"
    minimum: ClassVar[Mapping[str, int]] = dict.fromkeys(ROLES, 2)

    _: KW_ONLY
    n: int = parameter(10_000, whole(2))
    model: Model = parameter("dl", Model)
    variance: Variance = parameter("common", Variance)
    replace: Replace = parameter("auto", Replace)

    @property
    def needs(self) -> Needs:
        """Contexts of every stimulus."""
        return Needs(contexts="required", by_stimulus=True, ranks="ranks")

    def arranged(
        self,
        vectors: dict[str, Array],
        coverage: Coverage,
        words: Mapping[str, Array],  # noqa: ARG002  (there are none)
    ) -> dict[str, Any]:
        """All contexts by stimulus, and some of them to look at."""
        contexts = StimulusContexts.of(vectors, coverage)
        return {"rows": contexts.some(), "contexts": contexts}

    def compute(self, given: Input, notes: list[Note]) -> CEATResult:
        """Three levels over draws, their pattern, and the patterns of the draws."""
        contexts = given.contexts or StimulusContexts.of(dict(given.rows), given.coverage)
        sizes, border = contexts.sizes, sum(contexts.sizes[:2])
        chosen = contexts.draw(self.n, self.replace, given.seed)
        drawn = kernels.draw_associations(contexts.rows, chosen, sizes)
        notes.append(SHARED)
        lonely = {
            role: alone
            for role in ROLES
            if (alone := [name for name, n in contexts.counts[role].items() if n == 1])
        }
        if lonely:  # the same in every draw
            notes.append(Note("draws.single-context", values={"stimuli": lonely}))
        how_drawn = Draws(self, self.n, self.model, self.variance, self.replace)
        fields, draws = drawn_fields(how_drawn, drawn, sizes, contexts.components(), notes, given)
        unit = contexts.rows.units(chosen[: first_draws(sizes)])
        cosines = unit[:, :border] @ unit[:, border:].transpose(0, 2, 1)
        table = np.asarray(contexts.means[:border] @ contexts.means[border:].T)
        units, names = contexts.units, {role: tuple(of) for role, of in contexts.counts.items()}
        pairs, joined = units.average(table), None
        if units.joined:
            joined = unit_levels(self, given, units, names, pairs, level2=True)
        counts = SentenceCounts({role: dict(contexts.counts[role]) for role in ROLES})
        return CEATResult(
            **given.head,
            **fields,
            level3=level3_of(cosines, drawn.cells, sizes),
            scores=mean_scores(drawn.targets.mean(axis=0), drawn.attributes.mean(axis=0), sizes),
            similarities=kept_pairs(table),
            draws=ContextDraws(**draws, contexts=counts),
            units=joined,
            generalisation=generalised_input(
                given, pairs, units, notes, CONFIDENCE, sentences=True, level2=True
            ),
        )


@dataclass(frozen=True)
class Draws:
    """How draws are made and combined, and the measure of each."""

    measure: PatternMeasure
    n: int
    estimator: Model
    """Of the variance between draws."""
    variance: Variance
    replace: Replace


def over_draws(
    draws: Draws,
    place: str,
    scores: Array,
    n: tuple[int, int],
    parts: Components | None,
    notes: list[Note],
    given: Input,
) -> tuple[Level, OverDraws, Array]:
    """One effect size over draws: its mean with p-values, what is kept of the draws, and each d.

    `scores` are the associations of its units in every draw, `n` the units of its two groups, and
    `parts` where the variance of the associations lies; None for fewer than three units.
    """
    magnitude, precision = given.magnitude, given.precision
    effects = draw_effects(
        scores, n[0], ddof=draws.measure.ddof, scale=magnitude, precision=precision
    )
    given.drawn[place] = effects
    d = effects.d[effects.defined]
    p = to_record(draws.measure.permuted(effects.scores, n[0], given, effects.scale))
    lost = effects.d.size - d.size
    if lost:
        notes.append(Note("undefined.draws", place, {"count": lost, "of": effects.d.size}))
    if d.size:
        notes.extend(remarks(p, place, n, draws.measure.alpha))
        if draws.measure.statistic == "difference":
            notes.extend(of_spread(effects.scores[: n[0]], effects.scores[n[0] :], place))
    level = Level(
        effect_size=effects.mean if d.size else None,
        difference=float(effects.difference.mean()),
        n=n,
        p=p,
    )
    over = OverDraws(
        undefined=lost,
        sd=float(d.std(ddof=1)) if d.size > 1 else None,
        quantiles=np.quantile(d, QUANTILES).tolist() if d.size else None,
        combined=combined(draws, effects, n),
        published=combined(replace(draws, estimator="dl", variance="ceat"), effects, n),
        shares=parts and shares(parts, magnitude, precision),
    )
    return level, over, effects.d


def combined(draws: Draws, effects: DrawEffects, n: tuple[int, int]) -> CombinedEffect | None:
    """Combine the draws that have a variance; None for fewer than two, and of two units.

    By default one variance serves all draws: one that is a function of a draw's own d would weigh
    large effects more, and the combined effect would exceed their mean.
    """
    d, sd = effects.d[effects.defined], effects.sd[effects.defined]
    if sum(n) < 3 or not d.size:
        return None
    v = np.asarray(sd**2)
    if draws.variance == "common":
        v = np.full(d.shape, union_variance(d, *n, ddof=draws.measure.ddof).mean())
    # without any spread within groups a draw has no sampling error that could be weighed
    weighed = v > 0
    if weighed.sum() < 2:
        return None
    pooled = random_effects(d[weighed], v[weighed], method=draws.estimator)
    z = pooled["effect_size"] / pooled["se"]
    greater, less, two_sided = normal_tails(z)
    p = NormalP(greater=greater, less=less, two_sided=two_sided)
    return CombinedEffect(draws=int(weighed.sum()), z=z, p=p, **pooled)


def shares(
    parts: Components, magnitude: float = 1.0, precision: float | None = None
) -> VarianceShares | None:
    """Shares of the variance components; None where there is no variance."""
    between_scores, units, groups = parts
    within = None if math.isnan(between_scores) else between_scores
    whole = (within or 0.0) + units + groups
    # rounding makes no variance
    if whole <= (relative_tolerance(precision) * magnitude) ** 2:
        return None
    return VarianceShares(
        variance=whole,
        contexts=None if within is None else within / whole,
        stimuli=units / whole,
        groups=groups / whole,
    )


def drawn_fields(
    draws: Draws,
    drawn: kernels.Drawn,
    sizes: Sizes,
    parts: Sequence[Components | None],
    notes: list[Note],
    given: Input,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Fields of a result that has draws, and those of its draws.

    `parts` say where the variance of level 1, level 2 of X and level 2 of Y lies.
    """
    of_attributes = drawn.attributes[:, 0], drawn.attributes[:, 1]
    columns = {"level1": drawn.targets, "level2.X": of_attributes[0], "level2.Y": of_attributes[1]}
    groups = sizes[:2], sizes[2:], sizes[2:]
    (level1, of_1, d), (x, of_x, d_x), (y, of_y, d_y) = (
        over_draws(draws, place, scores, n, part, notes, given)
        for (place, scores), n, part in zip(columns.items(), groups, parts, strict=True)
    )
    # the seed of the run, so that another alpha, estimator or source sees the same draws
    rule, rng = draws.measure.rule, np.random.default_rng(given.seed)
    (n_a, n_b), two_sided = sizes[2:], rule.tail == "two-sided"
    judge = Judge(n_a + n_b, n_a, rule.alpha, two_sided=two_sided, samples=draws.n, rng=rng)
    how = rule.threshold, given.magnitude, given.precision
    signs = [
        judge.associations(scores, effects, *how)
        for scores, effects in zip(of_attributes, (d_x, d_y), strict=True)
    ]
    first = zip(*(some[:KEPT].tolist() for some in signs), strict=True)
    rows = np.round(np.stack([d, d_x, d_y], axis=1)[:KEPT], 4).tolist()
    level2 = Level2(X=x, Y=y)
    about = {
        "count": draws.n,
        "replace": draws.replace,
        "model": draws.estimator,
        "variance": draws.variance,
        "level1": of_1,
        "level2": Level2OverDraws(X=of_x, Y=of_y),
        "patterns": pattern_shares(*signs),
        "p_error": judge.error,
        "kept_patterns": "".join(DIGITS[LABELS[pair]] for pair in first),
        "kept": [[None if math.isnan(value) else value for value in row] for row in rows],
    }
    return {"level1": level1, "level2": level2, "pattern": pattern_of(level2, rule)}, about


def first_draws(sizes: Sizes) -> int:
    """How many draws have their single associations looked at, for level 3."""
    return max(1, CELL_SINGLES // (max(sizes[:2]) * max(sizes[2:])))


def level3_of(singles: Array, cells: Array, sizes: Sizes) -> Level3:
    """Mean associations over all draws; spread of single ones in the first of them."""
    x, _, a, _ = sizes
    parts: dict[str, Cell] = {}
    for i, name in enumerate(CELLS):
        targets = slice(x) if name[0] == "X" else slice(x, None)
        attributes = slice(a) if name[1] == "A" else slice(a, None)
        block = singles[:, targets, attributes]
        parts[name] = Cell(
            mean=float(cells[:, i].mean()),
            sd=float(block.std(ddof=1)),
            n=block.size,
            quantiles=np.quantile(block, QUARTILES).tolist(),
        )
    return Level3(**parts)


def mean_scores(s: Array, u: Array, sizes: Sizes) -> Scores:
    """Mean associations of units over draws: of targets, and of attributes with X and with Y."""
    x, _, a, _ = sizes
    of_targets = {
        f"level2.{target}": (row[:a], row[a:]) for target, row in zip("XY", u, strict=True)
    }
    return kept_scores({"level1": (s[:x], s[x:]), **of_targets})
