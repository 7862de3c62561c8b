from .base import (
    AssociationResult as AssociationResult,
    GroupsResult as GroupsResult,
    is_result as is_result,
)
from .collection import (
    Failure as Failure,
    Results as Results,
    read_results as read_results,
    salvage_results as salvage_results,
)
from .effects import Effect as Effect, Rule as Rule
from .embedding_tests import (
    MLEATResult as MLEATResult,
    SCEATResult as SCEATResult,
    ThreeLevelResult as ThreeLevelResult,
    WEATResult as WEATResult,
)
from .json_lines import to_json_line as to_json_line
from .scan import ResultsScan as ResultsScan
from .targets import (
    DivDistResult as DivDistResult,
    TargetsResult as TargetsResult,
    TargetValuesResult as TargetValuesResult,
)
from .trend import TrendResult as TrendResult
