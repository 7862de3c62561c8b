from . import compiled_batch as compiled_batch
from .batch import permutation_tests as permutation_tests
from .decided import below as below
from .problem import (
    ALWAYS_EXACT as ALWAYS_EXACT,
    LARGEST as LARGEST,
    STUDENTISED_METHODS as STUDENTISED_METHODS,
    PermutationResult as PermutationResult,
    Tail as Tail,
)
from .sampled import (
    DRAWS as DRAWS,
    tails_of_values as tails_of_values,
    generic_permutation_test as generic_permutation_test,
)
from .two_sample import (
    DRAWING as DRAWING,
    GUARANTEE as GUARANTEE,
    METHODS as METHODS,
    permutation_test as permutation_test,
)
