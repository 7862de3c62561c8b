"""Models of images alone: vector by vector as a plain loop has them."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from tests.encoders.plain_vision import PlainLoop
from tests.tiny_vision import BACKBONES

import eatlas
from eatlas.errors import SourceError
from eatlas.sources import Item

NEAR = {"rtol": 5e-6, "atol": 5e-6}
"""A batch adds in another order than single images: at worst 7e-7 apart, of components up to 10."""
PYRAMIDS = ("resnet",)
POOLS = [
    (family, pool)
    for family in BACKBONES
    for pool in ("pooled", "cls", "mean", "max", "mean-all")
    if family not in PYRAMIDS or pool != "cls"
]


def opened(folder, options=""):
    return eatlas.open_vectors(f"hf:{folder}?cache=no&{options}")


def images(paths):
    return [Item(str(path), kind="image", name=path.name) for path in paths]


def fault(folder, options=""):
    with pytest.raises(SourceError) as raised:
        opened(folder, options)
    return str(raised.value)


def held_to(loop, source, paths, how, layer=None):
    found = source.encode(images(paths))
    assert len(found) == len(paths)
    for one, vector in found.items():
        assert vector.shape == (source.dim,)
        plain = loop.image(one.content, how, layer)
        np.testing.assert_allclose(vector, plain, **NEAR, err_msg=one.called)
    assert np.ptp(list(found.values()), axis=0).max() > 1e-3, "the images are told apart"


@pytest.mark.parametrize(("family", "pool"), POOLS)
def test_vectors_are_those_of_a_plain_loop(seeing, drawn, family, pool):
    loop = PlainLoop(seeing(family), family)
    held_to(loop, opened(seeing(family), f"pool={pool}"), drawn, pool)


@pytest.mark.parametrize(
    ("family", "pool"),
    [
        ("vit", "cls"), ("dinov2_with_registers", "cls"), ("resnet", "pooled"),
    ],
)  # fmt: skip
def test_the_default_is_the_models_own_way(seeing, drawn, family, pool):
    source = opened(seeing(family))
    assert (source.encoding.pool, source.encoding.level) == (pool, "image")
    held_to(PlainLoop(seeing(family), family), source, drawn, pool)


def test_texts_are_not_for_it_nor_images_for_a_model_of_texts(seeing, model, drawn):
    ways = ((opened(seeing("vit")), Item("ivy"), "texts"),)
    ways += ((eatlas.open_vectors(f"hf:{model('bert')}"), images(drawn)[0], "images"),)
    for source, item, what in ways:
        with pytest.raises(SourceError, match=f"this source cannot encode {what}"):
            source.encode([item])


@pytest.mark.parametrize(
    ("family", "options", "said"),
    [
        ("vit", "level=word", "the option level has no effect here\n  got: level=word"),
        ("vit", "subword=first", "the option subword has no effect"),
        ("vit", "truncate=yes", "the option truncate has no effect"),
        (
            "vit",
            "layer=4",
            "the model has no such layer\n  got: layer=4\n  allowed: 0 (the embeddings)",
        ),
        (
            "vit",
            "pool=last",
            "this model cannot pool images in this way\n  got: pool=last\n  allowed: cls",
        ),
        ("resnet", "pool=cls", "allowed: mean, max"),
        ("resnet", "layer=0", "this model has no layers to choose from"),
        ("vit", "pool=pooled&layer=1", "pool=pooled is of the top layer"),
        ("vit", "pool=middle", "the option pool cannot have this value"),
    ],
)
def test_options_that_cannot_be(seeing, family, options, said):
    assert said in fault(seeing(family), options)


def test_a_pooler_that_was_not_saved_is_not_made_up(seeing, drawn, tmp_path):
    """Weights of a classifier have none; transformers would fill in random numbers."""
    from safetensors.numpy import load_file, save_file

    folder = shutil.copytree(seeing("vit"), tmp_path / "vit")
    file = folder / "model.safetensors"
    weights = {name: one for name, one in load_file(file).items() if "pooler" not in name}
    save_file(weights, file, metadata={"format": "pt"})
    held_to(PlainLoop(seeing("vit"), "vit"), opened(folder), drawn, "cls")
    with pytest.raises(SourceError) as raised:
        opened(folder, "pool=pooled").encode(images(drawn))
    assert "the file of weights lacks some of the model's\n  got: 2 are missing" in str(
        raised.value
    )
    assert "pool=pooled its pooling" in str(raised.value)
