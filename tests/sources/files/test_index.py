"""The index of a large file: what it saves, and that nothing in it is taken on trust."""

from __future__ import annotations

import os
import shutil
from functools import cache

import numpy as np
import pytest
from tests.inputs import no_file_longer_than
from tests.sources.files.writers import Data, as_text, csv_file, matrix, word2vec_binary

from eatlas import open_vectors
from eatlas.errors import SourceError, SourceWarning
from eatlas.folders import cache_folder
from eatlas.sources.files.sequential import Index, read_index, write_index

# more than 1 MiB, so that opening reads no further than the head, and that the middle lies in
# neither of the ends that are hashed
DATA = Data([f"word{i}" for i in range(8000)] + ["über", "word7"], matrix(8002, 16))
WANTED = {"word0", "word7", "word1999", "word3999", "über", "none"}


@cache
def written() -> bytes:
    """DATA as text, for most of the tests."""
    return as_text(DATA)


def text(folder, data=DATA):
    path = folder / "v.txt"
    path.write_bytes(written() if data is DATA else as_text(data))
    return path


def vectors(path, words=WANTED, options="index=yes"):
    return dict(open_vectors(f"{path}?{options}").lookup(words))


def same(one, other) -> bool:
    return set(one) == set(other) and all(np.array_equal(one[word], other[word]) for word in one)


def index_of(path, options="index=yes"):
    """Where the index of a file lies, or will."""
    return open_vectors(f"{path}?{options}")._index_path()


def spoil_the_middle(path, new=b"###"):
    """Change a line in the middle; neither size, time of change nor ends tell."""
    stat, raw = path.stat(), bytearray(path.read_bytes())
    at = raw.index(b"word1500 ")
    raw[at + 9 : at + 12] = new
    path.write_bytes(raw)
    os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))


@pytest.fixture(params=["text", "csv", "binary"])
def path(request, tmp_path):
    if request.param == "text":
        return text(tmp_path)
    writer = csv_file if request.param == "csv" else word2vec_binary
    once = Data(DATA.words[:-1], DATA.vectors[:-1])  # gensim writes no word twice
    return tmp_path / writer(tmp_path, once).rsplit("/", 1)[1]


def test_same_answers_with_and_without(path):
    plain = vectors(path, options="index=no")
    assert not index_of(path).exists()
    assert set(plain) == WANTED - {"none"}
    assert same(vectors(path), plain)
    index, words = read_index(index_of(path)), open_vectors(f"{path}?index=no").vocabulary()
    assert len(index.starts) == sum(1 for _ in words)
    assert [one.name for one in path.parent.iterdir()] == [path.name]
    assert same(vectors(path), plain)


def test_a_second_lookup_makes_no_pass(tmp_path):
    path = text(tmp_path)
    before = vectors(path)
    source = open_vectors(f"{path}?index=yes")
    assert same(source.lookup(WANTED), before)
    assert not source._digest.started  # a pass hashes the file beside it


def test_a_word_that_was_not_asked_for_at_first(tmp_path):
    path = text(tmp_path)
    vectors(path)
    source = open_vectors(f"{path}?index=yes")
    np.testing.assert_array_equal(source.lookup({"word42"})["word42"], DATA.vectors[42])
    assert not source._digest.started


def test_a_change_that_restores_size_and_time_is_seen(tmp_path):
    path = text(tmp_path)
    first = open_vectors(f"{path}?index=yes")
    first.lookup(WANTED)
    spoil_the_middle(path, b"9.5")
    changed = open_vectors(f"{path}?index=yes")
    assert changed.lookup({"word1500"})["word1500"][0] >= 9.5
    assert changed.fingerprint == open_vectors(f"{path}?index=no").fingerprint != first.fingerprint
    spoil_the_middle(path)
    with pytest.raises(SourceError, match="line 1501: a component is not a number"):
        vectors(path)


def test_an_index_that_came_with_the_file_is_made_anew(tmp_path):
    """As an archive unpacks both: same content, same time of change, another inode."""
    path = text(tmp_path)
    vectors(path)
    forge(path, without={"word7"})
    assert "word7" not in vectors(path)  # whoever may write here may change the vectors as well
    folder = tmp_path / "unpacked"
    folder.mkdir()
    shutil.copy2(path, folder / path.name)
    shutil.copy2(index_of(path), index_of(folder / path.name))
    os.utime(folder / path.name)  # the copy of the index is that of an earlier state
    assert "word7" in vectors(folder / path.name)
    assert open_vectors(f"{folder / path.name}?index=yes").fingerprint.startswith("sha256:")
    assert vectors(folder / path.name).keys() == WANTED - {"none"}


def forge(path, without):
    """Write an index that hides words and states a hash of its own; its checksums are sound."""
    true = read_index(index_of(path))
    rows = [row for row, word in enumerate(true.words) if word.decode() not in without]
    words = b"\n".join(true.words[row] for row in rows)
    write_index(index_of(path), Index(words, true.starts[rows], "0" * 64, b"\n"))


def test_duplicates_are_noted(tmp_path):
    path = text(tmp_path)
    for _ in range(2):
        source = open_vectors(f"{path}?index=yes")
        np.testing.assert_array_equal(source.lookup({"word7"})["word7"], DATA.vectors[7])
        assert "1 duplicate word" in source.notes[0]


def test_the_fingerprint_is_the_same(path):
    plain = open_vectors(f"{path}?index=no").fingerprint
    vectors(path)
    indexed = open_vectors(f"{path}?index=yes")
    assert indexed.fingerprint == plain
    indexed.lookup(WANTED)
    assert indexed.fingerprint == plain


def test_small_and_compressed_files_get_none(tmp_path):
    path = text(tmp_path)
    vectors(path, options="index=auto")
    assert [p.name for p in tmp_path.iterdir()] == ["v.txt"]
    packed = tmp_path / "v.txt.gz"
    import gzip

    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert same(vectors(packed), vectors(path, options="index=no"))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["v.txt", "v.txt.gz"]


# --- an index that does not fit is made anew ------------------------------------------------------


@pytest.mark.parametrize("change", ["longer", "other content", "other time"])
def test_a_file_that_changed(tmp_path, change):
    path = text(tmp_path)
    vectors(path)
    stale = index_of(path)
    if change == "longer":
        path.write_bytes(path.read_bytes() + b"none" + b" 1" * 16 + b"\n")
    elif change == "other content":
        stat = path.stat()
        path.write_bytes(written().replace(b"word0 ", b"word_ ", 1))
        os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
    else:
        os.utime(path, (1, 1))
    plain = vectors(path, options="index=no")
    assert same(vectors(path), plain)
    assert index_of(path).exists()
    assert not stale.exists()
    assert same(vectors(path), plain)


def test_the_index_of_another_file(tmp_path):
    path, other = text(tmp_path), tmp_path / "other.txt"
    other.write_bytes(as_text(Data(DATA.words[::-1], DATA.vectors)))
    vectors(other)
    index_of(path).parent.mkdir(exist_ok=True)
    shutil.copy(index_of(other), index_of(path))
    assert same(vectors(path), vectors(path, options="index=no"))
    assert read_index(index_of(path)).words != read_index(index_of(other)).words


def test_another_way_to_read_makes_another_index(tmp_path):
    path = text(tmp_path)
    vectors(path)
    found = vectors(path, {"über", "Ã¼ber"}, options="index=yes&encoding=latin-1")
    assert set(found) == {"Ã¼ber"}
    assert index_of(path) != index_of(path, "index=yes&encoding=latin-1")


@pytest.mark.parametrize("seed", range(25))
def test_any_damage_is_found(tmp_path, seed):
    path = text(tmp_path)
    plain = vectors(path)
    sound = index_of(path).read_bytes()
    rng = np.random.default_rng(seed)
    raw = bytearray(sound)
    size = len(raw) if seed % 2 else 900
    kind = seed % 5
    at = int(rng.integers(size))
    if kind == 0:
        raw = raw[:at]
    elif kind == 1:
        del raw[at]
    else:
        raw[at] ^= 1 << int(rng.integers(8))
    index_of(path).write_bytes(raw)
    source = open_vectors(f"{path}?index=yes")
    assert source.fingerprint == open_vectors(f"{path}?index=no").fingerprint
    assert same(source.lookup(WANTED), plain)
    assert same(vectors(path), plain)


def test_an_index_that_lies_within_its_own_rules(tmp_path):
    """A forged index, with sound hashes, that leads to other words, is not believed."""
    path = text(tmp_path)
    plain = vectors(path)
    true = read_index(index_of(path))
    write_index(index_of(path), Index(true.joined, np.roll(true.starts, 1), true.sha256, b"\n"))
    assert same(vectors(path), plain)
    np.testing.assert_array_equal(read_index(index_of(path)).starts, true.starts)


# --- a system that does not let us write ----------------------------------------------------------


@pytest.mark.parametrize("size", [0, 500, 60_000, 128_500])
def test_a_disk_that_is_full_costs_the_index_not_the_answer(tmp_path, size):
    path = text(tmp_path)
    plain = vectors(path, options="index=no")
    with (
        pytest.warns(SourceWarning, match=r"the index could not be written \(File too large\)"),
        no_file_longer_than(size),
    ):
        got = vectors(path)
    assert same(got, plain)
    assert list((cache_folder() / "indexes").iterdir()) == []


def test_a_place_that_is_taken(tmp_path):
    path = text(tmp_path)
    index_of(path).mkdir(parents=True)
    with pytest.warns(SourceWarning, match="the next lookup reads the whole file again"):
        got = vectors(path)
    assert same(got, vectors(path, options="index=no"))


def test_a_file_that_grows_while_it_is_read(tmp_path):
    path = text(tmp_path)
    source = open_vectors(f"{path}?index=yes")
    path.write_bytes(path.read_bytes() + b"more 1 2 3 4 5 6 7 8\n")
    with pytest.raises(SourceError) as caught:
        source.lookup(WANTED)
    assert "the file changed while it was read" in str(caught.value)
    assert "remedy: wait until it is written, then try again" in str(caught.value)
    assert not index_of(path).exists()


def test_an_answer_from_an_index_of_a_file_that_changes_meanwhile(tmp_path):
    path = text(tmp_path)
    vectors(path)
    source = open_vectors(f"{path}?index=yes")
    source.lookup({"word3"})
    path.write_bytes(path.read_bytes() + b"more 1 2 3 4 5 6 7 8\n")
    with pytest.raises(SourceError, match="the file changed while it was read"):
        source.lookup({"word4"})
