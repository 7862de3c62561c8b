"""Content decides what a file is; a name settles only what content leaves open."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.sources.files.faults import fault, written
from tests.sources.files.writers import FORMATS, VECTORS, WORDS

from eatlas import open_vectors

ONE_FILE = [w for w in FORMATS if w.__name__ not in {
    # these need files beside them, a member, or an option
    "gensim_kv_side_files", "gensim_model_side_files", "npy", "npy_fortran_big_endian", "zip_member",
    "npz_compressed_with_vocabulary", "safetensors", "spacy_folder", "tar_gz",
}]  # fmt: skip


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["v", "v.bin", "v.dat"])
@pytest.mark.parametrize("writer", ONE_FILE, ids=lambda writer: writer.__name__)
def test_a_name_that_says_nothing_or_lies(writer, name, tmp_path):
    path = Path(writer(tmp_path)).rename(tmp_path / name)
    if name == "v.bin" and writer.__name__ in {"word2vec_text", "fasttext_vec"}:
        path = path.rename(tmp_path / "v.txt")  # a header and .bin: then binary is meant
    found = open_vectors(path).lookup(WORDS)
    np.testing.assert_array_equal([found[word] for word in WORDS], VECTORS)


@pytest.mark.parametrize(
    ("data", "got", "remedy"),
    [
        (b"%PDF-1.7\n", "PDF", "if you know better, say so: ?format=NAME"),
        (b"<!DOCTYPE html>\n<html>404</html>", "HTML", "if you know better"),
        (b"\x7fELF\x02\x01", "a program", "if you know better"),
        (b"\x89PNG\r\n\x1a\n", "an image", "if you know better"),
        (b'{"cat": [1, 2]}', "JSON", "if you know better"),
        (b'[{"word": "cat"}]', "JSON", "if you know better"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it, and open the file in it"),
        (b"Rar!\x1a\x07", "a RAR archive", "unpack it"),
        (
            b"version https://git-lfs.github.com/spec/v1\n",
            "a pointer of git LFS",
            "fetch the file itself",
        ),
        ("cat 1 2\n".encode("utf-16"), "UTF-16, to judge by its first bytes", "save it as UTF-8"),
        (b"\x00\x01\x02", "binary data: 00 01 02", "if you know better"),
        (b"the \x00\x01\x02", "binary data: 74 68 65 20 00 01 02", "if you know better"),
    ],
)
def test_files_that_hold_no_vectors(tmp_path, data, got, remedy):
    said = fault(written(tmp_path / "v.txt", data))
    assert f"FILE: this kind of file is not known\n  got: {got}\n  allowed: text (GloVe, wo" in said
    assert f"remedy: {remedy}" in said


def test_decimal_commas(tmp_path):
    for text in (b"cat;0,5;0,25\n", b"word;a;b\ncat;-1,5;3\n", b"cat\t0,5\t1\n"):
        said = fault(written(tmp_path / "v.csv", text))
        assert "numbers have commas before their decimals\n  got: 'cat" in said
        assert "remedy: write the table with decimal points" in said


def test_a_table_whose_terms_hold_commas(tmp_path):
    source = open_vectors(written(tmp_path / "v.csv", b"a, b;1;2\nc;3;4\n"))
    assert source.lookup({"a, b"})["a, b"].tolist() == [1, 2]


def test_a_folder(tmp_path):
    said = fault(tmp_path)
    assert (
        "FILE: this is a directory\n  allowed: a file of vectors, or the folder of a spaCy" in said
    )
