"""A tally of p-values gives what statsmodels gives for all of them."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from eatlas.errors import EatlasError
from eatlas.stats import multiplicity as module
from eatlas.stats.multiplicity import Tally, benjamini_yekutieli, harmonic, holm


def tally_of(*parts):
    tally = Tally()
    for part in parts:
        tally.add(part)
    return tally


def spread(tally, adjusted, p):
    return adjusted[np.searchsorted(tally.values, p)]


@pytest.mark.parametrize("many", [1, 2, 7, 60, 400])
def test_against_statsmodels(many):
    p = np.random.default_rng(many).integers(1, 30, many) ** 3 / 27_000
    tally = tally_of(p)
    for mine, name in ((tally.holm(), "holm"), (tally.benjamini_yekutieli(), "fdr_by")):
        expected = multipletests(p, method=name)[1]
        assert spread(tally, mine, p) == pytest.approx(expected, rel=1e-12)


def test_a_vocabulary_of_exact_p_values():
    # two-sided p of 8 against 8: even counts of 12,870
    p = 2 * np.random.default_rng(0).integers(1, 6436, 50_000) / 12_870
    tally = tally_of(*np.array_split(p, 13))
    assert tally.size == 50_000
    assert tally.values.size <= 6435
    by = multipletests(p, method="fdr_by")[1]
    assert spread(tally, tally.benjamini_yekutieli(), p) == pytest.approx(by, rel=1e-10)
    assert spread(tally, tally.holm(), p).tolist() == holm(p).tolist()


def test_as_the_adjustment_of_an_array():
    p = np.random.default_rng(1).uniform(0, 1, 300) ** 8 + 1e-9
    tally = tally_of(p)
    mine = spread(tally, tally.benjamini_yekutieli(), p)
    assert mine == pytest.approx(benjamini_yekutieli(p), rel=1e-12)


@given(
    st.lists(st.lists(st.floats(1e-6, 1.0), max_size=9), max_size=6),
    st.randoms(use_true_random=False),
)
def test_parts_and_their_order_change_nothing(parts, random):
    whole = tally_of([p for part in parts for p in part])
    random.shuffle(parts)
    pieces = tally_of(*parts)
    assert pieces.values.tolist() == whole.values.tolist()
    assert pieces.counts.tolist() == whole.counts.tolist()
    assert pieces.size == sum(map(len, parts))
    assert pieces.benjamini_yekutieli().tolist() == whole.benjamini_yekutieli().tolist()


def test_values_that_wait_are_counted(monkeypatch):
    monkeypatch.setattr(module, "PENDING", 4)
    tally = tally_of([0.5], [0.25, 0.5, 1.0, 0.125], [0.5])
    assert (tally.values.tolist(), tally.counts.tolist()) == ([0.125, 0.25, 0.5, 1.0], [1, 1, 3, 1])


def test_the_array_that_was_added_may_change_afterwards():
    p = np.array([0.5, 0.5])
    tally = tally_of(p)
    p[:] = 0.1
    assert tally.values.tolist() == [0.5]


def test_none():
    tally = Tally()
    assert (tally.size, tally.values.size, tally.holm().size) == (0, 0, 0)
    assert tally.benjamini_yekutieli().size == 0


@pytest.mark.parametrize("bad", [0.0, -0.1, 1.5, float("nan")])
def test_no_p_value(bad):
    with pytest.raises(EatlasError) as caught:
        Tally().add([0.5, bad])
    assert str(caught.value) == (
        f"a p-value is out of range\n  got: {bad}\n  allowed: above 0 up to 1"
    )


def test_harmonic_numbers_on_both_sides_of_the_expansion():
    assert harmonic(1) == 1.0
    assert harmonic(4) == pytest.approx(25 / 12, rel=1e-15)
    step = harmonic(1_000_001) - harmonic(1_000_000)
    assert step == pytest.approx(1 / 1_000_001, rel=1e-6)
