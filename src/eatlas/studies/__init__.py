"""Studies: many specifications, and what they say together."""

from eatlas.studies.plan import StudyPlan, example, read_plan
from eatlas.studies.study import Prepared, Study, carry_out, multiverse, prepare

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
