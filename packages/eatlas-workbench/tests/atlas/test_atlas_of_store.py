"""The atlas of a store of very many results: the cells of the usual page, without details."""

import json
import zlib
from base64 import b64decode
from itertools import accumulate

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.present.reading import Page
from tests.present.test_page import NASTY

import eatlas
from eatlas.errors import ResultsError
from eatlas.numbers import effect
from eatlas_workbench import atlas
from eatlas_workbench.atlas_of_store import CODES

TESTS = ["weat-6", "weat-7", "weat-8"]
MEASURES = ["ml-eat(resamples=0,frequency=off)", "weat(resamples=0,frequency=off)", "sc-eat"]
SOURCES = {"plain": "glove-sample", "centred": "glove-sample?transform=center"}


@pytest.fixture
def large(monkeypatch):
    """Stores of more than one result are large."""
    monkeypatch.setattr(atlas, "MOST_OF_STORE", 1)


def unpack(page):
    """Headings and matrices of a page."""
    packs = [script for script in page.scripts if not script.startswith('"use')]
    return [json.loads(zlib.decompress(b64decode(pack))) for pack in packs]


def cells(page):
    """Number and verdict by test, source and measure."""
    headings, *matrices = unpack(page)
    found = {}
    for matrix in matrices:
        nothing = [None] * len(matrix["steps"])
        sizes = matrix.get("effect_size", nothing)
        for place, d, code in zip(
            accumulate(matrix["steps"]), sizes, matrix["verdicts"], strict=True
        ):
            row, column = divmod(place, len(matrix["tests"]))
            key = matrix["tests"][column], headings["sources"][row], matrix["signature"]
            found[key] = effect(None if d is None else d / 100), code
    return found


def test_cells_are_those_of_the_usual_page(tmp_path, monkeypatch):
    path = tmp_path / "results.parquet"
    eatlas.run(TESTS, SOURCES, MEASURES, store=path)
    usual = Page(eatlas.write_atlas(path, tmp_path / "site").page.read_text(encoding="utf-8"))
    expected = sorted(
        (link["aria-label"].partition(":")[0], link["data-s"].partition("|")[0], link["data-v"])
        for link in usual.all("a")
        if "data-at" in link and " terms" not in link["aria-label"]
    )
    assert {code for *_, code in expected} == {"1", "2", "3"}
    monkeypatch.setattr(atlas, "MOST_OF_STORE", 17)
    site = eatlas.write_atlas(path, tmp_path / "site")
    assert (site.models, site.tests, site.results, site.notes) == (2, 3, 18, ())
    found = cells(Page(site.page.read_text(encoding="utf-8")))
    of_terms = {key: cell for key, cell in found.items() if key[2].startswith("SC-EAT")}
    assert set(of_terms.values()) == {("–", "s")}
    others = [(f"{key[0]}, {key[1]}", *found[key]) for key in found.keys() - of_terms.keys()]
    assert sorted(others) == expected
    names = sorted(file.name for file in site.folder.iterdir())
    assert names == ["index.html"], "data of the usual atlas are not left beside another page"


def test_the_table_by_test_counts_verdicts(tmp_path, large):
    path = tmp_path / "results.parquet"
    scan = eatlas.run(TESTS, SOURCES, MEASURES[0], store=path)
    site = eatlas.write_atlas(path, tmp_path / "site", title="Our lab")
    page = Page(site.page.read_text(encoding="utf-8"))
    counts = scan.to_frame()["verdict"].value_counts()
    assert f"Our lab: {counts['supported']} of 6 results are supported" in page.text
    rows = site.page.read_text(encoding="utf-8").split('<th scope="row" dir="auto">')[1:]
    of_test = scan.to_frame(["verdict"], "test=weat-7")["verdict"].value_counts()
    (row,) = [row for row in rows if row.startswith("weat-7<")]
    numbers = "".join(f"<td>{of_test.get(verdict, 0)}</td>" for verdict in reversed(CODES))
    assert f"<td>2</td>{numbers}<td>0</td>" in row
    assert row.count("<path d=") == 1


def test_settings_distinguish_rows_and_the_last_of_equal_results_is_shown(tmp_path, large):
    path = tmp_path / "results.parquet"
    eatlas.run(TESTS[:2], SOURCES, MEASURES[1], store=path)
    other = eatlas.load_tests("weat-6")[0]
    shorter = other.model_copy(
        update={"X": other.X.model_copy(update={"terms": other.X.terms[:-1]}),
                "Y": other.Y.model_copy(update={"terms": other.Y.terms[:-1]})}
    )  # fmt: skip
    scan = eatlas.run([shorter], SOURCES, MEASURES[1], store=path)
    site = eatlas.write_atlas(path, tmp_path / "site")
    assert (site.models, site.tests, site.results) == (2, 2, 4)
    assert site.notes[0].startswith("2 results have another result with the same source")
    found = cells(Page(site.page.read_text(encoding="utf-8")))
    frame = scan.to_frame("all", ["test=weat-6", "source=plain"])
    expected = effect(frame["effect_size"].iloc[-1])
    assert found["weat-6", "plain", frame["signature"][0]][0] == expected
    assert effect(frame["effect_size"].iloc[0]) != expected


def test_a_store_is_not_the_folder_of_its_site(tmp_path, large):
    path = tmp_path / "results.parquet"
    eatlas.run(TESTS[:2], SOURCES, MEASURES[1], store=path)
    before = sorted(path.iterdir())
    with pytest.raises(ResultsError, match="writing would destroy it"):
        eatlas.write_atlas(path, path)
    assert sorted(path.iterdir()) == before


def write_hostile_store(path):
    """A store whose test, source and concept have a hostile name, which no run would write."""
    (part,) = eatlas.run(TESTS[:2], "glove-sample", MEASURES[1], store=path).parts
    table = parquet.read_table(part, partitioning=None)
    for name in ("test", "source", "X"):
        place = table.column_names.index(name)
        texts = [NASTY + "'" + text for text in table[name].to_pylist()]
        table = table.set_column(place, name, pa.array(texts))
    parquet.write_table(table, part)


def test_hostile_names_are_text(tmp_path, large):
    write_hostile_store(tmp_path / "results.parquet")
    site = eatlas.write_atlas(tmp_path / "results.parquet", tmp_path / "site", title=NASTY)
    html = site.page.read_text(encoding="utf-8")
    assert "<script>alert" not in html
    page = Page(html)
    assert page.text.count("<script>alert(1)</script>") == 4, "title, heading and two tests"
    headings = unpack(page)[0]
    assert headings["sources"] == [NASTY + "'glove-sample"]
