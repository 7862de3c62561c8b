"""What came of computing a record again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from eatlas.results import AssociationResult, TrendResult
from eatlas.version import __version__

Status = Literal["same", "differs", "not repeated", "refused"]
Judged = AssociationResult | TrendResult
SHOWN = 10
"""Differences that are named one by one."""


@dataclass(frozen=True)
class Verdict:
    """What came of computing one result, or one trend, again."""

    result: Judged
    status: Status
    details: tuple[str, ...] = ()
    """Each difference, or why the result could not be computed again; then, where another version
    of eatlas wrote the result, which one."""

    @classmethod
    def of(cls, result: Judged, found: Iterable[str]) -> Verdict:
        """Judge a result by its differences; what the numbers rest on comes first."""
        ordered = sorted(found, key=_of_the_numbers)
        more = (f"and {len(ordered) - SHOWN} more",) if len(ordered) > SHOWN else ()
        details = (*ordered[:SHOWN], *more, *_versions(result))
        return cls(result, "differs" if ordered else "same", details)

    @classmethod
    def without(cls, result: Judged, *reason: str, refused: bool = False) -> Verdict:
        """Say why a result could not, or may not, be computed again, and what to do."""
        status: Status = "refused" if refused else "not repeated"
        return cls(result, status, (*reason, *_versions(result)))


def written(result: Judged) -> dict[str, object]:
    """All that a result holds; of one by another version, only what stands in its file."""
    if result.provenance.version == __version__:
        return result.to_dict()
    return result.model_dump(mode="json", exclude_unset=True)


def _versions(result: Judged) -> tuple[str, ...]:
    if result.provenance.version == __version__:
        return ()
    return (f"written by eatlas {result.provenance.version}, computed again by {__version__}",)


def _of_the_numbers(difference: str) -> bool:
    """Whether a difference is one of numbers, not of what they were computed from."""
    return not difference.startswith(("provenance.", "period "))
