"""How far two computations of one result may be apart."""

from copy import deepcopy

import numpy as np
import pytest
from tests.tiny_models import make_model

import eatlas
from eatlas.engine.verify import differences, verify

P = {"less": 500 / 7000, "count": {"less": 500, "greater": 6600}, "total": 7000}
SAMPLED = {
    "less": 0.0076,
    "greater": 0.8,
    "permutations": {"less": 9999, "greater": 9999},
    "interval": {"less": [0.006, 0.0095]},
}
RECORD = {
    "level1": {"effect_size": 0.5, "difference": 0.05, "p": P},
    "level2": {"p": {"less": 1e-3, "count": None, "total": 10**9}},
    "generalisation": {"t": 4.0, "df": 9, "p_less": 1e-15},
    "samples": {
        "count": 300,
        "quantiles": [-0.4, 0.0375],
        "patterns": {"A-Uniform": 0.3},
        "level1": {"combined": {"samples": 300, "p": {"less": 1e-3}}},
    },
    "adjusted": {"level1": {"p": SAMPLED}, "level2": {"p": {"less": 1e-3, "permutations": None}}},
    "frequency": {
        "matched": {"permutations": 2000, "level1": {"p_less": 1e-3, "counts": [9, 90000]}}
    },
    "labels": {"permutations": 500},
    "targets": [
        {"labels": {"p": 3 / 501, "count": 2, "method": "sampled"}},
        {"labels": {"p": 1e-3, "count": 4, "method": "exact"}},
    ],
    "uncertainty": {"se": 0.1, "resamples": 1000, "patterns": {"A-Uniform": 0.3}},
    "provenance": {"version": "1", "vectors_sha256": "a", "source_fingerprint": "f"},
}


@pytest.mark.parametrize(
    ("place", "last_bits", "near", "far"),
    [
        ("level1.effect_size", 0.5 + 1e-10, 0.5 + 2e-5, 0.5 + 1e-4),
        ("level1.difference", 0.05 + 1e-11, 0.05 + 5e-6, 0.05 + 2e-5),
        ("level1.p.count.less", 500, 502, 504),
        ("level1.p.total", 7000, 7000, 7001),
        ("level2.p.less", 1e-3 + 1e-13, 1.004e-3, 1.008e-3),
        ("generalisation.t", 4 + 1e-9, 4.0002, 4.002),
        ("generalisation.df", 9, 9, 10),
        ("generalisation.p_less", 1e-15 + 1e-25, 1.002e-15, 2e-15),
        ("adjusted.level1.p.less", 0.0076, 0.0078, 0.0081),
        ("adjusted.level1.p.greater", 0.8, 0.8002, 0.8004),
        ("adjusted.level1.p.interval.less", [0.006, 0.0095], [0.0057, 0.0092], [0.0055, 0.0095]),
        ("adjusted.level2.p.less", 1e-3, 1.004e-3, 1.2e-3),
        ("frequency.matched.level1.p_less", 1e-3, 1.9e-3, 3.4e-3),
        ("frequency.matched.level1.counts", [9, 90000], [11, 90002], [9, 90005]),
        ("targets.0.labels.p", 3 / 501, 5 / 501, 8 / 501),
        ("targets.0.labels.count", 2, 4, 7),
        ("targets.1.labels.p", 1e-3, 1.004e-3, 3e-3),
        ("targets.1.labels.count", 4, 4, 5),
        ("samples.patterns.A-Uniform", 0.301, 0.306, 0.317),
        ("samples.level1.combined.p.less", 1e-3, 1.004e-3, 3e-3),
        ("samples.quantiles", [-0.4, 0.0375 + 1e-12], [-0.4, 0.037505], [-0.4, 0.0377]),
        ("uncertainty.se", 0.1 + 1e-6, 0.1 + 9e-6, 0.1 + 5e-5),
        ("uncertainty.patterns.A-Uniform", 0.301, 0.303, 0.304),
        ("provenance.version", "2", "2", None),
        ("provenance.vectors_sha256", "a", "b", None),
        ("provenance.source_fingerprint", "f", "f", "g"),
    ],
)
def test_what_machines_explain(place, last_bits, near, far):
    """Vectors of files: the last bits; computed ones: the last digits, and two random draws."""
    *parts, last = place.split(".")
    for value, roundoff, same in (
        (last_bits, None, True),
        (near, None, near == last_bits),
        (near, 2.0**-24, True),
        (far, 2.0**-24, False),
    ):
        new = {**RECORD, "encoding": {"roundoff": roundoff}}
        old = deepcopy(new)
        inner = old
        for part in parts:
            inner = inner[int(part) if part.isdigit() else part]
        inner[last] = value
        if value is not None:
            assert (not list(differences(old, new))) is same, (value, roundoff)


def test_in_half_precision_more_draws_may_be_at_the_border():
    new = {**RECORD, "encoding": {"roundoff": 2.0**-11}}
    old = deepcopy(new)
    old["adjusted"]["level1"]["p"]["greater"] = 0.81
    assert not list(differences(old, new))
    old["adjusted"]["level1"]["p"]["greater"] = 0.9
    assert len(list(differences(old, new))) == 1


def counts_of(results):
    """Every count of relabellings in some results, and the p-values without one."""
    found = []
    for result in results:
        of_stimuli = result.stimulus_level
        levels = [result.level1, result.level2.X, result.level2.Y]
        levels += [of_stimuli.level1, of_stimuli.level2.X, of_stimuli.level2.Y]
        found += [level.p.count or round(level.p.two_sided, 4) for level in levels]
    return found


def test_a_result_of_a_model_is_the_same_with_other_batches(monkeypatch, tmp_path):
    """Whatever the processor makes of the last bits; most words are unknown to this model."""
    from eatlas.encoders import transformer

    spec = f"hf:{make_model(tmp_path, 'bert')}?pool=mean&cache=no"
    tests, measure = "sent-weat-7", "ml-eat(resamples=0)"
    results = eatlas.run(tests, spec, measure)
    expected = counts_of(results)
    for budget in (50, 5000):
        monkeypatch.setitem(transformer.BUDGET, "cpu", budget)
        assert counts_of(eatlas.run(tests, spec, measure)) == expected
    verdicts = verify(results)
    assert [line for verdict in verdicts for line in verdict.details] == []
    assert [verdict.status for verdict in verdicts] == ["same"]


@pytest.mark.slow
def test_counts_are_the_same_on_a_processor_that_rounds_otherwise(monkeypatch, tmp_path):
    """Last bits that depend on the batch, as they do where a library chooses its kernel by it."""
    from eatlas.encoders import transformer

    real, calls = transformer.pool_batch, []

    def rounded(*given):
        calls.append(1)
        r = np.random.default_rng(len(calls))
        unit = 2.0**-24
        return [
            (a * (1 + unit * r.uniform(-1, 1, a.shape))).astype(np.float32) for a in real(*given)
        ]

    spec = f"hf:{make_model(tmp_path, 'bert')}?pool=mean&cache=no"
    tests, measure = "sent-weat-6", "ml-eat(resamples=0)"
    expected = eatlas.run(tests, spec, measure)
    monkeypatch.setattr(transformer, "pool_batch", rounded)
    for _ in range(2):
        results = eatlas.run(tests, spec, measure)
        assert counts_of(results) == counts_of(expected)
        hashes = [one.provenance.vectors_sha256 for one in results]
        assert hashes != [one.provenance.vectors_sha256 for one in expected]


def less_by_a_percent(line):
    """All p-values and counts, as a polisher would: each p its count over its total."""

    def walk(value):
        if isinstance(value, dict):
            if isinstance(value.get("count"), dict) and isinstance(value.get("total"), int):
                for tail, count in value["count"].items():
                    value["count"][tail] = max(1, round(count * 0.992))
                    value[tail] = value["count"][tail] / value["total"]
            for inner in value.values():
                walk(inner)

    walk(line)


def intervals(line):
    low, high = line["uncertainty"]["level1"]["interval"]
    line["uncertainty"]["level1"]["interval"] = [low + 9e-4, high + 9e-4]


def effect(line):
    line["level1"]["effect_size"] *= 1 + 2e-4  # many times what rounding explains


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (less_by_a_percent, "level1.p.count.greater: "),
        (intervals, "uncertainty.level1.interval[0]: "),
        (effect, "level1.effect_size: "),
    ],
)
def test_an_altered_result_of_a_model_is_not_the_same(tmp_path, change, said):
    spec = f"hf:{make_model(tmp_path, 'bert')}?pool=mean&cache=no"
    (result,) = eatlas.run("weat-6", spec, "weat(resamples=100)")
    line = result.to_dict()
    change(line)
    (verdict,) = verify([type(result).from_dict(line)])
    assert verdict.status == "differs"
    assert any(said in one for one in verdict.details)
