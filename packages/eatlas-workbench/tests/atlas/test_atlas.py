"""The site of an atlas: its cells, names, links, data and notes; hostile and damaged files."""

import csv
import json
import zlib
from base64 import b64decode, b64encode
from hashlib import sha256

import pytest
from tests.present.reading import Page
from tests.present.records import PATTERNS, full, head, ml_eat, planted, sc_eat, trend, weat
from tests.present.test_page import NASTY, nasty_results

import eatlas
from eatlas.errors import ResultsError
from eatlas.numbers import p_value
from eatlas.present.findings import findings_of
from eatlas.results import Results, read_results

PROVENANCE = head()["provenance"]


def written(folder, *results, name="in", **options):
    """The site of some results, its page and its table."""
    path = folder / name / "results.jsonl"
    path.parent.mkdir(exist_ok=True)
    Results(results).write(path)
    site = eatlas.write_atlas(path.parent, folder / "site", **options)
    return site, Page(site.page.read_text(encoding="utf-8"))


def cells(page):
    """The cells of a page by test and model, from what they are called."""
    found = [link for link in page.all("a") if "data-at" in link]
    return {link["aria-label"].partition(":")[0]: link for link in found}


def details(page, link):
    """What a cell holds when it is opened."""
    pack, place = map(int, link["data-at"].split("."))
    packs = [script for script in page.scripts if not script.startswith('"use')]
    return json.loads(zlib.decompress(b64decode(packs[pack])))[place]


def test_every_result_is_a_cell_with_its_map_numbers_and_details(tmp_path):
    given = [
        ml_eat(label, test=test, source=f"{label}.txt") for label in PATTERNS for test in ("p", "q")
    ]
    site, page = written(tmp_path, *given)
    assert (site.models, site.tests, site.results, site.notes) == (9, 2, 18, ())
    found = cells(page)
    assert len(found) == 18
    for result, finding in zip(given, findings_of(given), strict=True):
        link = found[f"{result.test}, {result.source}"]
        x, y = (side.lower() if side else "N" for side in PATTERNS[result.pattern.label])
        assert link["class"] == f"m x-{x} y-{y} up-3 v2"
        assert link["data-v"] == "2"
        assert link["aria-label"].endswith(", these word lists only")
        sizes = [s.replace("−", "-") for s in link["data-s"].split("|")]
        assert list(map(float, sizes)) == [round(one.d, 2) for one in result.effects()]
        html = details(page, link)
        shown = Page(html).text
        assert all(question.sentence in shown for question in finding.questions.values())
        assert "generalisation cannot be tested (too few words)" in shown
        assert f"By the paper’s rule: {result.pattern.label}" in shown
        assert result.provenance.source_fingerprint in html
        assert result.signature.split("(")[0] in html


def test_a_supported_cell_is_strong_and_one_that_is_not_shown_has_no_colour(tmp_path):
    strong = planted("AB-Divergent", words=1e-3, others=1e-3, after=1e-3, source="strong.txt")
    weak = planted(words=0.6, others=0.6, after=0.6, source="weak.txt")
    _, page = written(tmp_path, strong, weak)
    assert [link["class"] for link in cells(page).values()] == ["m x-A y-B up-3 v3", "m x-N y-N v1"]


def test_links_do_not_depend_on_what_else_is_shown_nor_on_the_numbers(tmp_path):
    one = ml_eat(test="one", source="a.txt")
    _, alone = written(tmp_path, one)
    other = ml_eat("B-Uniform", test="one", source="a.txt", d=0.3)
    others = [ml_eat(test="zero", source="b.txt"), weat(test="one", source="a.txt"), other]
    _, among = written(tmp_path, *others, name="more")
    assert cells(alone)["one, a.txt"]["id"] in among.ids()  # that of the WEAT is another
    assert len(set(among.ids())) == len(among.ids())


def test_the_data_are_the_lines_and_rows_of_the_results(tmp_path):
    given = Results([full(test="one"), weat(test="one"), sc_eat({"a": 1.0, "b": None}, test="two")])
    site, _ = written(tmp_path, *given)
    assert (site.folder / "results.jsonl").read_bytes() == (
        tmp_path / "in" / "results.jsonl"
    ).read_bytes()
    assert read_results(site.folder / "results.jsonl") == given
    with (site.folder / "results.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    expected = [row for result in given for row in result.rows()]
    assert len(rows) == len(expected) == 4
    for row, wanted in zip(rows, expected, strict=True):
        for name, value in wanted.items():
            assert row[name] == ("" if value is None else str(value))


def test_fingerprints_tell_models_and_tests_of_one_name_apart(tmp_path):
    given = [
        ml_eat(provenance=PROVENANCE | {"source_fingerprint": f"sha256:{mark * 64}"})
        for mark in "ab"
    ] + [ml_eat(provenance=PROVENANCE | {"stimuli_sha256": "c" * 64})]
    site, page = written(tmp_path, *given)
    assert (site.models, site.tests, site.results) == (3, 2, 3)
    for mark in ("fingerprint aaaaaaaa", "fingerprint bbbbbbbb", "variant cccccccc"):
        assert mark in page.text


def test_references_and_choices_that_differ_are_told_apart(tmp_path):
    options = {"tests": "divdist-face-validity", "measures": "divdist(p=off,resamples=0)"}
    given = [*eatlas.run(**options), *eatlas.run(**options, reference="Female=0.7,Male=0.3")]
    encoding = {"model": "bert", "architecture": "BertModel", "level": "word", "pool": "mean"}
    given += [ml_eat(source="hf:bert", encoding=encoding | {"layer": n}) for n in ("3", "12")]
    site, page = written(tmp_path, *given)
    assert (site.models, site.tests, site.results) == (3, 3, 4)
    assert page.text.count("variant ") == 2
    assert "layer 3" in page.text
    assert "layer 12" in page.text
    assert "pool mean" not in page.text


def test_of_a_result_that_was_measured_again_the_last_is_shown(tmp_path):
    given = [
        ml_eat(label, provenance=PROVENANCE | {"version": version})
        for label, version in (("B-Uniform", "0.9.1"), ("A-Uniform", "0.10.0"))
    ]
    site, page = written(tmp_path, *given)
    (link,) = cells(page).values()
    assert "A-Uniform" in details(page, link)
    assert "several versions of eatlas: 0.9.1, 0.10.0" in site.notes[0]
    assert site.notes[1].startswith("1 result has another with the same vectors")
    assert all(note in page.text for note in site.notes)
    assert len(read_results(site.folder / "results.jsonl")) == 2


def test_a_second_atlas_of_one_process_has_the_page_of_the_first(tmp_path):
    path = tmp_path / "results.jsonl"
    Results([ml_eat()]).write(path)
    first, second = (eatlas.write_atlas(path, tmp_path / name).page for name in ("one", "two"))
    assert first.read_bytes() == second.read_bytes()


def test_trends_go_into_the_data_and_are_named(tmp_path):
    path = tmp_path / "results.jsonl"
    Results([ml_eat(period=1990), ml_eat(period=2000)], trends=[trend([1990, 2000])]).write(path)
    site = eatlas.write_atlas(path, tmp_path / "site")
    assert site.models == 2
    assert site.notes == ("1 trend over time: see the data, or eatlas report.",)
    assert len(read_results(site.folder / "results.jsonl").trends) == 1


def test_the_page_loads_nothing_and_one_script_runs(tmp_path):
    site, page = written(tmp_path, full(), weat())
    html = site.page.read_text(encoding="utf-8")
    code = page.scripts[-1]
    digest = b64encode(sha256(code.encode()).digest()).decode()
    (policy,) = [one for one in page.all("meta") if "http-equiv" in one]
    assert policy["content"] == (
        "default-src 'none'; style-src 'unsafe-inline'; "
        f"script-src 'sha256-{digest}'; img-src data:"
    )
    assert not [one for one in page.tags if {"src", "srcset", "action"} & set(one[1])]
    assert not page.all("link")
    assert {a["href"] for a in page.all("a") if not a["href"].startswith("#")} == {
        "results.jsonl", "results.csv",
    }  # fmt: skip
    assert html.count("http") == html.count("http-equiv") + html.count("http://www.w3.org/2000/svg")


def test_hostile_texts_stay_text(tmp_path):
    site, page = written(tmp_path, *nasty_results(), title=NASTY)
    html = site.page.read_text(encoding="utf-8")
    assert "\x1b" not in html
    *packs, code = page.scripts
    assert "alert(1)" not in code
    parts = [part for pack in packs for part in json.loads(zlib.decompress(b64decode(pack)))]
    assert len(parts) == 4
    for part in parts:
        inner = Page(part)
        assert not inner.scripts
        assert "<script>alert(1)</script>" in inner.text
    with (site.folder / "results.csv").open(encoding="utf-8", newline="") as file:
        assert not [cell for row in csv.reader(file) for cell in row if cell.startswith("=")]


def test_a_damaged_file_is_refused_by_name_and_nothing_is_written(tmp_path):
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    Results([ml_eat()]).write(good)
    bad.write_bytes(good.read_bytes() + b'{"schema": 3}\n' + good.read_bytes()[:500])
    with pytest.raises(ResultsError) as error:
        eatlas.write_atlas([good, bad], tmp_path / "site")
    assert str(error.value).startswith(f"{bad}, line 2")
    assert "; no site was written" in str(error.value)
    assert not list((tmp_path / "site").glob("*"))


def test_a_site_that_is_there_stays_when_the_next_one_fails(tmp_path):
    site, _ = written(tmp_path, ml_eat())
    before = {file.name: file.read_bytes() for file in site.folder.iterdir()}
    with pytest.raises(ResultsError):
        eatlas.write_atlas(tmp_path / "nowhere.jsonl", site.folder)
    assert {file.name: file.read_bytes() for file in site.folder.iterdir()} == before
    again, _ = written(tmp_path, ml_eat(), weat())
    assert again.results == 2


def test_two_sites_of_one_process_are_the_same_bytes(tmp_path):
    """Styles and scripts are read once, and what a page adds to them is its own."""
    sites = []
    for _ in range(2):
        site, _page = written(tmp_path, ml_eat())
        sites.append({file.name: file.read_bytes() for file in site.folder.iterdir()})
    assert sites[0] == sites[1]


def test_what_cannot_be_a_site_or_has_no_results_is_refused(tmp_path):
    (tmp_path / "in").mkdir()
    path = tmp_path / "in" / "results.jsonl"
    Results([ml_eat()]).write(path)
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "index.html").write_text("<h1>my page</h1>", encoding="utf-8")
    with pytest.raises(ResultsError, match="this page was not written by eatlas atlas"):
        eatlas.write_atlas(path, tmp_path / "mine")
    assert (tmp_path / "mine" / "index.html").read_text(encoding="utf-8") == "<h1>my page</h1>"
    with pytest.raises(ResultsError, match="writing would destroy it"):
        eatlas.write_atlas(path, tmp_path / "in")
    with pytest.raises(ResultsError, match="the site needs a folder"):
        eatlas.write_atlas(path, path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ResultsError, match="this folder contains no results"):
        eatlas.write_atlas(tmp_path / "empty", tmp_path / "site")
    (tmp_path / "void.jsonl").touch()
    with pytest.raises(ResultsError, match="there are no results to show"):
        eatlas.write_atlas(tmp_path / "void.jsonl", tmp_path / "site")


def test_after_the_first_number_stands_the_adjusted_one(tmp_path):
    (result,) = eatlas.run("weat-5", measures="ml-eat(resamples=0)")
    _, page = written(tmp_path, result)
    (link,) = cells(page).values()
    assert link["data-s"].split("|")[:2] == [
        f"{result.value:.2f}", f"{result.adjusted.level1.effect_size:.2f}",
    ]  # fmt: skip
    shown = Page(details(page, link)).text.replace("\N{NO-BREAK SPACE}", " ")
    p = result.finding.questions["level1"].p
    assert "these words p new words p adjusted for frequency p claim" in shown
    assert f" {p_value(p.new)} {p_value(p.adjusted)} {p_value(p.claim)} these word lists" in shown


def test_single_terms_and_no_covariates(tmp_path):
    terms, plain = eatlas.run(
        "weat-3", measures=["sc-eat(p=normal)", "ml-eat(adjust=none,resamples=0)"]
    )
    _, page = written(tmp_path, terms, plain)
    first, second = [link for link in page.all("a") if "data-at" in link]
    assert f"{len(terms.effects())} terms" in first["aria-label"]
    assert "not adjusted" in Page(details(page, second)).text


def test_the_title_says_what_holds_over_sources(tmp_path):
    strong = {"words": 1e-4, "others": 1e-4, "after": 1e-4}
    given = [planted(test=test, source=source, **strong) for test in "pq" for source in "ab"]
    given.append(planted(test="q", source="c", **strong | {"words": 0.9}))
    _, page = written(tmp_path, *given)
    assert page.text.count("4 of 5 results are supported") == 2  # h1 and the title of the window
    _, page = written(tmp_path, *given[:4], title="Mine")
    assert "Mine: 4 of 4 results are supported" in page.text, "they keep no associations"
    sources = ["glove-sample", "cbow:glove-sample"]
    _, page = written(tmp_path, *eatlas.run("weat-6", sources))
    assert "2 sources: Male names are more strongly associated with Career" in page.text
    assert "for other words, in these two embeddings" in page.text


def test_of_many_results_a_cell_has_the_numbers_alone(tmp_path, monkeypatch):
    monkeypatch.setattr("eatlas_workbench.atlas.IN_FULL", 0)
    _, page = written(tmp_path, full())
    (link,) = cells(page).values()
    html = details(page, link)
    assert "generalisation cannot be tested (too few words)" in Page(html).text
    assert "Influential terms" not in html
