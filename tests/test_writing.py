"""Files that belong together: all of them are replaced, or none."""

import os

import pytest

from eatlas.errors import ResultsError
from eatlas.writing import atomic_file, atomic_files
from eatlas_corpora.reading import Context, Contexts, load_contexts
from tests.inputs import no_file_longer_than


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def many(number, word="ivy"):
    return Contexts.of([Context(word, f"{word} number {i}", 0, 3) for i in range(number)])


@pytest.mark.parametrize("name", ["c.jsonl", "c.csv"])
@pytest.mark.parametrize(("number", "size"), [(3_000, 20_000), (1, 130)])
def test_a_full_disk_leaves_old_contexts_and_what_is_said_of_them(tmp_path, name, number, size):
    """First the contexts do not fit, then what is said of them."""
    path = tmp_path / name
    old = many(2, "oak")
    old.write(path)
    before = contents(tmp_path)
    new = Contexts(many(number).rows, many(number).counts, {"field": "x" * 200})
    with no_file_longer_than(size), pytest.raises(ResultsError) as said:
        new.write(path)
    assert contents(tmp_path) == before
    assert load_contexts(path).rows == old.rows
    assert said.value.what == f"{path}: cannot be written"
    assert said.value.got == os.strerror(27)
    assert "make room on this disk" in said.value.remedy
    new.write(path)
    assert len(load_contexts(path)) == number


def written(texts):
    with atomic_files() as new:
        for path, text in texts.items():
            new(path).write(text)
            assert text, "a fault of the block"


@pytest.mark.parametrize("which", [0, 1])
def test_none_is_replaced_where_one_is_not_whole(tmp_path, which):
    paths = [tmp_path / "a", tmp_path / "b"]
    old, new = dict.fromkeys(paths, "old"), dict.fromkeys(paths, "new")
    written(old)
    with no_file_longer_than(1_000), pytest.raises(ResultsError, match="cannot be written"):
        written(new | {paths[which]: "new" * 1_000})
    assert contents(tmp_path) == {"a": b"old", "b": b"old"}
    with pytest.raises(AssertionError, match="a fault of the block"):
        written(new | {paths[which]: ""})
    assert contents(tmp_path) == {"a": b"old", "b": b"old"}
    written(new)
    assert contents(tmp_path) == {"a": b"new", "b": b"new"}


def test_a_folder_in_the_place_of_the_second_file_stops_the_first(tmp_path):
    (tmp_path / "c.jsonl.json").mkdir()
    (tmp_path / "c.jsonl").write_text("old")
    with pytest.raises(ResultsError, match=r"c\.jsonl\.json: cannot be written"):
        many(2).write(tmp_path / "c.jsonl")
    assert (tmp_path / "c.jsonl").read_text() == "old"


def test_a_name_that_is_too_long(tmp_path):
    with pytest.raises(ResultsError) as said, atomic_file(tmp_path / ("x" * 300)):
        pass
    assert said.value.got == "File name too long"
    assert said.value.remedy == "choose a shorter name"
