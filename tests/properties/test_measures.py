"""Properties that hold for any vectors."""

import warnings

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import eatlas
from eatlas import AssociationTest, Concept
from eatlas.results.levels import CELLS

NO_RESAMPLES = eatlas.MLEAT(resamples=0)
"""Where no interval is looked at."""


@st.composite
def worlds(draw):
    """A test of small random groups and random vectors, some of them equal."""
    sizes = {role: draw(st.integers(2, 6)) for role in "XYAB"}
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    dim = draw(st.integers(2, 8))
    coarse = draw(st.booleans())
    terms = {role: [f"{role}{i}" for i in range(n)] for role, n in sizes.items()}
    rows = rng.integers(-2, 3, (100, dim)) if coarse else rng.standard_normal((100, dim))
    rows = rows[np.any(rows != 0, axis=1)].astype(float)
    flat = [term for group in terms.values() for term in group]
    vectors = {term: rows[i % len(rows)] for i, term in enumerate(flat)}
    return _test(terms), vectors, rng


def _test(terms):
    return AssociationTest(
        id="t", **{role: Concept(name=role, terms=tuple(terms[role])) for role in "XYAB"}
    )


def _swap(test, one, other):
    return test.model_copy(update={one: test.concept(other), other: test.concept(one)})


def _measure(test, vectors, measure=NO_RESAMPLES):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", eatlas.EatlasWarning)
        return measure(test, vectors)


def _numbers(result):
    """All that must not change when terms come in another order."""
    return (
        result.level1, result.level2, result.level3, result.pattern,
        result.provenance.stimuli_sha256, result.provenance.vectors_sha256,
    )  # fmt: skip


@given(worlds())
@settings(max_examples=12)
def test_the_order_of_terms_changes_no_bit(world):
    test, vectors, rng = world
    shuffled = _test({r: rng.permutation(test.concept(r).terms).tolist() for r in "XYAB"})
    assert _numbers(_measure(shuffled, vectors)) == _numbers(_measure(test, vectors))


@given(worlds(), st.floats(0.01, 100))
@settings(max_examples=12)
def test_the_length_of_vectors_does_not_matter(world, factor):
    test, vectors, _ = world
    power = 2.0 ** round(np.log2(factor))  # a power of two scales without rounding
    scaled = {term: row * power for term, row in vectors.items()}
    assert _measure(test, scaled).level1 == _measure(test, vectors).level1


@given(worlds())
@settings(max_examples=12)
def test_swapping_the_targets_turns_level_1_round(world):
    test, vectors, _ = world
    one, other = _measure(test, vectors), _measure(_swap(test, "X", "Y"), vectors)
    if one.level1.effect_size is None:
        assert other.level1.effect_size is None
    else:
        assert other.level1.effect_size == -one.level1.effect_size
    assert other.level1.p.count.greater == one.level1.p.count.less
    assert other.level1.p.count.two_sided == one.level1.p.count.two_sided
    assert other.level2.X == one.level2.Y
    assert (other.level3.YA, other.level3.YB) == (one.level3.XA, one.level3.XB)


@given(worlds())
@settings(max_examples=12)
def test_swapping_the_attributes_turns_level_2_round(world):
    test, vectors, _ = world
    one, other = _measure(test, vectors), _measure(_swap(test, "A", "B"), vectors)
    for role in "XY":
        this, that = one.level2[role].p.count, other.level2[role].p.count
        assert (this.greater, this.less, this.two_sided) == (
            that.less,
            that.greater,
            that.two_sided,
        )
    mirror = {"A": "B", "B": "A", None: None}
    assert (mirror[one.pattern.X], mirror[one.pattern.Y]) == (other.pattern.X, other.pattern.Y)


@given(worlds())
@settings(max_examples=10)
def test_sc_eat_is_level_2_with_one_target_term(world):
    test, vectors, _ = world
    for entry in _measure(test, vectors, eatlas.SCEAT()).terms:
        # a group must have two terms; the mean of a vector and its double is the vector itself
        row = vectors[entry.term]
        alone = _test({**{r: test.concept(r).terms for r in "YAB"}, "X": ("once", "twice")})
        result = _measure(alone, {**vectors, "once": row, "twice": row})
        assert entry.level2 == result.level2.X


@given(worlds())
@settings(max_examples=12)
def test_weat_is_level_1(world):
    test, vectors, _ = world
    assert (
        _measure(test, vectors, eatlas.WEAT(resamples=0)).level1 == _measure(test, vectors).level1
    )


@given(worlds())
@settings(max_examples=12)
def test_ranges(world):
    test, vectors, _ = world
    (result,) = eatlas.run(tests=test, vectors=vectors, measures=NO_RESAMPLES, frequency="off")
    for level in (result.level1, result.level2.X, result.level2.Y):
        p = level.p
        assert 0 < p.min_p <= p.two_sided <= 1
        assert p.greater + p.less >= 1  # the observed relabelling is in both tails
        if level.effect_size is not None and level.n[0] == level.n[1]:
            assert abs(level.effect_size) < 2
    for name in CELLS:
        cell = result.level3[name]
        assert (
            -1 - 1e-12 <= cell.quantiles[0] <= cell.quantiles[2] <= cell.quantiles[4] <= 1 + 1e-12
        )
        assert cell.quantiles[0] - 1e-12 <= cell.mean <= cell.quantiles[4] + 1e-12
