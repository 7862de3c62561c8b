"""The Word Embedding Association Test (Caliskan, Bryson and Narayanan 2017)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, fields, replace
from typing import Any, ClassVar, Literal

import numpy as np

from eatlas import kernels
from eatlas.errors import CoverageError, SignatureError, StimulusError
from eatlas.measures.association import AssociationMeasure
from eatlas.measures.base import (
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
from eatlas.measures.inference import FacetTable, design_power, generalise_input
from eatlas.measures.levels import (
    COMPARED,
    Contrasts,
    Ordered,
    Stimuli,
    contrasts_of,
    levels_of,
    repeats_stimuli,
    scores_to_store,
    sides,
    stimuli_of,
    too_many,
)
from eatlas.measures.resampling import Over, Variation, variation
from eatlas.measures.robustness import robustness
from eatlas.measures.units import TestUnits, stimulus_table, unit_levels
from eatlas.notes import OVER_STIMULI, Note
from eatlas.results import AssociationResult, WEATResult
from eatlas.results.levels import Level, SentenceCounts, StimulusLevel, Unit
from eatlas.results.parts import Coverage
from eatlas.stimuli import ATTRIBUTES, TARGETS, Test

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

    Notes
    -----
    If a test has a target group of one term, there are no labels to permute and d is a constant.
    Each target is then tested by an SC-EAT, with the signature ``SC-EAT(...,instead_of=weat)``;
    `over`, `resamples`, `confidence` and `frequency` have no meaning.

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

    takes_single_target: ClassVar[bool] = True
    """Whether a target group of one term is tested, by an SC-EAT."""

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
                got="all defining pairs have the same difference, which pca=centred removes"
                if centred
                else "the terms of each defining pair coincide",
                remedy="use defining pairs that differ, or association=cosine",
            )
        # scalar projections: their products are the part of a cosine that is in the direction
        rows = {role: kernels.associations(unit[role], direction)[:, None] for role in unit}
        return {"rows": rows, "unit": unit}

    def for_test(self, test: Test) -> AssociationMeasure:
        """An SC-EAT with the same parameters, if a target group has one term."""
        if not self.takes_single_target or all(len(test.concept(g).terms) > 1 for g in TARGETS):
            return self
        from eatlas.measures.sc_eat import SCEAT  # noqa: PLC0415  (few tests have a single target)

        if self.association == "projection":
            raise StimulusError(
                "a target group of one term is tested by an SC-EAT, which has no projection",
                allowed="association=cosine, or two terms in each target group",
            )
        names = {field_.name for field_ in fields(AssociationMeasure)}
        own = {name: value for name, value in self.get_params().items() if name in names}
        return SCEAT(**own, instead_of="weat")

    def compute(self, given: Input, notes: list[Note]) -> AssociationResult:
        """Level 1 only."""
        return WEATResult(
            **given.head | compare_groups(self, self.variation(given, notes), level2=False)
        )

    def variation(self, given: Input, notes: list[Note]) -> Variation:
        """What is sampled again."""
        ordered = Ordered.of(given.rows, given.coverage)
        how: Any = {"over": self.over}
        return Variation(given, ordered, notes, self.resamples, self.confidence, self.ddof, **how)


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


def compare_groups(
    measure: AssociationMeasure,
    vary: Variation,
    *,
    level2: bool = True,
    further: FacetTable | None = None,
) -> dict[str, Any]:
    """Compare groups of scores, and say how robust the findings are.

    Where stimuli have several sentences, the means over them are compared as well; where a group
    has one stimulus alone there is nothing to relabel, which a note says. With a table of further
    facets, whose words are in the order of the coverage, claims are about other units of these too.
    """
    given, ordered, notes = vary.given, vary.ordered, vary.notes
    stimuli = stimuli_of(given.coverage)
    sentences = repeats_stimuli(stimuli)
    over_stimuli = sentences and vary.over == "stimuli"
    contrasts = read = contrasts_of(given.rows, level2=level2)
    levels: dict[str, Level | None] = {}
    for place, (first, second) in contrasts.items():
        levels[place] = measure.level(first, second, place, notes, given)
    fields = judged = levels_of(levels, measure.rule)
    if over_stimuli:
        read, of_stimuli = _compare_stimuli(measure, vary, stimuli, contrasts)
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
            **judged, sentences=SentenceCounts(counts), scores=scores_to_store(read), **varied_over
        )
    pairs, units = stimulus_table(ordered, table), TestUnits.of(given, ordered)
    joined = of_facets = None
    of_units = None if pairs is None else units.average(pairs)
    if of_units is not None and units.has_clusters:
        joined = unit_levels(measure, given, units, ordered.names, of_units, level2=level2)
    if further is not None:
        pairs = ordered.sort_table(further.values)
        of_units = units.average(pairs)
    if of_units is not None:
        of_facets = FacetTable(of_units, further.facets if further else ())
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
        "scores": scores_to_store(contrasts),
        "stimulus_level": over,
        "units": joined,
        "generalisation": generalise_input(
            given, of_facets, units, notes, vary.confidence, sentences=sentences, level2=level2
        ),
        "power": power,
    }
    if too_many(given.rows):
        pairs = None
    return found | robustness(measure, given, found, notes, pairs)


def _compare_stimuli(
    measure: AssociationMeasure, vary: Variation, stimuli: Mapping[str, Stimuli], scores: Contrasts
) -> tuple[Contrasts, dict[str, Level | None]]:
    """Mean scores of stimuli over their sentences, and levels that compare them, by place."""
    means, levels = dict[str, tuple[Array, Array]](), dict[str, Level | None]()
    for place, (first, second) in scores.items():
        roles = COMPARED[place]
        means[place] = stimuli[roles[0]].means(first), stimuli[roles[1]].means(second)
        levels[place], at = None, f"{OVER_STIMULI}{place}"
        alone = [r for r, mean in zip(roles, means[place], strict=True) if len(mean) < 2]
        if alone:
            vary.notes.append(Note("undefined.one-stimulus", at, {"groups": alone}))
        else:
            levels[place] = measure.level(*means[place], at, vary.notes, vary.given)
    return means, levels
