"""Answers that a process retains: which questions are the same, and what stays in memory."""

import gc
import weakref

import numpy as np

from eatlas.stats.inputs import Aside, Same, remember


def counting(most=8, **how):
    calls = []

    @remember(most, **how)
    def total(*arguments, **options):
        calls.append(1)
        return sum(float(np.sum(each)) for each in (*arguments, *options.values()))

    return total, calls


def test_arrays_of_one_content_are_one_question():
    total, calls = counting()
    assert total(np.arange(6.0), more=2) == total(np.arange(6.0), more=2) == 17
    assert len(calls) == 1
    # a list counts by its content as well
    assert total([1, 2]) == total([1, 2]) == 3
    assert len(calls) == 2


def test_content_shape_type_and_order_in_memory_distinguish_arrays():
    total, calls = counting()
    table = np.arange(6.0).reshape(2, 3)
    other = [table, table.ravel(), table.astype(np.float32), np.asfortranarray(table), table + 1]
    for array in other:
        total(array)
    assert len(calls) == len(other)
    table[0, 0] = 5.0  # the same object has another content now
    assert total(table) == 20
    assert len(calls) == len(other) + 1


def test_large_arrays_and_arguments_without_a_hash_are_computed_again():
    total, calls = counting(largest=10)
    for argument in (np.ones(11), {1}):
        for _ in range(2):
            assert total(argument if isinstance(argument, np.ndarray) else sum(argument))
    assert len(calls) == 3

    @remember(8)
    def size(thing):
        calls.append(1)
        return len(thing)

    assert size({1: 2}) == size({1: 2}) == 1
    assert len(calls) == 5


def test_arguments_are_not_retained():
    total, _ = counting()
    array = np.arange(5.0)
    gone = weakref.ref(array)
    total(array)
    del array
    gc.collect()
    assert gone() is None


def test_objects_are_the_same_by_identity_and_others_stand_aside():
    calls = []

    @remember(8)
    def read(thing, aside):
        calls.append(1)
        return [*thing.value, aside.value]

    first = [1]
    assert read(Same(first), Aside(2)) == read(Same(first), Aside(3)) == [1, 2]
    assert read(Same([1]), Aside(3)) == [1, 3]
    assert len(calls) == 2
