"""The kinds of tests there are, and the batteries they come in."""

from __future__ import annotations

from eatlas.stimuli.frozen import Frozen
from eatlas.stimuli.groups import GroupsTest
from eatlas.stimuli.model import AssociationTest, Identifier

Test = AssociationTest | GroupsTest
"""A test of any kind; ``kind`` says which."""

KINDS: dict[str, type[AssociationTest] | type[GroupsTest]] = {
    "association": AssociationTest,
    "groups": GroupsTest,
}


class Battery(Frozen):
    """Tests that were published, or are meant to be reported, together."""

    id: Identifier
    title: str = ""
    citation: str = ""
    notes: tuple[str, ...] = ()
    tests: tuple[Test, ...]
