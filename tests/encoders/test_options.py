"""What may stand in a source string of the kind hf:, and what is said where it may not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import eatlas
from eatlas.encoders.encoder import layer_name, parse_layers
from eatlas.encoders.gguf_files import gguf_reader
from eatlas.encoders.models import content_of, locate_model, read_card
from eatlas.errors import SourceError
from eatlas.paths import cache_folder


@pytest.fixture
def folder(tmp_path):
    """A model of which nothing but its description and an empty file of weights is there."""
    write(tmp_path, model_type="bert", hidden_size=8, num_hidden_layers=4)
    (tmp_path / "model.safetensors").touch()
    return tmp_path


def write(folder, **config):
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    return folder


def said(text):
    with pytest.raises(SourceError) as raised:
        eatlas.open_vectors(text)
    return str(raised.value)


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ("level=text", "option level cannot have this value\n  got: level=text\n  allowed: 'sentence' or 'word'"),
        ("pool=avg", "the option pool cannot have this value\n  got: pool=avg\n  allowed: 'cls', 'mean'"),
        ("pool=pooled", "texts cannot be pooled in this way"),
        ("lvl=word", "unknown option\n  got: lvl\n  allowed: device, layer, level, "),
        ("subword=first", "the option subword has no effect here\n  got: subword=first"),
        ("level=word&pool=mean", "the option pool has no effect here"),
        ("layer=5", "the model has no such layer\n  got: layer=5\n  allowed: 0 (the embeddings) to 4 (the top), or -1 (the top) to -5"),
        ("layer=top", "a range from a lower to a higher layer such as -4..-1, several such as 1,2,3, or all"),
        ("layer=3..1", "the model has no such layer\n  got: layer=3..1"),
        ("weights=random&seed=-1", "the option seed cannot have this value\n  got: seed=-1"),
        ("device=gpu", "the option device cannot have this value\n  got: device=gpu"),
    ],
)  # fmt: skip
def test_an_option_that_cannot_be(folder, options, what):
    message = said(f"hf:{folder}?{options}")
    assert message.startswith(f"hf:{folder}: ")
    assert what in message


def test_layers():
    def read(text):
        return layer_name(parse_layers(text, 4, "here"))

    assert read("-1") == read("4") == "4"
    assert read("-2..-1") == "mean(3,4)"
    assert read("1,3..4,1") == "mean(1,3,4)"


@pytest.mark.parametrize(
    ("config", "family", "architecture"),
    [
        ({"model_type": "bert", "architectures": ["BertForMaskedLM"]}, "encoder", "BertModel"),
        ({"model_type": "xlm-roberta"}, "encoder", "XLMRobertaModel"),
        ({"model_type": "xlnet"}, "encoder", "XLNetModel"),
        ({"model_type": "qwen3"}, "causal", "Qwen3Model"),
        ({"model_type": "bart", "is_encoder_decoder": True}, "encoder-decoder", "BartModel (encoder)"),
    ],
)  # fmt: skip
def test_families(tmp_path, config, family, architecture):
    card = read_card(write(tmp_path, **config))
    assert (card.family, card.architecture) == (family, architecture)


def test_a_card_is_read_again_where_the_cache_is_damaged_and_where_the_model_changed(tmp_path):
    card = read_card(write(tmp_path, model_type="bert", num_hidden_layers=3))
    (kept,) = (cache_folder() / "hashes").glob("*.json")
    kept.write_text('{"model_type": 5}', encoding="utf-8")
    assert read_card(tmp_path) == card
    assert read_card(write(tmp_path, model_type="bert", num_hidden_layers=4)).top == 4


def test_what_is_no_model(tmp_path):
    assert said(f"hf:{tmp_path}").startswith(
        f"{tmp_path}: not a transformer model\n  got: an empty folder\n  allowed: hf:NAME, hf:FOLDER"
    )
    (tmp_path / "vectors.txt").touch()
    assert "not a transformer model\n  got: a file" in said(f"hf:{tmp_path}/vectors.txt")
    assert "there is no such folder or file" in said(f"hf:{tmp_path}/nowhere")
    assert said("hf:").startswith("hf:: no model is named")
    (tmp_path / "config.json").write_text("{", encoding="utf-8")
    assert "the configuration cannot be read" in said(f"hf:{tmp_path}")


def test_weights_that_are_not_there(tmp_path):
    write(tmp_path, model_type="bert", hidden_size=8, num_hidden_layers=2)
    (tmp_path / "tf_model.h5").touch()
    assert said(f"hf:{tmp_path}").startswith(
        f"{tmp_path}: there are no weights that can be read\n  got: config.json, tf_model.h5\n"
    )
    control = eatlas.open_vectors(f"hf:{tmp_path}?weights=random&seed=5").encoding
    assert (control.weights, control.weights_seed) == ("random", 5)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"GGML" + bytes(60), "the configuration cannot be read"),
        (b"GGUF\x09\0\0\0" + bytes(60), "the configuration cannot be read"),
        (b"GGUF\x03\0\0\0" + bytes(8), "this is not a GGUF file\n  got: fewer than 24 bytes"),
    ],
)
def test_damaged_gguf(tmp_path, content, fault):
    file = tmp_path / "model.gguf"
    file.write_bytes(content)
    assert fault in said(f"hf:{file}")


def write_gguf(file, layers):
    gguf = pytest.importorskip("gguf")
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_block_count(layers)
    writer.add_embedding_length(8)
    writer.add_head_count(2)
    writer.add_vocab_size(10)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.close()


def test_a_gguf_file_is_read_once_by_whatever_path_and_again_when_it_changes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    file = Path("model.gguf")
    write_gguf(file, 2)
    card = read_card(file)
    assert card.top == 2
    assert read_card(file) is card
    assert gguf_reader(file) is gguf_reader("./model.gguf") is gguf_reader(tmp_path / file)
    file.unlink()
    write_gguf(file, 3)
    assert read_card(file).top == 3


def test_a_file_is_known_by_its_bytes_and_not_by_its_name(tmp_path):
    first, second = tmp_path / "model.gguf", tmp_path / "other.gguf"
    first.write_bytes(b"GGUF one")
    before = content_of(locate_model(f"hf:{first}"))
    first.rename(second)
    assert content_of(locate_model(f"hf:{second}")) == before
    first.write_bytes(b"GGUF two")
    assert content_of(locate_model(f"hf:{first}")) != before


def test_a_folder_of_a_model_without_its_scheme(folder):
    assert eatlas.open_vectors(f"{folder}?pool=max").name == f"hf:{folder}?pool=max"


@pytest.mark.parametrize("more", [{"num_hidden_layers": 10**7}, {"depths": [2, 10**7]}])
def test_more_layers_than_any_model_has(folder, more):
    config = {"model_type": "bert", "hidden_size": 8, "num_hidden_layers": 4}
    write(folder, **config, vision_config=more)
    assert "the configuration has more layers than any model" in said(f"hf:{folder}")
