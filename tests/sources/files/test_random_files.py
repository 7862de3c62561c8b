"""Files made at random: sound ones come back, any bytes are read or refused with our error.

``tools/fuzz_readers.py`` damages sound files for as long as one likes.
"""

from __future__ import annotations

import csv
import io
import json
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.sources.files.faults import read_all, written
from tests.sources.files.writers import Data, as_text, word2vec_binary_lines

from eatlas import open_vectors
from eatlas.errors import SourceError

BEGINNINGS = (
    b"", b"\x93NUMPY\x01\x00", b"PAR1", b"PK\x03\x04", b"\x1f\x8b\x08", b"BZh9", b"\xfd7zXZ\x00", b"\x28\xb5\x2f\xfd", b"3 2\n", b"the 1 2\n",
    b"\x20\x00\x00\x00\x00\x00\x00\x00{", b"\xef\xbb\xbf", b"word,1,2\n", b"\x00" * 257 + b"ustar",
)  # fmt: skip
NAMES = ("v", "v.txt", "v.bin", "v.csv", "v.npy", "v.kv", "v.safetensors", "v.h5", "v.zip", "v.tsv")


@settings(max_examples=150)
@given(st.sampled_from(BEGINNINGS), st.binary(max_size=400), st.sampled_from(NAMES))
def test_any_bytes(beginning, rest, name):
    with TemporaryDirectory() as folder:
        path = written(Path(folder) / name, beginning + rest)
        (path.with_suffix(".vocab")).write_text("a\nb\n")
        with suppress(SourceError):
            read_all(path)


PLAIN = st.characters(
    codec="utf-8", exclude_categories=["Cc", "Cs", "Z"], exclude_characters="\ufeff"
)
# in a table words may hold separators and quotation marks; control characters mean binary data
CELLS = st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"], exclude_characters="\ufeff")
ANY = st.characters(codec="utf-8", exclude_categories=["Cs"], exclude_characters="\r\n\x00\ufeff")


@st.composite
def vectors(draw, letters) -> Data:
    words = draw(
        st.lists(st.text(letters, min_size=1, max_size=12), min_size=1, max_size=20, unique=True)
    )
    dim = draw(st.integers(2, 9))
    numbers = st.floats(width=32, allow_nan=False, allow_infinity=False)
    return Data(words, draw(arrays(np.float32, (len(words), dim), elements=numbers)))


def as_csv(data: Data) -> bytes:
    table = io.StringIO()
    rows = zip(data.words, data.vectors.tolist(), strict=True)
    csv.writer(table).writerows([["word", *range(data.dim)], *([word, *row] for word, row in rows)])
    return table.getvalue().encode()


def comes_back(data: Data, path: Path, rows: int) -> None:
    source = open_vectors(path)
    found = source.lookup(data.words)
    assert set(found) == set(data.words)
    for word, vector in zip(data.words, data.vectors, strict=True):
        np.testing.assert_array_equal(found[word], vector)
    chunks = list(source.iter_chunks(rows))
    assert (
        [word for chunk in chunks for word in chunk[0]] == list(source.vocabulary()) == data.words
    )
    np.testing.assert_array_equal(np.concatenate([chunk[1] for chunk in chunks]), data.vectors)


@given(vectors(PLAIN), st.booleans(), st.sampled_from(["\n", "\r\n"]), st.integers(1, 9))
@example(Data(["1", "2.5", "nan"], np.eye(3, dtype=np.float32)), False, "\n", 2)
def test_text(data, header, end, rows):
    with TemporaryDirectory() as folder:
        comes_back(data, written(Path(folder) / "v.txt", as_text(data, header, end=end)), rows)


@given(vectors(PLAIN), st.integers(1, 9))
def test_word2vec_binary(data, rows):
    with TemporaryDirectory() as folder:
        comes_back(data, Path(word2vec_binary_lines(Path(folder), data)), rows)


@given(vectors(CELLS), st.integers(1, 9))
def test_tables(data, rows):
    with TemporaryDirectory() as folder:
        comes_back(data, written(Path(folder) / "v.csv", as_csv(data)), rows)


@given(vectors(ANY), st.integers(1, 9), st.sampled_from(["txt", "json"]))
def test_arrays(data, rows, kind):
    with TemporaryDirectory() as folder:
        np.save(Path(folder) / "v.npy", data.vectors)
        words = json.dumps(data.words) if kind == "json" else "\n".join(data.words) + "\n"
        written(Path(folder) / f"v.vocab.{kind}", words.encode())
        comes_back(data, Path(folder) / "v.npy", rows)
