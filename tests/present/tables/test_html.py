from tests.present.reading import Page
from tests.present.records import full, ml_eat, sc_eat, weat

from eatlas.present import report_table

NASTY = '"><script>alert(1)</script>&amp;'


def test_the_table_of_a_paper():
    page = Page(report_table([full()], "html-table"))
    assert {tag for tag, _ in page.tags} == {
        "table", "caption", "thead", "tbody", "tfoot", "tr", "th", "td", "br", "strong",
    }  # fmt: skip
    assert "1.40* [1.00, 1.70] .0078 (.016) .016 0.90*" in page.text
    assert [a.get("colspan") for a in page.all("th") if a["scope"] == "colgroup"] == list("21134")
    assert all(a["scope"] in {"col", "row", "colgroup"} for a in page.all("th"))


def test_it_is_ascii_so_that_no_encoding_errs():
    text = report_table([ml_eat(d=-1.0, names={"X": "שמות"})], "html-table")
    assert text.isascii()
    assert "−1.00" in Page(text).text
    assert "שמות / Insects" in Page(text).text


def test_hostile_texts_stay_text():
    names = dict.fromkeys("XYAB", NASTY)
    given = [full(names=names, test=NASTY, source=NASTY), weat(test=NASTY), sc_eat({NASTY: 1.0})]
    page = Page(report_table(given, "html-table"))
    assert not page.all("script")
    assert page.text.count("<script>alert(1)</script>") >= 6
