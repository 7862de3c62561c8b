"""The terminal says where only bounds of a p-value are known."""

from __future__ import annotations

import pytest

from eatlas.measures.p_values import counted
from eatlas.stats.permutation import solvers, two_sample


@pytest.fixture
def bounds_alone(monkeypatch):
    """Every permutation test has bounds for an answer; none is remembered."""
    monkeypatch.setattr(solvers, "MOST_STEPS", 6)
    monkeypatch.setattr(solvers, "LEAST_STEPS", 1)
    monkeypatch.setattr(two_sample, "chain", lambda *_, **__: solvers.bracket)
    counted.cache_clear()
    yield
    counted.cache_clear()


@pytest.mark.usefixtures("bounds_alone")
def test_the_terminal_shows_bounds_and_says_what_they_leave_open(eatlas_cli):
    ended = eatlas_cli("run", "--tests", "weat-6", "--measure", "ML-EAT")
    said = " ".join((ended.out + ended.err).split())
    assert "≤ .0010" in said
    assert "[.015, .26]" in said
    assert "A p after ≤, or between brackets, is known by certain bounds alone." in said
    assert (
        "The p-values of level 2 of X are known only within bounds that do not decide whether p is "
        "below alpha = 0.05: greater between 0.0146 and 0.256, two-sided between 0.0292 and 0.513. "
        "The upper bound is used: no star, and no association."
    ) in said
