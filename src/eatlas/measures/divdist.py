"""DivDist: bias as the divergence of observed associations from a stated reference."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from itertools import combinations, pairwise
from typing import Any, ClassVar, Literal, cast

import numpy as np
from numpy.typing import NDArray

from eatlas import kernels
from eatlas.errors import CoverageError
from eatlas.measures.adjusting import adjust_shares
from eatlas.measures.association import (
    DECIMALS,
    Adjust,
    json_count,
)
from eatlas.measures.base import (
    Allowed,
    Array,
    GroupsMeasure,
    Input,
    Needs,
    parameter,
    stimuli_covered,
    whole,
)
from eatlas.measures.levels import Stimuli
from eatlas.measures.seeding import generator_of
from eatlas.measures.softmax import OF_MODEL, SCALE, magnify_rounding, remarks_on, scale_of
from eatlas.notes import Note
from eatlas.plugins import load_point, require_point
from eatlas.results.levels import AdjustedTarget
from eatlas.results.parts import Coverage, finite, finite_ends
from eatlas.results.targets import (
    DivDistResult,
    LabelDesign,
    LabelTest,
    ShareIntervals,
    TargetShares,
)
from eatlas.stats.bootstrap import central
from eatlas.stats.inputs import clopper_pearson
from eatlas.stats.permutation import (
    ALWAYS_EXACT,
    LARGEST,
    Tail,
    permutation_test,
    permutation_tests,
)
from eatlas.stats.permutation.problem import SMALLEST
from eatlas.stats.regression import LISTED, ORDERS, Regression, groups_test
from eatlas.stats.shares import (
    MOST_LISTED,
    Divergence,
    Negative,
    Normalize,
    bootstrap_counts,
    design_effects,
    distribution,
    divergence,
    jeffreys,
    label_powers,
    label_tests,
    posterior,
    relabellings,
)
from eatlas.stimuli.kinds import OF_TARGETS

Association = Literal["cosine", "reduction", "probe", "counts", "softmax"]
Means = Literal["raw", "unit"]
HowP = Literal["auto", "off"]
CountContexts = Callable[[Input], tuple[Array, dict[str, Any]]]
"""What a package adds as an entry point of the group ``eatlas.associations``, by the name of the
association: from contextual vectors to numbers of contexts of the targets that belong to each
group, shape (targets, k), and fields of the record that say how."""
Drawn = tuple[Array, Array, Array]
"""Associations in bootstrap resamples: of the targets, shape (resamples, targets, k); of the mean
of the targets drawn, (resamples, k); and how often each target was sampled, (resamples,
targets)."""

CONFIDENCE = 0.95
UNEQUAL = 1.5
"""Groups whose sizes differ by such a factor get a warning: random words of one kind, 8 and 24 in
two groups, had an interval that contains 0 in 82% of 120 samples."""
NAMED = 5
"""Most targets that one warning names."""
SMALL_SHARE = 0.1
"""Of the mean bias; a smaller bias expected by chance gets no warning."""
SAME_SHARES = 1e-9
"""A reference that is as near to the proportions of exchangeable words as this is tested."""
OF_CONTEXTS = ("reduction", "probe")
OF_MEANS = ("cosine", "reduction")
"""Associations that are means over the words of a group."""
SHARES_ALREADY = "sum: what soa=softmax gives are shares already"
FEW_TARGETS = 10
"""So many tests of two groups of 20 are counted in a second and a half; 288 would take 40."""
BETWEEN = "sum of squares between the groups' mean cosines with the target"
BETWEEN_SHARES = "sum of squares between the groups' mean shares of a label, of the target"
MOST_COUNTED = 2**53
"""Larger numbers are not known to be whole."""
TOGETHER = 16
"""Resamples of contexts whose means are in memory together: of 300 words of 768 numbers 30 MB."""
NOTHING = 1e-12
"""Length of a mean of rows of magnitude 1 that cancel."""


@dataclass(frozen=True)
class DivDist(GroupsMeasure):
    """Divergence of associations from a reference (Bommasani and Liang 2022, DivDist).

    For each target, the strengths of association ``s`` with k groups become a distribution ``p =
    normalize(s)``. Its bias is ``D(p, p0)`` for a reference distribution ``p0`` (equations 1 to 3).
    ``p - p0`` is above 0 for the groups that the target is associated with.

    Parameters
    ----------
    soa : {"cosine", "reduction", "probe", "counts", "softmax"}
        Strength of association. ``cosine``: of the target's vector with the mean of the vectors of
        a group's words (section 4.2). ``reduction``: the same, where the vector of a word is the
        mean over its contexts (section 4.3). ``probe``: contexts of the target that a linear
        classifier assigns to the group. ``counts``: numbers of a table, such as contexts of a text
        in which both occur. ``softmax``: the zero-shot reading of a two-tower model, in which every
        word of every group is a label: the proportion of the group's labels in the softmax of the
        logit scale times their cosines with the target (Radford et al. 2021).
    normalize : {"sum", "softmax"}
        ``s / sum(s)``, as the paper's default, or ``exp(s) / sum(exp(s))``.
    divergence : {"l1", "tv", "l2", "linf", "js", "kl", "hellinger"}
        ``l1`` is ``sum |p - p0|``, twice the total variation ``tv``: of two groups and a uniform
        reference it is ``|x - y| / (x + y)``. ``linf`` is ``max |p - p0|``, which the published
        code has too. ``js`` and ``kl`` are in nats; ``js`` is the
        divergence, whose square root is a distance; ``kl`` is ``sum p log(p / p0)``, of the
        observed shares from the reference. ``hellinger`` is ``sqrt(1 - sum sqrt(p p0))``.
    negative : {"clip", "raw"}
        How to treat associations below 0 before they are divided by their sum. ``clip`` counts them
        as 0, with a warning. ``raw`` keeps them, as in the published code, so that proportions may
        be outside 0 to 1. If the raw associations of a target sum to less than 0, the group with
        the smallest association gets the largest proportion; a warning names the target.
        ``softmax`` takes numbers of either sign.
    means : {"raw", "unit"}
        Whether to average the vectors of several words as they are, as in the paper, or
        of vectors scaled to length 1.
    p : {"auto", "off"}
        Whether there is a permutation test of group labels. The words of the groups are relabelled;
        the statistic is the sum of squares between the groups of the mean cosines of their words
        with the target, which of two groups is the difference of these means, two-sided. It tests
        equal shares (of ``softmax``: the groups' shares of the words), so that a target with
        another reference has no p. All permutations are counted where there are no more than a
        million of two groups, 20,000 of several, or no more than ten targets and two groups; the
        others are sampled at random, without replacement.
    permutations : int
        Permutations that are sampled at random.
    scale : "model" or float, default "model"
        Only for ``soa=softmax``: the logit scale, from the model or a number up to 300.
    adjust : {"frequency", "none"}
        Only for ``soa=cosine`` and ``soa=reduction``: whether to adjust deviations for the
        frequency of the groups' words as well, and given the covariates of a run.
    resamples : int
        Bootstrap resamples of the words of each group, of the targets for the concept and the mean,
        and of contexts; posterior samples of the proportions for counts of contexts; 0 for no
        intervals.
    groups : {"targets", "attributes"}, default "targets"
        Of an association test, against a uniform reference: whether its groups are X and Y, or A
        and B.

    Notes
    -----
    The paper prints two forms. The absolute one is ``D(p, p0)``: ``bias`` of a target (Table 5).
    The signed one is ``p - p0`` of a group: ``deviation``, and ``signed`` of the first of two
    groups, half the L1 distance with a sign (Tables 3 and 6).

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
    permutations: int = parameter(10_000, whole(1), optional=True)
    resamples: int = parameter(1_000, whole(0), optional=True)
    scale: float | Literal["model"] = parameter(OF_MODEL, SCALE, optional=True)
    adjust: Adjust = parameter("frequency", Adjust, optional=True)

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

    def idle(self) -> set[str]:
        """Parameters that the signature leaves out; nothing is adjusted but means over words."""
        return super().idle() | (set() if self.soa in OF_MEANS else {"adjust"})

    @property
    def needs(self) -> Needs:
        """A table of counts; or vectors of words, or of contexts."""
        contexts = {"cosine": "refused", "softmax": "refused", "counts": "any"}
        return Needs(
            source="counts" if self.soa == "counts" else "vectors",
            contexts=cast("Any", contexts.get(self.soa, "required")),
            by_stimulus=True,
            ranks="ranks" if self.soa in OF_MEANS and self.adjust != "none" else None,
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
        groups, name = given.head["groups"], given.head["concepts"][OF_TARGETS]
        about: dict[str, Any] = {}
        if self.soa == "counts":
            counts = np.zeros((0, 0)) if given.counts is None else given.counts
            evidence = of_counts(given.coverage[OF_TARGETS].used, counts, given)
        elif self.soa == "softmax":
            scale = scale_of(self.scale, given.head["encoding"], given.head["source"], self.name)
            notes.extend(remarks_on(given, scale, groups))
            given = magnify_rounding(given, scale)
            evidence, about["logit_scale"] = of_labels(given, scale), scale
        elif self.soa == "probe":
            stimuli = stimuli_of_groups(given)[OF_TARGETS]
            count_contexts: CountContexts = load_point(require_point("associations", self.soa))
            counts, about = count_contexts(given)
            evidence = of_counts(stimuli, counts, given)
        else:
            evidence = of_words(given, unit=self.means == "unit")
        rows = self._rows(evidence, given.head)
        notes.extend(self._remarks(evidence, rows, groups, name))
        notes.extend(self._few_contexts(evidence, rows, given))
        tests: list[LabelTest | None] = [None] * len(rows.bias)
        design = None
        if self.p == "auto" and evidence.cosines is not None:
            shares = evidence.null_shares
            if (np.abs(rows.p0 - shares).max(axis=1) > SAME_SHARES).any():
                unequal = [] if np.ptp(shares) <= SAME_SHARES else shares.tolist()
                notes.append(Note("shares.untested", "targets", {"shares": unequal}))
            tests, design = permute_labels(
                evidence, evidence.is_testable(rows), self.permutations, given
            )
        intervals, mean_interval = self._intervals(evidence, rows)
        *targets, concept = (
            _target(term, rows, i, intervals[i], tests[i], counted=evidence.contexts is not None)
            for i, term in enumerate((*evidence.targets, name))
        )
        bias = rows.bias[:-1][np.isfinite(rows.bias[:-1])]
        if not len(bias):
            notes.append(Note("undefined.mean-bias", "mean_bias"))
        if (covariates := given.words.covariates) is not None:
            about["adjusted"] = adjust_shares(self, given, covariates, notes)
        return DivDistResult(
            **given.head,
            **about,
            targets=tuple(targets),
            concept=concept,
            mean_bias=math.fsum(bias) / len(bias) if len(bias) else None,
            mean_bias_interval=mean_interval,
            resamples=self.resamples,
            confidence=CONFIDENCE if self.resamples else None,
            labels=design,
        )

    def adjust_for_covariates(
        self, given: Input, regression: Regression, words: Sequence[int]
    ) -> dict[str, Any]:
        """Shares at equal covariates of some words of the groups, with their p-values.

        What each word adds to an association, and its cosine, are regressed on the groups and the
        covariates: means of the first at equal covariates become shares, the second are tested.
        """
        evidence, name = of_words(given, unit=self.means == "unit"), given.head["concepts"]
        parts, cosines = (cast("Array", x)[:, words] for x in (evidence.parts, evidence.cosines))
        usable = np.isfinite(parts).all(axis=1)
        means = np.full((len(parts), len(regression.sizes)), np.nan)
        means[usable] = regression.means(parts[usable])
        *associations, concept = means
        rows = self._rows(
            replace(evidence, associations=np.array(associations), concept=concept), given.head
        )
        p: dict[int, float] = {}
        if self.p == "auto":
            tested = np.flatnonzero(evidence.is_testable(rows))
            how: Any = {"seed": given.seed, "precision": given.precision}
            tails = groups_test(cosines[tested], regression, **how)
            p = {i: tail.p for i, tail in zip(tested.tolist(), tails, strict=True)}
        *targets, whole = (
            AdjustedTarget(
                term=term,
                deviation=None if np.isnan(away).any() else tuple(away.tolist()),
                bias=finite(float(bias)),
                p=p.get(i),
            )
            for i, (term, away, bias) in enumerate(
                zip((*evidence.targets, name[OF_TARGETS]), rows.p - rows.p0, rows.bias, strict=True)
            )
        )
        biases = [target.bias for target in targets if target.bias is not None]
        return {
            "targets": tuple(targets),
            "concept": whole,
            "mean_bias": math.fsum(biases) / len(biases) if biases else None,
            "shared": regression.shared,
            "permutations": ORDERS if p and regression.size > LISTED else None,
        }

    def _rows(self, evidence: GroupAssociations, head: Mapping[str, Any]) -> Rows:
        """Equations 1 to 3 for each target, and in the last row for the concept."""
        s = np.vstack([evidence.associations, evidence.concept])
        p = distribution(s, self.normalize, self.negative)
        p[~evidence.has_distribution] = np.nan
        # the reference of each target, NaN where there is none, then that of the concept
        whole, own = head["reference"], head.get("references")
        none = (math.nan,) * len(whole)
        p0 = np.array([*(own.get(t, none) if own else whole for t in evidence.targets), whole])
        return Rows(s, p, p0, divergence(p, p0, self.divergence))

    def _intervals(
        self, evidence: GroupAssociations, rows: Rows
    ) -> tuple[Sequence[ShareIntervals | None], tuple[float, float] | None]:
        """Percentile intervals of each target, of the concept, and of the mean bias.

        Intervals for counts of contexts contain the observed value; for deviations, they are
        Jeffreys'.
        """
        last = len(rows.bias) - 1
        if not self.resamples:
            return [None] * (last + 1), None
        of_targets, of_concept, weights = evidence.draw(self.resamples)
        s = np.concatenate([of_targets, of_concept[:, None]], axis=1)
        p = distribution(s, self.normalize, self.negative)
        p[:, np.isnan(rows.p[:, 0])] = np.nan
        bias = divergence(p, rows.p0, self.divergence)
        of_bias, of_deviation = central(bias, CONFIDENCE), central(p - rows.p0, CONFIDENCE)
        known = np.isfinite(bias[:, :-1])
        weights = weights * known
        with np.errstate(invalid="ignore"):
            means = (weights * np.where(known, bias[:, :-1], 0)).sum(axis=1) / weights.sum(axis=1)
        ends = central(means, CONFIDENCE)
        if evidence.contexts is not None:
            if self.normalize == "sum":
                of_deviation[:, :last] = jeffreys(evidence.contexts, CONFIDENCE) - rows.p0[:last]
            of_bias, of_deviation = (
                _widen(of_bias, rows.bias),
                _widen(of_deviation, rows.p - rows.p0),
            )
            observed = rows.bias[:last][np.isfinite(rows.bias[:last])]
            if observed.size:
                ends = _widen(ends, np.asarray(observed.mean()))
        intervals: list[ShareIntervals | None] = [
            ShareIntervals(
                bias=finite_ends(of_bias[:, i], DECIMALS),
                deviation=tuple(finite_ends(pair, DECIMALS) for pair in of_deviation[:, i].T),
            )
            for i in range(last + 1)
        ]
        if evidence.fixed:
            intervals[:last] = [None] * last
        return intervals, finite_ends(ends, DECIMALS)

    def _few_contexts(
        self, evidence: GroupAssociations, rows: Rows, given: Input
    ) -> Iterator[Note]:
        """What mean bias so few contexts give where there is none, unless that is little."""
        defined = np.isfinite(rows.bias[:-1])
        if evidence.contexts is None or not self.resamples or not defined.any():
            return
        sizes, p0 = evidence.contexts[defined].sum(axis=1), rows.p0[:-1][defined]
        rng = generator_of(given.seed, {OF_TARGETS: evidence.targets}, "contexts of the reference")
        drawn = rng.multinomial(
            np.ceil(sizes).astype(np.int64),
            p0 / p0.sum(axis=1, keepdims=True),
            (self.resamples, len(sizes)),
        ).astype(np.float64)
        p = distribution(drawn, self.normalize, self.negative)
        by_chance = float(divergence(p, p0, self.divergence).mean())
        mean = float(rows.bias[:-1][defined].mean())
        if by_chance >= SMALL_SHARE * mean:
            contexts = [float(size) for size in (sizes.min(), np.median(sizes), sizes.max())]
            values = {"mean": mean, "by_chance": by_chance, "contexts": contexts}
            yield Note("shares.few-contexts", "mean_bias", values)

    def _remarks(
        self, evidence: GroupAssociations, rows: Rows, groups: Sequence[str], concept: str
    ) -> Iterator[Note]:
        """What a reader must know of sizes, associations below 0, and biases that are undefined."""
        unequal = evidence.sizes and max(evidence.sizes) >= UNEQUAL * min(evidence.sizes)
        if unequal and self.soa != "softmax":
            sizes = dict(zip(groups, evidence.sizes, strict=True))
            yield Note("shares.sizes", values={"sizes": sizes})
        if self.normalize == "sum":
            yield from self._below_0(evidence, rows, groups)
        reasons: dict[str, list[str]] = {}
        for i, term in enumerate((*evidence.targets, f"{concept} as a whole")):
            if not np.isfinite(rows.bias[i]):
                reason = evidence.barred.get(term) or self._why(rows, i, groups)
                reasons.setdefault(reason, []).append(term)
        for reason, terms in reasons.items():
            lost = {"terms": terms, "reason": reason, "most": NAMED}
            yield Note("undefined.bias", "targets", lost)

    def _below_0(
        self, evidence: GroupAssociations, rows: Rows, groups: Sequence[str]
    ) -> Iterator[Note]:
        """What became of associations below 0, and of targets whose associations sum to less."""
        below = [
            [evidence.targets[i], groups[j], float(evidence.associations[i, j])]
            for i, j in np.argwhere(evidence.associations < 0)
        ]
        if below:
            values = {"how": self.negative, "associations": below[:NAMED], "count": len(below)}
            yield Note("shares.negative", values=values)
        if self.negative == "raw":
            divided = np.isfinite(rows.p[:-1]).all(axis=1)
            turned = np.flatnonzero((evidence.associations.sum(axis=1) < 0) & divided)
            if turned.size:
                terms = [evidence.targets[i] for i in turned]
                yield Note("shares.turned", "targets", {"terms": terms, "most": NAMED})

    def _why(self, rows: Rows, i: int, groups: Sequence[str]) -> str:
        """Why a bias is undefined."""
        s, p, p0 = rows.s[i], rows.p[i], rows.p0[i]
        if not np.isfinite(s).all():
            return "vectors cancel out, so that there is no mean to associate with"
        if np.isnan(p).any():
            none = (s <= 0).all()
            return "no association is above 0" if none else "the associations sum to 0"
        if np.isnan(p0).any():
            return "the reference has no shares for it"
        if (p < 0).any():
            return f"{self.divergence} is not defined for shares below 0"
        massless = [g for g, share, zero in zip(groups, p, p0, strict=True) if share > 0 == zero]
        return f"the reference has no mass for {' and '.join(massless)}, and the target has some"


@dataclass(frozen=True)
class GroupAssociations:
    """Associations of targets with groups, and how they vary."""

    targets: tuple[str, ...]
    associations: Array
    """Shape (targets, k)."""
    concept: Array
    """Of all targets as one mean, shape (k,)."""
    draw: Callable[[int], Drawn]
    """Draws resamples."""
    barred: Mapping[str, str] = field(default_factory=dict)
    """Targets that no distribution is made for, with the reason."""
    cosines: Array | None = None
    """Of targets, and of the concept in the last row, with each word of the groups, those of the
    first group first; None where no words of groups associate."""
    parts: Array | None = None
    """What each of these words adds to the association with its group, which is the mean of them;
    None where it is no mean."""
    sizes: tuple[int, ...] = ()
    """Words of each group."""
    of_labels: bool = False
    """Whether words are labels, so that words that do not differ give a group its proportion of
    them."""
    fixed: bool = False
    """Whether a target is the same in every resample, so that it has no interval."""
    contexts: Array | None = None
    """Of counts of contexts, these, shape (targets, k)."""

    @property
    def has_distribution(self) -> NDArray[np.bool_]:
        """Which targets have a distribution, and last that the concept has one."""
        return np.array([*(target not in self.barred for target in self.targets), True])

    @property
    def null_shares(self) -> Array:
        """Shares that words which do not differ give the groups."""
        shares = np.asarray(self.sizes if self.of_labels else np.ones(len(self.sizes)))
        return np.asarray(shares / shares.sum())

    def is_testable(self, rows: Rows) -> NDArray[np.bool_]:
        """Rows of cosines for which permutation words tests the reference."""
        of_equal = np.abs(rows.p0 - self.null_shares).max(axis=1) <= SAME_SHARES
        usable = np.isfinite(cast("Array", self.cosines)).all(axis=1) & self.has_distribution
        return np.asarray(usable & of_equal)


@dataclass(frozen=True)
class Rows:
    """Associations, shares, references and biases: one row for each target, then the concept."""

    s: Array
    p: Array
    p0: Array
    bias: Array


def _widen(ends: Array, observed: Array) -> Array:
    """Ends of intervals, drawn out to what was observed; NaN stays."""
    return np.stack([np.minimum(ends[0], observed), np.maximum(ends[1], observed)])


def _target(
    term: str,
    rows: Rows,
    i: int,
    unsure: ShareIntervals | None,
    test: LabelTest | None,
    *,
    counted: bool,
) -> TargetShares:
    """The record of one target, or of the concept."""
    s, p = rows.s[i], rows.p[i]
    deviation = tuple((p - rows.p0[i]).tolist())
    known = not any(map(math.isnan, deviation))
    return TargetShares(
        term=term,
        association=tuple(map(finite, s.tolist())),
        distribution=None if np.isnan(p).any() else tuple(p.tolist()),
        deviation=deviation if known else None,
        bias=finite(float(rows.bias[i])),
        signed=deviation[0] if known and len(deviation) == 2 else None,
        uncertainty=unsure,
        labels=test,
        contexts=int(s.sum()) if counted else None,
    )


def of_words(given: Input, *, unit: bool) -> GroupAssociations:
    """Cosines of targets with mean vectors of groups (DivDist, section 4.2).

    In a resample the words of each group are sampled again, and the contexts of each word too,
    where rows are means over contexts.
    """
    names, barred, counted = separate_targets(given)
    # raw rows are divided by the greatest number, so that their squares are in range
    scaled = {
        name: kernels.unit_rows(rows) if unit else np.asarray(rows / np.abs(rows).max())
        for name, rows in given.rows.items()
    }
    targets, groups = scaled[OF_TARGETS], [scaled[group] for group in given.head["groups"]]
    unit_targets, centre = kernels.unit_rows(targets), _direction(targets[counted])
    centres = [_direction(group) for group in groups]
    every = np.vstack([unit_targets, centre])
    lengths = [float(np.linalg.norm(kernels.mean_row(group))) for group in groups]

    def draw(resamples: int) -> Drawn:
        of_targets, of_groups = _bootstrap_weights(given, counted, resamples)
        together, contexts = resamples, None
        if given.single is not None:
            together, contexts = TOGETHER, _contexts(given, given.single)
        each, concept = np.empty((resamples, *unit_targets.shape[:1], len(groups))), []
        rows = {name: part[None] for name, part in scaled.items()}
        for first, last in pairwise([*range(0, resamples, together), resamples]):
            if contexts:
                rows = contexts(last - first)
                rows = {name: _unit(part) for name, part in rows.items()} if unit else rows
            block, of_rows = slice(first, last), rows[OF_TARGETS]
            of_all = _unit((of_targets[block, None] @ of_rows)[:, 0])
            near = []
            for j, group in enumerate(given.head["groups"]):
                mean = _unit((of_groups[j][block, None] @ rows[group])[:, 0])
                each[block, :, j] = (_unit(of_rows) @ mean[..., None])[..., 0]
                near.append(np.einsum("rd,rd->r", of_all, mean))
            concept.append(np.stack(near, axis=1))
        return each, np.concatenate(concept), of_targets

    return GroupAssociations(
        targets=names[OF_TARGETS],
        associations=np.stack([kernels.associations(unit_targets, c) for c in centres], axis=1),
        concept=np.array([kernels.associations(centre[None], c)[0] for c in centres]),
        draw=draw,
        barred=barred,
        cosines=every @ kernels.unit_rows(np.concatenate(groups)).T,
        parts=every
        @ np.concatenate(
            [group / (n or np.nan) for group, n in zip(groups, lengths, strict=True)]
        ).T,
        sizes=tuple(map(len, groups)),
    )


def _contexts(given: Input, single: Mapping[str, Array]) -> Callable[[int], dict[str, Array]]:
    """Draws the contexts of each word again: means, shape (resamples, words, d), by group."""
    stimuli, groups = stimuli_covered(given.coverage), (OF_TARGETS, *given.head["groups"])
    rngs = {
        name: generator_of(given.seed, {name: stimuli[name]}, "resamples of contexts")
        for name in groups
    }

    def draw(resamples: int) -> dict[str, Array]:
        means = {}
        for name, rng in rngs.items():
            parts, rows = Stimuli.of_group(given.coverage[name]), single[name]
            order, ends = np.argsort(parts.of, kind="stable"), np.cumsum(parts.sizes)
            means[name] = np.empty((resamples, len(parts), rows.shape[1]))
            for i, (end, size) in enumerate(zip(ends, parts.sizes.tolist(), strict=True)):
                weights = bootstrap_counts(size, resamples, rng) / size
                means[name][:, i] = weights @ rows[order[end - size : end]]
        return means

    return draw


def _unit(rows: Array) -> Array:
    """Rows of length 1 along the last axis; NaN for rows that cancelled out."""
    lengths = np.sqrt(np.einsum("...d,...d->...", rows, rows))[..., None]
    return np.asarray(rows / np.where(lengths > NOTHING, lengths, np.nan))


def _direction(rows: Array) -> Array:
    """Unit vector of the mean of some rows; NaN where they cancel out, or there are none."""
    mean = kernels.mean_row(rows) if len(rows) else np.zeros(rows.shape[1])
    if not len(rows) or np.abs(mean).max() <= 1e-15 * np.abs(rows).max():
        return np.full(len(mean), np.nan)
    unit: Array = kernels.unit_rows(mean[None])[0]
    return unit


def of_labels(given: Input, scale: float) -> GroupAssociations:
    """Proportions of groups in a softmax over all their words (Radford et al. 2021, section 3.1.2).

    The concept is the mean of the readings of its targets. Permutation words leaves every reading
    as it is; in a resample of words all are computed anew.
    """
    names, barred, counted = separate_targets(given)
    rows = {name: kernels.unit_rows(rows) for name, rows in given.rows.items()}
    groups = [rows[group] for group in given.head["groups"]]
    sizes = tuple(map(len, groups))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    similar = kernels.similarities(rows[OF_TARGETS], np.concatenate(groups))
    powers = label_powers(similar, scale)
    readings = powers / powers.sum(axis=1, keepdims=True)
    concept = readings[counted].mean(axis=0) if counted.any() else np.full(sum(sizes), np.nan)

    def draw(resamples: int) -> Drawn:
        of_targets, of_groups = _bootstrap_weights(given, counted, resamples)
        totals = powers @ np.concatenate(of_groups, axis=1).T
        parts = [
            powers[:, start : start + size] @ weights.T / totals
            for start, size, weights in zip(starts, sizes, of_groups, strict=True)
        ]
        shares = np.stack(parts, axis=2).swapaxes(0, 1)
        with np.errstate(invalid="ignore"):
            means = np.einsum("rt,rtk->rk", of_targets, shares)
            means = means / of_targets.sum(axis=1, keepdims=True)
        return shares, means, of_targets

    return GroupAssociations(
        targets=names[OF_TARGETS],
        associations=np.add.reduceat(readings, starts, axis=1),
        concept=np.add.reduceat(concept, starts),
        barred=barred,
        cosines=np.vstack([readings, concept]),
        sizes=sizes,
        draw=draw,
        of_labels=True,
    )


def of_counts(targets: Sequence[str], counts: Array, given: Input) -> GroupAssociations:
    """Numbers of each target for each group; of the concept their sums (DivDist, section 4.1).

    Whole numbers are contexts: what shares may be behind them is sampled from the posterior of each
    target, and of the sum of the targets drawn. Contexts of known documents count as the number of
    independent ones that would say as much. Shares are as they are.
    """
    whole = bool((counts == np.round(counts)).all()) and counts.max(initial=0) < MOST_COUNTED
    contexts = whole and counts.sum(axis=1).max(initial=0) > 1
    known = counts
    if contexts and given.blocks is not None:  # as many independent contexts as say so much
        known = counts / design_effects(given.blocks[:, : len(counts)])[:, None]

    def draw(resamples: int) -> Drawn:
        rng = generator_of(given.seed, {OF_TARGETS: targets}, "resamples")
        weights = bootstrap_counts(len(targets), resamples, rng)
        sums = weights @ counts
        if not contexts:
            return np.repeat(counts[None], resamples, axis=0), sums, weights
        sums = weights @ known
        return posterior(known, resamples, rng), posterior(sums, 1, rng)[0], weights

    return GroupAssociations(
        targets=tuple(targets),
        associations=counts,
        concept=counts.sum(axis=0),
        draw=draw,
        fixed=not contexts,
        contexts=known if contexts else None,
    )


def stimuli_of_groups(given: Input) -> dict[str, tuple[str, ...]]:
    """Used words of targets and groups, of contexts the stimuli; groups may share none."""
    names = {name: group.stimuli for name, group in given.coverage.items()}
    folded = {group: {word.casefold() for word in names[group]} for group in given.head["groups"]}
    for first, second in combinations(folded, 2):
        if shared := sorted(folded[first] & folded[second]):
            raise CoverageError(
                f"the groups {first} and {second} share words",
                got=", ".join(shared),
                allowed="groups without a word in common",
                remedy="remove each shared word from one of the groups",
            )
    return names


def separate_targets(
    given: Input,
) -> tuple[dict[str, tuple[str, ...]], dict[str, str], NDArray[np.bool_]]:
    """Words, targets that are words of a group too with the reason, and which targets are not."""
    names = stimuli_of_groups(given)
    group_of = {word.casefold(): group for group in given.head["groups"] for word in names[group]}
    barred = {
        target: f"it is a word of {group_of[target.casefold()]}"
        for target in names[OF_TARGETS]
        if target.casefold() in group_of
    }
    return names, barred, np.array([name not in barred for name in names[OF_TARGETS]])


def _bootstrap_weights(
    given: Input, counted: NDArray[np.bool_], resamples: int
) -> tuple[Array, list[Array]]:
    """How often each target, and each word of each group, is sampled: (resamples, words) each."""
    stimuli = stimuli_covered(given.coverage)

    def draw(name: str, size: int) -> Array:
        if not size:
            return np.zeros((resamples, 0))
        rng = generator_of(given.seed, {name: stimuli[name]}, "resamples")
        return bootstrap_counts(size, resamples, rng)

    of_targets = np.zeros((resamples, len(counted)))
    of_targets[:, counted] = draw(OF_TARGETS, int(counted.sum()))
    return of_targets, [draw(group, len(given.rows[group])) for group in given.head["groups"]]


def permute_labels(
    evidence: GroupAssociations, tested: NDArray[np.bool_], permutations: int, given: Input
) -> tuple[list[LabelTest | None], LabelDesign | None]:
    """Test for each target, and last for the concept, whether the labels of the words matter."""
    tests: list[LabelTest | None] = [None] * len(tested)
    if evidence.cosines is None or not tested.any():
        return tests, None
    rows, sizes = evidence.cosines[tested], evidence.sizes
    total, two = relabellings(sizes), len(sizes) == 2
    if two and (total <= ALWAYS_EXACT or len(rows) <= FEW_TARGETS):
        answers = _mean_difference_tests(rows, sizes[0], given)
    else:
        answers = _label_tests(rows, sizes, permutations, given.rng)
        if two and tested[-1]:  # the concept alone is counted quickly
            answers[-1:] = _mean_difference_tests(rows[-1:], sizes[0], given)
    for place, test in zip(np.flatnonzero(tested).tolist(), answers, strict=True):
        tests[place] = test
    drawn = any(test.method == "sampled" for test in answers)
    return tests, LabelDesign(
        statistic=BETWEEN_SHARES if evidence.of_labels else BETWEEN,
        sizes=sizes,
        total=json_count(total),
        permutations=permutations if drawn else None,
        min_p=1 / (permutations + 1) if drawn else max(1 / total, SMALLEST),
    )


def _mean_difference_tests(rows: Array, n: int, given: Input) -> list[LabelTest]:
    """Two-sided tests of the difference of two means, by the permutation engine."""
    size = rows.shape[1]
    total = relabellings((n, size - n))
    how: Any = {"scale": given.magnified, "precision": given.precision}
    if size <= LARGEST and total <= ALWAYS_EXACT:
        counts = permutation_tests(rows, n, **how)[2]
        tails = [Tail.exact(count, total) for count in counts.tolist()]
    else:
        tails = [permutation_test(row, n, **how).two_sided for row in rows]
    return [
        LabelTest(
            p=tail.p, method=tail.method, count=json_count(tail.count), interval=tail.interval
        )
        for tail in tails
    ]


def _label_tests(
    rows: Array, sizes: Sequence[int], permutations: int, rng: np.random.Generator
) -> list[LabelTest]:
    """Tests of all rows by the same permutations, every one or some at random."""
    total, counts = (
        relabellings(sizes),
        label_tests(rows, sizes, permutations=permutations, rng=rng).tolist(),
    )
    if total <= MOST_LISTED:
        return [LabelTest(p=count / total, method="exact", count=count) for count in counts]
    ends = {count: clopper_pearson(count, permutations) for count in set(counts)}
    least = max(1 / total, SMALLEST)
    return [
        LabelTest(
            p=(count + 1) / (permutations + 1),
            method="sampled",
            count=count,
            interval=(max(ends[count][0], least), ends[count][1]),
        )
        for count in counts
    ]
