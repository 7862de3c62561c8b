"""What is compared: concepts, tests of both kinds and the batteries they come in."""

from eatlas.stimuli.batteries import battery_names, built_in_tests, load_tests, read_battery
from eatlas.stimuli.battery import KINDS, Battery, Test
from eatlas.stimuli.groups import GroupsTest
from eatlas.stimuli.model import ROLES, AssociationTest, Concept, Sentence
from eatlas.stimuli.origin import ContextsOrigin
from eatlas.stimuli.writing import to_toml

__all__ = [
    "KINDS",
    "ROLES",
    "AssociationTest",
    "Battery",
    "Concept",
    "ContextsOrigin",
    "GroupsTest",
    "Sentence",
    "Test",
    "battery_names",
    "built_in_tests",
    "load_tests",
    "read_battery",
    "to_toml",
]
