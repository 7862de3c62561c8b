"""What a transformer is asked, what it refuses, and what it says of itself."""

from __future__ import annotations

import pickle
import shutil

import numpy as np
import pytest
from tests.encoders.slow_loop import SlowLoop

import eatlas
from eatlas.encoders import transformer
from eatlas.encoders.loading import forget
from eatlas.errors import SourceError
from eatlas.sources import Item, open_sources

WASP = Item("This is a wasp.", (10, 14))
LONG = "wasp " * 60


def opened(folder, options=""):
    return eatlas.open_vectors(f"hf:{folder}?cache=no&{options}")


def said(source, *passages):
    with pytest.raises(SourceError) as raised:
        source.encode(passages or [WASP])
    return str(raised.value)


def copied(folder, to):
    return shutil.copytree(folder, to)


def test_all_layers_come_from_one_pass(model, monkeypatch):
    passes = []
    real = transformer.pool_batch
    monkeypatch.setattr(transformer, "pool_batch", lambda *given: passes.append(1) or real(*given))
    sources = open_sources(f"hf:{model('bert')}?level=word&layer=all&cache=no")
    assert transformer.share_passes(sources) == [list(sources)]
    given = [source.encode([WASP]) for source in sources]
    assert len(passes) == 1
    assert [source.encoding.layer for source in sources] == ["0", "1", "2", "3"]
    assert len({source.fingerprint for source in sources}) == 4
    loop = SlowLoop.of(model("bert"), "bert")
    for layer, (source, vectors) in enumerate(zip(sources, given, strict=True)):
        expected = loop.vector(WASP, level="word", how="mean", layers=(layer,))
        np.testing.assert_allclose(vectors[WASP], expected, rtol=1e-4, atol=1e-5)
        alone = opened(model("bert"), f"level=word&layer={layer}")
        assert alone.fingerprint == source.fingerprint
        assert eatlas.open_vectors(source.name).fingerprint == source.fingerprint


def test_random_weights_are_a_control(model):
    import torch

    state = torch.random.get_rng_state()
    first = opened(model("bert"), "weights=random&seed=3")
    given = first.encode([WASP])[WASP]
    forget()
    again = opened(model("bert"), "weights=random&seed=3").encode([WASP])[WASP]
    assert given.tobytes() == again.tobytes()
    assert bool((state == torch.random.get_rng_state()).all()), "the global state is left alone"
    others = [
        opened(model("bert"), option).encode([WASP])[WASP] for option in ("weights=random", "")
    ]
    assert all(np.abs(given - other).max() > 0.01 for other in others)
    assert "randomly initialised (seed 3), as a control" in str(first.notes[0])
    assert (first.encoding.weights, first.encoding.weights_seed) == ("random", 3)


def test_the_fingerprint_covers_weights_tokenizer_and_options(model, tmp_path):
    folder = copied(model("gpt2"), tmp_path / "gpt2")
    before = opened(folder).fingerprint
    assert opened(copied(folder, tmp_path / "moved")).fingerprint == before
    others = [
        opened(folder, option).fingerprint
        for option in (
            "level=word",
            "pool=mean",
            "layer=1",
            "precision=bfloat16",
            "truncate=yes",
            "special_tokens=no",
        )
    ]
    assert len({before, *others}) == 7
    for name in ("tokenizer.json", "model.safetensors", "config.json"):
        file = folder / name
        file.write_bytes(file.read_bytes() + b" ")
        assert opened(folder).fingerprint not in {before, *others}
        before = opened(folder).fingerprint


@pytest.mark.parametrize(("family", "pool"), [("bert", "first"), ("llama", "last"), ("t5", "mean")])
def test_texts_without_special_tokens(model, family, pool):
    """The states of the text's own tokens alone, as in a plain loop without special tokens."""
    source = opened(model(family), f"pool={pool}&special_tokens=no")
    loop = SlowLoop.of(model(family), family)
    ids = loop.tokenizer(WASP.text, add_special_tokens=False, return_tensors="pt")["input_ids"]
    states = loop.module(input_ids=ids).last_hidden_state[0].detach().numpy()
    expected = {"first": states[0], "last": states[-1], "mean": states.mean(axis=0)}[pool]
    vector = source.encode([WASP])[WASP]
    np.testing.assert_allclose(vector, expected, rtol=1e-4, atol=1e-5)
    usual = opened(model(family), f"pool={pool}")
    assert np.abs(usual.encode([WASP])[WASP] - expected).max() > 0.01
    assert (source.encoding.special_tokens, usual.encoding.special_tokens) == (False, True)
    assert "special_tokens" not in usual.encoding.to_dict()


def test_no_cls_without_special_tokens(model):
    source = opened(model("bert"), "pool=cls&special_tokens=no")
    assert "the tokenizer of this model adds no [CLS] token" in said(source)


def test_a_text_that_is_too_long(model):
    source = opened(model("gpt2"))
    number = len(source.loaded.tokenizer(LONG)["input_ids"])
    assert said(source, Item(LONG)) == (
        f"{source.name}: a text is longer than the model takes: '{LONG[:59]}…'\n"
        f"  got: {number} tokens\n  allowed: up to 40 tokens, including special tokens\n"
        "  remedy: shorten the text; or add truncate=yes (not for st:), which truncates it and warns; or "
        "shorten contexts with --window"
    )


@pytest.mark.parametrize("family", ["bert", "gpt2"])
def test_a_text_that_is_cut(model, family):
    source = opened(model(family), "truncate=yes&level=word&subword=mean")
    near = Item(LONG, (5, 9))
    vector = source.encode([near, WASP])[near]
    loop = SlowLoop.of(model(family), family)
    kept = loop.tokenizer(LONG, truncation=True, max_length=40, return_tensors="pt")["input_ids"]
    pieces = loop.tokens(LONG, near.span)
    states = loop.module(input_ids=kept).last_hidden_state[0].detach().numpy()
    np.testing.assert_allclose(vector, states[pieces].mean(axis=0), rtol=1e-4, atol=1e-5)
    assert tuple(map(str, source.notes)) == (
        f"1 texts were too long for the model and were truncated, such as '{LONG[:59]}…'.",
    )


@pytest.mark.parametrize("level", ["word", "sentence"])
@pytest.mark.parametrize("cache", ["no", "yes"])
def test_a_stimulus_that_was_cut_off_has_no_vector(model, level, cache):
    """Nor has one of which a part is left, where the vector is that of the stimulus."""
    near, far, over = Item(LONG, (5, 9)), Item(LONG, (290, 294)), Item(LONG, (5, 294))
    for _ in range(2):  # computed, then kept
        source = eatlas.open_vectors(f"hf:{model('bert')}?truncate=yes&level={level}&cache={cache}")
        answers = source.answers([near, far, over, WASP])
        found = [one for one, answer in answers.items() if answer.vector is not None]
        assert set(found) == ({near, WASP} if level == "word" else {near, over, WASP})
        assert answers[far].reason == (
            "the text is longer than the model takes, and was cut before the end of the stimulus"
        )
        assert answers[near].reason == ""
        alone = eatlas.open_vectors(f"hf:{model('bert')}?truncate=yes&level={level}&cache=no")
        assert alone.encode([far]) == {}
        assert alone.notes == ()


def test_a_text_without_what_is_asked_for(model):
    by_word = opened(model("bert"), "level=word")
    assert "at level word a vector belongs to the stimulus" in said(by_word, Item("ivy"))
    assert "no token belongs to the stimulus ' '" in said(by_word, Item("an ivy", (2, 3)))
    assert "a text has no token: ''" in said(opened(model("gpt2")), Item(""))
    assert "adds no [CLS] token" in said(opened(model("gpt2"), "pool=cls"))


class Harmful:
    def __reduce__(self):
        return open, ("harm", "w")


def test_pickled_weights_run_nothing(model, tmp_path, monkeypatch):
    import torch

    monkeypatch.chdir(tmp_path)
    folder = copied(model("bert"), tmp_path / "bert")
    weights = SlowLoop.of(folder, "bert").module.state_dict()
    (folder / "model.safetensors").unlink()
    torch.save(weights, folder / "pytorch_model.bin")
    given = opened(folder).encode([WASP])[WASP]
    np.testing.assert_allclose(given, opened(model("bert")).encode([WASP])[WASP], atol=1e-6)
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps({"a": Harmful()}))
    assert said(opened(folder)).startswith(f"{folder}: the model cannot be loaded\n  got: ")
    assert not (tmp_path / "harm").exists()


def test_code_of_a_model_does_not_run_unasked(model, tmp_path):
    import json

    folder = copied(model("bert"), tmp_path / "own")
    config = json.loads((folder / "config.json").read_text())
    config |= {"model_type": "own", "auto_map": {"AutoConfig": "own.Own", "AutoModel": "own.Model"}}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "own.py").write_text(f"open({str(tmp_path / 'harm')!r}, 'w')\n")
    with pytest.raises(SourceError, match="if you trust it: trust_remote_code=yes"):
        opened(folder, "pool=cls")
    assert not (tmp_path / "harm").exists()


def test_weights_that_lack_a_part(model, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = copied(model("bert"), tmp_path / "bert")
    weights = load_file(folder / "model.safetensors")
    lacking = {k: v for k, v in weights.items() if "layer.1.output" not in k and "pooler" not in k}
    save_file(lacking, folder / "model.safetensors", metadata={"format": "pt"})
    message = said(opened(folder))
    assert message.startswith(
        f"{folder}: the file of weights lacks some of the model's\n  got: 4 are"
    )


def test_where_memory_ends_batches_are_halved(model, monkeypatch):
    real, asked = transformer.pool_batch, []

    def scarce(*given):
        asked.append(len(given[-1]))
        if len(given[-1]) > 2:
            raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate")
        return real(*given)

    passages = [Item(f"wasp {n}", (0, 4)) for n in range(7)]  # tokens are bytes
    expected = opened(model("gpt2")).encode(passages)
    monkeypatch.setattr(transformer, "pool_batch", scarce)
    given = opened(model("gpt2")).encode(passages)
    assert asked[0] == 7
    for one in passages:
        np.testing.assert_allclose(given[one], expected[one], atol=1e-5)
    monkeypatch.setattr(transformer, "pool_batch", lambda *_: (_ for _ in ()).throw(MemoryError))
    assert "there is not enough memory for this model" in said(opened(model("gpt2")))


def test_numbers_that_overflow(model, tmp_path):
    from safetensors.torch import load_file, save_file

    folder = copied(model("gpt2"), tmp_path / "gpt2")
    weights = load_file(folder / "model.safetensors")
    weights["ln_f.weight"] *= 1e5
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    assert np.isfinite(opened(folder).encode([WASP])[WASP]).all()
    message = said(opened(folder, "precision=float16"))
    assert "the vector of this text is not finite: 'This is a wasp.'" in message
    assert message.endswith("remedy: precision=float32")


def test_a_tokenizer_that_is_not_there(model, tmp_path):
    folder = copied(model("bert"), tmp_path / "bert")
    for file in folder.glob("tokenizer*"):
        file.unlink()
    # transformers before 5 refuse it themselves
    ways = ("the vocabulary of the tokenizer is missing", "the tokenizer cannot be loaded")
    assert said(opened(folder)).startswith(tuple(f"{folder}: {way}\n" for way in ways))
    (folder / "tokenizer.json").write_text("{", encoding="utf-8")
    assert said(opened(folder)).startswith(f"{folder}: the tokenizer cannot be loaded\n")
