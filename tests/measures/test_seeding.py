"""The seed and the stimuli decide random draws, and nothing else does."""

from __future__ import annotations

import numpy as np
import pytest

import eatlas
from eatlas.measures.seeding import generator_of, stimuli_covered, stimuli_of_test

STIMULI = {"X": ["rose", "aster"], "Y": ["ant", "flea"]}


def first(seed: int = 0, stimuli: dict[str, list[str]] = STIMULI, purpose: str = "test") -> float:
    return float(generator_of(seed, stimuli, purpose).random())


def test_the_order_of_stimuli_and_of_roles_decides_nothing() -> None:
    turned = {"Y": ["flea", "ant", "flea"], "X": ["aster", "rose"]}
    assert first(stimuli=turned) == first()


@pytest.mark.parametrize(
    "other",
    [
        first(seed=1),
        first(purpose="another"),
        first(stimuli={**STIMULI, "X": ["rose"]}),
        first(stimuli={"X": STIMULI["Y"], "Y": STIMULI["X"]}),
        first(stimuli={"X": [*STIMULI["X"], *STIMULI["Y"]], "Y": []}),
    ],
)
def test_seed_purpose_stimuli_and_roles_decide(other: float) -> None:
    assert other != first()


def test_any_text_is_a_stimulus() -> None:
    assert 0 <= first(stimuli={"X": ["\ud800", "naïve", "😀"]}) < 1


def test_a_result_lists_the_stimuli_of_its_test() -> None:
    (test,) = eatlas.load_tests("weat-7")
    vectors = {term: np.random.default_rng([*term.encode()]).normal(size=9) for term in test.terms}
    del vectors["math"], vectors["poetry"]
    found = stimuli_covered(eatlas.MLEAT()(test, vectors).coverage)
    assert {role: set(names) for role, names in found.items()} == {
        role: set(names) for role, names in stimuli_of_test(test).items()
    }
