"""Models in memory as a choice of a study."""

from __future__ import annotations

from tests.encoders.test_objects import loaded
from tests.inputs import make_test

import eatlas


def test_choices_of_a_study(model):
    pair = loaded(model("bert"))
    choices = {"tests": make_test(), "measures": "weat", "choices": {"layer": [1, 2]}}
    here = eatlas.multiverse({**choices, "vectors": {"mine": pair}})
    there = eatlas.multiverse({**choices, "vectors": {"mine": f"hf:{model('bert')}"}})
    d = [[result.effect_size for result in study.results] for study in (here, there)]
    assert d[0] == d[1]
    assert len(set(d[0])) == 2
