"""What a result, a trend or a page says, and how far it may be trusted, in plain sentences.

Their wording is in the templates, a macro each.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eatlas.decoding import own_toml
from eatlas.errors import listed
from eatlas.present.effects import levels_of, names_of, runner_up, shares_of
from eatlas.present.family import DeclaredFamily
from eatlas.present.numbers import all_of, count, effect, level_of, number_of, p_equals, percent
from eatlas.present.rendering import lines, phrase
from eatlas.results import AssociationResult
from eatlas.results.effects import UNDEFINED, Effect
from eatlas.results.parts import at
from eatlas.results.settings import Settings
from eatlas.stimuli import TARGETS

if TYPE_CHECKING:
    from eatlas.results.trend import LevelTrend, TrendResult

NONE_FOUND = ("Non-Directional", UNDEFINED)
"""Labels of patterns without an association."""
_CLAUSE = re.compile(r"(?<=[^ ]); ")
WORDING = Path(__file__).parent / "data" / "wording.toml"


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
    return phrase("sentences", "finding", result)


def headline(result: AssociationResult) -> str:
    """What a result found, in one short sentence without numbers."""
    return phrase("sentences", "headline", result).removesuffix(".")


def clauses(text: str) -> tuple[str, str]:
    """A headline in two: what was found, and the rest."""
    if found := _CLAUSE.search(text):
        return text[: found.start()], text[found.start() :]
    return text, ""


def shows_association(result: AssociationResult) -> bool | None:
    """Whether a result shows an association; None where its measure does not judge that."""
    if result.pattern is not None:
        return result.primary.label not in NONE_FOUND
    known = [one for one in levels_of(result) if one.p is not None]
    return any(one.significant for one in known) if known else None


def title(results: Sequence[AssociationResult], settings: Settings) -> str:
    """What a page is about: who associates, and in how many tests anything was found."""
    if len(results) == 1:
        return f"{settings.subject}: {headline(results[0])}"
    verb = "associate" if re.match(r"\d+ (sources|models)$", settings.subject) else "associates"
    about = f"What {settings.subject} {verb}"
    judged = [known for one in results if (known := shows_association(one)) is not None]
    noun = "test" if len({one.test for one in results}) == len(results) else "result"
    if not judged:
        return f"{about}: {number_of(len(results), noun)}"
    many, some = sum(judged), number_of(len(judged), noun)
    if len(judged) == 1:
        return f"{about}: {'an' if many else 'no'} association in the one result judged as a whole"
    of = f"{count(many) if many else 'none'} of {some}"
    whole = " judged as a whole" if len(judged) < len(results) else ""
    return f"{about}: {of}{whole} {'shows' if many == 1 else 'show'} an association"


def other_pattern(result: AssociationResult) -> str:
    """The pattern that other words, or other contexts, show more often than the result's own."""
    shares = shares_of(result)[0]
    more = runner_up(shares, result.primary.label) if shares else None
    if more is None or more[1] <= shares.get(result.primary.label, 0.0):
        return ""
    return f"more often {more[0]} ({percent(more[1])})"


def numbers(result: AssociationResult) -> list[tuple[str, str]]:
    """What a measure without effect sizes d found, each number with what it is called."""
    return [(one.title, effect(one.d, 3)) for one in levels_of(result) if one.symbol != "d"]


def limits(result: AssociationResult) -> list[str]:
    """What a finding on X and Y does not say, where readers may think that it does."""
    if not any(one.place == "level1" and one.d is not None for one in result.effects()):
        return []
    names = names_of(result)
    found = result.primary.pattern and {r: result.primary.attribute(r) for r in TARGETS}
    leans: dict[str, tuple[int, str, int] | None] = {}
    for role in TARGETS:
        values = at(result.primary.scores, role)
        towards = result.primary.attribute(role) or "A"
        nearer = sum(value > 0 if towards == "A" else value < 0 for value in values)
        other = names["B" if towards == "A" else "A"]
        leans[role] = (nearer, other, len(values)) if values else None
    return lines("limits", r=result, found=found, name=names, leans=leans)


def wording(results: Iterable[AssociationResult]) -> Mapping[str, str]:
    """What a page calls that which associates; ``data/wording.toml`` says what each phrase is.

    >>> wording([])["heading"]
    'Embedding association tests'
    """
    given = list(results)
    if given and all(result.kind == "groups" for result in given):
        return _wordings()["groups"]
    of_models = {result.language_model is not None for result in given}
    kinds = {frozenset({True}): "models", frozenset({True, False}): "both"}
    return _wordings()[kinds.get(frozenset(of_models), "vectors")]


@cache
def _wordings() -> dict[str, dict[str, str]]:
    return own_toml(WORDING)


def heading(trend: TrendResult, settings: Settings) -> str:
    """What a trend is about: its test with its setting, its years."""
    years = (*trend.periods, *(missing.period for missing in trend.missing))
    return (
        f"Trend of {settings.series(trend)}, {min(years)} to {max(years)}, "
        f"{len(trend.periods)} of {len(years)} periods"
    )


def finding(trend: TrendResult, alpha: float = 0.05) -> str:
    """Where the effect size of level 1 goes with the years, in one sentence."""
    return phrase("sentences", "trend", trend.level1, alpha)


def sentences(trend: TrendResult) -> list[str]:
    """Say how each effect size moves, then what is missing and what is doubtful."""
    return [
        *(f"{about[0].lower()}{about[1:]} {text}" for about, text in level_statements(trend)),
        *(f"{m.period} is missing: {m.reason}." for m in trend.missing),
        *map(str, trend.warnings),
    ]


def level_statements(trend: TrendResult) -> list[Statement]:
    """How each effect size moves, one statement each."""
    return [
        Statement(f"{name[0].upper()}{name[1:]}:", phrase("sentences", "level_trend", level))
        for name, level in levels_of_trend(trend)
    ]


def levels_of_trend(trend: TrendResult) -> Iterator[tuple[str, LevelTrend]]:
    """The effect sizes that have a trend, each with what it is called."""
    found = [("level 1", trend.level1)]
    if trend.level2 is not None:
        found.append((f"level 2 of {trend.concepts.X}", trend.level2.X))
        found.append((f"level 2 of {trend.concepts.Y}", trend.level2.Y))
    yield from ((name, level) for name, level in found if level is not None)


NAMED = 12
"""Results that a line names."""

statement = partial(phrase, "trust")
"""One statement: the name of its macro, and what that takes."""


def statements(
    result: AssociationResult, levels: Sequence[Effect], family: DeclaredFamily
) -> list[Statement]:
    """What a reader should weigh before believing a finding on X and Y; nothing for others."""
    level1 = next((one for one in levels if one.place == "level1"), None)
    if level1 is None:
        return []
    if level1.p is None:
        return [Statement("Chance alone.", statement("undefined", result))]
    if level1.d is None:
        return []
    words = statement("resamples", result, level1), statement("other_words", result)
    found = {
        "Chance alone.": statement("chance", result, level1, family),
        "Other words.": " ".join(filter(None, words)),
        f"Other {result.draws.varied}." if result.draws else "": statement("contexts", result),
        "Frequency.": statement("frequency", result),
        "Single terms.": statement("single_terms", result, level1),
        "What this design can find.": statement("design", result),
        "Too small to matter?": statement("too_small", result),
    }
    return [Statement(about, text) for about, text in found.items() if text]


def not_generalised(results: Sequence[AssociationResult], names: Iterable[str]) -> str:
    """One line for a table: whose level 1 other words may not show; empty where none was tested."""
    known = [
        (name, level.p_two_sided, result.rule.alpha)
        for result, name in zip(results, names, strict=True)
        if result.generalisation and (level := result.generalisation.level1)
        if level.p_two_sided is not None
    ]
    if not known:
        return ""
    alpha = known[0][2]
    of = "Other words (crossed test of level 1, two-sided)"
    if len(known) == 1:
        return f"{of}: {p_equals(known[0][1], alpha)}."
    below = list(dict.fromkeys(name for name, p, limit in known if p < limit))
    others = [name for name in dict.fromkeys(name for name, *_ in known) if name not in below]
    text = f"{of}: p < {level_of(alpha)}"
    if not others:
        return f"{text} for {all_of(len(known))}."
    if not below:
        return f"{text} for {'neither' if len(known) == 2 else f'none of {len(known)}'}."
    return f"{text} for {len(below)} of {len(known)}, not for {listed(others, NAMED)}."
