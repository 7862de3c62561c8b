"""Results of one test over years: groups, gaps, words."""

import pytest
from tests.present.reading import Page
from tests.present.records import level_trend, ml_eat, sc_eat, slope, trend, uncertainty, weat

from eatlas.errors import CoverageError
from eatlas.present import report_html
from eatlas.present.comparison import NOT_GIVEN, series_of, title_of_results
from eatlas.present.family import DeclaredFamily
from eatlas.present.sections import sections
from eatlas.results import Failure, Results
from eatlas.results.settings import Settings

YEARS = (1900, 1910, 1930)
WEAK, STABLE = (uncertainty(patterns={"AX-Singular": share}) for share in (0.2, 0.9))


def grouped(*results, trends=(), failures=()):
    return series_of(sections(results, DeclaredFamily.of(results)), trends, failures)


def years(*of, **changes):
    return [ml_eat(period=year, **changes) for year in of or YEARS]


def test_years_of_one_test_source_and_signature_are_a_series():
    weats = [weat(period=year) for year in YEARS]
    others = [ml_eat(), ml_eat(test="once", period=1900), sc_eat({"a": 1.0}, period=1900)]
    found = grouped(*years()[::-1], *others, *weats, *years(source="other"))
    assert [one.anchor for one in found] == ["series-1", "series-2", "series-3"]
    assert [s.result.period for s in found[0].members] == list(YEARS)
    assert [one.members[0].result.source for one in found] == [
        "some-vectors",
        "some-vectors",
        "other",
    ]
    assert [len(one.members[0].levels) for one in found] == [3, 1, 3]


def test_a_year_between_that_nobody_gave_is_missing():
    (found,) = grouped(*years())
    assert dict(found.gaps) == {1920: NOT_GIVEN}
    assert found.span == "1900 to 1930, 3 of 4 periods"
    assert found.trend is None
    assert found.finding == ""


def test_reasons_stand_in_the_trend_or_with_the_failures():
    given = trend(YEARS, missing=[{"period": 1920, "reason": "no words"}])
    (found,) = grouped(*years(), trends=[given])
    assert dict(found.gaps) == {1920: "no words"}
    assert found.trend == given
    signature = given.signature
    failures = [
        Failure("test-1", "some-vectors", signature, CoverageError("too few"), 1940),
        Failure("test-1", "other", signature, CoverageError("elsewhere"), 1950),
        Failure("test-1", "some-vectors", signature, CoverageError("no year")),
    ]
    (found,) = grouped(*years(), failures=failures)
    assert dict(found.gaps) == {1920: NOT_GIVEN, 1940: "too few"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {},
            "d at level 1 rises by 0.09 per decade (95% interval 0.04 to 0.14 over documents and "
            "words), p = .0083.",
        ),
        (
            {"rho": -0.6},
            "falls by 0.06 per decade (95% interval 0.01 to 0.11 over documents and words), p = .0083.",
        ),
        (
            {"p": 0.4, "slope": slope(0.01) | {"over": ["words"]}},
            "shows no trend beyond what autocorrelation could produce: 0.01 per decade (95% interval "
            "−0.04 to 0.06 over words), p = .40.",
        ),
        (
            {"p": 0.5, "least": 1 / 6, "slope": slope() | {"interval": None, "over": []}},
            "shows no significant trend: 0.09 per decade, p = .50.",
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
        "d of test-1 rises by 0.09 per decade",
        "Level 1: 0.09 per decade (95% interval 0.04 to 0.14 over documents and words); rank "
        "correlation with the year 0.90, p = .0083 two-sided (1 of 120 arrangements "
        "of blocks of 4 periods); p = .11 if the series is rotated (with 18 periods, p cannot be "
        "below .056).",
        "Level 2 of Flowers: −0.02 per decade (95% interval −0.07 to 0.03 over documents and "
        "words); rank correlation with the year −0.20, p = .50",
        "Note. small",
        "1 year without a result: 1920 only <2> words",
        "Flowers / Insects · Pleasant / Unpleasant · ML-EAT on some-vectors , 1900 to 1930, 3 of 4 periods",
    ):
        assert " ".join(words.split()) in page.text.replace("\N{NO-BREAK SPACE}", " ")
    (drawn,) = [a["aria-label"] for a in page.all("svg") if "by year" not in a.get("class", "")
                and "Level 1: Flowers against Insects: d from" in a.get("aria-label", "")]  # fmt: skip
    assert drawn.endswith("without a result: 1920")
    assert "over-time" in page.ids()
    assert {"#test-1", "#test-1-2", "#test-1-3"} <= {a["href"] for a in page.all("a")}


@pytest.mark.parametrize(
    ("changes", "title"),
    [
        (
            {},
            "some-vectors, 1900 to 1930: d of test-1 rises by 0.09 per decade (95% interval 0.04 to "
            "0.14 over documents and words), p = .0083",
        ),
        (
            {"p": 0.4, "slope": slope(0.01) | {"over": ["words"]}},
            "some-vectors, 1900 to 1930: d of test-1 shows no trend beyond what autocorrelation could "
            "produce: 0.01 per decade (95% interval −0.04 to 0.06 over words), p = .40",
        ),
    ],
)
def test_a_page_of_series_begins_with_their_lines(changes, title):
    results = Results(years(), trends=[trend(YEARS, level1=level_trend(**changes))])
    text = report_html(results)
    assert f'<h1 dir="auto">{title}' in text.replace("\N{NO-BREAK SPACE}", " ")
    assert text.index('id="over-time"') < text.index('id="results"')
    others = Results([*years(), ml_eat(test="other")], trends=results.trends)
    text = report_html(others)
    assert text.index('id="findings"') < text.index('id="over-time"')
    assert 'id="results"' not in text


def test_the_title_of_several_series_has_the_slope_of_each():
    still = level_trend(p=0.4, slope=slope(0.01) | {"over": ["words"]})
    given = [trend(YEARS), trend(YEARS, test="other", level1=still)]
    results = Results([*years(), *years(test="other")], trends=given)
    said = title_of_results(results, Settings.from_results(results), [])
    assert said.endswith(
        "d of test-1 rises by 0.09 per decade (95% interval 0.04 to 0.14 over documents and "
        "words), p = .0083; no significant trend of d is shown for other (0.01 per decade, p = .40)"
    )
    without = Results(years())
    assert title_of_results(without, Settings.from_results(without), []) == "", "no trend is known"
