"""Tests of both kinds in the rest of the package: who takes which, and what is looked up."""

import pytest
from tests.inputs import make_test

import eatlas
from eatlas.errors import EatlasError
from eatlas.sources.coverage import items_to_request

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
        "the measure 'ml-eat' does not take the test 'divdist-face-validity'\n"
        "  got: a test of the kind 'groups'\n"
        "  allowed: tests of the kind association for ml-eat; for divdist-face-validity: "
        f"{caught.value.allowed.rsplit(': ', 1)[1]}\n"
        "  remedy: choose a measure for each kind of test, or omit --measure; "
        "eatlas tests list shows the kind of each test"
    )


def test_keys_of_both_kinds():
    tests = [make_test(), *eatlas.load_tests(DIVDIST)]
    items = items_to_request(eatlas.open_vectors("glove-sample"), tests, (), "exact")
    keys = {one.content for one in items}
    assert {"aster", "war", "carpenter", "she", "nephews"} <= keys
    assert len(keys) == 16 + 8 + 40


GROUPS = """schema = 1
[[test]]
id = "work"
kind = "groups"
targets = { name = "Work", terms = ["nurse"] }
groups = [{ name = "Women", terms = ["she", "woman"] }, { name = "Men", terms = ["he", "man"] }]
reference = "uniform"
pairs = PAIRS
"""


def test_pairs_belong_to_the_stimuli(tmp_path):
    path = tmp_path / "work.toml"
    hashes = set()
    for pairs in ("[]", '[["she", "he"]]', '[["she", "he"], ["woman", "man"]]'):
        path.write_text(GROUPS.replace("PAIRS", pairs), encoding="utf-8")
        (test,) = eatlas.load_tests(path)
        hashes.add(test.stimuli_sha256)
        turned = test.model_copy(update={"pairs": test.pairs[::-1]})
        assert turned.stimuli_sha256 == test.stimuli_sha256
    assert len(hashes) == 3
