"""CEAT and its three levels: association tests over draws of contexts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.measures.base import Input, Needs, parameter
from eatlas.measures.draws import (
    SHARED,
    DrawnMeasure,
    drawn_fields,
    first_draws,
    level3_of,
    levels_of,
    mean_scores,
)
from eatlas.measures.inference import generalised
from eatlas.measures.level_tests import kept_pairs
from eatlas.measures.p_values import of_contexts
from eatlas.measures.rows import sizes, sorted_rows
from eatlas.notes import Note
from eatlas.results.embedding_tests import CEATResult, ContextDraws
from eatlas.results.levels import Model, Replace, SentenceCounts
from eatlas.results.parts import Coverage
from eatlas.stats.draws import Components, draw_contexts, nested_components, stream
from eatlas.stimuli import ROLES
from eatlas.stimuli.kinds import OPPOSITES

Array = NDArray[np.float64]


DIAGNOSED = 500
"""Contexts of a group, at most but one of each stimulus at least, among which cosines are looked
at: 1,000 by 1,000 of them take 8 MB."""


@dataclass(frozen=True)
class Contexts:
    """All contexts of a test, and which rows are those of which stimulus."""

    rows: kernels.CompactRows
    """X, Y, A and B in turn, stimuli by name, contexts of a stimulus by their text: so the order in
    which a test lists them changes no sum."""
    counts: Mapping[str, Mapping[str, int]]
    """Contexts of each stimulus, by role, in the order of the rows."""

    @classmethod
    def of(cls, vectors: dict[str, Array], coverage: Coverage) -> Contexts:
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

    @property
    def sizes(self) -> tuple[int, int, int, int]:
        """Stimuli of X, Y, A and B."""
        return sizes(self.counts)

    @property
    def each(self) -> NDArray[np.int64]:
        """Contexts of each stimulus, shape (stimuli,)."""
        return np.array([n for role in ROLES for n in self.counts[role].values()], np.int64)

    @property
    def starts(self) -> NDArray[np.int64]:
        """First row of each stimulus, shape (stimuli,)."""
        return np.cumsum(self.each) - self.each

    def draw(self, draws: int, replace: Replace, seed: int) -> NDArray[np.int64]:
        """Row of the context of each stimulus in each draw, shape (draws, stimuli).

        The contexts of a stimulus depend on the seed, its name and its side alone: not on the
        order of terms, nor on the other stimuli.
        """
        streams = [
            stream(seed, f"{''.join(side)} {name}")
            for side in OPPOSITES
            for role in side
            for name in self.counts[role]
        ]
        return self.starts + draw_contexts(self.each.tolist(), draws, streams, replace=replace)

    def some(self) -> dict[str, Array]:
        """Unit vectors of some contexts of every stimulus, spread evenly, by role."""
        rows, first = {}, 0
        for role in ROLES:
            counts = list(self.counts[role].values())
            most = max(1, DIAGNOSED // len(counts))
            places = []
            for count in counts:
                places.append(first + np.unique(np.linspace(0, count - 1, most).astype(np.intp)))
                first += count
            rows[role] = self.rows.units(np.concatenate(places))
        return rows

    def components(self) -> tuple[Components, Components, Components]:
        """Variance of associations over all contexts: level 1, level 2 of X, level 2 of Y.

        A context is scored against the means of the other side over all contexts, each of its
        stimuli counting alike.
        """
        x, y, a, b = self._centres()
        border = self.sizes[0] + self.sizes[1]
        sizes, row = self.each, int(self.starts[border])
        targets, attributes = self.rows.part(slice(row)), self.rows.part(slice(row, None))
        s = targets.along((a - b)[None])[:, 0]
        u = attributes.along(np.stack([x, y]))
        return (
            nested_components(s, sizes[:border], self.sizes[0]),
            nested_components(u[:, 0], sizes[border:], self.sizes[2]),
            nested_components(u[:, 1], sizes[border:], self.sizes[2]),
        )

    def table(self) -> Array:
        """Mean cosine of each target stimulus with each attribute stimulus, over all contexts."""
        ends = (self.starts + self.each).tolist()
        means = np.array(
            [
                self.rows.part(slice(first, end)).weighted_sum(
                    np.full(end - first, 1 / (end - first))
                )
                for first, end in zip(self.starts.tolist(), ends, strict=True)
            ]
        )
        border = self.sizes[0] + self.sizes[1]
        return np.asarray(means[:border] @ means[border:].T)

    def _centres(self) -> list[Array]:
        """Mean unit vector of each group, over stimuli and their contexts."""
        centres, first = [], 0
        for role in ROLES:
            sizes = np.array(list(self.counts[role].values()))
            part = self.rows.part(slice(first, first + int(sizes.sum())))
            centres.append(part.weighted_sum(np.repeat(1 / (sizes * len(sizes)), sizes)))
            first += int(sizes.sum())
        return centres

    def record(self) -> SentenceCounts:
        """How many contexts each stimulus has, as a result keeps it."""
        return SentenceCounts({role: dict(self.counts[role]) for role in ROLES})


@dataclass(frozen=True)
class CEAT(DrawnMeasure):
    """Contextualized Embedding Association Test (Guo and Caliskan 2021), at three levels.

    Each draw takes one context of every stimulus and finds the effect sizes of an ML-EAT. Their
    equally weighted means over all draws are levels 1 and 2, with exact permutation p-values;
    beside them is their combination by a random-effects model, as published.

    Parameters
    ----------
    alpha, ddof, p, draws, strict, statistic, tail, threshold
        As in :class:`eatlas.MLEAT`.
    n : int, default 10,000
        Draws of contexts.
    model : {"dl", "pm", "reml"}, default "dl"
        Estimator of the variance between draws: DerSimonian-Laird, as published, Paule-Mandel, or
        restricted maximum likelihood.
    variance : {"common", "union", "borenstein", "ceat"}, default "common"
        Sampling variance of an effect size in the random-effects model: one for all draws, the mean
        of ``union``, so that no draw is weighed by its own effect size; that of each draw's d,
        whose denominator is the deviation of the union; the textbook's, for the d that divides by
        the pooled deviation; or, as published, the variance of the associations themselves. All
        but the first give larger weights to larger, or to smaller, effects.
    replace : {"auto", "always"}, default "auto"
        Whether contexts are drawn with replacement: only for stimuli with fewer than `n`, as
        published; or always, as in the published code.

    Raises
    ------
    SignatureError
        If a parameter has no such value.

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
    model: Model = parameter("dl", Model)

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
        contexts = Contexts.of(vectors, coverage)
        return {"rows": contexts.some(), "contexts": contexts}

    def compute(self, given: Input, notes: list[Note]) -> CEATResult:
        """Three levels over draws, their pattern, and the patterns of the draws."""
        contexts = given.contexts or Contexts.of(dict(given.rows), given.coverage)
        sizes = contexts.sizes
        chosen = contexts.draw(self.n, self.replace, given.seed)
        drawn = kernels.draw_associations(contexts.rows, chosen, sizes)
        notes.append(SHARED)
        notes.extend(_lonely(contexts))
        levels, parts = levels_of(drawn, sizes, self.ddof, given), contexts.components()
        combined_levels, draws = drawn_fields(self, self.model, levels, parts, notes, given)
        border = sizes[0] + sizes[1]
        if not self.studentised:
            notes.extend(_unlike(contexts, parts, notes))
        unit = contexts.rows.units(chosen[: first_draws(sizes)])
        cosines = unit[:, :border] @ unit[:, border:].transpose(0, 2, 1)
        table = contexts.table()
        return CEATResult(
            **given.head,
            **combined_levels,
            level3=level3_of(cosines, drawn.cells, sizes),
            scores=mean_scores(drawn.targets.mean(axis=0), drawn.attributes.mean(axis=0), sizes),
            similarities=kept_pairs(table),
            draws=ContextDraws(**draws, contexts=contexts.record()),
            generalisation=generalised(
                table,
                sizes,
                notes=notes,
                unit="stimulus",
                precision=given.precision,
            ),
        )


def _unlike(
    contexts: Contexts, parts: Sequence[Components], said: Sequence[Note]
) -> Iterator[Note]:
    """Levels whose groups differ in size and in contexts for each stimulus, if not yet said."""
    border = contexts.sizes[0] + contexts.sizes[1]
    targets, attributes = contexts.each[:border], contexts.each[border:]
    levels = (
        ("level1", targets, 0),
        ("level2.X", attributes, 2),
        ("level2.Y", attributes, 2),
    )
    unequal = {note.place for note in said if note.code == "p.unequal-spread"}
    for (place, each, first), part in zip(levels, parts, strict=True):
        if place not in unequal:
            yield from of_contexts(part, each, contexts.sizes[first], place)


def _lonely(contexts: Contexts) -> list[Note]:
    """Say which stimuli are the same in every draw."""
    lonely = {
        role: alone
        for role in ROLES
        if (alone := [name for name, n in contexts.counts[role].items() if n == 1])
    }
    return [Note("draws.single-context", values={"stimuli": lonely})] if lonely else []
