"""Zero-shot reading: by hand, against CLIP's own softmax, properties, and its refusals."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.inputs import make_test, make_vectors
from tests.measures.test_decisive import FAST, agrees
from tests.measures.test_divdist import groups_test
from tests.properties.test_measures import _swap, worlds

import eatlas
from eatlas import Concept, DivDist
from eatlas.errors import StimulusError
from eatlas.results.parts import Encoding
from eatlas.sources import ArraySource
from eatlas.sources.source import Wrapper

FIT = 1e-12
"""Relative; room for the rounding of sums in another order."""
ROUNDED = 1e-6
"""Readings are kept to six decimals."""
OF_CLIP = 2e-6
"""CLIP multiplies in single precision."""


class OfModel(Wrapper):
    """Vectors whose encoding states what a two-tower model states."""

    encodes = True

    def __init__(self, vectors, **stated):
        super().__init__(ArraySource(list(vectors), np.array(list(vectors.values()))))
        self._encoding = Encoding(
            model="tiny", architecture="CLIPModel", level="sentence", **stated
        )

    @property
    def encoding(self):
        return self._encoding


def readings(test, vectors, scale):
    """The softmax of each target written out."""
    labels = [term for role in "AB" for term in test.concept(role).terms]
    rows = {}
    for role in "XY":
        for target in test.concept(role).terms:
            v = vectors[target]
            logits = [
                scale * float(v @ vectors[a]) / math.sqrt((v @ v) * (vectors[a] @ vectors[a]))
                for a in labels
            ]
            powers = [math.exp(one) for one in logits]
            rows[target] = [one / sum(powers) for one in powers]
    return rows


@pytest.mark.filterwarnings("ignore::eatlas.errors.AnisotropyWarning")
def test_by_hand():
    test = make_test(X=("x1", "x2"), Y=("y1", "y2"), A=("a1", "a2"), B=("b1", "b2"))
    vectors = {
        "a1": (1, 0, 0), "a2": (1, 0, 0), "b1": (0, 1, 0), "b2": (0, 0, 2),
        "x1": (1, 0, 0), "x2": (3, 0, 0), "y1": (0, 5, 0), "y2": (0, 0, 1),
    }  # fmt: skip
    result = eatlas.ZeroShot(scale=1, resamples=0)(test, vectors)
    # a target that is one label, of four: e for a cosine of 1, 1 for one of 0
    e = math.e
    x, y = 2 * e / (2 * e + 2), 2 / (e + 3)
    assert result.level3.XA.mean == pytest.approx(x, rel=1e-15)
    assert result.level3.YA.mean == pytest.approx(y, rel=1e-15)
    assert result.level3.XB.mean == pytest.approx(1 - x, rel=1e-14)
    assert result.level1.difference == pytest.approx(x - y, rel=1e-14)
    assert pytest.approx([x - 0.5] * 2, rel=1e-14) == result.scores.X
    assert result.chance == 0.5
    # the four scores are x, x, y, y: their standard deviation is |x - y| / sqrt(3)
    assert result.level1.effect_size == pytest.approx(math.sqrt(3), rel=1e-12)
    assert (result.level1.p.count.greater, result.level1.p.total) == (1, 6)
    # labels of X: e / (2 e + 2) twice, 1 / (2 e + 2) twice
    assert result.level2.X.difference == pytest.approx((e - 1) / (2 * e + 2), rel=1e-14)
    assert result.level2.X.p.count.greater == 1
    assert [result.level3[cell].n for cell in ("XA", "XB", "YA", "YB")] == [2] * 4


@pytest.mark.parametrize("scale", [0.5, 10, 100])
def test_every_number_of_plain_loops(scale):
    test = make_test(X=("x1", "x2", "x3"), A=("a1", "a2", "a3", "a4", "a5"))
    vectors = make_vectors(test, dim=30, seed=11)
    result = eatlas.ZeroShot(scale=scale, resamples=0)(test, vectors)
    rows = readings(test, vectors, scale)
    n_a, labels = 5, len(next(iter(rows.values())))
    of_a = {role: [sum(rows[t][:n_a]) for t in test.concept(role).terms] for role in ("X", "Y")}
    np.testing.assert_allclose(result.readings, list(rows.values()), atol=ROUNDED)
    for role in "XY":
        chance = n_a / labels
        assert getattr(result.scores, role) == pytest.approx(
            [share - chance for share in of_a[role]], rel=FIT, abs=1e-15
        )
        for attribute, shares in (("A", of_a[role]), ("B", [1 - s for s in of_a[role]])):
            cell = result.level3[role + attribute]
            assert cell.mean == pytest.approx(np.mean(shares), rel=1e-10)
            assert cell.sd == pytest.approx(np.std(shares, ddof=1), rel=1e-8)
        own = np.mean([rows[t] for t in test.concept(role).terms], axis=0)
        d = (own[:n_a].mean() - own[n_a:].mean()) / np.std(own, ddof=1)
        assert result.level2[role].effect_size == pytest.approx(d, rel=FIT)
    x, y = of_a["X"], of_a["Y"]
    d = (np.mean(x) - np.mean(y)) / np.std(x + y, ddof=1)
    assert result.level1.effect_size == pytest.approx(d, rel=FIT)


@pytest.mark.parametrize("family", ["clip", "siglip"])
def test_shares_are_those_of_the_model_itself(family):
    """The softmax of logits_per_image of a tiny model of random weights, and its own scale."""
    torch = pytest.importorskip("torch")
    import transformers

    text = {
        "vocab_size": 40, "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2, "max_position_embeddings": 8, "projection_dim": 12,
    }  # fmt: skip
    vision = {
        "hidden_size": 16, "intermediate_size": 32, "num_hidden_layers": 2,
        "num_attention_heads": 2, "image_size": 8, "patch_size": 4, "projection_dim": 12,
    }  # fmt: skip
    torch.manual_seed(5)
    if family == "clip":
        config = transformers.CLIPConfig(text_config=text, vision_config=vision, projection_dim=12)
        model = transformers.CLIPModel(config).eval()
    else:
        config = transformers.SiglipConfig(text_config=text, vision_config=vision)
        model = transformers.SiglipModel(config).eval()
    with torch.no_grad():
        model.logit_scale.fill_(math.log(60.0))
        tokens = torch.randint(3, 40, (9, 8))
        pixels = torch.randn(7, 3, 8, 8)
        out = model(input_ids=tokens, pixel_values=pixels)
        own = out.logits_per_image.softmax(dim=1).numpy()
    test = make_test(
        X=("x1", "x2", "x3"), Y=("y1", "y2", "y3", "y4"), A=("a1", "a2", "a3", "a4"),
        B=("b1", "b2", "b3", "b4", "b5"),
    )  # fmt: skip
    names = [term for role in "XYAB" for term in test.concept(role).terms]
    scale, bias = model.logit_scale.exp().item(), getattr(model, "logit_bias", None)
    rows = np.concatenate([out.image_embeds.numpy(), out.text_embeds.numpy()]).astype(np.float64)
    bias = {} if bias is None else {"logit_bias": bias.item()}
    source = OfModel(
        dict(zip(names, rows, strict=True)),
        logit_scale=scale, roundoff=2.0**-24, **bias,
    )  # fmt: skip
    result = eatlas.ZeroShot(resamples=0)(test, source)
    assert result.scale_from == "model"
    assert result.logit_scale == pytest.approx(60.0, rel=1e-6)
    np.testing.assert_allclose(result.readings, own, atol=OF_CLIP)
    assert result.level3.XA.mean == pytest.approx(own[:3, :4].sum(axis=1).mean(), abs=OF_CLIP)
    said = " ".join(map(str, result.warnings))
    assert ("forced choice among the labels, in which its logit bias cancels out" in said) is bool(
        bias
    )
    assert "A 4 (0.444); B 5 (0.556)" in said


@pytest.mark.filterwarnings("ignore::eatlas.errors.EatlasWarning")
@settings(max_examples=6)
@given(worlds(), st.sampled_from([0.5, 7.0, 20.0]))
def test_shares_sum_to_one_and_roles_can_be_swapped(world, scale):
    test, vectors, _ = world
    measure = eatlas.ZeroShot(scale=scale, resamples=0)
    result = measure(test, vectors)
    for role in "XY":
        both = result.level3[f"{role}A"].mean + result.level3[f"{role}B"].mean
        assert both == pytest.approx(1.0, abs=1e-12)
        assert 0 <= result.level3[f"{role}A"].mean <= 1
    other = measure(_swap(test, "A", "B"), vectors)
    assert other.level3.XA.mean == pytest.approx(result.level3.XB.mean, rel=1e-9, abs=1e-14)
    assert other.level1.difference == pytest.approx(-result.level1.difference, abs=1e-12)
    for one, swapped in zip(result.effects(), other.effects(), strict=True):
        assert (one.d is None) == (swapped.d is None)
        if one.d is not None:
            assert swapped.d == pytest.approx(-one.d, rel=1e-6, abs=1e-7)
            assert (one.p.greater, one.p.two_sided) == (swapped.p.less, swapped.p.two_sided)
    turned = measure(_swap(test, "X", "Y"), vectors)
    assert turned.level3.YA.mean == result.level3.XA.mean
    assert turned.level1.p.greater == result.level1.p.less


def test_a_scale_other_than_the_models_is_said():
    test = make_test()
    source = OfModel(make_vectors(test), logit_scale=100.0)
    (few,) = eatlas.ZeroShot(resamples=0, adjust="none")(test, source).warnings
    result = eatlas.ZeroShot(resamples=0, scale=50, adjust="none")(test, source)
    said = "The logit scale 50 differs from the model's own, 100."
    assert {*map(str, result.warnings)} == {str(few), said}
    assert "scale=50" in result.signature


def test_several_sentences_of_a_stimulus_are_refused():
    (test,) = eatlas.load_tests("sent-weat-9")
    with pytest.raises(StimulusError) as caught:
        eatlas.ZeroShot(scale=100)(test, "cbow:glove-sample")
    assert "one text per stimulus" in caught.value.what
    assert "--prompt" in caught.value.remedy
    assert eatlas.ZeroShot(scale=100).needs.contexts == "written"


@pytest.mark.filterwarnings("ignore::eatlas.errors.AnisotropyWarning")
def test_a_label_that_takes_all_is_said():
    test = make_test(X=("x1", "x2"), Y=("y1", "y2"), A=("a1", "a2"), B=("b1", "b2"))
    vectors = dict.fromkeys(("a2", "b1", "b2"), (0.0, 1.0)) | {"a1": (1.0, 0.0)}
    vectors |= {term: (1.0, 0.1 * i) for i, term in enumerate(("x1", "x2", "y1", "y2"))}
    result = eatlas.ZeroShot(scale=10, resamples=0)(test, vectors)
    least = np.array(result.readings)[:, 0].min()
    assert least == pytest.approx(
        1 / (1 + 3 * math.exp(10 * (0.3 - 1) / math.hypot(1, 0.3))), abs=1e-6
    )
    said = "The label 'a1' has 99% or more of the probability in every reading: "
    assert said in " ".join(map(str, result.warnings))
    milder = eatlas.ZeroShot(scale=1, resamples=0)(test, vectors)
    assert not any("in every reading" in one for one in map(str, milder.warnings))


def test_two_groups_of_a_softmax_are_a_zero_shot_reading():
    words = {"A": tuple("abcd"), "B": tuple("efgh")}
    rng = np.random.default_rng(4)
    vectors = {name: rng.standard_normal(30) for name in (*"abcdefgh", "x", "y", "z", "w")}
    found = DivDist(soa="softmax", scale=30)(groups_test(["x", "y", "z", "w"], **words), vectors)
    read = eatlas.ZeroShot(scale=30, resamples=0)(
        eatlas.AssociationTest(
            id="t", X=Concept(name="X", terms=("x", "y")), Y=Concept(name="Y", terms=("z", "w")),
            **{role: Concept(name=role, terms=terms) for role, terms in words.items()},
        ),
        vectors,
    )  # fmt: skip
    shares = [one.distribution[0] - 0.5 for one in found.targets]
    assert (*read.scores.X, *read.scores.Y) == pytest.approx(shares, rel=1e-12)
    # relabelling words of a target alone is what level 2 does
    alone = DivDist(soa="softmax", scale=30, resamples=0)(groups_test(["x"], **words), vectors)
    table = np.array(read.readings)[0]
    sums = [table[list(some)].sum() for some in combinations(range(8), 4)]
    away = np.abs(np.array(sums) - np.mean(sums))
    expected = int((away >= abs(table[:4].sum() - np.mean(sums)) - 1e-5).sum())
    assert alone.targets[0].labels.count == expected


def test_decisive_terms_are_those_without_which_a_run_says_otherwise():
    (loaded,) = eatlas.load_tests("weat-8")
    measure = f"zero-shot(scale=20,{FAST})"
    assert agrees(lambda test: eatlas.run(test, measures=measure)[0], loaded) > 0
