"""Models of open_clip: refused where it is not installed, and vector by vector as its own loop."""

from __future__ import annotations

import json
from importlib.util import find_spec

import numpy as np
import pytest

import eatlas
from eatlas.encoders.images import open_clip as ours
from eatlas.errors import SourceError
from eatlas.sources import Passage
from eatlas.sources.interface import Item

TEXTS = ("love", "hatred and war", "This is an aster.", "IVY", "ivy")
NEAR = {"rtol": 5e-6, "atol": 5e-6}
"""A batch adds in another order than single items: at worst 4e-7 apart."""
MODEL = {
    "embed_dim": 12,
    "vision_cfg": {"image_size": 32, "layers": 2, "width": 16, "head_width": 8, "patch_size": 8},
    "text_cfg": {"context_length": 40, "vocab_size": 49408, "width": 16, "heads": 2, "layers": 2},
}
IMAGES = {"mean": [0.48, 0.46, 0.41], "std": [0.27, 0.26, 0.28], "interpolation": "bicubic"}


def images(paths):
    return [Item(str(path), kind="image", name=path.name) for path in paths]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "tiny").mkdir()
    said = {"model_cfg": MODEL, "preprocess_cfg": IMAGES}
    (tmp_path / "tiny" / "open_clip_config.json").write_text(json.dumps(said))
    return tmp_path / "tiny"


def fault(spec):
    with pytest.raises(SourceError) as raised:
        eatlas.open_vectors(spec)
    return str(raised.value)


def test_without_the_package(folder, monkeypatch):
    monkeypatch.setattr(ours, "find_spec", lambda _: None)
    said = (
        "this model needs a package that is not installed\n  got: no open_clip\n"
        "  remedy: pip install open_clip_torch"
    )
    assert fault(f"clip:{folder}") == f"clip:{folder}: {said}"
    named = "clip:ViT-B-32?pretrained=weights.pt"
    assert fault(named) == f"{named}: {said}"


def test_options_are_checked_first(folder):
    assert "unknown option\n  got: layer" in fault(f"clip:{folder}?layer=1")
    assert "the option precision cannot have" in fault(f"clip:{folder}?precision=low")


def test_files_that_are_not_there(folder, monkeypatch):
    monkeypatch.setattr(ours, "find_spec", lambda _: find_spec("eatlas"))
    assert fault(f"clip:{folder}") == (
        f"clip:{folder}: there are no weights\n  got: open_clip_config.json\n"
        "  allowed: a file that ends in .safetensors or .bin or .pth or .pt\n"
        "  remedy: weights=random needs none"
    )
    assert fault("clip:No-Such?pretrained=weights.pt") == (
        "clip:No-Such: open_clip knows no such architecture\n  got: No-Such\n"
        "  allowed: a name such as ViT-B-32; open_clip.list_models() has all"
    )


if find_spec("open_clip") is not None:
    # open_clip needs torchvision, which is built for one torch; nothing else here does

    @pytest.fixture
    def saved(folder):
        """The folder with weights, and the model by open_clip itself."""
        import open_clip
        import torch

        torch.manual_seed(3)
        name = f"local-dir:{folder}"
        module, _, preprocess = open_clip.create_model_and_transforms(name, load_weights=False)
        with torch.no_grad():
            for one in module.parameters():
                one.mul_(3.0)
        torch.save(module.state_dict(), folder / "open_clip_pytorch_model.bin")
        return folder, module.eval(), preprocess, open_clip.get_tokenizer(name)

    def test_vectors_are_those_of_a_plain_loop(saved, drawn):
        import torch
        from PIL import Image

        folder, module, preprocess, tokenizer = saved
        source = eatlas.open_vectors(f"clip:{folder}?cache=no")
        found = source.encode([*images(drawn), *map(Passage, TEXTS)])
        assert len(found) == len(drawn) + len(TEXTS)
        for one, vector in found.items():
            with torch.no_grad():
                if one.kind == "image":
                    pixels = preprocess(Image.open(one.content))[None]
                    plain = module.encode_image(pixels)[0].numpy()
                else:
                    plain = module.encode_text(tokenizer([one.content]))[0].numpy()
            np.testing.assert_allclose(vector, plain, **NEAR, err_msg=one.called)
        assert found[Passage("ivy")].tobytes() == found[Passage("IVY")].tobytes()
        assert source.dim == 12
        assert source.encoding.logit_scale == pytest.approx(float(module.logit_scale.exp()))
        assert source.encoding.images.to_dict() == {
            "processor": "open_clip",
            "size": "shortest edge 32",
            "crop": "32 x 32",
            "resample": "bicubic",
            "mean": IMAGES["mean"],
            "std": IMAGES["std"],
        }

    def test_the_cache_and_random_weights(saved, drawn):
        folder = saved[0]
        items = [*images(drawn), Passage("ivy")]
        spec = f"clip:{folder}"
        first, again = (eatlas.open_vectors(spec).encode(items) for _ in range(2))
        assert all(first[one].tobytes() == again[one].tobytes() for one in items)
        random = [
            eatlas.open_vectors(f"{spec}?weights=random&seed={seed}&cache=no").encode(items)
            for seed in (1, 1, 2)
        ]
        for one in items:
            assert random[0][one].tobytes() == random[1][one].tobytes()
            assert np.abs(random[0][one] - random[2][one]).max() > 1e-4
        file = folder / "open_clip_pytorch_model.bin"
        before = eatlas.open_vectors(spec).fingerprint
        file.write_bytes(file.read_bytes() + b" ")
        assert eatlas.open_vectors(spec).fingerprint != before

    def test_a_text_that_is_too_long(saved):
        source = eatlas.open_vectors(f"clip:{saved[0]}?cache=no")
        assert source.encode([Passage("ivy " * 38)])
        for count in (39, 60, 200):
            with pytest.raises(SourceError, match="a text is longer than the model takes: 'ivy"):
                source.encode([Passage("ivy " * count)])

    def test_a_name_and_a_file(tmp_path, drawn):
        import open_clip
        import torch

        torch.manual_seed(3)
        module, _, preprocess = open_clip.create_model_and_transforms("ViT-S-32")
        torch.save(module.state_dict(), tmp_path / "weights.pt")
        spec = f"clip:ViT-S-32?pretrained={tmp_path / 'weights.pt'}&cache=no"
        (item, *_) = images(drawn)
        from PIL import Image

        with torch.no_grad():
            plain = module.eval().encode_image(preprocess(Image.open(item.content))[None])
        found = eatlas.open_vectors(spec).encode([item])[item]
        np.testing.assert_allclose(found, plain[0].numpy(), **NEAR)
