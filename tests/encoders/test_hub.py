"""Models by name, without a network."""

import shutil

import pytest

import eatlas
from eatlas.errors import SourceError


@pytest.fixture(autouse=True)
def hub(monkeypatch, tmp_path):
    """The folder of the hub's models, which nothing is added to."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.mark.parametrize("name", ["hf:somebody/some-model", "st:no-such-model-of-anyone"])
def test_a_model_that_is_not_here(name):
    with pytest.raises(SourceError) as caught:
        eatlas.open_vectors(name)
    assert caught.value.what == (
        f"{name}: the model is not on this machine, and cannot be fetched from the hub"
    )
    assert caught.value.remedy.endswith(f"or give a folder: {name[:3]}/path/to/model")


def test_a_model_that_was_fetched_before(hub, model):
    place = hub / "models--somebody--tiny"
    (place / "refs").mkdir(parents=True)
    (place / "refs" / "main").write_text("a" * 40, encoding="ascii")
    shutil.copytree(model("bert"), place / "snapshots" / ("a" * 40))
    named, folder = map(eatlas.open_vectors, ("hf:somebody/tiny", f"hf:{model('bert')}"))
    assert named.fingerprint == folder.fingerprint
    with pytest.raises(SourceError, match="cannot be fetched from the hub"):
        eatlas.open_vectors("hf:somebody/tiny?revision=other")
    (place / "snapshots" / ("a" * 40) / "model.safetensors").unlink()
    with pytest.raises(SourceError, match="cannot be fetched from the hub"):
        eatlas.open_vectors("hf:somebody/tiny")  # its weights are missing
