"""Differences between parts of one population whose documents are not alike."""

from __future__ import annotations

import pytest
from tests.inputs import load_benchmark

from eatlas_corpora.engine import documents


@pytest.fixture(scope="module")
def study():
    return load_benchmark("parts_simulated")


@pytest.mark.slow
@pytest.mark.parametrize("design", [2, 6], ids=["unequal contexts", "repeated speakers"])
def test_a_difference_is_found_as_seldom_as_said(study, design, monkeypatch):
    """In the full study .04 to .07, and .93 to .97; here within three standard errors."""
    monkeypatch.setattr(documents, "RESAMPLES", 300)
    monkeypatch.setattr(documents, "RELABELLINGS", 199)
    found = study.rates(study.World(8), study.DESIGNS[design], 120)
    assert found["rejected"] <= 0.12
    assert found["covered"] >= 0.88
