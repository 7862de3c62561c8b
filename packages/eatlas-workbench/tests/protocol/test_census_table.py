"""The table of measures by their correlation with a census, from cards made by hand and real ones."""

import pytest
from tests.present.tables.reading import markdown_tables
from tests.protocol.test_predictive import census, planted

import eatlas
from eatlas.errors import ResultsError
from eatlas_workbench.cards.census_table import is_card
from eatlas_workbench.cards.evidence import Card, Evidence, Figure

GENDER, RACE = "some, Female/Male", "some, Asian/Hispanic/White"


def evidence(study, source, rho=None, p=0.5, n=104, **more):
    figures = () if rho is None else (
        Figure(name="rho, association with Female", value=0.9, n=n, of="occupations", p=0.001),
        Figure(name="rho, size of bias", value=rho, n=n, of="occupations", p=p, test="permutation"),
    )  # fmt: skip
    asks = {"criterion": "predictive", "title": "t", "question": "q?"}
    return Evidence(study=study, source=source, figures=figures, **asks, **more)


def card(title, *found, signature=None):
    signature = signature or f"{title.upper()}()"
    return Card(
        version="0", measure=title.lower(), title=title, signature=signature, seed=0, evidence=found
    )


OURS = card("Ours", evidence("census-decades", GENDER, 0.83, 0.05), evidence("census-year", GENDER, 0.42, 0.001),
            evidence("census-year", RACE, 0.369, 0.2, n=95))  # fmt: skip
OTHER = card("Other", evidence("census-year", GENDER, 0.0471, 0.6), evidence("census-year", RACE, not_run="two groups"),
             evidence("census-decades", "", not_run="no series"))  # fmt: skip


def test_measures_by_studies_and_groups_in_the_order_of_the_paper():
    text = eatlas.census_table([OURS, OTHER])
    ((head, *rows),) = markdown_tables(text)
    assert head == [
        "Measure", "Diachronic\nFemale/Male", "Contemporary\nFemale/Male",
        "Contemporary\nAsian/Hispanic/White",
    ]  # fmt: skip
    assert rows == [["Ours", "0.830", "0.420", "0.369"], ["Other", "–", "0.047", "–"]]
    assert "Contemporary (some): n = 95 to 104 occupations; p: permutation." in text
    assert "Diachronic (some): n = 104 occupations" in text


def test_bold_is_p_up_to_five_percent():
    text = eatlas.census_table([OURS, OTHER], "latex")
    assert r"Ours & \textbf{0.830} & \textbf{0.420} & 0.369 \\" in text
    assert r"Other & \textendash{} & 0.047 & \textendash{} \\" in text


def test_sources_that_differ_are_in_the_heads_and_equal_titles_are_told_apart():
    both = [
        card("RND", evidence("census-year", "first, Female/Male", 0.1), signature="RND(distance=cosine)"),
        card("RND", evidence("census-year", "second, Female/Male", 0.2), signature="RND(distance=euclidean)"),
    ]  # fmt: skip
    ((head, *rows),) = markdown_tables(eatlas.census_table(both))
    assert head[1:] == ["Contemporary\nfirst: Female/Male", "Contemporary\nsecond: Female/Male"]
    assert rows == [
        ["RND(distance=cosine)", "0.100", "–"],
        ["RND(distance=euclidean)", "–", "0.200"],
    ]


def test_the_sources_of_each_study_are_below_without_their_paths():
    text = eatlas.census_table([
        card("Ours", evidence("census-decades", "/home/ann/sgns, Female/Male", 0.8),
             evidence("census-year", GENDER, 0.4))
    ])  # fmt: skip
    assert markdown_tables(text)[0][0][1:] == [
        "Diachronic\nFemale/Male", "Contemporary\nFemale/Male",
    ]  # fmt: skip
    assert "Diachronic (sgns): n = 104 occupations" in text
    assert "ann" not in text


def test_csv_has_every_view_with_its_p():
    lines = eatlas.census_table([OURS], "csv").splitlines()
    assert lines[0] == "measure,signature,study,source,view,rho,low,high,n,of,p"
    assert (
        lines[1]
        == 'Ours,OURS(),census-decades,"some, Female/Male",association with Female,0.9,,,104,occupations,0.001'
    )
    assert len(lines) == 1 + 6


def test_cards_of_real_studies(tmp_path):
    path = census(tmp_path / "census.csv")
    cards = [
        eatlas.protocol(m, planted(1950), criteria=["predictive"], census=path)
        for m in ("divdist", "mac", "weat")
    ]
    ((_, *rows),) = markdown_tables(eatlas.census_table(cards))
    found = [one.of("predictive")[1].figure("rho, size of bias").value for one in cards]
    assert [float(row[1].replace("−", "-")) for row in rows] == pytest.approx(found, abs=5e-4)
    assert [row[0] for row in rows] == ["DivDist", "MAC", "WEAT"]


@pytest.mark.parametrize(
    ("cards", "form", "said"),
    [
        ([OURS, OURS], "latex", r"two cards have the same measure and source\n  got: OURS\(\) on some, Female/Male"),
        ([card("Other", evidence("census-year", "", not_run="x"))], "latex", "these cards contain no census study"),
        ([], "latex", "got: 0 cards\n  remedy: eatlas protocol MEASURE"),
        ([OURS], "html", "no table in the format 'html'.*\n  allowed: latex, markdown"),
    ],
)  # fmt: skip
def test_what_is_refused(cards, form, said):
    with pytest.raises(ResultsError, match=said):
        eatlas.census_table(cards, form)


def test_a_card_is_known_by_its_first_characters(tmp_path):
    _, path = eatlas.write_card(OURS, tmp_path)
    assert is_card(path)
    (tmp_path / "other.json").write_text('{"schema": "eatlas/study/1"}')
    assert not is_card(tmp_path / "other.json")
    assert not is_card(tmp_path / "none.json")
