"""Names of files that the system cannot even look for: an error of ours wherever one is taken."""

import pytest

import eatlas
from eatlas.paths import is_file, is_folder, is_there
from eatlas_corpora.reading import find_contexts

LONG = "x" * 300
TAKE = {
    "plan": lambda: eatlas.multiverse(f"{LONG}.toml"),
    "tests of a plan": lambda: eatlas.multiverse({"tests": [f"{LONG}.toml"]}),
    "vectors of a plan": lambda: eatlas.multiverse({"tests": ["weat-6"], "vectors": [LONG]}),
    "folder of a study": lambda: eatlas.multiverse({"tests": ["weat-6"]}, out=LONG),
    "tests": lambda: eatlas.run(tests=f"{LONG}.toml"),
    "images": lambda: eatlas.load_tests(f"{LONG}/"),
    "vectors": lambda: eatlas.run(tests="weat-6", vectors=f"{LONG}.txt"),
    "model": lambda: eatlas.run(tests="weat-6", vectors=f"hf:./{LONG}"),
    "contexts": lambda: eatlas.load_contexts(f"{LONG}.jsonl"),
    "corpus": lambda: find_contexts(LONG, "weat-6"),
    "results": lambda: eatlas.read_results(LONG),
    "card": lambda: eatlas.read_card(LONG),
    "items": lambda: eatlas.read_labels(f"{LONG}.csv"),
    "results of an atlas": lambda: eatlas.write_atlas(LONG, "site"),
    "answers": lambda: eatlas.protocol("mac", criteria=["consequential"], answers=LONG),
    "written": lambda: eatlas.run(tests="weat-6", measures="weat").write(LONG),
}


@pytest.mark.parametrize("what", TAKE)
def test_a_name_that_is_too_long(what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(eatlas.EatlasError) as said:
        TAKE[what]()
    assert LONG in str(said.value)
    assert not [path for path in tmp_path.rglob("*") if path.is_file()]


@pytest.mark.parametrize("name", [LONG, "a\0b"])
def test_nothing_is_there(name):
    assert [is_there(name), is_file(name), is_folder(name)] == [False] * 3


def test_what_is_there(tmp_path):
    (tmp_path / "file").touch()
    assert (is_there(tmp_path), is_file(tmp_path), is_folder(tmp_path)) == (True, False, True)
    file = tmp_path / "file"
    assert (is_there(file), is_file(file), is_folder(file)) == (True, True, False)
