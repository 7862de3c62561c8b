"""Forest plot: level 1 and level 2 effect sizes with their intervals, test below test."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.present.charts import forest_drawing
from eatlas.present.charts.frames import HEAD, frame, heads, some_results
from eatlas.present.effects import Rule
from eatlas.results import (
    AssociationResult,
    LogRatioResult,
    LPBSResult,
    SCEATResult,
    ThreeLevelResult,
    WEATResult,
)
from eatlas.results.parts import Level, effect_of
from eatlas.results.uncertainty import EffectInterval

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *HEAD, *"XYAB", "level", "role", "name", "term", "effect_size", "low", "high", "confidence",
    "p", "p_low", "alpha", "tail", "significant", "read_over",
)  # fmt: skip
ACCEPTED = (ThreeLevelResult, WEATResult, SCEATResult)
OVER = "over attributes"
"""Level of the published effect size of an LPBS."""


def prepare(results: object) -> pd.DataFrame:
    """Make a row of each effect size.

    Parameters
    ----------
    results : result or iterable of results
        Of ML-EAT (level 1 and both level 2), WEAT (level 1), SC-EAT (level 2 of every term) and
        LPBS (as ML-EAT, and over attributes).

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period`` and ``series`` (what tells apart the
        results of one test); ``X``, ``Y``, ``A``, ``B`` (names of the groups); ``level``
        ("level 1", "level 2", "over attributes"), ``role`` ("XY", "X", "Y", "AB"), ``name`` (of
        the group or term), ``term`` (whether it is one); ``effect_size``, ``low`` and ``high`` (its
        interval) with ``confidence``; ``p`` that the measure's rule reads, ``p_low`` (its lower
        bound where only bounds are known), ``alpha``, ``tail``, ``significant``; ``read_over``
        ("stimuli" in tests of sentences, else "terms"). What is undefined is missing.

    Raises
    ------
    ResultsError
        If there is no result, or one of another measure.

    Examples
    --------
    >>> import eatlas
    >>> prepare(eatlas.run(tests="weat-6"))["level"].tolist()
    ['level 1', 'level 2', 'level 2']
    """
    found = some_results(results, "forest", ACCEPTED, "a forest shows effect sizes")
    return frame(
        (
            head | {role: result.concepts.name(role) for role in "XYAB"} | row
            for head, result in zip(heads(found), found, strict=True)
            for row in effect_rows(result)
        ),
        COLUMNS,
    )


def draw(given: pd.DataFrame) -> Chart:
    """Draw the forest.

    Tests stand below each other in their order in the frame, the sources of a test beside each
    other in its rows. Filled marks are significant.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made, or some rows of it.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    return forest_drawing.draw(given)


def effect_rows(result: AssociationResult) -> Iterator[dict[str, Any]]:
    """Make a row of each effect size of one result, without what names the result."""
    rule = Rule.of(result)
    if isinstance(result, SCEATResult):
        more = {"term": True, "read_over": "stimuli" if result.over_stimuli else "terms"}
        for entry in result.primary_terms:
            yield _row("level 2", entry.group, entry.term, entry.level2, rule) | more
        return
    if not isinstance(result, ThreeLevelResult | WEATResult):
        return
    read = result.primary
    given = read.uncertainty
    confidence = None if given is None else given.confidence
    names = result.concepts
    both = f"{names.X} and {names.Y}"
    yield _row(
        "level 1",
        "XY",
        both,
        read.level1,
        rule,
        None if given is None else given.level1,
        confidence,
    ) | {"read_over": read.over}
    if isinstance(result, ThreeLevelResult):
        for role in "XY":
            level, interval = read.group(role), None
            if given is not None and given.level2 is not None:
                interval = given.level2.group(role)
            row = _row("level 2", role, names.name(role), level, rule, interval, confidence)
            yield row | {"read_over": read.over}
    if isinstance(result, LogRatioResult):
        over = result.over_attributes_uncertainty if isinstance(result, LPBSResult) else None
        both = f"{names.A} and {names.B}"
        yield _row(OVER, "AB", both, result.over_attributes, rule, over, confidence)


def _row(
    level: str, role: str, name: str, found: Level | None, rule: Rule,
    interval: EffectInterval | None = None, confidence: float | None = None,
) -> dict[str, Any]:  # fmt: skip
    low, high = (interval and interval.interval) or (None, None)
    return {
        "level": level,
        "role": role,
        "name": name,
        "term": False,
        "effect_size": effect_of(found),
        "low": low,
        "high": high,
        "confidence": None if low is None else confidence,
        "p": None if found is None else rule.p(found),
        "p_low": None if found is None else rule.p_low(found),
        "alpha": rule.alpha,
        "tail": rule.tail,
        "significant": found is not None and rule.significant(found),
        "read_over": "terms",
    }
