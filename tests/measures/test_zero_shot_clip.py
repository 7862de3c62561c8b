"""Zero-shot reading of images by two-tower models of random weights, against their own logits."""

import numpy as np
import pytest
from tests.encoders.plain_vision import PlainLoop, open_image
from tests.tiny_vision import draw, make_towers

import eatlas
from eatlas import AssociationTest, Concept
from eatlas.encoders.loading import forget

OWN = 2e-5
"""Shares by the model's own logits, in single precision and in another batch."""
A, B = ("love", "peace", "joy", "ivy"), ("war", "hatred", "kill", "wasp", "agony")


@pytest.fixture(scope="module", params=["clip", "siglip"])
def world(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp(request.param)
    model = make_towers(folder / "model", request.param)
    for name, first in (("flowers", 0), ("insects", 10)):
        (folder / name).mkdir()
        for i in range(4):
            draw(folder / name / f"{name}-{i}.png", first + i)
    test = AssociationTest(
        id="pictures",
        X=Concept(name="Flowers", images=str(folder / "flowers")),
        Y=Concept(name="Insects", images=str(folder / "insects")),
        A=Concept(name="Pleasant", terms=A),
        B=Concept(name="Unpleasant", terms=B),
    )
    yield request.param, model, test
    forget()


def own_shares(family, model, test, prompt="{}"):
    """``logits_per_image.softmax`` of the model itself, all images and texts in one pass."""
    import torch

    loop = PlainLoop(model, family)
    images = [open_image(image.path) for image in (*test.X.images, *test.Y.images)]
    inputs = loop.processor(images=images, return_tensors="pt")
    how = {"padding": "max_length", "max_length": 64} if family == "siglip" else {"padding": True}
    texts = [prompt.replace("{}", word) for word in (*A, *B)]
    inputs |= loop.tokenizer(texts, return_tensors="pt", **how)
    with torch.no_grad():
        return loop.module(**inputs).logits_per_image.softmax(dim=1).double().numpy()


@pytest.mark.filterwarnings("ignore::eatlas.errors.EatlasWarning")
@pytest.mark.parametrize("prompt", ["{}", "a picture of {}"])
def test_shares_of_images_are_the_models_own(world, prompt):
    family, model, test = world
    (result,) = eatlas.run(
        test, f"clip:{model}?cache=no", "zero-shot(resamples=0)", prompts=[prompt]
    )
    expected = own_shares(family, model, test, prompt)
    np.testing.assert_allclose(result.readings, expected, atol=OWN)
    assert result.scale_from == "model"
    assert result.level3.XA.mean == pytest.approx(expected[:4, :4].sum(axis=1).mean(), abs=OWN)
    bias = [one for one in map(str, result.warnings) if "forced choice" in one]
    assert bool(bias) is (family == "siglip")
