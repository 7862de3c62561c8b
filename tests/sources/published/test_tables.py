"""Tables of counts by name: census shares, fetched together, read by year."""

import pytest

import eatlas
from eatlas.errors import SourceError, StimulusError
from eatlas.sources.downloads import unpack
from eatlas.sources.published import find, find_all
from eatlas.sources.tables import open_counts

TEST = eatlas.GroupsTest(
    targets=["nurse", "pilot"], groups={"Female": ["she"], "Male": ["he"]}, reference="uniform"
)
CENSUS = """\
Census year,Occupation,Total Weight,Female,Male
2000,nurse,100.0,0.9,0.1
2010,nurse,110.0,0.8,0.2
2010,pilot,90.0,0.1,0.9
"""


def here(tmp_path):
    """A table of the census' form, as if it had been fetched."""
    served = tmp_path / "served.csv"
    served.write_text(CENSUS)
    entry = find("census-gender")
    unpack(served, entry.vectors, entry.target)


def test_one_name_fetches_both_files():
    assert [one.name for one in find_all("census")] == ["census-gender", "census-race"]
    assert [one.name for one in find_all("glove.6B.50d")] == ["glove.6B.50d"]
    with pytest.raises(SourceError, match="there are no published vectors called 'censu'"):
        find_all("censu")
    for one in find_all("census"):
        assert "/2d65785eed7635a03d9c0ed7045d93a5b5c8318f/" in one.download.url
        assert one.download.hash.startswith("sha256:")
        assert "states no licence" in one.download.notes[0]
        assert "Garg" in one.download.citation


def test_a_table_is_a_source_of_counts_by_name(tmp_path):
    here(tmp_path)
    by_year = open_counts("census-gender")
    assert [one.period for one in by_year] == [2000, 2010]
    (table,) = open_counts("census-gender?year=2010")
    assert table.counts("pilot") == {"female": 0.1, "male": 0.9}
    (result,) = eatlas.run(TEST, "census-gender?year=2010", "divdist(soa=counts,resamples=0)")
    assert {one.term: one.signed for one in result.targets} == pytest.approx(
        {"nurse": 0.3, "pilot": -0.4}
    )


def test_a_table_is_a_reference_by_name(tmp_path):
    here(tmp_path)
    (result,) = eatlas.run(
        TEST,
        {"nurse": {"Female": 1, "Male": 1}, "pilot": {"Female": 1, "Male": 1}},
        "divdist(soa=counts,resamples=0)",
        reference="census-gender?year=2010",
    )
    assert [one.signed for one in result.targets] == pytest.approx([-0.3, 0.4])


def test_what_is_not_fetched_says_how():
    with pytest.raises(SourceError) as caught:
        open_counts("census-race?year=2010")
    assert caught.value.what == "census-race: these published counts are not on this machine yet"
    assert caught.value.remedy == "eatlas vectors fetch census-race (425 kB)"
    with pytest.raises(SourceError, match="these published counts are not on this machine yet"):
        eatlas.run(TEST, {"nurse": {"Female": 1, "Male": 1}}, "divdist(soa=counts)",
                   reference="census-gender?year=2010")  # fmt: skip
    with pytest.raises(StimulusError, match="this is not a reference"):
        eatlas.run(TEST, {"nurse": {"Female": 1, "Male": 1}}, "divdist(soa=counts)",
                   reference="census-sex")  # fmt: skip
