"""What each statistic says to input that it cannot use: the call, what is wrong, what it got."""

import numpy as np
import pytest

from eatlas.errors import EatlasError, require_whole
from eatlas.stats import inputs
from eatlas.stats.designs import terms_needed
from eatlas.stats.regression import welch_permutation_test
from eatlas.stats.space import without_top

RNG = np.random.default_rng(0)
FOUR = [1.0, 2.0, 3.0, 4.0]


CASES = [
    (lambda: inputs.numbers(["a"], "scores", 1), "scores must be numbers\n  got: could not"),
    (
        lambda: inputs.numbers([1.0], "scores", 2),
        "scores must have 2 dimensions\n  got: an array of",
    ),
    (lambda: inputs.numbers([[0.0, np.inf]], "x", 2), "x must be finite\n  got: inf at [0, 1]"),
    (
        lambda: require_whole("draws", 1.5, 1),
        "draws is not usable\n  got: 1.5 (float)\n  allowed: a",
    ),
    (
        lambda: require_whole("n", 7, 1, most=6),
        "n is not usable\n  got: 7 (int)\n  allowed: a whole number from 1 to 6",
    ),
    (lambda: inputs.generator(3), "rng must be a numpy Generator\n  got: int\n  remedy: pass"),
    (lambda: inputs.check_noise(None, 1.0), "precision must be the unit roundoff"),
    (
        lambda: welch_permutation_test(FOUR, 1),
        "a studentised statistic needs the spread of both groups",
    ),
    (
        lambda: welch_permutation_test(np.arange(40.0), 20, method="exact"),
        "a studentised statistic is counted by visiting every permutation\n"
        "  got: 20 of 40 scores, 137,846,528,820 permutations\n  allowed: at most 1,000,000",
    ),
    (lambda: terms_needed(0.001), "such a small effect needs more terms than can be listed"),
    (
        lambda: without_top(np.diag([1.0, 0.0]), 1),
        "without its first 1 principal components the",
    ),
]


@pytest.mark.parametrize(("call", "message"), CASES)
def test_what_was_expected_and_what_was_given(call, message):
    with pytest.raises(EatlasError) as caught:
        call()
    assert str(caught.value).startswith(message)
