"""What a result or a trend says, in plain sentences; their wording is in the templates."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eatlas.present.rendering import phrase
from eatlas.results import AssociationResult

if TYPE_CHECKING:
    from eatlas.results.trend import LevelTrend, TrendResult

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
    given = list(results)
    if given and all(result.kind == "groups" for result in given):
        return _wordings()["groups"]
    of_models = {result.language_model is not None for result in given}
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
    return phrase("sentences", "trend", trend.level1, alpha)


def sentences(trend: TrendResult) -> list[str]:
    """Say how each effect size moves, then what is missing and what is doubtful."""
    return [
        *(f"{about[0].lower()}{about[1:]} {text}" for about, text in level_statements(trend)),
        *(f"{m.period} is missing: {m.reason}." for m in trend.missing),
        *trend.warnings,
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
