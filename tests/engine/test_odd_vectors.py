"""A test in a narrow cone of vectors, one of which lies outside it: a result, and a tight p."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.inputs import make_test

import eatlas

WORDS = {group: tuple(f"{group}{i}" for i in range(32)) for group in "XYAB"}


def cone(odd, sign):
    """Vectors that share one direction, as those of GPT-2 do; one of them stands out."""
    r = np.random.default_rng(0)
    shared = r.standard_normal(96)
    vectors = {
        word: shared * 30 + r.standard_normal(96) for group in WORDS.values() for word in group
    }
    a, b = (np.mean([vectors[word] for word in WORDS[group]], axis=0) for group in "AB")
    return vectors | {odd: r.standard_normal(96) + sign * 3 * (a - b)}


@pytest.mark.parametrize("odd", ["X7", "Y7"])
@pytest.mark.parametrize("sign", [1, -1])
def test_one_odd_vector_among_sixty_four_targets(odd, sign):
    (result,) = eatlas.run(make_test("odd", **WORDS), cone(odd, sign), "ml-eat")
    p = result.level1.p
    assert p.greater + p.less >= 1
    assert 0 < p.two_sided <= 1
    for name in ("greater", "less", "two_sided"):
        assert p.method_of(name) in {"exact", "inversion"}
    json.dumps(result.to_dict(), allow_nan=False)
