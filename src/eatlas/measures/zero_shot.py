"""Zero-shot reading: which attribute concept a two-tower model would name for each target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np

from eatlas import kernels
from eatlas.errors import StimulusError
from eatlas.measures.association import (
    OF_MODEL,
    SCALE,
    PatternMeasure,
    ResampledMeasure,
    magnified,
    remarks_on,
    scale_of,
)
from eatlas.measures.base import Input, parameter
from eatlas.measures.inference import Observed, design_power
from eatlas.measures.level_tests import KEPT_SCORES, QUANTILES, Associations, kept_pairs
from eatlas.measures.p_values import DECIMALS
from eatlas.measures.patterns import pattern_of
from eatlas.measures.resampling import Varied
from eatlas.measures.rows import Array, Ordered, sides, sizes, too_many
from eatlas.notes import Note
from eatlas.results.embedding_tests import CellIntervals, ZeroShotResult
from eatlas.results.inference import Generalisation, Uncertainty
from eatlas.results.levels import Cell, Level2, Level3
from eatlas.results.parts import defined_ends
from eatlas.stats.shares import ShareDesign, central, label_powers
from eatlas.stimuli import ATTRIBUTES, ROLES, Test

DEPENDENT = "the shares of one reading sum to 1, and a crossed test assumes independence"
"""Why there is no crossed test."""


@dataclass(frozen=True)
class ZeroShot(PatternMeasure, ResampledMeasure):
    """Zero-shot reading of targets with attributes as labels (Radford et al. 2021).

    A two-tower model such as CLIP classifies a target by the softmax over all labels of its logit
    scale times their cosines. With every attribute as a label, the share of A is what all its
    labels get together:

    ``p(a | w) = exp(scale cos(w, a)) / sum over b in A and B of exp(scale cos(w, b))``
    ``P(A | w) = sum over a in A of p(a | w)``

    Level 3 are the mean shares of A and of B in the readings of X and of Y. Level 1 compares
    ``P(A | w)`` of X with that of Y; its p-values permute the targets. Level 2 takes X, or Y,
    alone: it compares the mean shares of the labels of A with those of the labels of B; its
    p-values permute the labels, which leaves every reading as it is. The EAT pattern says which
    level 2 associations are there, as in :class:`eatlas.MLEAT`.

    Parameters
    ----------
    alpha, ddof, p, draws, strict, statistic, tail, threshold, resamples, over, confidence
        As in :class:`eatlas.MLEAT`. In a resample, and without a term, all shares are computed
        anew.
    scale : "model" or float, default "model"
        The logit scale: that of the model, which a source such as ``clip:`` states; or a number up
        to 300, such as 100, where a source states none.

    Raises
    ------
    SignatureError
        If a parameter has no such value.

    See Also
    --------
    eatlas.DivDist : With ``soa=softmax``, shares of k groups against a reference.

    Notes
    -----
    Wolfe, Hiniker and Howe (2024): in CLIP "a cosine similarity between text and image is converted
    into a probability for use in classification". CLIP's own prompt ensembles are a matter of the
    source: see the option ``prompts=`` of sources.

    Examples
    --------
    >>> import eatlas
    >>> result = eatlas.run(tests="weat-6", measures="zero-shot(scale=20)")[0]
    >>> result.concepts.A, result.cell_text("XA"), result.cell_text("YA")
    ('Career', '82%', '18%')
    """

    name: ClassVar[str] = "zero-shot"
    minimum: ClassVar[Mapping[str, int]] = dict.fromkeys(ROLES, 2)

    _: KW_ONLY
    scale: float | Literal["model"] = parameter(OF_MODEL, SCALE, optional=True)

    def require_source(self, source: Any) -> None:
        """Refuse a source that states no logit scale, where the signature states none either."""
        scale_of(self.scale, source.encoding, source.name, self.name)

    def require_stimuli(self, test: Test) -> None:
        """Refuse tests whose stimuli have several sentences: labels are what a prompt makes."""
        for concept in test.concepts.values():
            if len(set(concept.stimulus_of.values())) < len(concept.stimulus_of):
                raise StimulusError(
                    f"the measure {self.name} takes one text for each stimulus, and test {test.id} "
                    "has several",
                    got=f"sentences of {concept.name}",
                    allowed="words, images, or one sentence for each",
                    remedy="take the test of the words that these sentences are made of, and put "
                    'them into prompts: --prompt "a photo of {}"',
                )

    def compute(self, given: Input, notes: list[Note]) -> ZeroShotResult:
        """Shares, three levels, the pattern."""
        scale = scale_of(self.scale, given.head["encoding"], given.head["source"], self.name)
        notes.extend(remarks_on(given, scale, ATTRIBUTES))
        given = magnified(given, scale)
        x, y, a, b = sizes(given.rows)
        powers = label_powers(kernels.similarities(*sides(given.rows)), scale)
        table = powers / powers.sum(axis=1, keepdims=True)
        if bare := _of_nothing(table, given):
            notes.append(bare)
        scores = _scores(table, x, a)
        levels = {
            place: self.level(*pair, place, notes, given) for place, pair in scores.pairs().items()
        }
        level2 = Level2(X=levels["level2.X"], Y=levels["level2.Y"])
        varied, shares = self._variation(given, scale, notes)
        effects = level2.X.effect_size, level2.Y.effect_size
        return ZeroShotResult(
            **given.head,
            level1=levels["level1"],
            level2=level2,
            level3=_level3(table, x, a),
            pattern=pattern_of(level2, self.rule),
            scores=scores.record(KEPT_SCORES),
            **varied,
            generalisation=Generalisation(
                unit="term",
                confidence=self.confidence,
                level1=None,
                level2=None,
                reason=DEPENDENT,
            ),
            power=design_power(
                (x, y),
                (a, b),
                alpha=self.alpha,
                rule=self.rule,
                observed=Observed.of(*effects, scores.attributes),
            ),
            logit_scale=scale,
            scale_from=OF_MODEL if self.scale == OF_MODEL else "signature",
            chance=a / (a + b),
            readings=kept_pairs(table),
            share_intervals=shares,
        )

    def _variation(
        self, given: Input, scale: float, notes: list[Note]
    ) -> tuple[Varied, CellIntervals | None]:
        """How the findings vary with the stimuli: shares are computed anew for every resample."""
        x, y, a, b = sizes(given.rows)
        if most := too_many(x + y, a + b):
            pairs = (x + y) * (a + b)
            notes.append(Note("resampling.too-many-shares", values={"pairs": pairs, "most": most}))
            return {}, None
        if any(given.coverage[role].cluster for role in ROLES):
            notes.append(Note("resampling.no-clusters"))
        ordered = Ordered.of(given.rows, given.coverage)
        powers = label_powers(kernels.similarities(*sides(ordered.rows)), scale)
        design = ShareDesign(powers, x, a, given.precision, given.magnified)
        varied = self.bootstrap.of_layout(design, ordered, given, notes, self.rule)
        if (resampled := cast("Uncertainty | None", varied["uncertainty"])) is None:
            return varied, None
        # percentile intervals of the four mean shares, and of the difference of those of A
        streams = self.bootstrap.streams(given, ordered)()
        x, y = design.mean_shares_drawn(self.over, resampled.resamples, streams).T
        columns = {"XA": x, "XB": 1 - x, "YA": y, "YB": 1 - y, "difference": x - y}
        ends = central(np.stack(list(columns.values()), axis=1), self.confidence)
        rounded = (defined_ends(pair, DECIMALS) for pair in ends.T.tolist())
        return varied, CellIntervals(**dict(zip(columns, rounded, strict=True)))


def _of_nothing(table: Array, given: Input) -> Note | None:
    """Say that one label takes nearly all of every reading; None where it does not."""
    top = int(np.argmax(table.mean(axis=0)))
    least = float(table[:, top].min())
    if least < 0.9:
        return None
    term = [term for role in ATTRIBUTES for term in given.coverage[role].used][top]
    return Note("shares.one-label", values={"label": term, "percent": int(100 * least)})


def _scores(table: Array, n_x: int, n_a: int) -> Associations:
    """Share of A less chance, of each target; mean share of each label, by target group."""
    chance = n_a / table.shape[1]
    of_a = np.add.reduce(table[:, :n_a], axis=1) - chance
    parts = {"X": table[:n_x], "Y": table[n_x:]}
    means = {target: kernels.mean_row(part) for target, part in parts.items()}
    attributes = {}
    for target, mean in means.items():
        attributes[target, "A"], attributes[target, "B"] = mean[:n_a], mean[n_a:]
    return Associations({"X": of_a[:n_x], "Y": of_a[n_x:]}, attributes)


def _level3(table: Array, n_x: int, n_a: int) -> Level3:
    """Shares of A and of B in the readings of X and of Y."""
    of_a = np.add.reduce(table[:, :n_a], axis=1)
    of_b = np.add.reduce(table[:, n_a:], axis=1)
    cells = {}
    for target, where in (("X", slice(0, n_x)), ("Y", slice(n_x, None))):
        for attribute, shares in (("A", of_a[where]), ("B", of_b[where])):
            mean, sd = kernels.mean_and_sd(shares, 1)
            cells[target + attribute] = Cell(
                mean=mean,
                sd=sd,
                n=len(shares),
                quantiles=np.quantile(shares, QUANTILES).tolist(),
            )
    return Level3(**cells)
