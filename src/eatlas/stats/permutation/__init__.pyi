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
    recomputed_tails as recomputed_tails,
    recomputed_test as recomputed_test,
)
from .two_sample import (
    DRAWING as DRAWING,
    GUARANTEE as GUARANTEE,
    METHODS as METHODS,
    permutation_test as permutation_test,
)
