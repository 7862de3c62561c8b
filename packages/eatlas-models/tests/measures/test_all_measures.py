"""Where all measures are asked for, those that word vectors cannot give are left out."""

import pytest

import eatlas
from eatlas.errors import EatlasWarning


def test_what_is_left_out_is_said():
    with pytest.warns(EatlasWarning, match="are left out") as caught:
        eatlas.run("weat-6", measures="all", frequency="off")
    (text,) = [str(one.message) for one in caught if "left out" in str(one.message)]
    assert all(f"{name} (" in text for name in ("lpbs", "lpbs-ceat", "fmat", "zero-shot"))
    assert "ask (needs a model that answers); assign (needs a model that answers)" in text
