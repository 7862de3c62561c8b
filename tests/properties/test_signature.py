"""A signature parses back to what it was."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import eatlas
from eatlas.errors import SignatureError
from eatlas.signature import Signature

VALUES = st.one_of(
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
KEYS = st.from_regex(r"[a-z_]{1,8}", fullmatch=True)


@given(st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True), st.dictionaries(KEYS, VALUES))
def test_round_trip(name, params):
    signature = Signature(name, tuple(params.items()))
    assert Signature.parse(str(signature)) == signature


def test_forms_that_mean_the_same():
    forms = [
        "ml-eat",
        "ML-EAT()",
        " Ml-Eat ( ) ",
        "ML-EAT(alpha=0.05)",
        "ml-eat(ddof=1, alpha=.05,)",
    ]
    assert {eatlas.get_measure(form) for form in forms} == {eatlas.MLEAT()}


def test_texts_of_several_lines():
    assert Signature.parse('lpbs(templates="one;\n two")').params == (("templates", "one;\n two"),)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the measure cannot be read"),
        ("ml-eat(", "the measure cannot be read"),
        (
            "ml-eat(alpha)",
            "a parameter of the measure 'ml-eat.alpha.' cannot be read\n  got: alpha",
        ),
        ("ml-eat(alpha=0.1,alpha=0.2)", "each key once"),
        (r'ml-eat(p="\q")', r'cannot be read\n  got: p="\\q"'),
        ("ml-eat(alpha=0.1 0.2)", "parameter alpha cannot have this value\n  got: '0.1 0.2'"),
        (
            "ml-eat(beta=1)",
            "ml-eat has no parameter 'beta'\n  allowed: adjust, alpha, association, confidence, ddof, "
            "direction, frequency, over, p, pca, permutations, resamples, statistic, strict, tail, threshold",
        ),
        ("mleat", r"there is no measure 'mleat'[\s\S]*did you mean ml-eat"),
    ],
)
def test_faults(text, message):
    with pytest.raises(SignatureError, match=message):
        eatlas.get_measure(text)
