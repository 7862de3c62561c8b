"""What a result or a trend says, in plain sentences.

The vectors are the subject of each sentence: so the verb agrees, whether a concept's name is
singular or plural, and the reader knows whose association it is.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple

from eatlas.present.effects import about_terms
from eatlas.present.numbers import (
    count,
    effect,
    effects_apart,
    level_of,
    number_of,
    p_equals,
    p_value,
)
from eatlas.present.targets import target_sentences
from eatlas.present.text import isolated, wrap
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.levels import Pattern
from eatlas.results.trend import LevelTrend, TrendResult

WORDING = Path(__file__).parent / "data" / "wording.toml"
LONGEST_NAME = 80
"""Characters; a longer one would hide the sentence, and stands in full beside it."""
OTHER = {"X": "Y", "Y": "X", "A": "B", "B": "A"}


class Statement(NamedTuple):
    """One sentence or two with a word in front that says what they are about."""

    about: str
    text: str


def sentence(result: AssociationResult) -> str:
    """Say what a result found, from its concepts' names.

    Parameters
    ----------
    result : AssociationResult
        One without a pattern, a comparison of targets or single terms is summed up in its own
        words.

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
    return " ".join(filter(None, (short_sentence(result), result.remark)))


def short_sentence(result: AssociationResult) -> str:
    """Say what a result found, without what is true of every result of its measure."""
    return " ".join(_sentences(result))


def _sentences(result: AssociationResult) -> Iterator[str]:
    at = {one.place: one for one in result.effects()}
    level1 = at.get("level1")
    if level1 and result.pattern is not None:
        read = result.primary
        yield from _level2(result, at)
        comparison = _comparison(result, level1)
        if level1.significant and read.label == "Non-Directional":
            comparison = f"Yet {comparison[0].lower()}{comparison[1:]}"
        yield comparison
        if "over_attributes" in at:
            yield _published(result, at["over_attributes"])
        if read.two_sided_label != read.label:
            yield f"Under the two-sided rule the pattern is {read.two_sided_label}."
    elif level1:
        yield _comparison(result, level1)
    elif about_terms(result):
        yield from _terms(result)
    elif result.by_target is not None:
        yield from target_sentences(result)
    else:
        yield f"{result.summary()}."


def _level2(result: AssociationResult, at: Mapping[str, Effect]) -> Iterator[str]:
    """What X and Y are associated with, each taken alone."""
    found, name = result.primary.pattern, names_of(result)
    if found is None:
        yield f"Over stimuli no EAT pattern is defined: {one_stimulus(result, 'AB')}."
        return
    d = {role: at[f"level2.{role}"].d for role in "XY"}
    unknown = [role for role in d if d[role] is None]
    if len(unknown) < 2:
        yield _pattern(result.subject, found, name, d)
    if unknown:
        names = " and of ".join(name[role] for role in unknown)
        yield f"The association of {names} is undefined, because the scores do not differ."


def _pattern(
    subject: str, found: Pattern, name: Mapping[str, str], d: Mapping[str, float | None]
) -> str:
    """The EAT pattern in words."""
    with_x, with_y = found.X, found.Y
    if with_x and with_x == with_y:
        both = f"The {subject} associate both {name['X']} and {name['Y']} with {name[with_x]}"
        return f"{both}{_more(name, d['X'], d['Y'])}."
    if with_x and with_y:
        return (
            f"The {subject} associate {name['X']} with {name[with_x]} "
            f"and {name['Y']} with {name[with_y]}."
        )
    for role, attribute in (("X", with_x), ("Y", with_y)):
        if attribute:
            first = f"The {subject} associate {name[role]} with {name[attribute]}"
            other = OTHER[role]
            if d[other] is None:
                return f"{first}."
            neither = f"no association with {name['A']} or {name['B']} was found"
            return f"{first}; for {name[other]}, {neither}."
    alone = " alone, nor for ".join(name[role] for role in "XY" if d[role] is not None)
    return f"No association with {name['A']} or {name['B']} was found for {alone} alone."


def _more(name: Mapping[str, str], x: float | None, y: float | None) -> str:
    """Which of two associations with one attribute is larger."""
    if x is None or y is None:
        return ""
    if abs(x) == abs(y):
        return f", equally strongly (d = {effect(x)})"
    more, high, low = (name["X"], x, y) if abs(x) > abs(y) else (name["Y"], y, x)
    larger, smaller = effects_apart(high, low)
    return f", {more} more so (d = {larger} against {smaller})"


def one_stimulus(result: AssociationResult, roles: str) -> str:
    """Why a level is undefined over stimuli."""
    names = [short_name(result.concepts.name(r)) for r in result.primary.alone if r in roles]
    return f"all sentences of {' and of '.join(names)} are made of one stimulus"


def _comparison(result: AssociationResult, level: Effect) -> str:
    """Level 1, over stimuli where one has several sentences."""
    name, over = names_of(result), level.read_over == "stimuli"
    if level.p is None:
        return (
            f"Over stimuli the comparison of {name['X']} with {name['Y']} is undefined: "
            f"{one_stimulus(result, 'XY')}."
        )
    if level.d is None or level.p_value is None:
        return (
            f"The comparison of {name['X']} with {name['Y']} is undefined, "
            "because the scores do not differ."
        )
    p = p_equals(level.p_value, level.rule.alpha, level.p_low)
    numbers = f"({'over stimuli, ' * over}d = {effect(level.d)}, {p})"
    if not level.significant:
        return f"In direct comparison, the two do not differ detectably {numbers}."
    near, far = ("A", "B") if level.d > 0 else ("B", "A")
    return (
        f"In direct comparison, the {result.subject} place {name['X']} closer to {name[near]}, "
        f"relative to {name[far]}, than they do {name['Y']} {numbers}."
    )


def _published(result: AssociationResult, level: Effect) -> str:
    """The effect size over attributes, whose labels move."""
    if level.p_value is None:
        return "The published effect size is undefined, because the scores do not differ."
    name = names_of(result)
    what = "the published LPBS" if result.draws is None else "the mean LPBS of the draws"
    p = p_equals(level.p_value, level.rule.alpha, level.p_low)
    return (
        f"Over attributes, {what} is d = {effect(level.d)} "
        f"({p}; labels of {name['A']} and {name['B']} move)."
    )


def _terms(result: AssociationResult) -> Iterator[str]:
    """How many single terms are associated with either attribute, and the ones at the ends."""
    name, over, terms = names_of(result), result.primary.over_stimuli, result.effects()
    known = [(one.d, one) for one in terms if one.d is not None]
    what = number_of(len(terms), "target" if over else "term")
    if not known:
        yield f"No effect size is defined for {what}."
        return
    to_a, to_b = (sum(one.significant for d, one in known if d * way > 0) for way in (1, -1))
    each = "stimulus over its sentences" if over else "term taken by itself"
    yield (
        f"Of {what}, the {result.subject} associate {to_a} "
        f"with {name['A']} and {to_b} with {name['B']} (p < {level_of(result.rule.alpha)} in the "
        f"direction of d, each {each})."
    )
    high, low = (
        f"{isolated(one.name)} (d = {effect(d)})"
        for d, one in (choose(known, key=lambda pair: pair[0]) for choose in (max, min))
    )
    yield f"Closest to {name['A']}: {high}; closest to {name['B']}: {low}."


def short_name(text: str) -> str:
    """A name for the middle of a sentence, not longer than 80 characters."""
    return isolated(wrap(text, LONGEST_NAME, len, 1)[0])


def names_of(result: AssociationResult) -> dict[str, str]:
    """Concept names by role, fit for the middle of a sentence."""
    return {role: short_name(name) for role, name in result.concepts.items()}


@dataclass(frozen=True)
class Wording:
    """What a page calls that which associates; ``data/wording.toml`` says what each phrase is."""

    heading: str
    one: str
    several: str
    associate: str
    described: str
    built_on: str
    association: str
    level1: str
    level3: str
    moved: str
    beyond: str
    complete: str
    lacking: str
    missing_one: str
    missing_some: str


def wording(results: Iterable[AssociationResult]) -> Wording:
    """Return the phrases that fit some results; those of vectors where there are none.

    >>> wording([]).heading
    'Embedding association tests'
    """
    of_models = {result.language_model is not None for result in results}
    kinds = {frozenset({True}): "models", frozenset({True, False}): "both"}
    return _wordings()[kinds.get(frozenset(of_models), "vectors")]


@cache
def _wordings() -> dict[str, Wording]:
    text = WORDING.read_text(encoding="utf-8")
    return {name: Wording(**phrases) for name, phrases in tomllib.loads(text).items()}


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
    levels = [f"{name}: {_sentence(level)}" for name, level in levels_of_trend(trend)]
    return [
        *levels,
        *(f"{m.period} is missing: {m.reason}." for m in trend.missing),
        *trend.warnings,
    ]


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
