"""What somebody may hand over as vectors, by mistake or in another form."""

import numpy as np
import pandas as pd
import pytest

import eatlas
from eatlas import ArraySource, open_vectors
from eatlas.errors import SourceError

WORDS = ["up", "down"]
ROWS = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.mark.parametrize(
    ("vectors", "got"),
    [
        (ROWS + 1j, "complex128"),
        (ROWS.astype(str), "<U32"),
        (ROWS.astype(bytes), "|S32"),
        (ROWS.astype("datetime64[s]"), "datetime64[s]"),
        ([[1.0, 2.0], [3.0]], "inhomogeneous"),
        ([[1.0, None], ["x", 2.0]], "could not convert string to float: 'x'"),
    ],
)
def test_arrays_that_hold_no_real_numbers(vectors, got):
    with pytest.raises(SourceError) as caught:
        ArraySource(WORDS, vectors)
    assert caught.value.what == "array: the vectors are not an array of numbers"
    assert got in caught.value.got
    assert caught.value.allowed == "real numbers"


@pytest.mark.parametrize(
    ("vectors", "said"),
    [
        ({"a": 1.0}, "dict: the vector of 'a' has the wrong shape\n  got: shape ()"),
        ({"a": None}, "dict: the vector of 'a' has the wrong shape"),
        ({"a": [[1.0, 2.0]]}, "dict: the vector of 'a' has the wrong shape\n  got: shape (1, 2)"),
        ({"a": [[1], [1, 2]]}, "dict: the vectors are not an array of numbers\n  got: "),
        ({"a": ["x"]}, "dict: the vectors are not an array of numbers\n  got: <U1"),
        (
            (ROWS, WORDS),
            "got: <U4\n  allowed: real numbers\n  remedy: the words come first, then the vectors",
        ),
        (ROWS, "got: ndarray"),
        (ROWS, "remedy: hand over the words too: (words, array)"),
        (pd.DataFrame(), "frame: there are no vectors\n  got: a frame of shape (0, 0)"),
        (pd.DataFrame(index=WORDS), "frame: there are no vectors\n  got: a frame of shape (2, 0)"),
        (" ", "no vectors are named\n  got: an empty text\n  allowed: a file, a name"),
    ],
)
def test_what_is_no_vectors(vectors, said):
    with pytest.raises(SourceError) as caught:
        open_vectors(vectors)
    assert said in str(caught.value)


def test_a_frame_without_words():
    with pytest.raises(SourceError) as caught:
        open_vectors(pd.DataFrame(ROWS))
    assert str(caught.value) == (
        "frame: the frame has no words, only numbers\n"
        "  allowed: words in the index or the first column, numbers in all others"
    )


def test_a_tuple_is_a_pair_or_a_list_of_sources(tiny, tiny_vectors):
    words, rows = list(tiny_vectors), np.array(list(tiny_vectors.values()))
    pair, other = (words, rows), ArraySource(words, rows, name="other")
    for vectors, names in (
        (pair, ["array"]),
        ((tuple(words), rows), ["array"]),
        ((np.array(words), rows), ["array"]),
        ((other,), ["other"]),
        ((pair, other), ["array", "other"]),
        ((tiny_vectors, pair), ["dict", "array"]),
        ([other, other], ["other"]),
    ):
        results = eatlas.run(tiny, vectors, "weat(resamples=0,frequency=off)")
        assert [result.source for result in results] == names
