"""HDF5 and Parquet files whose parts do not fit, or that only look like vectors."""

from __future__ import annotations

import pickle
import struct
from pathlib import Path

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.sources.files.faults import fault, no_more_memory_than, written
from tests.sources.files.writers import VECTORS, WORDS, hdf5

from eatlas import open_vectors


def made(tmp_path, fill) -> Path:
    with h5py.File(tmp_path / "v.h5", "w") as file:
        fill(file)
    return tmp_path / "v.h5"


def table(tmp_path, **columns) -> Path:
    pq.write_table(pa.table(columns), tmp_path / "v.parquet")
    return tmp_path / "v.parquet"


# --- HDF5 -----------------------------------------------------------------------------------------


def test_pickled_objects_are_not_read(tmp_path):
    def fill(file):
        file["vectors"] = VECTORS
        file["words"] = np.void(pickle.dumps(WORDS))

    said = fault(made(tmp_path, fill))
    assert (
        "FILE: no single data set holds the words\n  got: vectors (number, shape (12, 8))" in said
    )
    assert "Python objects are not read" in said


def test_links_to_other_files_are_not_followed(tmp_path):
    other = made(tmp_path, lambda file: file.create_dataset("words", data=WORDS)).rename(
        tmp_path / "other.h5"
    )

    def fill(file):
        file["vectors"] = VECTORS
        file["words"] = h5py.ExternalLink(str(other), "/words")

    assert "no single data set holds the words" in fault(made(tmp_path, fill))


def test_groups_that_hold_each_other(tmp_path):
    def fill(file):
        file["vectors"], file["words"] = VECTORS, WORDS
        for name in "abc":
            file[name] = file["/"]

    found = open_vectors(made(tmp_path, fill)).lookup({"cat"})
    np.testing.assert_array_equal(found["cat"], VECTORS[1])


def test_vectors_of_several_lengths(tmp_path):
    def fill(file):
        file["targ1/cat"], file["targ1/dog"] = np.ones(3), np.ones(4)

    assert "FILE: vectors differ in length\n  got: 3, 4" in fault(made(tmp_path, fill))


def test_several_arrays(tmp_path):
    def fill(file):
        file["a"], file["g/b"] = VECTORS, -VECTORS
        file["w1"], file["w2"] = WORDS, WORDS[::-1]

    path = made(tmp_path, fill)
    assert "no single data set holds the vectors\n  got: a (number, shape (12, 8))" in fault(path)
    assert "remedy: name it: FILE?vectors=NAME" in fault(path)
    found = open_vectors(f"{path}?vectors=g/b&words=w2").lookup({"the"})
    np.testing.assert_array_equal(found["the"], -VECTORS[11])
    assert "there is no such data set\n  got: c" in fault(f"{path}?vectors=c")
    assert "no single data set holds the words" in fault(f"{path}?vectors=a&words=g/b")


def test_words_and_vectors_that_do_not_fit(tmp_path):
    def fill(file):
        file["vectors"], file["words"] = VECTORS, [*WORDS, "more"]

    assert "got: 13 words, 12 vectors" in fault(f"{made(tmp_path, fill)}?words=words")


def test_words_in_latin_1(tmp_path):
    def fill(file):
        file["vectors"], file["words"] = np.eye(2), np.array([b"cat", b"caf\xe9"])

    assert "FILE, word 2: the file is not UTF-8\n  got: byte 0xe9" in fault(made(tmp_path, fill))


def test_sentences_with_a_slash(tmp_path):
    def fill(file):
        file["targ1/This is he/she."] = np.float32([1, 2])
        file["targ1/category"] = "Pronouns"
        file["attr1/This is it."] = np.float32([[3, 4]])

    found = open_vectors(made(tmp_path, fill)).lookup(
        {"This is he/she.", "This is it.", "category"}
    )
    assert {word: vector.tolist() for word, vector in found.items()} == {
        "This is he/she.": [1, 2],
        "This is it.": [3, 4],
    }


@pytest.mark.parametrize("size", [8, 90, 1000, 3000])
def test_an_hdf5_file_that_ends_early(tmp_path, size):
    raw = Path(hdf5(tmp_path)).read_bytes()
    said = fault(written(tmp_path / "v.h5", raw[:size]))
    assert "FILE: this HDF5 file is damaged, or of a kind that cannot be read" in said


def test_damaged_strings_neither_hang_nor_fill_the_memory(tmp_path):
    """The library alone never ends at the second of these files."""
    raw = bytearray(Path(hdf5(tmp_path)).read_bytes())
    heap = raw.index(b"GCOL\x01")
    with h5py.File(tmp_path / "v.h5") as file:
        first_length = file["words_flatten"].id.get_offset()
    long = bytearray(raw)
    long[first_length : first_length + 4] = struct.pack("<I", 3_000_000_000)
    with no_more_memory_than(256 << 20):
        assert "this HDF5 file is damaged" in fault(written(tmp_path / "a.h5", long))
    endless = bytearray(raw)
    endless[heap + 16 : heap + 32] = bytes(16)
    assert "an object of 0 bytes in the heap" in fault(written(tmp_path / "b.h5", endless))
    short = bytearray(raw)
    short[heap + 8 : heap + 16] = struct.pack("<Q", 1 << 50)
    assert "a heap of 1,125,899,906,842,624 bytes" in fault(written(tmp_path / "c.h5", short))


# --- Parquet --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "said"),
    [
        ({"word": ["cat", "dog"], "v": [[1.0, 2.0], [1.0]]}, "column v: vectors differ in length"),
        ({"word": ["cat", "dog"], "v": [[1.0, 2.0], None]}, "FILE: a number is missing"),
        ({"word": ["cat"], "v": [[None, 2.0]]}, "column v: vectors differ in length"),
        ({"word": ["cat", None], "v": [[1.0], [2.0]]}, "column word: a word is missing"),
        ({"word": ["cat"], "a": [float("nan")]}, "the vector of 'cat': a component is not finite"),
        ({"word": ["cat", "cow"], "a": [1.0, None]}, "FILE: a number is missing"),
        ({"a": [1.0], "b": [2.0]}, "the columns are not words and vectors\n  got: a (number), b"),
        ({"a": ["x"], "b": ["y"], "c": [1.0]}, "more than one column may hold the words\n  got: a, b"),
        ({"word": ["cat"], "t": [[1]]}, "the columns are not words and vectors"),
        ({"word": pa.array([], pa.string()), "v": pa.array([], pa.float32())}, "holds no vectors"),
    ],
)  # fmt: skip
def test_tables_that_do_not_fit(tmp_path, columns, said):
    assert said in fault(table(tmp_path, **columns))


def test_columns_by_name(tmp_path):
    path = table(tmp_path, a=["cat"], b=["dog"], v=[[1.0, 2.0]], u=[[3.0, 4.0]])
    found = open_vectors(f"{path}?words=b&vectors=u").lookup({"cat", "dog"})
    assert {word: vector.tolist() for word, vector in found.items()} == {"dog": [3.0, 4.0]}
    assert "no such column of text\n  got: x" in fault(f"{path}?words=x&vectors=u")
    assert "no such column of vectors\n  got: a" in fault(f"{path}?words=b&vectors=a")


def test_words_of_a_dictionary_and_twice(tmp_path):
    words = pa.array(["cat", "dog", "cat"]).dictionary_encode()
    source = open_vectors(table(tmp_path, word=words, v=[[1.0], [2.0], [3.0]]))
    assert source.lookup({"cat"})["cat"].tolist() == [1.0]
    assert "1 duplicate word" in source.notes[0]


def test_a_parquet_file_that_ends_early(tmp_path):
    path = table(tmp_path, word=["cat"], v=[[1.0]])
    raw = path.read_bytes()
    for size in (4, 20, len(raw) // 2, len(raw) - 1):
        path.write_bytes(raw[:size])
        assert "FILE: this Parquet file is damaged, or of a kind that cannot be read" in fault(path)
