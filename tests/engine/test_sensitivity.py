"""Words that a finding is sensitive to: against runs without each of them."""

import math
import pickle

import numpy as np
import pytest
from tests.inputs import make_sentences, make_test, make_vectors
from tests.measures.test_decisive import without

import eatlas
from eatlas.errors import ResultsError
from eatlas.measures import units
from eatlas.results.finding import VERDICTS
from eatlas.results.json_lines import record_from_dict
from eatlas.results.questions import units_of

pytestmark = pytest.mark.filterwarnings("ignore::eatlas.errors.EatlasWarning")
LEAST = {"supported": 4, "these words": 2}
"""Units that a removal must leave each group."""


def run(test, measure, **options):
    return eatlas.run(tests=test, measures=measure, **options)[0]


def units_by_role(result):
    """The words of each unit of a result, in the order of its test."""
    found = {}
    for role in "XYAB":
        clusters = result.units.clusters[role] if result.units else ()
        of = {word: cluster for cluster in clusters for word in cluster}
        order = result.coverage[role].stimuli
        own = dict.fromkeys(tuple(sorted(of.get(w, (w,)), key=order.index)) for w in order)
        found[role] = list(own)
    return found


def left_out_for_real(measured, test, monkeypatch):
    """The names of the units without which a run has a weaker verdict, and the run of all words.

    Near-synonyms stay those of all words, since without one of them others may be found.
    """
    result = measured(test)
    verdict = result.finding.verdict
    held = classmethod(
        lambda _, __, ordered: units.TestUnits.from_record(result.units, ordered.names)
    )
    monkeypatch.setattr(units.TestUnits, "of", held)
    names = []
    for role, of_role in units_by_role(result).items() if verdict != "not shown" else ():
        for unit in of_role:
            sizes = {r: units_of(result, r) - (r == role) for r in "XYAB"}
            if min(sizes.values()) < LEAST[verdict]:
                continue
            left = test
            for word in unit:
                left = without(left, role, word)
            again = measured(left)
            question = again.finding.questions["level1"]
            turned = question.effect_size * result.value < 0
            if turned or VERDICTS.index(question.verdict) > VERDICTS.index(verdict):
                names.append("/".join(unit))
    return tuple(names), result


@pytest.mark.parametrize(
    ("test", "measure", "verdict", "count"),
    [
        pytest.param("weat-6", "ml-eat(alpha=0.012)", "supported", 16, marks=pytest.mark.slow),
        ("weat-6", "weat(alpha=0.00016)", "these words", 16),
        pytest.param("weat-7", "ml-eat", "these words", 3, marks=pytest.mark.slow),
        pytest.param("weat-8", "ml-eat(alpha=0.2)", "these words", 1, marks=pytest.mark.slow),
        ("weat-10", "ml-eat(strict=true)", "these words", 3),
        ("weat-10", "weat(alpha=0.1)", "supported", 17),
    ],
)
def test_words_are_those_without_which_a_run_says_less(test, measure, verdict, count, monkeypatch):
    (loaded,) = eatlas.load_tests(test)
    signature = (
        measure.replace(")", ",resamples=0)") if "(" in measure else f"{measure}(resamples=0)"
    )
    expected, result = left_out_for_real(lambda t: run(t, signature), loaded, monkeypatch)
    assert result.finding.verdict == verdict
    assert result.finding.sensitive_to == expected
    assert len(expected) == count


@pytest.mark.parametrize(
    ("test", "p"), [("weat-6", "claim"), ("weat-7", "these"), ("weat-8", "these")]
)
def test_lists_whose_words_are_all_units(test, p, monkeypatch):
    monkeypatch.setattr("eatlas.measures.units.find_units", lambda rows: np.arange(len(rows)))
    (loaded,) = eatlas.load_tests(test)
    alpha = math.nextafter(run(test, "weat").finding.questions["level1"].p[p], 1.0)
    measure = f"weat(alpha={alpha!r},resamples=0)"
    expected, result = left_out_for_real(lambda t: run(t, measure), loaded, monkeypatch)
    assert result.units is None
    assert result.finding.sensitive_to == expected
    assert expected


def test_of_a_finding_that_is_not_shown_there_is_nothing():
    result = run("weat-8", "ml-eat(resamples=0)")
    assert (result.finding.verdict, result.finding.sensitive_to) == ("not shown", ())
    assert "sensitivity" not in result.to_dict()


def test_at_equal_covariates_of_which_one_word_alone_decides_one(monkeypatch):
    """Amy has no residual, so that without her, and the covariate, the test is the same."""
    (test,) = eatlas.load_tests("weat-6")
    rng, words = np.random.default_rng(3), [w for r in "XYAB" for w in test.concept(r).terms]
    covariates = {
        "valence": {word: float(rng.normal()) for word in words},
        "amy": {word: float(word == "Amy") for word in words},
    }

    def measured(test):
        return run(test, "weat(alpha=0.018,resamples=0)", covariates=covariates)

    expected, result = left_out_for_real(measured, test, monkeypatch)
    assert result.finding.verdict == "supported"
    assert result.finding.sensitive_to == expected
    assert len(expected) > 10
    assert "Amy" not in expected


def test_stimuli_of_sentences(monkeypatch):
    test = make_sentences(dict.fromkeys("XYAB", (2,) * 6))
    measure, vectors = (
        eatlas.MLEAT(resamples=0, adjust="none", alpha=0.3),
        make_vectors(test, seed=0),
    )
    expected, result = left_out_for_real(lambda t: measure(t, vectors), test, monkeypatch)
    assert result.finding.verdict == "these words"
    assert result.finding.sensitive_to == expected
    assert 0 < len(expected) < sum(result.units.sizes.values())


def test_of_unknown_frequency_the_other_two_p_values_decide(monkeypatch):
    (test,) = eatlas.load_tests("weat-6")
    found = eatlas.open_vectors("glove-sample").lookup({w.lower() for w in test.terms})
    vectors = {word: found[word.lower()] for word in test.terms}
    measure = eatlas.WEAT(resamples=0, alpha=0.0004)
    expected, result = left_out_for_real(lambda t: measure(t, vectors), test, monkeypatch)
    assert result.finding.verdict == "supported"
    assert result.sensitivity.adjusted is None
    assert result.finding.sensitive_to == expected
    assert expected


def test_a_removal_that_leaves_too_few_words_is_not_looked_at(monkeypatch):
    """Four words a group: without one of them nothing can be claimed beyond these words."""
    monkeypatch.setattr("eatlas.measures.units.find_units", lambda rows: np.arange(len(rows)))
    test = make_test()
    vectors = make_vectors(test)
    for role, sign in {"X": 1, "Y": -1, "A": 1, "B": -1}.items():
        for word in test.concept(role).terms:
            vectors[word] = vectors[word] * 0.3 + sign
    result = eatlas.MLEAT(resamples=0)(test, vectors)
    assert result.finding.verdict == "supported"
    assert {*result.sensitivity.new.values()} == {()}
    assert result.finding.sensitive_to == ()
    fewer = eatlas.MLEAT(resamples=0)(without(test, "A", "joy"), vectors)
    assert (fewer.finding.verdict, fewer.sensitivity.new) == ("these words", None)


def test_too_many_words_are_not_looked_at(monkeypatch):
    monkeypatch.setattr("eatlas.measures.robustness.MOST_UNITS", 25)
    result = run("weat-7", "ml-eat(resamples=0)")
    assert (result.finding.verdict, result.sensitivity) == ("these words", None)
    assert result.finding.sensitive_to == ()


def test_measures_without_a_difference_of_means_leave_these_words_out():
    for option in ("statistic=studentised", "p=normal"):
        result = run("weat-6", f"weat(resamples=0,{option})")
        assert result.sensitivity.these is None
        assert result.sensitivity.new is not None


def test_records_keep_them():
    result = run("weat-7", "ml-eat(resamples=0)")
    values = result.to_dict()
    assert values["sensitivity"]["these"]["B"] == [["sister", "daughter"], ["she"]]
    assert record_from_dict(values) == result == pickle.loads(pickle.dumps(result))  # noqa: S301
    assert [v.status for v in eatlas.verify([result])] == ["same"]
    values["sensitivity"]["these"]["B"] = [["she"]]
    with pytest.raises(ResultsError, match="does not follow"):
        record_from_dict(values)
