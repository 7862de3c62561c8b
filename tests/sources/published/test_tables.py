"""Tables of counts by name: census shares, fetched together, read by year."""

import pytest

import eatlas
from eatlas.errors import SourceError, StimulusError
from eatlas.sources.download import find_all
from eatlas.sources.tables import open_counts

TEST = eatlas.GroupsTest(
    targets=["nurse", "pilot"], groups={"Female": ["she"], "Male": ["he"]}, reference="uniform"
)


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


def test_what_is_not_fetched_says_how():
    with pytest.raises(SourceError) as caught:
        open_counts("census-race?year=2010")
    assert caught.value.what == "census-race: these published counts are not downloaded yet"
    assert caught.value.remedy == "eatlas vectors fetch census-race (425 kB)"
    with pytest.raises(SourceError, match="these published counts are not downloaded yet"):
        eatlas.run(TEST, {"nurse": {"Female": 1, "Male": 1}}, "divdist(soa=counts)",
                   reference="census-gender?year=2010")  # fmt: skip
    with pytest.raises(StimulusError, match="this is not a reference"):
        eatlas.run(TEST, {"nurse": {"Female": 1, "Male": 1}}, "divdist(soa=counts)",
                   reference="census-sex")  # fmt: skip
