"""How far two computations of one result may be apart."""

from copy import deepcopy

import numpy as np
import pytest
from tests.tiny_models import make_model

import eatlas
from eatlas.engine.comparing import differences
from eatlas.engine.verify import verify


def record(encoding):
    return {
        "encoding": encoding,
        "level1": {"effect_size": 0.5, "p": {"less": 1e-12, "rel_err": {"less": 1e-9}, "count": {"less": 50_000, "greater": 20}}},
        "stimulus_level": {"uncertainty": {"se": 0.1}},
        "provenance": {"vectors_sha256": "a", "source_fingerprint": "f"},
    }  # fmt: skip


CHANGES = [
    (("level1", "effect_size"), 0.5 + 5e-7, 0.5 + 5e-6),
    (("level1", "p", "less"), 1e-12 * (1 + 5e-3), 1e-12 * (1 + 5e-2)),
    (("level1", "p", "rel_err", "less"), 1.4e-9, 2.1e-9),
    (("level1", "p", "count", "less"), 50_400, 50_600),
]


@pytest.mark.parametrize(("place", "near", "far"), CHANGES)
def test_vectors_that_are_computed_may_differ_in_their_last_digits(place, near, far):
    for value, encoding, same in (
        (near, {}, False),
        (near, {"m": 1}, True),
        (far, {"m": 1}, False),
    ):
        old, new = record(encoding), record(encoding)
        part = new
        for key in place[:-1]:
            part = part[key]
        part[place[-1]] = value
        assert (not list(differences(old, new))) is same


@pytest.mark.parametrize(
    ("name", "value", "near", "far"),
    [("t", 4.0, 4.0002, 4.002), ("p_two_sided", 0.0503, 0.05034, 0.0499), ("df", 9.0, 9.0005, 9.1)],
)
def test_crossed_tests_of_computed_vectors_may_differ_by_little(name, value, near, far):
    def record(number, **more):
        return {"generalisation": {"level1": {name: number}}, **more}

    encoded = {"encoding": {"model": "m"}}
    assert not list(differences(record(value, **encoded), record(near, **encoded)))
    assert list(differences(record(value, **encoded), record(far, **encoded)))
    assert list(differences(record(value), record(near)))
    # a small p is compared by its size
    small = {"generalisation": {"level1": {"p_less": 1e-15}}}
    other = {"generalisation": {"level1": {"p_less": 2e-15}}}
    assert list(differences(small | encoded, other | encoded))
    assert list(differences(small, other))


def test_small_counts_are_equal():
    old, new = record({"m": 1}), record({"m": 1})
    new["level1"]["p"]["count"]["greater"] = 21
    assert list(differences(old, new)) == ["level1.p.count.greater: 20 in the file, 21 now"]


def test_the_hash_of_computed_vectors_may_differ_and_that_of_the_source_may_not():
    old, new = record({"m": 1}), record({"m": 1})
    new["provenance"]["vectors_sha256"] = "b"
    assert not list(differences(old, new))
    assert list(differences(record(None), {**new, "encoding": None}))
    new["provenance"]["source_fingerprint"] = "g"
    assert len(list(differences(old, new))) == 2


def test_resampling_over_stimuli_is_as_rough_as_over_terms():
    old, new = record(None), deepcopy(record(None))
    new["stimulus_level"]["uncertainty"]["se"] += 5e-4
    assert not list(differences(old, new))


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
    from eatlas.sources.encoders import transformer

    spec = f"hf:{make_model(tmp_path, 'bert')}?pool=mean&cache=no"
    tests, measure = ["sent-weat-6", "sent-weat-7"], "ml-eat(resamples=0)"
    results = eatlas.run(tests, spec, measure)
    expected = counts_of(results)
    for budget in (50, 200, 5000):
        monkeypatch.setitem(transformer.BUDGET, "cpu", budget)
        assert counts_of(eatlas.run(tests, spec, measure)) == expected
    verdicts = verify(results)
    assert [line for verdict in verdicts for line in verdict.details] == []
    assert [verdict.status for verdict in verdicts] == ["same", "same"]


def test_counts_are_the_same_on_a_processor_that_rounds_otherwise(monkeypatch, tmp_path):
    """Last bits that depend on the batch, as they do where a library chooses its kernel by it."""
    from eatlas.sources.encoders import forward

    real, calls = forward.vectors_of_tokens, []

    def rounded(*given):
        calls.append(1)
        r = np.random.default_rng(len(calls))
        unit = 2.0**-24
        return [
            (a * (1 + unit * r.uniform(-1, 1, a.shape))).astype(np.float32) for a in real(*given)
        ]

    spec = f"hf:{make_model(tmp_path, 'bert')}?pool=mean&cache=no"
    tests, measure = ["sent-weat-6", "sent-weat-7"], "ml-eat(resamples=0)"
    expected = eatlas.run(tests, spec, measure)
    monkeypatch.setattr(forward, "vectors_of_tokens", rounded)
    for _ in range(3):
        results = eatlas.run(tests, spec, measure)
        assert counts_of(results) == counts_of(expected)
        hashes = [one.provenance.vectors_sha256 for one in results]
        assert hashes != [one.provenance.vectors_sha256 for one in expected]
