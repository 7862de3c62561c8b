"""Values of parameters that measures of language models refuse."""

import pytest

import eatlas
from eatlas.errors import SignatureError
from eatlas_corpora.reading import PairContext, Pairs

PAIRS = Pairs.of([PairContext("x0", "a0", "x0 a0", 0, 2, 3, 5)])
REFUSED = (
    ("lpbs", {"model": "both"}, "the parameter model cannot have this value"),
    ("lpbs", {"pieces": "first"}, "allowed: joint or pll or averaged"),
    ("lpbs", {"aggregate": "max"}, "allowed: mean or logsum"),
    ("lpbs", {"templates": "nope"}, "there are no templates called 'nope'"),
    ("lpbs", {"templates": "It is {attribute}."}, "does not have one place {target}"),
    ("lpbs", {"templates": "{target} [is {attribute}."}, "has a bracket"),
    ("lpbs", {"templates": "{attribute} is {target}.", "model": "causal"}, "attribute before the target"),
    ("lpbs", {"pairs": PAIRS, "templates": "person"}, "cannot be combined with the parameter templates"),
    ("lpbs", {"pairs": PAIRS, "model": "causal"}, "cannot be combined with the parameter model"),
    ("lpbs", {"pairs": PAIRS, "attributes": "adjective"}, "cannot be combined with the parameter attributes"),
    ("lpbs", {"pairs": PAIRS, "plural": "ants"}, "cannot be combined with the parameter plural"),
    ("lpbs", {"pairs": "pairs.csv"}, "the parameter pairs cannot have this value"),
    ("lpbs-ceat", {"tau2": "ml"}, "allowed: dl or pm"),
    ("lpbs-ceat", {"model": "dl"}, "lpbs-ceat: the parameter model cannot have this value"),
)  # fmt: skip


@pytest.mark.parametrize(("name", "parameters", "said"), REFUSED)
def test_what_a_measure_refuses(name, parameters, said):
    with pytest.raises(SignatureError) as caught:
        type(eatlas.get_measure(name))(**parameters)
    assert said in str(caught.value)
