from .evaluate import EATMetric as EATMetric
from .inspect import word_choices as word_choices
from .training import EATEvaluator as EATEvaluator
