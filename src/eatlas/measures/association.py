"""Measures of association: their parameters, and effect sizes with p-values of two groups.

What associates a target with an attribute is a dot product of rows that stand for the terms, so
that levels 1 to 3 are computed alike: cosine takes unit vectors, projection takes their coordinates
along one direction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from eatlas import kernels
from eatlas.errors import CoverageError, SignatureError, SourceError
from eatlas.measures.base import (
    FLAG,
    FROM_0,
    SHARE,
    Allowed,
    Array,
    Input,
    Measure,
    Needs,
    Wish,
    is_number,
    parameter,
    whole,
)
from eatlas.measures.p_values import counted, of_spread, remarks, to_record
from eatlas.notes import Note
from eatlas.results.inference import SesoiUnit
from eatlas.results.levels import Level
from eatlas.results.parts import Coverage
from eatlas.stats import permutation
from eatlas.stats.bootstrap import PatternRule, TailRule
from eatlas.stats.effect_size import effect_size
from eatlas.stats.permutation import (
    DRAWING,
    DRAWS,
    METHODS,
    STUDENTISED_METHODS,
    PermutationResult,
)
from eatlas.stats.shares import LARGEST_SCALE

Association = Literal["cosine", "projection"]
Statistic = Literal["difference", "studentised"]
"""What is compared over relabellings."""
LEAST_LISTS = 100
"""Random lists to compare a test with: with fewer no p below .01 can be seen."""
_FREQUENCY = Allowed(
    f"auto, off, or a whole number from {LEAST_LISTS}", whole(LEAST_LISTS, "auto", "off").includes
)
OF_MODEL = "model"
"""The scale that a source states."""
SCALE = Allowed(
    f"model, or a number above 0 and up to {LARGEST_SCALE:g}",
    lambda value: value == OF_MODEL or (is_number(value) and 0 < value <= LARGEST_SCALE),
)


@dataclass(frozen=True)
class AssociationMeasure(Measure):
    """A measure of association between targets and attributes; a frozen value.

    Parameters
    ----------
    alpha : float
        Significance level, between 0 and 1.
    ddof : {1, 0}
        Denominator of the standard deviation in the effect size: N - ddof.
    p : {"auto", "exact", "inversion", "sampled", "normal"}
        How p-values are found; ``auto`` counts, inverts or draws, and the result says what it
        did. The others reproduce published work.
    draws : int
        Random relabellings, where `p` is ``sampled``.
    strict : bool
        Count only relabellings beyond the observed statistic, without those that tie with it.
    statistic : {"difference", "studentised"}
        What is relabelled: the difference of the two means, or that difference divided by its
        standard error (Janssen 1997; Chung and Romano 2013) on the normal scale of its degrees of
        freedom, which allows for groups that differ in size and in spread. Studentised p-values
        are counted or drawn at random.
    """

    kind: ClassVar[str] = "association"
    compared: ClassVar[tuple[str, ...]] = ("X", "A")
    """First groups of the pairs whose scores are compared: X with Y, A with B."""

    alpha: float = parameter(0.05, SHARE)
    ddof: int = parameter(1, Allowed("1 or 0", lambda ddof: type(ddof) is int and ddof in {0, 1}))
    p: str = parameter("auto", Allowed(", ".join(METHODS), lambda value: value in METHODS))
    _: KW_ONLY
    draws: int = parameter(DRAWS, whole(1), optional=True)
    strict: bool = parameter(default=False, allowed=FLAG, optional=True)
    statistic: Statistic = parameter("difference", Statistic, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.studentised and self.p not in STUDENTISED_METHODS:
            raise SignatureError(
                f"{self.name}: a studentised statistic is counted or drawn at random",
                got=f"p={self.p}, statistic=studentised",
                allowed=f"p={', p='.join(STUDENTISED_METHODS)}; or statistic=difference",
            )

    def idle(self) -> set[str]:
        """Parameters that the signature leaves out."""
        return super().idle() - ({"draws"} if self.p in DRAWING else set())

    @property
    def needs(self) -> Needs:
        """Vectors, and ranks of words by frequency."""
        return Needs(ranks="ranks")

    @property
    def studentised(self) -> bool:
        """Whether the difference of means is divided by its standard error."""
        return self.statistic == "studentised"

    def level(
        self,
        first: Array,
        second: Array,
        place: str,
        notes: list[Note],
        given: Input,
        answer: PermutationResult | None = None,
        *,
        spread: bool = True,
    ) -> Level:
        """Effect size and permutation p-values of two groups of scores.

        `answer` is given where the p-values are found in another way; without `spread` nothing is
        remarked on groups that differ in size and spread.
        """
        scores, n = np.concatenate([first, second]), (len(first), len(second))
        scale, precision = given.magnitude, given.precision
        difference, d = effect_size(scores, n[0], ddof=self.ddof, scale=scale, precision=precision)
        if answer is None and not self.studentised and self.p not in DRAWING:
            p = counted(scores.tobytes(), n[0], self.p, scale, self.strict, precision)
        else:
            p = answer or self.relabelled(scores, n[0], given, scale)
        record = to_record(p)
        if np.isnan(d):
            notes.append(Note("undefined.effect-size", place))
        else:
            notes.extend(remarks(record, place, n, self.alpha))
            if spread and answer is None and not self.studentised:
                notes.extend(of_spread(first, second, place))
        return Level(effect_size=None if np.isnan(d) else d, difference=difference, n=n, p=record)

    def relabelled(self, scores: Array, n: int, given: Input, scale: float) -> PermutationResult:
        """P-values of the first `n` scores against the others, as the parameters find them."""
        test = permutation.studentised_test if self.studentised else permutation.permutation_test
        return test(
            scores,
            n,
            method=self.p,
            scale=scale,
            strict=self.strict,
            rng=given.rng,
            draws=self.draws,
            precision=given.precision,
        )


@dataclass(frozen=True)
class PatternMeasure(AssociationMeasure):
    """A measure that says which of two associations at level 2 are there.

    Parameters
    ----------
    tail, threshold
        As in :class:`eatlas.MLEAT`.
    """

    tail: TailRule = parameter("directional", TailRule)
    threshold: float = parameter(0.2, FROM_0)

    @property
    def rule(self) -> PatternRule:
        """When a target counts as associated."""
        return PatternRule(self.alpha, self.threshold, self.tail, self.ddof)


@dataclass(frozen=True)
class ResampledMeasure(AssociationMeasure):
    """A measure whose findings are resampled.

    Parameters
    ----------
    resamples, confidence
        As in :class:`eatlas.MLEAT`.
    """

    _: KW_ONLY
    resamples: int | Literal["auto"] = parameter("auto", whole(0, "auto"), optional=True)
    confidence: float = parameter(0.95, SHARE, optional=True)


@dataclass(frozen=True)
class LevelsMeasure(ResampledMeasure):
    """A measure of levels of association, which may be smaller than what matters.

    Parameters
    ----------
    sesoi, sesoi_unit
        As in :class:`eatlas.MLEAT`.
    """

    _: KW_ONLY
    sesoi: float = parameter(0.0, FROM_0, optional=True)
    sesoi_unit: SesoiUnit = parameter("d", SesoiUnit, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.sesoi_unit == "d":
            self.check("sesoi", Allowed("0 for none, and below 2", lambda d: d < 2))
        else:
            stated = f"a difference above 0, with sesoi_unit={self.sesoi_unit}"
            self.check("sesoi", Allowed(stated, lambda difference: 0 < difference < np.inf))


@dataclass(frozen=True)
class TwoTargetMeasure(LevelsMeasure):
    """A measure of two target groups by their vectors.

    Parameters
    ----------
    association, direction, frequency
        As in :class:`eatlas.MLEAT`.
    """

    _: KW_ONLY
    association: Association = parameter("cosine", Association, optional=True)
    direction: str = parameter(
        "", Allowed("a text of defining pairs", lambda value: isinstance(value, str)), optional=True
    )
    frequency: int | str = parameter("auto", _FREQUENCY, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.association == "cosine":
            allowed = "no direction, or association=projection"
            self.check("direction", Allowed(allowed, lambda direction: not direction))
        else:
            defining_pairs(self.direction)

    @property
    def needs(self) -> Needs:
        """The terms of the defining pairs; and random words, as `frequency` says."""
        pairs = defining_pairs(self.direction) if self.direction else ()
        ranks: dict[Any, Wish | None] = {"off": None, "auto": "cheap"}
        words = tuple(term for pair in pairs for term in pair)
        return Needs(words=words, ranks=ranks.get(self.frequency, "always"))

    def arranged(
        self, vectors: dict[str, Array], coverage: Coverage, words: Mapping[str, Array]
    ) -> dict[str, Any]:
        """Unit rows, or their coordinates along a direction that no term of a test decides."""
        fields = super().arranged(vectors, coverage, words)
        if self.association == "cosine":
            return fields
        unit, terms = fields["rows"], self.needs.words
        pairs = kernels.unit_rows(np.array([words[term] for term in terms]))
        direction = kernels.pair_direction(pairs[0::2], pairs[1::2])
        if not np.any(direction):
            raise CoverageError(
                "there is no direction to project on",
                got="the terms of each defining pair coincide",
                remedy="name defining pairs that differ, or use association=cosine",
            )
        rows = {role: kernels.coordinates(unit[role], direction) for role in unit}
        return {"rows": rows, "unit": unit}


def defining_pairs(direction: str) -> tuple[tuple[str, ...], ...]:
    """Read the defining pairs of a direction, such as ``she/he;woman/man``."""
    pairs = tuple(
        tuple(term.strip() for term in pair.split("/")) for pair in direction.strip(" ;").split(";")
    )
    if not all(len(pair) == 2 and all(pair) and pair[0] != pair[1] for pair in pairs):
        raise SignatureError(
            "a projection needs the pairs that name its direction",
            got=repr(direction),
            allowed='pairs of two different terms, such as direction="she/he;woman/man"',
        )
    return pairs


def scale_of(wanted: float | str, encoding: Any, source: str, measure: str) -> float:
    """The logit scale: that of a signature, or that which a source states."""
    if wanted != OF_MODEL:
        return float(wanted)
    stated: float | None = None if encoding is None else encoding.logit_scale
    if stated is None:
        raise SourceError(
            f"{source} states no logit scale, so that its cosines are not probabilities",
            got="vectors that were not trained to classify by a softmax"
            if encoding is None
            else f"a model of the class {encoding.architecture}",
            allowed=f"two-tower models such as clip:NAME for {measure}",
            remedy="state a scale to read them so nevertheless: "
            f"{measure}(scale=100{', soa=softmax' * (measure == 'divdist')}), as CLIP's",
        )
    return stated


def magnified(given: Input, scale: float) -> Input:
    """The same input, its rounding by as much larger as the softmax makes it.

    A share p moves by at most ``scale p (1 - p)`` times a change of a cosine, and twice that where
    all cosines change.
    """
    factor = max(scale / 2, 1.0)
    if given.precision is None:
        return replace(given, magnified=factor)
    return replace(given, precision=given.precision * factor)


def remarks_on(given: Input, scale: float, groups: Sequence[str]) -> list[Note]:
    """What a reader must know of the scale and of the sizes of the groups of labels."""
    notes, encoding = [], given.head["encoding"]
    stated = None if encoding is None else encoding.logit_scale
    if stated is None:
        notes.append(Note("shares.scale-by-hand", "logit_scale", {"scale": scale}))
    elif stated != scale:
        values = {"scale": scale, "of_model": stated}
        notes.append(Note("shares.scale-differs", "logit_scale", values))
    if encoding is not None and encoding.logit_bias is not None:
        notes.append(Note("shares.sigmoid"))
    sizes = {group: len(given.coverage[group].stimuli) for group in groups}
    if len(set(sizes.values())) > 1:
        notes.append(Note("shares.labels", values={"labels": sizes}))
    return notes
