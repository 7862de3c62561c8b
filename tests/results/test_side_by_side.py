"""Results in several settings side by side: rows, columns, what differs, intervals of differences."""

import numpy as np
import pytest
from tests.present.records import ml_eat
from tests.present.test_comparison import encoded

import eatlas
from eatlas.errors import ResultsError

TWO = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}


@pytest.fixture(scope="module")
def results():
    return eatlas.run(["weat-1", "weat-6", "weat-7"], TWO, frequency="off")


def test_a_row_for_each_test_a_column_for_each_source(results):
    found = results.compare("source")
    assert [row.name for row in found] == ["weat-1", "weat-6", "weat-7"]
    assert found.values == ("plain", "centred")
    assert found["weat-1"].members == (results[0], results[3])
    assert found.results == tuple(results[i] for i in (0, 3, 1, 4, 2, 5))
    assert [row.name for row in found.changed] == ["weat-1", "weat-7"]
    assert found["weat-7"].differs == "Non-Directional → BY-Singular"
    assert found["weat-6"].differs == ""
    with pytest.raises(KeyError, match="weat-9: no such row; there are weat-1, weat-6, weat-7"):
        found["weat-9"]


def test_as_text_frame_html_and_latex(results):
    found = results.compare("source")
    assert str(found).splitlines()[:3] == [
        "3 tests, 2 sources; d at level 1 differs by at most 0.16 (weat-7)",
        "Test    plain             centred         Difference",
        "weat-1  1.17 supported    1.21 supported  0.04 [0.00, 0.09]",
    ]
    frame = found.to_frame()
    for line, result in zip(
        frame[frame["place"] == "level2.Y"].to_dict("records"), found.results, strict=True
    ):
        level = result.adjusted.level2.Y
        assert line["adjusted_effect_size"] == level.effect_size
        assert line["adjusted_p"] == min(level.p.greater, level.p.less)
        assert line["adjusted_significant"] == (line["adjusted_p"] < 0.05)
        assert line["adjusted_pattern"] == result.adjusted.pattern.label
    assert len(frame) == 18
    first, other = frame[(frame["row"] == "weat-1") & (frame["place"] == "level1")].to_dict(
        "records"
    )
    assert (first["source"], other["source"]) == ("plain", "centred")
    assert np.isnan(first["difference"])
    assert other["difference"] == pytest.approx(results[3].value - results[0].value)
    assert other["difference_low"] < other["difference"] < other["difference_high"]
    assert other["pattern_differs"]
    assert "\\toprule" in found.to_latex()
    assert "<table" in found._repr_html_()
    assert "weat-1: " in found.plot().alt


def test_without_covariates_nothing_is_supported():
    results = eatlas.run(["weat-1", "weat-6"], TWO, "ml-eat(adjust=none,resamples=0,frequency=off)")
    found = results.compare("source")
    assert "supported" not in str(found)
    assert found.to_frame()["adjusted_effect_size"].isna().all()


def test_a_difference_has_an_interval_and_a_p_value_that_agree(results):
    for row in results.compare("source"):
        difference = row.difference("level1", 1)
        low, high = difference.interval
        assert (difference.p > 0.05) == (low <= 0 <= high)


def test_a_difference_needs_words_of_both_and_associations_of_attributes(results):
    lacking = {"Amy", "amy", "John", "john", "Mike", "mike", "Kevin", "kevin"}
    fewer = {w: v for w, v in _vectors("weat-6").items() if w not in lacking}
    rng = np.random.default_rng(0)
    noisy = {
        word: vector + 0.1 * rng.standard_normal(len(vector)) for word, vector in fewer.items()
    }
    sources = {"all": _vectors("weat-6"), "fewer": noisy}
    both = eatlas.run("weat-6", sources)
    difference = both.compare("source")[0].difference("level1", 1)
    assert 0 < difference.p < 1
    assert sum(difference.interval) / 2 == pytest.approx(difference.d, abs=0.03)
    assert difference.d != pytest.approx(both[1].value - both[0].value, abs=0.003), (
        "of the words of both"
    )
    assert both.compare("source")[0].spread == abs(difference.d)
    assert "differences are for the words that both have" in str(both.compare("source"))
    without = eatlas.run("weat-6", TWO, "weat").compare("source")[0]
    assert without.difference("level1", 1)[1:] == (None, None, None)
    assert without.differs == ""
    tests = results.compare("test")[0]
    assert tests.difference("level1", 1).interval is None, "no words in common"


def _vectors(test):
    source = eatlas.open_vectors("glove-sample")
    (one,) = eatlas.load_tests(test)
    words = {term for concept in one.concepts.values() for term in concept.terms}
    words |= {term.lower() for term in words}
    return {word: source[word] for word in sorted(words) if word in source}


def test_by_test_and_by_measure(results):
    found = results.compare("test")
    assert [row.name for row in found] == ["plain", "centred"]
    assert found.values == ("weat-1", "weat-6", "weat-7")
    both = eatlas.run("weat-6", measures=["ml-eat", "weat", "weat(ddof=0)"])
    assert both.compare("measure").values == ("ML-EAT", "WEAT, ddof=1", "WEAT, ddof=0")
    assert both.compare().values == both.compare("measure").values


def test_periods_and_holes():
    tests = eatlas.run(["weat-6", "weat-7"], measures="weat(resamples=0)")
    years = [one.model_copy(update={"period": year}) for year in (1990, 2000) for one in tests]
    found = eatlas.Results(years[:3]).compare("period")
    assert [row.name for row in found] == ["weat-6"]
    assert found.values == ("1990", "2000")
    mixed = eatlas.Results([*eatlas.run(["weat-6", "weat-7"], TWO, "weat")][:3]).compare("setting")
    assert [len([m for m in row.members if m]) for row in mixed] == [2]


def test_what_differs_among_many():
    base = eatlas.run("weat-6")[0]
    labels = ["BY-Singular", "BY-Singular", "A-Uniform", "BY-Singular"]

    def with_label(label, n):
        pattern = base.pattern.model_copy(update={"label": label})
        return base.model_copy(update={"pattern": pattern, "source": f"hf:m?layer={n}"})

    many = eatlas.Results(with_label(label, n) for n, label in enumerate(labels))
    assert many.compare("source")[0].differs == "BY-Singular in 3, A-Uniform in 1"
    apart = ["BY-Singular", "A-Uniform", "AX-Singular"]
    many = eatlas.Results(with_label(label, n) for n, label in enumerate(apart))
    assert many.compare()[0].differs == "BY-Singular in 1, A-Uniform in 1, AX-Singular in 1"


@pytest.mark.parametrize(
    ("by", "said"),
    [
        (
            "sorce",
            "cannot be compared by 'sorce'; did you mean source?\n  allowed: setting, source",
        ),
        ("prompt", "do not differ only in their prompt\n  got: 6 results"),
        ("measure", "remedy: they differ in: source, test"),
    ],
)
def test_what_cannot_be_compared(results, by, said):
    with pytest.raises(ResultsError) as caught:
        results.compare(by)
    assert said in str(caught.value)


def test_signs_and_patterns_of_prompts():
    before = encoded(prompt="The {}")
    after = ml_eat("Non-Directional", d=-0.2, greater=6000, source="hf:model?prompt=A {}")
    after = after.model_copy(update={"encoding": encoded(prompt="A {}").encoding})
    frame = eatlas.Results([before, after]).compare("prompt").to_frame()
    level1 = frame[frame["place"] == "level1"]
    assert level1["prompt"].tolist() == ["The {}", "A {}"]
    assert level1["sign_flips"].tolist() == [False, True]
    assert level1["pattern_differs"].tolist() == [False, True]
    assert level1["mean_XA"].tolist() == [0.1, 0.1]
