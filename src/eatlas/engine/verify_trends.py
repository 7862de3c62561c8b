"""Computing trends again, from the results of their periods as they come out now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from eatlas.engine.comparing import differences
from eatlas.engine.trends import trends
from eatlas.engine.verdicts import Verdict, written
from eatlas.results import AssociationResult, Failure, TrendResult

OF_THE_PERIODS = ("periods", "missing")
"""Keys of a record that are compared year by year."""
CUT = "not compared: the p-values of the trend, whose runs were cut in another way"


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
    otherwise = trend.provenance.draws is None
    if otherwise:
        _without_runs(old, new)
    found_now = (*_of_periods(trend, again[0]), *differences(old, new))
    verdict = Verdict.found(trend, found_now, old, new)
    return replace(verdict, details=(*verdict.details, CUT)) if otherwise else verdict


def _without_runs(*records: dict[str, Any]) -> None:
    """Leave out what rests on how the series is cut into runs."""
    for record in records:
        record.get("provenance", {}).pop("draws", None)
        record.pop("warnings", None)
        for level in (record.get("level1"), *(record.get("level2") or {}).values()):
            if level:
                level.pop("p", None)
                level.pop("block_length", None)


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
