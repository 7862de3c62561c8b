"""Words of two sources as arrows: standardised places, tails and heads, what cannot be drawn."""

import re

import numpy as np
import pytest
from tests.present.reading import svg_root
from tests.present.records import ml_eat

import eatlas
from eatlas.present.drawings.plane import moves_figure, points_of, standardised


@pytest.fixture(scope="module")
def pair():
    sources = ["glove-sample", "glove-sample?transform=center"]
    return list(eatlas.run(tests="weat-6", vectors=sources))


def test_across_the_diagonal_the_means_are_as_far_apart_as_d(pair):
    for result in pair:
        places = standardised(points_of(result))
        x, y = places[-2:]
        assert (x.a - x.b) - (y.a - y.b) == pytest.approx(result.level1.effect_size, abs=1e-4)
        words = [one for one in places if one.term]
        assert np.mean([one.a + one.b for one in words]) == pytest.approx(0, abs=1e-9)


def test_each_word_and_both_means_have_an_arrow(pair):
    root = svg_root(moves_figure(*pair, ("plain", "centred")))
    arrows = [p for p in root.iter("path") if (p.get("class") or "").startswith("moves")]
    assert len(arrows) == 18
    assert sum("thick" in arrow.get("class") for arrow in arrows) == 2
    john = arrows[0].findtext("title")
    numbers = r"−?\d\.\d\d up, −?\d\.\d\d across"
    assert re.fullmatch(f"John, plain: {numbers}; centred: {numbers}", john)
    assert "of 8 words change sides of the diagonal" in root.get("aria-label")


def test_nothing_is_drawn_without_cosines_or_spread(pair):
    assert moves_figure(pair[0], ml_eat(), ("a", "b")) == ""
    flat = [point._replace(a=0.5, b=0.2) for point in points_of(pair[0])]
    assert standardised(flat) is None
