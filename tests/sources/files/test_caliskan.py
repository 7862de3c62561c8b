"""The ten Caliskan tests give the same numbers whatever file the vectors lie in."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.sources.files.writers import FORMATS, Data

import eatlas

# Text and binary formats keep every bit of float32; statistics run in float64. Largest difference
# seen between any two formats: 0.
CLOSE = 1e-6


@cache
def sample() -> Data:
    """Every word of the tests that the bundled GloVe vectors have, with its vector."""
    tests = eatlas.load_tests("caliskan")
    terms = {term for test in tests for role in "XYAB" for term in test.concept(role).terms}
    spellings = sorted({form for term in terms for form in (term, term.lower())})
    found = eatlas.open_vectors("glove-sample").lookup(spellings)
    return Data(list(found), np.array(list(found.values()), np.float32))


@cache
def expected() -> list[dict[str, float]]:
    return numbers("glove-sample")


def numbers(spec: str) -> list[dict[str, float]]:
    results = eatlas.run("caliskan", spec, "weat(resamples=0)")
    return [
        {
            "d": result.level1.effect_size,
            "greater": result.level1.p.greater,
            "two_sided": result.level1.p.two_sided,
        }
        for result in results
    ]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # what the writing libraries give
@pytest.mark.parametrize("writer", FORMATS, ids=lambda writer: writer.__name__)
def test_same_numbers_from_every_format(writer, tmp_path):
    got = numbers(writer(tmp_path, sample()))
    assert len(got) == 10
    for one, other in zip(got, expected(), strict=True):
        assert one == pytest.approx(other, rel=CLOSE)
