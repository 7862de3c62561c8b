"""What is said about input that cannot be used."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys

import numpy as np
import pytest
from tests.stats.permutation.designs import separated

from eatlas.errors import EatlasError
from eatlas.stats.permutation import permutation_test, permutation_tests, two_sample

CASES = [
    (([1.0, 2.0], 0), {}, "n is not usable\n  got: 0 (int)\n  allowed: a whole number from 1 to 1"),
    (([1.0, 2.0], 2), {}, "n is not usable\n  got: 2 (int)\n  allowed: a whole number from 1 to 1"),
    (
        ([1.0], 1),
        {},
        "a permutation test compares two groups\n  got: 1 scores\n  allowed: 2 or more",
    ),
    (
        ([1.0, 2.0], 1.5),
        {},
        "n is not usable\n  got: 1.5 (float)\n  allowed: a whole number from 1 to 1",
    ),
    (([1.0, math.nan, 2.0], 1), {}, "scores must be finite\n  got: nan at [1]"),
    (([[1.0, 2.0]], 1), {}, "scores must have 1 dimension\n  got: an array of shape (1, 2)"),
    ((["a", "b"], 1), {}, "scores must be numbers\n  got: could not convert string to float: 'a'"),
    (
        ([1.0, 2.0], 1),
        {"method": "guess"},
        "unknown permutation method\n  got: 'guess'\n  allowed: auto, exact, sampled, normal",
    ),
    (
        ([1.0, 2.0], 1),
        {"scale": 0.0},
        "scale must be the magnitude of what was added up\n  got: 0.0\n  allowed: above 0",
    ),
    (
        ([1.0, 2.0, 3.0], 1),
        {"method": "sampled"},
        "rng must be a numpy Generator\n  got: NoneType\n"
        "  remedy: pass numpy.random.default_rng(seed)",
    ),
    (
        ([1.0, 2.0, 3.0], 1),
        {"method": "sampled", "rng": np.random.default_rng(0), "permutations": 0},
        "permutations is not usable\n  got: 0 (int)\n  allowed: a whole number from 1",
    ),
]


@pytest.mark.parametrize(("args", "options", "text"), CASES)
def test_the_message_says_what_got_and_allowed(args, options, text):
    with pytest.raises(EatlasError) as caught:
        permutation_test(*args, **options)
    assert str(caught.value) == text
    assert str(pickle.loads(pickle.dumps(caught.value))) == text  # noqa: S301 - our own bytes


@pytest.mark.parametrize(
    ("scores", "n", "scale", "text"),
    [
        ([1.0, 2.0], 1, None, "scores must have 2 dimensions"),
        ([[1.0]], 1, None, "a permutation test compares two groups"),
        ([[1.0, 2.0]], 2, None, "n is not usable"),
        ([[1.0, 2.0]], 1, -1.0, "scale must be the magnitude"),
    ],
)
def test_many_rows_are_refused_alike(scores, n, scale, text):
    with pytest.raises(EatlasError, match=text):
        permutation_tests(scores, n, scale=scale)


def test_a_count_out_of_reach_is_refused(monkeypatch):
    monkeypatch.setattr(two_sample, "FORCED_STATES", 1 << 16)
    monkeypatch.setattr(two_sample, "STATES", 1 << 16)
    with pytest.raises(EatlasError) as caught:
        permutation_test(separated(64, 64, 0.1, 0), 64, method="exact")
    assert str(caught.value).startswith(
        "an exact count is not feasible for this design\n"
        "  got: 64 of 128 scores, about 10^37.4 subsets\n  allowed: at most "
    )
    assert str(caught.value).endswith("remedy: use method='auto', which states its error")


def test_small_designs_load_nothing_heavy():
    code = (
        "import sys, numpy as np; from eatlas.stats.permutation import permutation_test, permutation_tests;"
        "permutation_test([0.5, 0.4, 0.3, 0.1, 0.2, 0.0] * 3, 9);"
        "permutation_tests(np.random.default_rng(0).random((100, 16)), 8);"
        "print(sorted({'numba', 'scipy.special', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
