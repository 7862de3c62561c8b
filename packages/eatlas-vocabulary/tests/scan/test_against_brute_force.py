"""Every column of a scan against loops over all relabellings, statsmodels, and single measures."""

import math

import numpy as np
import pytest
from scipy.stats import permutation_test as scipy_test
from tests.scan.vocabularies import brute_force, concepts, cosines, vocabulary, words_of

import eatlas
from eatlas import SCEAT, AssociationTest, Concept

COLUMNS = ("effect_size", "difference", "p_greater", "p_less", "p_two_sided", "p_max_t", "p_by")


@pytest.mark.parametrize("ddof", [1, 0])
@pytest.mark.parametrize(("a", "b"), [(4, 4), (3, 5), (5, 2), (2, 2)])
def test_every_column(a, b, ddof):
    source, groups = vocabulary(a=a, b=b), concepts(a, b)
    frame = eatlas.scan(source, groups, f"sc-eat(ddof={ddof})").to_frame()
    expected = brute_force(source, groups, ddof)
    assert frame["word"].tolist() == list(expected)
    for name in COLUMNS:
        wanted = [expected[word].get(name, math.nan) for word in frame["word"]]
        found = frame[name].to_numpy()
        assert found == pytest.approx(np.array(wanted), rel=1e-10, nan_ok=True), name


def test_attributes_are_tested_but_belong_to_no_family():
    frame = eatlas.scan(vocabulary(), concepts()).to_frame().set_index("word")
    marked = frame[frame["attribute"] != "no"]["attribute"]
    assert marked.to_dict() == {f"a{i}": "A" for i in range(4)} | {f"b{i}": "B" for i in range(4)}
    assert frame.loc[marked.index, ["p_max_t", "p_by"]].isna().all(axis=None)
    assert frame.loc[marked.index, ["p_two_sided", "effect_size"]].notna().all(axis=None)
    assert frame[frame["attribute"] == "no"].drop(columns="rel_err").notna().all(axis=None)


@pytest.mark.filterwarnings("ignore::eatlas.errors.AnisotropyWarning")  # family words and 'the'
def test_a_word_has_what_the_measure_gives_it():
    (weat,) = eatlas.load_tests("weat-7")
    words = ("doctor", "nurse", "the", "football", "dance")
    test = AssociationTest(
        id="t",
        X=Concept(name="X", terms=words[:2]),
        Y=Concept(name="Y", terms=words[2:]),
        A=weat.A,
        B=weat.B,
    )
    measured = SCEAT()(test, "glove-sample").terms
    frame = eatlas.scan("glove-sample", weat).to_frame().set_index("word")
    for one in measured:
        row, level = frame.loc[one.term], one.level2
        assert row["effect_size"] == pytest.approx(level.effect_size, rel=1e-12)
        assert row["p_greater"] == level.p.greater
        assert row["p_less"] == level.p.less
        assert row["p_two_sided"] == level.p.two_sided


def test_scipy_agrees_on_8_against_8():
    source = vocabulary(6, 8, 8, 20, seed=5)
    groups = concepts(8, 8)
    frame = eatlas.scan(source, groups).to_frame().set_index("word")
    rows = cosines(source, groups)
    for word in (f"w{i}" for i in range(6)):
        row = rows[word]
        other = scipy_test(
            (row[:8], row[8:]),
            lambda x, y, axis: x.mean(axis) - y.mean(axis),
            alternative="greater",
            vectorized=True,
            n_resamples=math.inf,
        )
        assert frame.loc[word, "p_greater"] == pytest.approx(other.pvalue, rel=1e-12)


def test_drawn_relabellings_are_told_by_the_seed():
    # C(20, 10) / 2 = 92,378 are more than 10,000
    source, groups = vocabulary(30, 10, 10, 12), concepts(10, 10)
    first = eatlas.scan(source, groups, seed=1)
    again = eatlas.scan(source, groups, seed=1)
    other = eatlas.scan(source, groups, seed=2)
    family = first.family.max_t_details
    assert (family.relabellings, family.enumerated, family.min_p) == (10_000, False, 1 / 10_001)
    assert first.to_frame().equals(again.to_frame())
    mine, theirs = (found.to_frame().set_index("word") for found in (first, other))
    assert mine["p_two_sided"].equals(theirs["p_two_sided"])
    assert not mine["p_max_t"].equals(theirs["p_max_t"])
    # 10,000 draws know an adjusted p to 4 standard errors of 0.005
    assert np.nanmax(np.abs(mine["p_max_t"] - theirs["p_max_t"])) < 0.03


def test_more_attributes_than_can_be_counted_row_by_row():
    source, groups = vocabulary(8, 25, 25, 15, seed=8), concepts(25, 25)
    vectors = source.lookup(words_of(source))
    words_first = dict(sorted(vectors.items(), reverse=True))
    result = eatlas.scan(words_first, groups, first=8)
    frame = result.to_frame().set_index("word")
    assert set(frame["method"]) <= {"exact", "inversion", "exact+inversion"}
    assert set(frame["method"]) != {"exact"}
    rows = cosines(source, groups)
    for word in frame.index:
        one = eatlas.permutation_test(rows[word], 25, scale=1.0)
        for tail in ("greater", "less", "two_sided"):
            error = 2e-7 + np.nan_to_num(frame.loc[word, "rel_err"])
            assert frame.loc[word, f"p_{tail}"] == pytest.approx(getattr(one, tail).p, rel=error)
    inverted = frame["method"].str.contains("inversion")
    assert frame.loc[inverted, "rel_err"].between(0, 1e-3, inclusive="right").all()
    assert frame.loc[~inverted, "rel_err"].isna().all()
    assert result.vocabulary.rel_err == frame["rel_err"].max()
    (warning,) = [text for text in map(str, result.warnings) if "not every p is a count" in text]
    assert warning.startswith("With 1.26e+14 permutations not every p is a count. By method: ")
    assert "inversion" in warning


def test_words_stand_in_the_order_of_the_source():
    source = vocabulary()
    frame = eatlas.scan(source, concepts()).to_frame()
    assert frame["word"].tolist() == words_of(source)
    assert frame["rank"].tolist() == list(range(1, 49))
