"""A study as a scatter: one choice against another."""

import pytest

import eatlas
from eatlas.errors import EatlasError


def test_a_study_is_drawn_by_a_choice():
    plan = {
        "tests": ["weat-6", "weat-7", "weat-8"],
        "choices": {"transform": ["none", "center"], "ddof": [1, 0]},
    }
    study = eatlas.multiverse(plan)
    plot = eatlas.plot(study, "scatter")
    assert plot.title.startswith("transform none and transform center: r = ")
    assert plot.title.endswith("n = 6")
    by_ddof = eatlas.plot(study, "scatter", by="ddof", pair=("0", "1"))
    assert by_ddof.title == "ddof 0 and ddof 1: r = 1.00, ρ = 1.00, n = 6"
    d = {
        s.choices["ddof"]: s.d
        for s in study.record.measured
        if s.test == "weat-6" and s.choices["transform"] == "none"
    }
    assert f"weat-6: {d['0']:.2f} by ddof 0, {d['1']:.2f} by ddof 1" in by_ddof.drawn


def test_what_is_refused():
    with pytest.raises(EatlasError, match="no choice of this study has alternatives"):
        eatlas.plot(eatlas.multiverse({"tests": ["weat-6"]}), "scatter")
    study = eatlas.multiverse({"tests": ["weat-6"], "choices": {"ddof": [1, 0]}})
    with pytest.raises(EatlasError, match="'dof' cannot be compared; did you mean ddof"):
        study.pairs("dof")
