"""Families: against statsmodels, what belongs to them, and their refusals."""

import pytest
from statsmodels.stats.multitest import multipletests

import eatlas
from eatlas.errors import EatlasError

TESTS = ["weat-6", "weat-7", "weat-8", "weat-9", "weat-10"]


@pytest.fixture(scope="module")
def results():
    measures = ["ml-eat(resamples=0)", "sc-eat"]
    return eatlas.run(tests=TESTS, measures=measures)


@pytest.mark.parametrize(
    ("method", "oracle"), [("holm", "holm"), ("bh", "fdr_bh"), ("by", "fdr_by")]
)
@pytest.mark.parametrize("levels", ["level1", "level2", "both"])
def test_adjusted_as_statsmodels_does(results, method, oracle, levels):
    chosen = eatlas.Results(r for r in results if r.measure == "ml-eat")
    family = chosen.family(levels, method=method)
    size = {"level1": 1, "level2": 2, "both": 3}[levels] * len(TESTS)
    assert len(family) == size
    expected = multipletests([m.p for m in family], method=oracle)[1]
    assert [m.adjusted for m in family] == pytest.approx(expected, rel=1e-12)
    assert family.below(0.01) == tuple(m for m in family if m.adjusted < 0.01)


def test_the_frame_has_a_row_for_each_member(results):
    frame = results[:3].family().to_frame()
    assert list(frame.columns) == [
        "test", "source", "signature", "level", "term", "effect_size", "p", "adjusted",
        "period", "window", "distance", "setting", "together",
    ]  # fmt: skip
    assert list(frame.test) == TESTS[:3]


@pytest.fixture(scope="module")
def settings():
    """Three tests on two sources by two measures."""
    return eatlas.run(
        tests=TESTS[2:],
        vectors=["glove-sample", "glove-sample?transform=center"],
        measures=["weat(resamples=0)", "weat(ddof=0,resamples=0)"],
    )


def test_settings_of_one_test_are_not_counted_as_further_tests(settings):
    family = settings.family()
    assert len(family) == 12
    assert [len(one) for one in family.settings] == [3] * 4
    for one in family.settings:
        expected = multipletests([m.p for m in one.members], method="holm")[1]
        assert [m.adjusted for m in one.members] == pytest.approx(expected, rel=1e-12)
        assert {m.setting for m in one.members} == {one.name}
        assert {m.together for m in one.members} == {3}
    assert family.settings[0].name == "no transform, ddof=1"
    alone = eatlas.Results(r for r in settings if r.source == "glove-sample")[:3].family()
    assert family.adjusted(settings[0]) == alone.adjusted(settings[0])


def test_a_test_that_was_measured_twice_in_one_setting_counts_once(settings):
    one = settings[:1]
    family = eatlas.Results([*one, *one]).family()
    assert [m.adjusted for m in family] == [m.p for m in family]
    assert [len(setting) for setting in family.settings] == [1, 1]


def test_periods_are_settings(settings):
    years = [r.model_copy(update={"period": y}) for y in (1900, 1910) for r in settings[:2]]
    found = eatlas.Results(years).family().settings
    assert [(one.name, len(one)) for one in found] == [("1900", 2), ("1910", 2)]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"levels": "level3"},
            "unknown levels of a family\n  got: 'level3'\n  allowed: level1, l",
        ),
        (
            {"tail": "both"},
            "unknown tail of a family\n  got: 'both'\n  allowed: greater, less, tw",
        ),
        ({"method": "bonferroni"}, "unknown method of a family[\\s\\S]*allowed: holm, bh, by"),
    ],
)
def test_faults(results, arguments, message):
    with pytest.raises(EatlasError, match=message):
        results.family(**arguments)
