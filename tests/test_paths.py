"""Names of files that the system cannot even look for: an error of ours wherever one is taken."""

import pytest

import eatlas
from eatlas.paths import is_file, is_folder, is_there

LONG = "x" * 300
TAKE = {
    "tests": lambda: eatlas.run(tests=f"{LONG}.toml"),
    "images": lambda: eatlas.load_tests(f"{LONG}/"),
    "vectors": lambda: eatlas.run(tests="weat-6", vectors=f"{LONG}.txt"),
    "model": lambda: eatlas.run(tests="weat-6", vectors=f"hf:./{LONG}"),
    "results": lambda: eatlas.read_results(LONG),
    "written": lambda: eatlas.run(tests="weat-6", measures="weat").write(LONG),
}


@pytest.mark.parametrize("what", TAKE)
def test_a_name_that_is_too_long(what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    is_an_error_of_ours(TAKE[what], tmp_path)


def is_an_error_of_ours(take, folder):
    with pytest.raises(eatlas.EatlasError) as said:
        take()
    assert LONG in str(said.value)
    assert not [path for path in folder.rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", [LONG, "a\0b"])
def test_nothing_is_there(name):
    assert [is_there(name), is_file(name), is_folder(name)] == [False] * 3


def test_what_is_there(tmp_path):
    (tmp_path / "file").touch()
    assert (is_there(tmp_path), is_file(tmp_path), is_folder(tmp_path)) == (True, False, True)
    file = tmp_path / "file"
    assert (is_there(file), is_file(file), is_folder(file)) == (True, True, False)
