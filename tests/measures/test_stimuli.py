"""Levels over stimuli: by hand, against every relabelling of stimuli, and where there are none."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inputs import make_sentences, make_test, make_vectors

import eatlas
from eatlas.errors import UndefinedWarning
from eatlas.stimuli import Concept

pytestmark = pytest.mark.filterwarnings("ignore::eatlas.errors.AnisotropyWarning")
COUNTS = {"X": (3, 1, 4), "Y": (2, 5, 1), "A": (1, 4, 2), "B": (3, 3, 1, 2)}
TOLERANCE = 1e-13  # worst difference observed: 3e-15


def on_axes(test, first):
    """Vectors in the plane whose first coordinate is given; cosines with the axes are coordinates."""
    return {t: (c, np.sqrt(1 - c * c)) for t, c in zip(test.terms, first, strict=True)}


def test_level_1_by_hand():
    test = make_sentences({"X": (2, 1), "Y": (1, 3), "A": (1,), "B": (1,)})
    # A is the first axis, B its opposite, so s(w, A, B) is twice the first coordinate
    first = [0.1, 0.3, 0.4, -0.2, 0.0, 0.3, 0.6, 1.0, -1.0]
    found = eatlas.WEAT(resamples=0)(test, on_axes(test, first)).stimulus_level
    assert found.sentences.X == {"x0": 2, "x1": 1}
    np.testing.assert_allclose(found.scores.X, [0.4, 0.8], atol=1e-15)
    np.testing.assert_allclose(found.scores.Y, [-0.4, 0.6], atol=1e-15)
    d = (0.6 - 0.1) / np.std([0.4, 0.8, -0.4, 0.6], ddof=1)
    assert found.level1.effect_size == pytest.approx(d, rel=1e-14)
    assert found.level1.n == (2, 2)
    # pairs of means that reach .4 + .8: {.8, .6} and itself
    assert (found.level1.p.count.greater, found.level1.p.total) == (2, 6)


def unit(vectors, terms):
    rows = np.array([vectors[t] for t in terms])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def by_stimulus(test, role, values):
    concept = test.concept(role)
    groups = {}
    for sentence, value in zip(concept.sentences, values, strict=True):
        groups.setdefault(sentence.stimulus, []).append(value)
    return [sum(map(Fraction, v)) / len(v) for v in groups.values()]


def check(level, first, second):
    """Against the naive formula and every relabelling."""
    scores = first + second
    d = float(sum(first) / len(first) - sum(second) / len(second)) / np.std(
        [float(v) for v in scores], ddof=1
    )
    assert level.effect_size == pytest.approx(d, rel=TOLERANCE)
    assert level.n == (len(first), len(second))
    sums = [sum(c) for c in itertools.combinations(scores, len(first))]
    observed, centre = sum(first), sum(sums) / len(sums)
    tie = Fraction(1, 10**13)
    assert level.p.count.greater == sum(s >= observed - tie for s in sums)
    assert level.p.count.less == sum(s <= observed + tie for s in sums)
    far = abs(observed - centre) - tie
    assert level.p.count.two_sided == sum(abs(s - centre) >= far for s in sums)
    assert level.p.total == len(sums)


@pytest.mark.parametrize("seed", range(2))
def test_against_every_relabelling_of_stimuli(seed):
    test = make_sentences(COUNTS)
    vectors = make_vectors(test, dim=4, seed=seed)
    rows = {role: unit(vectors, test.concept(role).terms) for role in "XYAB"}
    found = eatlas.MLEAT(resamples=0)(test, vectors).stimulus_level
    direction = rows["A"].mean(axis=0) - rows["B"].mean(axis=0)
    check(found.level1, *(by_stimulus(test, r, rows[r] @ direction) for r in "XY"))
    for t in "XY":
        mean = rows[t].mean(axis=0)
        check(found.level2[t], *(by_stimulus(test, r, rows[r] @ mean) for r in "AB"))


@settings(max_examples=12)
@given(st.integers(0, 2**32 - 1), st.integers(2, 4))
def test_sentences_that_repeat_their_stimulus_add_nothing(seed, copies):
    """Each sentence the same vector: the levels over stimuli are those of the words."""
    words = make_test()
    vectors = make_vectors(words, seed=seed)
    sentences = {
        role: [
            {"text": f"{term} {i}.", "stimulus": term}
            for term in words.concept(role).terms
            for i in range(copies)
        ]
        for role in "XYAB"
    }
    said = words.model_copy(
        update={r: Concept(name=r, sentences=given) for r, given in sentences.items()}
    )
    spoken = {s["text"]: vectors[s["stimulus"]] for g in sentences.values() for s in g}
    measure = eatlas.MLEAT(resamples=0)
    plain, over = measure(words, vectors), measure(said, spoken).stimulus_level
    assert plain.stimulus_level is None
    for one, other in (
        (plain.level1, over.level1),
        (plain.level2.X, over.level2.X),
        (plain.level2.Y, over.level2.Y),
    ):
        assert other.effect_size == pytest.approx(one.effect_size, rel=1e-9)
        assert (other.p.count, other.p.total) == (one.p.count, one.p.total)
    assert over.pattern.label == plain.pattern.label


@pytest.mark.parametrize(("role", "level"), [("Y", "level 1"), ("A", "level 2 of X")])
def test_one_stimulus_alone_cannot_be_relabelled(role, level):
    test = make_sentences({**COUNTS, role: (6,)})
    with pytest.warns(UndefinedWarning) as said:
        result = eatlas.MLEAT(resamples=0)(test, make_vectors(test))
    assert str(said[0].message).startswith(f"said: Undefined {level} over stimuli")
    found = result.stimulus_level
    assert (
        f"Undefined {level} over stimuli: all sentences of {role} are made of one stimulus, so "
        "no labels can be permuted, and the p-values of single sentences say nothing about other "
        "stimuli."
    ) in map(str, result.warnings)
    assert (found.level1 is None, found.level2 is None) == (role == "Y", role == "A")
    assert (found.pattern is None) == (role == "A")
    assert result.level1.p.total > 1
    (row,) = result.rows()
    gone = "p_two_sided" if role == "Y" else "p_two_sided_X"
    assert row[gone] is None
    assert row[f"sentence_{gone}"] is not None
    assert eatlas.results.MLEATResult.from_dict(result.to_dict()) == result


def without(test, role, stimulus):
    kept = [s for s in test.concept(role).sentences if s.stimulus != stimulus]
    return test.model_copy(update={role: Concept(name=role, sentences=kept)})


def test_influence_leaves_out_a_stimulus_with_all_its_sentences():
    test = make_sentences(COUNTS)
    vectors = make_vectors(test)
    measure = eatlas.MLEAT(resamples=0)
    result = measure(test, vectors)
    assert result.influence.unit == "stimulus"
    for role in "XYAB":
        changes = result.influence.level1[role]
        assert len(changes) == len(COUNTS[role])
        for i, change in enumerate(changes):
            again = measure(without(test, role, f"{role.lower()}{i}"), vectors)
            change_again = again.level1.effect_size - result.level1.effect_size
            assert change == pytest.approx(change_again, abs=2e-6)
    drivers = result.influence.level1.drivers(result.level1.effect_size, result.coverage)
    assert {driver.term for driver in drivers} <= {
        f"{role.lower()}{i}" for role in "XYAB" for i in range(5)
    }


def test_intervals_resample_stimuli():
    test = make_sentences(dict.fromkeys("XYAB", (2, 3, 4, 1, 2, 5)))
    vectors = make_vectors(test, dim=6)
    result = eatlas.MLEAT(resamples=400)(test, vectors)
    found, over = result.uncertainty, result.stimulus_level.uncertainty
    assert (found.unit, over.unit, found.patterns) == ("stimulus", "stimulus", None)
    assert sum(over.patterns.values()) == pytest.approx(1, abs=1e-5)
    weat = eatlas.WEAT(resamples=50)(test, vectors)
    assert weat.stimulus_level.uncertainty.level2 is None
    # six sentences of each stimulus, all alike, are as good as one: the intervals are those of words
    words = make_test(**{r: tuple(f"{r.lower()}{i}" for i in range(6)) for r in "XYAB"})
    plain = make_vectors(words, dim=6)
    said = make_sentences(dict.fromkeys("XYAB", (6,) * 6))
    spoken = {s.text: plain[s.stimulus] for role in "XYAB" for s in said.concept(role).sentences}
    one, other = (eatlas.MLEAT(resamples=400)(t, v) for t, v in ((words, plain), (said, spoken)))
    for level in ("level1", "level2"):
        ends = [
            np.array(
                [getattr(u, level).interval]
                if level == "level1"
                else [u.level2.X.interval, u.level2.Y.interval]
            )
            for u in (one.uncertainty, other.stimulus_level.uncertainty)
        ]
        np.testing.assert_allclose(ends[0], ends[1], atol=2e-6)
    assert one.uncertainty.patterns == pytest.approx(
        other.stimulus_level.uncertainty.patterns, abs=0.02
    )


def test_a_group_of_one_stimulus_is_not_resampled():
    test = make_sentences({**COUNTS, "Y": (6,)})
    with pytest.warns(UndefinedWarning):
        result = eatlas.MLEAT()(test, make_vectors(test))
    assert "No intervals: a group of one stimulus cannot be resampled." in map(str, result.warnings)
    assert result.influence is None


@pytest.mark.parametrize("measure", ["weat", "ml-eat"])
def test_single_sentences_are_read_where_that_is_requested(measure):
    """As May et al. (2019) publish it: what is printed is the level over sentences."""
    usual, over = eatlas.run(
        tests="sent-weat-10",
        vectors="cbow:glove-sample",
        measures=[f"{measure}(resamples=500)", f"{measure}(over=sentences,resamples=500)"],
    )
    assert (usual.read_over, over.read_over) == ("stimuli", "sentences")
    assert over.stimulus_level is None
    assert over.power is None
    for level in ("level1", "level2", "level3", "scores", "uncertainty", "generalisation"):
        assert getattr(over, level, None) == getattr(usual, level, None)
    first, sentences = over.effects()[0], usual.effects()[0].over_sentences
    assert (first.d, first.p, first.n) == (sentences.d, sentences.p, (64, 64))
    assert first.d != usual.effects()[0].d
    assert over.effect_size == over.level1.effect_size if measure == "weat" else over.pattern
    assert over.rows()[0]["read_over"] == "sentences"
    assert "over=sentences" in over.signature
    # words alone have a frequency, and intervals are still over stimuli
    assert usual.adjusted is not None
    assert over.adjusted is None
    assert over.uncertainty.unit == "stimulus"
    assert {"adjusted.none", "stimuli.sentences"} <= {note.code for note in over.warnings}


def test_over_sentences_is_what_a_file_without_stimuli_gives():
    """The published files do not say of which word a sentence is made."""
    (test,) = eatlas.load_tests("sent-weat-10")
    bare = test.model_copy(
        update={role: Concept(name=role, terms=test.concept(role).terms) for role in "XYAB"}
    )
    one = eatlas.WEAT(over="sentences", resamples=0)(test, "cbow:glove-sample")
    other = eatlas.WEAT(resamples=0)(bare, "cbow:glove-sample")
    assert one.level1 == other.level1


def test_a_test_of_words_is_read_over_its_words():
    usual, over = eatlas.run(tests="weat-10", measures=["weat", "weat(over=sentences)"])
    assert over.read_over == "terms"
    same = ("level1", "adjusted", "power", "uncertainty", "influence", "generalisation")
    assert all(getattr(over, field) == getattr(usual, field) for field in same)
