"""How far two computations of one result may be apart."""

from copy import deepcopy

import numpy as np
import pytest
from tests.tiny_models import make_model

import eatlas
from eatlas.engine.verify import verify
from eatlas.engine.verify_records import differences

ROUNDOFF = 2.0**-24
P = {"less": 5 / 70, "greater": 66 / 70, "count": {"less": 5, "greater": 66}, "total": 70}


def record(encoding, less=5):
    """A few numbers of a result whose scores have a spread of 0.1."""
    p = {**P, "less": less / 70, "count": {"less": less, "greater": 66}}
    return {
        "encoding": encoding,
        "level1": {"effect_size": 0.5, "difference": 0.05, "p": p},
        "level2": {"p": {"less": 1e-3, "rel_err": {"less": 1e-9}, "count": None, "total": 10**9}},
        "draws": {"level1": {"quantiles": [-0.4, 0.0375]}},
        "uncertainty": {"se": 0.1, "resamples": 1000, "patterns": {"A-Uniform": 0.3}},
        "provenance": {"vectors_sha256": "a", "source_fingerprint": "f"},
    }


def changed(old, place, value):
    new = deepcopy(old)
    part = new
    for key in place[:-1]:
        part = part[key]
    part[place[-1]] = value
    return new


COMPUTED = {"roundoff": ROUNDOFF}
CHANGES = [
    (("level1", "effect_size"), 0.5 + 1e-6, 0.5 + 1e-5),
    (("level1", "difference"), 0.05 + 1e-7, 0.05 + 3e-7),
    (("level2", "p", "less"), 1e-3 * (1 + 1e-4), 1e-3 * (1 + 1e-3)),
    (("level2", "p", "rel_err", "less"), 1.4e-9, 2.1e-9),
    (("draws", "level1", "quantiles", 1), 0.0375 + 5.1e-7, 0.0377),
    (("uncertainty", "se"), 0.1 + 1e-5, 0.1 + 5e-5),
    (("uncertainty", "patterns", "A-Uniform"), 0.302, 0.304),
]


@pytest.mark.parametrize(("place", "near", "far"), CHANGES)
def test_vectors_that_are_computed_may_differ_in_their_last_digits(place, near, far):
    for value, encoding, same in (
        (near, None, False),
        (near, COMPUTED, True),
        (far, COMPUTED, False),
    ):
        old = record(encoding)
        assert (not list(differences(changed(old, place, value), old))) is same


@pytest.mark.parametrize(
    ("name", "value", "near", "far"),
    [("t", 4.0, 4.0002, 4.002), ("p_two_sided", 0.0503, 0.05034, 0.0499), ("df", 9.0, 9.0005, 9.1)],
)
def test_crossed_tests_of_computed_vectors_may_differ_by_little(name, value, near, far):
    def record(number, **more):
        return {"generalisation": {"level1": {name: number}}, **more}

    encoded = {"encoding": COMPUTED}
    assert not list(differences(record(value, **encoded), record(near, **encoded)))
    assert list(differences(record(value, **encoded), record(far, **encoded)))
    assert list(differences(record(value), record(near)))
    # a small p is compared by its size
    small = {"generalisation": {"level1": {"p_less": 1e-15}}}
    other = {"generalisation": {"level1": {"p_less": 2e-15}}}
    assert list(differences(small | encoded, other | encoded))
    assert list(differences(small, other))


def test_the_hash_of_computed_vectors_may_differ_and_that_of_the_source_may_not():
    old, new = record(COMPUTED), record(COMPUTED)
    new["provenance"]["vectors_sha256"] = "b"
    assert not list(differences(old, new))
    assert list(differences(record(None), {**new, "encoding": None}))
    new["provenance"]["source_fingerprint"] = "g"
    assert len(list(differences(old, new))) == 2


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


def test_counts_are_the_same_on_a_processor_that_rounds_otherwise(monkeypatch, tmp_path):
    """Last bits that depend on the batch, as they do where a library chooses its kernel by it."""
    from eatlas.encoders import pooling

    real, calls = pooling.vectors_of_tokens, []

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
    monkeypatch.setattr(pooling, "vectors_of_tokens", rounded)
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


def p_alone(line):
    line["level1"]["p"]["greater"] *= 0.992


def intervals(line):
    low, high = line["uncertainty"]["level1"]["interval"]
    line["uncertainty"]["level1"]["interval"] = [low + 9e-4, high + 9e-4]


def effect(line):
    line["level1"]["effect_size"] *= 1 + 2e-4  # many times what rounding explains


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (less_by_a_percent, "level1.p.count.greater: "),
        (p_alone, "which is not its count over its total"),
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
