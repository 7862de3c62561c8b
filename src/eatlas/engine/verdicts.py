"""What came of computing a record again."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from eatlas.engine.comparing import differences, lacking, not_compared, shortly
from eatlas.engine.labels import Labels
from eatlas.results import AssociationResult, TrendResult
from eatlas.version import __version__

Status = Literal["same", "differs", "not repeated", "refused"]
Judged = AssociationResult | TrendResult
SHOWN = 10
"""Differences, or parts that are left out, that are named one by one."""
LATER = ("provenance.labels_sha256", "schema")
"""Parts that files without them may lack; what that means is said elsewhere."""
_NUMBER = re.compile(r"\d{1,9}(\.\d{1,9}){0,3}", re.ASCII)


@dataclass(frozen=True)
class Verdict:
    """What came of computing one result, or one trend, again."""

    result: Judged
    status: Status
    details: tuple[str, ...] = ()
    """Each difference, or why the result could not be computed again; then what was not compared,
    and, where another version of eatlas wrote the result, which one."""
    labels: Labels | None = None
    """What the names of groups, title and citation were compared with; None of a trend, and where
    the result was not computed again."""

    @classmethod
    def of(
        cls,
        result: Judged,
        old: dict[str, Any],
        new: dict[str, Any],
        labels: Labels | None = None,
        limits: Sequence[dict[str, Any]] = (),
    ) -> Verdict:
        """Judge a result by its differences; what the numbers rest on comes first.

        Parameters
        ----------
        result : AssociationResult or TrendResult
        old, new : dict
            What the file holds, and what came out now.
        labels : Labels, optional
        limits : sequence of dict
            Of computed vectors, what comes out with other tolerances for ties.
        """
        called = () if labels is None else labels.differences
        return cls.found(result, (*called, *differences(old, new, limits)), old, new, labels)

    @classmethod
    def found(
        cls,
        result: Judged,
        said: Iterable[str],
        old: dict[str, Any],
        new: dict[str, Any],
        labels: Labels | None = None,
    ) -> Verdict:
        """Judge a result by differences that are known, and by what the file lacks."""
        left_out = [one for one in lacking(old, new) if one[0] not in LATER]
        more: list[str] = []
        if result.provenance.version == __version__:
            more = [f"{path}: not in the file, {shortly(value)} now" for path, value in left_out]
        ordered = sorted((*said, *more), key=_rank)
        cut = (f"and {len(ordered) - SHOWN} more",) if len(ordered) > SHOWN else ()
        notes = (
            *not_compared(new),
            *_not_compared([] if more else left_out),
            *_of_labels(labels),
            *_versions(result),
        )
        status: Status = "differs" if ordered else "same"
        return cls(result, status, (*ordered[:SHOWN], *cut, *notes), labels)

    @classmethod
    def without(cls, result: Judged, *reason: str, refused: bool = False) -> Verdict:
        """Say why a result could not, or may not, be computed again, and what to do."""
        status: Status = "refused" if refused else "not repeated"
        return cls(result, status, (*reason, *_versions(result)))


def written(result: Judged) -> dict[str, Any]:
    """All that a result holds; of one by another version, only what stands in its file."""
    if result.provenance.version == __version__:
        return result.to_dict()
    return result.model_dump(mode="json", exclude_unset=True)


def _not_compared(left_out: list[tuple[str, Any]]) -> tuple[str, ...]:
    if not left_out:
        return ()
    named = ", ".join(path for path, _ in left_out[:SHOWN])
    more = f" and {len(left_out) - SHOWN} more" if len(left_out) > SHOWN else ""
    return (f"not in the file, so not compared: {named}{more}",)


def _of_labels(labels: Labels | None) -> tuple[str, ...]:
    """What is said of names beside the differences."""
    if labels is None:
        return ()
    unknown = "names of groups, title and citation are not verified: the file has no hash of them"
    return (*([unknown] if labels.against == "nothing" else []), *filter(None, [labels.remark]))


def _versions(result: Judged) -> tuple[str, ...]:
    version = result.provenance.version
    if version == __version__:
        return ()
    if not _NUMBER.match(version):
        return (f"written by {version!r}, which is no version of eatlas that is known",)
    newer = _parts(version) > _parts(__version__)
    doubt = ", which may not know all that stands there" if newer else ""
    return (f"written by eatlas {version}, computed again by {__version__}{doubt}",)


def _parts(version: str) -> list[int]:
    """The numbers of a version; what follows them, such as rc1, is left out."""
    found = _NUMBER.match(version)
    return [int(part) for part in found[0].split(".")] if found else []


def _rank(difference: str) -> int:
    """What the numbers rest on, then the findings, then all else."""
    first = ("provenance.", "period ", "concepts.", "title:", "citation:", "coverage:")
    if difference.startswith(first):
        return 0
    return 1 if difference.startswith(("level1.", "level2.", "pattern.")) else 2
