"""Contexts are written whole or not at all."""

import os

import pytest
from tests.inputs import no_file_longer_than
from tests.test_writing import contents

from eatlas.errors import ResultsError
from eatlas_corpora.reading import Context, Contexts, load_contexts


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


def test_a_folder_in_the_place_of_the_second_file_stops_the_first(tmp_path):
    (tmp_path / "c.jsonl.json").mkdir()
    (tmp_path / "c.jsonl").write_text("old")
    with pytest.raises(ResultsError, match=r"c\.jsonl\.json: cannot be written"):
        many(2).write(tmp_path / "c.jsonl")
    assert (tmp_path / "c.jsonl").read_text() == "old"
