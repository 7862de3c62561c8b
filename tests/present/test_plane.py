"""The map of the words: exact places, names that do not collide, the drawing."""

import re
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.present.reading import svg_root

import eatlas
from eatlas.errors import ResultsError
from eatlas.present.drawings.plane import (
    LETTERS,
    SIDE,
    Plane,
    Point,
    arrows,
    draw_names,
    means_of,
    points_of,
    standardise_points,
)
from eatlas.present.text import pixels

KEPT = 5e-7
"""Results keep six decimals of each cosine."""


@pytest.fixture(scope="module")
def results():
    return eatlas.run(tests=["weat-6", "weat-3"], measures="ml-eat(resamples=0)", frequency="off")


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
            assert mean.a == pytest.approx(result.level3[f"{role}A"].mean, abs=KEPT)
            assert mean.b == pytest.approx(result.level3[f"{role}B"].mean, abs=KEPT)
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
    plane = Plane.from_points(points, "Pleasant", "Unpleasant")
    boxes = [box for _, box in plane.corners]
    for attributes, name in re.findall(r"<text ([^>]*)>([^<]*)</text>", draw_names(plane)):
        x, y = (float(re.search(rf'{axis}="([-\d.]+)"', attributes)[1]) for axis in "xy")
        wide, middle = pixels(name, LETTERS) * 0.9, y - LETTERS * 0.35
        anchor = re.search(r'text-anchor="(\w+)"', attributes)
        left = x - {"start": 0.0, "middle": wide / 2, "end": wide}[anchor[1] if anchor else "start"]
        boxes.append((left, middle - LETTERS / 2, left + wide, middle + LETTERS / 2))
        upper_left, lower_right = left + boxes[-1][1], left + wide + boxes[-1][3]
        assert upper_left >= SIDE - 1 or lower_right <= SIDE + 1  # the diagonal is free
    for box in boxes:
        assert box[0] >= -0.5  # places are whole pixels
        assert box[2] <= SIDE + 0.5
    for (x1, y1, x2, y2), (x3, y3, x4, y4) in combinations(boxes, 2):
        assert x2 - x3 <= 1 or x4 - x1 <= 1 or y2 - y3 <= 1 or y4 - y1 <= 1


def test_what_the_halves_are_called_lies_on_no_mark():
    points = [Point("X", "edge", 0.9, 0.0), Point("Y", "corner", 0.0, 0.9), *(
        Point("Y", "", 0.0, b) for b in (0.6, 0.7, 0.8))]  # fmt: skip
    plane = Plane.from_points(points, "Pleasant", "Unpleasant")
    for text, (x1, y1, x2, y2) in plane.corners:
        assert x2 - x1 >= pixels(text, LETTERS)
        for left, upper, right, lower in plane.marks.values():
            assert right <= x1 or x2 <= left or lower <= y1 or y2 <= upper
    (_, (_, _, right, lower)), (_, (left, upper, _, _)) = plane.corners
    assert right + lower <= SIDE <= left + upper


def test_without_cosines_there_is_no_map(results):
    bare = results["weat-6"].model_copy(update={"similarities": None})
    with pytest.raises(ResultsError, match="that kept the cosines of single words"):
        bare.plot("plane")
    (sc_eat,) = eatlas.run("weat-6", measures="sc-eat")
    with pytest.raises(ResultsError, match="cannot show this"):
        sc_eat.plot("plane")


@pytest.fixture(scope="module")
def pair():
    sources = ["glove-sample", "glove-sample?transform=center"]
    return list(
        eatlas.run(tests="weat-6", vectors=sources, measures="ml-eat(resamples=0)", frequency="off")
    )


def test_across_the_diagonal_the_means_are_as_far_apart_as_d(pair):
    for result in pair:
        places = standardise_points(points_of(result))
        x, y = places[-2:]
        assert (x.a - x.b) - (y.a - y.b) == pytest.approx(result.level1.effect_size, abs=1e-4)
        words = [point for point in places if point.term]
        assert np.mean([point.a + point.b for point in words]) == pytest.approx(0, abs=1e-9)


def test_each_word_and_both_means_have_an_arrow(pair):
    first, second = map(points_of, pair)
    concepts = dict(pair[0].concepts.items())
    root = svg_root(arrows(first, second, concepts, ("one", "two"), unit="cosine", title="t"))
    moves = [p for p in root.iter("path") if (p.get("class") or "").startswith("moves")]
    assert len(moves) == 18
    assert sum("thick" in arrow.get("class") for arrow in moves) == 2
    numbers = r"−?\d\.\d\d up, −?\d\.\d\d across"
    assert re.fullmatch(f"John, .*: {numbers}; .*: {numbers}", moves[0].findtext("title"))
    assert "of 8 words cross the diagonal" in root.get("aria-label")


def test_nothing_moves_without_spread(pair):
    points = points_of(pair[0])
    flat = [point._replace(a=0.5, b=0.2) for point in points]
    assert standardise_points(flat) is None
    concepts = dict.fromkeys("XYAB", "name")
    assert arrows(points, flat, concepts, ("a", "b"), unit="cosine", title="t") == ""
