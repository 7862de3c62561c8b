"""The Caliskan tests give the same numbers whatever file the vectors lie in.

``benchmarks/every_format.py`` shows it for all ten tests and 400,000 words.
"""

from __future__ import annotations

from functools import cache
from itertools import islice

import numpy as np
import pytest
from tests.sources.files.writers import FORMATS, Data

import eatlas
from eatlas.sources.coverage import needed_items

# Text and binary formats keep every bit of float32; statistics run in float64. Largest difference
# seen between any two formats: 0.
CLOSE = 1e-6
COUNTED = ["weat-6", "weat-9"]  # small enough to be quick; vectors are compared for all words
OTHERS = 500


@cache
def sample() -> Data:
    """Every word of the ten tests that the bundled GloVe vectors have, and some more."""
    source = eatlas.open_vectors("glove-sample")
    others = islice((word for chunk in source.iter_chunks() for word in chunk[0]), OTHERS)
    needed = needed_items(source, eatlas.load_tests("caliskan"), (), "auto")
    keys = sorted({*(one.content for one in needed), *others} - {"."})
    # HDF5 takes / and . for paths, a table ; and quotation marks for its own
    found = source.lookup([key for key in keys if not set(key) & set('/;"')])
    return Data(list(found), np.array(list(found.values()), np.float32))


@cache
def expected() -> list[float]:
    return numbers("glove-sample")


def numbers(spec: str) -> list[float]:
    results = eatlas.run(COUNTED, spec, "ml-eat(resamples=0)")
    levels = [lv for r in results for lv in (r.level1, r.level2.X, r.level2.Y)]
    return [x for lv in levels for x in (lv.effect_size, lv.p.greater, lv.p.less, lv.p.two_sided)]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # what the writing libraries give
@pytest.mark.parametrize("writer", FORMATS, ids=lambda writer: writer.__name__)
def test_same_numbers_from_every_format(writer, tmp_path):
    spec = writer(tmp_path, sample())
    found = eatlas.open_vectors(spec).lookup(sample().words)
    np.testing.assert_array_equal([found[word] for word in sample().words], sample().vectors)
    got = numbers(spec)
    assert len(got) == 2 * 3 * 4
    assert got == pytest.approx(expected(), rel=CLOSE)
