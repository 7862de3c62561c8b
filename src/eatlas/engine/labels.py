"""What a test and its groups are called in a result, and what that can be held against."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from eatlas.errors import EatlasError
from eatlas.results import AssociationResult
from eatlas.stimuli import Test, built_in_tests

Against = Literal["given", "built in", "hash", "nothing"]
"""Tests that the user gave; those of eatlas itself; the hash in the file alone; nothing at all."""
Placed = Callable[[Test], Test]


@dataclass(frozen=True)
class Labels:
    """Names of groups, title and citation of one result, compared with what is known."""

    against: Against
    differences: tuple[str, ...] = ()
    """What is called otherwise there, in whole lines."""
    remark: str = ""
    """A built-in test that has the same stimuli under other names."""


def compared(
    result: AssociationResult,
    test: Test,
    given: Mapping[str, Test],
    placed: Placed,
) -> Labels:
    """Compare what a result is called with the test of its id, where that is known.

    Parameters
    ----------
    result : AssociationResult
    test : Test
        What the result belongs to, rebuilt from it.
    given : mapping
        Tests that the user vouches for, by id.
    placed : callable
        Puts a test of words into the contexts that the result was made in.
    """
    of_sentences = any(concept.sentences for _, concept in test.parts)
    known = built_in_tests(sentences=of_sentences and test.contexts is None)
    places: tuple[tuple[Against, Iterable[Test]], ...]
    places = (("given", given.values()), ("built in", known))
    for against, tests in places:
        same = next((one for one in tests if one.id == result.test), None)
        if same is not None and same.kind == test.kind:
            said = "the test that was given" if against == "given" else "the built-in test"
            return Labels(against, tuple(_against(test, same, placed, f"{said} {same.id}")))
    stated = result.provenance.labels_sha256
    remark = _of_the_same_stimuli(test, (*given.values(), *known))
    if stated is None:
        return Labels("nothing", remark=remark)
    return Labels("hash", remark=remark)


def _against(test: Test, same: Test, placed: Placed, where: str) -> list[str]:
    try:
        return list(_differences(test, placed(same), where))
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
    same = [one for one in known if one.stimuli_sha256 == asked]
    names = [concept.name for _, concept in test.parts]
    if not same or any([c.name for _, c in one.parts] == names for one in same):
        return ""
    called = ", ".join(f"{role} {concept.name}" for role, concept in same[0].parts)
    return f"its terms are those of the test {same[0].id}, which calls them {called}"
