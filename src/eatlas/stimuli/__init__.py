"""What is compared: concepts, tests of both kinds and the batteries they come in.

:mod:`concepts` are lists of words, sentences or images; the :mod:`kinds` of tests are made of them.
:mod:`batteries` finds tests by name, :mod:`reading` reads their files, :mod:`importers`
read those of other software, :mod:`sentences` makes sentences of words.
"""

from eatlas.stimuli.batteries import (
    battery_names,
    built_in_tests,
    is_bundled,
    load_tests,
    read_battery,
)
from eatlas.stimuli.concepts import Concept, Sentence
from eatlas.stimuli.images import Image
from eatlas.stimuli.kinds import (
    ATTRIBUTES,
    KINDS,
    ROLES,
    TARGETS,
    AssociationTest,
    Battery,
    ContextsOrigin,
    GroupsTest,
    Test,
    to_toml,
)

__all__ = [
    "ATTRIBUTES",
    "KINDS",
    "ROLES",
    "TARGETS",
    "AssociationTest",
    "Battery",
    "Concept",
    "ContextsOrigin",
    "GroupsTest",
    "Image",
    "Sentence",
    "Test",
    "battery_names",
    "built_in_tests",
    "is_bundled",
    "load_tests",
    "read_battery",
    "to_toml",
]
