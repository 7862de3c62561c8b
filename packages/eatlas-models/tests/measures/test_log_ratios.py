"""Words that log-ratios of a language model are sensitive to, and those that decide them."""

import pytest
from tests.engine.test_sensitivity import left_out_for_real
from tests.inputs import make_test
from tests.measures.test_decisive import agrees
from tests.measures.test_lpbs import Table, any_number

import eatlas

pytestmark = pytest.mark.filterwarnings("ignore::eatlas.errors.EatlasWarning")


def test_decisive_terms():
    test = make_test(**{role: [f"{role.lower()}{i}" for i in range(5)] for role in "XYAB"})
    measure = eatlas.LPBS(resamples=0, adjust="none", alpha=0.3)
    assert agrees(lambda test: measure(test, Table(any_number)), test) > 0


def test_sensitivity(monkeypatch):
    test = make_test(**{role: [f"{role.lower()}{i}" for i in range(6)] for role in "XYAB"})
    measure, model = eatlas.LPBS(resamples=0, adjust="none", alpha=0.5), Table(any_number)
    expected, result = left_out_for_real(lambda t: measure(t, model), test, monkeypatch)
    assert result.finding.sensitive_to == expected == ("a1",)
