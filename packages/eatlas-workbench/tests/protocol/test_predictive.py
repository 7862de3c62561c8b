"""Predictive validity: planted occupations against a small census, by hand and against scipy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.stats import spearmanr
from tests.inputs import optional_data
from tests.protocol.cards import found
from tests.sources.series_files import write_histwords

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


@pytest.mark.parametrize("measure", ["weat", "divdist", "rnd", "semaxis"])
def test_a_planted_order_is_found_by_any_measure(tmp_path, measure):
    path = census(tmp_path / "census.csv")
    evidence = found("predictive", measure, planted(1950), census=path)["census-year"]
    lean = evidence.figure("rho, association with Female")
    assert (lean.value, lean.n, lean.of) == (pytest.approx(1.0), 8, "occupations")
    assert lean.text == "1 without a number: cooper"
    assert lean.p == pytest.approx(2 / 40_320)  # of 8! orders two are monotone
    assert lean.test == "permutation of occupations, two-sided, all"
    assert any("not counted: 1 occupations: cooper." in remark for remark in evidence.remarks)
    assert evidence.tables[0].title == "Occupations and the census of 1950"
    assert {row[0] for row in evidence.tables[0].rows} == set(OCCUPATIONS)


def test_figures_are_those_of_the_table(tmp_path):
    """Another order of the vectors, the size of bias by hand, rho and R2 against scipy."""
    order = tuple(np.random.default_rng(5).permutation(OCCUPATIONS))
    path = census(tmp_path / "c.csv")
    evidence = found("predictive", "divdist", planted(1950, order), census=path)["census-year"]
    (table,) = evidence.tables
    columns = dict(zip(table.columns, zip(*table.rows, strict=True), strict=True))
    for view, of in (("association with Female", "share of Female"), ("size of bias",) * 2):
        x, y = columns[view], columns[f"census: {of}"]
        rho = evidence.figure(f"rho, {view}")
        assert rho.value == pytest.approx(spearmanr(x, y).statistic)
        assert -1 <= rho.low <= rho.value <= rho.high <= 1
        r2 = np.corrcoef(x, y)[0, 1] ** 2
        assert evidence.figure(f"R2, {view}").value == pytest.approx(r2)
    nurse = columns["occupation"].index("nurse")
    women = share(0, 1950)
    assert columns["census: share of Female"][nurse] == pytest.approx(women)
    assert columns["census: size of bias"][nurse] == pytest.approx(1 - 2 * women)
    of_mac = found("predictive", "mac", planted(1950), census=path)["census-year"]
    assert [one.name for one in of_mac.figures] == ["rho, size of bias", "R2, size of bias"]


def test_the_size_of_a_distance_is_how_far_it_is_from_no_bias(tmp_path):
    """MAC is 1 without bias, so occupations near to both groups have the largest."""
    path, vectors = census(tmp_path / "c.csv"), planted(1950)
    evidence = found("predictive", "mac", vectors, census=path)["census-year"]
    sizes = {occupation: size for occupation, size, _ in evidence.tables[0].rows}
    poles = [vectors[group.terms[0]] for group in GENDER.groups]
    for term in OCCUPATIONS:
        target = vectors[term] / np.linalg.norm(vectors[term])
        near = [target @ pole / np.linalg.norm(pole) for pole in poles]
        assert sizes[term] == pytest.approx(abs(np.mean(near)))
    away = [abs(share(i, 1950) - 0.5) for i in range(len(OCCUPATIONS))]
    rho = spearmanr(away, [sizes[term] for term in OCCUPATIONS]).statistic
    assert rho < -0.9


@pytest.mark.slow
def test_a_series_moves_with_the_census(tmp_path):
    folder = write_histwords(tmp_path / "series", {year: planted(year) for year in YEARS})
    path = census(tmp_path / "census.csv")
    evidence = found("predictive", "semaxis", str(folder), census=path)["census-decades"]
    lean = evidence.figure("rho, association with Female")
    assert (lean.value, lean.n, lean.of) == (1.0, 6, "periods")
    # two random walks of 6 periods are as monotone in 1.2% of pairs, two orders of 720 in 0.3%
    (nulls, by_year) = evidence.tables
    row = dict(zip(nulls.columns, nulls.rows[0], strict=True))
    assert row["p, order in time ignored"] == pytest.approx(2 / 720)
    assert 0.005 < row["p, autoregressive"] == lean.p < 0.03
    assert evidence.figure("rho, changes, association with Female").n == 5
    within = [row for row in by_year.rows if row[1] == "association with Female"]
    assert [row[0] for row in within] == list(map(str, YEARS))
    labels = [one.label for one in evidence.drawings[0].marks]
    assert labels == ["association with Female", "its changes", "size of bias", "its changes"]
    assert [row[4] for row in within] == pytest.approx([1.0] * 6)
    assert within[0][3] == pytest.approx(np.mean([share(i, 1900) for i in range(8)]))


@pytest.mark.slow
def test_a_table_of_shares_predicts_itself(tmp_path):
    """A census of three groups as the source, beside one of gender: the shares with themselves."""
    rng = np.random.default_rng(2)
    rows = [
        ",".join([str(year), term, *map(str, rng.dirichlet([5, 2, 1, 2]))])
        for year in YEARS[:4]
        for term in OCCUPATIONS
    ]
    path = tmp_path / "race.csv"
    path.write_text("Year,Occupation,white,hispanic,asian,black\n" + "\n".join(rows) + "\n")
    evidence = found("predictive", "divdist(soa=counts)", str(path), census=path)["census-decades"]
    for name in ("share of White", "share of Hispanic", "share of Asian", "size of bias"):
        assert evidence.figure(f"rho, {name}").value == pytest.approx(1.0)
    assert evidence.source == f"{path}, Asian/Hispanic/White"


def test_the_published_census_on_real_vectors():
    """DivDist of GloVe goes with the census of 2010 as in the paper, which has .42 of 104."""
    path = optional_data("census") / "occupation_percentages_gender_occ1950.csv"
    lean = found("predictive", "divdist", census=path)["census-year"].figures[0]
    assert lean.n == 72
    assert 0.3 < lean.value < 0.55
    assert lean.p < 0.01
    assert lean.low > 0
