"""DivDist: bias as the divergence of observed associations from a stated reference."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from eatlas.measures.association import (
    DECIMALS,
    OF_MODEL,
    SCALE,
    magnified,
    remarks_on,
    scale_of,
)
from eatlas.measures.base import (
    Allowed,
    GroupsMeasure,
    Input,
    Needs,
    generator_of,
    parameter,
    whole,
)
from eatlas.measures.levels import Stimuli
from eatlas.measures.target_resampling import (
    Evidence,
    of_counts,
    of_labels,
    of_words,
    relabelled,
)
from eatlas.notes import Note
from eatlas.results.levels import LabelTest, ShareIntervals, TargetShares
from eatlas.results.parts import Coverage, defined, defined_ends
from eatlas.results.targets import DivDistResult
from eatlas.stats.shares import (
    Divergence,
    Negative,
    Normalize,
    central,
    distribution,
    divergence,
    jeffreys,
)
from eatlas.stimuli.kinds import OF_TARGETS

Array = NDArray[np.float64]
Association = Literal["cosine", "reduction", "probe", "counts", "softmax"]
Means = Literal["raw", "unit"]
HowP = Literal["auto", "exact", "sampled", "off"]

CONFIDENCE = 0.95
UNEQUAL = 1.5
"""Groups whose sizes differ by such a factor get a warning: random words of one kind, 8 and 24 in
two groups, had an interval that holds 0 in 82% of 120 samples."""
NAMED = 5
"""Targets that one remark names."""
SMALL_SHARE = 0.1
"""Of the mean bias: less than that by chance is not worth a remark."""
SAME_SHARES = 1e-9
"""A reference that is as near to the shares of exchangeable words as this is tested."""
OF_CONTEXTS = ("reduction", "probe")
SHARES_ALREADY = "sum: what soa=softmax gives are shares already"
Row = tuple[Array, Array, Array, float]
"""Associations, shares and reference by group, and the bias."""


@dataclass(frozen=True)
class DivDist(GroupsMeasure):
    """Divergence of associations from a reference (Bommasani and Liang 2022, DivDist).

    For each target the strengths of association ``s`` with k groups become a distribution
    ``p = normalize(s)``, and its bias is ``D(p, p0)`` for a reference distribution ``p0``
    (equations 1 to 3). ``p - p0`` says for each group whether the target leans to it.

    Parameters
    ----------
    soa : {"cosine", "reduction", "probe", "counts", "softmax"}
        Strength of association. ``cosine``: of the target's vector with the mean of the vectors of
        a group's words (section 4.2). ``reduction``: the same, where the vector of a word is the
        mean over its contexts (section 4.3). ``probe``: contexts of the target that a linear
        classifier assigns to the group. ``counts``: numbers of a table, such as contexts of a text
        in which both occur. ``softmax``: the zero-shot reading of a two-tower model, in which every
        word of every group is a label: the share of the group's labels in the softmax of the logit
        scale times their cosines with the target (Radford et al. 2021).
    normalize : {"sum", "softmax"}
        ``s / sum(s)``, as the paper's default, or ``exp(s) / sum(exp(s))``.
    divergence : {"l1", "tv", "l2", "js", "kl", "hellinger"}
        ``l1`` is ``sum |p - p0|``, twice the total variation ``tv``: of two groups and a uniform
        reference it is ``|x - y| / (x + y)``. ``js`` and ``kl`` are in nats; ``js`` is the
        divergence, whose square root is a distance; ``kl`` is ``sum p log(p / p0)``, of the
        observed shares from the reference. ``hellinger`` is ``sqrt(1 - sum sqrt(p p0))``.
    negative : {"clip", "raw"}
        What becomes of associations below 0 before they are divided by their sum: they count as 0,
        with a remark; or they stay, as in the published code, so that shares may be outside 0 to 1.
        ``softmax`` takes numbers of either sign.
    means : {"raw", "unit"}
        Whether the mean of several words is that of their vectors as they are, as in the paper, or
        of vectors scaled to length 1.
    p : {"auto", "exact", "sampled", "off"}
        How the permutation test of group labels finds p. The words of the groups are relabelled;
        the statistic is the sum of squares between the groups of the mean cosines of their words
        with the target, which of two groups is the difference of these means, two-sided. It tests
        equal shares (of ``softmax``: the groups' shares of the words), so that a target with
        another reference has no p. ``exact``
        counts all relabellings, of each target; ``auto`` does where there are no more than a
        million of two groups, 20,000 of several, or no more than ten targets and two groups, and
        draws the others at random, without replacement.
    draws : int
        Relabellings that are drawn at random.
    scale : "model" or float, default "model"
        Of ``soa=softmax`` alone: the logit scale, that of the model or a number up to 300.
    resamples : int
        Bootstrap resamples of the words of each group, of the targets for the concept and the mean,
        and of contexts; draws of the shares behind counts of contexts; 0 for no intervals.

    Raises
    ------
    SignatureError
        If a parameter has no such value.

    Notes
    -----
    Table 3 of the paper prints ``p - p0`` of the female group, half the L1 distance with a sign:
    ``signed`` in a result of two groups.

    Examples
    --------
    >>> import eatlas
    >>> result = eatlas.run(tests="divdist-face-validity", measures="divdist")[0]
    >>> {one.term: round(one.signed, 3) for one in result.targets[3:5]}
    {'nurse': 0.055, 'pilot': -0.054}
    """

    name: ClassVar[str] = "divdist"

    soa: Association = parameter("cosine", Association)
    normalize: Normalize = parameter("sum", Normalize)
    divergence: Divergence = parameter("l1", Divergence)
    negative: Negative = parameter("clip", Negative)
    _: KW_ONLY
    means: Means = parameter("raw", Means, optional=True)
    p: HowP = parameter("auto", HowP, optional=True)
    draws: int = parameter(10_000, whole(1), optional=True)
    resamples: int = parameter(1_000, whole(0), optional=True)
    scale: float | Literal["model"] = parameter(OF_MODEL, SCALE, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.soa == "softmax":
            self.check("normalize", Allowed(SHARES_ALREADY, lambda value: value == "sum"))
            self.check("means", Allowed("raw, with soa=softmax", lambda value: value == "raw"))
        else:
            self.check("scale", Allowed("no scale, or soa=softmax", lambda one: one == OF_MODEL))

    def require_source(self, source: Any) -> None:
        """Refuse a source without a logit scale, where a softmax needs one."""
        if self.soa == "softmax":
            scale_of(self.scale, source.encoding, source.name, self.name)

    @property
    def needs(self) -> Needs:
        """A table of counts; or vectors of words, or of contexts."""
        contexts = {"cosine": "refused", "softmax": "refused", "counts": "any"}
        return Needs(
            source="counts" if self.soa == "counts" else "vectors",
            contexts=cast("Any", contexts.get(self.soa, "required")),
            by_stimulus=True,
        )

    def arranged(
        self,
        vectors: dict[str, Array],
        coverage: Coverage,
        words: Mapping[str, Array],  # noqa: ARG002  (there are none)
    ) -> dict[str, Any]:
        """Vectors as they are, and their means over contexts."""
        if self.soa not in OF_CONTEXTS:
            return {"rows": vectors}
        stimuli = {name: Stimuli.of_group(coverage[name]) for name in vectors}
        means = {name: stimuli[name].mean_rows(rows) for name, rows in vectors.items()}
        return {"rows": means, "single": vectors}

    def compute(self, given: Input, notes: list[Note]) -> DivDistResult:
        """Shares, deviations and divergence of each target, and of all as one mean."""
        about: dict[str, Any] = {}
        if self.soa == "counts":
            counts = np.zeros((0, 0)) if given.counts is None else given.counts
            evidence = of_counts(given.coverage[OF_TARGETS].used, counts, given)
        elif self.soa == "softmax":
            scale = scale_of(self.scale, given.head["encoding"], given.head["source"], self.name)
            notes.extend(remarks_on(given, scale, given.head["groups"]))
            given = magnified(given, scale)
            evidence, about["logit_scale"] = of_labels(given, scale), scale
        elif self.soa == "probe":
            from eatlas.measures.probing import of_probe  # noqa: PLC0415  (an extra)

            evidence, about["probe"] = of_probe(given)
        else:
            evidence = of_words(given, unit=self.means == "unit")
        groups, name = given.head["groups"], given.head["concepts"][OF_TARGETS]
        rows = self._rows(evidence, given.head)
        notes.extend(self._remarks(evidence, groups, rows, name))
        notes.extend(self._few_contexts(evidence, rows, given))
        tested = np.abs(rows.p0 - evidence.exchangeable).max(axis=1) <= SAME_SHARES
        if self.p != "off" and evidence.cosines is not None and not tested.all():
            shares = evidence.exchangeable
            unequal = [] if np.ptp(shares) <= SAME_SHARES else shares.tolist()
            notes.append(Note("shares.untested", "targets", {"shares": unequal}))
        tests, design = relabelled(evidence, self.p, self.draws, given.rng, tested, given.precision)
        intervals, mean_interval = self._intervals(evidence, rows)
        counted = evidence.contexts is not None
        *targets, concept = (
            _target(term, rows.part(i), intervals[i], tests[i], counted=counted)
            for i, term in enumerate((*evidence.targets, name))
        )
        bias = rows.bias[:-1][np.isfinite(rows.bias[:-1])]
        if not len(bias):
            notes.append(Note("undefined.mean-bias", "mean_bias"))
        resampled = bool(self.resamples) and evidence.draw is not None
        return DivDistResult(
            **given.head,
            **about,
            targets=tuple(targets),
            concept=concept,
            mean_bias=math.fsum(bias) / len(bias) if len(bias) else None,
            mean_bias_interval=mean_interval,
            resamples=self.resamples if resampled else 0,
            confidence=CONFIDENCE if resampled else None,
            labels=design,
        )

    def _rows(self, evidence: Evidence, head: Mapping[str, Any]) -> Rows:
        """Equations 1 to 3 for each target, and in the last row for the concept."""
        s = np.vstack([evidence.associations, evidence.concept])
        p = distribution(s, self.normalize, self.negative)
        p[[name in evidence.barred for name in evidence.targets] + [False]] = np.nan
        # the reference of each target, NaN where there is none, then that of the concept
        whole, own = head["reference"], head.get("references")
        none = (math.nan,) * len(whole)
        p0 = np.array([*(own.get(t, none) if own else whole for t in evidence.targets), whole])
        return Rows(s, p, p0, divergence(p, p0, self.divergence))

    def _intervals(
        self, evidence: Evidence, rows: Rows
    ) -> tuple[Sequence[ShareIntervals | None], tuple[float, float] | None]:
        """Percentile intervals of each target, of the concept, and of the mean bias.

        Those of counts of contexts hold what was observed, and of deviations are Jeffreys'.
        """
        if not self.resamples or evidence.draw is None:
            return [None] * len(rows.bias), None
        drawn = evidence.draw(self.resamples)
        s = np.concatenate([drawn.targets, drawn.concept[:, None]], axis=1)
        p = distribution(s, self.normalize, self.negative)
        p[:, np.isnan(rows.p[:, 0])] = np.nan
        bias = divergence(p, rows.p0, self.divergence)
        of_bias, of_deviation = central(bias, CONFIDENCE), central(p - rows.p0, CONFIDENCE)
        last = len(rows.bias) - 1
        if evidence.contexts is not None:
            if self.normalize == "sum":
                of_deviation[:, :last] = jeffreys(evidence.contexts, CONFIDENCE) - rows.p0[:last]
            of_bias, of_deviation = _held(of_bias, rows.bias), _held(of_deviation, rows.p - rows.p0)
        known = np.isfinite(bias[:, :-1])
        weights = drawn.weights * known
        with np.errstate(invalid="ignore"):
            means = (weights * np.where(known, bias[:, :-1], 0)).sum(axis=1) / weights.sum(axis=1)
        ends, observed = central(means, CONFIDENCE), rows.bias[:last]
        if evidence.contexts is not None and np.isfinite(observed).any():
            ends = _held(ends, np.asarray(observed[np.isfinite(observed)].mean()))
        intervals: list[ShareIntervals | None] = [
            ShareIntervals(
                bias=defined_ends(of_bias[:, i], DECIMALS),
                deviation=tuple(defined_ends(pair, DECIMALS) for pair in of_deviation[:, i].T),
            )
            for i in range(last + 1)
        ]
        if evidence.fixed:
            intervals[:last] = [None] * last
        return intervals, defined_ends(ends, DECIMALS)

    def _few_contexts(self, evidence: Evidence, rows: Rows, given: Input) -> Iterator[Note]:
        """What mean bias so few contexts give where there is none, unless that is little."""
        defined = np.isfinite(rows.bias[:-1])
        if evidence.contexts is None or not self.resamples or not defined.any():
            return
        sizes, p0 = evidence.contexts[defined].sum(axis=1), rows.p0[:-1][defined]
        rng = generator_of(given.seed, {OF_TARGETS: evidence.targets}, "contexts of the reference")
        drawn = rng.multinomial(
            sizes.astype(np.int64), p0 / p0.sum(axis=1, keepdims=True), (self.resamples, len(sizes))
        ).astype(np.float64)
        p = distribution(drawn, self.normalize, self.negative)
        by_chance = float(divergence(p, p0, self.divergence).mean())
        mean = float(rows.bias[:-1][defined].mean())
        if by_chance >= SMALL_SHARE * mean:
            contexts = [float(size) for size in (sizes.min(), np.median(sizes), sizes.max())]
            values = {"mean": mean, "by_chance": by_chance, "contexts": contexts}
            yield Note("shares.few-contexts", "mean_bias", values)

    def _remarks(
        self, evidence: Evidence, groups: Sequence[str], rows: Rows, concept: str
    ) -> Iterator[Note]:
        """What a reader must know of sizes, associations below 0, and biases that are undefined."""
        unequal = evidence.sizes and max(evidence.sizes) >= UNEQUAL * min(evidence.sizes)
        if unequal and self.soa != "softmax":
            sizes = dict(zip(groups, evidence.sizes, strict=True))
            yield Note("shares.sizes", values={"sizes": sizes})
        if self.normalize == "sum" and (below := list(_negative(evidence, groups))):
            first = [list(association) for association in below[:NAMED]]
            negative = {"how": self.negative, "associations": first, "count": len(below)}
            yield Note("shares.negative", values=negative)
        reasons: dict[str, list[str]] = {}
        for i, term in enumerate((*evidence.targets, f"{concept} as a whole")):
            if not np.isfinite(rows.bias[i]):
                reason = evidence.barred.get(term) or self._why(rows.part(i), groups)
                reasons.setdefault(reason, []).append(term)
        for reason, terms in reasons.items():
            values = {"terms": terms, "reason": reason, "most": NAMED}
            yield Note("undefined.bias", "targets", values)

    def _why(self, row: Row, groups: Sequence[str]) -> str:
        """Why a bias is undefined."""
        s, p, p0, _ = row
        massless = [g for g, share, zero in zip(groups, p, p0, strict=True) if share > 0 == zero]
        reasons = (
            (
                not np.isfinite(s).all(),
                "vectors cancel out, so that there is no mean to associate with",
            ),
            (np.isnan(p).any() and (s <= 0).all(), "no association is above 0"),
            (np.isnan(p).any(), "the associations do not sum to a positive number"),
            (np.isnan(p0).any(), "the reference has no shares for it"),
            ((p < 0).any(), f"{self.divergence} is not defined for shares below 0"),
            (
                True,
                f"the reference has no mass for {' and '.join(massless)}, and the target has some",
            ),
        )
        return next(why for holds, why in reasons if holds)


@dataclass(frozen=True)
class Rows:
    """Associations, shares, references and biases: one row for each target, then the concept."""

    s: Array
    p: Array
    p0: Array
    bias: Array

    def part(self, i: int) -> Row:
        """One of the rows."""
        return self.s[i], self.p[i], self.p0[i], float(self.bias[i])


def _held(ends: Array, observed: Array) -> Array:
    """Ends of intervals, drawn out to what was observed; NaN stays."""
    return np.stack([np.minimum(ends[0], observed), np.maximum(ends[1], observed)])


def _negative(evidence: Evidence, groups: Sequence[str]) -> Iterator[tuple[str, str, float]]:
    """Associations below 0, with their target and group."""
    for term, row in zip(evidence.targets, evidence.associations, strict=True):
        for group, value in zip(groups, row.tolist(), strict=True):
            if value < 0:
                yield term, group, value


def _target(
    term: str,
    row: Row,
    unsure: ShareIntervals | None,
    test: LabelTest | None,
    *,
    counted: bool,
) -> TargetShares:
    """The record of one target, or of the concept."""
    s, p, p0, bias = row
    deviation = tuple((p - p0).tolist())
    known = not any(map(math.isnan, deviation))
    return TargetShares(
        term=term,
        association=tuple(map(defined, s.tolist())),
        distribution=None if np.isnan(p).any() else tuple(p.tolist()),
        deviation=deviation if known else None,
        bias=defined(bias),
        signed=deviation[0] if known and len(deviation) == 2 else None,
        uncertainty=unsure,
        labels=test,
        contexts=int(s.sum()) if counted else None,
    )
