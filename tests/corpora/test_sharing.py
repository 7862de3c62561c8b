"""A corpus of several files in several processes: what is found is the same."""

import pytest

from eatlas.corpora import find_contexts, find_pairs, sampling
from eatlas.corpora.files import ReadingOptions
from eatlas.corpora.matching import Matcher
from eatlas.corpora.sampling import Collector
from eatlas.errors import EatlasError, SourceError
from tests.inputs import make_test

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


@pytest.mark.parametrize("find", [find_contexts, find_pairs])
def test_processes_find_what_one_finds(folder, find):
    told, files_read = {1: [], 2: []}, []
    one, two = (
        find(
            folder,
            TEST,
            per_term=40,
            window=3,
            workers=n,
            tell=told[n].append,
            progress=lambda *n: files_read.append(n),
        )
        for n in told
    )
    assert len(one.rows) > 100
    assert (two.rows, two.counts, two.provenance) == (one.rows, one.counts, one.provenance)
    assert sorted(map(str, told[2])) == sorted(map(str, told[1]))
    assert len(told[2]) == SHARDS
    assert files_read[-1] == (SHARDS, SHARDS)


def test_a_mistake_is_said_as_in_one_process(folder):
    said = []
    for workers in (1, 2):
        with pytest.raises(SourceError) as caught:
            find_contexts(folder, TEST, workers=workers, field="text")
        said.append((caught.value.what.partition(": ")[2], caught.value.remedy))
    assert said[0] == said[1]


def test_no_workers(folder):
    with pytest.raises(EatlasError) as caught:
        find_contexts(folder, TEST, workers=0)
    assert str(caught.value).startswith("the number of workers is not usable\n  got: 0\n")


def test_shares_are_about_equal(tmp_path):
    sizes = [9, 7, 4, 4, 1, 0]
    files = [tmp_path / str(k) for k in range(len(sizes))]
    for path, size in zip(files, sizes, strict=True):
        path.write_bytes(b"x" * size)
    parts = sampling.shares(files, 3)
    assert sorted(path for part in parts for path in part) == files
    assert [sum(path.stat().st_size for path in part) for part in parts] == [9, 8, 8]
    assert len(sampling.shares(files, 50)) == len(files)


def test_small_files_are_not_worth_a_process(folder, monkeypatch):
    monkeypatch.setattr(sampling, "Processes", None)
    monkeypatch.setattr(sampling, "processors", lambda: 2)
    assert len(find_contexts(folder, TEST, workers=None).rows)
    monkeypatch.setattr(sampling, "WORTH", 10)
    with pytest.raises(TypeError):  # now they are
        find_contexts(folder, TEST, workers=None)


def test_one_file_is_one_process(folder, monkeypatch):
    monkeypatch.setattr(sampling, "Processes", None)
    collector = Collector(Matcher(["aster"]), per_term=3, window=3, seed=0)
    path = folder / "RC-0.jsonl"
    samples, _ = sampling.look_through([path], ReadingOptions(), lambda: collector, workers=9)
    assert samples is collector.samples
