"""Replications: what is compared on which models, tables, the page and files."""

import csv
import io
import math
from collections import Counter

import numpy as np
import pytest
from tests.inputs import google_news, optional_data
from tests.present.reading import Page

import eatlas
from eatlas.errors import EatlasError
from eatlas.results.parts import at
from eatlas.stats.multiplicity import holm
from eatlas_workbench.replication.drawing import strip
from eatlas_workbench.replication.page import replication_csv, replication_html, write_replication
from eatlas_workbench.replication.recipe import read_recipe
from eatlas_workbench.replication.tables import arrange_table, grids, side_by_side


@pytest.fixture(scope="module")
def ml_eat():
    return eatlas.replicate("ml-eat")


@pytest.fixture(scope="module")
def divdist():
    """Table 3 on vectors that the paper does not have."""
    return eatlas.replicate("divdist", {"sample": "glove-sample"}, table=3)


@pytest.fixture(scope="module")
def seat():
    return eatlas.replicate("seat")


# --- the papers' tables on their own vectors ------------------------------------------------------


def test_table_1_of_ml_eat_is_repeated_on_the_bundled_vectors(ml_eat):
    """113 of 120 cells to the last digit, all ten patterns and 30 stars."""
    cells = [cell for cell in ml_eat if cell.table == "table-1"]
    assert ml_eat.computed == tuple(cells)
    assert {(cell.source, cell.own) for cell in cells} == {("glove-840b-words", False)}
    assert Counter(cell.agrees for cell in cells) == {True: 113, False: 7}
    patterns = [cell for cell in cells if cell.question.place == "pattern.label"]
    assert [cell.agrees for cell in patterns] == [True] * 10
    assert [cell.own_star for cell in cells] == [cell.star for cell in cells]
    assert len(ml_eat.results) == 10
    assert {result.signature for result in ml_eat.results} == {eatlas.MLEAT(p="normal").signature}


def test_every_cell_of_table_1_that_differs_is_explained(ml_eat):
    """Six are the next number below to two digits, one is rounded twice."""
    unequal = [cell for cell in ml_eat if cell.agrees is False]
    assert len(unequal) == 7
    down = [cell for cell in unequal if cell.why.endswith(", rounded down")]
    for cell in down:
        assert math.floor(cell.value * 100) == round(cell.number * 100), cell.row
        assert cell.why.startswith(f"{cell.value:.4f}".replace("-", "−").removeprefix("0"))
    (twice,) = set(unequal) - set(down)
    assert twice.why == ".0745, rounded twice: to .075 and then to .08"
    assert (round(round(twice.value, 3) + 1e-9, 2), twice.number) == (0.08, 0.08)
    explained = {one.ours for one in read_recipe("ml-eat").difference}
    assert explained == {round(cell.value, 4) for cell in unequal}


def test_the_p_of_the_code_stands_beside_the_exact_one(ml_eat):
    """Which is that of a measurement by exact p-values."""
    cells = [c for c in ml_eat if c.table == "table-1" and c.question.place.endswith("effect_size")]
    assert [cell.exact_star for cell in cells] == [cell.star for cell in cells]
    results = eatlas.run("caliskan", "glove-840b-words", "ml-eat(resamples=0)")
    exact = {result.test: result for result in results}
    for cell in cells:
        level = at(exact[cell.question.test], cell.question.place.removesuffix(".effect_size"))
        assert cell.exact_p == level.p["greater" if cell.value > 0 else "less"]
        assert cell.p != cell.exact_p
    assert ml_eat.to_frame()["p_exact"].notna().sum() == 30


def test_stars_are_the_same_by_the_text(ml_eat):
    text = eatlas.replicate("ml-eat", table=1, follow="paper")
    assert [one.value for one in text] == [one.value for one in ml_eat if one.table == "table-1"]
    assert [one.own_star for one in text] == [one.star for one in text]
    assert {result.signature for result in text.results} == {eatlas.MLEAT(strict=True).signature}
    assert {one.exact_p for one in text} == {None}


def test_table_1_of_caliskan_is_repeated_on_the_bundled_vectors():
    """Every d; and every p is that of the code, rounded up."""
    cells = eatlas.replicate("caliskan")
    effects = [cell for cell in cells if cell.column == "d"]
    assert [cell.agrees for cell in effects] == [True] * 10
    printed = [cell.number for cell in cells if cell.column == "p"]
    normal = [result.level1.p.greater for result in cells.results]
    rounded_up = [10.0 ** math.ceil(math.log10(p)) for p in normal]
    assert rounded_up[:6] + rounded_up[7:] == pytest.approx(printed[:6] + printed[7:])
    assert (printed[6], round(normal[6], 4)) == (0.018, 0.0174)
    exact = eatlas.replicate("caliskan", follow="paper")
    counted = [result.level1.p.greater for result in exact.results]
    assert sum(p <= 0.1 * other for p, other in zip(counted, printed, strict=True)) == 6


@pytest.mark.slow
def test_table_4_of_ml_eat_is_repeated_on_the_published_vectors():
    """By the code; what the text says alone gives ten cells and a star fewer."""
    vectors = google_news()
    (grid,) = grids(eatlas.replicate("ml-eat", {"google-news": vectors}, table=4))
    assert (sum(grid.agree), len(grid.agree)) == (106, 110)
    assert grid.stars == grid.exact_stars == [True] * 30
    assert {(cell.row, cell.why) for cell in grid.differ} == {("Young/Old P/U8", "without Billy")}
    (grid,) = grids(eatlas.replicate("ml-eat", {"google-news": vectors}, table=4, follow="paper"))
    assert (sum(grid.agree), len(grid.agree), sum(grid.stars)) == (95, 110, 29)
    short_term = [cell for cell in grid.differ if cell.row == "Mental/Physical Temp/Perm"]
    assert {cell.why for cell in short_term} == {"without short-term"}


@pytest.mark.slow
def test_words_that_a_source_lacks_are_named():
    """The words of the ten tests as Caliskan et al. have them: without Jay, Tremayne and short."""
    file = optional_data("published-vectors") / "google-news-items.npz"
    (grid,) = grids(eatlas.replicate("ml-eat", {"google-news": file}, table=4))
    assert sum(grid.agree) == 97
    assert {cell.why for cell in grid.differ} == {
        "without Billy", "without short", "without Jay, Tremayne",
    }  # fmt: skip


def test_histwords_are_measured_by_decade_without_1800(tmp_path):
    """Made-up vectors in the published form: 1800 is left out, and each year is a row."""
    words = sorted(eatlas.load_tests("weat-7-histwords")[0].terms)
    rng = np.random.default_rng(7)
    for year in (1800, 1810, 1960, 1990):
        np.save(tmp_path / f"{year}-w.npy", rng.standard_normal((len(words), 20)))
        with (tmp_path / f"{year}-vocab.pkl").open("wb") as file:
            import pickle

            pickle.dump(words, file)
    found = eatlas.replicate("ml-eat", {"histwords": tmp_path, "mine": tmp_path}, table="figure-3")
    assert {cell.question.period for cell in found.computed} == {1810, 1960, 1990}
    assert {result.test for result in found.results} == {"weat-7-histwords"}
    assert sorted({result.period for result in found.results}) == [1810, 1960, 1990]
    with pytest.raises(EatlasError, match="Table 1: GloVe takes vectors of words") as refused:
        eatlas.replicate("ml-eat", {"mine": tmp_path}, table=1)
    assert refused.value.got == "mine: vectors by decade"
    level1 = [cell for cell in found if cell.row == "1960" and cell.column == "Level 1"]
    assert [cell.own for cell in level1] == [False, True]
    assert level1[0].value == level1[1].value


# --- SEAT -----------------------------------------------------------------------------------------


def test_p_of_seat_is_as_printed_on_the_bundled_vectors(seat):
    assert [(one.row, one.text) for one in seat if one.agrees is not None] == [
        ("C7: Math/Arts, word", "0.016")
    ]
    assert seat.agreement == [True]
    (cell,) = [one for one in seat if one.agrees]
    assert (cell.source, round(cell.value, 4)) == ("glove-840b-words", 0.0157)


def test_rows_whose_words_are_missing_are_named_and_not_measured(seat):
    (bags,) = [model for model in seat.models if model.id == "cbow-glove-840b"]
    (why,) = bags.missing
    assert why.startswith("glove-840b-words has no vector of This, is, an, ., That, There and ")
    rows = why.partition("so not measured: ")[2].split("; ")
    measured = {cell.row for cell in seat.computed if cell.table == "results"}
    assert len(measured) == 13
    assert len(rows) == 46 - 13
    assert {"C3: EA/AA Names, sent", "ABW Stereotype, word", "sent-weat10"} <= set(rows)
    assert not measured & set(rows)


def test_a_second_star_is_left_by_holm_over_all_tests(seat):
    """In a table by itself the family is the same."""
    own = {one.row: one for one in seat.computed if one.column == "CBoW" and one.table == "results"}
    p = {one.row: one.value for one in seat.computed if one.column == "CBoW, p" and one.row in own}
    adjusted = dict(zip(p, holm([*p.values()]), strict=True))
    assert {row: one.own_star for row, one in own.items()} == {
        row: (p[row] <= 0.01) + int(adjusted[row] <= 0.01) for row in p
    }
    assert Counter(one.own_star for one in own.values()) == {2: 8, 1: 3, 0: 2}
    alone = eatlas.replicate("seat", table=4)
    assert {one.own_star for one in alone.computed} == {2}
    assert len(alone.results) == 13


# --- models that the paper does not have ----------------------------------------------------------


def test_another_model_is_under_its_own_name_and_not_compared(divdist):
    assert divdist.agreement == []
    assert divdist.headline == "DivDist: sample by the recipe of the paper"
    assert {(one.model, one.source, one.column) for one in divdist.computed} == {("sample",) * 3}
    assert len(divdist) == 48 + 8
    signs = {one.row: one.value for one in divdist.computed}
    printed = {one.row: one.number for one in divdist if one.column == "w2v"}
    assert all(signs[row] * printed[row] > 0 for row in printed)
    assert {result.source for result in divdist.results} == {"sample"}


@pytest.mark.slow
def test_another_model_is_in_the_first_table_of_each_kind():
    found = eatlas.replicate("ml-eat", {"mine": "glove-sample"})
    own = [one for one in found if one.own]
    assert {one.table for one in own} == {"table-1", "table-4"}
    assert len(found.agreement) == 120
    mine = found.models[-1]
    assert [why.split(" takes ")[0] for why in mine.missing] == [
        "Table 2: CLIP-ViT-L14-336 without a prompt", "Table 2: CLIP-ViT-L14-336 with a prompt",
        "Figure 3: math and arts in HistWords", "Table 3: GPT-2 Base",
    ]  # fmt: skip
    one_of_them = eatlas.replicate("ml-eat", {"mine": "glove-sample"}, table=1)
    same = {(one.row, one.column): one.value for one in own if one.table == "table-1"}
    assert {(o.row, o.column): o.value for o in one_of_them if o.own} == same
    assert len(same) == 120


def test_tests_with_too_few_words_are_named():
    words = eatlas.open_vectors("glove-sample").lookup(set(eatlas.load_tests("weat-7")[0].terms))
    found = eatlas.replicate("ml-eat", {"mine": words}, table=1)
    assert {cell.row for cell in found.computed if cell.own} == {"Math/Arts Male/Female"}
    mine = found.models[-1]
    assert len(mine.missing) == 9
    assert mine.missing[0].startswith("Flower/Insect P/U25: test weat-1, group X (Flowers): no ")
    assert not found.results.failures


@pytest.mark.slow
def test_a_result_of_a_replication_verifies():
    found = eatlas.replicate("ml-eat", {"mine": "glove-sample"}, table=4)
    assert {one.status for one in eatlas.verify(found.results)} == {"same"}


# --- tables, the page, files ----------------------------------------------------------------------


def test_a_table_of_one_model_is_stacked_with_all_three_levels(ml_eat):
    (grid,) = [grid for grid in grids(ml_eat) if grid.columns_with_values]
    heads, rows, align = arrange_table(grid)
    assert heads == [
        "Row", "Level 1", "Level 2\nX", "Level 2\nY", "A,X\nmean (sd)", "B,X\nmean (sd)",
        "A,Y\nmean (sd)", "B,Y\nmean (sd)", "Pattern",
    ]  # fmt: skip
    assert rows[:2] == [
        ["Flower/Insect P/U25", "1.50*", "0.60*", "−0.69*", ".10 (.10)", ".06 (.08)", ".08 (.10)",
         ".13 (.10)", "AB-Divergent"],
        ["  ours", "1.50*", "0.60*", "−0.69*", ".10 (.10)", ".06 (.08)", ".08 (.10)", ".13 (.10)",
         "AB-Divergent"],
    ]  # fmt: skip
    assert (len(rows), align) == (20, "lrrrrrrrl")


def test_a_name_that_a_column_has_is_told_from_it():
    found = eatlas.replicate("divdist", {"w2v": "glove-sample"}, table=3)
    assert {one.column for one in found if one.own} == {"w2v (another model)"}
    heads, _, _ = side_by_side(grids(found)[0])
    assert heads[-1] == "\nw2v (another model)"


def test_tables_of_several_models_are_side_by_side(divdist):
    (grid,) = grids(divdist)
    heads, rows, align = side_by_side(grid)
    printed = [f"{name}\npaper" for name in ("text human", "text aut.", "w2v", "GloVe", "cr probe")]
    assert (heads, align) == (["Row", *printed, "\nsample"], "lrrrrrr")
    assert rows[3] == ["nurse", "0.373", "0.097", "0.119", "0.114", "0.111", "0.058"]
    both = eatlas.replicate(
        "divdist", {"google-news": "glove-sample", "b": "glove-sample"}, table=3
    )
    heads, rows, align = side_by_side(grids(both)[0])
    assert heads == ["Row", *printed[:3], "w2v\nours", *printed[3:], "\nb"]
    assert rows[3][3:5] == ["0.119", "0.058"]
    assert both.headline.startswith("DivDist: 0 of 8 printed numbers are the same")


def test_frame_and_table_have_every_cell(ml_eat):
    frame = ml_eat.to_frame()
    assert len(frame) == len(ml_eat) == 1517
    assert frame["agrees"].notna().sum() == 120
    rows = list(csv.DictReader(io.StringIO(replication_csv(ml_eat))))
    assert len(rows) == 1517
    assert list(rows[0]) == list(frame.columns)
    assert float(rows[0]["ours"]) == frame["ours"][0]
    assert repr(ml_eat) == (
        "<Replication of ml-eat: 1517 published cells, 120 compared, 113 the same; "
        "462 checks of printed numbers, 3 of which fail>"
    )


def test_the_page(ml_eat):
    page = Page(replication_html(ml_eat))
    for text in (
        "113 of 120 the same, 30 of 30 stars (30 by exact p-values)", "AX-Singular", "-0.99", "1.4052, rounded down",
        "this replication follows the code", "equations 3 and 7", "eatlas vectors fetch word2vec-google-news-300",
    ):  # fmt: skip
        assert text in page.text
    assert len(page.scripts) == 1
    assert page.text.count("ML-EAT: 113 of 120 printed numbers are the same to the last digit") == 2
    assert len(page.all("article")) == len(grids(ml_eat)) == 15
    assert not [tag for tag in page.tags if {"src", "srcset"} & set(tag[1])]


def test_the_page_of_another_model(divdist):
    page = Page(replication_html(divdist))
    assert "other models measured: sample" in page.text
    assert "0.058" in page.text
    assert "What differs" not in page.text


def test_the_drawing_has_a_mark_a_row(ml_eat, divdist):
    (grid,) = [grid for grid in grids(ml_eat) if grid.columns_with_values]
    assert len(grid.differ) == 7
    drawn = strip(grid)
    assert drawn.count('class="ring"') == drawn.count('class="m on') == 10
    assert drawn.count("m on y") == 4
    assert "EA/AA32 P/U25: printed 1.40*, computed 1.41*" in drawn
    assert "11 of 12" in drawn
    for other in grids(ml_eat):
        assert bool(other.missing) is not bool(other.sources)
    assert strip(grids(divdist)[0]) == ""


def test_files_verify(divdist, tmp_path):
    names = [path.name for path in write_replication(divdist, tmp_path)]
    assert names == ["replication.html", "replication.csv", "results.jsonl", "report.html"]
    results = eatlas.read_results(tmp_path / "results.jsonl")
    assert results == divdist.results
    assert {one.status for one in eatlas.verify(results)} == {"same"}


def test_nothing_is_written_where_nothing_is_measured(tmp_path):
    found = eatlas.replicate("mind-your-bias")
    assert (found.headline, found.computed) == (
        "Mind Your Bias: no printed number was computed",
        (),
    )
    names = [path.name for path in write_replication(found, tmp_path)]
    assert names == ["replication.html", "replication.csv"]
    assert "None of the paper's models is on this machine." in Page(replication_html(found)).text


def test_images_that_are_not_here_are_named(tmp_path, monkeypatch):
    from tests.tiny_vision import make_towers

    model = {"mine": f"clip:{make_towers(tmp_path / 'clip', 'clip')}"}
    monkeypatch.delenv("EATLAS_IEAT", raising=False)
    with pytest.raises(EatlasError, match="its images are not on this machine"):
        eatlas.replicate("ml-eat", model, table=9)
    monkeypatch.setenv("EATLAS_IEAT", str(tmp_path / "none"))
    with pytest.raises(EatlasError, match="which is not a folder"):
        eatlas.replicate("ml-eat", model, table=9)


def test_jobs_that_fail_are_named():
    """A function that fails is no fault of a recipe."""

    def failing(texts):
        return np.full((len(texts), 3), np.nan)

    with pytest.raises(EatlasError, match="not finite"):
        eatlas.replicate("mind-your-bias", {"elmo": failing}, table=12)
