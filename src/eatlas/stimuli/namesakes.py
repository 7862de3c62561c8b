"""A test under the id of a published one, with other stimuli."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources

from eatlas.stimuli.batteries import BUILT_IN, read_battery
from eatlas.stimuli.battery import Test
from eatlas.stimuli.sentences.built_in import declared
from eatlas.stimuli.sentences.making import PREFIX

_ID = re.compile(r'^id = "([^"]+)"', re.MULTILINE)


def namesake(test: Test) -> str:
    """Say that a test has the id of a test that comes with eatlas, and other stimuli.

    A file that was copied from a battery and changed keeps the published id unless that is changed
    too, and its results then look like those of the published test.

    Parameters
    ----------
    test : AssociationTest or GroupsTest

    Returns
    -------
    str
        One sentence; empty for the published test itself, in contexts of a corpus too, and for ids
        of one's own.

    Examples
    --------
    >>> from eatlas import Concept, load_tests
    >>> (test,) = load_tests("weat-6")
    >>> namesake(test)
    ''
    >>> changed = test.model_copy(update={"A": Concept(name="Career", terms=("job", "salary"))})
    >>> print(namesake(changed))  # doctest: +ELLIPSIS
    The id weat-6 is that of a test of the battery caliskan, whose stimuli are others (in A: ...
    """
    battery = _batteries().get(test.id)
    if battery is None or test.contexts is not None:
        return ""
    (published,) = (one for one in read_battery(battery).tests if one.id == test.id)
    if published.stimuli_sha256 == test.stimuli_sha256:
        return ""
    differs = _differences(published, test)
    return (
        f"The id {test.id} is that of a test of the battery {battery}, whose stimuli are others"
        f"{f' ({differs})' if differs else ''}: give this test an id of its own, so that nobody "
        "takes its results for those of the published test."
    )


def _differences(published: Test, test: Test) -> str:
    """How many terms each group has more and fewer than the published one."""
    before = {role: set(concept.terms) for role, concept in published.parts}
    found = []
    for role, concept in test.parts:
        terms, there = set(concept.terms), before.get(role, set())
        added, gone = len(terms - there), len(there - terms)
        if added or gone:
            counts = [f"{added} added" * bool(added), f"{gone} missing" * bool(gone)]
            found.append(f"in {role}: {' and '.join(filter(None, counts))}")
    return ", ".join(found)


@cache
def _batteries() -> Mapping[str, str]:
    """The battery of each test that comes with eatlas, found without making any test."""
    of: dict[str, str] = {}
    sentences = declared()
    for name in BUILT_IN:
        if name in sentences:
            given = sentences[name]
            ids = [f"{PREFIX}{one}" for one, words in of.items() if words == given["words"]]
            ids += [test["id"] for test in given.get("test", [])]
        else:
            data = resources.files("eatlas.stimuli") / "data" / f"{name}.toml"
            ids = _ID.findall(data.read_text(encoding="utf-8"))[1:]  # the first is the battery's
        for one in ids:
            of.setdefault(one, name)
    return of
