"""Encoders whose vectors are looked at together: diagnosis and transforms on the texts of tests."""

import numpy as np
import pytest
from tests.inputs import make_test
from tests.sources.test_passages import WORDS, Letters, count

import eatlas
from eatlas.sources import Item
from eatlas.sources.transforms import TransformedEncodings

TEST = make_test(**WORDS)
ALL = [Item(term, (0, len(term))) for term in TEST.terms]


def plain():
    return np.array([count(one.text) * 1.5 for one in sorted(ALL)])


def test_a_transform_is_fitted_on_what_a_run_encodes():
    source = eatlas.transformed(Letters(), "center")
    assert isinstance(source, TransformedEncodings)
    found = source.encode(ALL)
    expected = plain() - plain().mean(axis=0)
    assert np.array([found[one] for one in sorted(ALL)]) == pytest.approx(expected, abs=1e-12)
    assert source.name == "letters?transform=center"
    assert tuple(map(str, source.notes)) == (
        "Vectors transformed by center, fitted on 12 vectors of letters.",
    )
    assert source.fingerprint.startswith("letters:1;transform=center;fitted_on=12;texts=")
