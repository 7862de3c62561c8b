"""What came of computing a record again: its differences, and what it is called."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from eatlas.engine.verify_records import lacking, not_compared, shortly
from eatlas.errors import EatlasError
from eatlas.results import AssociationResult, TrendResult
from eatlas.stimuli import Test, built_in_tests
from eatlas.stimuli.batteries import with_images
from eatlas.version import __version__

Against = Literal["given", "built in", "hash", "nothing"]
"""Tests that the user gave; those of eatlas itself; the hash in the file alone; nothing at all."""
Placed = Callable[[Test], Test]


@dataclass(frozen=True)
class Labels:
    """Names of groups, title and citation of one result, compared with what is known."""

    against: Against
    differences: tuple[str, ...] = ()
    """What is called otherwise there, in whole lines."""
    remarks: tuple[str, ...] = ()
    """A built-in test that has the same stimuli under other names; what nothing compares."""


def compared(
    result: AssociationResult,
    test: Test,
    given: Mapping[str, Test],
    placed: Placed,
) -> Labels:
    """Compare what a result is called with the test of its id, where that is known."""
    of_sentences = any(concept.sentences for _, concept in test.parts)
    known = built_in_tests(sentences=of_sentences and test.contexts is None)
    places: tuple[tuple[Against, Iterable[Test]], ...]
    places = (("given", given.values()), ("built in", known))
    for against, tests in places:
        same = next((one for one in tests if one.id == result.test), None)
        same = same and with_images(same)
        if same is not None and same.kind == test.kind and same.at_hand:
            said = "the test that was given" if against == "given" else "the built-in test"
            return Labels(against, tuple(_against(test, same, placed, f"{said} {same.id}")))
    remarks = [_of_the_same_stimuli(test, (*given.values(), *known))]
    if test.sentences_from and test.contexts is None:
        remarks.append(f"provenance.sentences_from is not verified: {shortly(test.sentences_from)}")
    stated = result.provenance.labels_sha256
    against: Against = "nothing" if stated is None else "hash"
    return Labels(against, remarks=tuple(filter(None, remarks)))


def _against(test: Test, same: Test, placed: Placed, where: str) -> list[str]:
    try:
        return list(_differences(test, placed(same.against(test)), where))
    except EatlasError:  # its terms have no contexts in the file that has those of the result
        return [f"coverage: the terms are not those of {where}"]


def _differences(test: Test, known: Test, where: str) -> Iterator[str]:
    """Say what is called otherwise, and which terms are others."""
    for group, known_as in known.concepts.items():
        one, other = test.concepts.get(group), known_as.name
        if one is not None and one.name != other:
            yield f"concepts.{group}: {one.name!r} in the file, {other!r} in {where}"
    for key in ("title", "citation"):
        one_said, other_said = getattr(test, key), getattr(known, key)
        if one_said != other_said:
            yield f"{key}: {one_said!r} in the file, {other_said!r} in {where}"
    if test.sentences_from != known.sentences_from:
        yield (
            f"provenance.sentences_from: {shortly(test.sentences_from)} in the file, "
            f"{shortly(known.sentences_from)} in {where}"
        )
    if test.stimuli_sha256 != known.stimuli_sha256:
        yield f"coverage: the terms are not those of {where}{_other_terms(test, known)}"


def _other_terms(test: Test, known: Test) -> str:
    """The first group whose terms differ, and a few of them."""
    for group, concept in known.concepts.items():
        theirs = set(concept.terms)
        ours = set(test.concepts[group].terms) if group in test.concepts else set()
        if ours != theirs:
            more, less = _few(ours - theirs), _few(theirs - ours)
            parts = [f"has {more}"] * bool(more) + [f"lacks {less}"] * bool(less)
            return f": {group} {' and '.join(parts)}; a test with other terms needs another id"
    return ""


def _few(terms: Iterable[str]) -> str:
    named = sorted(terms)
    return ", ".join(map(repr, named[:3])) + (", ..." if len(named) > 3 else "")


def _of_the_same_stimuli(test: Test, known: Iterable[Test]) -> str:
    """Name a known test that has these stimuli, where its groups are called otherwise."""
    if test.contexts is not None:
        return ""
    asked = test.stimuli_sha256
    same = [one for one in known if one.at_hand and one.stimuli_sha256 == asked]
    names = [concept.name for _, concept in test.parts]
    if not same or any([c.name for _, c in one.parts] == names for one in same):
        return ""
    called = ", ".join(f"{role} {concept.name}" for role, concept in same[0].parts)
    return f"its terms are those of the test {same[0].id}, which calls them {called}"


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
    """All that a result holds; of one by another version, only what is in its file."""
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
    return (*([unknown] if labels.against == "nothing" else []), *labels.remarks)


def _versions(result: Judged) -> tuple[str, ...]:
    version = result.provenance.version
    if version == __version__:
        return ()
    if not _NUMBER.match(version):
        return (f"written by {version!r}, which is not a known version of eatlas",)
    newer = _parts(version) > _parts(__version__)
    doubt = ", which may not know every part of it" if newer else ""
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
