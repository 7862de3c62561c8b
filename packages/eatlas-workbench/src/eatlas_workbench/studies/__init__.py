"""Studies: many specifications, and what they say together.

A :mod:`plan` names choices and combines them, :mod:`fitting` makes jobs of what can be done, a
:mod:`study` does them, and an :mod:`analysis` says what the choices change.
"""

from eatlas_workbench.studies.fitting import Prepared, prepare
from eatlas_workbench.studies.plan import StudyPlan, example, read_plan
from eatlas_workbench.studies.study import Study, carry_out, multiverse, read_study

__all__ = [
    "Prepared",
    "Study",
    "StudyPlan",
    "carry_out",
    "example",
    "multiverse",
    "prepare",
    "read_plan",
    "read_study",
]
