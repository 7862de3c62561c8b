"""The map of the words: exact places, names that do not collide, the drawing."""

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import eatlas
from eatlas.errors import ResultsError
from eatlas.present.drawings.plane import (
    LETTERS,
    SIDE,
    Plane,
    Point,
    means_of,
    plane_figure,
    points_of,
)
from eatlas.present.text import pixels

KEPT = 5e-7
"""Results keep six decimals of each cosine."""


@pytest.fixture(scope="module")
def results():
    return eatlas.run(tests=["weat-6", "weat-3"])


def test_places_by_hand():
    vectors = {
        "up": [1.0, 0.0], "right": [0.0, 1.0], "both": [3.0, 4.0], "left": [4.0, 3.0],
        "a": [2.0, 0.0], "aa": [1.0, 0.0], "b": [0.0, 5.0], "bb": [0.0, 2.0],
    }  # fmt: skip
    test = eatlas.AssociationTest(
        X=["up", "both"], Y=["right", "left"], A=["a", "aa"], B=["b", "bb"]
    )
    (result,) = eatlas.run(test, vectors, "ml-eat")
    assert [(one.role, one.term) for one in points_of(result)] == [
        ("X", "up"), ("X", "both"), ("Y", "right"), ("Y", "left"), ("X", ""), ("Y", ""),
    ]  # fmt: skip
    places = [(round(one.a, 12), round(one.b, 12)) for one in points_of(result)]
    assert places == [(1, 0), (0.6, 0.8), (0, 1), (0.8, 0.6), (0.8, 0.4), (0.4, 0.8)]


def test_distances_are_level_1_and_means_are_level_3(results):
    for result in results:
        points = points_of(result)
        x, y = points[-2:]
        for mean, role in ((x, "X"), (y, "Y")):
            assert mean.a == pytest.approx(result.level3.cell(f"{role}A").mean, abs=KEPT)
            assert mean.b == pytest.approx(result.level3.cell(f"{role}B").mean, abs=KEPT)
        leans = [one.a - one.b for one in points if one.term]
        assert leans == pytest.approx([*result.scores.X, *result.scores.Y], abs=KEPT)


def test_sentences_of_a_stimulus_are_one_point():
    def said(name, *stimuli):
        texts = [
            {"text": f"{start} {word}.", "stimulus": word}
            for i, word in enumerate(stimuli)
            for start in ("This is", "That is", "Here is")[: 3 - i % 2]
        ]
        return eatlas.Concept(name=name, sentences=texts)

    test = eatlas.AssociationTest(
        X=said("F", "rose", "lily"), Y=said("I", "ant", "fly"),
        A=said("P", "love", "joy"), B=said("U", "war", "pain"),
    )  # fmt: skip
    (result,) = eatlas.run(test, "cbow:glove-sample")
    points = points_of(result)
    assert [one.term for one in points if one.term] == ["rose", "lily", "ant", "fly"]
    scores = result.primary.scores
    leans = [one.a - one.b for one in points if one.term]
    assert leans == pytest.approx([*scores.X, *scores.Y], abs=KEPT)


@given(
    st.lists(
        st.tuples(st.floats(-1, 1), st.floats(-1, 1), st.text("abcdefgh", min_size=1, max_size=12)),
        min_size=2, max_size=40,
    )
)  # fmt: skip
def test_no_name_lies_on_another_or_beyond_the_edge(given):
    points = [Point("XY"[i % 2], name, a, b) for i, (a, b, name) in enumerate(given)]
    points += list(means_of(points))
    plane = Plane.around(points, "Pleasant", "Unpleasant")
    boxes = []
    for place in plane.names():
        wide = pixels(plane.points[place.point].term, LETTERS) * 0.9
        left = place.x - {"start": 0.0, "middle": wide / 2, "end": wide}[place.anchor]
        boxes.append((left, place.y - LETTERS / 2, left + wide, place.y + LETTERS / 2))
    for box in boxes:
        assert box[0] >= 0
        assert box[2] <= SIDE
    for one, other in combinations(boxes, 2):
        apart = one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1]
        assert apart


def test_the_drawing_escapes_names_and_says_what_it_shows():
    rng = np.random.default_rng(0)
    words = ["<b>bold</b>", "b&w", "c", "d", "e", "f", "g", "h"]
    vectors = {word: rng.normal(size=4) for word in words}
    test = eatlas.AssociationTest(
        X={"<X>": words[:2]}, Y={"Y": ["c", "d"]}, A={"A": ["e", "f"]}, B={"B": ["g", "h"]}
    )
    (result,) = eatlas.run(test, vectors)
    drawn = plane_figure(result)
    assert "<b>" not in drawn
    assert "&lt;b&gt;bold&lt;/b&gt;" in drawn
    assert re.search(r'aria-label="&lt;X&gt;: mean cosine .* words are nearer to A', drawn)
    assert drawn.count("<title>") == 1 + 4 + 2


def test_without_cosines_there_is_no_map(results):
    bare = results["weat-6"].model_copy(update={"similarities": None})
    assert plane_figure(bare) == ""
    with pytest.raises(ResultsError, match="that kept the cosines of single words"):
        bare.plot("plane")
    (sc_eat,) = eatlas.run("weat-6", measures="sc-eat")
    with pytest.raises(ResultsError, match="cannot show this"):
        sc_eat.plot("plane")
