"""Agreement of annotators: by hand, published examples, statsmodels, brute force, properties."""

import warnings
from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import fleiss_kappa as of_statsmodels

from eatlas_workbench.stats import agreement
from eatlas_workbench.stats.agreement import label_counts, rater_agreement

WORST = 1e-12
"""Largest difference allowed; observed: 1.1e-15 in 2,000 random tables."""

# Fleiss (1971), Table 1: 30 patients, 6 psychiatrists, 5 categories
FLEISS_1971 = """
0 0 0 6 0|0 3 0 0 3|0 1 4 0 1|0 0 0 0 6|0 3 0 3 0|2 0 4 0 0|0 0 4 0 2|2 0 3 1 0|2 0 0 4 0|0 0 0 0 6
1 0 0 5 0|1 1 0 4 0|0 3 3 0 0|1 0 0 5 0|0 2 0 3 1|0 0 5 0 1|3 0 0 1 2|5 1 0 0 0|0 2 0 4 0|1 0 2 0 3
0 0 0 0 6|0 1 0 5 0|0 2 0 1 3|2 0 0 4 0|1 0 0 4 1|0 5 0 1 0|4 0 0 0 2|0 2 0 4 0|1 0 5 0 0|0 0 0 0 6
"""
# Krippendorff (2011), section C: 4 observers, 12 units, 5 values, with missing values
KRIPPENDORFF_2011 = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""


def test_the_table_of_fleiss():
    rows = [
        [int(n) for n in row.split()] for row in FLEISS_1971.replace("\n", "|").split("|") if row
    ]
    codes = np.array([np.repeat(range(5), row) for row in rows])
    found = rater_agreement(codes, 5, resamples=0)
    printed = [0.245, 0.245, 0.520, 0.471, 0.566]  # Table 3 of Fleiss (1971), by category
    assert found["kappa"][0] == pytest.approx(0.430, abs=5e-4)
    assert [kappa[0] for _, _, kappa in found["labels"]] == pytest.approx(printed, abs=5e-4)
    assert found["agreement"][0] == pytest.approx(0.556, abs=5e-4)
    assert (found["raters"], found["rated"]) == (6, 30)


def test_the_example_of_krippendorff():
    rows = [line.split() for line in KRIPPENDORFF_2011.strip().split("\n")]
    codes = np.array([[-1 if one == "." else int(one) - 1 for one in row] for row in rows]).T
    found = rater_agreement(codes, 5, resamples=0)
    assert found["alpha"][0] == pytest.approx(0.743, abs=5e-4)
    assert found["compared"] == 11  # the twelfth unit has one value
    assert (found["raters"], found["rated"]) == (4, 8)


def alpha_by_brute_force(codes, k):
    """The coincidence matrix of Krippendorff (2011), pair by pair."""
    pairs = np.zeros((k, k))
    for row in codes:
        known = [one for one in row.tolist() if one >= 0]
        for one, other in permutations(range(len(known)), 2):
            pairs[known[one], known[other]] += 1 / (len(known) - 1)
    totals, n = pairs.sum(axis=1), pairs.sum()
    expected = sum(totals[c] * totals[d] for c in range(k) for d in range(k) if c != d)
    if not expected:
        return None
    observed = pairs.sum() - np.trace(pairs)
    return 1 - (n - 1) * observed / expected


@st.composite
def tables(draw, missing=True):
    k, items, raters = draw(st.integers(2, 4)), draw(st.integers(1, 9)), draw(st.integers(2, 5))
    codes = arrays(np.int64, (items, raters), elements=st.integers(-1 if missing else 0, k - 1))
    return draw(codes), k


@given(tables())
def test_alpha_is_that_of_the_coincidences(table):
    codes, k = table
    expected = alpha_by_brute_force(codes, k)
    found = rater_agreement(codes, k, resamples=0)
    if expected is None:
        assert np.isnan(found["alpha"][0])
        return
    assert found["alpha"][0] == pytest.approx(expected, abs=WORST)
    for j, (times, alpha, _) in enumerate(found["labels"]):
        against = alpha_by_brute_force(np.where(codes < 0, -1, (codes == j).astype(int)), 2)
        if against is None:
            assert np.isnan(alpha[0])
        else:
            assert alpha[0] == pytest.approx(against, abs=WORST)
        assert times == (codes == j).sum()


@given(tables(missing=False))
def test_kappa_is_that_of_statsmodels(table):
    codes, k = table
    counts = label_counts(codes, k)
    assume((counts.sum(axis=0) > 0).sum() > 1)
    found = rater_agreement(codes, k, resamples=0)
    kappa, alpha = found["kappa"][0], found["alpha"][0]
    assert kappa == pytest.approx(of_statsmodels(counts), abs=WORST)
    assert 1 - alpha == pytest.approx((1 - 1 / codes.size) * (1 - kappa), abs=WORST)


@given(tables())
def test_pairs_are_those_of_sklearn(table):
    codes, k = table
    pairs = rater_agreement(codes, k, resamples=0)["pairs"]
    for first, second, items, agreed, kappa in pairs:
        both = codes[:, [first, second]]
        both = both[(both >= 0).all(axis=1)]
        assert items == len(both)
        if len(both) == 0 or (both == both[0, 0]).all():
            assert np.isnan(kappa[0])
            continue
        expected = cohen_kappa_score(both[:, 0], both[:, 1], labels=range(k))
        assert kappa[0] == pytest.approx(expected, abs=WORST)
        assert agreed[0] == pytest.approx((both[:, 0] == both[:, 1]).mean())


def test_intervals_are_percentiles_of_resampled_items():
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 2, 30)
    codes = np.where(rng.random((30, 3)) < 0.8, truth[:, None], 1 - truth[:, None])
    codes[rng.random((30, 3)) < 0.2] = -1
    found = rater_agreement(codes, 2, resamples=400, rng=np.random.default_rng(7))
    several = codes[(codes >= 0).sum(axis=1) >= 2]
    drawn = np.random.default_rng(7).integers(0, len(several), (400, len(several)))
    values = [alpha_by_brute_force(several[rows], 2) for rows in drawn]
    assert found["alpha"][1] == pytest.approx(np.quantile(values, [0.025, 0.975]), abs=1e-9)


def test_what_is_not_defined_is_nan():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = rater_agreement([[0, -1], [-1, 1]], 2, rng=np.random.default_rng(0))
    assert np.isnan(found["alpha"][0])
    assert np.isnan(found["kappa"][0])
    assert found["alpha"][1] is None
    assert (found["compared"], found["raters"], found["rated"], found["pairs"][0][2]) == (
        0,
        0,
        0,
        0,
    )


def test_resamples_of_annotators_need_a_generator():
    with pytest.raises(ValueError, match="resamples need a generator"):
        agreement.rater_agreement([[0, 1]], 2)
