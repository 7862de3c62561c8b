"""Other words and power as reports, tables and methods say them."""

import pytest
from tests.present.reading import Page

import eatlas
from eatlas.present import report_html
from eatlas.present.family import DeclaredFamily
from eatlas.present.sections import sections
from eatlas.present.sentences import statement
from eatlas.present.summaries import in_brief


@pytest.fixture(scope="module")
def results():
    return eatlas.run(tests=["weat-3", "weat-6"], measures="ml-eat(resamples=0)", frequency="off")


def test_statements_of_a_result(results):
    names, careers = results
    assert statement("other_words", names) == (
        "With the spread of target terms and of attribute terms taken into account, the difference "
        "of cosines at level 1 is 0.039 [−0.020, 0.097], two-sided p = .19: other words may not "
        "show it. At level 2: p = .055 for European American names and p = .26 for African "
        "American names."
    )
    assert (
        "two-sided p = 3.9e-4: the effect is unlikely to be due to the choice of these words alone."
        in statement("other_words", careers)
    )
    assert statement("design", careers) == (
        "With a power of 0.8, at two-sided p < .05: effect sizes from 1.20 at level 1 (8 v 8) and "
        "1.20 at level 2 (8 v 8). Smaller ones are easily missed."
    )


def test_the_page_has_a_column_and_a_sentence(results):
    html = Page(report_html(results))
    assert "of cosines other words: interval, p" in html.text
    assert "0.039 [−0.020, 0.097] p = .19" in html.text
    assert "What this design can find." in html.text
    family = DeclaredFamily.of(results, "level1")
    assert (
        "With the spread of targets and of attributes taken into account, level 1 is not "
        "significant for weat-3: other words may not show this difference."
    ) in " ".join(in_brief(sections(results, family), family)).replace("\u2068", "").replace(
        "\u2069", ""
    )
