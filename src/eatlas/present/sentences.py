"""What a result, a trend or a page says, and how far it may be trusted, in plain sentences.

Their wording is in the templates, a macro each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from eatlas.errors import join_names
from eatlas.numbers import effect, plural
from eatlas.present import targets  # noqa: F401  (templates call its filters)
from eatlas.present.effects import (
    levels_of,
    names_of,
    topic_baseline,
    unit_of,
)
from eatlas.present.findings import finding_of
from eatlas.present.rendering import lines, phrase
from eatlas.results import AssociationResult
from eatlas.results.effects import Effect
from eatlas.results.finding import Finding
from eatlas.results.levels import draws_of
from eatlas.results.parts import at
from eatlas.results.settings import Settings
from eatlas.results.trend import Timeline, series_source
from eatlas.stimuli import TARGETS
from eatlas.texts import tables

if TYPE_CHECKING:
    from eatlas.results.trend import LevelTrend, TrendResult

WORDING = Path(__file__).parent / "data" / "wording.toml"


def sentence(result: AssociationResult, finding: Finding | None = None) -> str:
    """Say what a result shows, and the numbers behind it.

    Parameters
    ----------
    result : AssociationResult
    finding : Finding, optional
        What it shows beside other results. By default what it shows by itself.

    Returns
    -------
    str
        The finding, then one to four sentences.

    Examples
    --------
    >>> import eatlas
    >>> print(sentence(eatlas.run(tests="weat-1")[0]).split(". ")[0])
    Flowers are more strongly associated with Pleasant than Insects are
    """
    shown = finding or finding_of(result)
    numbers = phrase("sentences", "levels", result, shown), phrase("sentences", "more", result)
    return " ".join(filter(None, (str(shown), *numbers, result.remark)))


def numbers(result: AssociationResult) -> list[tuple[str, str]]:
    """What a measure without effect sizes d found, each number with what it is called."""
    return [(e.title, effect(e.d, 3)) for e in levels_of(result) if e.symbol != "d"]


def limits(result: AssociationResult, finding: Finding) -> list[str]:
    """What a finding on X and Y does not say, where readers may think that it does."""
    if not any(e.place == "level1" and e.d is not None for e in result.effects()):
        return []
    names, nearer = names_of(result), {}
    for role in TARGETS:
        question, values = finding.questions.get(f"level2.{role}"), at(result.primary.scores, role)
        if question is None or not values:
            continue
        first, second = "AB" if (question.effect_size or 0.0) > 0 else "BA"
        towards = sum(value > 0 if first == "A" else value < 0 for value in values)
        nearer[role] = question.verdict, towards, len(values), names[first], names[second]
    return lines("limits", r=result, name=names, nearer=nearer)


def wording(results: Iterable[AssociationResult]) -> Mapping[str, str]:
    """What a page calls that which associates; ``data/wording.toml`` says what each phrase is.

    Pages of one view have its words, others the first that serve all of their views.


    >>> wording([])["heading"]
    'Embedding association tests'
    """
    views = {result.view for result in results} or {"vectors"}
    words = tables(WORDING)
    if len(views) == 1 and (own := words.get(next(iter(views)))):
        return own
    serving = (table for table in words.values() if views <= set(table["views"]))
    return next(serving, words["vectors"])


def heading(trend: TrendResult, settings: Settings) -> str:
    """What a trend is about: its test with its setting, its years."""
    years = (*trend.periods, *(missing.period for missing in trend.missing))
    known = Timeline(r for r in settings.results if series_source(r) == trend.source)
    return (
        f"Trend of {settings.series(trend)}, {min(years)} to {known[max(years)].last}, "
        f"{len(trend.periods)} of {len(years)} periods"
    )


def finding(trend: TrendResult, alpha: float = 0.05) -> str:
    """How the effect size of level 1 changes over the years, in one sentence."""
    return phrase("sentences", "trend", trend.level1, alpha)


def sentences(trend: TrendResult, alpha: float = 0.05) -> list[str]:
    """Say how each effect size moves, then what is missing."""
    return [
        *(
            f"{name[0].upper()}{name[1:]} {phrase('sentences', 'moves', level, alpha)}"
            for name, level in levels_of_trend(trend)
        ),
        *(f"{m.period} is missing: {m.reason}." for m in trend.missing),
    ]


def level_statements(trend: TrendResult) -> list[tuple[str, str]]:
    """How each effect size moves, one statement each."""
    return [
        (f"{name[0].upper()}{name[1:]}:", phrase("sentences", "level_trend", level))
        for name, level in levels_of_trend(trend)
    ]


def levels_of_trend(trend: TrendResult) -> list[tuple[str, LevelTrend]]:
    """The effect sizes that have a trend, each with what it is called."""
    levels = [("level 1", trend.level1)]
    if trend.level2 is not None:
        levels.append((f"level 2 of {trend.concepts.X}", trend.level2.X))
        levels.append((f"level 2 of {trend.concepts.Y}", trend.level2.Y))
    return [(name, level) for name, level in levels if level is not None]


statement = partial(phrase, "trust")
"""One statement: the name of its macro, and what that takes."""


def statements(result: AssociationResult, levels: Sequence[Effect]) -> list[tuple[str, str]]:
    """Each test behind a finding on X and Y in full; nothing for others.

    One sentence or two each, with a word in front that says what they are about.
    """
    level1 = next((level for level in levels if level.place == "level1"), None)
    if level1 is None:
        return []
    if level1.p is None:
        return [("These words.", statement("undefined", result))]
    if level1.d is None:
        return []
    held = join_names(result.adjusted.covariates) if result.adjusted else ""
    draws = draws_of(result)
    about = {
        "These words.": statement("these_words", result, level1),
        "New words.": statement("new_words", result),
        f"Adjusted for {held}.": statement("adjusted", result),
        f"Other {draws.varied}." if draws else "": statement("contexts", result),
        **{
            part.heading: phrase(part.words, "statement", result)
            for part in result.parts.values()
            if part.heading
        },
        "Random topics." if topic_baseline(result) else "Frequency.": statement(
            "frequency", result
        ),
        f"Single {plural(unit_of(result))}.": statement("single_terms", result, level1),
        "What this design can find.": statement("design", result),
    }
    return [(head, text) for head, text in about.items() if text]
