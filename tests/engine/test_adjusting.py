"""Associations given the frequency of the words, by the whole of a run."""

from __future__ import annotations

import numpy as np
import pytest
from statsmodels.regression.linear_model import OLS
from statsmodels.tools import add_constant
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.measures.base import Covariates

SAMPLE = "glove-sample"


def run(tests="weat-9", measures="ml-eat", **options):
    return eatlas.run(tests=tests, vectors=SAMPLE, measures=measures, **options)[0]


def adjusted_by_hand(scores, ranks, n):
    """Effect size and share by statsmodels, of scores and ranks of two groups."""
    x = np.log(ranks)
    x = (x - x.mean()) / x.std()
    label = (np.arange(len(x)) < n).astype(float)
    columns = add_constant(np.column_stack([x, x**2]))
    fit = OLS(scores, np.column_stack([columns, label])).fit()
    return (
        fit.params[-1],
        fit.params[-1] / scores.std(ddof=1),
        OLS(label, columns).fit().rsquared,
    )


@pytest.mark.parametrize("test", ["weat-3", "weat-9"])
def test_levels_are_least_squares_of_the_scores_on_log_rank_and_its_square(test):
    result = run(test)
    ranks, scores = result.frequency.ranks, result.scores
    for place, groups, values in (
        ("level1", "XY", {"X": scores.X, "Y": scores.Y}),
        ("level2.X", "AB", scores.attributes_with_X),
        ("level2.Y", "AB", scores.attributes_with_Y),
    ):
        both = np.concatenate([values[group] for group in groups])
        known = [ranks[group].terms[term] for group in groups for term in result.scored(group)]
        difference, d, shared = adjusted_by_hand(
            both, np.array(known, float), len(values[groups[0]])
        )
        level = result.effect(place).adjusted
        assert level.difference == pytest.approx(difference, rel=1e-10)
        assert level.effect_size == pytest.approx(d, rel=1e-10)
        assert level.shared == pytest.approx(shared, abs=1e-10)
        assert level.interval[0] < level.effect_size < level.interval[1]
    assert result.adjusted.covariates == ("frequency",)


def test_an_association_of_frequencies_does_not_outlive_them():
    """Vectors hold nothing but frequency: X and A are frequent, Y and B rare."""
    r = np.random.default_rng(3)
    words = [f"{chr(97 + i // 676)}{chr(97 + i // 26 % 26)}{chr(97 + i % 26)}" for i in range(4000)]
    r.shuffle(words)
    along = np.log(np.arange(4000) + 1.0) - 7
    vectors = np.column_stack([along, r.normal(size=(4000, 8)) * 0.6, np.full(4000, 3.0)])
    picks = {"X": (20, 900), "Y": (600, 3900), "A": (0, 500), "B": (1500, 4000)}
    lists = {
        role: [words[i] for i in np.sort(r.choice(np.arange(low, high), 12, replace=False))]
        for role, (low, high) in picks.items()
    }
    test = make_test("frequency-alone", **{role: tuple(terms) for role, terms in lists.items()})
    source = eatlas.ArraySource(words, vectors, ordered=True)
    (result,) = eatlas.run(tests=test, vectors=source)
    assert result.level1.p.two_sided < 0.01
    assert result.adjusted.level1.p.two_sided > 0.05
    assert abs(result.adjusted.level1.effect_size) < abs(result.value) / 2


def test_the_order_of_terms_changes_nothing():
    (test,) = eatlas.load_tests("weat-9")
    turned = {
        role: c.model_copy(update={"terms": c.terms[::-1]}) for role, c in test.concepts.items()
    }
    one = run(test)
    other = run(test.with_concepts(turned))
    assert other.adjusted.model_dump(exclude={"level1", "level2"}) == one.adjusted.model_dump(
        exclude={"level1", "level2"}
    )
    for place in ("level1", "level2.X", "level2.Y"):
        a, b = (result.effect(place).adjusted for result in (one, other))
        assert (a.p, a.interval) == (b.p, b.interval)
        assert a.effect_size == pytest.approx(b.effect_size, rel=1e-12)


def test_the_plain_numbers_do_not_depend_on_it():
    with_it, without = run(), run(measures="ml-eat(adjust=none)")
    assert without.adjusted is None
    assert "adjust=none" in without.signature
    assert (with_it.level1, with_it.pattern) == (without.level1, without.pattern)
    assert not [note for note in without.warnings if note.code.startswith("adjusted")]


def test_the_pattern_is_that_of_the_adjusted_levels():
    result = run("weat-5")
    pattern = result.adjusted.pattern
    assert (result.pattern.label, pattern.label) == ("A-Uniform", "AY-Singular")
    for role in "XY":
        level = result.adjusted.level2[role]
        associated = level.p.greater < 0.05 and level.effect_size > 0.2
        assert pattern[role] == ("A" if associated else None)


def test_lists_that_frequency_tells_apart_get_a_warning_that_says_how_far():
    (note,) = [note for note in run("weat-6").warnings if note.code == "adjusted.apart"]
    assert "280 to 4,628 and 4,875 to 9,706" in str(note)
    assert note.values["shared"] == pytest.approx(0.76, abs=0.01)


def test_a_source_without_an_order_has_no_adjusted_association():
    test = make_test()
    (result,) = eatlas.run(tests=test, vectors=make_vectors(test))
    assert result.adjusted is None
    (note,) = [note for note in result.warnings if note.code == "adjusted.none"]
    assert "no information on how frequent its words are" in str(note)


def test_words_without_a_rank_are_left_out_of_the_adjusted_association_alone(tmp_path):
    counts = tmp_path / "counts.txt"
    (test,) = eatlas.load_tests("weat-9")
    listed = [term for term in test.terms if term not in {"sad", "cancer"}]
    filler = [
        f"{chr(97 + i // 26 % 26)}{chr(97 + i % 26)}x{chr(97 + i // 676)}" for i in range(1200)
    ]
    lines = [f"{word} {5000 - 3 * i}" for i, word in enumerate(listed + filler)]
    counts.write_text("\n".join(lines), encoding="utf-8")
    (result,) = eatlas.run(tests="weat-9", vectors=f"{SAMPLE}?counts={counts}")
    left = {word for words in result.adjusted.left_out.values() for word in words}
    assert left == {"sad", "cancer"}
    assert sum(result.adjusted.level1.n) == sum(result.level1.n) - 2
    (note,) = [note for note in result.warnings if note.code == "adjusted.left-out"]
    assert "sad" in str(note)
    assert "frequency" in str(note)


def test_fewer_words_than_the_model_needs_are_said():
    test = make_test(
        "few", X=("rose", "tulip"), Y=("ant", "wasp"), A=("joy", "love"), B=("war", "pain")
    )
    result = run(test)
    assert result.adjusted is None
    reasons = [str(note) for note in result.warnings if note.code == "adjusted.none"]
    assert len(reasons) == 2
    assert "too few units for so many covariates" in reasons[0]


def test_constant_covariates_are_no_columns():
    covariates = Covariates(("frequency", "length"), {}, ranked=True)
    columns, names, constant = covariates.columns(np.array([[1.0, 4], [2, 4], [5, 4]]))
    assert (columns.shape, names, constant) == ((3, 2), ["frequency"] * 2, ["length"])
    assert columns[:, 1] == pytest.approx(columns[:, 0] ** 2)


def test_intervals_widen_with_their_confidence():
    wide = run(measures="ml-eat(resamples=0,confidence=0.99)").adjusted.level1.interval
    narrow = run(measures="ml-eat(resamples=0,confidence=0.5)").adjusted.level1.interval
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def test_less_than_one_degree_of_freedom_has_a_p_value_and_no_interval():
    """Three words of X fit their trend by themselves, beside words of Y of nearly one rank."""
    r = np.random.default_rng(1)
    words = [f"{chr(97 + i // 676)}{chr(97 + i // 26 % 26)}{chr(97 + i % 26)}" for i in range(2000)]
    r.shuffle(words)
    source = eatlas.ArraySource(words, r.normal(size=(2000, 30)), ordered=True)
    at = {"X": (3, 60, 1560), "Y": range(200, 206), "A": range(10, 18), "B": range(300, 308)}
    lists = {role: tuple(words[i] for i in places) for role, places in at.items()}
    (result,) = eatlas.run(make_test("few", **lists), source, "ml-eat(resamples=0)")
    level = result.effect("level1")
    assert level.adjusted.df < 1
    assert level.adjusted.p.two_sided > 0.05
    assert level.crossed.ends is not None
    assert level.interval is None, "that of the crossed test would not belong to this p-value"
    assert result.finding.questions["level1"].interval is None
