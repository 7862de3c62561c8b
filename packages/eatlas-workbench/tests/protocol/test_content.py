"""Content validity: properties known by hand, and broken measures that are found out."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from tests.protocol.plugins import FirstWord, Nearness, Peeking, Sum

import eatlas
from eatlas.measures.base import Measure
from eatlas.sources import ArraySource, open_vectors
from eatlas.stimuli import load_tests
from eatlas_workbench.cards.content import compare, copy_vectors
from eatlas_workbench.cards.material import Material

ORDER = "The order of words changes nothing"
TURN = "Groups that trade places turn the sign"
TARGETS = "Targets that trade places turn the sign"
MORE = "More than two groups are taken"
REFERENCE = "The reference distribution counts"
CONTEXTS = "Words are taken in their contexts"
P, INTERVAL = "A p-value is given", "An interval is given"
SCALE = "The length of all vectors changes nothing"
LENGTHS = "Lengths of single vectors change nothing"
ROTATION = "A rotation of the space changes nothing"
SHIFT = "A shift of the space changes nothing"
ALIKE = "Groups with the same vectors show no bias"
PLANTED = "A planted association raises the number"
LIMITS = "Numbers keep within limits"


@cache
def answers(measure: str | Measure, source: object = "glove-sample") -> dict[str, str]:
    card = eatlas.protocol(measure, source, criteria=["content"])
    assert all(one.ran for one in card.evidence)
    return {row[0]: row[1] for one in card.evidence for row in one.tables[0].rows}


KNOWN = {
    "divdist": {TURN: "yes", MORE: "yes", REFERENCE: "yes", P: "yes", INTERVAL: "yes",
                SCALE: "yes", LENGTHS: "no", ALIKE: "yes", PLANTED: "yes", LIMITS: "yes"},
    "divdist(negative=raw)": {LIMITS: "no"},
    "divdist(means=unit)": {LENGTHS: "yes"},
    "mac": {TURN: "no", MORE: "yes", REFERENCE: "no", P: "no", SCALE: "yes", ALIKE: "no",
            PLANTED: "no number", LIMITS: "yes"},
    "ripa": {TURN: "yes", SCALE: "no", LENGTHS: "no", LIMITS: "no limits stated"},
    "rnd": {TURN: "yes", MORE: "no", LENGTHS: "yes", P: "yes", INTERVAL: "no"},
    "rnd(vectors=raw)": {SCALE: "no", SHIFT: "yes"},
    "rnsb": {TURN: "no", SCALE: "no", ALIKE: "yes"},
    "weat": {TURN: "yes", TARGETS: "yes", CONTEXTS: "yes", P: "yes", INTERVAL: "yes",
             LENGTHS: "yes", ALIKE: "yes", PLANTED: "yes"},
    "sc-eat": {TURN: "yes", TARGETS: "no", PLANTED: "yes"},
}  # fmt: skip
"""What follows from the formulas: RIPA is an inner product, MAC has no sign, and so on."""


VARIANTS = {"divdist(negative=raw)", "divdist(means=unit)", "rnd(vectors=raw)", "sc-eat"}


@pytest.mark.parametrize(
    "measure",
    [pytest.param(one, marks=[pytest.mark.slow] * (one in VARIANTS)) for one in KNOWN],
)
def test_properties_follow_from_the_formula(measure: str) -> None:
    found = answers(measure)
    assert {name: found[name] for name in KNOWN[measure]} == KNOWN[measure]
    assert found[ORDER] == "yes"
    assert found[ROTATION] == "yes"
    assert found[SHIFT] == KNOWN[measure].get(SHIFT, "no")
    asked = {MORE, REFERENCE} if measure.startswith(("weat", "sc-eat")) else {TARGETS}
    assert not asked & set(found)


def test_a_sound_plug_in_has_the_properties_of_a_difference_of_cosines() -> None:
    found = answers(Nearness())
    for name in (ORDER, TURN, SCALE, LENGTHS, ROTATION, ALIKE):
        assert found[name] == "yes"
    assert found[P] == found[REFERENCE] == found[CONTEXTS] == "no"


@pytest.mark.parametrize(
    ("broken", "properties"),
    [(Peeking(), {ROTATION}), (FirstWord(), {ORDER}), (Sum(), {TURN, ALIKE})],
)
def test_a_broken_measure_is_found_out(broken: Measure, properties: set[str]) -> None:
    sound, found = answers(Nearness()), answers(broken)
    changed = {name for name in sound if sound[name] != found[name]}
    assert {name for name in changed if sound[name] == "yes"} == properties


def test_numbers_are_compared_by_hand() -> None:
    assert compare({"a": 1.0}, {"a": 1.0 + 1e-9})[0] == "the same"
    assert compare({"a": 1.0, "b": 2.0}, {"a": -1.0, "b": 2.0})[0] == "different"
    assert compare({"a": 1.0}, {"a": None})[0] == "different"
    assert compare({"a": 0.0}, {"a": 0.0})[0] == "the same"
    assert compare({"a": 1.0, "b": None}, {"a": -3.0, "b": None})[1] == pytest.approx(4 / 3)


def test_the_bench_keeps_the_words_that_have_vectors_and_copies_them() -> None:
    (test,) = load_tests("divdist-face-validity")
    sample = open_vectors("glove-sample").lookup(test.terms)
    source = ArraySource(*zip(*((w, v) for w, v in sample.items() if w != "niece"), strict=True))
    bench = copy_vectors(Material(eatlas.SemAxis(), {}), test, source)
    assert bench.sides[0].terms == tuple(
        w for w in test.groups[0].terms if w in sample and w != "niece"
    )
    assert ("niece", "nephew") not in bench.test.pairs
    whole = eatlas.SemAxis()(test, source)
    values = {one.term: one.value for one in whole.values or ()}
    assert bench.numbers == pytest.approx(values, abs=1e-7)
    assert np.linalg.norm(bench.pole) == pytest.approx(1.0)
