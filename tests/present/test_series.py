"""Results of one test over years: groups, gaps, words."""

import re

import pytest
from tests.present.reading import Page, svg_root
from tests.present.records import full, level_trend, ml_eat, sc_eat, trend, uncertainty, weat

from eatlas.errors import CoverageError
from eatlas.present import report_html
from eatlas.present.comparison import NOT_GIVEN, series_of
from eatlas.present.family import DeclaredFamily
from eatlas.present.sections import sections
from eatlas.results import Failure, Results

YEARS = (1900, 1910, 1930)
WEAK, STABLE = (uncertainty(patterns={"AX-Singular": share}) for share in (0.2, 0.9))


def grouped(*results, trends=(), failures=()):
    return series_of(sections(results, DeclaredFamily.of(results), dots=False), trends, failures)


def years(*of, **changes):
    return [ml_eat(period=year, **changes) for year in of or YEARS]


def test_years_of_one_test_source_and_signature_are_a_series():
    weats = [weat(period=year) for year in YEARS]
    others = [ml_eat(), ml_eat(test="once", period=1900), sc_eat({"a": 1.0}, period=1900)]
    found = grouped(*years()[::-1], *others, *weats, *years(source="other"))
    assert [one.anchor for one in found] == ["series-1", "series-2", "series-3"]
    assert [s.result.period for s in found[0].members] == list(YEARS)
    assert [one.first.source for one in found] == ["some-vectors", "some-vectors", "other"]
    assert [len(one.members[0].levels) for one in found] == [3, 1, 3]


def test_a_year_between_that_nobody_gave_is_missing():
    (found,) = grouped(*years())
    assert dict(found.missing) == {1920: NOT_GIVEN}
    assert list(found.by_year) == [1900, 1910, 1920, 1930]
    assert found.span == "1900 to 1930, 3 of 4 periods"
    assert found.trend is None
    assert found.finding == ""


def test_reasons_stand_in_the_trend_or_with_the_failures():
    given = trend(YEARS, missing=[{"period": 1920, "reason": "no words"}])
    (found,) = grouped(*years(), trends=[given])
    assert dict(found.missing) == {1920: "no words"}
    assert found.trend == given
    signature = given.signature
    failures = [
        Failure("test-1", "some-vectors", signature, CoverageError("too few"), 1940),
        Failure("test-1", "other", signature, CoverageError("elsewhere"), 1950),
        Failure("test-1", "some-vectors", signature, CoverageError("no year")),
    ]
    (found,) = grouped(*years(), failures=failures)
    assert dict(found.missing) == {1920: NOT_GIVEN, 1940: "too few"}


def test_one_year_that_is_left_of_several_is_still_a_series():
    given = trend([1900], level1=None, level2=None, missing=[{"period": 1910, "reason": "few"}])
    (found,) = grouped(*years(1900), trends=[given])
    assert list(found.by_year) == [1900, 1910]
    assert found.finding.endswith("has too few different values to show a trend.")


def test_a_series_that_was_run_twice_stands_twice():
    first, second = trend(YEARS), trend(YEARS, warnings=["second"])
    found = grouped(*years(), *years(), trends=[first, second])
    assert [len(one.members) for one in found] == [3, 3]
    assert [one.trend for one in found] == [first, second]
    assert [one.remarks for one in found] == [(), ("second",)]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "d at level 1 rises with the year: rank correlation 0.90, p = .0083."),
        ({"rho": -0.5}, "falls with the year: rank correlation −0.50, p = .0083."),
        (
            {"p": 0.4},
            "shows no trend that drift would not show too: rank correlation 0.90, p = .40",
        ),
        (
            {"p": 0.5, "least": 1 / 6},
            "Of 18 periods, no trend of the effect size d at level 1 could",
        ),
    ],
)
def test_the_finding_in_words(changes, words):
    given = trend(YEARS, level1=level_trend(**changes))
    (found,) = grouped(*years(), trends=[given])
    assert words in found.finding


def test_the_page_shows_lines_sentences_gaps_and_a_table():
    given = trend(YEARS, missing=[{"period": 1920, "reason": "only <2> words"}], warnings=["small"])
    page = Page(report_html(Results(years(), trends=[given])))
    for words in (
        "The effect size d at level 1 rises with the year",
        "Level 1: rank correlation with the year 0.90, p = .0083 two-sided (1 of 120 arrangements "
        "of blocks of 4 periods); p = .11 if the series is rotated (with 18 periods, p cannot be "
        "below .056).",
        "Level 2 of Flowers: rank correlation with the year −0.20, p = .50",
        "Note. small",
        "1 year without a result: 1920 only <2> words",
        "1920 no result: only <2> words",
        "ML-EAT on some-vectors , 1900 to 1930, 3 of 4 periods",
    ):
        assert " ".join(words.split()) in page.text.replace("\N{NO-BREAK SPACE}", " ")
    (drawn,) = [a["aria-label"] for a in page.all("svg") if "by year" not in a.get("class", "")
                and "Level 1: Flowers against Insects: d from" in a.get("aria-label", "")]  # fmt: skip
    assert drawn.endswith("without a result: 1920")
    assert "over-time" in page.ids()
    assert {"#test-1", "#test-1-2", "#test-1-3"} <= {a["href"] for a in page.all("a")}


def test_a_series_is_no_comparison_of_sources():
    page = Page(report_html(Results([*years(), ml_eat(test="b"), ml_eat(test="b", source="o")])))
    assert "Sources compared" in page.text
    assert "on 3 sources" not in str(page.tags)
    assert "Sources compared" not in Page(report_html(years())).text


def test_results_without_a_record_of_the_trend_have_a_timeline():
    text = Page(report_html(years())).text
    assert "The results hold no record of the trend" in text
    assert "The effect size d at level 1 rises" not in text


def test_results_without_years_have_no_such_part():
    assert "Over time" not in Page(report_html([ml_eat(), weat()])).text


def test_of_many_results_the_tables_are_packed_and_the_timelines_not():
    many = [full(period=year) for year in range(1800, 1841)]
    page = Page(report_html(Results(many, trends=[trend(range(1800, 1841))])))
    assert "Level 1: Flowers against Insects" in page.text
    assert "Effect sizes of test-1 by year" in page.text
    assert "in the direction of d. Brackets" not in page.text


def test_a_failure_names_its_year():
    failure = Failure("t", "hist", "ML-EAT()", CoverageError("too few"), 1850)
    assert "hist, 1850" in Page(report_html(Results([], [failure]))).text


def test_few_trends_are_told_in_brief_and_many_are_counted():
    def brief(number):
        tests = [f"t{i}" for i in range(number)]
        given = [one for test in tests for one in years(1900, 1910, test=test)]
        ways = [{"rho": 0.9}, {"rho": -0.9}, {"p": 0.5}, {"rho": 0.8}]
        trends = [
            trend((1900, 1910), test=test, level1=level_trend(**way))
            for test, way in zip(tests, ways[:number], strict=True)
        ]
        return Page(report_html(Results(given, trends=trends))).text

    few = brief(2)
    assert "t0 from 1900 to 1910, 2 of 2 periods: the effect size d at level 1 rises with" in few
    assert "t1 from 1900 to 1910, 2 of 2 periods: the effect size d at level 1 falls with" in few
    assert (
        "Of 4 series, the effect size d at level 1 rises significantly with the year in 2 and "
        "falls in 1." in brief(4)
    )


def test_the_head_of_the_page_names_the_series_once():
    text = Page(report_html(years())).text
    assert "3 results of ML-EAT on some-vectors (3 periods, 1900 to 1930)." in text
    assert text.count("3 periods, 1900 to 1930") == 2  # and in the methods paragraph


def test_in_brief_names_the_years_and_knows_of_gaps():
    given = [full(period=year, uncertainty=WEAK if year == 1910 else STABLE) for year in YEARS]
    text = Page(report_html(given)).text
    assert "test-1 (1910) reappears in fewer than half" in text
    assert "No words were missing in the years that have a result." in text
    whole = Page(report_html(given[:2])).text
    assert "No words were missing." in whole


def test_hostile_texts_stay_text():
    nasty = '"><script>alert(1)</script>&amp;\x1b[31m'
    head = {"test": nasty, "title": nasty, "source": nasty}
    given = [ml_eat(period=year, names=dict.fromkeys("XYAB", nasty), **head) for year in YEARS]
    missing = [{"period": 1920, "reason": nasty}]
    said = trend(YEARS, missing=missing, warnings=[nasty], **head)
    html = report_html(Results(given, trends=[said]))
    page = Page(html)
    assert len(page.scripts) == 1
    assert "\x1b" not in html
    (figure,) = [svg for svg in re.findall(r"<svg.*?</svg>", html, re.DOTALL) if "by year" in svg]
    assert "alert(1)" in "".join(svg_root(figure).itertext())
