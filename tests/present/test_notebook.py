"""What notebooks show of results."""

import pytest
from tests.present.reading import Page
from tests.present.records import HOSTILE, full, ml_eat, sc_eat, weat, with_adjusted

from eatlas.errors import EatlasError
from eatlas.present import tables
from eatlas.results import Failure, Results


def test_one_result_shows_its_sentences_drawn_and_its_levels():
    page = Page(full(d=1.4, d_X=0.9, d_Y=-0.1)._repr_html_())
    for part in (
        "test-1", "some-vectors", "Level 2, Y", "1.40 [1.00, 1.70]", "−0.10", "these word lists only",
        "By the paper's rule the EAT pattern is AX-Singular.", "12 terms used, 0 missing",
        "p, from top to bottom: these words, new words, adjusted.",
    ):  # fmt: skip
        assert part in page.text
    (image,) = page.all("img")
    assert (
        "No significant association of Insects with Pleasant or Unpleasant is shown."
        in image["alt"]
    )
    assert len(page.all("tr")) == 3


@pytest.mark.parametrize(
    "given", [full(names=HOSTILE, title=HOSTILE["X"]), Results([full(names=HOSTILE)])]
)
def test_names_are_text(given):
    html = given._repr_html_()
    assert "<script" not in html
    page = Page(html)
    assert HOSTILE["X"] in page.text
    assert "very long name very long" in page.text
    assert HOSTILE["A"] in page.text.replace("\u2068", "").replace("\u2069", "")


def test_a_weat_has_one_line_and_an_sc_eat_one_for_each_term():
    assert len(Page(weat()._repr_html_()).all("tr")) == 2
    page = Page(sc_eat({f"term-{n}": 0.6 for n in range(60)})._repr_html_())
    assert len(page.all("tr")) == 1 + tables.MOST_ROWS
    assert "and 10 more; .to_frame() has all" in page.text


def test_several_results_are_a_table():
    results = Results(
        [ml_eat("BY-Singular", two_sided_label="Non-Directional"), weat(source="other")]
    )
    page = Page(results._repr_html_())
    assert "2 results" in page.text
    for part in ("these word lists only", "other", "1.20"):
        assert part in page.text
    assert len(page.all("table")) == 2


def test_failures_are_named():
    failures = [Failure(f"t{n}", "<s>", "ML-EAT()", EatlasError("no <vector>")) for n in range(25)]
    page = Page(Results([], failures)._repr_html_())
    assert "0 results" in page.text
    assert "Failed: 25" in page.text
    assert "t0 on <s> : no <vector>" in page.text
    assert "and 5 more" in page.text


def test_p_adjusted_for_frequency_is_said_with_its_column():
    text = Page(with_adjusted(ml_eat("A-Uniform"), ml_eat("AY-Singular"))._repr_html_()).text
    assert ".016 – – these word lists only" in text
    assert "Adjusted: crossed test at equal frequency." in text
    assert "Adjusted:" not in Page(ml_eat()._repr_html_()).text
