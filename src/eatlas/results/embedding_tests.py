"""Records of WEAT, ML-EAT and SC-EAT: what embedding association tests found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from eatlas.results.base import AssociationResult, measured
from eatlas.results.effects import Effect, Primary, shown
from eatlas.results.inference import (
    EffectInterval,
    Equivalence,
    Generalisation,
    Influence,
    Interval,
    Power,
    Uncertainty,
)
from eatlas.results.levels import (
    CELLS,
    DrawsRecord,
    Level,
    Level2,
    Level3,
    OverDraws,
    Pattern,
    Scores,
    SentenceCounts,
    StimulusMLEAT,
    StimulusWEAT,
    TargetScores,
)
from eatlas.results.parts import TAILS, ByGroup, LanguageModelRecord, Probability, Record, at
from eatlas.stimuli.association_test import ROLES, TARGETS


class LevelsResult(AssociationResult):
    """What a measure found that compares X with Y at level 1, and what it says about other words.

    Each part is None where the measure, or the test, does not have it.
    """

    level1: Level
    """The differential association of X and Y with A and B."""
    scores: TargetScores
    stimulus_level: StimulusWEAT | None = None
    """The same over stimuli; None in tests of words, and where each has one sentence."""
    uncertainty: Uncertainty | None = None
    """Intervals, and shares of patterns; None where the measure does not resample."""
    influence: Influence | None = None
    """Change of each effect size without each term; None where a group has one term alone."""
    generalisation: Generalisation | None = None
    """Whether other targets and other attributes would show it."""
    power: Power | None = None
    """What a design of these sizes can find."""
    equivalence: Equivalence | None = None
    """Whether effects are smaller than the smallest one of interest; None where none was stated."""

    def levels(self) -> list[Effect]:
        """Effect sizes of levels 1 and 2."""
        return [effect for effect in self.effects() if effect.place.startswith("level")]

    def rows(self) -> list[dict[str, Any]]:
        """One row: effect sizes and p-values, level 3, the pattern, what other words would show.

        These are the columns of the papers' Table 1 and the p-values behind its stars. Where
        stimuli are read, the same over single sentences follows, in columns `sentence_...`.
        """
        read, levels = self.primary, self.levels()
        row = {**self.head(), "read_over": read.over}
        for effect in levels:
            row |= effect.columns()
        for name, cell in self.level3 or ():
            row |= {f"mean_{name}": cell.mean, f"sd_{name}": cell.sd}
        if self.pattern is not None:
            row["pattern"] = read.pattern and read.pattern.label
            row["two_sided_pattern"] = read.pattern and read.pattern.two_sided_label
            row["pattern_share"] = read.share
        row["used"], row["missing"] = self.coverage.counts()
        row |= inference_columns(levels, self.equivalence)
        if self.frequency is not None:
            row |= self.frequency.columns(self.pattern.label if self.pattern else None)
        if read.over_stimuli:
            for single in (effect.over_sentences for effect in self.effects()):
                row |= single.columns("sentence_") if single else {}
            if self.pattern is not None:
                row["sentence_pattern"] = self.pattern.label
                row["sentence_two_sided_pattern"] = self.pattern.two_sided_label
        return [row]


class WEATResult(LevelsResult):
    """What :class:`eatlas.WEAT` found."""

    display_name: ClassVar[str] = "WEAT"
    full_name: ClassVar[str] = (
        "the Word Embedding Association Test (WEAT; Caliskan, Bryson and Narayanan 2017)"
    )
    remark: ClassVar[str] = (
        "A WEAT compares two targets; it does not say what either is associated with by itself."
    )
    places: ClassVar[tuple[str, ...]] = ("level1",)

    measure: Literal["weat"] = "weat"

    @property
    def effect_size(self) -> float | None:
        """Effect size d that is read, in standard deviations.

        Over stimuli where one has several sentences. None where the scores have no spread, and
        where a target group has one stimulus alone.
        """
        return self.d

    def summary(self) -> str:
        """Effect size and one-sided p."""
        (effect,) = self.effects()
        if effect.p is None:
            return "d is undefined over stimuli"
        over = " over stimuli" * self.primary.over_stimuli
        return f"d = {shown(effect.d)}, p(greater) = {effect.p.greater:.3g}{over}"


LARGEST_COSINE = 1 + 1e-6
"""That of a vector with itself is 1 but for rounding."""


class ThreeLevelResult(LevelsResult):
    """What a measure at three levels found, whatever associates a target with an attribute."""

    places: ClassVar[tuple[str, ...]] = ("level1", "level2.X", "level2.Y")

    level2: Level2
    level3: Level3
    pattern: Pattern
    scores: Scores
    stimulus_level: StimulusMLEAT | None = None
    """Levels 1 and 2 and the pattern over stimuli; None in tests of words, and where each stimulus
    has one sentence."""
    similarities: tuple[tuple[float, ...], ...] | None = None
    """Cosines of each target (X then Y) with each attribute (A then B), to 6 decimals; None where
    there are too many to keep."""

    @model_validator(mode="after")
    def _cosines_are_cosines(self) -> Self:
        values = [abs(value) for _, cell in self.level3 for value in (cell.mean, *cell.quantiles)]
        values += [abs(value) for row in self.similarities or () for value in row]
        if self.unit == "cosine" and max(values) > LARGEST_COSINE:
            raise ValueError(f"a cosine of {max(values):g} is outside -1 to 1")
        return self

    def summary(self) -> str:
        """Pattern and the three effect sizes, over stimuli where these are read."""
        read = self.primary
        told = ", ".join(f"d{effect.suffix} = {shown(effect.d)}" for effect in self.levels())
        return f"{read.label}, {told}{', over stimuli' if read.over_stimuli else ''}"


class MLEATResult(ThreeLevelResult):
    """What :class:`eatlas.MLEAT` found."""

    display_name: ClassVar[str] = "ML-EAT"
    full_name: ClassVar[str] = (
        "the Multilevel Embedding Association Test (ML-EAT; Wolfe, Hiniker and Howe 2024), which "
        "compares two groups of target terms with two groups of attribute terms at three levels"
    )

    measure: Literal["ml-eat"] = "ml-eat"


class TermAssociation(Record):
    """One target term's differential association with A and B."""

    term: str
    group: Literal["X", "Y"]
    level2: Level


class SCEATResult(AssociationResult):
    """What :class:`eatlas.SCEAT` found, one entry for each target term."""

    display_name: ClassVar[str] = "SC-EAT"
    full_name: ClassVar[str] = (
        "the Single-Category Embedding Association Test (SC-EAT; Caliskan, Bryson and Narayanan "
        "2017) for each target term"
    )

    measure: Literal["sc-eat"] = "sc-eat"
    terms: tuple[TermAssociation, ...]
    power: Power | None = None
    """What the attributes of the test can find of one term; None in results of older versions."""
    stimulus_terms: tuple[TermAssociation, ...] | None = None
    """The same for each target stimulus, its cosines averaged over its sentences and those of each
    attribute stimulus, whose labels are permuted. None in tests of words, and where each stimulus
    has one sentence; empty where A or B has one stimulus alone."""

    @property
    def primary_terms(self) -> tuple[TermAssociation, ...]:
        """The associations that are read: of stimuli where one has several sentences."""
        return self.terms if self.stimulus_terms is None else self.stimulus_terms

    @property
    def over_stimuli(self) -> bool:
        """Whether stimuli are read, not terms."""
        return self.stimulus_terms is not None

    @property
    def primary(self) -> Primary:
        """What is read: terms, or stimuli where one has several sentences."""
        return replace(super().primary, over="stimuli" if self.over_stimuli else "terms")

    def effects(self) -> tuple[Effect, ...]:
        """The effect size of each term, or of each stimulus in tests of sentences."""
        rule, over = self.rule, self.primary.over
        return tuple(
            Effect(
                place="level2",
                title="Level 2",
                roles=entry.group,
                names=(entry.term,),
                d=entry.level2.effect_size,
                rule=rule,
                difference=entry.level2.difference,
                n=entry.level2.n,
                p=entry.level2.p,
                term=entry.term,
                read_over=over,
                design=self.power.level2 if self.power else None,
            )
            for entry in self.primary_terms
        )

    def rows(self) -> list[dict[str, Any]]:
        """One row for each target term, or stimulus in a test of sentences."""
        return [
            {
                **self.head(),
                "read_over": effect.read_over,
                "group": effect.roles[0],
                "term": effect.term,
                **self._rank(effect),
                **{k: v for k, v in effect.columns().items() if k.startswith(("effect", "p_"))},
                "smallest_d_level2": effect.design and effect.design.smallest_d,
            }
            for effect in self.effects()
        ]

    def _rank(self, effect: Effect) -> dict[str, Any]:
        """How frequent a term is, where that is known."""
        if self.frequency is None:
            return {}
        return {"rank": self.frequency.ranks.group(effect.roles[0]).terms.get(effect.name)}

    def summary(self) -> str:
        """How many terms, and the ones at either end."""
        what = "stimuli" if self.over_stimuli else "terms"
        number = len(self.primary_terms)
        defined = [effect for effect in self.effects() if effect.d is not None]
        if not defined:
            return f"{number} {what}"
        low, *_, high = sorted(defined * 2, key=lambda effect: effect.d or 0.0)
        return f"{number} {what} from {low.name} ({shown(low.d)}) to {high.name} ({shown(high.d)})"


CROSSED_COLUMNS = ("low", "high", "p_greater", "p_less", "p_two_sided")


def inference_columns(effects: Sequence[Effect], equivalence: Equivalence | None) -> dict[str, Any]:
    """Columns of a table: crossed tests, what the design can find, and small effects."""
    columns: dict[str, Any] = {}
    for effect in effects:
        crossed = effect.crossed and effect.crossed.to_dict()
        columns |= {
            f"crossed_{name}{effect.suffix}": crossed and crossed[name] for name in CROSSED_COLUMNS
        }
    for effect in effects:
        level = effect.place.partition(".")[0]
        columns[f"smallest_d_{level}"] = effect.design and effect.design.smallest_d
    for effect in effects if equivalence else ():
        small = effect.equivalent
        columns[f"equivalence_p{effect.suffix}"] = small and small.p
        columns[f"equivalence_p_generalised{effect.suffix}"] = small and small.p_generalised
    return columns


class CellIntervals(Record):
    """Percentile intervals of mean shares over resamples of the stimuli; None where undefined."""

    XA: Interval | None
    XB: Interval | None
    YA: Interval | None
    YB: Interval | None
    difference: Interval | None
    """Of the share of A with X less that with Y."""


class ZeroShotResult(ThreeLevelResult):
    """What :class:`eatlas.ZeroShot` found.

    Each cell of level 3 has the shares of one attribute concept in the readings of one target
    group, a number for each target: the means of XA and XB sum to 1, as do those of YA and YB.
    ``scores`` are, of a target, its share of A less what chance gives A; of an attribute, its mean
    share in the readings of one target group.
    """

    display_name: ClassVar[str] = "Zero-shot"
    full_name: ClassVar[str] = (
        "the zero-shot reading of a two-tower model (Radford et al. 2021), the softmax share that "
        "the labels of each attribute concept take of each target, at the three levels of the "
        "ML-EAT"
    )
    subject: ClassVar[str] = "zero-shot readings"
    unit: ClassVar[str] = "share"

    measure: Literal["zero-shot"] = "zero-shot"
    logit_scale: float = Field(gt=0)
    """What a cosine is multiplied by before the softmax."""
    scale_from: Literal["model", "signature"]
    """Whether the source states it, or the signature."""
    chance: Probability
    """Share that A has where all labels are alike: its part of the labels."""
    readings: tuple[tuple[float, ...], ...] | None = None
    """Share of each attribute (A then B) in the reading of each target (X then Y), to 6 decimals;
    None where there are too many to keep."""
    share_intervals: CellIntervals | None = None
    """Intervals of the four mean shares and of their difference; None where the measure does not
    resample."""

    def cell_text(self, name: str) -> str:
        """The mean share of a cell, in percent; only none is 0%, and only all are 100%."""
        mean: float = self.level3.cell(name).mean
        nearly = {"0%": "<1%", "100%": ">99%"} if 0 < mean < 1 else {}
        return nearly.get(f"{mean:.0%}", f"{mean:.0%}")

    def rows(self) -> list[dict[str, Any]]:
        """One row: the four shares with their intervals, then the columns of an ML-EAT."""
        (row,) = super().rows()
        intervals = self.share_intervals
        shares: dict[str, Any] = {"logit_scale": self.logit_scale, "chance": self.chance}
        for name in (*CELLS, "difference"):
            low, high = at(intervals, name) or (None, None)
            value = self.level1.difference if name == "difference" else self.level3.cell(name).mean
            shares |= {f"share_{name}": value, f"share_{name}_low": low, f"share_{name}_high": high}
        head = self.head()
        return [head | shares | {key: row[key] for key in row if key not in head}]

    def summary(self) -> str:
        """The pattern, and the share of A with either target."""
        a = self.concepts.name("A")
        shares = " and ".join(
            f"{self.concepts.name(role)} {self.cell_text(f'{role}A')}" for role in TARGETS
        )
        return f"{self.primary.label}, share of {a}: {shares}"


class DrawnResult(ThreeLevelResult):
    """What a measure found that draws contexts, whatever associates a target with an attribute."""

    draws: DrawsRecord

    def rows(self) -> list[dict[str, Any]]:
        """One row: the columns of an ML-EAT, and what draws and the random-effects model add."""
        (row,) = super().rows()
        levels = {"": self.draws.level1, "_X": self.draws.level2.X, "_Y": self.draws.level2.Y}
        row["draws"] = self.draws.count
        row["pattern_share"] = self.draws.patterns.get(self.pattern.label)
        for suffix, level in levels.items():
            row.update(draws_columns(level, suffix))
        return [row]

    def summary(self) -> str:
        """Pattern, the three effect sizes, and how many draws share the pattern."""
        share = self.draws.patterns.get(self.pattern.label, 0.0)
        combined = self.draws.level1.combined
        return (
            f"{super().summary()}, pattern in {share:.0%} of {self.draws.count} draws, "
            f"combined d = {shown(None if combined is None else combined.effect_size)}"
        )


def draws_columns(found: OverDraws, suffix: str) -> dict[str, Any]:
    """One effect size over draws as columns of a table, whose names end with `suffix`."""
    columns: dict[str, Any] = {f"sd_over_draws{suffix}": found.sd}
    combined = found.combined and found.combined.to_dict()
    for name in ("effect_size", "se", "z", "tau2", "q", "i2"):
        columns[f"combined_{name}{suffix}"] = combined and combined[name]
    for tail in TAILS:
        columns[f"combined_p_{tail}{suffix}"] = combined and combined["p"][tail]
    low, high = (combined and combined["prediction"]) or (None, None)
    columns |= {f"prediction_low{suffix}": low, f"prediction_high{suffix}": high}
    shares = found.shares and found.shares.to_dict()
    for name in ("contexts", "stimuli", "groups"):
        columns[f"variance_{name}{suffix}"] = shares and shares[name]
    return columns


class ContextDraws(DrawsRecord):
    """Draws of one context for each stimulus."""

    drawn: ClassVar[str] = "one context for each stimulus"
    varied: ClassVar[str] = "contexts"
    varied_of: ClassVar[str] = "contexts of one stimulus"

    contexts: SentenceCounts
    """Contexts of each stimulus, by its name."""


class CEATResult(DrawnResult):
    """What :class:`eatlas.CEAT` found.

    Effect sizes of levels 1 and 2 are equally weighted means over draws, and `difference` too;
    their permutation p-values are those of these means. Level 3 has the mean cosine over all
    draws; `sd`, `n` and quantiles are those of the single cosines of the first draws. Scores are
    means over draws, one for each stimulus, in the order of ``draws.contexts``. `similarities` are
    mean cosines over all contexts of both stimuli, in the same order.
    """

    display_name: ClassVar[str] = "CEAT"
    full_name: ClassVar[str] = (
        "the Contextualized Embedding Association Test (CEAT; Guo and Caliskan 2021) at the three "
        "levels of the ML-EAT (Wolfe, Hiniker and Howe 2024)"
    )

    measure: Literal["ceat"] = "ceat"
    draws: ContextDraws

    def scored(self, role: str) -> tuple[str, ...]:
        """The stimuli of a group."""
        return tuple(self.contexts_of(role))

    def paired(self, role: str) -> tuple[str, ...]:
        """The stimuli of a group."""
        return self.scored(role)

    def contexts_of(self, role: str) -> dict[str, int]:
        """Contexts of each stimulus of a group."""
        return self.draws.contexts.group(role)


Direction = Literal["target given attribute", "attribute given target"]


class PieceCounts(ByGroup[tuple[int, ...]]):
    """Pieces of each used term, by role and in its order: the most that any sentence needs."""

    names: ClassVar = ROLES


class LogRatioResult(ThreeLevelResult):
    """What a measure of log-probabilities found.

    What associates a target x with an attribute a is a log-probability ratio in nats: the log of
    the probability of one, given the other, less the log of its probability without the other.
    """

    subject: ClassVar[str] = "model's predictions"
    unit: ClassVar[str] = "log-ratio"
    scale: ClassVar[str] = "nats"
    places: ClassVar[tuple[str, ...]] = ("level1", "level2.X", "level2.Y", "over_attributes")

    over_attributes: Level
    """The effect size of Kurita et al. (2019): of s(a), the mean ratio of X less that of Y, over
    A less B. Its p-values move the labels of attributes; those of `level1` move labels of
    targets."""
    direction: Direction
    """What is conditioned on what."""
    language_model: LanguageModelRecord
    pieces: PieceCounts
    templates: tuple[str, ...]
    """Sentences with places for a target and an attribute, over which ratios are aggregated or
    drawn. Empty where the sentences are those of a corpus."""
    sentences: tuple[tuple[int, ...], ...] | None = None
    """Sentences of a corpus with each target and each attribute, in the order of the similarities,
    over which ratios are aggregated or drawn. None where templates made the sentences."""

    @property
    def effect_size(self) -> float | None:
        """The published effect size, over attributes; None where the scores have no spread."""
        return self.over_attributes.effect_size

    def rows(self) -> list[dict[str, Any]]:
        """One row: the published effect size, then the columns of an ML-EAT."""
        (row,) = super().rows()
        published = self.effect("over_attributes").columns()
        return [{**self.head(), **published, **row, "direction": self.direction}]

    def effect(self, place: str) -> Effect:
        """The effect size at one place; that over attributes is the published one."""
        if place != "over_attributes":
            return super().effect(place)
        effect, uncertainty = measured(self, place, self, None), self.uncertainty
        return replace(
            effect,
            remark="the published effect size",
            in_family=False,
            resampled=self._resampled(),
            confidence=uncertainty.confidence if uncertainty and self._resampled() else None,
        )

    def _resampled(self) -> EffectInterval | None:
        """Interval of the published effect size."""
        return None

    def summary(self) -> str:
        """The published effect size, then those of an ML-EAT."""
        return f"d over attributes = {shown(self.effect_size)}; {super().summary()}"


class LPBSResult(LogRatioResult):
    """What :class:`eatlas.LPBS` found."""

    display_name: ClassVar[str] = "LPBS"
    full_name: ClassVar[str] = (
        "the log-probability bias score (LPBS; Kurita, Vyas, Pareek, Black and Tsvetkov 2019), at "
        "the three levels of the ML-EAT and over attributes"
    )

    measure: Literal["lpbs"] = "lpbs"
    over_attributes_uncertainty: EffectInterval | None = None
    """Interval of that effect size; None where the measure does not resample."""

    def _resampled(self) -> EffectInterval | None:
        return self.over_attributes_uncertainty


class SentenceDraws(DrawsRecord):
    """Draws of one sentence for each pair of a target and an attribute."""

    drawn: ClassVar[str] = "one sentence for each pair of a target and an attribute"
    varied: ClassVar[str] = "sentences"
    varied_of: ClassVar[str] = "sentences of the same pairs"

    over_attributes: OverDraws


class LPBSCEATResult(LogRatioResult, DrawnResult):
    """What :class:`eatlas.LPBSCEAT` found.

    All effect sizes are equally weighted means over draws, and `difference` too; their permutation
    p-values are those of these means. Scores, similarities and the means of level 3 are means over
    draws, in nats, in the order of the used terms; `sd`, `n` and quantiles of level 3 are those of
    the single log-ratios of the first draws.
    """

    display_name: ClassVar[str] = "LPBS-CEAT"
    full_name: ClassVar[str] = (
        "the log-probability bias score (LPBS; Kurita, Vyas, Pareek, Black and Tsvetkov 2019) "
        "within the Contextualized Embedding Association Test (CEAT; Guo and Caliskan 2021), as "
        "Husse and Spitz (2022) merge them, at the three levels of the ML-EAT and over attributes"
    )

    measure: Literal["lpbs-ceat"] = "lpbs-ceat"
    draws: SentenceDraws

    def rows(self) -> list[dict[str, Any]]:
        """One row: the columns of an LPBS, and what draws and the random-effects model add."""
        (row,) = super().rows()
        return [{**row, **draws_columns(self.draws.over_attributes, "_over_attributes")}]
