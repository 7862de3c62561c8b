"""A series of parts of a corpus, the addresses of the documentation: trend, picture, terminal."""

from pathlib import Path

import pytest

import eatlas
from eatlas.cli.table import print_results
from eatlas.engine.trends import trends

DATA = Path(__file__).parents[4] / "docs" / "data"
TEST = eatlas.AssociationTest.of_lists(
    {
        "Women": ["she", "her", "women", "mother", "mothers", "wife"],
        "Men": ["he", "his", "men", "father", "fathers", "son"],
        "Home": ["home", "house", "family", "families", "child", "children"],
        "War": ["war", "army", "military", "navy", "force", "troops"],
    }
)
BINS = [(1993, 1997), (1998, 2002), (2003, 2007), (2008, 2012), (2013, 2017), (2018, 2021)]
MEASURE = "ml-eat(resamples=0)"


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    out = tmp_path_factory.mktemp("series") / "parts.npz"
    addresses = DATA / "addresses.jsonl.xz"
    eatlas.embed(addresses, TEST, "glove-sample", by="year", bins=BINS, out=out)
    return eatlas.run(TEST, out, MEASURE)


def test_a_slope_is_over_documents_and_words(results):
    (trend,) = results.trends
    assert trend.periods == tuple(first for first, _ in BINS)
    for level in (trend.level1, trend.level2.X, trend.level2.Y):
        slope = level.slope
        assert (slope.per, slope.over) == ("decade", ("documents", "words"))
        assert slope.interval[0] < slope.value < slope.interval[1]
    *known, last = [part.documents.level1.interval for part in results]
    assert None not in known
    assert last is None, "four addresses have no interval; the slope's counts the widest"
    rises = (results[-1].value - results[0].value) / 2.5
    assert abs(trend.level1.slope.value - rises) < 2


def test_the_timeline_draws_parts_of_a_corpus_by_their_years(results):
    drawn = eatlas.plot(results, "timeline")
    first, last = (f"{low}-{high}" for low, high in (BINS[0], BINS[-1]))
    assert f">{first}<" in drawn.drawn
    assert " shows no significant trend: " in drawn.title
    assert eatlas.plot(list(results), "timeline").title.endswith(f"({last})"), "no trend is known"
    assert f"in {first} to " in drawn.alt
    assert "Thick lines: 95% intervals for other documents." in drawn.description
    shuffled = eatlas.Results(reversed(results))
    assert shuffled.compare("period").values == tuple(f"{a}-{b}" for a, b in BINS)


def test_a_long_series_has_a_row_for_each_period(results, capsys):
    years = [
        result.model_copy(update={"period": year, "source": f"parts.npz#{year}"})
        for year, result in zip(range(1993, 2005), [*results, *results], strict=True)
    ]
    print_results(eatlas.Results(years, trends=trends(years, (), 0)))
    said = capsys.readouterr().out
    assert "over documents" in said
    assert "Two kinds of uncertainty" not in said
    assert sum(line.startswith(("199", "200")) for line in said.splitlines()) == 12
    assert len(said.splitlines()) < 45
