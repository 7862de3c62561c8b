"""The sample, against sorting all there is."""

from hypothesis import given
from hypothesis import strategies as st

from eatlas_corpora.reading.record import Context
from eatlas_corpora.reading.sampling import ContextSamples, key_seed

ITEMS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 3)), max_size=80)


def filled(items, size):
    samples = ContextSamples(1, size)
    for key, start in items:
        if key <= samples.limits[0] and samples.wants(0, key, start):
            samples.put(0, key, start, Context("ant", str(key), start, start + 1))
    return samples


def expected(items, size):
    first = {key: min(o for k, o in items if k == key) for key, _ in items}
    return [Context("ant", str(key), o, o + 1) for key, o in sorted(first.items())][:size]


@given(ITEMS, st.integers(1, 12))
def test_the_smallest_keys_are_kept(items, size):
    assert filled(items, size).sample(0) == expected(items, size)


@given(ITEMS, st.integers(1, 12), st.randoms())
def test_the_order_does_not_matter(items, size, random):
    shuffled = list(items)
    random.shuffle(shuffled)
    assert filled(shuffled, size).sample(0) == filled(items, size).sample(0)


@given(ITEMS, ITEMS, st.integers(1, 12))
def test_two_samples_merge_to_that_of_all(one, other, size):
    merged, samples = ContextSamples(1, size), filled(one, size)
    merged.merge(*samples.flush())
    for key, start in other:  # keys beyond the limit of what was handed over are not needed
        if key <= samples.limits[0] and samples.wants(0, key, start):
            samples.put(0, key, start, Context("ant", str(key), start, start + 1))
    merged.merge(*samples.flush())
    assert merged.sample(0) == expected(one + other, size)


@given(ITEMS, st.integers(1, 6), st.integers(1, 6))
def test_the_first_of_a_sample_are_the_smaller_sample(items, small, more):
    assert filled(items, small + more).sample(0)[:small] == filled(items, small).sample(0)


def test_memory_is_bounded():
    samples = ContextSamples(1, 5)
    for key in range(10_000, 0, -1):
        samples.put(0, key, 0, Context("ant", "", 0, 1))
        assert len(samples.kept[0]) < 10


def test_seeds_tell_pairs_from_words():
    assert key_seed(0, "a", "b") != key_seed(0, "ab")
    assert key_seed(0, "a") != key_seed(1, "a")
