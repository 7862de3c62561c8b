"""How far two computations of one result may be apart."""

from copy import deepcopy

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


def test_a_result_of_a_model_is_the_same_with_other_batches(monkeypatch, tmp_path):
    """The bits of the vectors differ, and the result is verified."""
    from eatlas.sources.encoders import transformer

    spec = f"hf:{make_model(tmp_path, 'bert')}?pool=mean&cache=no"
    results = eatlas.run("sent-weat-7", spec, "weat")
    monkeypatch.setitem(transformer.BUDGET, "cpu", 200)
    (again,) = eatlas.run("sent-weat-7", spec, "weat")
    (verdict,) = verify(results)
    assert again.provenance.vectors_sha256 != results[0].provenance.vectors_sha256
    assert "\n".join(verdict.details) == ""
    assert verdict.status == "same"
