"""An encoder is diagnosed on texts; a whitened source has no anisotropy left."""

import numpy as np
import pytest
from tests.sources.test_passages import Letters
from tests.sources.test_texts import TEST, plain
from tests.sources.test_transforms import EXACT, SOURCE, all_rows

import eatlas


def test_an_encoder_is_diagnosed_on_the_texts_of_tests():
    found = eatlas.diagnose(Letters(), tests=[TEST])
    unit = plain() / np.linalg.norm(plain(), axis=1, keepdims=True)
    cosines = (unit @ unit.T)[np.triu_indices(12, 1)]
    assert found.mean_cosine == pytest.approx(cosines.mean(), abs=2e-6)
    assert (found.vectors, found.source) == (12, "letters")
    assert found.bands == (), "texts have no rank"
    assert "rank" not in str(found.to_dict()["warnings"])


def test_whiten_leaves_no_anisotropy():
    source = eatlas.transformed(SOURCE, "whiten")
    assert np.cov(all_rows(source).T) == pytest.approx(np.eye(6), abs=EXACT)
    found = eatlas.diagnose(source)
    assert found.iso_score == 1
    assert found.source == "cloud?transform=whiten"
