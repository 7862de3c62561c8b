"""Predictive validity: planted occupations against a small census, by hand and against scipy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from tests.inputs import optional_data
from tests.sources.series_files import write_histwords

import eatlas
from eatlas.apps.protocol.evidence import Evidence
from eatlas.errors import EatlasError, SourceError
from eatlas.stimuli import load_tests

OCCUPATIONS = ("nurse", "pilot", "farmer", "teacher", "lawyer", "baker", "dancer", "judge")
YEARS = (1900, 1910, 1920, 1930, 1940, 1950)
(GENDER,) = load_tests("divdist-gender")


def share(i: int, year: int) -> float:
    """Share of women, different in each occupation and rising with the years."""
    return 0.05 + 0.08 * i + 0.003 * (year - 1900) / 2


def census(path: Path, years: tuple[int, ...] = YEARS) -> Path:
    rows = [
        f"{year},{term},100.0,{share(i, year)},{1 - share(i, year)}"
        for year in years
        for i, term in enumerate((*OCCUPATIONS, "cooper"))
    ]
    path.write_text("Census year,Occupation,Total Weight,Female,Male\n" + "\n".join(rows) + "\n")
    return path


def planted(year: int, order: tuple[str, ...] = OCCUPATIONS) -> dict[str, np.ndarray]:
    """Vectors in which an occupation lies between the groups by its share of women."""
    poles = {"Female": np.array([1.0, 0.0, 0.3]), "Male": np.array([0.0, 1.0, 0.3])}
    words = {term: poles[group.name] for group in GENDER.groups for term in group.terms}
    shares = {term: share(i, year) for i, term in enumerate(order)}
    return words | {term: np.array([s, 1 - s, 0.1]) for term, s in shares.items()}


def predictive(measure: str, vectors: object, path: Path) -> dict[str, Evidence]:
    card = eatlas.protocol(measure, vectors, criteria=["predictive"], census=path)
    return {one.study: one for one in card.evidence}


@pytest.mark.parametrize("measure", ["weat", "ml-eat", "divdist", "rnd", "semaxis"])
def test_a_planted_order_is_found_by_any_measure(tmp_path: Path, measure: str) -> None:
    found = predictive(measure, planted(1950), census(tmp_path / "census.csv"))["census-year"]
    lean = found.figure("rho, lean to Female")
    assert (lean.value, lean.n, lean.of) == (pytest.approx(1.0), 8, "occupations")
    assert lean.p == pytest.approx(2 / 40_320)  # of 8! orders two are monotone
    assert lean.test == "permutation of occupations, two-sided, all"
    assert any("not counted: 1 occupations: cooper." in remark for remark in found.remarks)
    (table,) = found.tables
    assert table.title == "Occupations and the census of 1950"
    assert table.columns[:3] == ("occupation", "lean to Female", "census: share of Female")
    assert dict(zip(OCCUPATIONS, range(8), strict=True)).keys() == {row[0] for row in table.rows}


def test_figures_are_those_of_the_table(tmp_path: Path) -> None:
    """Another order of the vectors, the size of bias by hand, rho and R2 against scipy."""
    order = tuple(np.random.default_rng(5).permutation(OCCUPATIONS))
    found = predictive("divdist", planted(1950, order), census(tmp_path / "c.csv"))["census-year"]
    (table,) = found.tables
    columns = dict(zip(table.columns, zip(*table.rows, strict=True), strict=True))
    for view, of in (("lean to Female", "share of Female"), ("size of bias", "size of bias")):
        x, y = columns[view], columns[f"census: {of}"]
        assert found.figure(f"rho, {view}").value == pytest.approx(spearmanr(x, y).statistic)
        r2 = np.corrcoef(x, y)[0, 1] ** 2
        assert found.figure(f"R2, {view}").value == pytest.approx(r2)
    nurse = columns["occupation"].index("nurse")
    women = share(0, 1950)
    assert columns["census: share of Female"][nurse] == pytest.approx(women)
    assert columns["census: size of bias"][nurse] == pytest.approx(1 - 2 * women)
    low, high = found.figure("rho, lean to Female").low, found.figure("rho, lean to Female").high
    assert -1 <= low <= found.figure("rho, lean to Female").value <= high <= 1


def test_effect_sizes_of_single_occupations(tmp_path: Path) -> None:
    """Words of a group differ, else every effect size of SC-EAT is at its limit."""
    rng = np.random.default_rng(3)
    words = {
        term: row if term in OCCUPATIONS else row + rng.normal(0, 0.4, 3)
        for term, row in planted(1950).items()
    }
    found = predictive("sc-eat", words, census(tmp_path / "c.csv"))["census-year"]
    assert found.figure("rho, lean to Female").value > 0.95
    assert found.remarks[0] == "An occupation's number is its effect size of SC-EAT."


def test_a_measure_without_direction_is_compared_by_size(tmp_path: Path) -> None:
    found = predictive("mac", planted(1950), census(tmp_path / "c.csv"))["census-year"]
    assert [one.name for one in found.figures] == ["rho, size of bias", "R2, size of bias"]


def test_a_series_moves_with_the_census(tmp_path: Path) -> None:
    folder = write_histwords(tmp_path / "series", {year: planted(year) for year in YEARS})
    both = predictive("semaxis", str(folder), census(tmp_path / "census.csv"))
    assert both["census-year"].not_run.startswith("Every source belongs to a period")
    found = both["census-decades"]
    lean = found.figure("rho, lean to Female")
    assert (lean.value, lean.n, lean.of) == (1.0, 6, "periods")
    # two random walks of 6 periods are as monotone in 1.2% of pairs, two orders of 720 in 0.3%
    (nulls, by_year) = found.tables
    row = dict(zip(nulls.columns, nulls.rows[0], strict=True))
    assert row["p, order in time ignored"] == pytest.approx(2 / 720)
    assert 0.005 < row["p, autoregressive"] == lean.p < 0.03
    assert found.figure("rho, changes, lean to Female").n == 5
    within = [row for row in by_year.rows if row[1] == "lean to Female"]
    assert [row[0] for row in within] == list(map(str, YEARS))
    labels = [one.label for one in found.drawings[0].marks]
    assert labels == ["lean to Female", "its changes", "size of bias", "its changes"]
    assert [row[4] for row in within] == pytest.approx([1.0] * 6)
    mean = np.mean([share(i, 1900) for i in range(8)])
    assert within[0][3] == pytest.approx(mean)
    assert any("over the 8 occupations" in one for one in found.remarks)
    assert any("random walks" in one for one in found.remarks)


def test_a_table_of_shares_predicts_itself(tmp_path: Path) -> None:
    """A census as the source: the shares of three groups, each with itself."""
    rng = np.random.default_rng(2)
    rows = [
        ",".join([str(year), term, *map(str, rng.dirichlet([5, 2, 1, 2]))])
        for year in YEARS
        for term in OCCUPATIONS
    ]
    path = tmp_path / "race.csv"
    path.write_text("Year,Occupation,white,hispanic,asian,black\n" + "\n".join(rows) + "\n")
    found = predictive("divdist(soa=counts)", str(path), path)["census-decades"]
    for name in ("share of White", "share of Hispanic", "share of Asian", "size of bias"):
        assert found.figure(f"rho, {name}").value == pytest.approx(1.0)
    assert found.source == f"{path}, Asian/Hispanic/White"


def test_both_tables_of_a_census_are_read(tmp_path: Path) -> None:
    race = tmp_path / "race.csv"
    rows = [f"2010,{term},0.5,0.3,{0.01 * i},0.1" for i, term in enumerate(OCCUPATIONS)]
    race.write_text("year,occupation,white,hispanic,asian,black\n" + "\n".join(rows) + "\n")
    card = eatlas.protocol(
        "rnd", planted(1950), criteria=["predictive"], census=[census(tmp_path / "c.csv"), race]
    )
    of_year = [one for one in card.evidence if one.study == "census-year"]
    assert [one.ran for one in of_year] == [True, False]
    assert "compares two groups" in of_year[1].not_run
    assert [one.value for one in card.given if one.name == "census"] == ["c.csv", "race.csv"]


def test_what_is_not_run_says_why(tmp_path: Path) -> None:
    card = eatlas.protocol("semaxis", planted(1950), criteria=["predictive"])
    assert {one.not_run for one in card.evidence} == {
        "Nothing was given by --census, such as census-gender, which eatlas vectors fetch census "
        "brings."
    }
    other = tmp_path / "other.csv"
    other.write_text("occupation,young,old\nnurse,0.5,0.5\n")
    found = predictive("semaxis", planted(1950), other)["census-year"]
    assert found.not_run == (
        "The census has the groups old, young, and no test of groups has all of its groups among "
        "them."
    )
    path = census(tmp_path / "census.csv", YEARS[:3])
    found = predictive("semaxis", planted(1950), path)["census-decades"]
    assert found.not_run.startswith("No series of sources by period was given by --vectors")
    folder = write_histwords(tmp_path / "series", {year: planted(year) for year in YEARS})
    found = predictive("semaxis", str(folder), path)["census-decades"]
    assert found.not_run == "The series and the census have 3 years in common, and 4 are needed."
    few = {term: row for term, row in planted(1950).items() if term not in OCCUPATIONS}
    found = predictive("semaxis", few, path)["census-year"]
    assert not found.ran


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("Census year,Job,Female,Male\n1900,nurse,1,0\n", "names no column of terms"),
        ("Census year,Occupation,Female,Male\n1900,nurse,1\n", "another number of cells"),
        ("Census year,Occupation,Female,Male\n19x0,nurse,1,0\n", "this is not a year"),
        ("Census year,Occupation,Female,Male\n1900,nurse,-1,0\n", "this is not a count"),
        ("Census year,Occupation,Female,Male\n1900,nurse,1,0\n1900,nurse,1,0\n", "occurs twice"),
        ("", "names no column of terms"),
    ],
)
def test_a_damaged_census_is_the_reason(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "census.csv"
    path.write_text(text)
    found = predictive("semaxis", planted(1950), path)["census-year"]
    assert message in found.not_run


def test_a_census_that_is_not_here_is_refused(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(EatlasError, match="--census: there is no file"):
        predictive("semaxis", planted(1950), tmp_path / "none.csv")
    monkeypatch.setenv("EATLAS_DATA", str(tmp_path))
    with pytest.raises(SourceError, match="census-gender: these published counts are not on this"):
        predictive("semaxis", planted(1950), Path("census"))


def test_the_published_census_on_real_vectors() -> None:
    """DivDist of GloVe goes with the census of 2010 as in the paper, which has .42 of 104."""
    path = optional_data("census") / "occupation_percentages_gender_occ1950.csv"
    found = predictive("divdist", "glove-sample", path)["census-year"]
    lean = found.figure("rho, lean to Female")
    assert lean.n == 72
    assert 0.3 < lean.value < 0.55
    assert lean.p < 0.01
    assert lean.low > 0
