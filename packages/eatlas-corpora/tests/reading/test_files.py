"""Contexts as files: what is written is read again, or said to be damaged."""

import csv
import json

import pytest
from tests.inputs import HALF, OF_HALF, make_test

import eatlas
from eatlas.errors import ResultsError, SourceError
from eatlas_corpora.reading import Context, Contexts, find_contexts, load_contexts

ROWS = [Context("ivy", 'The "ivy",\tna\u00efve', 5, 8), Context("oak", "An oak, an oak", 3, 6)]


@pytest.fixture
def found(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_text("an aster\nlove, “ant”\nthe aster\n", encoding="utf-8")
    return find_contexts(path, make_test())


@pytest.mark.parametrize("name", ["c.parquet", "c.jsonl", "c.csv"])
def test_what_is_written_is_read_again(tmp_path, found, name):
    found.write(tmp_path / name)
    again = load_contexts(tmp_path / name)
    assert (again.rows, again.counts) == (found.rows, found.counts)
    assert again.provenance == found.provenance
    assert again.name == name
    assert eatlas.load_contexts(str(tmp_path / name)).sha256 == found.sha256


@pytest.mark.parametrize("name", ["c.parquet", "c.jsonl", "c.csv"])
def test_no_contexts_are_a_file_too(tmp_path, name):
    Contexts([], ()).write(tmp_path / name)
    assert len(load_contexts(tmp_path / name)) == 0


@pytest.mark.parametrize("name", ["c.jsonl", "c.csv"])
def test_files_of_ones_own_need_no_provenance(tmp_path, name):
    Contexts.of(ROWS).write(tmp_path / name)
    (tmp_path / f"{name}.json").unlink()
    again = load_contexts(tmp_path / name)
    assert (again.rows, again.counts) == (ROWS, (("ivy", 1, 1), ("oak", 1, 1)))


def test_the_hash_does_not_depend_on_the_order():
    assert Contexts.of(ROWS).sha256 == Contexts.of(ROWS[::-1]).sha256
    assert Contexts.of(ROWS).sha256 != Contexts.of(ROWS[:1]).sha256


def test_a_file_that_cannot_be_finished_leaves_nothing(tmp_path, found, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("eatlas_corpora.reading.storing.parquet_bytes", full)
    with pytest.raises(ResultsError, match="No space left on device"):
        found.write(tmp_path / "deep" / "c.parquet")
    assert not list((tmp_path / "deep").iterdir())


def test_a_file_that_was_changed_is_refused(tmp_path, found):
    path = tmp_path / "c.jsonl"
    found.write(path)
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
    with pytest.raises(SourceError, match="its contexts were changed after eatlas wrote them"):
        load_contexts(path)


def test_a_sidecar_whose_counts_are_none(tmp_path):
    path = tmp_path / "c.jsonl"
    Contexts.of(ROWS).write(path)
    side = tmp_path / "c.jsonl.json"
    side.write_text(json.dumps({"counts": {"ivy": 3}}))
    with pytest.raises(SourceError, match="its counts cannot be read"):
        load_contexts(path)


def test_a_carriage_return_stays_in_its_cell(tmp_path):
    contexts = Contexts.of([Context("ivy", "The\rivy.", 4, 7)])
    contexts.write(tmp_path / "c.csv")
    assert load_contexts(tmp_path / "c.csv").rows == contexts.rows


def test_no_spreadsheet_runs_a_text_of_a_csv_file(tmp_path):
    texts = ["=1+1 ivy", "-5 ivy", "@ivy", "\\ivy", "+", "ivy"]
    given = Contexts.of([Context(text[-1], text, len(text) - 1, len(text)) for text in texts])
    given.write(tmp_path / "c.csv")
    with (tmp_path / "c.csv").open(encoding="utf-8", newline="") as file:
        cells = [row[1] for row in csv.reader(file)][1:]
    assert not any(cell.startswith(("=", "+", "-", "@")) for cell in cells)
    assert [cell.removeprefix("\\") for cell in cells] == [row.text for row in given.rows]
    found = load_contexts(tmp_path / "c.csv")
    assert found.rows == given.rows
    assert found.sha256 == given.sha256


def test_a_csv_file_that_marks_nothing_is_read_as_it_stands(tmp_path):
    (tmp_path / "c.csv").write_text("stimulus,text,start,end\nivy,\\ivy,1,4\n", encoding="utf-8")
    assert load_contexts(tmp_path / "c.csv").rows == [Context("ivy", "\\ivy", 1, 4)]


@pytest.mark.parametrize("which", ["c.jsonl", "c.jsonl.json"])
def test_in_contexts(tmp_path, which):
    path = tmp_path / "c.jsonl"
    Contexts.of([Context("oak", "An oak", 3, 6)], provenance={"field": "An oak"}).write(path)
    changed = tmp_path / which
    changed.write_text(changed.read_text().replace("An oak", f"An oak{HALF}"))
    with pytest.raises(eatlas.errors.SourceError) as said:
        eatlas.load_contexts(path)
    assert str(path) in said.value.what
    assert said.value.got == OF_HALF
