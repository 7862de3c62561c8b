"""Language models in memory."""

from __future__ import annotations

from tests.encoders.test_objects import loaded, refused
from tests.inputs import make_test

import eatlas
from eatlas.encoders.loading import quiet

# --- log-probabilities ----------------------------------------------------------------------------


def test_lpbs_takes_a_pair_a_pipeline_and_a_folder(model, tmp_path):
    from transformers import pipeline

    halves = loaded(model("bert"), "AutoModelForMaskedLM")
    for half in halves:
        half.save_pretrained(tmp_path)
    halves[0].train()
    with quiet():
        line = pipeline("fill-mask", model=halves[0], tokenizer=halves[1])
    halves[0].train()
    forms = {"pair": halves, "pipe": line, "path": tmp_path, "text": f"hf:{tmp_path}?cache=no"}
    results = eatlas.run(make_test(), forms, "lpbs")
    assert len({result.effect_size for result in results}) == 1
    assert len({result.provenance.source_fingerprint for result in results}) == 2
    assert halves[0].training
    error = refused(halves, lambda spec: eatlas.LPBS(model="causal")(make_test(), spec))
    assert error.what == "BertForMaskedLM: the model does not continue texts"
