"""Files that cannot be read: what is said, that nothing runs, and how little memory it takes."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import pickle
import struct
import zipfile

import h5py
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.sources.files import writers
from tests.sources.files.faults import fault, no_more_memory_than, written
from tests.sources.files.writers import VECTORS, WORDS, as_text

from eatlas import decoding, open_vectors
from eatlas.errors import SourceError

LINES = "\n".join(WORDS).encode()
TEXT = as_text()
GROWS = "it expands to far more data than a file of its size should"
BINARY = b"2 2\ncat " + np.float32([1, 2]).tobytes() + b"dog " + np.float32([3, 4]).tobytes()


def saved(array, save=np.save) -> bytes:
    out = io.BytesIO()
    save(out, array) if save is np.save else save(out, **array)
    return out.getvalue()


def zipped(*members: tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def parquet(**columns) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out, compression="zstd")
    return out.getvalue()


def hdf5(**parts) -> bytes:
    out = io.BytesIO()
    with h5py.File(out, "w") as file:
        for name, value in parts.items():
            file[name] = value
    return out.getvalue()


def tensors(facts: object, data: bytes = b"\0" * 384) -> bytes:
    head = facts if isinstance(facts, bytes) else json.dumps(facts).encode()
    return struct.pack("<Q", len(head)) + head + data


PACKED = "the compressed data are damaged or end early"
DAMAGED = "is damaged, or of a kind that cannot be read"
SECRET = {"v": {"dtype": "F32", "shape": [12, 8], "data_offsets": [0, 384]}}
REFUSED = [
    # what is no file of vectors
    ("v.txt", b"%PDF-1.7\n", "line 1: not a word and its vector\n  got: '%PDF-1.7'"),
    ("v.txt", b"<!DOCTYPE html>", "unknown file type\n  got: a web page\n  allowed: text, table, "),
    ("v.txt", b"version https://git-lfs.github.com", "remedy: fetch the file itself: git lfs pull"),
    ("v.txt", "cat 1 2\n".encode("utf-16"), "its first bytes look like UTF-16"),
    ("v.txt", b"the \x00\x01\x02", "binary data: 74 68 65 20 00 01 02"),
    ("v.xyz", b"\x00\x01\x02", "unknown file type\n  got: binary data: 00"),
    # text
    ("v.txt", b"", "the file is empty"),
    ("v.txt", b"only prose stands here\n", "line 1: not a word and its vector"),
    ("v.txt", b"word\n", "line 1: not a word and its vector"),
    ("v.txt", b"cat 1 2 3\ncow 1 2\n", "line 2: a vector of the wrong length\n  got: 2 numbers after 'cow'\n  allowed: 3 numbers"),
    ("v.txt", b"cat 1 2 3\ncow 1 2 3 4\n", "line 2: a vector of the wrong length\n  got: 4 numbers after 'cow'"),
    ("v.txt", b"2 2\ncat 1 2\nroute 66 3 4\n", "line 3: a vector of the wrong length\n  got: 3 numbers after 'route'"),
    ("v.txt", b"cat 1 2\ncow 1 x\n", "line 2: a component is not a number\n  got: 'x', in the row of 'cow'"),
    ("v.txt", b"cat 1 2\ncow 1 0,5\n", "line 2: a component is not a number\n  got: '0,5', in the row of 'cow'\n  remedy: write decimals with a point, as in 0.5"),
    ("v.csv", b"cat;0,5;1\ncow;1.234,5;2\n", ", line 2: a component is not a number\n  got: '1.234,5', in the row of 'cow'\n  remedy: write all decimals with a comma, and no mark for thousands, as in 1234,5"),
    ("v.csv", b"cat;0,5;1\ncow;0.5;2\n", ", line 2: a component is not a number\n  got: '0.5', in the row of 'cow'\n  remedy: write all decimals with a comma, and no mark for thousands, as in 1234,5"),
    ("v.csv", b"cat;0,5;1\ncow;0,5;2;3\n", "the table cannot be read\n  got: Error tokenizing data. C error: Expected 3 fields in line 2, saw 4"),
    ("v.txt", b"cat 1 2\ncow 1 1_0\n", "line 2: a component is not a number"),
    ("v.txt", b"cat 1 2\ncow 1 nan\n", "line 2 has a component that is not usable\n  got: nan"),
    ("v.txt", b"cat 1 2\ncow 1 -Infinity\n", "line 2 has a component that is not usable\n  got: -inf"),
    ("v.txt", b"cat 1e39 2\n", "the vector of 'cat' has a component that is not usable\n  got: inf"),
    ("v.txt", b"3 2\ncat 1 2\n", "not as long as announced\n  got: 1 vectors\n  allowed: 3 vectors of 2"),
    # compressed
    ("v.gz", gzip.compress(TEXT)[:80], PACKED),
    ("v.gz", gzip.compress(TEXT)[:-8] + b"12345678", "got: CRC check failed"),
    ("v.xz", lzma.compress(TEXT)[:-30], PACKED),
    ("v.bz2", bz2.compress(TEXT)[:-9] + b"123456789", PACKED),
    ("v.gz", gzip.compress(saved(VECTORS)), "cannot be read from a compressed file\n  allowed: text, ta"),
    ("v.gz#x", gzip.compress(TEXT), "this is not a zip archive with members"),
    ("v.zip", zipped(("a.txt", TEXT), ("b.txt", TEXT)), "the archive is empty or has several files\n  got: a.txt, b.txt\n  remedy: choose one: FILE#a.txt"),
    ("v.zip#c", zipped(("a.txt", TEXT)), "the archive has no such member\n  got: c\n  allowed: a.txt"),
    ("v.zip", zipped(("__MACOSX/._v.txt", b"x"), (".DS_Store", b"x")), "the archive is empty or has several files\n  got: no file"),
    # word2vec's binary form
    ("v.bin", BINARY.replace(b"2 2", b"3 2", 1), "not as long as announced\n  got: 2 vectors\n  allowed: 3 vectors of 2 numbers"),
    ("v.bin", BINARY.replace(b"2 2", b"1 2", 1), "not as long as announced\n  got: more bytes"),
    ("v.bin", BINARY[:-1], "remedy: get it again; the copy is probably incomplete"),
    ("v.bin", b"2 3000\n" + b"\xff" * 24_100, "FILE, byte 7: no word here\n  got: b'\\xff"),
    ("v.bin", b"1 2\ncaf\xe9 " + bytes(8), "FILE, byte 4 or later: not UTF-8\n  got: byte 0xe9"),
    ("v.bin", b"1 2\ncat " + np.float32([1, np.nan]).tobytes(), "'cat' has a component that is not usable"),
    # tables
    ("v.csv", b"word,a,b\n", "the table has a header but no rows"),
    ("v.csv", b"word\ncat\n", "not a word and its vector"),
    ("v.csv", b"", "not a table of words and numbers"),
    ("v.csv", b"word,a,b\ncat,1,x\n", ", line 2: a component is not a number\n  got: 'x', in the row of 'cat'"),
    ("v.csv", b"word,a\ncat,1\ndog,1,2\n", "the table cannot be read\n  got: Error tokenizing data. C error: Expected 2 fields in line 3"),
    ("v.csv", b"cat\t0,5\t1\n", "the table has a header but no rows"),
    ("v.csv", b"cat\t0.5\t1\ndog\t0,5\t1\n", "a component is not a number"),
    ("v.csv", b"cat,1,2\ndog,3\n", "line 2: a component is not a number\n  got: '', in the row of 'dog'"),
    ("v.csv", b"word,a\ncat,nan\n", "the vector of 'cat' has a component that is not usable"),
    ("v.csv", b"word,a\ncat,1e99\n", "the vector of 'cat' has a component that is not usable"),
    ("v.csv", b"word,a\ncaf\xe9,1\n", "the table cannot be read\n  got: 'utf-8' codec can't decode byte 0xe9"),
    ("v.csv", b",0,1,img\n0,1,x,a.jpg\n", "a component is not a number"),
    # arrays
    ("v.npy", saved(np.zeros(3)), "not an array of vectors\n  got: float64, shape (3,)"),
    ("v.npy", saved(np.zeros((1, 2), complex)), "not real numbers\n  got: complex128"),
    ("v.npy", saved(np.array([{}])), DAMAGED),
    ("v.npy", saved(VECTORS)[:-1], DAMAGED),
    ("v.npy", saved(VECTORS).replace(b"'shape'", b"'shop' "), DAMAGED),
    ("v.npy", saved(VECTORS[:11]), "the numbers of words and vectors differ\n  got: 12 words, 11 vectors"),
    ("v.npy?vocab=none", saved(VECTORS), "the vocabulary is missing\n  got: none"),
    ("v.npy", saved(np.full((12, 1), np.inf)), "has a component that is not usable\n  got: inf"),
    ("v.npz", saved({"a": VECTORS, "b": VECTORS, "words": np.array(WORDS)}, np.savez), "no single array of this file contains the vectors"),
    ("v.npz?vectors=c", saved({"a": VECTORS, "words": np.array(WORDS)}, np.savez), "got: c\n  allowed: a"),
    ("v.npz", saved({"vectors": VECTORS, "words": np.array(WORDS, object)}, np.savez), "save words with np.array(words, dtype='U')"),
    ("v.npz", lambda: saved({"vectors": np.zeros((1, 3)), "words": np.array([""], "U17000000")}, np.savez_compressed), GROWS),
    ("v.safetensors", tensors(b"{"), DAMAGED),
    ("v.safetensors", tensors({"v": SECRET["v"] | {"shape": [13, 8]}}), DAMAGED),
    ("v.safetensors", tensors({"v": {"dtype": "BF16", "shape": [12, 8], "data_offsets": [0, 192]}}, bytes(192)), DAMAGED),
    ("v.safetensors?tensor=c", tensors(SECRET), "no single array of this file contains the tensor\n  got: c\n  allowed: v"),
    # Parquet and HDF5
    ("v.parquet", parquet(word=["cat", "dog"], v=[[1.0, 2.0], [1.0]]), "all input arrays must have the same shape"),
    ("v.parquet", parquet(word=["cat", None], v=[[1.0], [2.0]]), "column word: a word is missing"),
    ("v.parquet", parquet(word=["cat", "cow"], a=[1.0, None]), "has a component that is not usable"),
    ("v.parquet", parquet(a=["x"], b=["y"], c=[1.0]), "remedy: name it: FILE?words=NAME"),
    ("v.parquet", parquet(word=pa.array([], pa.string()), v=pa.array([], pa.float32())), "not an array of vectors"),
    ("v.parquet", parquet(word=["cat"], v=[[1.0]])[:-9], DAMAGED),
    ("v.h5", hdf5(vectors=np.eye(2), words=np.array([b"cat", b"caf\xe9"])), DAMAGED),
    ("v.h5", hdf5(vectors=VECTORS, words=WORDS)[:1000], DAMAGED),
    # gensim and fastText
    ("v.kv", pickle.dumps([1, 2]), "gensim saved this file as a pickle, which can run code of"),
    ("v.kv?trust=yes", pickle.dumps([1, 2]), DAMAGED),
    ("v.bin", b"\xba\x16O/" + bytes(200), DAMAGED),
]  # fmt: skip


@pytest.mark.parametrize(("name", "data", "expected"), REFUSED, ids=range(len(REFUSED)))
def test_refusals(tmp_path, monkeypatch, name, data, expected):
    monkeypatch.chdir(tmp_path)
    data = data if isinstance(data, bytes) else data()  # what is large is made when it is needed
    path = written(tmp_path / name.partition("?")[0].partition("#")[0], data)
    (tmp_path / "v.vocab").write_bytes(LINES)
    spec = str(tmp_path / name)
    assert expected in fault(spec).replace(str(path), "FILE")


@pytest.mark.parametrize("content", [b"{", b'"cat"', b'["cat", 7]', b'{"cat": 0, "dog": 0}'])
def test_json_that_is_no_vocabulary(tmp_path, content):
    (tmp_path / "w.json").write_bytes(content)
    path = written(tmp_path / "v.npy", saved(VECTORS))
    assert "not a list of words\n  allowed: one word per line" in fault(f"{path}?vocab=w.json")


# --- pickles --------------------------------------------------------------------------------------


class Runs:
    """A pickle of this makes a folder when it is loaded: harmless, and seen."""

    def __init__(self, path) -> None:
        self.path = path

    def __reduce__(self):
        return os.mkdir, (str(self.path),)


@pytest.mark.parametrize("protocol", range(6))
def test_a_pickled_list_is_read_and_nothing_runs(tmp_path, protocol):
    np.save(tmp_path / "v.npy", VECTORS)
    words, spec = tmp_path / "w.pkl", f"{tmp_path / 'v.npy'}?vocab=w.pkl"
    words.write_bytes(pickle.dumps(WORDS, protocol))
    assert list(open_vectors(spec).vocabulary()) == WORDS
    mark = tmp_path / "it ran"
    for value in (Runs(mark), ["cat", Runs(mark)], {"cat": 0}, ["cat", 7], ("cat",)):
        words.write_bytes(pickle.dumps(value, protocol))
        assert "not a list of words" in fault(spec)
    assert not mark.exists()
    data = pickle.dumps(WORDS, protocol)
    for size in range(0, len(data) - 1, 7):
        words.write_bytes(data[:size])
        assert "not a list of words" in fault(spec)


def test_python_2_wrote_texts_as_bytes(tmp_path):
    np.save(tmp_path / "v.npy", np.eye(2))
    for data in (
        b"(lp1\nS'cat'\np2\naS'caf\\xc3\\xa9'\np3\na.",
        b"]q\x01(U\x03catU\x05caf\xc3\xa9e.",
    ):
        (tmp_path / "w.pkl").write_bytes(data)
        assert list(open_vectors(f"{tmp_path}/v.npy?vocab=w.pkl").vocabulary()) == ["cat", "café"]


# --- files of some kilobytes that stand for gigabytes ----------------------------------------------

BOMBS = {
    "lines": (b"", b"the" + b" 0.25" * 800 + b"\n"),
    "blanks": (b"the 1 2\n", b"\n" * 4096),
    "one line": (b"the 1 2\nword", b" 0.25" * 4096),
}


@pytest.mark.parametrize("pack", [gzip.compress, lambda data: zipped(("v.txt", data))])
@pytest.mark.parametrize("kind", BOMBS)
def test_text_that_grows_beyond_all_proportion(tmp_path, monkeypatch, kind, pack):
    """With a limit a hundredth of the real one: bombs of 1 MB instead of 72 MB."""
    head, piece = BOMBS[kind]
    monkeypatch.setattr(decoding, "FREE_BYTES", 1 << 19)
    bomb = written(tmp_path / "bomb", pack(head + piece * ((2 << 20) // len(piece))))
    with no_more_memory_than(120 << 20):
        assert GROWS in fault(bomb)


def test_the_limit_is_raised_by_the_user(tmp_path, monkeypatch):
    path = tmp_path / "zeros.npz"
    monkeypatch.setattr(decoding, "FREE_BYTES", 10)
    monkeypatch.setenv("EATLAS_MAX_GROWTH", "1")
    np.savez_compressed(path, vectors=np.zeros((500, 50)), words=["a"] * 500)
    assert GROWS in fault(path)
    monkeypatch.setenv("EATLAS_MAX_GROWTH", "5000")
    assert open_vectors(path).dim == 50
    monkeypatch.setenv("EATLAS_MAX_GROWTH", "much")
    with pytest.raises(SourceError, match="EATLAS_MAX_GROWTH: this environment variable is not a"):
        open_vectors(path)


# --- odd files that are sound ---------------------------------------------------------------------


def test_a_member_by_name(tmp_path):
    turned = as_text(writers.Data(WORDS, -VECTORS))
    path = written(tmp_path / "v.zip", zipped(("a/v.txt", TEXT), ("b.txt", turned)))
    for member, sign in (("a/v.txt", 1), ("b.txt", -1)):
        source = open_vectors(f"{path}#{member}")
        np.testing.assert_array_equal(source.lookup({"cat"})["cat"], sign * VECTORS[1])
        assert source.name == f"{path}#{member}"


def test_types_of_numbers(tmp_path):
    (tmp_path / "v.vocab").write_text("cat\ndog\n")
    for kind, expected in (("f8", "f8"), ("f2", "f4"), ("i4", "f8"), ("u1", "f8"), (">f4", "f4")):
        path = written(tmp_path / "v.npy", saved(np.array([[1, 2], [3, 4]], kind)))
        found = open_vectors(path).lookup({"dog"})["dog"]
        assert found.dtype == np.dtype(expected)
        np.testing.assert_array_equal(found, [3, 4])


def test_parts_by_name(tmp_path):
    path = written(
        tmp_path / "v.h5", hdf5(a=VECTORS, **{"g/b": -VECTORS}, w1=WORDS, w2=WORDS[::-1])
    )
    found = open_vectors(f"{path}?vectors=g/b&words=w2").lookup({"the"})
    np.testing.assert_array_equal(found["the"], -VECTORS[11])
    path = written(
        tmp_path / "v.parquet", parquet(a=["cat"], b=["dog"], v=[[1.0, 2.0]], u=[[3.0, 4.0]])
    )
    found = open_vectors(f"{path}?words=b&vectors=u").lookup({"cat", "dog"})
    assert {word: vector.tolist() for word, vector in found.items()} == {"dog": [3.0, 4.0]}


def test_sentences_with_a_slash_in_hdf5(tmp_path):
    parts = {
        "targ1/This is he/she.": np.float32([1, 2]),
        "targ1/category": "Pronouns",
        "attr1/This is it.": np.float32([[3, 4]]),
    }
    found = open_vectors(written(tmp_path / "v.h5", hdf5(**parts))).lookup(
        {"This is he/she.", "This is it.", "category"}
    )
    assert {word: vector.tolist() for word, vector in found.items()} == {
        "This is he/she.": [1, 2],
        "This is it.": [3, 4],
    }


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("v.bin", b"3 1\n" + b"".join(w + b" " + np.float32([k]).tobytes() for k, w in enumerate([b"cat", b"cat", b"dog"]))),
        ("v.txt", b"cat 0\ncat 1\ndog 2\n"),
        ("v.csv", b"word,a\ncat,0\ncat,1\ndog,2\n"),
        ("v.parquet", parquet(word=pa.array(["cat", "cat", "dog"]).dictionary_encode(), v=[[0.0], [1.0], [2.0]])),
    ],
)  # fmt: skip
def test_of_duplicates_the_first_wins_and_it_is_said(tmp_path, name, data):
    source = open_vectors(written(tmp_path / name, data))
    np.testing.assert_array_equal(source.lookup({"cat"})["cat"], [0])
    assert tuple(map(str, source.notes)) == (
        f"{source.name}: 1 duplicate word; the first entry of each was used.",
    )
    assert [words for words, _ in source.iter_chunks(2)] == [["cat", "cat"], ["dog"]]
