"""CEAT and its three levels: association tests over draws of contexts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, get_args

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import CoverageError, StimulusError
from eatlas.measures.base import Input
from eatlas.measures.ceat_levels import (
    Combining,
    DrawnLevel,
    kept,
    levels_of,
    pattern_shares,
)
from eatlas.measures.contexts import Contexts
from eatlas.measures.p_values import remarks, to_record
from eatlas.measures.patterned import PatternMeasure
from eatlas.results.ceat import (
    CEATResult,
    ContextDraws,
    Level2OverDraws,
    Model,
    Replace,
    Variance,
)
from eatlas.results.ml_eat import AttributeScores, Level2, Level3, Scores
from eatlas.results.parts import Cell, Level
from eatlas.sources import CaseRule, VectorSource
from eatlas.stats.judging import Judge
from eatlas.stimuli import ROLES, AssociationTest
from eatlas.stimuli.remarks import of_sentences

Array = NDArray[np.float64]

KEPT = 2_000
"""Draws whose effect sizes a result keeps: a cloud of more is no clearer, and 2,000 are 60 kB."""
CELL_COSINES = 20_000
"""Single cosines behind the standard deviation and the quantiles of a cell of level 3."""
SHARED = (
    "The draws share their stimuli. Q, tau2 and z of the random-effects model take them for "
    "independent, so its p-values mostly measure how many draws were made; the permutation "
    "p-values of levels 1 and 2 do not depend on that."
)
"""A remark on every result."""


@dataclass(frozen=True)
class CEAT(PatternMeasure):
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
    tail : {"directional", "two-sided"}, default "directional"
        Which p-value decides on an association.
    threshold : float, default 0.2
        A level 2 association needs ``|d| > threshold``.
    n : int, default 10,000
        Draws of contexts.
    model : {"dl", "pm", "reml"}, default "dl"
        Estimator of the variance between draws: DerSimonian-Laird, as published, Paule-Mandel, or
        restricted maximum likelihood.
    variance : {"union", "borenstein", "ceat"}, default "union"
        Sampling variance of an effect size in the random-effects model: that of this d, whose
        denominator is the deviation of the union; the textbook's, for the d that divides by the
        pooled deviation; or, as published, the variance of the associations themselves.
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

    n: int = 10_000
    model: Model = "dl"
    variance: Variance = "union"
    replace: Replace = "auto"

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check("n", "a whole number from 2", ok=type(self.n) is int and self.n >= 2)
        for parameter, kind in (("model", Model), ("variance", Variance), ("replace", Replace)):
            allowed = get_args(kind)
            self._check(parameter, " or ".join(allowed), ok=getattr(self, parameter) in allowed)

    def compute(self, given: Input, notes: list[str]) -> CEATResult:
        """Three levels over draws, their pattern, and the patterns of the draws."""
        contexts = given.contexts or Contexts.of(dict(given.rows), given.coverage)
        seed = int(given.rng.integers(2**63))
        chosen = contexts.draw(self.n, self.replace, seed)
        drawn = kernels.draw_associations(contexts.rows, chosen, contexts.sizes)
        levels = levels_of(drawn, contexts.sizes, self.ddof)
        notes.append(SHARED)
        notes.extend(_lonely(contexts))
        level1, x, y = (self._level(one, notes, given.rng) for one in levels)
        level2 = Level2(X=x, Y=y)
        return CEATResult(
            **given.head,
            level1=level1,
            level2=level2,
            level3=_level3(contexts, chosen, drawn.cells),
            pattern=self.pattern(level2),
            scores=_scores(drawn, contexts.sizes),
            draws=self._over_draws(levels, contexts, np.random.default_rng(seed)),
        )

    def _over_draws(
        self, levels: Sequence[DrawnLevel], contexts: Contexts, rng: np.random.Generator
    ) -> ContextDraws:
        """What the draws say together, beside the means of their effect sizes."""
        how = Combining(self.model, self.variance, self.ddof)
        parts = contexts.components()
        over = [how.over_draws(*pair) for pair in zip(levels, parts, strict=True)]
        n_a, n_b = levels[1].n
        two_sided = self.tail == "two-sided"
        judge = Judge(n_a + n_b, n_a, self.alpha, two_sided=two_sided, samples=self.n, rng=rng)
        signs = [
            judge.associations(one.scores, one.effects.d, self.threshold) for one in levels[1:]
        ]
        return ContextDraws(
            count=self.n,
            replace=self.replace,
            model=self.model,
            variance=self.variance,
            contexts=contexts.record(),
            level1=over[0],
            level2=Level2OverDraws(X=over[1], Y=over[2]),
            patterns=pattern_shares(*signs),
            p_error=judge.error,
            kept=kept(np.stack([one.effects.d for one in levels], axis=1), KEPT),
        )

    def _level(self, one: DrawnLevel, notes: list[str], rng: np.random.Generator) -> Level:
        """Find the mean effect over draws and its permutation p-values."""
        found = one.effects
        p = to_record(self._permuted(found.scores, one.n[0], rng, found.scale))
        lost = int((~found.defined).sum())
        if lost:
            notes.append(
                f"Undefined effect size of {one.what} in {lost} of {self.n} draws: their "
                "associations do not differ; they are left out of its mean and of its p-values."
            )
        if lost < self.n:
            notes.extend(remarks(p, one.what, one.n, self.alpha))
        return Level(
            effect_size=None if lost == self.n else found.mean,
            difference=float(found.difference.mean()),
            n=one.n,
            p=p,
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


def _level3(contexts: Contexts, chosen: NDArray[np.int64], cells: Array) -> Level3:
    """Mean cosines over all draws; spread of single cosines in the first of them."""
    n_x, n_y, n_a, n_b = contexts.sizes
    largest = max(n_x, n_y) * max(n_a, n_b)
    unit = contexts.rows.units(chosen[: max(1, CELL_COSINES // largest)])
    targets, attributes = unit[:, : n_x + n_y], unit[:, n_x + n_y :]
    cosines = targets @ attributes.transpose(0, 2, 1)
    parts: dict[str, Any] = {}
    for i, (rows, columns) in enumerate(
        (t, a) for t in (slice(n_x), slice(n_x, None)) for a in (slice(n_a), slice(n_a, None))
    ):
        block = cosines[:, rows, columns]
        parts[("XA", "XB", "YA", "YB")[i]] = Cell(
            mean=float(cells[:, i].mean()),
            sd=float(block.std(ddof=1)),
            n=block.size,
            quantiles=np.quantile(block, [0, 0.25, 0.5, 0.75, 1]).tolist(),
        )
    return Level3(**parts)


def _scores(drawn: kernels.Drawn, sizes: tuple[int, int, int, int]) -> Scores:
    """Mean associations of stimuli over draws."""
    n_x, n_a = sizes[0], sizes[2]
    s, u = drawn.targets.mean(axis=0), drawn.attributes.mean(axis=0)
    with_x, with_y = (
        AttributeScores(A=one[:n_a].tolist(), B=one[n_a:].tolist()) for one in (u[0], u[1])
    )
    return Scores(
        X=s[:n_x].tolist(),
        Y=s[n_x:].tolist(),
        attributes_with_X=with_x,
        attributes_with_Y=with_y,
    )
