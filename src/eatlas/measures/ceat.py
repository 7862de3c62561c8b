"""CEAT and its three levels: association tests over draws of contexts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from eatlas import kernels
from eatlas.errors import CoverageError, StimulusError
from eatlas.measures.base import Input
from eatlas.measures.contexts import Contexts
from eatlas.measures.drawn import SHARED, DrawnMeasure, first_draws, level3_of, mean_scores
from eatlas.measures.drawn_levels import levels_of
from eatlas.measures.inference import CONFIDENCE, generalised
from eatlas.measures.p_values import of_contexts
from eatlas.results.ceat import CEATResult, ContextDraws
from eatlas.results.draws import Model
from eatlas.sources import CaseRule, VectorSource
from eatlas.stats.draws import Components
from eatlas.stimuli import ROLES, AssociationTest
from eatlas.stimuli.remarks import of_sentences


@dataclass(frozen=True)
class CEAT(DrawnMeasure):
    """Contextualized Embedding Association Test (Guo and Caliskan 2021), at three levels.

    Each draw takes one context of every stimulus and finds the effect sizes of an ML-EAT. Their
    equally weighted means over all draws stand as levels 1 and 2, with exact permutation p-values;
    beside them stands their combination by a random-effects model, as published.

    Parameters
    ----------
    alpha : float, default 0.05
        A level 2 association needs p < alpha.
    ddof : {1, 0}, default 1
        Denominator of the standard deviation in effect sizes: N - ddof.
    p : {"auto", "exact", "inversion", "bracket", "sampled", "importance", "normal"}
        How permutation p-values are found; default "auto".
    draws : int, default 100,000
        Random relabellings, where `p` is "sampled" or "importance".
    strict : bool, default False
        Count only relabellings beyond the observed statistic, without ties.
    statistic : {"difference", "studentised"}, default "difference"
        What is relabelled: the difference of means, or that over its standard error, which allows
        for groups that differ in size and in spread; its p-values are counted up to 1,000,000
        relabellings and drawn beyond.
    tail : {"directional", "two-sided"}, default "directional"
        Which p-value decides on an association.
    threshold : float, default 0.2
        A level 2 association needs ``|d| > threshold``.
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
    minimum: ClassVar[Mapping[str, int]] = {"X": 2, "Y": 2, "A": 2, "B": 2}

    model: Model = field(default="dl", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_choice("model", Model)

    @property
    def between(self) -> Model:
        """Estimator of the variance between draws."""
        return self.model

    def compute(self, given: Input, notes: list[str]) -> CEATResult:
        """Three levels over draws, their pattern, and the patterns of the draws."""
        contexts = given.contexts or Contexts.of(dict(given.rows), given.coverage)
        seed, sizes = given.head["provenance"].seed, contexts.sizes
        chosen = contexts.draw(self.n, self.replace, seed)
        drawn = kernels.draw_associations(contexts.rows, chosen, sizes)
        notes.append(SHARED)
        notes.extend(_lonely(contexts))
        levels = levels_of(drawn, sizes, self.ddof, precision=given.precision)
        parts = contexts.components()
        found, draws = self.drawn_result(levels, parts, notes, given.rng, seed)
        border = sizes[0] + sizes[1]
        if not self.studentised:
            notes.extend(_unlike(contexts, parts, notes))
        unit = contexts.rows.units(chosen[: first_draws(sizes)])
        cosines = unit[:, :border] @ unit[:, border:].transpose(0, 2, 1)
        return CEATResult(
            **given.head,
            **found,
            level3=level3_of(cosines, drawn.cells, sizes),
            scores=mean_scores(drawn.targets.mean(axis=0), drawn.attributes.mean(axis=0), sizes),
            draws=ContextDraws(**draws, contexts=contexts.record()),
            generalisation=generalised(
                contexts.table(),
                sizes,
                confidence=CONFIDENCE,
                notes=notes,
                unit="stimulus",
                precision=given.precision,
            ),
        )

    def _embed(
        self,
        test: AssociationTest,
        source: VectorSource,
        case: CaseRule,
        seed: int,
        rng: np.random.Generator,
    ) -> Input:
        _require_sentences(test)
        embedded, head = self._looked_up(test, source, case, seed)
        coverage, vectors = embedded.coverage, dict(embedded.vectors)
        sentences = set(of_sentences(test))  # what they say of p-values holds for other measures
        notes = tuple(note for note in embedded.notes if note not in sentences)
        del embedded  # its vectors are let go group by group
        self._require_stimuli(test, {r: coverage.group(r).stimuli for r in ROLES}, source.name)
        contexts = Contexts.of(vectors, coverage)
        return Input(contexts.some(), coverage, notes, head, rng, contexts=contexts)

    def _require_stimuli(
        self, test: AssociationTest, stimuli: Mapping[str, tuple[str, ...]], source: str
    ) -> None:
        for role, names in stimuli.items():
            if len(names) < self.minimum[role]:
                raise CoverageError(
                    f"test {test.id}, group {role} ({test.concept(role).name}): all contexts with "
                    f"a vector in {source} are those of one stimulus",
                    got=repr(names[0]),
                    allowed=f"{self.minimum[role]} stimuli or more: their labels are permuted",
                    remedy="add stimuli, or contexts of those that have none",
                )


def _unlike(contexts: Contexts, parts: Sequence[Components], said: Sequence[str]) -> Iterator[str]:
    """Levels whose groups differ in size and in contexts for each stimulus, if not yet said."""
    border = contexts.sizes[0] + contexts.sizes[1]
    targets, attributes = contexts.each[:border], contexts.each[border:]
    levels = (
        ("level 1", targets, 0),
        ("level 2 of X", attributes, 2),
        ("level 2 of Y", attributes, 2),
    )
    for (what, each, place), found in zip(levels, parts, strict=True):
        if not any(note.startswith(f"The groups of {what} differ in size") for note in said):
            yield from of_contexts(found, each, contexts.sizes[place], what)


def _require_sentences(test: AssociationTest) -> None:
    """Say what to do with a test of words."""
    words = [role for role in ROLES if not test.concept(role).sentences]
    if words:
        terms = test.concept(words[0]).terms
        raise StimulusError(
            f"the measure ceat takes contexts, and test {test.id} has words",
            got=f"{words[0]}: {', '.join(terms[:3])}{', ...' if len(terms) > 3 else ''}",
            allowed="tests whose stimuli stand in sentences",
            remedy="take a battery of sentences, such as --tests sent-caliskan, or give contexts "
            "of these words by --contexts FILE",
        )


def _lonely(contexts: Contexts) -> list[str]:
    """Say which stimuli are the same in every draw."""
    lonely = [
        f"{role}: {', '.join(alone)}"
        for role in ROLES
        if (alone := [name for name, n in contexts.counts[role].items() if n == 1])
    ]
    if not lonely:
        return []
    return [f"Stimuli with one context alone, the same in every draw: {'; '.join(lonely)}."]
