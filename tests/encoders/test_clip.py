"""Texts and images in the space of a two-tower model: vector by vector as a plain loop has them."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pytest
from PIL import Image
from tests.encoders.plain_vision import PlainLoop
from tests.tiny_vision import TOWERS, draw

import eatlas
from eatlas.encoders import loading
from eatlas.encoders.loading import forget
from eatlas.errors import SourceError
from eatlas.sources import Item

TEXTS = ("love", "hatred and war", "This is an aster.", "naïve Ann's ORCHIDS, isn't it?", "ivy")
NEAR = {"rtol": 5e-6, "atol": 5e-6}
"""A batch adds in another order than single images: at worst 7e-7 apart, of components up to 10."""


def opened(folder, options=""):
    return eatlas.open_vectors(f"clip:{folder}?cache=no&{options}")


def images(paths):
    return [Item(str(path), kind="image", name=path.name) for path in paths]


def said(source, *items):
    with pytest.raises(SourceError) as raised:
        source.encode(items)
    return str(raised.value)


@pytest.mark.parametrize("family", TOWERS)
def test_vectors_are_those_of_a_plain_loop(seeing, drawn, family):
    loop = PlainLoop(seeing(family), family)
    source = opened(seeing(family))
    texts = [Item(text) for text in TEXTS]
    found = source.encode([*images(drawn), *texts])
    assert len(found) == len(drawn) + len(TEXTS)
    for one, vector in found.items():
        plain = loop.text(one.content) if one.kind == "text" else loop.image(one.content)
        assert vector.shape == (source.dim,)
        np.testing.assert_allclose(vector, plain, **NEAR, err_msg=one.called)
    spread = np.ptp([found[one] for one in images(drawn)], axis=0).max()
    assert spread > 0.01, "the images are told apart"


@pytest.mark.parametrize("size", [(1, 1), (3, 40), (200, 4)])
def test_sizes_that_may_be_taken_for_channels(seeing, tmp_path, size):
    """A picture of one or three rows is no picture of one or three colours."""
    path = draw(tmp_path / "thin.png", 1, size) if min(size) > 3 else tmp_path / "thin.png"
    if min(size) <= 3:
        rng = np.random.default_rng(3)
        Image.fromarray(rng.integers(0, 255, (*size[::-1], 3)).astype(np.uint8)).save(path)
    (item,) = images([path])
    source = opened(seeing("clip"))
    found = source.encode([item])[item]
    np.testing.assert_allclose(found, PlainLoop(seeing("clip"), "clip").image(path), **NEAR)
    assert tuple(map(str, source.notes)) == (
        "1 image smaller than the input of the model, and enlarged, such as 'thin.png'.",
    )


def test_the_cache_keeps_vectors_and_what_was_said_of_images(seeing, drawn, tmp_path, monkeypatch):
    """By the bytes of a file: a copy of it needs no model, and notes are the same either way."""
    moving = tmp_path / "moving.gif"
    frames = [Image.new("RGB", (50, 50), colour) for colour in ("navy", "gold")]
    frames[0].save(moving, save_all=True, append_images=frames[1:])
    clear = tmp_path / "clear.png"
    Image.new("RGBA", (20, 50), (9, 99, 9, 40)).save(clear)
    items = [*images([moving, clear, *drawn]), Item("ivy")]
    first = eatlas.open_vectors(f"clip:{seeing('clip')}")
    found = first.encode(items)
    notes = (
        "1 image smaller than the input of the model, and enlarged, such as 'clear.png'.",
        "1 image with several frames or pages, of which the first was used, such as 'moving.gif'.",
        "1 image with transparent parts, which were filled with white, such as 'clear.png'.",
    )
    assert tuple(map(str, first.notes)) == notes
    forget()
    monkeypatch.setattr(loading, "load_processor", None)  # nothing is loaded any more
    copy = tmp_path / "elsewhere.png"
    shutil.copy(drawn[1], copy)
    again = eatlas.open_vectors(f"clip:{seeing('clip')}")
    kept = again.encode([*items, *images([copy])])
    assert tuple(map(str, again.notes)) == notes
    assert again.dim == 12
    for one in items:
        assert kept[one].tobytes() == found[one].tobytes()
    (elsewhere,) = images([copy])
    assert kept[elsewhere].tobytes() == found[images(drawn)[1]].tobytes()


def test_the_fingerprint_covers_the_processor_too(seeing, tmp_path):
    folder = shutil.copytree(seeing("clip"), tmp_path / "clip")
    before = opened(folder).fingerprint
    assert opened(shutil.copytree(folder, tmp_path / "moved")).fingerprint == before
    others = {opened(folder, f"weights=random{seed}").fingerprint for seed in ("", "&seed=1")}
    assert len({before, *others}) == 3
    for name in ("preprocessor_config.json", "model.safetensors"):
        file = folder / name
        file.write_bytes(file.read_bytes() + b" ")
        now = opened(folder).fingerprint
        assert now not in {before, *others}
        before = now


@pytest.mark.parametrize("family", TOWERS)
def test_the_encoding_spells_out_what_is_done(seeing, family):
    """The scale is that of the loaded model, also where its weights are random."""
    loop = PlainLoop(seeing(family), family).module
    source = opened(seeing(family))
    encoding = source.encoding
    scale = np.exp(loop.logit_scale.item())
    assert encoding.logit_scale == pytest.approx(scale, rel=1e-6)
    bias = getattr(loop, "logit_bias", None)
    assert encoding.logit_bias == (None if bias is None else bias.item())
    assert encoding.projection == source.dim
    assert (encoding.level, encoding.weights) == ("sentence", "trained")
    assert encoding.architecture == type(loop).__name__
    random = opened(seeing(family), "weights=random")
    assert random.encoding.logit_scale == pytest.approx(scale, rel=1e-6), "nothing was trained"
    said = json.loads((seeing(family) / "preprocessor_config.json").read_text())
    assert encoding.images.processor == said["image_processor_type"]


def test_the_settings_of_images_are_on_record(seeing):
    found = opened(seeing("clip")).encoding.images
    assert found.to_dict() == {
        "processor": "CLIPImageProcessor",
        "size": "shortest edge 36",
        "crop": "32 x 32",
        "resample": "bicubic",
        "mean": [0.48, 0.46, 0.41],
        "std": [0.27, 0.26, 0.28],
    }


def test_models_that_are_no_two_towers(seeing, model, tmp_path):
    def fault(spec):
        with pytest.raises(SourceError) as raised:
            eatlas.open_vectors(spec)
        return str(raised.value)

    assert "this model encodes only texts" in fault(f"clip:{model('bert')}")
    assert "this model encodes only images" in fault(f"clip:{seeing('vit')}")
    assert "this model encodes texts and images" in fault(f"hf:{seeing('clip')}")
    assert "no model is named" in fault("clip:")
    assert "allowed: clip:NAME, clip:FOLDER with config.json" in fault(f"clip:{tmp_path}")
    assert "there is no such folder or file" in fault(f"clip:{tmp_path}/nothing/here")


def test_a_folder_without_the_settings_of_images(seeing, tmp_path):
    folder = shutil.copytree(seeing("clip"), tmp_path / "clip")
    (folder / "preprocessor_config.json").unlink()
    with pytest.raises(SourceError) as raised:
        opened(folder)
    assert "the settings of the image processor are missing" in str(raised.value)


def test_settings_within_those_of_the_whole_processor(seeing, drawn, tmp_path):
    """transformers 5 writes one file for tokenizer and image processor."""
    folder = shutil.copytree(seeing("clip"), tmp_path / "clip")
    settings_file = folder / "preprocessor_config.json"
    said = json.loads(settings_file.read_text())
    settings_file.unlink()
    whole = {"processor_class": "CLIPProcessor", "image_processor": said}
    (folder / "processor_config.json").write_text(json.dumps(whole))
    nested, plain = opened(folder), opened(seeing("clip"))
    assert nested.encoding.images == plain.encoding.images
    first, second = nested.encode(images(drawn)), plain.encode(images(drawn))
    assert all(first[one].tobytes() == second[one].tobytes() for one in first)
