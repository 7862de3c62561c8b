"""Values of parameters that measures refuse: measure, parameters, and what the error says."""

import pytest
from tests.inputs import make_test

import eatlas
from eatlas.errors import SignatureError

PROJECTION = {"association": "projection"}
REFUSED = (
    ("ml-eat", {"alpha": 0}, "ml-eat: the parameter alpha cannot have this value\n  got: 0\n  allowed: a num"),
    ("ml-eat", {"alpha": 1.5}, "got: 1.5"),
    ("ml-eat", {"alpha": "x"}, "got: 'x'"),
    ("ml-eat", {"ddof": 2}, "got: 2\n  allowed: 1 or 0"),
    ("ml-eat", {"ddof": True}, "got: True"),
    ("ml-eat", {"tail": "both"}, "got: 'both'\n  allowed: directional or two-sided"),
    ("ml-eat", {"threshold": -1}, "allowed: a number from 0"),
    ("ml-eat", {"p": "guess"}, "allowed: auto, exact, sampled, normal"),
    ("ml-eat", {"permutations": 0}, "got: 0\n  allowed: a whole number from 1"),
    ("ml-eat", {"strict": 1}, "got: 1\n  allowed: true or false"),
    ("ml-eat", {"association": "euclid"}, "got: 'euclid'\n  allowed: c"),
    ("ml-eat", {"direction": "she/he"}, "no direction, or association=projection"),
    ("ml-eat", PROJECTION, "a projection needs the pairs that name its direction"),
    ("ml-eat", {**PROJECTION, "direction": "she-he"}, "got: 'she-he'"),
    ("ml-eat", {**PROJECTION, "direction": "she/she"}, "pairs of two different terms"),
    ("ml-eat", {**PROJECTION, "direction": "she/he/it"}, "got: 'she/he/it'"),
    ("ml-eat", {**PROJECTION, "direction": 3}, "a text of defining pairs"),
    ("ml-eat", {"pca": "centred"}, "uncentred, or association=projection"),
    ("ml-eat", {"frequency": 99}, "allowed: auto or on or off"),
    ("ml-eat", {"frequency": True}, "allowed: auto or on or off"),
    ("weat", {"resamples": -1}, "got: -1\n  allowed: a whole number fro"),
    ("weat", {"confidence": 95}, "a number between 0 and 1"),
    ("weat", {"statistic": "welch"}, "got: 'welch'\n  allowed: diff"),
    ("weat", {"statistic": "studentised", "p": "normal"}, "needs an exact or sampled permutation test\n  got: p=nor"),
    ("divdist", {"soa": "softmax", "normalize": "softmax"}, "sum: what soa=softmax gives are shares"),
    ("divdist", {"soa": "softmax", "means": "unit"}, "raw, with soa=softmax"),
    ("divdist", {"scale": 100}, "no scale, or soa=softmax"),
    ("divdist", {"soa": "softmax", "scale": 0}, "model, or a number above 0"),
    ("rnd", {"distance": "manhattan"}, "allowed: euclidean or cosine"),
    ("rnd", {"vectors": "long"}, "allowed: raw or unit"),
    ("ripa", {"relation": "first"}, "allowed: principal or mean"),
    ("ripa", {"relation": "mean", "pca": "centred"}, "uncentred, with relation=mean"),
    ("direct-bias", {"pca": "whitened"}, "allowed: uncentred or centred"),
    ("direct-bias", {"strictness": -1}, "allowed: a number from 0"),
    ("semaxis", {"permutations": -1}, "allowed: a whole number from 0"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "parameters", "said"), REFUSED)
def test_what_a_measure_refuses(name, parameters, said):
    with pytest.raises(SignatureError) as caught:
        type(eatlas.get_measure(name))(**parameters)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("ml-eat(alfa=0.1)", "ml-eat has no parameter 'alfa'; did you mean alpha"),
        ("wet", "remedy: did you mean weat"),
        ("weat,ml-eat", "one measure was expected, not 'weat,ml-eat'"),
    ],
)
def test_names_that_are_nearly_right(spec, said):
    with pytest.raises(SignatureError) as caught:
        eatlas.get_measure(spec)
    assert said in str(caught.value)


def test_a_choice_for_measures_that_do_not_have_it():
    with pytest.raises(SignatureError, match="none of the measures is compared with random topics"):
        eatlas.run(make_test(), measures="sc-eat", frequency="on")
