"""LPBS within CEAT: log-probability bias scores over draws of sentences."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar, cast

import numpy as np
from numpy.typing import NDArray

from eatlas.kernels import draw_pairs
from eatlas.measures.base import Input
from eatlas.measures.drawn import SHARED, DrawnMeasure, first_draws, level3_of, mean_scores
from eatlas.measures.drawn_levels import DrawnLevel, levels_of
from eatlas.measures.inference import CONFIDENCE, generalised
from eatlas.measures.level3 import kept_pairs
from eatlas.measures.log_ratio_measure import LogRatioMeasure
from eatlas.measures.log_ratios import Ratios
from eatlas.measures.pair_sentences import PairSentences
from eatlas.results.draws import Model
from eatlas.results.lpbs_ceat import LPBSCEATResult, SentenceDraws


@dataclass(frozen=True)
class LPBSCEAT(DrawnMeasure, LogRatioMeasure):
    """Log-probability bias scores over draws of sentences (Husse and Spitz 2022, section 3.4).

    Each draw takes one sentence for every pair of a target x and an attribute a: one of the
    templates, or one of the sentences of a corpus that hold both. The log-probability ratio M(x, a)
    of that sentence, in nats, fills the matrix of the draw; from it come levels 1 and 2 and the
    published effect size over attributes, as in :class:`eatlas.LPBS`. Their equally weighted means
    over all draws have exact permutation p-values; beside them stands their combination by a
    random-effects model, as in :class:`eatlas.CEAT`.

    Parameters
    ----------
    alpha, ddof, p, draws, strict, statistic, tail, threshold
        As in :class:`eatlas.CEAT`.
    n : int, default 10,000
        Draws of sentences.
    tau2 : {"dl", "pm", "reml"}, default "dl"
        Estimator of the variance between draws: DerSimonian-Laird, Paule-Mandel, or restricted
        maximum likelihood. (`model` is the kind of language model.)
    variance : {"common", "union", "borenstein", "ceat"}, default "common"
        Sampling variance of an effect size in the random-effects model, as in
        :class:`eatlas.CEAT`.
    replace : {"auto", "always"}, default "auto"
        Whether sentences of a pair are drawn with replacement: only where it has fewer than `n`;
        or always.
    model, templates, plural, pieces, normalize, ends, targets, attributes, pairs
        As in :class:`eatlas.LPBS`. There is no `aggregate`: a draw has one sentence of a pair.

    Raises
    ------
    SignatureError
        If a parameter has no such value.
    StimulusError
        If a file of templates is not usable.

    Examples
    --------
    >>> LPBSCEAT(n=1000, templates="person").signature
    'LPBS-CEAT(alpha=0.05,ddof=1,model=masked,n=1000,p=auto,pieces=joint,replace=auto,\
tail=directional,tau2=dl,templates=person,threshold=0.2,variance=common)'
    """

    name: ClassVar[str] = "lpbs-ceat"

    tau2: Model = field(default="dl", kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        self._check_choice("tau2", Model)

    @property
    def between(self) -> Model:
        """Estimator of the variance between draws."""
        return self.tau2

    def compute(self, given: Input, notes: list[str]) -> LPBSCEATResult:
        """Three levels and the published effect size over draws, and the patterns of the draws."""
        sentences = PairSentences.of(cast("Ratios", given.log_ratios))
        seed, sizes = given.head["provenance"].seed, sentences.sizes
        rows = sentences.draw(self.n, self.replace, seed)
        drawn = draw_pairs(rows, self.n, sizes, first_draws(sizes))
        notes.append(SHARED)
        notes.extend(_lonely(sentences))
        how = self.ddof, given.magnitude, given.precision
        levels, parts = levels_of(drawn, sizes, *how), sentences.components()
        found, draws = self.drawn_result(levels, parts[:3], notes, given.rng, seed)
        u = drawn.attributes[:, 0] - drawn.attributes[:, 1]
        over = DrawnLevel.of("the effect size over attributes", u, sizes[2:], *how)
        rows_listed, listed = sentences.listed
        s, u = drawn.targets.mean(axis=0), drawn.attributes.mean(axis=0)
        return LPBSCEATResult(
            **given.head,
            **found,
            over_attributes=self.drawn_level(over, notes, given.rng),
            level3=level3_of(drawn.first, drawn.cells, sizes),
            scores=mean_scores(s[rows_listed], u[:, listed], sizes),
            similarities=kept_pairs(drawn.means[np.ix_(rows_listed, listed)]),
            generalisation=generalised(
                drawn.means[np.ix_(rows_listed, listed)],
                sizes,
                confidence=CONFIDENCE,
                notes=notes,
                scale=given.magnitude,
                precision=given.precision,
            ),
            draws=SentenceDraws(**draws, over_attributes=self.over_draws(over, parts[3])),
        )

    def _measured(self, found: Ratios) -> NDArray[np.float64]:
        return found.single


def _lonely(sentences: PairSentences) -> list[str]:
    """Say how many pairs are the same in every draw."""
    alone, of = int((sentences.counts == 1).sum()), sentences.counts.size
    if alone == of:
        return [
            "Every pair has one sentence alone, so all draws are the same: they say nothing about "
            "other sentences. More templates, or sentences of a corpus, would differ."
        ]
    if alone:
        return [f"{alone:,} of {of:,} pairs have one sentence alone, the same in every draw."]
    return []
