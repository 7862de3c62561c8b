"""The page from Python: really served, of tests, of lists, of results, of vectors in memory."""

from __future__ import annotations

import http.client
import json
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from playwright.sync_api import expect

import eatlas
from eatlas.apps.explorer.lists import Request
from eatlas.engine.verify import verify
from eatlas.errors import EatlasError, SourceError
from eatlas.results import read_results

LISTS = {
    "Jobs": ["nurse", "teacher", "librarian"], "Crafts": ["carpenter", "engineer", "mechanic"],
    "Female": ["she", "woman", "her"], "Male": ["he", "man", "his"],
}  # fmt: skip


def ask(page, name, body):
    """A request as the page makes it."""
    base, token = page.address.removeprefix("http://").rstrip("/").split("/")
    connection = http.client.HTTPConnection(base, timeout=30)
    headers = {"Origin": f"http://{base}", "Content-Type": "application/json"}
    connection.request("POST", f"/{token}/{name}", json.dumps(body), headers)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def test_a_page_runs_beside_the_caller(browser):
    with eatlas.explore(LISTS, {"small": "glove-sample"}) as served:
        assert served.looked_at("jobs-crafts-female-male") == 0
        page = browser.new_page()
        page.goto(served.address)
        expect(page.locator("#group-X summary")).to_contain_text("Jobs")
        expect(page.locator("#finding")).to_contain_text("small")
        page.get_by_role("button", name="nurse").click()
        expect(page.locator("#finding")).to_contain_text("without nurse")
        assert served.looked_at("jobs-crafts-female-male") == 2
        assert repr(served).startswith(f"<ExplorerPage {served.address}")
        assert f'href="{served.address}"' in served._repr_html_()
        page.close()
    assert repr(served) == "<ExplorerPage, closed>"
    assert served._repr_html_() == "&lt;ExplorerPage, closed&gt;"
    with pytest.raises(ConnectionRefusedError):
        ask(served, "view", {})


def test_results_of_an_earlier_run(tmp_path):
    given = {"small": "glove-sample?transform=center", "whole": "glove-sample"}
    measure = "ml-eat(resamples=100,tail=two-sided)"
    path = tmp_path / "results.jsonl"
    eatlas.run(["weat-6", LISTS], given, measure).save(path)
    results = read_results(path)
    with eatlas.explore(results) as served:
        explorer = served._explorer
        assert list(explorer.tests) == ["weat-6", "jobs-crafts-female-male"]
        assert [one.name for one in explorer.sources] == ["small", "whole"]
        assert explorer.bundled == {"weat-6"}
        assert explorer.measure.signature == results[0].signature
        view = explorer.view(Request(test="weat-6"))
        assert view.result.level1 == results[0].level1
        body = {"test": "weat-6", "off": {"Y": ["Diana"]}, "source": 0, "what": "results"}
        assert ask(served, "view", body)[0] == 200
        status, text = ask(served, "export", body)
        assert status == 200
    (tmp_path / "explored.jsonl").write_text(text)
    found = read_results(tmp_path / "explored.jsonl")
    assert {one.status for one in verify(found)} == {"same"}
    with eatlas.explore(results[0]) as alone:
        assert list(alone._explorer.tests) == ["weat-6"]


def test_results_of_other_vectors_are_refused(tmp_path):
    sample = eatlas.open_vectors("glove-sample")
    words = eatlas.load_tests("weat-6")[0].terms
    lower = sample.lookup([one.lower() for one in words])
    path = tmp_path / "mine.txt"

    def write(times):
        rows = (f"{w} {' '.join(map(str, times * row))}" for w, row in lower.items())
        path.write_text("\n".join(rows) + "\n")

    write(1)
    results = eatlas.run("weat-6", path, "weat(resamples=0)")
    write(2)
    with pytest.raises(SourceError, match="has other vectors than those of the results"):
        eatlas.explore(results)
    path.unlink()
    with pytest.raises(SourceError, match=r"cannot be opened again: .*there is no such file"):
        eatlas.explore(results)
    memory = eatlas.run("weat-6", dict(lower), "weat(resamples=0)")
    with pytest.raises(SourceError, match=r"remedy: hand the vectors over: eatlas.explore"):
        eatlas.explore(memory)
    with eatlas.explore(memory, dict(lower)) as served:
        assert served._explorer.measure.name == "weat"
        status, text = ask(served, "view", {"test": "weat-6", "source": 0})
        assert status == 200
        assert "eatlas.run(&#39;weat-6&#39;, vectors, &#39;WEAT(" in text
        assert "in Python with the same vectors" in text


def test_a_file_of_results_runs_no_code(tmp_path):
    results = eatlas.run("weat-6", measures="weat(resamples=0)")
    path = tmp_path / "results.jsonl"
    results.save(path)
    path.write_text(path.read_text().replace('"glove-sample"', '"py:os:getcwd"', 1))
    with pytest.raises(SourceError, match="refused, as it would import the Python module os") as no:
        eatlas.explore(read_results(path))
    assert "remedy: if you trust the source: eatlas.explore(results, trust=...)" in str(no.value)
    with pytest.raises(SourceError, match="trust: no source is taken from results"):
        eatlas.explore(read_results(path), "glove-sample", trust="py:os:getcwd")
    with pytest.raises(SourceError, match="trust: no source is taken from results with this name"):
        eatlas.explore("weat-6", trust="py:os:getcwd")


def test_a_source_of_results_that_is_trusted(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    text = "def f(texts):\n    return [[len(t), t.count('a'), 1.0] for t in texts]\n"
    (tmp_path / "lengths.py").write_text(text, encoding="utf-8")
    results = eatlas.run("weat-6", "py:lengths:f", "weat(resamples=0)")
    with pytest.raises(SourceError, match="refused, as it would import the Python module lengths"):
        eatlas.explore(results)
    with eatlas.explore(results, trust="py:lengths:f") as served:
        assert served._explorer.sources[0].source.name == "py:lengths:f"


def test_a_name_of_results_is_no_source(tmp_path, monkeypatch):
    """What results call a source comes before it, and is opened in no spelling."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "evil_name.py").write_text("raise SystemExit('it ran')\n", encoding="utf-8")
    results = eatlas.run("weat-6", measures="weat(resamples=0)")
    path = tmp_path / "results.jsonl"
    results.save(path)
    line = json.loads(path.read_text())
    forged = line | {"source": "py:evil_name:f", "source_from": "glove-sample"}
    path.write_text(json.dumps(forged) + "\n")
    with pytest.raises(SourceError, match="the name of a source is not usable"):
        eatlas.explore(read_results(path))


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"tests": "sent-weat-6"}, "none of the tests can be explored"),
        ({"tests": "weat-66"}, "there is no test or battery"),
        ({"tests": "weat-6", "vectors": "nothing.txt"}, "there is no such file"),
        ({"tests": "weat-6", "vectors": []}, "no vectors were chosen"),
        ({"tests": "weat-6", "measure": "mac"}, "the explorer shows what ML-EAT or WEAT finds"),
        ({"tests": "weat-6", "host": "0.0.0.0"}, "for this machine alone"),  # noqa: S104
        ({"tests": "weat-6", "port": 99_999}, "cannot be used"),
    ],
)
def test_what_is_refused(given, said):
    with pytest.raises(EatlasError, match=said):
        eatlas.explore(**given)


def test_results_and_tests_are_not_mixed():
    results = eatlas.run("weat-6", measures="weat(resamples=0)")
    with pytest.raises(EatlasError, match="these are results and tests\n  got: 1 of 2"):
        eatlas.explore([results[0], "weat-7"])
    with pytest.raises(EatlasError, match="there is no result to explore"):
        eatlas.explore(results[:0])


def test_the_browser_is_opened_where_that_is_wanted(monkeypatch):
    opened = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    with eatlas.explore("weat-6"):
        assert opened == []
    with eatlas.explore("weat-6", open=True) as served:
        assert opened == [served.address]


def test_a_script_serves_the_page_until_ctrl_c():
    code = (
        "import eatlas\n"
        "if __name__ == '__main__':\n"
        "    page = eatlas.explore('weat-6')\n"
        "    print(page.address, flush=True)\n"
        "    page.wait()\n"
        "    print('ended', flush=True)\n"
    )
    script = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    address = script.stdout.readline().strip()
    assert address.startswith("http://127.0.0.1:")
    connection = http.client.HTTPConnection(address.split("/")[2], timeout=30)
    connection.request("GET", "/" + address.split("/")[3] + "/")
    assert connection.getresponse().status == 200
    connection.close()
    time.sleep(1)  # the page answers before the script has come to wait
    script.send_signal(signal.SIGINT)
    out, err = script.communicate(timeout=60)
    assert (script.returncode, out, err) == (0, "ended\n", "")


def test_sentences_whose_vectors_are_at_hand():
    (test,) = eatlas.load_tests("sent-weat-6")
    texts = [one for concept in test.concepts.values() for one in concept.texts]
    rows = np.random.default_rng(0).normal(size=(len(texts), 20))
    with eatlas.explore(test, dict(zip(texts, rows, strict=True))) as served:
        assert served.left_out == ()
        body = {"test": "sent-weat-6", "off": {"X": ["John"]}, "added": {"X": ["Bob"]}, "source": 0}
        status, page = ask(served, "view", body)
        assert status == 200
        assert "without John (Male names); with Bob (Male names)" in page
        assert "9 of 9" not in page
        assert "8 of 9, 1 missing" in page  # there is no vector of a sentence about Bob


def test_tests_that_cannot_be_explored_are_left_out(tmp_path):
    results = eatlas.run(["weat-6", "divdist-face-validity"], seed=1)
    with eatlas.explore(results) as served:
        assert served.left_out == (
            "divdist-face-validity: it is a test of targets and several groups",
        )
        assert list(served._explorer.tests) == ["weat-6"]
