"""Names of files that the system cannot even look for: an error of ours."""

import pytest
from tests.test_paths import LONG, is_an_error_of_ours

import eatlas
from eatlas_corpora.reading import find_contexts

TAKE = {
    "contexts": lambda: eatlas.load_contexts(f"{LONG}.jsonl"),
    "corpus": lambda: find_contexts(LONG, "weat-6"),
}


@pytest.mark.parametrize("what", TAKE)
def test_a_name_that_is_too_long(what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    is_an_error_of_ours(TAKE[what], tmp_path)
