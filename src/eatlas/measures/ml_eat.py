"""WEAT; and ML-EAT, whose three levels and EAT pattern begin with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np

from eatlas import kernels
from eatlas.errors import CoverageError, SignatureError
from eatlas.measures.association import AssociationMeasure
from eatlas.measures.base import (
    FROM_0,
    SHARE,
    Allowed,
    Array,
    Input,
    Needs,
    Pca,
    Topical,
    Wish,
    parameter,
    whole,
)
from eatlas.measures.inference import design_power, generalised_input
from eatlas.measures.levels import (
    COMPARED,
    Ordered,
    contrasts_of,
    kept_scores,
    level3,
    levels_of,
    several,
    sides,
    similarities,
    stimuli_of,
    too_many,
)
from eatlas.measures.resampling import Over, Variation, variation
from eatlas.measures.robustness import robustness
from eatlas.measures.units import TestUnits, stimulus_table, unit_levels
from eatlas.notes import OVER_STIMULI, Note
from eatlas.results import AssociationResult, MLEATResult, WEATResult
from eatlas.results.levels import Level, SentenceCounts, StimulusLevel, Unit
from eatlas.results.parts import Coverage
from eatlas.stats.bootstrap import PatternRule, TailRule
from eatlas.stimuli import ATTRIBUTES, ROLES, TARGETS

Association = Literal["cosine", "projection"]
_PAIRS = Allowed("a text of defining pairs", lambda value: isinstance(value, str))


@dataclass(frozen=True)
class WEAT(AssociationMeasure):
    """Word Embedding Association Test (Caliskan, Bryson and Narayanan 2017).

    For each target w, s(w, A, B) = mean cos(w, a) - mean cos(w, b). The effect size is the
    difference of the means of s over X and over Y, divided by the standard deviation of s over
    their union; the p-values permute the target labels (equations 1 to 4 of Wolfe, Hiniker and
    Howe 2024, where it is level 1).

    Parameters
    ----------
    alpha : float, default 0.05
        Significance level, between 0 and 1; it only decides which designs are warned about.
    ddof : {1, 0}, default 1
        Denominator of the standard deviation: N - ddof. WEFE uses 0.
    p, draws, strict, statistic, adjust, over, association, direction, pca, resamples, \
confidence, frequency
        As in :class:`eatlas.MLEAT`.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("weat-6")
    >>> result = eatlas.WEAT()(test, "glove-sample")
    >>> round(result.effect_size, 2), result.level1.p.count.greater
    (1.72, 1)
    """

    name: ClassVar[str] = "weat"
    compared: ClassVar[tuple[str, ...]] = TARGETS[:1]
    minimum: ClassVar = {**dict.fromkeys(TARGETS, 2), **dict.fromkeys(ATTRIBUTES, 1)}

    _: KW_ONLY
    over: Over = parameter("stimuli", Over, optional=True)
    association: Association = parameter("cosine", Association, optional=True)
    direction: str = parameter("", _PAIRS, optional=True)
    pca: Pca = parameter("uncentred", Pca, optional=True)
    resamples: int | Literal["auto"] = parameter("auto", whole(0, "auto"), optional=True)
    confidence: float = parameter(0.95, SHARE, optional=True)
    frequency: Topical = parameter("auto", Topical, optional=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.association == "cosine":
            allowed = "no direction, or association=projection"
            self.check("direction", Allowed(allowed, lambda direction: not direction))
            allowed = "uncentred, or association=projection"
            self.check("pca", Allowed(allowed, lambda pca: pca == "uncentred"))
        else:
            defining_pairs(self.direction)

    @property
    def needs(self) -> Needs:
        """The terms of the defining pairs; and words of topics, as `frequency` says."""
        pairs = defining_pairs(self.direction) if self.direction else ()
        off: Wish | None = None if self.adjust == "none" else "ranks"
        ranks: dict[Topical, Wish | None] = {"off": off, "auto": "cheap", "on": "always"}
        words = tuple(term for pair in pairs for term in pair)
        return Needs(words=words, ranks=ranks[self.frequency])

    def arranged(
        self, vectors: dict[str, Array], coverage: Coverage, words: Mapping[str, Array]
    ) -> dict[str, Any]:
        """Unit rows, or their coordinates along a direction that no term of a test decides."""
        fields = super().arranged(vectors, coverage, words)
        if self.association == "cosine":
            return fields
        unit, terms = fields["rows"], self.needs.words
        pairs = kernels.unit_rows(np.array([words[term] for term in terms]))
        centred = self.pca == "centred"
        direction = kernels.pair_direction(pairs[0::2], pairs[1::2], centred=centred)
        if not np.any(direction):
            raise CoverageError(
                "there is no direction to project on",
                got="the defining pairs all have one difference, which pca=centred takes out"
                if centred
                else "the terms of each defining pair coincide",
                remedy="name defining pairs that differ, or use association=cosine",
            )
        # scalar projections: their products are the part of a cosine that is in the direction
        rows = {role: kernels.associations(unit[role], direction)[:, None] for role in unit}
        return {"rows": rows, "unit": unit}

    def compute(self, given: Input, notes: list[Note]) -> AssociationResult:
        """Level 1 alone."""
        return WEATResult(**given.head | compared(self, self.varied(given, notes), level2=False))

    def varied(self, given: Input, notes: list[Note]) -> Variation:
        """What is drawn again."""
        ordered = Ordered.of(given.rows, given.coverage)
        how: Any = {"over": self.over}
        return Variation(given, ordered, notes, self.resamples, self.confidence, self.ddof, **how)


@dataclass(frozen=True)
class MLEAT(WEAT):
    """Multilevel Embedding Association Test (Wolfe, Hiniker and Howe 2024).

    Level 1 is the WEAT: the differential association of X and Y with A and B (equations 1 to 4).
    Level 2 is the differential association of X alone, and of Y alone, with A and B (equations
    5 to 8); its p-values permute the attribute labels. Level 3 is the mean and standard deviation
    of the cosines of each target group with each attribute group (equations 10 and 11). The EAT
    pattern says which level 2 associations are there.

    Parameters
    ----------
    alpha : float, default 0.05
        A level 2 association needs p < alpha.
    ddof : {1, 0}, default 1
        Denominator of the standard deviation in effect sizes: N - ddof.
    p : {"auto", "exact", "sampled", "normal"}
        How p-values are found; default "auto".
    draws : int, default 100,000
        Random relabellings, where `p` is "sampled".
    strict : bool, default False
        Count only relabellings beyond the observed statistic, without ties.
    statistic : {"difference", "studentised"}, default "difference"
        What is relabelled: the difference of means, or that over its standard error, which allows
        for groups that differ in size and in spread; its p-values are counted up to 1,000,000
        relabellings and drawn beyond.
    adjust : {"frequency", "none"}, default "frequency"
        Levels 1 and 2 and the pattern are also found adjusted for the frequency of the words, where
        the source has its words in that order, and for the covariates of a run; none: not at all.
    over : {"stimuli", "sentences"}, default "stimuli"
        In tests of sentences, what is read and relabelled: stimuli, each with all its sentences; or
        single sentences, as May et al. (2019) publish the SEAT, without an account of frequency.
    tail : {"directional", "two-sided"}, default "directional"
        Which p-value decides on an association: that of the tail of the observed sign, as in the
        published tables (its false-positive rate is about 2 alpha), or the two-sided one. The
        result has the pattern under both.
    threshold : float, default 0.2
        A level 2 association needs ``|d| > threshold``.
    association : {"cosine", "projection"}, default "cosine"
        Cosine, or the product of projections on one direction (Bolukbasi et al. 2016).
    direction : str, default ""
        Defining pairs of that direction, such as ``"she/he;woman/man"``; a projection needs them.
    pca : {"uncentred", "centred"}, default "uncentred"
        That direction is the first principal component of the differences of the pairs as they
        are, as Bolukbasi et al. have it, or less their mean.
    resamples : int or "auto", default "auto"
        Bootstrap resamples behind intervals and shares of patterns; 0 for none. Auto: from
        100,000 for short lists to 10,000 for very long ones.
    confidence : float, default 0.95
        Nominal confidence of the intervals.
    frequency : {"auto", "on", "off"}, default "auto"
        Whether the test is compared with pairs of random topics, as near to one another as its
        lists, where the source has its words in order of frequency; "auto": if it takes less than
        a second to read all words.

    Examples
    --------
    >>> import eatlas
    >>> (test,) = eatlas.load_tests("weat-10")
    >>> result = eatlas.MLEAT()(test, "glove-sample")
    >>> result.pattern.label
    'A-Uniform'
    """

    name: ClassVar[str] = "ml-eat"
    compared: ClassVar = ("X", "A")
    minimum: ClassVar = dict.fromkeys(ROLES, 2)

    tail: TailRule = parameter("directional", TailRule)
    threshold: float = parameter(0.2, FROM_0)

    @property
    def rule(self) -> PatternRule:
        """When a target counts as associated."""
        return PatternRule(self.alpha, self.threshold, self.tail, self.ddof)

    def compute(self, given: Input, notes: list[Note]) -> MLEATResult:
        """Three levels and the pattern."""
        if self.association == "projection":
            notes.append(Note("measure.one-direction"))
        levels = compared(self, self.varied(given, notes))
        return MLEATResult(
            **given.head | levels,
            level3=level3(given.rows),
            similarities=similarities(given.rows),
        )


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


def compared(
    measure: AssociationMeasure, vary: Variation, *, level2: bool = True
) -> dict[str, Any]:
    """Compare groups of scores, and say how robust the findings are.

    Where stimuli have several sentences, the means over them are compared as well; where a group
    has one stimulus alone there is nothing to relabel, which a note says.
    """
    given, ordered, notes = vary.given, vary.ordered, vary.notes
    stimuli = stimuli_of(given.coverage)
    sentences = several(stimuli)
    over_stimuli = sentences and vary.over == "stimuli"
    contrasts = read = contrasts_of(given.rows, level2=level2)
    levels: dict[str, Level | None] = {}
    for place, (first, second) in contrasts.items():
        levels[place] = measure.level(first, second, place, notes, given)
    fields = judged = levels_of(levels, measure.rule)
    if over_stimuli:
        read, of_stimuli = {}, dict[str, Level | None]()
        for place, (first, second) in contrasts.items():
            roles = COMPARED[place]
            read[place] = stimuli[roles[0]].means(first), stimuli[roles[1]].means(second)
            of_stimuli[place], at = None, f"{OVER_STIMULI}{place}"
            alone = [r for r, scores in zip(roles, read[place], strict=True) if len(scores) < 2]
            if alone:
                notes.append(Note("undefined.one-stimulus", at, {"groups": alone}))
            else:
                of_stimuli[place] = measure.level(*read[place], at, notes, given)
        judged = levels_of(of_stimuli, measure.rule)
    table = None
    if not sentences and not too_many(ordered.rows):
        table = kernels.similarities(*sides(ordered.rows))
    varied, varied_over = variation(replace(vary, levels=3 if level2 else 1), measure, table)
    over = None
    if over_stimuli:
        counts = {
            role: dict(zip(given.coverage[role].stimuli, group.sizes.tolist(), strict=True))
            for role, group in stimuli.items()
        }
        over = StimulusLevel(
            **judged, sentences=SentenceCounts(counts), scores=kept_scores(read), **varied_over
        )
    pairs, units = stimulus_table(ordered, table), TestUnits.of(given, ordered)
    of_units = None if pairs is None else units.average(pairs)
    joined = None
    if of_units is not None and units.joined:
        joined = unit_levels(measure, given, units, ordered.names, of_units, level2=level2)
    n = {place: (len(first), len(second)) for place, (first, second) in read.items()}
    # of sentences that are not independent no power is known
    power = None
    if over_stimuli or not sentences:
        unit: Unit = "stimulus" if sentences else "term"
        design = n["level1"], n.get("level2.X")
        power = design_power(*design, alpha=measure.alpha, unit=unit)
    found = {
        **fields,
        **varied,
        "scores": kept_scores(contrasts),
        "stimulus_level": over,
        "units": joined,
        "generalisation": generalised_input(
            given, of_units, units, notes, vary.confidence, sentences=sentences, level2=level2
        ),
        "power": power,
    }
    if too_many(given.rows):
        pairs = None
    return found | robustness(measure, given, found, notes, pairs)
