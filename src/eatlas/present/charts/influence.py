"""Which terms drive each association: every effect size without each term in turn."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eatlas.errors import ResultsError
from eatlas.present.charts import influence_drawing
from eatlas.present.charts.frames import HEAD, frame, heads, some_results
from eatlas.results import ThreeLevelResult, WEATResult
from eatlas.results.influence import TermInfluence
from eatlas.results.parts import Level

if TYPE_CHECKING:
    import pandas as pd

    from eatlas.present.charts.chart import Chart

COLUMNS = (
    *HEAD, *"XYAB", "level", "role", "name", "term", "term_role", "effect_size", "without",
    "change", "drives", "rank",
)  # fmt: skip
ACCEPTED = (ThreeLevelResult, WEATResult)
DRAWN = 10
"""Terms of each effect size that a chart shows unless told; all of 8 v 8 with 8 v 8 are 32."""


def prepare(result: object) -> pd.DataFrame:
    """Make a row of each term for each effect size that uses it.

    Parameters
    ----------
    result : result
        One, of ML-EAT or WEAT.

    Returns
    -------
    DataFrame
        ``test``, ``source``, ``signature``, ``period``, ``series``; ``X``, ``Y``, ``A``, ``B``
        (names of the groups); ``level`` ("level 1", "level 2") and ``role`` ("XY", "X", "Y") of
        an effect size, and the ``name`` of its targets; the left out ``term`` of the group
        ``term_role``; ``effect_size`` with all terms, ``without`` this one, and the ``change``
        between them, missing where no effect size is left; ``drives``, whether the change is
        towards 0 or past it; ``rank`` by the size of the change in its effect size, from 1.

    Raises
    ------
    ResultsError
        If there is not one result of these measures, or it holds no influence of terms.

    Examples
    --------
    >>> import eatlas
    >>> terms = prepare(eatlas.run(tests="weat-6")[0])
    >>> terms.query("level == 'level 1' and rank == 1")["term"].item()
    'Diana'
    """
    (found, *others) = some_results(
        result, "influence", ACCEPTED, "terms are left out one by one in ML-EAT and WEAT"
    )
    if others:
        raise ResultsError(
            "a chart of the kind influence is drawn from one result",
            got=f"{1 + len(others)} results",
            allowed="one result of ML-EAT or WEAT",
            remedy='take one of several: eatlas.plot(results[0], kind="influence")',
        )
    if not isinstance(found, ThreeLevelResult | WEATResult) or found.primary.influence is None:
        raise ResultsError(
            "this result does not say what single terms contribute",
            got=f"{found.signature} for {found.test}",
            allowed="a result with two usable terms or more in each group",
            remedy="measure the test again with more terms",
        )
    head = heads([found])[0] | {role: found.concepts.name(role) for role in "XYAB"}
    return frame((head | row for row in _rows(found)), COLUMNS)


def draw(given: pd.DataFrame, *, terms: int = DRAWN) -> Chart:
    """Draw the terms whose absence changes each effect size most.

    Parameters
    ----------
    given : DataFrame
        What :func:`prepare` made.
    terms : int, default 10
        So many of each effect size at most.

    Raises
    ------
    EatlasError
        If altair is not installed.
    """
    return influence_drawing.draw(given, max(1, terms))


def _rows(result: ThreeLevelResult | WEATResult) -> Iterator[dict[str, Any]]:
    read, held = result.primary, result.primary.influence
    if held is None or read.level1 is None:
        return
    names = result.concepts
    both = f"{names.X} and {names.Y}"
    yield from _terms(result, "level 1", "XY", both, read.level1, held.level1)
    if read.level2 is not None and held.level2 is not None:
        for role in "XY":
            level, found = read.level2.group(role), held.level2.group(role)
            yield from _terms(result, "level 2", role, names.name(role), level, found)


def _terms(
    result: ThreeLevelResult | WEATResult, level: str, role: str, name: str, found: Level,
    influence: TermInfluence,
) -> Iterator[dict[str, Any]]:  # fmt: skip
    changes = [
        (term_role, term, change)
        for term_role in "XYAB"
        for term, change in zip(
            result.coverage.group(term_role).stimuli, influence.group(term_role), strict=False
        )
    ]
    order = sorted(range(len(changes)), key=lambda i: -abs(changes[i][2] or 0.0))
    ranks = {place: rank for rank, place in enumerate(order, start=1)}
    d = found.effect_size
    for place, (term_role, term, change) in enumerate(changes):
        without = None if d is None or change is None else d + change
        yield {
            "level": level,
            "role": role,
            "name": name,
            "term": term,
            "term_role": term_role,
            "effect_size": d,
            "without": without,
            "change": None if without is None else change,
            "drives": without is not None and (d or 0.0) * (change or 0.0) < 0,
            "rank": ranks[place],
        }
