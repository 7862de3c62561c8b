"""Names of files that the system cannot even look for: an error of ours."""

import pytest
from tests.test_paths import LONG, is_an_error_of_ours

import eatlas

TAKE = {
    "plan": lambda: eatlas.multiverse(f"{LONG}.toml"),
    "tests of a plan": lambda: eatlas.multiverse({"tests": [f"{LONG}.toml"]}),
    "vectors of a plan": lambda: eatlas.multiverse({"tests": ["weat-6"], "vectors": [LONG]}),
    "folder of a study": lambda: eatlas.multiverse({"tests": ["weat-6"]}, out=LONG),
    "card": lambda: eatlas.read_card(LONG),
    "items": lambda: eatlas.read_labels(f"{LONG}.csv"),
    "results of an atlas": lambda: eatlas.write_atlas(LONG, "site"),
    "answers": lambda: eatlas.protocol("mac", criteria=["consequential"], answers=LONG),
}


@pytest.mark.parametrize("what", TAKE)
def test_a_name_that_is_too_long(what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    is_an_error_of_ours(TAKE[what], tmp_path)
