"""Other words, power and small effects as reports, tables and methods say them."""

import csv
import io

import pytest
from tests.inputs import make_test, make_vectors
from tests.present.reading import Page

import eatlas
from eatlas.present import report_html, report_table
from eatlas.present.family import DeclaredFamily
from eatlas.present.sections import sections
from eatlas.present.sentences import not_generalised, statement
from eatlas.present.summaries import in_brief, methods_paragraph


@pytest.fixture(scope="module")
def results():
    return eatlas.run(tests=["weat-3", "weat-6"], measures="ml-eat(resamples=0,sesoi=1.5)")


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
        "1.20 at level 2 (8 v 8). Smaller ones are easily missed. If the effects at level 2 were "
        "those found here, other attributes would show BY-Singular with a chance of 54%."
    )
    said = statement("too_small", names)
    assert said.startswith("Smallest effect of interest: d = 1.5. The effect at level 1 is small")
    assert "for other words, p = " in said


def test_what_is_not_known_is_said_or_left_out():
    test = make_test(X=("aster", "clover", "iris"), Y=("ant", "flea", "wasp"))
    small = eatlas.WEAT(resamples=0)(test, make_vectors(test))
    assert statement("design", small) == (
        "None at level 1 (3 v 3): no p-value of the design is below alpha."
    )
    assert statement("too_small", small) == ""
    older = small.model_copy(update={"generalisation": None, "power": None})
    assert statement("other_words", older) == statement("design", older) == ""


def test_one_line_for_a_table(results):
    line = "Other words (crossed test of level 1, two-sided): "
    assert not_generalised(results, ["a", "b"]) == line + "p < .05 for 1 of 2, not for a."
    many = [results[1], *[results[0]] * 14]
    assert not_generalised(many, [f"t{i}" for i in range(15)]).endswith(
        "for 1 of 15, not for t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11, t12 and 2 more."
    )
    assert not_generalised(results[1:], ["b"]) == line + "p = 3.9e-4."
    assert not_generalised([results[1]] * 2, ["b", "c"]) == line + "p < .05 for both."
    assert not_generalised([results[0]] * 2, ["a", "d"]) == line + "p < .05 for neither."


def test_the_page_has_a_column_and_a_sentence(results):
    html = Page(report_html(results))
    assert "of cosines other words: interval, p" in html.text
    assert "0.039 [−0.020, 0.097] p = .19" in html.text
    assert "What this design can find." in html.text
    assert "Too small to matter?" in html.text
    family = DeclaredFamily.of(results, "level1")
    assert (
        "With the spread of targets and of attributes taken into account, level 1 is not "
        "significant for weat-3: other words may not show this difference."
    ) in " ".join(in_brief(sections(results, family, dots=False), family)).replace(
        "\u2068", ""
    ).replace("\u2069", "")


def test_methods_and_references(results):
    text = methods_paragraph(results)
    assert (
        "Whether effects hold for other target and attribute terms was tested by a quasi-F with "
        "both as crossed random effects (Clark 1973), as a t with unequal variances and 95% "
        "intervals. The smallest effect of interest was d = 1.5; that effects are smaller was "
        "tested by two one-sided permutation tests (Schuirmann 1987)."
    ) in text
    html = report_html(results)
    assert "clark1973language" in html
    assert "schuirmann1987comparison" in html
    plain = eatlas.run(tests="weat-6", measures="sc-eat")
    assert "Clark" not in methods_paragraph(plain)
    assert "clark1973" not in report_html(plain)


def test_columns_of_csv(results):
    rows = list(csv.DictReader(io.StringIO(report_table(results, "csv"))))
    level = results[0].generalisation.level2.Y
    assert float(rows[0]["crossed_p_two_sided_Y"]) == level.p_two_sided
    assert float(rows[0]["crossed_low_Y"]) == level.low
    assert float(rows[1]["smallest_d_level1"]) == results[1].power.level1.smallest_d
    assert float(rows[1]["equivalence_p_X"]) == results[1].equivalence.level2.X.p
    frame = results.to_frame()
    assert list(frame["smallest_d_level2"]) == [r.power.level2.smallest_d for r in results]
