"""Text files of vectors: what is read, and what is said about a bad line."""

import hashlib

import numpy as np
import pytest

from eatlas import open_vectors

GLOVE = "the 0.1 -0.2 3\ncat 1 0 0\n. . 4 5 6\n"


def write(tmp_path, content: str | bytes, name: str = "v.txt"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


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


@pytest.mark.parametrize(
    "head", ["", ",0,1\n", "word,x,y\n", "Term,1,2\n", "stimulus,dim0,dim1\n", "\ufeffword,a,b\n"]
)
def test_headers_of_tables(tmp_path, head):
    found = open_vectors(write(tmp_path, head + "cat,1,2\ndog,3,4.5\n", "v.csv")).lookup(
        {"cat", "dog"}
    )
    np.testing.assert_array_equal(found["dog"], [3, 4.5])
    assert len(found) == 2


@pytest.mark.parametrize("name", ["v.csv", "v.txt"])
@pytest.mark.parametrize("head", ["", "Wort;d1;d2\n", "\ufeffWort;d1;d2\r\n"])
def test_tables_of_spreadsheets_with_decimal_commas(tmp_path, name, head):
    source = open_vectors(write(tmp_path, head + "cat;-0,25;1\ndog;3;4,5e-1\n", name))
    assert list(source) == ["cat", "dog"]
    np.testing.assert_array_equal(source["cat"], np.float32([-0.25, 1]))
    np.testing.assert_array_equal(source["dog"], np.float32([3, 0.45]))


def test_tables_with_semicolons_and_decimal_points(tmp_path):
    source = open_vectors(write(tmp_path, "cat;0.25;1\ndog;3;4.5\n", "v.csv"))
    np.testing.assert_array_equal(source["dog"], np.float32([3, 4.5]))


def test_a_semicolon_is_a_word_of_a_table_with_commas(tmp_path):
    source = open_vectors(write(tmp_path, ";,0.25,1\ncat,3,4\n", "v.csv"))
    np.testing.assert_array_equal(source[";"], np.float32([0.25, 1]))
