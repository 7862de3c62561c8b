from .batteries import (
    battery_names as battery_names,
    built_in_tests as built_in_tests,
    is_bundled as is_bundled,
    load_tests as load_tests,
    read_battery as read_battery,
)
from .concepts import Concept as Concept, Sentence as Sentence
from .images import Image as Image
from .kinds import (
    ATTRIBUTES as ATTRIBUTES,
    AssociationTest as AssociationTest,
    Battery as Battery,
    ContextsOrigin as ContextsOrigin,
    ExploredOn as ExploredOn,
    GroupsTest as GroupsTest,
    SentencePairsTest as SentencePairsTest,
    SentenceTriplesTest as SentenceTriplesTest,
    KINDS as KINDS,
    ROLES as ROLES,
    TARGETS as TARGETS,
    Test as Test,
)
from .toml import to_toml as to_toml
