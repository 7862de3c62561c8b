"""The summary: what stands in its rows, and by what they can be sorted and found."""

from tests.present.reading import Page
from tests.present.records import full, ml_eat

from eatlas.present import report_html


def summary(*results, **options) -> str:
    page = report_html(results, **options)
    part = page[page.index('<section id="data"') :]
    return " ".join(Page(part[: part.index("</section>") + 10]).text.split())


def test_a_row_holds_effects_intervals_p_values_and_both_patterns():
    assert (
        "test-1 Flowers / Insects Pleasant / Unpleasant 1.40 * [1.00, 1.70] .0078 (.016) "
        "0.90 * [0.50, 1.20] .0078 (.016) 0.10 .46 (.92) .016 – – these word lists only "
        "generalisation cannot be tested (too few words) AX-Singular bootstrap: 75%"
    ) in summary(full())
    text = summary(ml_eat(two_sided_label="Non-Directional"))
    assert "AX-Singular two-sided: Non-Directional" in text


def test_rows_say_to_which_test_pattern_and_source_they_belong_and_cells_their_numbers():
    html = report_html([ml_eat(), ml_eat(d=0.1, greater=6000, test="two", source="more")])
    page = Page(html)
    rows = [a for a in page.all("tr") if "data-verdict" in a]
    assert [(a["data-test"], a["data-verdict"], a["data-source"]) for a in rows] == [
        ("test-1", "these word lists only", "some-vectors"),
        ("two", "not shown", "more"),
    ]
    assert {a["id"] for a in page.all("select")} == {
        "test-filter", "verdict-filter", "source-filter",
    }  # fmt: skip
    assert [a["data-v"] for a in page.all("td") if "data-v" in a][2] == "1.4"
    assert not Page(report_html([ml_eat()])).all("select")  # nothing to choose from
    assert "2 results of ML-EAT on some-vectors and more." in page.text
