"""What is compared: concepts, association tests and the batteries they come in."""

from eatlas.stimuli.batteries import battery_names, load_tests, read_battery
from eatlas.stimuli.model import ROLES, AssociationTest, Battery, Concept

__all__ = [
    "ROLES",
    "AssociationTest",
    "Battery",
    "Concept",
    "battery_names",
    "load_tests",
    "read_battery",
]
