"""The effect sizes of a result with all that is known about each; what of them is read."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from eatlas.errors import EatlasError, SignatureError, described
from eatlas.results.levels import EffectInterval, PValues, StudentP
from eatlas.results.parts import TAILS, Part, Tail, at
from eatlas.signature import Signature
from eatlas.stats.inputs import t_quantile

if TYPE_CHECKING:
    from eatlas.results.finding import Verdict
    from eatlas.results.levels import (
        AdjustedLevel,
        CrossedLevel,
        DesignPower,
        MatchedLevel,
        TermInfluence,
    )

DEFAULT_ALPHA = 0.05
ReadOver = Literal["terms", "stimuli", "sentences"]
IntervalBasis = Literal["adjusted", "crossed", "bootstrap"]
"""The crossed test at equal covariates, the crossed test, or bootstrap samples of the words."""


class ConfidenceInterval(NamedTuple):
    """Ends of a confidence interval; NaN if it is undefined."""

    low: float
    high: float


@dataclass(frozen=True)
class Rule:
    """The level and the tail by which a result is read.

    Parameters
    ----------
    alpha : float
        Significance level.
    tail : {"directional", "two-sided"}
        Directional reads the tail of the sign that was observed, as the published tables do.
    threshold : float, optional
        Least ``|d|`` of an association, in measures with an EAT pattern.
    """

    alpha: float = DEFAULT_ALPHA
    tail: Literal["directional", "two-sided"] = "directional"
    threshold: float | None = None

    def tail_at(self, effect_size: float | None) -> Tail:
        """Return the tail that the rule reads at an effect size."""
        if self.tail == "two-sided":
            return "two_sided"
        return "greater" if (effect_size or 0.0) > 0 else "less"

    @property
    def meaning(self) -> str:
        """What a star says."""
        tail = "two-sided" if self.tail == "two-sided" else "in the direction of d"
        return f"* p < {f'{self.alpha:g}'.lstrip('0')} {tail}"


def parameters(signature: str) -> dict[str, Any]:
    """Parameters of a measure; none where another package's signature is of another form."""
    try:
        return dict(Signature.parse(signature).params)
    except SignatureError:
        return {}


MORE_COLUMNS = {
    "crossed": {f"crossed_{name}": name for name in ("low", "high", *(f"p_{t}" for t in TAILS))},
    "adjusted": {
        "adjusted_effect_size": "effect_size",
        "adjusted_low": "interval.0",
        "adjusted_high": "interval.1",
        **{f"adjusted_p_{tail}": f"p.{tail}" for tail in TAILS},
        "adjusted_shared": "shared",
    },
    "matched": {f"matched_p_{tail}": f"p_{tail}" for tail in TAILS},
}
"""Columns of the parts of an effect that only some results have, with the places in the part."""


@dataclass(frozen=True)
class Effect:
    """One effect size of a result: what is compared, how large it is, how sure, what drives it.

    A result of any measure is a row of these. What is not known of an effect is None: a
    presenter shows what there is.

    Examples
    --------
    >>> import eatlas
    >>> result = eatlas.run(tests="weat-6")[0]
    >>> for effect in result.effects():
    ...     print(f"{effect.title}: {effect.name}: d = {effect.d:.2f}{effect.star}")
    Level 1: Male names against Female names: d = 1.72*
    Level 2, X: Male names: d = 0.75
    Level 2, Y: Female names: d = -1.34*
    """

    place: str
    """Where it is in the record, with dots: ``level1``, ``level2.X``, ``level2.Y``,
    ``over_attributes``; ``level2`` for each term of an SC-EAT. :func:`at` finds it there."""
    title: str
    """The place in words: "Level 1", "Level 2, X", "Over attributes"."""
    roles: str | tuple[str, ...]
    """Names of the groups that are compared, or of the single group: "XY", "X"; of a
    number that belongs to none of these, of all groups."""
    names: tuple[str, ...]
    """What these groups are called, or the single term."""
    d: float | None
    """Effect size; None where it is undefined. Of a measure that gives another number, that
    number, which `symbol` names."""
    rule: Rule
    """The level and the tail by which the result is read."""
    difference: float | None = None
    """The difference of means behind d, in the result's ``unit``."""
    n: tuple[int, int] | None = None
    """Sizes of the two groups whose labels are permuted."""
    p: PValues | StudentP | None = None
    """Permutation p-values of all three tails, with counts and total. None for a number
    without one, and where a group has one stimulus alone. Without spread d is None, and every p
    here is 1."""
    term: str | None = None
    """The single term, or stimulus, that it belongs to, as in an SC-EAT."""
    neutral: float = 0.0
    """The number that shows no difference: 50 of a proportion in percent."""
    symbol: str = "d"
    """What the number is called: d for effect sizes."""
    suffix: str = ""
    """End of the names of its columns in tables: "", "_X", "_Y", "_over_attributes"."""
    remark: str = ""
    """What else a reader should know, such as "the effect size of LPBS"."""
    in_family: bool = True
    """Whether its p-value is adjusted in a family of tests."""
    read_over: ReadOver = "terms"
    """What a score belongs to and what is relabelled: terms, stimuli of sentences, or single
    sentences of stimuli that have several."""
    resampled: EffectInterval | None = None
    """Bootstrap intervals, with their Monte Carlo errors."""
    confidence: float | None = None
    """Of the intervals, such as 0.95."""
    crossed: CrossedLevel | None = None
    """Whether other targets and other attributes would show it."""
    design: DesignPower | None = None
    """What a design of these sizes can find."""
    influence: TermInfluence | None = None
    """Change of d without each term."""
    matched: MatchedLevel | None = None
    """Its position among random topics."""
    adjusted: AdjustedLevel | None = None
    """What is left of it given covariates of the words."""
    parts: tuple[Part, ...] = ()
    """What other packages know of the result."""
    over_sentences: Effect | None = None
    """The same over single sentences, for comparison; None where terms are read."""
    verdict: Verdict | None = None
    """What a finding says of it, among the results that are shown together; None of an effect size
    about which no finding asks."""

    @property
    def name(self) -> str:
        """What is compared: "Male names against Female names", "Male names", or a term."""
        return (" against " if len(self.names) == 2 else ", ").join(self.names)

    @property
    def decimals(self) -> int:
        """Decimals with which its number is written: d is in standard deviations, others vary."""
        return 2 if self.symbol == "d" else 3

    @property
    def interval(self) -> tuple[float, float] | None:
        """Interval of d for other words, at equal covariates where these are known.

        From the crossed test; without one, the bootstrap interval. None where the test
        at equal covariates has less than one degree of freedom.
        """
        return next((ends for ends in self._intervals().values() if ends), None)

    @property
    def interval_basis(self) -> IntervalBasis | None:
        """The test that `interval` belongs to."""
        return next((basis for basis, ends in self._intervals().items() if ends), None)

    def confidence_interval(self, confidence_level: float = 0.95) -> ConfidenceInterval:
        """Return `interval` at a confidence level.

        Parameters
        ----------
        confidence_level : float, default 0.95
            Between 0 and 1. Intervals of the crossed test, which are Student's, can have any level;
            bootstrap intervals have the one at which they were computed.

        Returns
        -------
        ConfidenceInterval
            A named tuple ``(low, high)``; NaN if the interval is undefined.

        Raises
        ------
        EatlasError
            If the interval is not known at this level.
        """
        if not 0 < confidence_level < 1:
            raise EatlasError(
                "confidence_level is not usable",
                got=described(confidence_level),
                allowed="a number between 0 and 1, such as 0.95",
            )
        if self.interval is None:
            return ConfidenceInterval(math.nan, math.nan)
        low, high = self.interval
        known = self.confidence or math.nan
        if math.isclose(confidence_level, known):
            return ConfidenceInterval(low, high)
        parts = {"adjusted": self.adjusted, "crossed": self.crossed}
        df = at(parts.get(self.interval_basis or ""), "df")
        if df is None or math.isnan(known):
            raise EatlasError(
                "no interval was computed at this confidence level",
                got=f"confidence_level={confidence_level:g}",
                allowed=f"{known:g}, the level of the result",
                remedy=f"use that level, or measure again with confidence={confidence_level:g} if "
                "the measure has this parameter",
            )
        middle, reach = (low + high) / 2, (high - low) / 2
        reach *= t_quantile(1 - confidence_level, df) / t_quantile(1 - known, df)
        return ConfidenceInterval(middle - reach, middle + reach)

    @property
    def interval_for_new_words(self) -> tuple[float, float] | None:
        """Interval of d for other words, whatever their covariates are."""
        ends = self.crossed and self.crossed.ends
        scale = self.d / self.difference if self.d and self.difference else None
        return (ends[0] * scale, ends[1] * scale) if ends and scale else None

    def _intervals(self) -> dict[IntervalBasis, tuple[float, float] | None]:
        """The known intervals, the one for the strongest claim first."""
        if self.adjusted is not None and self.adjusted.df is not None:
            return {"adjusted": self.adjusted.interval}
        return {
            "adjusted": self.adjusted.interval if self.adjusted else None,
            "crossed": self.interval_for_new_words,
            "bootstrap": self.resampled.interval if self.resampled else None,
        }

    @property
    def other_intervals(self) -> dict[str, tuple[float, float]]:
        """Intervals that other packages know, by what tables call them."""
        known = {part.interval_name: part.interval_of(self.place) for part in self.parts}
        return {name: ends for name, ends in known.items() if ends is not None}

    @property
    def tail(self) -> Tail:
        """The tail that the measure's rule reads."""
        return self.rule.tail_at(None if self.d is None else self.d - self.neutral)

    @property
    def direction(self) -> Tail:
        """The tail of the sign that was observed."""
        return "greater" if (self.d or 0.0) > self.neutral else "less"

    def p_of(self, tail: Tail | None = None) -> float | None:
        """The p-value of a tail, by default the one that the rule reads; None if d is undefined."""
        return None if self.p is None or self.d is None else self.p[tail or self.tail]

    @property
    def significant(self) -> bool:
        """Whether d is defined and the p-value that the rule reads is below alpha."""
        p = self.p_of()
        return p is not None and p < self.rule.alpha

    @property
    def star(self) -> str:
        """A star for a significant effect size, as in the papers' tables."""
        return "*" if self.significant else ""

    @property
    def conclusion(self) -> Tail | None:
        """The direction that is read from a significant effect size; None from another."""
        return self.direction if self.significant else None

    @cached_property
    def after(self) -> Effect | None:
        """The same after covariates of the words; None where they are not accounted for."""
        level = self.adjusted
        if level is None:
            return None
        return Effect(
            place=self.place,
            title=self.title,
            roles=self.roles,
            names=self.names,
            d=level.effect_size,
            rule=self.rule,
            difference=level.difference,
            n=level.n,
            p=level.p,
            term=self.term,
            suffix=self.suffix,
            read_over=self.read_over,
            resampled=EffectInterval(se=None, interval=level.interval) if level.interval else None,
        )

    def columns(self, before: str = "") -> dict[str, Any]:
        """Effect size, interval and p-values as columns of a table, whose names begin alike.

        Another number is one column.
        """
        if self.symbol != "d":
            return {f"{before}{self.place}": self.d}
        low, high = self.interval or (None, None)
        columns: dict[str, Any] = {"effect_size": self.d, "low": low, "high": high}
        columns |= dict.fromkeys(f"p_{tail}" for tail in TAILS)
        if self.p is not None:
            columns |= {f"p_{tail}": self.p[tail] for tail in TAILS}
        return {f"{before}{name}{self.suffix}": value for name, value in columns.items()}

    def more_columns(self) -> dict[str, Any]:
        """What covariates, other words, random topics and the design say, as columns."""
        columns = {
            f"{name}{self.suffix}": at(part, place)
            for field, places in MORE_COLUMNS.items()
            if (part := at(self, field)) is not None or field == "crossed"
            for name, place in places.items()
        }
        for part in self.parts:
            own = part.effect_columns(self.place)
            columns |= {f"{name}{self.suffix}": value for name, value in own.items()}
        if self.design is not None:
            columns[f"smallest_d_{self.place.partition('.')[0]}"] = self.design.smallest_d
        return columns
