"""Folders of vectors by year: HistWords and files that are called by their year."""

import pytest
from tests.sources.series_files import write_histwords

import eatlas
from eatlas.errors import SourceError
from eatlas.sources import open_sources, period_of

WORDS = {"up": [1.0, 0.0], "down": [0.0, 1.0], "gone": [0.0, 0.0]}


@pytest.fixture
def folder(tmp_path):
    return write_histwords(tmp_path / "sgns", {1990: WORDS, 1810: WORDS, 1900: {"up": [0.5, 0.5]}})


def test_each_decade_is_a_source_under_the_name_of_the_series(folder):
    sources = open_sources(folder)
    assert [period_of(source) for source in sources] == [1810, 1900, 1990]
    assert {source.name for source in sources} == {str(folder)}
    assert [len(source.lookup({"up", "down"})) for source in sources] == [2, 1, 2]
    assert sources[1].lookup({"up"})["up"].tolist() == [0.5, 0.5]
    assert sources[0].fingerprint != sources[1].fingerprint
    words, vectors = next(sources[0].iter_chunks(10))
    assert words == list(WORDS)
    assert vectors.shape == (3, 2)


@pytest.mark.parametrize(
    ("options", "years"),
    [
        ("from=1850", [1900, 1990]),
        ("to=1900", [1810, 1900]),
        ("from=1850&to=1950", [1900]),
        ("period=1990", [1990]),
    ],
)
def test_years_can_be_chosen(folder, options, years):
    sources = open_sources(f"{folder}?{options}")
    assert [source.period for source in sources] == years
    assert sources[0].name == f"{folder}?{options}"


def test_files_called_by_their_year(tmp_path):
    for year, cosine in ((1990, 0.5), (2000, 0.7)):
        (tmp_path / f"{year}.txt").write_text(f"up 1 0\ndown {cosine} 1\n")
    (tmp_path / "README").write_text("two years")
    sources = open_sources(tmp_path)
    assert [source.period for source in sources] == [1990, 2000]
    assert sources[1].lookup({"down"})["down"] == pytest.approx([0.7, 1])


def test_a_series_is_not_one_source(folder):
    with pytest.raises(SourceError, match=r"(?s)this names 3 sources.*\?period=1990"):
        eatlas.open_vectors(folder)
