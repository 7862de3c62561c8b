"""Computing trends again, from the results of their periods as they come out now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from eatlas.engine.comparing import differences
from eatlas.engine.trends import trends
from eatlas.engine.verdicts import Verdict, written
from eatlas.results import AssociationResult, Failure, TrendResult

OF_THE_PERIODS = ("periods", "missing")
"""Keys of a record that are compared year by year."""


def verify_trend(
    trend: TrendResult, outcomes: Iterable[AssociationResult | Failure], seed: int
) -> Verdict:
    """Compute a trend again and say what differs.

    Parameters
    ----------
    trend : TrendResult
    outcomes : iterable of AssociationResult or Failure
        What came of the same test and measure in every period that the series has now.
    seed : int
        Of the run.
    """
    found = tuple(outcomes)
    done = [outcome for outcome in found if not isinstance(outcome, Failure)]
    failed = [outcome for outcome in found if isinstance(outcome, Failure)]
    again = trends(done, failed, seed)
    if not again:
        return Verdict.without(trend, "too few periods of the series give a result now")
    old, new = written(trend), again[0].to_dict()
    for key in OF_THE_PERIODS:
        old.pop(key, None)
        new.pop(key, None)
    return Verdict.found(trend, (*_of_periods(trend, again[0]), *differences(old, new)), old, new)


def _of_periods(old: TrendResult, new: TrendResult) -> Iterator[str]:
    """Say which years have a result in one and not in the other, or lack it for another reason."""
    before, after = _states(old), _states(new)
    for year in sorted(before | after):
        then, now = (states.get(year, "not there") for states in (before, after))
        if then != now:
            yield f"period {year}: {then} in the file, {now} now"


def _states(trend: TrendResult) -> dict[int, str]:
    missing = {m.period: f"missing ({m.reason})" for m in trend.missing}
    return missing | dict.fromkeys(trend.periods, "a result")
