"""Text files of vectors: what is read, and what is said about a bad line."""

import hashlib

import numpy as np
import pytest

from eatlas import open_vectors
from eatlas.errors import SourceError

GLOVE = "the 0.1 -0.2 3\ncat 1 0 0\n. . 4 5 6\n"


def write(tmp_path, content: str | bytes, name: str = "v.txt"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def fault(tmp_path, content, name="v.txt", words=("cat",)) -> str:
    path = write(tmp_path, content, name)
    with pytest.raises(SourceError) as caught:
        open_vectors(path).lookup(words)
    assert str(path) in str(caught.value)
    return str(caught.value)


@pytest.mark.parametrize("header", ["", "3 3\n"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_forms(tmp_path, header, newline):
    body = GLOVE.replace(". .", "..")
    path = write(tmp_path, (header + body).replace("\n", newline))
    source = open_vectors(path)
    found = source.lookup({"cat", "..", "dog"})
    assert (source.dim, source.name) == (3, str(path))
    assert set(found) == {"cat", ".."}
    np.testing.assert_array_equal(found[".."], np.float32([4, 5, 6]))
    assert found["cat"].dtype == np.float32


def test_words_with_spaces_as_in_glove_840b(tmp_path):
    found = open_vectors(write(tmp_path, GLOVE)).lookup({". .", "."})
    assert list(found) == [". ."]


def test_words_with_spaces_in_word2vec_text(tmp_path):
    """As gensim writes them; a word that ends with a number cannot be told from its vector."""
    from gensim.models import KeyedVectors

    words, rows = ["new york", "a b c", "cat"], np.eye(3, dtype=np.float32)
    vectors = KeyedVectors(3)
    vectors.add_vectors(words, rows)
    vectors.save_word2vec_format(str(tmp_path / "v.txt"), binary=False)
    found = open_vectors(tmp_path / "v.txt").lookup({*words, "new", "york"})
    assert set(found) == set(words)
    np.testing.assert_array_equal([found[word] for word in words], rows)
    said = fault(tmp_path, "2 2\ncat 1 2\nroute 66 3 4\n")
    assert "line 3: a vector of the wrong length\n  got: 3 numbers\n  allowed: 2 numbers" in said


def test_latin_1_where_it_is_asked_for(tmp_path):
    for text in (b"cat 1 2\ncaf\xe9 3 4\n", b"2 2\ncat 1 2\ncaf\xe9 3 4\n"):
        path = write(tmp_path, text)
        found = open_vectors(f"{path}?encoding=latin-1").lookup({"caf\u00e9", "\u65e5"})
        assert set(found) == {"caf\u00e9"}


def test_the_fingerprint_is_the_hash_of_the_file(tmp_path):
    path = write(tmp_path, GLOVE)
    expected = "sha256:" + hashlib.sha256(path.read_bytes()).hexdigest()
    fresh, used = open_vectors(path), open_vectors(path)
    used.lookup({"cat"})
    assert fresh.fingerprint == used.fingerprint == expected


@pytest.mark.parametrize("words", [("cat",), ("dog",)])
def test_bad_lines_are_named_whether_asked_for_or_not(tmp_path, words):
    good = "cat 1 2 3\n"
    assert "line 2: a vector of the wrong length\n  got: 2 numbers\n  allowed: 3 numbers" in fault(
        tmp_path, good + "dog 1 2\n", words=words
    )
    assert "line 2: a vector of the wrong length\n  got: 4 numbers" in fault(
        tmp_path, good + "dog 1 2 3 4\n", words=words
    )
    assert "line 3: a component is not a number\n  got: 'x'" in fault(
        tmp_path, good * 2 + "dog 1 x 3\n", words=words
    )
    assert "line 2: a component is not finite\n  got: nan" in fault(
        tmp_path, good + "dog 1 nan 3\n", words=words
    )
    assert "line 2: a component is not finite\n  got: -inf" in fault(
        tmp_path, good + "dog 1 -Infinity 3\n", words=words
    )


def test_a_number_beyond_float32_is_not_finite(tmp_path):
    assert "is not finite\n  got: inf" in fault(tmp_path, "cat 1e39 2\n")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "the file is empty"),
        ("\n\n", "the file is empty"),
        ("only prose stands here\n", "line 1: this is not a word and its vector"),
        ("word\n", "line 1: this is not a word and its vector"),
    ],
)
def test_files_that_hold_no_vectors(tmp_path, content, message):
    assert message in fault(tmp_path, content)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(SourceError, match="there is no such file"):
        open_vectors(tmp_path / "none.txt")
    with pytest.raises(SourceError, match="this is a directory"):
        open_vectors(tmp_path)
    other = write(tmp_path, b"\x00\x01\x02", "vectors.xyz")
    with pytest.raises(
        SourceError, match=r"this kind of file is not known\n  got: binary data: 00"
    ):
        open_vectors(other)
