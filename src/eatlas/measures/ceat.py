"""CEAT and its three levels: association tests over draws of contexts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.measures.base import Input, Needs, parameter
from eatlas.measures.contexts import Contexts
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
from eatlas.measures.p_values import of_contexts
from eatlas.measures.three_levels import kept_pairs
from eatlas.notes import Note
from eatlas.results.embedding_tests import CEATResult, ContextDraws
from eatlas.results.levels import Model
from eatlas.results.parts import Coverage
from eatlas.stats.draws import Components
from eatlas.stimuli import ROLES

Array = NDArray[np.float64]


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
        found, draws = drawn_fields(self, self.model, levels, parts, notes, given)
        border = sizes[0] + sizes[1]
        if not self.studentised:
            notes.extend(_unlike(contexts, parts, notes))
        unit = contexts.rows.units(chosen[: first_draws(sizes)])
        cosines = unit[:, :border] @ unit[:, border:].transpose(0, 2, 1)
        table = contexts.table()
        return CEATResult(
            **given.head,
            **found,
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
    for (place, each, first), found in zip(levels, parts, strict=True):
        if place not in unequal:
            yield from of_contexts(found, each, contexts.sizes[first], place)


def _lonely(contexts: Contexts) -> list[Note]:
    """Say which stimuli are the same in every draw."""
    lonely = {
        role: alone
        for role in ROLES
        if (alone := [name for name, n in contexts.counts[role].items() if n == 1])
    }
    return [Note("draws.single-context", values={"stimuli": lonely})] if lonely else []
