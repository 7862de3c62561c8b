"""A sample of rows that come in parts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eatlas.sources.diagnosis import Sample

WORDS = [f"w{i}" for i in range(60)]
ROWS = np.arange(60.0).reshape(60, 1)


def drawn(size, cuts=(), seed=3):
    sample = Sample(size, np.random.default_rng(seed))
    for part in np.split(np.arange(60), sorted(cuts)):
        sample.offer([WORDS[i] for i in part], ROWS[part])
    words, rows = sample.drawn()
    return words, rows[:, 0].tolist()


@given(st.integers(1, 70), st.lists(st.integers(0, 60), max_size=6))
def test_how_rows_are_cut_changes_nothing(size, cuts):
    words, rows = drawn(size, cuts)
    assert (words, rows) == drawn(size)
    assert len(words) == min(size, 60)
    assert words == [f"w{row:.0f}" for row in rows]
    assert rows == sorted(set(rows))


def test_every_row_is_as_likely():
    times = np.zeros(60)
    for seed in range(2000):
        times[np.array(drawn(15, (17, 40), seed)[1], int)] += 1
    # 2,000 draws with probability 1/4: sd 19.4; of 60 the furthest lies within 4.5 sd
    assert times == pytest.approx(np.full(60, 500), abs=4.5 * 19.4)
