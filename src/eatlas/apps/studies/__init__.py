"""Studies: many specifications, and what they say together.

A :mod:`plan` names :mod:`choices`, a :mod:`grid` combines them, :mod:`fitting` makes jobs of what
can be done, :mod:`costs` says how long that takes, a :mod:`study` does it in a :mod:`folder`, and
an :mod:`analysis` says what the choices change. A :mod:`replication` is a study of a published
table.
"""

from eatlas.apps.studies.folder import multiverse
from eatlas.apps.studies.plan import StudyPlan, example, read_plan
from eatlas.apps.studies.study import Prepared, Study, carry_out, prepare

__all__ = [
    "Prepared",
    "Study",
    "StudyPlan",
    "carry_out",
    "example",
    "multiverse",
    "prepare",
    "read_plan",
]
