"""Configurations that no model has: refused before anything is built of them."""

import json

import pytest
from tests.tiny_models import make_model
from tests.tiny_vision import make_backbone, make_towers

import eatlas
from eatlas.errors import SourceError

MANY = 10**7


def change(file, **values):
    file.write_text(json.dumps(json.loads(file.read_text()) | values))


def refusal(source):
    with pytest.raises(SourceError) as said:
        eatlas.run(tests="weat-6", vectors=source)
    return said.value


def test_more_layers_than_any_model_has(tmp_path):
    path = make_model(tmp_path / "bert", "bert")
    for key, value in (("num_hidden_layers", MANY), ("depths", [2, MANY]), ("num_experts", 1e9)):
        change(path / "config.json", **{key: value})
        error = refusal(f"hf:{path}")
        assert error.what == f"{path}/config.json: the configuration has more layers than any model"
        assert error.got == f"{key}: {value}"
        assert error.allowed == "at most 2,000"
        change(path / "config.json", **{key: 2})


def test_of_images_and_of_towers(tmp_path):
    backbone, towers = (
        make_backbone(tmp_path / "vit", "vit"),
        make_towers(tmp_path / "clip", "clip"),
    )
    change(backbone / "config.json", num_hidden_layers=MANY)
    said = json.loads((towers / "config.json").read_text())
    change(
        towers / "config.json", vision_config=said["vision_config"] | {"num_hidden_layers": MANY}
    )
    for source in (f"hf:{backbone}", f"clip:{towers}"):
        assert "more layers than any model" in refusal(source).what
