"""Values of parameters that measures of contexts refuse."""

import pytest

import eatlas
from eatlas.errors import SignatureError

REFUSED = (
    ("ceat", {"n": 1}, "got: 1\n  allowed: a whole number from 2"),
    ("ceat", {"model": "DL"}, "got: 'DL'\n  allowed: dl or pm"),
    ("ceat", {"variance": "hedges"}, "allowed: common or ceat"),
    ("ceat", {"replace": "never"}, "allowed: auto or always"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "parameters", "said"), REFUSED)
def test_what_a_measure_refuses(name, parameters, said):
    with pytest.raises(SignatureError) as caught:
        type(eatlas.get_measure(name))(**parameters)
    assert said in str(caught.value)
