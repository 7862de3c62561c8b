"""A corpus of several files in several processes: what is found is the same."""

import pytest
from tests.inputs import make_test

from eatlas_corpora.reading import files, find_contexts

TEST = make_test()
WORDS = "aster", "love", "agony", "ant", "the", "of", "my", "so", "old"
SHARDS = 5


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Shards of texts that are all different, each with a line that is not JSON."""
    folder = tmp_path_factory.mktemp("shards")
    for k in range(SHARDS):
        lines = [
            f'{{"body": "{" ".join(WORDS[(n * n + k * n + i * i) % 9] for i in range(12))} {n}{k}"}}'
            for n in range(150)
        ]
        lines[7 * k] = "no json"
        (folder / f"RC-{k}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.mark.slow
def test_processes_find_what_one_finds(folder):
    done = []
    one, two = (
        find_contexts(
            folder, TEST, per_term=40, window=3, workers=n, progress=lambda *n: done.append(n)
        )
        for n in (1, 2)
    )
    assert len(one.rows) > 100
    assert (two.rows, two.counts, two.provenance) == (one.rows, one.counts, one.provenance)
    assert len(two.provenance["damaged"]) == SHARDS
    assert done[-1] == (SHARDS, SHARDS)


def test_one_large_file_is_shared_out_too(folder, monkeypatch):
    one = find_contexts(folder / "RC-3.jsonl", TEST, per_term=20)
    monkeypatch.setattr(files, "SIZE", 2000)
    parted = find_contexts(folder / "RC-3.jsonl", TEST, per_term=20)
    assert len(files.parts_of(folder / "RC-3.jsonl")) > 4
    assert (parted.rows, parted.counts, parted.provenance) == (one.rows, one.counts, one.provenance)
