"""Targets against groups in words, terminal, page, tables, notebook and charts."""

import re
from collections import Counter

import pytest
from tests.measures.test_divdist import TEST, VECTORS, groups_test

import eatlas
from eatlas import DivDist
from eatlas.errors import ResultsError
from eatlas.present import write_report
from eatlas.present.tables import report_table
from eatlas.present.targets import (
    at_ends,
    format_interval_end,
    format_points,
    leans,
    target_sentences,
)
from eatlas.results import Results

pytestmark = pytest.mark.filterwarnings("ignore::eatlas.errors.UndefinedWarning")


@pytest.fixture(scope="module")
def gender():
    return eatlas.run(tests="divdist-gender", measures="divdist(resamples=60,permutations=500)")[0]


@pytest.fixture(scope="module")
def race():
    return eatlas.run(tests="divdist-race", measures="divdist(resamples=60,permutations=500)")[0]


def test_a_target_in_a_sentence():
    result = DivDist(resamples=0, p="off")(TEST, VECTORS)
    found = leans(result)
    assert [one.sentence for one in found.rows] == [
        "nurse is closer to Female, by 7 points",
        "pilot is closer to Male, by 7 points",
    ]
    assert format_points(-0.01) == "0.0"
    assert [*map(format_interval_end, (-0.01, 0.0, 1e-12, 0.04, -2.0))] == [
        "−0.01", "0.0", "0.0", "+0.04", "−2.0",
    ]  # fmt: skip
    even = groups_test(["nurse"], Female=["she"], Male=["she2"])
    vectors = VECTORS | {"she2": VECTORS["she"]}
    (row,) = leans(DivDist(resamples=0, p="off")(even, vectors)).rows
    assert row.sentence == "nurse is closer to no group"
    assert row.towards is None


def test_a_target_leans_where_its_interval_excludes_0():
    """soldier's is [-26.7, -16.5] against one reference, businesswoman's [-8.1, +8.4]."""
    run = {"tests": "divdist-face-validity", "measures": "divdist(resamples=200)"}
    (equal,), (other,) = (
        eatlas.run(**run, reference=one) for one in (None, {"Female": 0.665, "Male": 0.335})
    )
    for result, leaning in ((equal, {0: 2, 1: 2}), (other, {1: 7})):
        sure = [one for one in leans(result).rows if one.towards is not None]
        assert all(one.intervals[one.towards][0] > 0 for one in sure)
        assert Counter(one.towards for one in sure) == leaning
    itself = eatlas.run(**run, reference=equal)[0]
    assert not any(one.towards for one in leans(itself).rows)
    assert target_sentences(itself) == [
        "Mean bias 0.000; Professions of Table 3 as a whole: 0.000.",
        "Reference: proportions of its own for each target from divdist-face-validity on GloVe 6B "
        "(100d) (8 targets).",
    ]


def test_a_finding_counts_only_targets_beyond_chance():
    """By intervals alone four targets lean; by Holm's p over all of them, one does."""
    run = {"tests": "divdist-face-validity", "measures": "divdist(resamples=200)"}
    finding = eatlas.run(**run)[0].finding
    assert str(finding) == (
        "In these word lists, 1 of 8 targets is associated with Female; most strongly businesswoman."
    )
    assert finding.verdict == "these words"
    unequal = eatlas.run(**run, reference={"Female": 0.665, "Male": 0.335})[0].finding
    assert unequal.verdict is None, "labels cannot be relabelled against unequal shares"
    assert str(unequal) == (
        "The mean bias of 8 targets has no test; businessman has the largest bias, 0.531."
    )
    plain = DivDist(resamples=0, p="off")(TEST, VECTORS).finding
    assert plain.verdict is None
    assert plain.sentence.endswith("has no test; nurse has the largest bias, 0.143.")


def test_the_order_of_targets(gender, race):
    deviations = [one.shown.deviation[0] for one in leans(gender).known]
    assert deviations == sorted(deviations, reverse=True)
    biases = [one.shown.bias for one in leans(race).known]
    assert biases == sorted(biases, reverse=True)
    assert leans(gender).rows[-1].shown.bias is None, "undefined ones are last"
    shown, left_out = at_ends(leans(gender).known)
    assert len(shown) + left_out + 1 == 288


def test_a_page_has_targets_bars_and_a_triangle(gender, race, tmp_path):
    path = tmp_path / "report.html"
    write_report(Results([gender, race]), path)
    html = path.read_text(encoding="utf-8")
    assert "Targets by association" in html
    assert "is closer to Female, by" in html
    assert "at a corner its group has a proportion of 1" in html
    assert html.count("All 288 targets") == 2
    assert "two opposite attributes" not in html
    assert "nan" not in re.sub("<[^>]*>", "", html).lower().split()
    plain = DivDist(resamples=0, p="off")(TEST, VECTORS)
    write_report([plain], path)
    assert "nurse is closer to Female, by 7 points" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize("form", ["markdown", "latex", "html-table"])
def test_tables_have_a_row_for_each_target(race, gender, form):
    text = report_table([gender, race], form)
    assert text.count("undersecretary") == 2
    for part in ("Hispanic", "as a whole", "Reference: uniform"):
        assert part in text


@pytest.mark.parametrize("kind", ["targets", "triangle"])
def test_drawings(gender, race, kind):
    drawn = eatlas.plot([race] if kind == "triangle" else [gender, race], kind)
    assert "targets" in drawn.alt
    assert "paralegal" in drawn.drawn or kind == "triangle"
    assert "artiste" not in drawn.drawn, "its share of 0 is one that is cut off"
    assert eatlas.plot(gender).alt.startswith("Associations of 287 targets")
    with pytest.raises(ResultsError, match="allowed: results of DivDist for three groups"):
        eatlas.plot(gender, kind="triangle")
    with pytest.raises(ResultsError, match="allowed: results of DivDist\n"):
        eatlas.plot(
            eatlas.run(tests="weat-6", measures="ml-eat(resamples=0)", frequency="off"),
            kind="targets",
        )
