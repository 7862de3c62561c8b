"""The seed and the stimuli decide random draws, and nothing else does."""

from __future__ import annotations

import pytest

from eatlas.measures.seeding import generator_of

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
