"""The index of a large file: what it saves, and that nothing in it is taken on trust."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from tests.sources.files.writers import Data, as_text, matrix, word2vec_binary

from eatlas import open_vectors
from eatlas.errors import SourceError
from eatlas.sources import word2vec

DATA = Data([f"word{i}" for i in range(4000)] + ["über", "word7"], matrix(4002, 4))
WANTED = {"word0", "word7", "word1999", "word3999", "über", "none"}


@pytest.fixture(autouse=True)
def _index_of_small_files(monkeypatch):
    monkeypatch.setattr(word2vec, "_INDEX_FROM", 0)


TEXT = as_text(DATA)


def text(folder: Path) -> Path:
    path = folder / "v.txt"
    path.write_bytes(TEXT)
    return path


@pytest.fixture(params=["text", "binary"])
def path(request, tmp_path) -> Path:
    if request.param == "text":
        return text(tmp_path)
    once = Data(DATA.words[:-1], DATA.vectors[:-1])  # gensim writes no word twice
    return Path(word2vec_binary(tmp_path, once))


def vectors(path, words=WANTED):
    return dict(open_vectors(path).lookup(words))


def same(some, others) -> bool:
    return set(some) == set(others) and all(
        np.array_equal(some[word], others[word]) for word in some
    )


def expected() -> dict[str, np.ndarray]:
    return {word: DATA.vectors[DATA.words.index(word)] for word in WANTED - {"none"}}


def index_of(path) -> Path:
    """Where the index of a file lies, or will."""
    return open_vectors(path)._index_path()


def test_same_answers_with_and_without(path):
    first, second = open_vectors(path), open_vectors(path)
    fingerprint = open_vectors(path).fingerprint
    assert same(first.lookup(WANTED), expected())
    assert index_of(path).exists()
    assert same(second.lookup(WANTED), expected())
    np.testing.assert_array_equal(second.lookup({"word42"})["word42"], DATA.vectors[42])
    assert list(second.vocabulary()) == [word for words, _ in first.iter_chunks() for word in words]
    assert second.fingerprint == fingerprint
    assert second.notes == first.notes
    assert [other.name for other in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("change", ["longer", "other content", "other time", "a copy"])
def test_an_index_that_does_not_fit_is_made_anew(tmp_path, change):
    path = text(tmp_path)
    vectors(path)
    stale = index_of(path)
    if change == "longer":
        path.write_bytes(path.read_bytes() + b"none" + b" 1" * 4 + b"\n")
    elif change == "other content":
        path.write_bytes(TEXT.replace(b"word0 ", b"word_ ", 1))
    elif change == "other time":
        os.utime(path, (1, 1))
    else:  # another inode
        shutil.copy2(path, tmp_path / "copy")
        (tmp_path / "copy").replace(path)
    found = vectors(path)
    assert ("none" in found, "word0" in found) == (
        change == "longer",
        change != "other content",
    )
    assert index_of(path) != stale
    assert same(vectors(path), found)


@pytest.mark.parametrize("seed", range(5))
def test_any_damage_is_found(tmp_path, seed):
    path = text(tmp_path)
    vectors(path)
    rng = np.random.default_rng(seed)
    raw = bytearray(index_of(path).read_bytes())
    at = int(rng.integers(len(raw) if seed % 2 else 200))
    if seed % 5 == 0:
        raw = raw[:at]
    elif seed % 5 == 1:
        del raw[at]
    else:
        raw[at] ^= 1 << int(rng.integers(8))
    index_of(path).write_bytes(raw)
    assert same(vectors(path), expected())
    assert same(vectors(path), expected())


def test_a_file_that_changes_before_or_after_it_has_an_index(tmp_path):
    path = text(tmp_path)
    before = open_vectors(path)
    path.write_bytes(path.read_bytes() + b"more" + b" 1" * 4 + b"\n")
    after = open_vectors(path)
    after.lookup({"word3"})
    path.write_bytes(path.read_bytes() + b"again" + b" 1" * 4 + b"\n")
    for source in (before, after):
        with pytest.raises(SourceError, match="the file changed while it was read"):
            source.lookup({"word4"})
