"""LPBS: association by log-probabilities of masked words, or of continuations."""

from __future__ import annotations

from dataclasses import KW_ONLY, dataclass
from typing import ClassVar, Literal

import numpy as np

from eatlas import kernels
from eatlas.measures.base import SHARE, Input, parameter
from eatlas.measures.inference import SmallestEffect
from eatlas.measures.log_ratio_measure import LogRatioMeasure
from eatlas.measures.log_ratios import Aggregate
from eatlas.measures.resampling import RESAMPLES, Bootstrap
from eatlas.measures.three_levels import compared, level3, similarities
from eatlas.results.inference import SesoiUnit
from eatlas.results.lpbs import LPBSResult
from eatlas.stats.resampling import Over
from eatlas.stimuli import ATTRIBUTES, TARGETS


@dataclass(frozen=True)
class LPBS(LogRatioMeasure):
    """Log-probability bias score (Kurita et al. 2019), at three levels.

    What associates a target x with an attribute a is M(x, a) = log P(x | a) - log P(x), in nats:
    P(x | a) is the probability of x behind masks in a sentence with a, P(x) the same with a masked
    too (equations 8 and 9 of Husse and Spitz 2022). In place of cosines, M goes through the three
    levels of the ML-EAT, and through the published effect size: s(a) is the mean of M(x, a) over X
    less that over Y, and d the difference of the means of s over A and over B divided by the
    standard deviation of s over their union (equation 11); its p-values move the labels of
    attributes.

    For causal models, which cannot see what stands behind a blank, the direction is the other one:
    M(x, a) = log P(a | the text up to it, with x) - log P(a | the same with a neutral word for x).

    Parameters
    ----------
    alpha, ddof, p, draws, strict, statistic, tail, threshold, resamples, over, confidence, sesoi,
    sesoi_unit
        As in :class:`eatlas.MLEAT`.
    model : {"masked", "causal"}, default "masked"
        The kind of language model, and with it the direction.
    templates : str, default "basic"
        A name of built-in templates (``basic``, ``person``, ``hobby``, ``disease``); templates
        themselves, with ``{target}`` and ``{attribute}``, and ``;`` between several; or a TOML
        file, with ``#NAME`` for one of its lists, which is read at once: the signature holds what
        it says.
    plural : str, default ""
        Targets of the user's own that take the plural of ``[is|are]``, with ``;`` between them.
    aggregate : {"mean", "logsum"}, default "mean"
        Over templates: the mean of log-ratios, or the log of the summed probability less that of
        the summed prior.
    pieces : {"joint", "pll"}, default "joint"
        A word of several pieces, in masked models: filled in from left to right, or each piece
        with all others shown (pseudo-log-likelihood). One mask a piece in either case.
    normalize : {"sum", "mean"}, default "sum"
        Over pieces: their sum, which is the log-probability of the word, or their mean.
    ends : bool, default False
        In causal models: score the whole word, which ends there, in place of its pieces, with
        which longer words begin too (Pimentel and Meister 2024).
    targets : {"full", "reduced"}, default "full"
        Reduced: without targets of several pieces, which are not in the model's vocabulary
        (appendix B.2 of Husse and Spitz 2022).
    attributes : {"written", "adjective"}, default "written"
        As adjectives (love as lovable), and without those that have none (Table 6 of Husse and
        Spitz 2022), so that *Rose is love.* becomes *Rose is lovable.*
    pairs : Pairs, optional
        Sentences of a corpus in place of templates, which :func:`eatlas.find_pairs` returned:
        M(x, a) is aggregated over those that hold x and a. For masked models. ``eatlas.run`` sets
        it by ``contexts``. The signature says ``templates=pairs``, and the provenance of results
        which they are.

    Raises
    ------
    SignatureError
        If a parameter has no such value.
    StimulusError
        If a file of templates is not usable.

    Examples
    --------
    >>> LPBS().signature
    'LPBS(aggregate=mean,alpha=0.05,ddof=1,model=masked,p=auto,pieces=joint,tail=directional,\
templates=basic,threshold=0.2)'
    >>> LPBS(templates="{target} [likes|like] {attribute}.").sentences
    ('{target} [likes|like] {attribute}.',)
    """

    name: ClassVar[str] = "lpbs"

    _: KW_ONLY
    aggregate: Aggregate = parameter("mean", Aggregate)
    resamples: int | Literal["auto"] = parameter("auto", RESAMPLES, optional=True)
    over: Over = parameter("both", Over, optional=True)
    confidence: float = parameter(0.95, SHARE, optional=True)
    sesoi: float = parameter(0.0, optional=True)
    sesoi_unit: SesoiUnit = parameter("d", SesoiUnit, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        SmallestEffect(self.sesoi, self.sesoi_unit, self.alpha).check(self)

    @property
    def over_sentences(self) -> Aggregate:
        """How the ratios of several sentences of a pair become one."""
        return self.aggregate

    def compute(self, given: Input, notes: list[str]) -> LPBSResult:
        """Three levels, the pattern, and the published effect size."""
        _, about = self.answered(given, notes)
        bootstrap = Bootstrap(self.resamples, self.over, self.confidence, self.ddof)
        smallest = SmallestEffect(self.sesoi, self.sesoi_unit, self.alpha)
        found = compared(self, given, notes, level2=True, bootstrap=bootstrap, smallest=smallest)
        x, y = (np.stack([kernels.mean_row(given.rows[role])]) for role in TARGETS)
        s = (x - y)[0]
        n_a = len(given.rows[ATTRIBUTES[0]])
        over = self.level(s[:n_a], s[n_a:], "the effect size over attributes", notes, given)
        return LPBSResult(
            **given.head,
            **about,
            **found,
            level3=level3(given.rows, given.moments),
            similarities=similarities(given.rows),
            over_attributes=over,
            over_attributes_uncertainty=bootstrap.over_attributes(given),
        )
