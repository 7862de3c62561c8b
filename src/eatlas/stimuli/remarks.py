"""What is no fault of a test, but a reader would stumble over."""

from __future__ import annotations

from eatlas.stimuli.battery import Test
from eatlas.stimuli.model import OPPOSITES, AssociationTest


def remarks(test: Test) -> list[str]:
    """Say, in whole sentences, what deserves a second look.

    Two concepts of one name are allowed, since names change no number; a table or a sentence can
    then not tell which of the two is meant.

    Examples
    --------
    >>> from eatlas import load_tests
    >>> remarks(load_tests("weat-6")[0])
    []
    """
    if not isinstance(test, AssociationTest):
        return []
    return [
        f"{one} and {other} have the same name, {test.concept(one).name}: "
        "tables and sentences cannot tell them apart."
        for one, other in OPPOSITES
        if test.concept(one).name == test.concept(other).name
    ]
