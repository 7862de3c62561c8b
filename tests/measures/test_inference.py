"""Other words and power in results: against the statistics, and their refusals."""

import math
import re

import numpy as np
import pytest
from tests.inputs import TERMS, make_sentences, make_test, make_vectors
from tests.stats.test_crossed import crossed_association, crossed_interaction

import eatlas
from eatlas.stats.designs import (
    chance_of_rejection,
    shift_of_d,
    smallest_effect,
    terms_needed,
)

SIZES = {"X": 6, "Y": 7, "A": 8, "B": 5}
TEST = make_test(**{role: tuple(f"{role}{i}" for i in range(n)) for role, n in SIZES.items()})
VECTORS = make_vectors(TEST, dim=20, seed=3)
CROSSED = ("difference", "se", "t", "df", "p_greater", "p_less", "p_two_sided", "low", "high",
           "targets", "attributes", "residual")  # fmt: skip


def block(test, vectors):
    unit = {term: v / np.linalg.norm(v) for term, v in vectors.items()}
    targets, attributes = (
        np.array([unit[t] for role in roles for t in test.concept(role).terms])
        for roles in ("XY", "AB")
    )
    return targets @ attributes.T


def same(record, own):
    for name in CROSSED:
        assert getattr(record, name) == pytest.approx(getattr(own, name), rel=1e-11), name


@pytest.mark.parametrize("measure", [eatlas.MLEAT, eatlas.WEAT])
def test_other_words_are_asked_in_every_result(measure):
    result = measure(confidence=0.9, resamples=0)(TEST, VECTORS)
    table, found = block(TEST, VECTORS), result.generalisation
    assert (found.unit, found.confidence, found.reason) == ("term", 0.9, "")
    same(found.level1, crossed_interaction(table, 6, 8, level=0.9))
    assert found.level1.difference == pytest.approx(result.level1.difference)
    if measure is eatlas.WEAT:
        assert found.level2 is None
        return
    same(found.level2.X, crossed_association(table[:6], 8, level=0.9))
    same(found.level2.Y, crossed_association(table[6:], 8, level=0.9))


def test_of_sentences_it_is_over_stimuli():
    test = make_sentences({"X": (3, 1, 2), "Y": (1, 1, 4), "A": (2, 2, 1), "B": (5, 1, 1)})
    vectors = make_vectors(test, dim=9)
    result = eatlas.MLEAT(resamples=0)(test, vectors)
    counts = result.stimulus_level.sentences

    def averaging(roles):
        each = [n for role in roles for n in counts[role].values()]
        rows = np.zeros((len(each), sum(each)))
        first = 0
        for i, n in enumerate(each):
            rows[i, first : first + n] = 1 / n
            first += n
        return rows

    table = averaging("XY") @ block(test, vectors) @ averaging("AB").T
    found = result.generalisation
    assert found.unit == "stimulus"
    same(found.level1, crossed_interaction(table, 3, 3))
    same(found.level2.Y, crossed_association(table[3:], 3))
    assert result.power.level1.n == (3, 3)
    assert result.power.unit == "stimulus"
    assert eatlas.WEAT(resamples=0)(test, vectors).generalisation.level1 == found.level1


def test_groups_of_one_attribute_say_nothing_of_others():
    alone = make_test(A=("love",), B=("war", "filth"))
    result = eatlas.WEAT()(alone, make_vectors(alone))
    assert result.generalisation.level1 is None
    assert result.generalisation.reason == (
        "a group of one attribute has no information about other attributes"
    )
    row = result.to_frame("all").iloc[0]
    assert row["crossed_p_two_sided"] is None


@pytest.mark.filterwarnings("ignore::eatlas.errors.AnisotropyWarning")
def test_where_nothing_varies_nothing_is_claimed():
    # each word has a dimension of its own beside those of its group, so that only groups differ
    at = {"X": (1.0, 0.2, 0), "Y": (0.1, 1, 0), "A": (1, 0.1, 0), "B": (0, 1, 0.5)}
    of = [(role, term) for role, terms in TERMS.items() for term in terms]
    vectors = {t: (*at[r], *np.eye(len(of))[i] / 2) for i, (r, t) in enumerate(of)}
    with pytest.warns(eatlas.errors.UndefinedWarning, match="crossed test of level 1"):
        result = eatlas.MLEAT(resamples=0)(make_test(), vectors)
    found = result.generalisation.level1
    assert (found.t, found.p_two_sided, found.low, found.high) == (None, None, None, None)
    assert found.difference == pytest.approx(result.level1.difference)
    assert any(
        note == "Undefined crossed test of level 1, level 2 of X, level 2 of Y: the scores "
        "do not vary within the groups, so nothing can be inferred about other words."
        for note in map(str, result.warnings)
    )


def test_lists_of_one_vector_say_nothing_of_other_words():
    at = {"X": (1.0, 0.2, 0), "Y": (0.1, 1, 0), "A": (1, 0.1, 0), "B": (0, 1, 0.5)}
    vectors = {term: at[role] for role, terms in TERMS.items() for term in terms}
    result = eatlas.MLEAT(resamples=0)(make_test(), vectors)
    assert dict(result.units.sizes.items()) == dict.fromkeys("XYAB", 1)
    assert result.generalisation.level1 is None
    question = result.finding.questions["level1"]
    assert (question.verdict, question.reason) == ("not shown", "cannot be tested (too few words)")


def test_what_the_design_can_find():
    result = eatlas.MLEAT(resamples=0)(TEST, VECTORS)
    power = result.power
    assert (power.power, power.alpha, power.tail) == (0.8, 0.05, "two_sided")
    assert (power.level1.n, power.level2.n) == ((6, 7), (8, 5))
    assert power.level1.min_p == 1 / math.comb(13, 6)
    assert power.level1.smallest_d == eatlas.stats.designs.smallest_effect(6, 7)
    terms = eatlas.SCEAT()(TEST, VECTORS)
    assert (terms.power.level1, terms.power.level2.n) == (None, (8, 5))
    row = terms.to_frame("all").iloc[0]
    assert row["smallest_d_level2"] == power.level2.smallest_d
    tiny = make_test(X=TERMS["X"][:3], Y=TERMS["Y"][:3])
    assert eatlas.WEAT()(tiny, make_vectors(tiny)).power.level1.smallest_d is None


def test_sizes_tests_and_ids_have_a_power():
    for design in ((8, 8, 8, 8), [8, 8, 8, 8], np.array([8, 8, 8, 8]), "weat-6"):
        found = eatlas.power(design)
        assert found.level1.smallest_d == found.level2.smallest_d == smallest_effect(8, 8)
    assert eatlas.power((8, 25)).level2 is None
    found = eatlas.power(make_sentences({"X": (3, 1), "Y": (2, 2, 2), "A": (1, 4), "B": (2, 2)}))
    assert (found.level1.n, found.level2.n, found.unit) == ((2, 3), (2, 2), "stimulus")
    power, found = eatlas.MLEAT(resamples=0)(TEST, VECTORS).power, eatlas.power(TEST)
    assert (found.level1, found.level2, found.unit) == (power.level1, power.level2, "term")


def test_stated_effects():
    found = eatlas.power((8, 8, 16, 16), d=-0.9, alpha=0.01, tail="less", wanted=0.9)
    assert found.power_at_d["level2"] == chance_of_rejection(
        16, 16, shift_of_d(-0.9, 16, 16), alpha=0.01, tail="less"
    )
    assert found.level1.smallest_d < 0
    assert found.terms_needed["0.9"] == terms_needed(0.9, power=0.9, alpha=0.01, tail="greater")
    none = eatlas.power(d=1.0)
    assert (none.level1, none.level2, none.power_at_d) == (None, None, {})


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"design": 8}, "power needs a test, or sizes of groups\n  got: 8"),
        ({"design": (8,)}, "power needs a test, or sizes of groups\n  got: (8,)"),
        (
            {"design": "divdist-face-validity"},
            "got: divdist-face-validity, a test of the kind groups",
        ),
        (
            {"design": (0, 8)},
            "a size is not usable\n  got: 0 (int)\n  allowed: a whole number from 1",
        ),
        ({"design": "caliskan"}, "power is computed for one test\n  got: 'caliskan', which has 10"),
        ({"design": "weta-6"}, "there is no test or battery 'weta-6'"),
        ({"tail": "both"}, "unknown tail\n  got: 'both'"),
        ({"alpha": 7}, "alpha must be a probability"),
        ({"d": 3}, "no difference of means has such an effect size"),
    ],
)
def test_designs_without_a_power(how, message):
    with pytest.raises(eatlas.EatlasError, match=re.escape(message)):
        eatlas.power(**{"design": (8, 8), **how})
