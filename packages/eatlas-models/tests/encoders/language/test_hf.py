"""Language models by source string: what is opened, what is refused, and the numbers of families."""

from __future__ import annotations

import pytest
from tests.encoders.language import tiny
from tests.inputs import make_test
from tests.tiny_models import _config, make_tokenizer

import eatlas
from eatlas.errors import SourceError
from eatlas_models.encoders.language import Question, language_model, open_language_model

TEST = make_test(
    X=("rose", "ivy"), Y=("ant", "wasp"), A=("nice", "lovely", "peace"), B=("vile", "awful", "war")
)
AGREES = 1e-5


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("EATLAS_CACHE", str(tmp_path / "cache"))


def test_a_folder_answers_as_the_model_in_memory(folders):
    for build, kind, how in ((tiny.bert, "masked", "joint"), (tiny.gpt2, "causal", "next")):
        asked = [Question("Ant is nasty.", (7, 12), (0, 3), how=how)]
        there = open_language_model(f"hf:{folders[build.__name__]}", kind)
        here = language_model(*build(), name="here")
        (one,), (other,) = there.score(asked).values(), here.score(asked).values()
        assert one.log_probability == pytest.approx(other.log_probability, abs=AGREES)
        assert there.about.architecture == type(build()[0]).__name__
        assert there.fingerprint != here.fingerprint


@pytest.mark.parametrize(
    ("model", "options", "measure", "said"),
    [
        ("gpt2", "", "lpbs", "the model has no mask token, so no word of a sentence can be masked"),
        ("bert", "", "lpbs(model=causal)", "the model does not continue texts"),
        ("bert", "?pool=mean", "lpbs", "the option pool has no effect"),
        ("bert", "?level=word", "lpbs", "the option level has no effect"),
        ("bert", "?levl=word", "lpbs", "unknown option"),
    ],
)
def test_what_cannot_be_is_said_before_any_work(folders, model, options, measure, said):
    with pytest.raises(SourceError, match=said):
        eatlas.run(tests=TEST, vectors=f"hf:{folders[model]}{options}", measures=measure)


@pytest.mark.parametrize("measure", ["lpbs", "lpbs(model=causal)", "fmat"])
def test_an_address_gives_no_log_probabilities(measure):
    with pytest.raises(
        SourceError, match="log-probabilities need a .* and this is an address"
    ) as e:
        eatlas.run(TEST, "https://me:secret@a.org/v1?model=m&key=secret", measure)
    assert e.value.got == "https://a.org/v1"
    assert "hf:NAME" in e.value.allowed
    assert "eatlas ask chat:ADDRESS" in e.value.remedy
    assert "secret" not in str(e.value)


def test_a_tokenizer_without_a_mask_points_to_the_causal_form(folders, tmp_path):
    from transformers import PreTrainedTokenizerFast

    model, tokenizer = tiny.bert()
    model.save_pretrained(tmp_path)
    unknown = {"unk_token": "[UNK]"}
    bare = PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer, **unknown)
    bare.save_pretrained(tmp_path)
    with pytest.raises(SourceError) as caught:
        eatlas.run(tests=TEST, vectors=f"hf:{tmp_path}", measures="lpbs")
    assert "a tokenizer without a mask token" in str(caught.value)
    assert "model=causal takes others" in str(caught.value)


def test_a_model_without_a_head_is_said(tmp_path):
    from transformers import BertModel

    model, tokenizer = tiny.bert()
    BertModel(model.config).save_pretrained(tmp_path)
    tokenizer.save_pretrained(tmp_path)
    with pytest.raises(SourceError) as caught:
        eatlas.run(tests=TEST, vectors=f"hf:{tmp_path}", measures="lpbs")
    assert "the file of weights lacks some of the model's" in str(caught.value)
    assert "log-probabilities need the head that predicts words" in str(caught.value)


@pytest.mark.parametrize("family", ["gpt2", "llama"])
def test_causal_families_are_asked_as_by_hand(family):
    """Whatever the tokenizer puts before a text, the model reads one token there, and once."""
    import torch
    from transformers import AutoModelForCausalLM

    tokenizer = make_tokenizer(family)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        model = AutoModelForCausalLM.from_config(_config(family, len(tokenizer))).eval()
    text, span = "This is an aster.", (11, 16)
    (answer,) = (
        language_model(model, tokenizer, name=family)
        .score([Question(text, span, how="next")])
        .values()
    )
    ids = tokenizer("This is an aster", add_special_tokens=False)["input_ids"]
    before = tokenizer("This is an", add_special_tokens=False)["input_ids"]
    assert ids[: len(before)] == before
    first = tokenizer.bos_token_id if tokenizer.bos_token_id is not None else tokenizer.eos_token_id
    with torch.no_grad():
        rows = torch.log_softmax(model(torch.tensor([[first, *ids]])).logits[0].double(), dim=-1)
    expected = sum(float(rows[i, ids[i]]) for i in range(len(before), len(ids)))
    assert answer.log_probability == pytest.approx(expected, abs=AGREES)
    assert answer.pieces == len(ids) - len(before)
