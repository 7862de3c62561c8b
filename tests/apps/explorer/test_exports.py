"""What is taken along verifies, repeats, and says that words were changed after seeing results."""

from __future__ import annotations

import json
import re
import sys

import pytest
from tests.cli.conftest import eatlas_cli  # noqa: F401  (a fixture)

import eatlas
from eatlas.apps.explorer import Explorer
from eatlas.apps.explorer.board import FIGURES, command, file_name
from eatlas.apps.explorer.lists import Request
from eatlas.apps.explorer.page import export
from eatlas.engine.verify import verify
from eatlas.errors import EatlasError
from eatlas.results import read_results
from eatlas.stimuli import load_tests

CHANGED = {"test": "weat-6", "off": {"Y": ("Diana",)}, "added": {"X": ("Bob",)}}


@pytest.fixture
def looked(explorer):
    """An explorer of which three lists of weat-6 were looked at."""
    explorer.view(Request(test="weat-6"))
    explorer.view(Request(test="weat-6", off={"Y": ("Diana",)}))
    explorer.view(Request(**CHANGED))
    return explorer


def taken(explorer, what, folder, **values):
    made = export(explorer, Request(**{**CHANGED, **values, "what": what}))
    path = folder / made.headers["content-disposition"].split('"')[1]
    path.write_bytes(made.content)
    return path


def test_results_verify_and_are_those_of_the_command(looked, tmp_path):
    tests = taken(looked, "toml", tmp_path)
    results = taken(looked, "results", tmp_path)
    assert (tests.name, results.name) == ("weat-6-explored.toml", "weat-6-explored.jsonl")
    found = read_results(results)
    assert [one.test for one in found] == ["weat-6-explored", "weat-6"]
    assert [one.provenance.explored for one in found] == [3, None]
    assert {verdict.status for verdict in verify(found, tests=tests)} == {"same"}
    repeated = eatlas.run(str(tests), "glove-sample")
    assert [one.to_dict() for one in repeated] == [one.to_dict() for one in found]


def test_a_source_with_a_name_keeps_it(tmp_path):
    explorer = Explorer.of("weat-6", ["small=glove-sample?transform=center", "glove-sample"])
    assert [one.name for one in explorer.sources] == ["small", "GloVe 6B (100d)"]
    changed = Request(**CHANGED, against=1, what="results")
    view = explorer.view(changed)
    assert view.result.source == "small"
    path = tmp_path / "results.jsonl"
    path.write_bytes(export(explorer, changed).content)
    found = read_results(path)
    assert [one.source for one in found] == ["small", "small", "glove-sample", "glove-sample"]
    assert found[0].source_from == "glove-sample?transform=center"
    assert {verdict.status for verdict in verify(found)} == {"same"}
    said = command(explorer, changed)
    assert "--vectors 'small=glove-sample?transform=center' --vectors glove-sample" in said


def test_the_number_of_lists_is_bound_to_the_file(looked, tmp_path):
    results = taken(looked, "results", tmp_path)
    lines = [json.loads(line) for line in results.read_text().splitlines()]
    for key in ("explored", None):
        changed = json.loads(json.dumps(lines))
        if key:
            del changed[0]["provenance"][key]
        else:
            changed[0]["provenance"]["explored"] = 2
        results.write_text("".join(json.dumps(one) + "\n" for one in changed))
        assert [one.status for one in verify(read_results(results))] == ["differs", "same"]


def test_the_command_line_takes_the_files(looked, tmp_path, eatlas_cli):  # noqa: F811
    tests, results = (taken(looked, what, tmp_path) for what in ("toml", "results"))
    said = eatlas_cli("verify", results, "--tests", tests)
    assert (said.code, said.err) == (0, "")
    assert "2 of 2 results are the same" in said.out
    assert eatlas_cli("tests", "check", tests).code == 0


def test_the_test_says_what_was_changed(looked, tmp_path):
    path = taken(looked, "toml", tmp_path)
    text = path.read_text()
    assert text.startswith("# Written by eatlas explore.\n# 3 lists were looked at: p-values")
    assert "# Changed: without Diana (Female names).\n# Changed: with Bob (Male names)." in text
    changed, before = load_tests(path)
    assert before == load_tests("weat-6")[0]
    assert changed.explored == 3
    assert changed.notes[-1].endswith("after results had been seen.")


def test_a_test_without_changes_is_exported_as_it_is(looked, tmp_path):
    path = taken(looked, "toml", tmp_path, off={}, added={})
    assert path.name == "weat-6.toml"
    assert load_tests(path) == load_tests("weat-6")
    assert "lists were looked at" not in path.read_text()


def test_pasted_lists_carry_how_many_were_looked_at(explorer, tmp_path):
    lists = {
        "X": ("Jobs", "nurse, teacher"), "Y": ("Crafts", "carpenter, engineer"),
        "A": ("Female", "she, woman"), "B": ("Male", "he, man"),
    }  # fmt: skip
    first = Request(lists=lists, what="toml")
    explorer.view(first)
    assert b"explored" not in export(explorer, first).content
    second = Request(lists={**lists, "X": ("Jobs", "nurse, librarian")}, what="results")
    explorer.view(second)
    (line,) = export(explorer, second).content.splitlines()
    assert json.loads(line)["provenance"]["explored"] == 2


def test_comment_lines_hold_no_line_of_toml(explorer, tmp_path):
    """A name with a line end must not leave its comment."""
    request = Request(
        lists={
            "X": ("Jobs\nid = 'evil'", "nurse, teacher, librarian"), "Y": ("Y", "carpenter, pilot"),
            "A": ("Female", "she, woman"), "B": ("Male", "he, man"),
        },
        off={"X": ("librarian",)}, what="toml",
    )  # fmt: skip
    explorer.view(request)
    path = tmp_path / "test.toml"
    path.write_bytes(export(explorer, request).content)
    assert len(load_tests(path)) == 2


def test_the_report_says_that_words_were_changed(looked, tmp_path):
    page = taken(looked, "report", tmp_path).read_text()
    assert "The words were changed after results had been seen" in page
    assert "3 lists of words looked at" in page
    assert "Male and female names, career and family, words changed" in page


@pytest.mark.parametrize("kind", FIGURES)
def test_figures_for_print(looked, tmp_path, kind):
    path = taken(looked, f"{kind}-single.svg", tmp_path)
    assert path.name == f"weat-6-explored-{kind}-single.svg"
    width = re.search(r'<svg[^>]* width="([\d.]+)(?:mm|pt|px)?"', path.read_text())
    assert width, path.read_text()[:300]


def test_a_figure_without_the_extra_says_what_to_install(looked, monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    request = Request(**CHANGED, what="plane-single.pdf")
    with pytest.raises(EatlasError) as raised:
        export(looked, request)
    assert raised.value.remedy == "pip install 'eatlas[plots]'"


def test_a_pdf_has_the_width_of_two_columns(looked, tmp_path):
    content = taken(looked, "plane-double.pdf", tmp_path).read_bytes()
    assert content.startswith(b"%PDF")
    width = float(re.search(rb"/MediaBox \[0 0 ([\d.]+) ", content)[1])
    assert width == pytest.approx(183 / 25.4 * 72, rel=0.01)


@pytest.mark.parametrize("what", ["", "../x", "plane-triple.svg", "plane-single.html", "toml\n"])
def test_there_is_no_such_export(looked, what):
    with pytest.raises(EatlasError, match="There is no such export"):
        export(looked, Request(test="weat-6", what=what))


def test_nothing_is_exported_without_a_result(looked):
    off = {"X": looked.tests["weat-6"].X.terms}
    for what in ("toml", "results", "report", "plane-single.svg"):
        with pytest.raises(EatlasError, match="no word is switched on"):
            export(looked, Request(test="weat-6", off=off, what=what))


def test_names_of_files_are_tame():
    assert file_name("../../etc/passwd") == "etc-passwd" or not file_name("../x").startswith(".")
    assert "/" not in file_name("../../etc/passwd")
    assert file_name("…") == "test"
    assert len(file_name("x" * 500)) == 80
