"""Zero-shot reading: which attribute concept a two-tower model would name for each target."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from eatlas import kernels
from eatlas.errors import StimulusError
from eatlas.measures.association import (
    DECIMALS,
    PatternMeasure,
)
from eatlas.measures.base import SHARE, Array, Input, Needs, parameter, whole
from eatlas.measures.inference import design_power, no_generalisation
from eatlas.measures.levels import (
    MOST_CELLS,
    QUANTILES,
    Contrasts,
    Ordered,
    levels_of,
    pairs_to_store,
    scores_to_store,
    sides,
    sizes,
    too_many,
)
from eatlas.measures.resampling import Variation
from eatlas.measures.robustness import robustness
from eatlas.measures.softmax import OF_MODEL, SCALE, magnify_rounding, remarks_on, scale_of
from eatlas.notes import Note
from eatlas.results.levels import Cell, Level3
from eatlas.results.parts import finite_ends
from eatlas.stats.bootstrap import percentile
from eatlas.stats.shares import label_powers
from eatlas.stimuli import ATTRIBUTES, ROLES, Test
from eatlas_models.results.language import CellIntervals, ZeroShotResult
from eatlas_models.stats.readings import mean_shares_drawn, share_layout

DEPENDENT = "the shares of one reading sum to 1, and a crossed test assumes independence"
"""Why there is no crossed test."""
ONE_LABEL = 0.9
"""Proportion of every reading from which on one label is said to take nearly all of it."""


@dataclass(frozen=True)
class ZeroShot(PatternMeasure):
    """Zero-shot reading of targets with attributes as labels (Radford et al. 2021).

    A two-tower model such as CLIP classifies a target by the softmax over all labels of its logit
    scale times their cosines. With every attribute as a label, the proportion of A is what all its
    labels get together:

    ``p(a | w) = exp(scale cos(w, a)) / sum over b in A and B of exp(scale cos(w, b))``
    ``P(A | w) = sum over a in A of p(a | w)``

    Level 3 are the mean shares of A and of B in the readings of X and of Y. Level 1 compares
    ``P(A | w)`` of X with the mean of Y; its p-values permute the targets. Level 2 takes only X, or
    only Y: it compares the mean proportions of the labels of A and of B; its p-values permute the
    labels, which leaves every reading as it is. The EAT pattern says which level 2 associations are
    there, as in :class:`eatlas.MLEAT`.

    Parameters
    ----------
    alpha, ddof, p, draws, strict, statistic, adjust, tail, threshold, resamples, confidence
        As in :class:`eatlas.MLEAT`. In a resample, and without a term, all shares are computed
        anew.
    scale : "model" or float, default "model"
        The logit scale: by default the scale that a model such as ``clip:`` states; or a number up
        to 300, such as 100, where a source states none.

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
    resamples: int | Literal["auto"] = parameter("auto", whole(0, "auto"), optional=True)
    confidence: float = parameter(0.95, SHARE, optional=True)
    scale: float | Literal["model"] = parameter(OF_MODEL, SCALE, optional=True)

    @property
    def needs(self) -> Needs:
        """One text for each stimulus, which contexts of a corpus are not."""
        return replace(super().needs, contexts="written")

    def require_source(self, source: Any) -> None:
        """Refuse a source that states no logit scale, where the signature states none either."""
        scale_of(self.scale, source.encoding, source.name, self.name)

    def require_stimuli(self, test: Test) -> None:
        """Refuse tests whose stimuli have several sentences: labels are what a prompt makes."""
        for concept in test.concepts.values():
            if len(set(concept.stimulus_of.values())) < len(concept.stimulus_of):
                raise StimulusError(
                    f"the measure {self.name} takes one text per stimulus, but test {test.id} has "
                    "several",
                    got=f"sentences of {concept.name}",
                    allowed="words, images, or one sentence for each",
                    remedy="use the test of the words in these sentences, with prompts: "
                    '--prompt "a photo of {}"',
                )

    def compute(self, given: Input, notes: list[Note]) -> ZeroShotResult:
        """Shares, three levels, the pattern."""
        scale = scale_of(self.scale, given.head["encoding"], given.head["source"], self.name)
        notes.extend(remarks_on(given, scale, ATTRIBUTES))
        read, given = given, magnify_rounding(given, scale)
        x, y, a, b = sizes(given.rows)
        powers = label_powers(kernels.similarities(*sides(given.rows)), scale)
        table = powers / powers.sum(axis=1, keepdims=True)
        top = int(np.argmax(table.mean(axis=0)))
        if (least := float(table[:, top].min())) >= ONE_LABEL:
            labels = [term for role in ATTRIBUTES for term in given.coverage[role].used]
            values = {"label": labels[top], "percent": int(100 * least)}
            notes.append(Note("shares.one-label", values=values))
        of_a = np.add.reduce(table[:, :a], axis=1) - a / (a + b)
        of_labels = {t: kernels.mean_row(rows) for t, rows in (("X", table[:x]), ("Y", table[x:]))}
        contrasts: Contrasts = {
            "level1": (of_a[:x], of_a[x:]),
            **{f"level2.{t}": (mean[:a], mean[a:]) for t, mean in of_labels.items()},
        }
        levels = {
            place: self.level(*pair, place, notes, given) for place, pair in contrasts.items()
        }
        fields = levels_of(levels, self.rule)
        varied, shares = self._variation(given, scale, notes)
        found = {**fields, **varied, "scores": scores_to_store(contrasts)}
        found["generalisation"] = no_generalisation(DEPENDENT, self.confidence)
        found |= robustness(self, read, found, notes, pairs=None)  # no mean of pairs
        return ZeroShotResult(
            **given.head | found,
            level3=_level3(table, x, a),
            power=design_power((x, y), (a, b), alpha=self.alpha),
            logit_scale=scale,
            scale_from=OF_MODEL if self.scale == OF_MODEL else "signature",
            chance=a / (a + b),
            readings=pairs_to_store(table),
            share_intervals=shares,
        )

    def _variation(
        self, given: Input, scale: float, notes: list[Note]
    ) -> tuple[dict[str, Any], CellIntervals | None]:
        """How the findings vary with the stimuli: shares are computed anew for every resample."""
        if too_many(given.rows):
            notes.append(Note("resampling.too-many", values={"most": MOST_CELLS}))
            return {}, None
        ordered = Ordered.of(given.rows, given.coverage)
        powers = label_powers(kernels.similarities(*sides(ordered.rows)), scale)
        n_x, n_a = len(given.rows["X"]), len(given.rows["A"])
        layout = share_layout(powers, n_x, n_a, precision=given.precision, peak=given.magnified)
        vary = Variation(given, ordered, notes, self.resamples, self.confidence, self.ddof)
        drivers, count = vary.influence(layout, measure=self), vary.count(layout)
        uncertainty = vary.intervals(layout, count, self.rule)
        varied = {"influence": drivers, "uncertainty": uncertainty}
        if uncertainty is None:
            return varied, None
        # percentile intervals of the four mean shares, and of the difference of those of A
        x, y = mean_shares_drawn(powers, layout, count, vary.streams()).T
        columns = {"XA": x, "XB": 1 - x, "YA": y, "YB": 1 - y, "difference": x - y}
        ends = {name: percentile(drawn, self.confidence)[0] for name, drawn in columns.items()}
        rounded = {name: finite_ends(pair, DECIMALS) for name, pair in ends.items()}
        return varied, CellIntervals(**rounded)


def _level3(table: Array, n_x: int, n_a: int) -> Level3:
    """Proportions of A and of B in the readings of X and of Y."""
    cells = {}
    for target, rows in (("X", table[:n_x]), ("Y", table[n_x:])):
        for attribute, labels in (("A", rows[:, :n_a]), ("B", rows[:, n_a:])):
            shares = np.add.reduce(labels, axis=1)
            mean, sd = kernels.mean_and_sd(shares, 1)
            quantiles = np.quantile(shares, QUANTILES).tolist()
            cells[target + attribute] = Cell(mean=mean, sd=sd, n=len(shares), quantiles=quantiles)
    return Level3(**cells)
