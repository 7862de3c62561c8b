"""Replications: the data, the checks of printed numbers, what is compared, pages and files."""

import csv
import io
import math
import re
import tomllib
from collections import Counter
from importlib.resources import files
from pathlib import Path

import pytest
from tests.inputs import optional_data
from tests.present.reading import Page
from tests.tiny_models import make_model
from tests.tiny_vision import draw, make_towers

import eatlas
from eatlas.apps.replication.replicate import (
    PAPERS,
    Cell,
    checks_of,
    computed,
    difference,
    grids,
    own_tests,
    paper,
    printed_numbers,
    published,
    replication_csv,
    replication_html,
    strip,
    write_replication,
)
from eatlas.errors import EatlasError
from eatlas.measures.association import associated_with, eat_pattern
from eatlas.stimuli import load_tests

SECOND_READING = tomllib.loads(
    (Path(__file__).parents[2] / "measures" / "ml_eat_tables.toml").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def ml_eat():
    return eatlas.replicate("ml-eat")


@pytest.fixture(scope="module")
def divdist():
    return eatlas.replicate("divdist")


def test_two_transcriptions_of_ml_eat_agree():
    """Level 2 of every row: the data of the package, and those that the tests hold."""
    cells = {(c.table, c.row, c.column): c for c in printed_numbers("ml-eat")}
    compared = 0
    for table, rows in SECOND_READING.items():
        for row in rows:
            for role in "XY":
                d, star = row[role]
                cell = cells[table, row["eat"], f"Level 2, {role}"]
                assert (cell.number, cell.star) == (d, star)
                compared += 1
    assert compared == 2 * sum(map(len, SECOND_READING.values())) == 268


def test_table_1_of_ml_eat_is_repeated_on_the_bundled_vectors(ml_eat):
    """113 of 120 cells to the last digit, the others beside it, and all ten patterns."""
    cells = [cell for cell in ml_eat if cell.table == "table-1"]
    assert ml_eat.computed == tuple(cells)
    assert {(cell.source, cell.stand_in) for cell in cells} == {("glove-840b-words", False)}
    assert Counter(cell.agrees for cell in cells) == {True: 113, False: 7}
    patterns = [cell for cell in cells if cell.place == "pattern.label"]
    assert [cell.agrees for cell in patterns] == [True] * 10
    assert all(abs(cell.difference) < 0.0151 for cell in cells if cell.difference is not None)
    assert [cell.own_star for cell in cells] == [cell.star for cell in cells]
    assert len(ml_eat.results) == 10
    assert all(result.adjusted.level1 for result in ml_eat.results)  # ranks of GloVe 6B
    assert {result.frequency.reason for result in ml_eat.results} == {
        "glove-840b-words has the words of tests alone, and no topics",
        "no rank is known for gladiola",
    }


def test_table_1_of_caliskan_is_repeated_on_the_bundled_vectors():
    """Every d; and every p is that of a normal distribution, rounded up."""
    cells = eatlas.replicate("caliskan")
    effects = [cell for cell in cells if cell.column == "d"]
    assert [cell.agrees for cell in effects] == [True] * 10
    printed = [cell.number for cell in cells if cell.column == "p"]
    tests = [cell.test for cell in effects]
    results = eatlas.run(tests, "glove-840b-words", "weat(p=normal,resamples=0)")
    normal = [result.level1.p.greater for result in results]
    rounded_up = [10.0 ** math.ceil(math.log10(p)) for p in normal]
    assert rounded_up[:6] + rounded_up[7:] == pytest.approx(printed[:6] + printed[7:])
    assert (printed[6], round(normal[6], 4)) == (0.018, 0.0174)
    counted = [cell.level1.p.greater for cell in cells.results]
    assert sum(p <= 0.1 * other for p, other in zip(counted, printed, strict=True)) == 6


@pytest.mark.slow
def test_table_4_of_ml_eat_is_repeated_on_the_published_vectors():
    file = optional_data("published-vectors") / "google-news-items.npz"
    replication = eatlas.replicate("ml-eat", vectors={"google-news": file})
    (grid,) = [grid for grid in grids(replication) if grid["table"].id == "table-4"]
    assert sum(same is True for same in grid["agree"]) == 96  # 100 with Jay and Tremayne


@pytest.mark.parametrize(
    ("name", "n"),
    [("caliskan", 20), ("ml-eat", 1517), ("seat", 102), ("divdist", 168), ("mind-your-bias", 226)],
)
def test_the_data_fit_together(name, n):
    known = paper(name)
    assert len(printed_numbers(name)) == n
    tables, models = {one.id for one in known.table}, {one.id for one in known.model}
    cells = printed_numbers(name)
    assert {cell.table for cell in cells} == tables
    assert {cell.model for cell in cells} <= models
    ids = sorted({cell.test for cell in cells if cell.test} - {*own_tests()})
    assert [test.id for test in load_tests(ids)] == ids
    keys = [(c.table, c.model, c.row, c.column) for c in cells]
    assert len(set(keys)) == len(keys)
    for one in known.table:
        eatlas.get_measure(one.measure)
    for one in known.model:
        assert one.published or one.get or one.not_run, one.id


def test_the_names_of_table_4_are_those_before_two_of_each_are_dropped():
    (test,) = own_tests().values()
    (built_in,) = load_tests(["weat-5"])
    assert {cell.test for cell in printed_numbers("ml-eat") if cell.row == "EA/AA18 P/U8"} == {
        test.id
    }
    for role, dropped in (("X", ("Jay", "Kristen")), ("Y", ("Tremayne", "Latonya"))):
        terms = test.concepts[role].terms
        assert tuple(t for t in terms if t not in dropped) == built_in.concepts[role].terms
        assert len(terms) == 18
    assert all(test.concepts[role].terms == built_in.concepts[role].terms for role in "AB")


def test_what_the_papers_print_against_themselves():
    fail = {name: [check.where for check in checks_of(name) if not check.holds] for name in PAPERS}
    assert fail == {
        "ml-eat": [
            "table-3-xl and table-8, Young/Old P/U8, Level 2, Y", "table-3-base and table-5, weat-6",
            "table-6, Mental/Physical Temporary/Permanent, Level 2, X",
        ],
        "divdist": [
            "table-4, context of 3 sentences", "table-4, context of 3 sentences",
            "table-7, w2v Soft (M) race", "table-7",
        ],
        "mind-your-bias": [],
        "seat": [],
        "caliskan": [],
    }  # fmt: skip


def test_checks_of_patterns_and_sums_follow_from_the_cells():
    rows = {}
    for name in ("ml-eat", "divdist"):
        for cell in printed_numbers(name):
            rows.setdefault(f"{cell.table}, {cell.row}", {})[cell.column] = cell
    for check in (*checks_of("ml-eat"), *checks_of("divdist")):
        row = rows.get(check.where)
        if check.name == "pattern":
            sides = [associated(row[f"Level 2, {role}"]) for role in "XY"]
            assert check.holds == (eat_pattern(*sides)[0] == row["Pattern"].text)
        elif check.name == "sum":
            parts = [row[name] for name in ("L2; L1", "L3; L2", "L3; L1")]
            first, second, whole = (float(cell.text) for cell in parts)
            slack = sum(0.5 * 10.0**-cell.decimals for cell in parts) + 1e-9
            assert check.holds == (abs(first + second - whole) <= slack)


def associated(cell):
    p = 0.01 if cell.star else 0.5
    return associated_with(float(cell.text), p, alpha=0.05, threshold=0.2)


def test_the_sample_in_place_of_the_papers_vectors():
    divdist = eatlas.replicate("divdist")
    assert {(cell.source, cell.stand_in) for cell in divdist.computed} == {("glove-sample", True)}
    (model,) = [model for model in divdist.models if model.source]
    assert "100 dimensions in place of 300" in model.stand_in_is
    assert model.missing.startswith("eatlas vectors fetch glove.6B.300d (862 MB)")
    assert "These are other vectors." in Page(replication_html(divdist)).text


@pytest.mark.slow
def test_a_transformer_gets_the_options_and_the_prompt_of_the_method(tmp_path):
    folder = make_model(tmp_path, "gpt2")
    found = eatlas.replicate("ml-eat", {"gpt2": f"hf:{folder}"})
    encodings = {
        (r.encoding.level, r.encoding.layer, r.encoding.subword, r.encoding.prompt)
        for r in found.results
        if r.encoding is not None
    }
    assert len(encodings) == 1
    level, layer, subword, prompt = encodings.pop()
    assert (level, subword, prompt) == ("word", "last", "This is {}")
    assert layer == str(max(r.encoding.layers for r in found.results if r.encoding))
    tables = {one.table for one in found.computed}
    assert tables == {"table-1", "table-3-base", "table-5"}
    other = eatlas.replicate("ml-eat", {"gpt2": f"hf:{folder}?level=sentence&pool=mean"})
    assert {r.encoding.level for r in other.results if r.encoding} == {"sentence"}


@pytest.mark.slow
def test_images_are_measured_where_they_are(tmp_path, monkeypatch):
    """Drawn images in the folders of the published set: words get the prompt, images none."""
    data = files("eatlas.stimuli") / "data" / "ml-eat-images.toml"
    for number, folder in enumerate(set(re.findall(r"ieat:([\w/-]+)", data.read_text()))):
        for image in range(3):
            path = tmp_path / "ieat" / folder / f"{image}.png"
            path.parent.mkdir(parents=True, exist_ok=True)
            draw(path, 3 * number + image)
    model = f"clip:{make_towers(tmp_path / 'clip', 'clip')}"
    wanted = {"clip-vit-l14-336": model, "clip-vit-l14-336-prompt": model}
    with pytest.raises(EatlasError, match="its images are not on this machine"):
        eatlas.replicate("ml-eat", wanted)
    monkeypatch.setenv("EATLAS_IEAT", str(tmp_path / "ieat"))
    found = eatlas.replicate("ml-eat", wanted)
    tables = Counter(one.table for one in found.computed)
    assert tables == {
        "table-1": 120, "table-2-no-prompt": 60, "table-2-with-prompt": 60, "table-12": 121,
    }  # fmt: skip
    prompts = {one.encoding.prompt for one in found.results if one.encoding is not None}
    assert prompts == {"", "a picture that brings to mind {}"}
    level1 = {
        one.table: one.value
        for one in found.computed
        if one.row == "Thin/Heavy P/U25" and one.column == "Level 1"
    }
    assert level1["table-2-no-prompt"] == level1["table-12"] != level1["table-2-with-prompt"]


@pytest.mark.slow
def test_the_other_papers_on_the_sample(divdist):
    signs = {one.row: one for one in divdist.computed}
    assert len(signs) == 8
    assert all(one.value * one.number > 0 for one in signs.values())
    seat = eatlas.replicate("seat")
    assert {one.column for one in seat.computed} == {"CBoW", "CBoW, p"}
    assert [one.text for one in seat if one.agrees is not None] == ["0.016"]
    biases = eatlas.replicate("mind-your-bias")
    assert len(biases.computed) == 3
    assert all(one.signless for one in biases)


def cell(text: str, **fields: object) -> Cell:
    return Cell("t", "m", "r", "c", text=text, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "value", "agrees"),
    [
        ("-0.39", -0.3901, True), ("-0.39", -0.385, True), ("-0.39", -0.3849, False),
        ("-0.39", -0.396, False), ("-0.39", 0.391, False), ("-0.39", None, None),
        ("A-Uniform", "A-Uniform", True), ("A-Uniform", "B-Uniform", False), ("", 1.0, None),
    ],
)  # fmt: skip
def test_agreement_is_that_of_the_printed_digits(text, value, agrees):
    assert cell(text, source="s", value=value).agrees is agrees


def test_words_of_cells():
    assert cell("-0.39", source="s", value=0.391, signless=True).agrees
    assert cell("", source="s", value=1.0).difference is None
    assert computed(cell("-0.39", source="s", value=-0.39, own_star=True)) == "−0.39"
    both = cell("-0.390", star=True, source="s", value=-0.4, own_star=True)
    assert (published(both), computed(both), difference(both)) == ("−0.390*", "−0.400*", "−0.010")
    assert computed(cell("0.016", source="s", value=3e-5)) == "3e-05"
    undefined = cell("0.1", source="s")
    assert (computed(undefined), difference(undefined)) == ("undefined", "")
    assert computed(cell("0.1")) == ""


def test_frame_and_table_have_every_cell(ml_eat):
    frame = ml_eat.to_frame()
    assert len(frame) == len(ml_eat) == 1517
    assert frame["agrees"].notna().sum() == 120
    rows = list(csv.DictReader(io.StringIO(replication_csv(ml_eat))))
    assert len(rows) == 1517
    assert list(rows[0]) == list(frame.columns)
    assert float(rows[0]["ours"]) == frame["ours"][0]
    assert "120 compared" in repr(ml_eat)


def test_the_page(ml_eat):
    page = Page(replication_html(ml_eat))
    for text in ("113 of 120", "AX-Singular", "-0.99"):
        assert text in page.text
    assert len(page.scripts) == 1
    assert page.text.count("ML-EAT: 113 of 120 printed numbers are the same to the last digit") == 2
    assert len(page.all("article")) == len(grids(ml_eat)) == 15
    assert not [tag for tag in page.tags if {"src", "srcset"} & set(tag[1])]


def test_the_drawing_has_a_mark_a_row(ml_eat, divdist):
    (grid,) = [grid for grid in grids(ml_eat) if grid["sources"]]
    assert len(grid["differ"]) == 7
    drawn = strip(grid)
    assert drawn.count('class="ring"') == drawn.count('class="m on') == 10
    assert drawn.count("m on y") == 4
    assert "EA/AA32 P/U25: printed 1.40*, computed 1.41*" in drawn
    assert "11 of 12" in drawn
    for other in grids(ml_eat):
        assert bool(other["missing"]) is not bool(other["sources"])
    assert divdist.headline == (
        "DivDist, other vectors: 1 of 8 printed numbers are the same to the last digit"
    )
    (grid,) = [grid for grid in grids(divdist) if grid["sources"]]
    assert strip(grid).count("m on x") == 1


def test_files_verify(divdist, tmp_path):
    names = [path.name for path in write_replication(divdist, tmp_path)]
    assert names == ["replication.html", "replication.csv", "results.jsonl", "report.html"]
    results = eatlas.read_results(tmp_path / "results.jsonl")
    assert results == divdist.results
    assert {one.status for one in eatlas.verify(results)} == {"same"}


@pytest.mark.slow
def test_jobs_that_fail_are_named_and_words_become_bags_where_the_paper_has_them(tmp_path):
    eatlas.write_vectors("glove-sample", tmp_path / "mine.txt")
    with pytest.warns(
        eatlas.EatlasWarning, match=r"9 of 30 jobs failed: sent-weat-1 on glove-sample"
    ):
        found = eatlas.replicate(
            "seat", {"gpt": "glove-sample", "cbow-glove-840b": tmp_path / "mine.txt"}
        )
    gpt = [one for one in found if one.model == "gpt" and one.place]
    assert Counter(bool(one.source) for one in gpt) == {True: 6, False: 9}
    bags = [one for one in found.computed if one.model != "gpt"]
    assert {one.source for one in bags} == {f"cbow:{tmp_path / 'mine.txt'}"}
    assert len(bags) == 15
    assert not any(one.stand_in for one in bags)
