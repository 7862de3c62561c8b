"""Four lists to start from: of tests that come with eatlas, of those named, of a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from eatlas.decoding import read_toml
from eatlas.errors import EatlasError
from eatlas.stimuli import ROLES, AssociationTest, load_tests

BUNDLED = {
    "weat-1": "Flowers/Insects",
    "weat-6": "Names, Career/Family",
    "weat-8": "Science/Arts",
}
"""Tests that come with eatlas, by what their buttons say."""
MOST_NAMED = 6
"""Tests of the command line that have a button; the menu of tests has them all."""
NO_FILE = "This is not a file of tests with four lists of words: a test has X, Y, A and B."


class Start(NamedTuple):
    """A button that fills four lists."""

    name: str
    lists: str
    """JSON of the name and the words of each list, by role."""


class FileLists(NamedTuple):
    """Four lists of a file."""

    lists: dict[str, tuple[str, str]]
    """Name and words of each, by role."""
    note: str
    """Which test of the file it is."""


def starts(tests: Iterable[AssociationTest]) -> Iterator[Start]:
    """Lists to start from: three that come with eatlas, then those of the command line."""
    for name, label in BUNDLED.items():
        (test,) = load_tests(name)
        yield Start(label, _lists(test))
    words = [one for one in tests if not any(part.sentences for _, part in one.parts)]
    for test in [one for one in words if one.id not in BUNDLED][:MOST_NAMED]:
        yield Start(test.id, _lists(test))


def _lists(test: Any) -> str:
    return json.dumps({role: [one.name, ", ".join(one.terms)] for role, one in test.parts})


def lists_of_file(text: str) -> FileLists:
    """The lists of the first test of a file, of which the page sends the text.

    Names and words are taken and nothing else: a file cannot lead to another one.
    """
    document = read_toml(text.encode("utf-8"), "The file", EatlasError)
    given = document.get("test")
    tests = [one for one in given if isinstance(one, Mapping)] if isinstance(given, list) else []
    for test in tests:
        lists = {role: _words(test.get(role)) for role in ROLES}
        if all(lists.values()):
            more = f", the first of {len(tests)} tests of the file" if len(tests) > 1 else ""
            name = test.get("id")
            note = f"These are the lists of {name if isinstance(name, str) else 'the test'}{more}."
            return FileLists({role: one for role, one in lists.items() if one}, note)
    raise EatlasError(NO_FILE)


def _words(concept: object) -> tuple[str, str] | None:
    """Name and words of a concept as a file has it; None where these are no words."""
    if not isinstance(concept, Mapping):
        return None
    name, terms = concept.get("name"), concept.get("terms")
    if not isinstance(terms, list) or not all(isinstance(one, str) for one in terms):
        return None
    return (name if isinstance(name, str) else "", ", ".join(terms))
