"""What a result, a trend or a scan says, in plain sentences.

The vectors are the subject of each sentence: so the verb agrees, whether a concept's name is
singular or plural, and the reader is told whose association it is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from eatlas.present.effects import Rule
from eatlas.present.numbers import (
    count,
    effect,
    effects_apart,
    explain_p,
    level_of,
    number_of,
    p_equals,
    p_value,
)
from eatlas.present.text import isolated, wrap
from eatlas.results import (
    AssociationResult,
    DrawnResult,
    LogRatioResult,
    SCEATResult,
    ThreeLevelResult,
    WEATResult,
)
from eatlas.results.ml_eat import Pattern
from eatlas.results.parts import effect_of
from eatlas.results.sc_eat import TermAssociation
from eatlas.results.scan import Family, ScanResult, Sides
from eatlas.results.trend import LevelTrend, TrendResult

__all__ = ["WEAT_SAYS", "explain_p", "sentence", "short_name", "short_sentence"]

LONGEST_NAME = 80
"""Characters; a longer one would hide the sentence, and stands in full beside it."""
WEAT_SAYS = "A WEAT compares two targets; it does not say what either is associated with by itself."
OTHER = {"X": "Y", "Y": "X", "A": "B", "B": "A"}


class Statement(NamedTuple):
    """One sentence or two with a word in front that says what they are about."""

    about: str
    text: str


def sentence(result: AssociationResult) -> str:
    """Say what a result found, from its concepts' names.

    Parameters
    ----------
    result : ThreeLevelResult, WEATResult or SCEATResult
        Any other record is summed up in its own words.

    Returns
    -------
    str
        One to four sentences.

    Examples
    --------
    >>> import eatlas
    >>> print(sentence(eatlas.run(tests="weat-6")[0]).split(";")[0])
    The vectors associate Female names with Family
    """
    return " ".join(_sentences(result))


def short_sentence(result: AssociationResult) -> str:
    """Say what a result found, without what is true of every result of its measure."""
    return " ".join(said for said in _sentences(result) if said != WEAT_SAYS)


def _sentences(result: AssociationResult) -> Iterator[str]:
    if isinstance(result, ThreeLevelResult):
        read = result.primary
        yield from _level2(result)
        comparison = _comparison(result)
        surprising = read.level1 is not None and Rule.of(result).significant(read.level1)
        if surprising and read.label == "Non-Directional":
            comparison = f"Yet {comparison[0].lower()}{comparison[1:]}"
        yield comparison
        if isinstance(result, LogRatioResult):
            yield _published(result)
        if read.two_sided_label != read.label:
            yield f"Under the two-sided rule the pattern is {read.two_sided_label}."
    elif isinstance(result, WEATResult):
        yield _comparison(result)
        yield WEAT_SAYS
    elif isinstance(result, SCEATResult):
        yield from _terms(result)
    else:
        yield f"{result.summary()}."


def _pattern(result: ThreeLevelResult, found: Pattern) -> str:
    name, d = _Names(result), _level2_effects(result)
    if found.X and found.Y:
        if found.X == found.Y:
            both = f"The {result.subject} associate both {name.X} and {name.Y} with {name[found.X]}"
            return f"{both}{_more(result)}."
        return (
            f"The {result.subject} associate {name.X} with {name[found.X]} "
            f"and {name.Y} with {name[found.Y]}."
        )
    for role in "XY":
        attribute = found.of(role)
        if attribute:
            first = f"The {result.subject} associate {name[role]} with {name[attribute]}"
            other = OTHER[role]
            if d[other] is None:
                return f"{first}."
            return (
                f"{first}; for {name[other]}, no association with {name.A} or {name.B} was found."
            )
    known = [name[role] for role in "XY" if d[role] is not None]
    alone = " alone, nor for ".join(known)
    return f"No association with {name.A} or {name.B} was found for {alone} alone."


def _more(result: ThreeLevelResult) -> str:
    """Which of two associations with one attribute is larger."""
    x, y = _level2_effects(result).values()
    if x is None or y is None:
        return ""
    if abs(x) == abs(y):
        return f", equally strongly (d = {effect(x)})"
    name = _Names(result)
    more, high, low = (name.X, x, y) if abs(x) > abs(y) else (name.Y, y, x)
    larger, smaller = effects_apart(high, low)
    return f", {more} more so (d = {larger} against {smaller})"


def _level2_effects(result: ThreeLevelResult) -> dict[str, float | None]:
    """Effect sizes of X and Y that are read."""
    return {role: effect_of(result.primary.group(role)) for role in "XY"}


def _level2(result: ThreeLevelResult) -> Iterator[str]:
    pattern = result.primary.pattern
    if pattern is None:
        yield f"Over stimuli no EAT pattern is defined: {one_stimulus(result, 'AB')}."
        return
    unknown = [role for role, d in _level2_effects(result).items() if d is None]
    if len(unknown) < 2:
        yield _pattern(result, pattern)
    if unknown:
        names = " and of ".join(_Names(result)[role] for role in unknown)
        yield f"The association of {names} is undefined, because the scores do not differ."


def one_stimulus(result: ThreeLevelResult | WEATResult, roles: str) -> str:
    """Why a level is undefined over stimuli."""
    names = [_Names(result)[role] for role in result.primary.alone if role in roles]
    return f"all sentences of {' and of '.join(names)} are made of one stimulus"


def _comparison(result: ThreeLevelResult | WEATResult) -> str:
    """Level 1, over stimuli where one has several sentences."""
    rule, name, level = Rule.of(result), _Names(result), result.primary.level1
    if level is None:
        return (
            f"Over stimuli the comparison of {name.X} with {name.Y} is undefined: "
            f"{one_stimulus(result, 'XY')}."
        )
    if level.effect_size is None:
        return (
            f"The comparison of {name.X} with {name.Y} is undefined, "
            "because the scores do not differ."
        )
    over = "over stimuli, " if result.primary.over_stimuli else ""
    p = p_equals(rule.p(level), rule.alpha, rule.p_low(level))
    numbers = f"({over}d = {effect(level.effect_size)}, {p})"
    if not rule.significant(level):
        return f"In direct comparison, the two do not differ detectably {numbers}."
    near, far = ("A", "B") if level.effect_size > 0 else ("B", "A")
    return (
        f"In direct comparison, the {result.subject} place {name.X} closer to {name[near]}, "
        f"relative to {name[far]}, than they do {name.Y} {numbers}."
    )


def _published(result: LogRatioResult) -> str:
    """The effect size over attributes, whose labels move."""
    level, rule, name = result.over_attributes, Rule.of(result), _Names(result)
    if level.effect_size is None:
        return "The published effect size is undefined, because the scores do not differ."
    what = "the mean LPBS of the draws" if isinstance(result, DrawnResult) else "the published LPBS"
    p = p_equals(rule.p(level), rule.alpha, rule.p_low(level))
    return (
        f"Over attributes, {what} is d = {effect(level.effect_size)} "
        f"({p}; labels of {name.A} and {name.B} move)."
    )


def _terms(result: SCEATResult) -> Iterator[str]:
    rule, name = Rule.of(result), _Names(result)
    terms, over = result.primary_terms, result.over_stimuli
    known = [(e.level2.effect_size, e) for e in terms if e.level2.effect_size is not None]
    what = number_of(len(terms), "target" if over else "term")
    if not known:
        yield f"No effect size is defined for {what}."
        return
    signed = [(d, e) for d, e in known if rule.significant(e.level2)]
    to_a = [e for d, e in signed if d > 0]
    to_b = [e for d, e in signed if d < 0]
    yield (
        f"Of {what}, the {result.subject} associate {len(to_a)} "
        f"with {name.A} and {len(to_b)} with {name.B} (p < {level_of(rule.alpha)} in the direction "
        f"of d, each {'stimulus over its sentences' if over else 'term taken by itself'})."
    )
    low, high = min(known, key=lambda pair: pair[0]), max(known, key=lambda pair: pair[0])
    yield f"Closest to {name.A}: {_term(high)}; closest to {name.B}: {_term(low)}."


def _term(found: tuple[float, TermAssociation]) -> str:
    return f"{isolated(found[1].term)} (d = {effect(found[0])})"


def short_name(text: str) -> str:
    """A name for the middle of a sentence, not longer than 80 characters."""
    return isolated(wrap(text, LONGEST_NAME, len, 1)[0])


class _Names:
    """Concept names by role, fit for the middle of a sentence."""

    def __init__(self, result: AssociationResult) -> None:
        self.X, self.Y, self.A, self.B = (short_name(result.concepts.name(r)) for r in "XYAB")

    def __getitem__(self, role: str) -> str:
        name: str = getattr(self, role)
        return name


def heading(trend: TrendResult) -> str:
    """What a trend is about: its test, its measure, its years."""
    years = (*trend.periods, *(missing.period for missing in trend.missing))
    return (
        f"Trend of {trend.test} on {trend.source}, {min(years)} to {max(years)}, "
        f"{len(trend.periods)} of {len(years)} periods"
    )


def finding(trend: TrendResult, alpha: float = 0.05) -> str:
    """Where the effect size of level 1 goes with the years, in one sentence.

    Parameters
    ----------
    trend : TrendResult
    alpha : float
        The level below which a p-value counts as a trend.
    """
    found = trend.level1
    if found is None:
        return "The effect size d at level 1 has too few different values to tell a trend."
    rho = f"rank correlation {effect(found.rho)}, {p_equals(found.p.p, alpha)}"
    if found.p.p < alpha:
        way = "rises" if found.rho > 0 else "falls"
        return f"The effect size d at level 1 {way} with the year: {rho}."
    if found.p.min_p >= alpha:
        return (
            f"Of {found.n} periods, no trend of the effect size d at level 1 could be significant "
            f"at {level_of(alpha)}: {rho}."
        )
    return f"The effect size d at level 1 shows no trend that drift would not show too: {rho}."


def sentences(trend: TrendResult) -> list[str]:
    """Say how each effect size moves, then what is missing and what is doubtful."""
    said = [f"{name}: {_sentence(level)}" for name, level in levels_of_trend(trend)]
    return [*said, *(f"{m.period} is missing: {m.reason}." for m in trend.missing), *trend.warnings]


def level_statements(trend: TrendResult) -> list[Statement]:
    """How each effect size moves, one statement each."""
    return [
        Statement(f"{name[0].upper()}{name[1:]}:", _sentence(level))
        for name, level in levels_of_trend(trend)
    ]


def levels_of_trend(trend: TrendResult) -> Iterator[tuple[str, LevelTrend]]:
    """The effect sizes that have a trend, each with what it is called."""
    found = [("level 1", trend.level1)]
    if trend.level2 is not None:
        found.append((f"level 2 of {trend.concepts.X}", trend.level2.X))
        found.append((f"level 2 of {trend.concepts.Y}", trend.level2.Y))
    yield from ((name, level) for name, level in found if level is not None)


def _sentence(level: LevelTrend) -> str:
    blocks = f"{count(level.p.count)} of {count(level.p.total)} arrangements of blocks"
    return (
        f"rank correlation with the year {effect(level.rho)}, "
        f"{p_equals(level.p.p)} two-sided ({blocks} of {level.block_length} periods); "
        f"{p_equals(level.shifts.p)} if the series is turned like a ring "
        f"(no p below {p_value(level.shifts.min_p)} can come out of {level.n} periods)."
    )


def explain(result: ScanResult) -> tuple[str, ...]:
    """Sentences on the p-values of a scan, one a line.

    Examples
    --------
    >>> import eatlas
    >>> for line in explain(eatlas.scan("glove-sample", "weat-7", first=1000))[1:3]:
    ...     print(line)
    Unadjusted: 64 of 992 words are below .05 (A 64, B 0); with no association at all, about 49 \
would be. All words share the attributes, so that number varies more than that of separate tests.
    Holm asks of the smallest p to be below 5.0e-5 (.05 / 992). No p of this design is: Holm, like \
Bonferroni, can reject no word here, however strong its association.
    """
    family = result.family
    return (
        _design(result),
        _unadjusted(family),
        _holm(family),
        _yekutieli(family),
        _max_t(family),
    )


def _design(result: ScanResult) -> str:
    family = result.family
    a, b = family.design
    mirrored = "2" if _balanced(family) else "1"
    return (
        f"Each word has a test of its own, of {a} against {b} attributes: "
        f"{number_of(family.total, 'relabelling')}, so no two-sided p is below "
        f"{p_value(family.min_two_sided)} ({mirrored} of {count(family.total)}); "
        f"{_words(family.at_min)} {_have(family.at_min)} it."
    )


def _unadjusted(family: Family) -> str:
    alpha = level_of(family.alpha)
    chance = count(round(family.by_chance))
    return (
        f"Unadjusted: {count(family.unadjusted.total)} of {_words(family.words)} are below {alpha} "
        f"{_sides(family.unadjusted)}; with no association at all, about {chance} would be. All "
        "words share the attributes, so that number varies more than that of separate tests."
    )


def _holm(family: Family) -> str:
    asked = (
        f"Holm asks of the smallest p to be below {p_value(family.holm_needs)} "
        f"({level_of(family.alpha)} / {count(family.words)})."
    )
    if not family.holm_possible:
        return (
            f"{asked} No p of this design is: Holm, like Bonferroni, can reject no word here, "
            "however strong its association."
        )
    return f"{asked} It rejects {_words(family.holm.total)} {_sides(family.holm)}."


def _yekutieli(family: Family) -> str:
    found = family.benjamini_yekutieli
    name = "Benjamini and Yekutieli (false discovery rate, any dependence)"
    if family.by_needs is None:
        return f"{name}: if all words had the smallest p, it could still reject none."
    if not found.total and family.by_needs > 1:
        return (
            f"{name} rejects no word. It takes {_words(family.by_needs)} at the smallest p, or "
            f"more at a larger one; {count(family.at_min)} {_have(family.at_min)} it."
        )
    return f"{name} rejects {_words(found.total)} {_sides(found)}."


def _max_t(family: Family) -> str:
    details = family.max_t_details
    how = (
        f"all {number_of(details.relabellings, 'relabelling')}"
        + (" (a mirror image counts with its original)" if _balanced(family) else "")
        if details.enumerated
        else f"{number_of(details.relabellings, 'random relabelling')}"
    )
    can = (
        f"it rejects beyond |d| = {effect(details.critical, 3)}: {_words(family.max_t.total)} "
        f"{_sides(family.max_t)}"
        if details.critical is not None
        else "it can reject no word"
    )
    return (
        f"Westfall and Young's maxT compares each word with the most extreme of all words under "
        f"{how}; its smallest p is {p_value(details.min_p)}, and {can}."
    )


def _balanced(family: Family) -> bool:
    return family.design[0] == family.design[1]


def _words(n: int) -> str:
    return number_of(n, "word")


def _have(n: int) -> str:
    return "has" if n == 1 else "have"


def _sides(sides: Sides) -> str:
    return f"(A {count(sides.A)}, B {count(sides.B)})"
