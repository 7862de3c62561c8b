"""Other words, power and small effects, asked of results, tests, sizes and scores."""

import math
import re

import numpy as np
import pytest
from tests.inputs import make_sentences, make_test, make_vectors

import eatlas
from eatlas.results.inference import Generalisation
from eatlas.stats.designs import chance_of_rejection, shift_of_d, smallest_effect, terms_needed

SIZES = {"X": 6, "Y": 7, "A": 8, "B": 5}
TEST = make_test(**{role: tuple(f"{role}{i}" for i in range(n)) for role, n in SIZES.items()})
RESULT = eatlas.MLEAT(resamples=0)(TEST, make_vectors(TEST, dim=20, seed=3))


def test_what_is_asked_of_a_result_is_what_it_says():
    assert eatlas.generalisation(RESULT) is RESULT.generalisation
    found = eatlas.power(RESULT)
    assert (found.level1, found.level2) == (RESULT.power.level1, RESULT.power.level2)
    assert found.patterns == RESULT.power.patterns
    stated = eatlas.MLEAT(resamples=0, sesoi=0.7)(TEST, make_vectors(TEST, dim=20, seed=3))
    assert eatlas.equivalence(RESULT, sesoi=0.7) == stated.equivalence


def test_another_confidence_is_another_interval():
    found = eatlas.generalisation(RESULT, confidence=0.8)
    own = eatlas.MLEAT(resamples=0, confidence=0.8)(TEST, make_vectors(TEST, dim=20, seed=3))
    for place in ("level1", "level2.X", "level2.Y"):
        level, other = found.level(place), own.generalisation.level(place)
        assert (level.low, level.high) == pytest.approx((other.low, other.high), rel=1e-12)
        assert level.p_less == other.p_less
    assert found.confidence == 0.8


def test_plain_numbers_do_as_well():
    table = np.array(RESULT.similarities)
    found = eatlas.generalisation(table, (6, 7, 8, 5))
    assert found.level1.t == pytest.approx(RESULT.generalisation.level1.t, rel=1e-4)
    alone = eatlas.generalisation(table[:6], (6, 0, 8, 5))
    assert alone.level1 is None
    assert alone.level2.X.t == pytest.approx(RESULT.generalisation.level2.X.t, rel=1e-4)
    assert alone.level2.Y is None
    scores = [*RESULT.scores.X, *RESULT.scores.Y]
    found = eatlas.equivalence(scores, (6, 7), sesoi=0.7)
    level = eatlas.equivalence(RESULT, sesoi=0.7).level1
    assert (found.level1.p, found.level1.p_generalised) == (level.p, None)


def test_results_of_older_versions_are_tested_on_what_they_keep():
    older = RESULT.model_copy(update={"generalisation": None, "power": None})
    found = eatlas.generalisation(older)
    assert found.level1.se == pytest.approx(RESULT.generalisation.level1.se, rel=1e-4)
    assert eatlas.power(older).patterns == RESULT.power.patterns
    assert eatlas.equivalence(older, sesoi=0.7).level1.p_generalised is None
    without = older.model_copy(update={"similarities": None})
    with pytest.raises(eatlas.EatlasError, match="the result of tiny does not say how it gener"):
        eatlas.generalisation(without)


def test_sizes_tests_and_ids_have_a_power():
    for given in ((8, 8, 8, 8), [8, 8, 8, 8], np.array([8, 8, 8, 8]), "weat-6"):
        found = eatlas.power(given)
        assert found.level1.smallest_d == found.level2.smallest_d == smallest_effect(8, 8)
    assert eatlas.power((8, 25)).level2 is None
    said = make_sentences({"X": (3, 1), "Y": (2, 2, 2), "A": (1, 4), "B": (2, 2)})
    found = eatlas.power(said)
    assert (found.level1.n, found.level2.n, found.unit) == ((2, 3), (2, 2), "stimulus")
    assert eatlas.power(TEST).unit == "term"
    terms = eatlas.SCEAT()(TEST, make_vectors(TEST))
    assert eatlas.power(terms).level1 is None
    assert eatlas.power(terms).level2.n == (8, 5)


def test_stated_effects():
    found = eatlas.power((8, 8, 16, 16), d=-0.9, alpha=0.01, tail="less", wanted=0.9)
    assert found.chance["level2"] == chance_of_rejection(
        16, 16, shift_of_d(-0.9, 16, 16), alpha=0.01, tail="less"
    )
    assert found.level1.smallest_d < 0
    assert found.terms_needed["0.9"] == terms_needed(0.9, power=0.9, alpha=0.01, tail="greater")
    none = eatlas.power(d=1.0)
    assert (none.level1, none.level2, none.chance) == (None, None, {})
    assert none.terms_needed["1"] == terms_needed(1.0)
    even = eatlas.power((8, 8, 12, 12), effects=(0.0, 0.0)).patterns
    # two one-sided tests at .05 for each of two targets
    assert even["Non-Directional"] == pytest.approx(0.9**2, abs=0.005)
    strong = eatlas.power(RESULT, effects=(1.6, -1.6)).patterns
    assert max(strong, key=strong.get) == "AB-Divergent"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: eatlas.power(8),
            "this measure does not support it\n  got: 8\n  allowed: a result, a test, or sizes: two whole "
            "numbers (X, Y), or four (X, Y, A, B), from 1",
        ),
        (
            lambda: eatlas.power((8,)),
            "the sizes of a design must be two or four whole numbers\n  got: (8,)\n"
            "  allowed: those of X and Y, or of X, Y, A and B",
        ),
        (lambda: eatlas.power((0, 8)), "a size is out of range\n  got: 0\n  allowed: 1 or more"),
        (
            lambda: eatlas.power("caliskan"),
            "power is that of one test\n  got: 'caliskan', which has 10\n"
            "  remedy: name one of them; eatlas tests power takes several",
        ),
        (lambda: eatlas.power("weta-6"), "there is no test or battery 'weta-6'"),
        (lambda: eatlas.power((8, 8), tail="both"), "unknown tail\n  got: 'both'"),
        (lambda: eatlas.power((8, 8), alpha=7), "alpha must be a probability"),
        (lambda: eatlas.power((8, 8), d=3), "no difference of means has such an effect size"),
        (
            lambda: eatlas.power((8, 8), effects=(1, 1)),
            "the chance of a pattern takes attributes\n  got: no sizes of A and B",
        ),
        (
            lambda: eatlas.power((8, 8, 8, 8), effects=(1, 1, 1)),
            "effects must be those of X and of Y\n  got: 3 numbers\n  allowed: two",
        ),
        (
            lambda: eatlas.generalisation([[1.0, 2.0]], (1, 1, 1, 1)),
            "the sizes are not those of the similarities\n  got: 1 + 1 targets and 1 + 1 "
            "attributes for a table of 1 by 2",
        ),
        (
            lambda: eatlas.generalisation([[1.0, 2.0]]),
            "the sizes of similarities must be four whole numbers\n  got: None",
        ),
        (
            lambda: eatlas.generalisation(eatlas.SCEAT()(TEST, make_vectors(TEST))),
            "this measure does not support it\n  got: a result of sc-eat\n  allowed: a result of ML-EAT",
        ),
        (lambda: eatlas.generalisation(RESULT, confidence=95), "level must be a probability"),
        (
            lambda: eatlas.equivalence([1.0, 2, 3], (2, 2), sesoi=0.3),
            "the sizes are not those of the scores\n  got: 2 + 2 for 3 scores",
        ),
        (
            lambda: eatlas.equivalence(RESULT, sesoi=2.0),
            "this is not a smallest effect of interest\n  got: 2.0\n  allowed: above 0 and below 2",
        ),
        (
            lambda: eatlas.equivalence(RESULT, sesoi=0.1, unit="cosine"),
            "a smallest effect of interest has no such unit\n  got: 'cosine'\n"
            "  allowed: d or difference",
        ),
    ],
)
def test_messages(call, message):
    with pytest.raises(eatlas.EatlasError, match=re.escape(message)):
        call()


def test_the_level_of_a_margin_in_d_is_near_alpha():
    # true effects at the margin: the share of tests that call them smaller
    rng, hits, runs = np.random.default_rng(6), 0, 600
    shift = shift_of_d(1.2, 10, 10)
    for _ in range(runs):
        scores = rng.normal(size=20)
        scores[:10] += shift
        hits += eatlas.equivalence(scores, (10, 10), sesoi=1.2).level1.equivalent
    assert hits / runs < 0.05 + 4 * math.sqrt(0.05 * 0.95 / runs)
    assert isinstance(RESULT.generalisation, Generalisation)
