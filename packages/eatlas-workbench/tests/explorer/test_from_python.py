"""The page from Python: of lists, of results, of vectors in memory; a file of results runs no code."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.served import ask

import eatlas
from eatlas.errors import EatlasError, SourceError
from eatlas.results import read_results

LISTS = {
    "Jobs": ["nurse", "teacher", "librarian"], "Crafts": ["carpenter", "engineer", "mechanic"],
    "Female": ["she", "woman", "her"], "Male": ["he", "man", "his"],
}  # fmt: skip
WEAT = "weat(resamples=0,frequency=off)"


def view(page, **values):
    return ask(page.address, "view", json.dumps(values).encode())


def test_a_page_runs_beside_the_caller(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    with eatlas.explore(LISTS, {"small": "glove-sample"}, open=True) as page:
        assert opened == [page.address]
        name = "jobs-crafts-female-male"
        assert page.looked_at(name) == 0
        board = view(page, test=name, off={"X": ["nurse"]})
        assert (board.status, "without nurse" in board.text) == (200, True)
        assert page.looked_at(name) == 2
        assert repr(page).startswith(f"<ExplorerPage {page.address}")
    assert repr(page) == "<ExplorerPage, closed>"


def test_results_of_an_earlier_run(tmp_path):
    vectors = {"small": "glove-sample?transform=center", "whole": "glove-sample"}
    measure = "ml-eat(frequency=off,resamples=0,tail=two-sided)"
    path = tmp_path / "results.jsonl"
    eatlas.run(["weat-6", LISTS], vectors, measure).save(path)
    results = read_results(path)
    with eatlas.explore(results) as page:
        explorer = page._explorer
        assert list(explorer.tests) == ["weat-6", "jobs-crafts-female-male"]
        assert [source.name for source in explorer.sources] == ["small", "whole"]
        assert explorer.measure.signature == results[0].signature
        body = json.dumps({"test": "weat-6", "off": {"Y": ["Diana"]}, "what": "results"}).encode()
        (tmp_path / "explored.jsonl").write_text(ask(page.address, "export", body).text)
    explored = read_results(tmp_path / "explored.jsonl")
    assert [result.source for result in explored] == ["small", "small"]
    assert {one.status for one in eatlas.verify(explored)} == {"same"}
    with pytest.raises(EatlasError, match="not a test"):
        eatlas.explore([results[0], "weat-7"])
    with pytest.raises(EatlasError, match="no test was given"):
        eatlas.explore(results[:0])


def test_results_of_other_vectors_are_refused(tmp_path):
    words = [word.lower() for word in eatlas.load_tests("weat-6")[0].terms]
    lower = eatlas.open_vectors("glove-sample").lookup(words)
    path = tmp_path / "mine.txt"

    def write(times):
        rows = (f"{w} {' '.join(map(str, times * row))}\n" for w, row in lower.items())
        path.write_text("".join(rows))

    write(1)
    results = eatlas.run("weat-6", path, WEAT)
    write(2)
    with pytest.raises(SourceError, match="has different vectors from the results"):
        eatlas.explore(results)
    path.unlink()
    with pytest.raises(SourceError, match=r"cannot be opened again: .*there is no such file"):
        eatlas.explore(results)
    memory = eatlas.run("weat-6", dict(lower), WEAT)
    with pytest.raises(SourceError, match=r"remedy: hand the vectors over: eatlas.explore"):
        eatlas.explore(memory)
    with eatlas.explore(memory, dict(lower)) as page:
        text = view(page, test="weat-6").text
        assert "eatlas.run(&#39;weat-6&#39;, vectors, &#39;WEAT(" in text
        assert "in Python with the same vectors" in text


def test_a_file_of_results_runs_no_code(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    text = "def f(texts):\n    return [[len(t), t.count('a'), 1.0] for t in texts]\n"
    (tmp_path / "lengths.py").write_text(text, encoding="utf-8")
    results = eatlas.run("weat-6", "py:lengths:f", WEAT)
    with pytest.raises(SourceError, match="refused, as it would import the Python module") as no:
        eatlas.explore(results)
    assert "remedy: if you trust it: --trust py:lengths:f" in str(no.value)
    with eatlas.explore(results, trust="py:lengths:f") as page:
        assert page._explorer.sources[0].source.name == "py:lengths:f"
    for arguments in ((results, "glove-sample"), ("weat-6",)):
        with pytest.raises(SourceError, match="trust: no source is taken from results"):
            eatlas.explore(*arguments, trust="py:lengths:f")
    # what results call a source comes before it, and is opened in no spelling
    path = tmp_path / "results.jsonl"
    eatlas.run("weat-6", measures=WEAT).save(path)
    forged = json.loads(path.read_text()) | {"source": "py:evil:f", "source_from": "glove-sample"}
    path.write_text(json.dumps(forged) + "\n")
    with pytest.raises(SourceError, match="the name of a source is not usable"):
        eatlas.explore(read_results(path))


def test_sentences_whose_vectors_are_at_hand():
    (test,) = eatlas.load_tests("sent-weat-6")
    texts = [text for concept in test.concepts.values() for text in concept.texts]
    rows = np.random.default_rng(0).normal(size=(len(texts), 20))
    with eatlas.explore(test, dict(zip(texts, rows, strict=True))) as page:
        assert page.left_out == ()
        board = view(page, test="sent-weat-6", off={"X": ["John"]}, added={"X": ["Bob"]})
        assert board.status == 200
        assert "without John (Male names); with Bob (Male names)" in board.text
        assert "8 of 9, 1 missing" in board.text  # there is no vector of a sentence about Bob
