"""Studies: many specifications, and what they say together."""

from eatlas.studies.folder import multiverse
from eatlas.studies.plan import StudyPlan, example, read_plan
from eatlas.studies.study import Prepared, Study, carry_out, prepare

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
