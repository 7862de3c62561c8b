"""Two records of one result with other random draws, and where they are too far apart for that."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from eatlas.engine.wordings import current
from eatlas.measures import Measure
from eatlas.measures.resampling import NEARLY_ONE
from eatlas.results import AssociationResult

FAR = 10.0
"""Monte Carlo standard errors of an end, or of a share: seven of the difference of two. Ends of BCa
and studentised intervals, whose own errors are not stated, vary up to twice as much."""
SPREAD = 0.3
"""Largest relative difference of two standard deviations over 1,000 resamples or more."""
REMARK = "Resampled"
"""How a remark on resamples begins."""
DRAWN = ("sampled", "importance")


def drawn_otherwise(result: AssociationResult) -> bool:
    """Whether a result is of a version whose draws did not follow the seed and the stimuli."""
    return result.provenance.draws is None


def as_recorded(measure: Measure, result: AssociationResult) -> Measure:
    """Return the measure with as many resamples as a result says it has.

    The default number has changed, and signatures leave defaults out.
    """
    found = result.uncertainty
    if found is None or not hasattr(measure, "resamples"):
        return measure
    return measure.with_parameters(resamples=found.resamples)


def random_differences(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """Take out of two records what rests on random draws, and say where it is too far apart."""
    for record in (old, new):
        record.get("provenance", {}).pop("draws", None)
        if isinstance(record.get("warnings"), list):
            record["warnings"] = [
                said
                for said in record["warnings"]
                if not said.startswith(REMARK) and NEARLY_ONE not in current(said)
            ]
    yield from _walk(old, new, "")


def _walk(old: dict[str, Any], new: dict[str, Any], path: str) -> Iterator[str]:
    """Compare what was drawn within Monte Carlo error, and remove it from both records."""
    for key in list(old):
        one, other, place = old[key], new.get(key), f"{path}{key}"
        if not (isinstance(one, dict) and isinstance(other, dict)):
            continue
        if key == "uncertainty":
            yield from _far_intervals(one, other, place)
        elif key == "over_attributes_uncertainty":
            yield from _far_ends(one, other, place)
        elif key == "p" and _drawn(one):
            yield from _far_p(one, other, place)
        else:
            yield from _walk(one, other, f"{place}.")
            continue
        del old[key]
        new.pop(key)


def _far_intervals(old: dict[str, Any], new: dict[str, Any], path: str) -> Iterator[str]:
    """Compare two records of uncertainty."""
    for key in ("over", "unit", "resamples", "confidence"):
        if key in old and old[key] != new[key]:
            yield f"{path}.{key}: {old[key]!r} in the file, {new[key]!r} now"
    yield from _far_ends(old["level1"], new["level1"], f"{path}.level1")
    for role, level in ((new["level2"] and old.get("level2")) or {}).items():
        yield from _far_ends(level, new["level2"][role], f"{path}.level2.{role}")
    if old.get("patterns") and new["patterns"]:
        least = 1 / old["resamples"]  # the error of a share of none is 0
        for label, share in old["patterns"].items():
            now, error = new["patterns"][label], max(new["patterns_error"][label], least)
            if abs(share - now) > FAR * error:
                yield f"{path}.patterns.{label}: {share} in the file, {now} now"


def _far_ends(old: dict[str, Any], new: dict[str, Any], path: str) -> Iterator[str]:
    """Compare two intervals; their ends may be a few Monte Carlo errors apart."""
    errors = new.get("error") or (math.inf, math.inf)
    for kind in ("interval", "percentile", "bca", "studentised"):
        one, other = old.get(kind), new.get(kind)
        if one is None or other is None:
            continue
        ends = zip(one, other, errors, strict=True)
        if any(abs(a - b) > FAR * e for a, b, e in ends):
            yield f"{path}.{kind}: {one} in the file, {other} now"
    one, other = old.get("se"), new.get("se")
    if one is not None and other is not None and not math.isclose(one, other, rel_tol=SPREAD):
        yield f"{path}.se: {one} in the file, {other} now"


def _drawn(p: dict[str, Any]) -> bool:
    method = p.get("method")
    return any(m in DRAWN for m in (method.values() if isinstance(method, dict) else [method]))


def _far_p(old: dict[str, Any], new: dict[str, Any], path: str) -> Iterator[str]:
    """Compare p-values of random relabellings: their intervals must have a part in common."""
    for tail in ("greater", "less", "two_sided"):
        one, other = (p.get("interval") and p["interval"].get(tail) for p in (old, new))
        if one is None or other is None:
            near = math.isclose(old[tail], new[tail], rel_tol=1e-9)
        else:
            widths = [(high / low) ** 1.5 if low > 0 else math.inf for low, high in (one, other)]
            near = one[0] <= other[1] * widths[1] and other[0] <= one[1] * widths[0]
        if not near:
            yield f"{path}.{tail}: {old[tail]} in the file, {new[tail]} now"
