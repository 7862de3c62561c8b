"""Tests of both kinds in the rest of the package: who takes which, and what is looked up."""

import pytest
from tests.inputs import make_test

import eatlas
from eatlas.errors import EatlasError
from eatlas.measures import AssociationMeasure, registry
from eatlas.sources.coverage import needed_items

DIVDIST = "divdist-face-validity"


class Untouched:
    """A source that may not be asked."""

    name, dim, fingerprint, notes = "untouched", 2, "none", ()

    def lookup(self, keys):
        raise AssertionError(keys)


def test_a_measure_of_another_kind_is_refused_before_any_work():
    with pytest.raises(EatlasError) as caught:
        eatlas.run([make_test(), DIVDIST], Untouched(), ["ml-eat", "weat"])
    assert str(caught.value) == (
        "the measure ml-eat does not take tests of the kind of divdist-face-validity\n"
        "  got: divdist-face-validity is of the kind groups\n"
        "  allowed: tests of the kind association for ml-eat; for divdist-face-validity: "
        f"{caught.value.allowed.rsplit(': ', 1)[1]}\n"
        "  remedy: run tests of different kinds one after the other, each with its measures; "
        "eatlas tests list says of what kind a test is"
    )


def test_the_measures_that_fit_are_named(monkeypatch):
    class Counting(AssociationMeasure):
        name, kind, minimum = "counting", "groups", {}

    types = {"weat": eatlas.WEAT, "counting": Counting}
    monkeypatch.setattr("eatlas.engine.plan.measure_types", lambda: types)
    with pytest.raises(EatlasError, match="for divdist-face-validity: counting"):
        eatlas.run(DIVDIST, Untouched(), "weat")
    monkeypatch.setattr("eatlas.engine.plan.measure_types", lambda: {"weat": eatlas.WEAT})
    with pytest.raises(
        EatlasError, match="for divdist-face-validity: no measure that is installed"
    ):
        eatlas.run(DIVDIST, Untouched(), "weat")


def test_every_built_in_measure_says_its_kind():
    assert {m.kind for m in registry.measure_types().values()} <= set(eatlas.stimuli.KINDS)


def test_keys_of_both_kinds():
    tests = [make_test(), *eatlas.load_tests(DIVDIST)]
    items = needed_items(eatlas.open_vectors("glove-sample"), tests, (), "exact")
    keys = {one.content for one in items}
    assert {"aster", "war", "carpenter", "she", "nephews"} <= keys
    assert len(keys) == 16 + 8 + 40
