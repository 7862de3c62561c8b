"""Results and labels that are there already: no command destroys them."""

import shutil
import warnings

import pytest
from tests.annotation.conftest import TEST
from tests.annotation.test_labels import labels_in
from tests.cli.test_annotate import by_words, labelled
from tests.commands import QUICK

import eatlas
from eatlas.errors import EatlasError, EatlasWarning
from eatlas_workbench.annotation.items import LabelJournal


def test_N4_an_atlas_refuses_results_of_a_run(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-6", "--out", "a", *QUICK)
    eatlas_cli("run", "--tests", "weat-7", "--out", "b", *QUICK)
    (tmp_path / "b" / "report.html").unlink()
    there = (tmp_path / "b" / "results.jsonl").read_bytes()
    ended = eatlas_cli("atlas", "a", "--out", "b")
    assert ended.code == 2
    assert "b: this folder has results that eatlas atlas did not write" in ended.err
    assert "got: results.jsonl" in ended.err
    assert "--out" in ended.err
    assert [path.name for path in (tmp_path / "b").iterdir()] == ["results.jsonl"]
    assert (tmp_path / "b" / "results.jsonl").read_bytes() == there


def test_N4_a_replication_keeps_results_of_a_run(eatlas_cli, tmp_path):
    eatlas_cli("run", "--tests", "weat-7", "--out", "b", *QUICK)
    there = (tmp_path / "b" / "results.jsonl").read_bytes()
    ended = eatlas_cli("replicate", "caliskan", "--out", "b")
    assert ended.code == 0
    assert "b had results of another run, which are now b/results-1.jsonl" in ended.err
    assert (tmp_path / "b" / "results-1.jsonl").read_bytes() == there
    assert [result.measure for result in eatlas.read_results("b/results.jsonl")] == ["weat"] * 10


def test_N5_what_people_filled_in_is_not_written_over(contexts, tmp_path, eatlas_cli):
    contexts.write("contexts.jsonl")
    again = ("annotate", "sample", "contexts.jsonl", "--tests", TEST)
    assert eatlas_cli(*again).code == 0
    labelled("Ben.csv", lambda _: "none")
    labelled("items.csv", by_words)
    read = ("annotate", "read", "items.csv", "items.csv", "Ben.csv", "--ties", "ties.csv")
    assert eatlas_cli(*read).code == 0
    ties = tmp_path / "ties.csv"
    ties.write_text(ties.read_text().replace(",,", ",male,"))
    before = {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()}
    onto = ("annotate", "read", "items.csv", "Ben.csv", "--counts")
    for command, n in (
        (again, 13),
        ((*read, "--counts", "counts.csv"), 9),
        ((*onto, "ties.csv"), 9),
    ):
        done = eatlas_cli(*command)
        assert done.code == 2
        assert "this file already contains labels" in done.err
        assert f"got: {n} labels" in done.err
    assert {path: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == before


def replace(path):
    path.with_name("new").write_text("new")
    path.with_name("new").replace(path)


HARMS = {
    "removed": lambda path: path.unlink(),
    "replaced": replace,
    "lengthened": lambda path: path.write_bytes(path.read_bytes() + b"more\n"),
}


@pytest.mark.parametrize("harm", HARMS.values(), ids=HARMS)
@pytest.mark.parametrize("goes_on", [True, False])
def test_N6_labels_outlive_what_others_do_to_their_file(items, tmp_path, harm, goes_on):
    path = tmp_path / "study" / "items.labels.jsonl"
    path.parent.mkdir()
    labelled = items.rows[:6]
    with warnings.catch_warnings(record=True) as heard, LabelJournal(path, items) as journal:
        warnings.simplefilter("always")
        for item in labelled[:3]:
            journal.label("Anna", item.id, "Male")
        harm(path)
        left = path.read_bytes() if path.exists() else None
        for item in labelled[3:] * goes_on:
            journal.label("Anna", item.id, "Female")
            assert labels_in(journal.path, items)["Anna"][item.id] == "Female"
    assert [one.category for one in heard] == [EatlasWarning]
    assert journal.path == (path if left is None else path.with_name("items.labels-2.jsonl"))
    assert str(journal.path) in str(heard[0].message)
    assert left is None or path.read_bytes() == left
    saved = labels_in(journal.path, items)["Anna"]
    assert list(saved) == [item.id for item in labelled[: 6 if goes_on else 3]]


@pytest.mark.filterwarnings("default::eatlas.errors.EatlasWarning")
def test_N6_a_label_that_cannot_be_written_again_is_not_saved(items, tmp_path):
    path = tmp_path / "study" / "items.labels.jsonl"
    path.parent.mkdir()
    with LabelJournal(path, items) as journal:
        journal.label("Anna", items.rows[0].id, "Male")
        shutil.rmtree(path.parent)
        path.parent.write_text("in its place")
        with pytest.raises(EatlasError, match="the label was not saved"):
            journal.label("Anna", items.rows[1].id, "Male")
        path.parent.unlink()
        journal.label("Anna", items.rows[2].id, "Male")
    assert list(labels_in(path, items)["Anna"]) == [items.rows[0].id, items.rows[2].id]


def test_N7_a_link_to_the_labels_stays_a_link(items, tmp_path):
    link, real = tmp_path / "a.jsonl", tmp_path / "kept" / "b.jsonl"
    real.parent.mkdir()
    link.symlink_to(real)
    with LabelJournal(link, items) as journal:
        journal.label("Anna", items.rows[0].id, "Male")
        with pytest.raises(EatlasError, match="is using this file"):
            LabelJournal(real, items)
    assert link.is_symlink()
    assert [one.name for one in real.parent.iterdir()] == ["b.jsonl"]
    assert len(labels_in(real, items)["Anna"]) == 1
