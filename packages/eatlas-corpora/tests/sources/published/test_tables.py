"""Published tables are counts and references by their names."""

import pytest
from tests.sources.published.test_tables import TEST

import eatlas
from eatlas.sources.download import find
from eatlas.sources.downloads import unpack
from eatlas.sources.tables import open_counts

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
