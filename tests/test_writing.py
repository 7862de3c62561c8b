"""Files that belong together: all of them are replaced, or none."""

import pytest

from eatlas.errors import ResultsError
from eatlas.writing import atomic_file, atomic_files
from tests.inputs import no_file_longer_than


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


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


def test_a_name_that_is_too_long(tmp_path):
    with pytest.raises(ResultsError) as said, atomic_file(tmp_path / ("x" * 300)):
        pass
    assert said.value.got == "File name too long"
    assert said.value.remedy == "choose a shorter name"
