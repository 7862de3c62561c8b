"""CEAT and its three levels: association tests over samples of contexts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from eatlas.measures.association import PatternMeasure
from eatlas.measures.base import Array, Input, Needs, parameter, whole
from eatlas.measures.draws import (
    SHARED,
    Draws,
    fields_of_draws,
    first_draws,
    level3_of,
    mean_scores,
)
from eatlas.measures.inference import CONFIDENCE, FacetTable, generalise_input
from eatlas.measures.levels import pairs_to_store, sizes, sort_rows
from eatlas.measures.robustness import robustness
from eatlas.measures.units import TestUnits, unit_levels
from eatlas.notes import Note
from eatlas.results.levels import (
    Model,
    Replace,
    SentenceCounts,
    Variance,
)
from eatlas.results.parts import Coverage
from eatlas.stats.effect_size import (
    Components,
    draw_contexts,
    stream,
)
from eatlas.stats.units import find_units
from eatlas.stimuli import ROLES
from eatlas.stimuli.kinds import OPPOSITES
from eatlas_corpora.kernels.context_draws import CompactRows, compact_rows, draw_associations
from eatlas_corpora.results.ceat import CEATResult, ContextDraws
from eatlas_corpora.stats.nested import variance_components

DIAGNOSED = 500
"""Contexts of a group, at most but one of each stimulus at least, among which cosines are looked
at: 1,000 by 1,000 of them take 8 MB."""


@dataclass(frozen=True)
class StimulusContexts:
    """All contexts of a test, and the rows of each stimulus."""

    rows: CompactRows
    """X, Y, A and B in turn, stimuli by name, contexts of a stimulus by their text: so the order in
    which a test lists them changes no sum."""
    counts: Mapping[str, Mapping[str, int]]
    """Contexts of each stimulus, by role, in the order of the rows."""

    @classmethod
    def of(cls, vectors: dict[str, Array], coverage: Coverage) -> StimulusContexts:
        """Arrange the vectors of a test; they are taken out of the mapping, to free memory."""
        counts, parts = {}, []
        for role in ROLES:
            rows = sort_rows(coverage[role])
            counts[role] = dict(Counter(stimulus for stimulus, _, _ in rows))
            parts.append(compact_rows(vectors.pop(role)[[place for _, _, place in rows]]))
        inverse = np.concatenate([part.inverse for part in parts])
        return cls(CompactRows(np.concatenate([part.values for part in parts]), inverse), counts)

    @cached_property
    def sizes(self) -> tuple[int, int, int, int]:
        """Stimuli of X, Y, A and B."""
        return sizes(self.counts)

    @cached_property
    def contexts_per_stimulus(self) -> NDArray[np.int64]:
        """Contexts of each stimulus, shape (stimuli,)."""
        return np.array([n for role in ROLES for n in self.counts[role].values()], np.int64)

    @cached_property
    def starts(self) -> NDArray[np.int64]:
        """First row of each stimulus, shape (stimuli,)."""
        return np.cumsum(self.contexts_per_stimulus) - self.contexts_per_stimulus

    @cached_property
    def means(self) -> Array:
        """Mean unit vector of each stimulus over its contexts, shape (stimuli, d)."""
        parts = zip(self.starts.tolist(), self.contexts_per_stimulus.tolist(), strict=True)
        return np.array(
            [
                self.rows.part(slice(start, start + n)).sum_rows(np.full(n, 1 / n))
                for start, n in parts
            ]
        )

    @property
    def units(self) -> TestUnits:
        """Stimuli whose mean vectors say the same thing twice are one unit."""
        parts = np.split(self.means, np.cumsum(self.sizes)[:-1])
        return TestUnits({role: find_units(p) for role, p in zip(ROLES, parts, strict=True)})

    def draw(self, draws: int, replace: Replace, seed: int) -> NDArray[np.int64]:
        """Row of the context of each stimulus in each sample, shape (draws, stimuli).

        The contexts of a stimulus depend only on the seed, its name and its side: not on the
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
        each, row = self.contexts_per_stimulus, int(self.starts[border])
        s = self.rows.part(slice(row)).project((a - b)[None])[:, 0]
        u = self.rows.part(slice(row, None)).project(np.stack([x, y]))
        return (
            variance_components(s, each[:border], n_x),
            variance_components(u[:, 0], each[border:], n_a),
            variance_components(u[:, 1], each[border:], n_a),
        )


@dataclass(frozen=True)
class CEAT(PatternMeasure):
    """Contextualized Embedding Association Test (Guo and Caliskan 2021), at three levels.

    Each sample takes one context of every stimulus and finds the effect sizes of an ML-EAT. Their
    equally weighted means over all samples are levels 1 and 2, with exact permutation p-values;
    next to them is their combination by a random-effects model: as published, the CES with its z
    and two-sided p, in ``samples.level1.published``; and as `model` and `variance` say, in
    ``samples.level1.combined``.

    Parameters
    ----------
    alpha, ddof, p, draws, strict, statistic, adjust, tail, threshold
        As in :class:`eatlas.MLEAT`.
    n : int, default 10,000
        Samples of contexts.
    model : {"dl", "pm"}, default "dl"
        Estimator of the variance between draws: DerSimonian-Laird, as published, or Paule-Mandel.
    variance : {"common", "ceat"}, default "common"
        Sampling variance of an effect size in the random-effects model: one for all samples, the
        mean of the variances of their d, so that no draw is weighed by its own effect size; or, as
        published, the variance of the associations themselves, which weighs some effects more.
    replace : {"auto", "always"}, default "auto"
        Whether contexts are sampled with replacement: only for stimuli with fewer than `n`, as
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
    >>> result.pattern.label, result.samples.count, result.level1.p.total
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
        """Three levels over draws, their pattern, and the patterns of the samples."""
        contexts = given.contexts or StimulusContexts.of(dict(given.rows), given.coverage)
        sizes, border = contexts.sizes, sum(contexts.sizes[:2])
        chosen = contexts.draw(self.n, self.replace, given.seed)
        drawn = draw_associations(contexts.rows, chosen, sizes)
        notes.append(SHARED)
        lonely = {
            role: alone
            for role in ROLES
            if (alone := [name for name, n in contexts.counts[role].items() if n == 1])
        }
        if lonely:  # the same in every sample
            notes.append(Note("samples.single-context", values={"stimuli": lonely}))
        how_drawn = Draws(self, self.n, self.model, self.variance, self.replace)
        fields, draws = fields_of_draws(
            how_drawn, drawn, sizes, contexts.components(), notes, given
        )
        unit = contexts.rows.units(chosen[: first_draws(sizes)])
        cosines = unit[:, :border] @ unit[:, border:].transpose(0, 2, 1)
        table = np.asarray(contexts.means[:border] @ contexts.means[border:].T)
        units, names = contexts.units, {role: tuple(of) for role, of in contexts.counts.items()}
        pairs, joined = units.average(table), None
        if units.has_clusters:
            joined = unit_levels(self, given, units, names, pairs, level2=True)
        counts = SentenceCounts({role: dict(contexts.counts[role]) for role in ROLES})
        found = {
            **fields,
            "similarities": pairs_to_store(table),
            "scores": mean_scores(drawn.targets.mean(axis=0), drawn.attributes.mean(axis=0), sizes),
            "samples": ContextDraws(**draws, contexts=counts),
            "units": joined,
            "generalisation": generalise_input(
                given, FacetTable(pairs), units, notes, CONFIDENCE, sentences=True, level2=True
            ),
        }
        by_name = np.round(table, 6) if found["similarities"] else None
        found |= robustness(self, given, found, notes, by_name)
        return CEATResult(**given.head | found, level3=level3_of(cosines, drawn.cells, sizes))
