"""The summary: what stands in its rows, and by what they can be sorted and found."""

from pathlib import Path

import pytest
from tests.present.reading import Page, contrast, variables
from tests.present.records import full, ml_eat, sc_eat, weat

import eatlas
from eatlas.present import report_html

TEMPLATES = Path(eatlas.present.__file__).parent / "templates"


def summary(*results, **options) -> str:
    page = report_html(results, **options)
    part = page[page.index('<section id="summary"') :]
    return " ".join(Page(part[: part.index("</section>") + 10]).text.split())


def test_a_row_holds_effects_intervals_p_values_and_both_patterns():
    assert (
        "test-1 Flowers / Insects Pleasant / Unpleasant 1.40 * [1.00, 1.70] .0078 (.016) "
        "0.90 * [0.50, 1.20] .0078 (.016) 0.10 .46 (.92) AX-Singular in 75% of draws"
    ) in summary(full())
    text = summary(ml_eat(two_sided_label="Non-Directional"))
    assert "AX-Singular two-sided: Non-Directional" in text


def test_p_values_are_adjusted_over_the_declared_family():
    two = [ml_eat(test="one"), ml_eat(test="two", d=0.3, greater=1000)]
    assert "1.40 * .0078 (.016) .031" in summary(*two)
    assert "0.30 .078 (.16) .16" in summary(*two)
    assert "both level 1 comparisons of the 2 results shown here" in summary(*two)
    both = summary(*two, family="level2")
    assert "1.40 * .0078 (.016) 0.90 * .0078 (.016) .062" in both
    assert "No family was declared" in summary(*two, family="none")


def test_rows_say_to_which_test_pattern_and_source_they_belong_and_cells_their_numbers():
    html = report_html([ml_eat(), ml_eat("A-Uniform", test="two", source="more")])
    page = Page(html)
    rows = [a for a in page.all("tr") if "data-pattern" in a]
    assert [(a["data-test"], a["data-pattern"], a["data-source"]) for a in rows] == [
        ("test-1", "AX-Singular", "some-vectors"),
        ("two", "A-Uniform", "more"),
    ]
    assert {a["id"] for a in page.all("select")} == {
        "test-filter", "pattern-filter", "source-filter",
    }  # fmt: skip
    assert [a["data-v"] for a in page.all("td") if "data-v" in a][2] == "1.4"
    assert not Page(report_html([ml_eat()])).all("select")  # nothing to choose from
    assert "2 results of ML-EAT on some-vectors and more." in page.text


def test_each_measure_has_a_table_of_its_own():
    text = summary(weat(), sc_eat({"a": 1.0}))
    assert "1.20 * .0078 (.016) In direct comparison, the vectors place Flowers" in text
    assert "Of 1 term, the vectors associate 1 with Pleasant" in text


def colours(scheme: str) -> dict[str, str]:
    light, dark = (
        variables((TEMPLATES / name).read_text(encoding="utf-8"))
        for name in ("report.css", "dark.css")
    )
    return light | {"paper": "#fdfdfc"} if scheme == "light" else light | dark


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_contrast(scheme):
    found = colours(scheme)
    paper, ink = found["paper"], found["ink"]
    for mark, ground in (
        *(("on", "off"), ("edge", "paper"), ("strong-line", "paper")),
        *(("line-x", "paper"), ("line-y", "paper"), ("line-x", "grid"), ("line-y", "grid")),
    ):
        assert contrast(found[mark], found[ground]) >= 3.0, (mark, ground)
    for text, ground in (
        (ink, paper),
        (ink, found["raised"]),
        (ink, found["note"]),
        (ink, found["off"]),
        (found["muted"], paper),
        (found["on-text"], found["on"]),
    ):
        assert contrast(text, ground) >= 4.5, (text, ground)
