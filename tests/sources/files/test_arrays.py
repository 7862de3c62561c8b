"""Arrays and vocabularies that do not fit, are damaged, or hold what only a pickle could tell."""

from __future__ import annotations

import json
import pickle
import re
import struct

import numpy as np
import pytest
from safetensors.numpy import save_file
from tests.sources.files.faults import fault, written
from tests.sources.files.writers import VECTORS, WORDS

from eatlas import open_vectors

LINES = "\n".join(WORDS).encode()


def npy(tmp_path, array=VECTORS, words=LINES):
    np.save(tmp_path / "v.npy", array)
    if words is not None:
        (tmp_path / "v.vocab").write_bytes(words)
    return tmp_path / "v.npy"


def npz(tmp_path, **arrays):
    np.savez(tmp_path / "v.npz", **arrays)
    return tmp_path / "v.npz"


@pytest.mark.parametrize(
    ("words", "got"),
    [(LINES + b"\nmore", "13 words, 12 vectors"), (LINES[:-5], "11 words, 12 vectors")],
)
def test_a_vocabulary_of_another_length(tmp_path, words, got):
    said = fault(npy(tmp_path, words=words))
    assert f"FILE: the vocabulary does not fit the vectors\n  got: {got}" in said
    assert "remedy: check that both files belong together, one word a line and no header" in said


def test_no_vocabulary(tmp_path):
    said = fault(npy(tmp_path, words=None))
    assert "FILE: the vocabulary is not there\n  got: no v.vocab beside it" in said
    assert "remedy: name it: FILE?vocab=FILE" in said
    assert "got: other.txt" in fault(f"{tmp_path / 'v.npy'}?vocab=other.txt")


@pytest.mark.parametrize(
    "rows", [json.dumps(WORDS), json.dumps({w: i for i, w in enumerate(WORDS)})]
)
def test_a_vocabulary_as_json(tmp_path, rows):
    path = npy(tmp_path, words=None)
    (tmp_path / "w.json").write_text(rows, encoding="utf-8")
    found = open_vectors(f"{path}?vocab=w.json").lookup({"cat"})
    np.testing.assert_array_equal(found["cat"], VECTORS[1])


def test_a_vocabulary_as_a_pickle(tmp_path):
    path = npy(tmp_path, words=None)
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        (tmp_path / "w.pkl").write_bytes(pickle.dumps(WORDS, protocol))
        np.testing.assert_array_equal(
            open_vectors(f"{path}?vocab=w.pkl").lookup({"Über"})["Über"], VECTORS[2]
        )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "this is not JSON"),
        ("[" * 100_000, "this is not JSON"),
        ('"cat"', "this is not a vocabulary\n  got: str\n  allowed: a list of words, or a dict"),
        ('["cat", 7]', "this is not a vocabulary\n  got: 7 at row 1"),
        ('{"cat": 1, "dog": 2}', "the rows of the words are not 0, 1, 2, ...\n  got: 'dog': 2"),
        ('{"cat": 0, "dog": 0}', "the rows of the words are not 0, 1, 2, ..."),
        ('{"cat": "0"}', "got: 'cat': '0'\n  allowed: each row once"),
    ],
)
def test_json_that_is_no_vocabulary(tmp_path, content, said):
    path = npy(tmp_path, words=None)
    (tmp_path / "w.json").write_text(content, encoding="utf-8")
    assert said in fault(f"{path}?vocab=w.json")


def test_a_vocabulary_in_latin_1(tmp_path):
    said = fault(npy(tmp_path, np.eye(2), b"cat\ncaf\xe9\n"))
    assert "v.vocab, line 2: the file is not UTF-8\n  got: byte 0xe9" in said
    assert "remedy: write it anew in UTF-8" in said


def test_a_word_that_stands_twice(tmp_path):
    source = open_vectors(npy(tmp_path, np.eye(3), b"cat\r\ncat\r\ndog"))
    np.testing.assert_array_equal(source.lookup({"cat"})["cat"], [1, 0, 0])
    assert "1 duplicate word" in source.notes[0]


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.zeros(3), "FILE: this is not an array of vectors\n  got: float64, shape (3,)"),
        (np.zeros((1, 2), complex), "got: complex128, shape (1, 2)"),
        (np.array([["x"]]), "got: <U1, shape (1, 1)"),
        (np.zeros((0, 3)), "got: float64, shape (0, 3)"),
        (np.zeros((2, 2, 2)), "allowed: numbers, shape (words, components)"),
        (
            np.array([{}]),
            "FILE: the array holds Python objects, which only a pickle can restore",
        ),
        (np.zeros(2, [("a", "f4")]), "FILE: this is not a plain array"),
    ],
)
def test_arrays_that_hold_no_vectors(tmp_path, array, said):
    assert said in fault(npy(tmp_path, array, b"x"))


@pytest.mark.parametrize("size", [1, 9, 380])
def test_an_array_that_ends_early(tmp_path, size):
    path = npy(tmp_path)
    path.write_bytes(path.read_bytes()[:-size])
    assert "FILE: the array ends early\n  got: " in fault(path)
    assert "allowed: 384 bytes, as its head announces: float32, (12, 8)" in fault(path)


def test_a_head_that_announces_the_impossible(tmp_path):
    path = npy(tmp_path)
    raw = path.read_bytes()
    path.write_bytes(raw.replace(b"(12, 8)", b"(9999999999999, 8)".ljust(7)))
    assert "FILE: the " in fault(path)
    path.write_bytes(raw.replace(b"'shape'", b"'shop' "))
    assert "FILE: the head of the array cannot be read" in fault(path)
    path.write_bytes(raw[:40])
    assert "FILE: the head of the array cannot be read" in fault(path)


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_components_that_are_not_finite(tmp_path, bad):
    said = fault(npy(tmp_path, np.float32([[1, bad]]), b"cat"))
    assert f"FILE, the vector of 'cat': a component is not finite\n  got: {bad}" in said


def test_doubles_stay_doubles_and_halves_become_singles(tmp_path):
    for kind, expected in (("f8", "f8"), ("f2", "f4"), ("i4", "f8"), ("u1", "f8"), (">f4", "f4")):
        array = np.array([[1, 2], [3, 4]], kind)
        found = open_vectors(npy(tmp_path, array, b"cat\ndog")).lookup({"dog"})["dog"]
        assert found.dtype == np.dtype(expected)
        np.testing.assert_array_equal(found, [3, 4])


# --- npz ------------------------------------------------------------------------------------------


def test_an_archive_of_several_arrays(tmp_path):
    path = npz(tmp_path, a=VECTORS, b=-VECTORS, words=np.array(WORDS))
    assert "FILE: no single array holds the vectors\n  got: a (float32, shape (12, 8)), b" in fault(
        path
    )
    assert "remedy: name it: FILE?vectors=NAME" in fault(path)
    found = open_vectors(f"{path}?vectors=b").lookup({"cat"})
    np.testing.assert_array_equal(found["cat"], -VECTORS[1])
    assert "there is no such array\n  got: c\n  allowed: a (float32" in fault(f"{path}?vectors=c")


@pytest.mark.parametrize(
    ("arrays", "said"),
    [
        ({"vectors": VECTORS, "words": np.array(WORDS, object)}, "FILE, words: the array holds Python"),
        ({"vectors": VECTORS, "words": np.array([*WORDS, "x"])}, "got: 13 words, 12 vectors"),
        ({"vectors": VECTORS}, "FILE: the vocabulary is not there"),
        ({"words": np.array(WORDS)}, "FILE: no single array holds the vectors"),
        ({"vectors": np.eye(2), "words": np.array([b"cat", b"caf\xe9"])}, "words, row 1: the file is not"),
        ({"vectors": np.full((1, 1), np.nan), "words": np.array(["cat"])}, "a component is not finite"),
    ],
)  # fmt: skip
def test_archives_of_arrays_that_do_not_fit(tmp_path, arrays, said):
    assert said in fault(npz(tmp_path, **arrays))


def test_an_array_that_grows_beyond_all_proportion(tmp_path):
    words = np.array([""], "U17000000")
    np.savez_compressed(tmp_path / "v.npz", vectors=np.zeros((1, 3)), words=words)
    assert "words: this declares far more than a file of its size holds" in fault(
        tmp_path / "v.npz"
    )


# --- safetensors ----------------------------------------------------------------------------------


def tensors(tmp_path, **arrays):
    save_file(arrays, tmp_path / "v.safetensors")
    (tmp_path / "v.vocab").write_bytes(LINES)
    return tmp_path / "v.safetensors"


def forged(tmp_path, facts: object, data: bytes = b"\0" * 384):
    head = facts if isinstance(facts, bytes) else json.dumps(facts).encode()
    (tmp_path / "v.vocab").write_bytes(LINES)
    return written(tmp_path / "v.safetensors", struct.pack("<Q", len(head)) + head + data)


def test_several_tensors(tmp_path):
    path = tensors(tmp_path, a=VECTORS, b=-VECTORS)
    assert "FILE: no single tensor holds the vectors\n  got: a, b" in fault(path)
    found = open_vectors(f"{path}?tensor=b").lookup({"cat"})
    np.testing.assert_array_equal(found["cat"], -VECTORS[1])
    assert "there is no such tensor\n  got: c\n  allowed: a, b" in fault(f"{path}?tensor=c")


def test_bfloat16(tmp_path):
    halves = (VECTORS.view(np.uint32) >> 16).astype("<u2")
    facts = {"v": {"dtype": "BF16", "shape": [12, 8], "data_offsets": [0, 192]}}
    source = open_vectors(forged(tmp_path, facts, halves.tobytes()))
    expected = (halves.astype(np.uint32) << 16).view(np.float32)
    np.testing.assert_array_equal(source.lookup({"rose"})["rose"], expected[9])
    np.testing.assert_array_equal(np.concatenate([v for _, v in source.iter_chunks(5)]), expected)


@pytest.mark.parametrize(
    ("facts", "said"),
    [
        (b"{", "FILE: the head of this safetensors file is damaged"),
        (b"[]", "the head of this safetensors file is damaged\n  got: Error while"),
        ({}, "(file not fully covered|MetadataIncompleteBuffer)"),
        ({"v": {"dtype": "F32", "shape": [12, 8]}}, "(missing field `data_offsets`|InvalidHeaderDeserialization)"),
        ({"v": {"dtype": "F32", "shape": [12, 8], "data_offsets": [0, 385]}}, "(invalid shape, data type, or offset for tensor|TensorInvalidInfo)"),
        ({"v": {"dtype": "F32", "shape": [13, 8], "data_offsets": [0, 416]}}, "(file not fully covered|MetadataIncompleteBuffer)"),
        ({"v": {"dtype": "F32", "shape": [12, -8], "data_offsets": [0, 384]}}, "damaged"),
        ({"v": {"dtype": "F32", "shape": [12, 8], "data_offsets": [-384, 0]}}, "damaged"),
        ({"v": {"dtype": "I64", "shape": [12, 4], "data_offsets": [0, 384]}}, "got: I64\n  allowed: F64"),
        ({"v": {"dtype": "F32", "shape": [12, 8.0], "data_offsets": [0, 384]}}, "damaged"),
    ],
)  # fmt: skip
def test_heads_that_are_damaged(tmp_path, facts, said):
    assert re.search(said, fault(forged(tmp_path, facts)))


def test_a_head_longer_than_the_file(tmp_path):
    path = written(tmp_path / "v.safetensors", struct.pack("<Q", 1 << 60) + b"{}")
    said = fault(path)
    assert "damaged\n  got: Error while deserializing header: " in said
    assert re.search("header too large|HeaderTooLarge", said)
