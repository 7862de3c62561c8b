"""word2vec's binary form: headers that lie, files that end early, bytes that are no words."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.sources.files.faults import fault, written
from tests.sources.files.writers import matrix, word2vec_binary

from eatlas import open_vectors


@pytest.fixture
def sound(tmp_path) -> bytes:
    return Path(word2vec_binary(tmp_path)).read_bytes()


@pytest.mark.parametrize(
    ("header", "said"),
    [
        (
            b"13 8",
            "FILE: the file ends early\n  got: 12 vectors\n  allowed: 13 vectors of 8 numbers",
        ),
        (
            b"11 8",
            "FILE: the file continues after the last vector\n  got: more than 11 vectors of 8",
        ),
        (b"999999999999 8", "FILE: the file ends early\n  got: 460 bytes"),
        (b"12 9", "is not UTF-8"),
        (
            b"12 7",
            "remedy: if the dimension in the header is right, name the encoding of the words",
        ),
        (b"12 2000", "FILE: the file ends early"),
        (
            b"1 99999999",
            "FILE: the header of word2vec's binary form is not there\n  got: '1 99999999'",
        ),
        (b"0 8", "allowed: a line with the number of words and the dimension (1 to 1,000,000)"),
        (b"12 0", "the header of word2vec's binary form is not there"),
    ],
)
def test_headers_that_lie(tmp_path, sound, header, said):
    path = written(tmp_path / "v.bin", sound.replace(b"12 8", header, 1))
    assert said in fault(path)


@pytest.mark.parametrize("size", [4, 5, 9, 42, 100, 400])
def test_files_that_end_early(tmp_path, sound, size):
    path = written(tmp_path / "v.bin", sound[:-size])
    assert "FILE: the file ends early" in fault(path)
    assert "remedy: get it again; the copy is probably incomplete" in fault(path)


def test_bytes_without_words(tmp_path):
    path = written(tmp_path / "v.bin", b"2 3000\n" + b"\xff" * 24_100)
    assert "FILE, vector 1: there is no word here\n  got: b'\\xff" in fault(path)


def test_words_in_latin_1(tmp_path):
    path = written(tmp_path / "v.bin", b"1 2\ncaf\xe9 " + np.float32([1, 2]).tobytes())
    assert "FILE, byte 4: the file is not UTF-8\n  got: byte 0xe9" in fault(path)
    source = open_vectors(f"{path}?encoding=latin-1")
    np.testing.assert_array_equal(source.lookup({"café", "日"})["café"], [1, 2])


def test_words_with_spaces(tmp_path):
    """gensim writes them, and nobody can read them back: a space ends the word."""
    from gensim.models import KeyedVectors

    vectors = KeyedVectors(8)
    vectors.add_vectors(["cat", "new york", "dog"], matrix(3))
    vectors.save_word2vec_format(str(tmp_path / "v.bin"), binary=True)
    said = fault(tmp_path / "v.bin")
    assert "is not UTF-8" in said
    assert "words of this form cannot hold spaces" in said


def test_of_duplicates_the_first_wins_and_it_is_said(tmp_path):
    rows = [(b"cat", [1, 2]), (b"cat", [3, 4]), (b"cat", [5, 6]), (b"dog", [7, 8])]
    body = b"".join(word + b" " + np.float32(row).tobytes() for word, row in rows)
    source = open_vectors(written(tmp_path / "v.bin", b"4 2\n" + body))
    np.testing.assert_array_equal(source.lookup({"cat"})["cat"], [1, 2])
    assert source.notes == (f"{source.name}: 1 duplicate word; the first of each was taken.",)
    assert [words for words, _ in source.iter_chunks(3)] == [["cat"] * 3, ["dog"]]


def test_components_that_are_not_finite(tmp_path):
    path = written(tmp_path / "v.bin", b"1 2\ncat " + np.float32([1, np.nan]).tobytes())
    assert "FILE, 'cat': a component is not finite\n  got: nan" in fault(path)
