"""Vectors of whole texts and of the stimuli in them, in one run."""

from __future__ import annotations

import pytest
from tests.inputs import make_test

import eatlas
from eatlas.corpora import Context, Contexts
from eatlas.present.page import report_html

pytestmark = pytest.mark.filterwarnings("ignore::eatlas.errors.AnisotropyWarning")
TEST = make_test(
    X=("aster", "orchid"), Y=("wasp", "centipede"), A=("love", "peace"), B=("hatred", "war")
)
FRAMES = ("This is the {} of New York.", "These people are here; the {} is there.", "It is {}.")


def test_both_levels_in_one_run_stand_side_by_side(model):
    rows = [
        Context(word, frame.format(word), frame.index("{"), frame.index("{") + len(word))
        for _, part in TEST.parts
        for word in part.terms
        for frame in FRAMES
    ]
    contexts = Contexts.of(rows, name="c.csv")
    specs = [f"hf:{model('bert')}?{o}" for o in ("level=sentence", "level=word", "pool=mean")]
    results = eatlas.run(TEST, specs[:2], "ceat(n=40)", contexts=contexts)
    compared = results.compare("level")
    assert compared.values == ("word (mean)", "sentence (cls)")
    assert compared[0].members == (results[1], results[0])
    html = report_html(results)
    assert "Words and whole texts" in html
    assert "word (mean)" in html
    assert "Sources compared" not in html
    more = eatlas.run(TEST, specs, "weat(resamples=0)", contexts=contexts).compare("level")
    assert more.values == ("word (mean)", "sentence (cls)", "sentence (mean)")
