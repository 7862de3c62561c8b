"""Concepts and tests can only be well formed."""

import copy
import pickle

import numpy as np
import pandas as pd
import pytest
from pydantic import ValidationError
from tests.inputs import make_test

from eatlas import AssociationTest, Concept
from eatlas.stimuli.concepts import Sentence


def test_terms_may_come_as_any_list():
    expected = ("aster", "clover")
    for terms in (
        ["aster", "clover"],
        {"clover", "aster"},
        frozenset(expected),
        pd.Series(expected),
        pd.Index(expected),
        np.array(expected),
        dict.fromkeys(expected),
        (t for t in expected),
    ):
        concept = Concept(
            name="Flowers", terms=terms if not isinstance(terms, dict) else terms.keys()
        )
        assert concept.terms == expected
        assert {type(term) for term in concept.terms} == {str}


def test_tests_can_be_copied_and_pickled(tiny):
    pickled = pickle.loads(pickle.dumps(tiny))  # noqa: S301
    for again in (copy.copy(tiny), copy.deepcopy(tiny), pickled):
        assert again == tiny
        assert hash(again) == hash(tiny)
        with pytest.raises(ValidationError, match="Instance is frozen"):
            again.title = "x"
    assert AssociationTest.model_validate(tiny.model_dump()) == tiny
    assert AssociationTest.model_validate_json(tiny.model_dump_json()) == tiny


def test_the_hash_names_the_stimuli_and_nothing_else(tiny):
    again = make_test("another-id", X=tuple(reversed(tiny.X.terms)))
    assert again.stimuli_sha256 == tiny.stimuli_sha256
    assert make_test(X=("rose", "lily")).stimuli_sha256 != tiny.stimuli_sha256
    swapped = AssociationTest(id="s", X=tiny.Y, Y=tiny.X, A=tiny.A, B=tiny.B)
    assert swapped.stimuli_sha256 != tiny.stimuli_sha256


@pytest.mark.parametrize(
    ("stimulus", "text", "span"),
    [
        ("ivy", "This is ivy.", (8, 11)),
        ("will", "Will is a will.", (10, 14)),
        ("ivy", "Ivy is ivyed, and ivy.", (18, 21)),
        ("Ivy", "IVY is here.", (0, 3)),
        ("fried chicken", "I ate fried chicken.", (6, 19)),
        ("aster", "These are asters.", None),
    ],
)
def test_where_a_stimulus_stands(stimulus, text, span):
    assert Sentence(text=text, stimulus=stimulus).span == span
