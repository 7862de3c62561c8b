"""What cannot be run is on the card with its reason, and what cannot be used is refused."""

from __future__ import annotations

import pytest
from tests.protocol.cards import counts, found
from tests.protocol.plugins import Distance
from tests.sources.series_files import write_histwords

import eatlas

SHE = {"she": [1.0, 0.2], "he": [0.1, 1.0]}
TEXT = {"nurse": (8, 2), "pilot": (3, 7)}


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    counts(tmp_path / "text.csv", TEXT)
    counts(tmp_path / "shares.csv", {"nurse": (0.9, 0.1), "pilot": (0.2, 0.8)})
    (tmp_path / "odd.csv").write_text("term,young,old\nnurse,1,2\n")
    (tmp_path / "damaged.csv").write_text("Census year,Job,Female,Male\n1900,nurse,1,0\n")
    (tmp_path / "anna.csv").write_text("item,label\nc1,Female\n")
    years = range(1900, 1950, 10)
    write_histwords(tmp_path / "series", dict.fromkeys(years, SHE))
    rows = [f"{year},nurse,0.9,0.1" for year in (1900, 1910, 1920)]
    (tmp_path / "census.csv").write_text("year,occupation,Female,Male\n" + "\n".join(rows) + "\n")


@pytest.mark.parametrize(
    ("study", "measure", "vectors", "given", "reason"),
    [
        ("face/stereotyped-professions", "mac", None, {}, "The numbers of MAC have no direction"),
        ("face/stereotyped-professions", "rnsb", None, {}, "No value of RNSB means that a target has no association"),
        ("face/stereotyped-professions", "ceat", None, {}, "The measure ceat takes contexts"),
        ("face/stereotyped-professions", "lpbs", None, {}, "lpbs needs a masked language model"),
        ("face/stereotyped-professions", "zero-shot", None, {}, "glove-sample states no logit scale"),
        ("face/documented-tests", "mac", None, {}, "mac takes tests of groups"),
        ("face/documented-tests", Distance(), None, {}, "the number of weat-1 stays when A and B trade places."),
        ("content/structure", "ceat", None, {}, "takes contexts"),
        ("content/invariances", "zero-shot", None, {}, "no logit scale"),
        ("convergent/text-by-span", "semaxis", SHE, {}, "Nothing was given by --labels, labels by people and their items"),
        ("inter-annotator/agreement", "semaxis", SHE, {"labels": "anna.csv"}, "--labels names 0 files of eatlas annotate sample, and one is needed"),
        ("sensitivity/parameters", "generalised-weat", None, {}, "generalised-weat has no parameter with choices."),
        ("predictive/census-year", "semaxis", SHE, {}, "Nothing was given by --census, such as census-gender"),
        ("predictive/census-year", "semaxis", SHE, {"census": "odd.csv"}, "The census has the groups old, young, which no test has"),
        ("predictive/census-year", "semaxis", SHE, {"census": "damaged.csv"}, "names no column of terms"),
        ("predictive/census-year", "semaxis", SHE, {"census": "census.csv"}, "no term has a usable vector"),
        ("predictive/census-year", "semaxis", "series", {"census": "census.csv"}, "Every source belongs to a period"),
        ("predictive/census-decades", "semaxis", SHE, {"census": "census.csv"}, "No series by period"),
        ("predictive/census-decades", "semaxis", "series", {"census": "census.csv"}, "There are 3 years in common, and 4 are needed."),
        ("hypothesis/amplification", "divdist", SHE, {}, "Nothing was given by --counts, of the text that a model"),
        ("hypothesis/amplification", "divdist", SHE, {"counts": "text.csv"}, "Neither --representations"),
        ("hypothesis/amplification", "semaxis", SHE, {"counts": "text.csv", "generated": "text.csv"}, "takes no counts of a text"),
        ("hypothesis/amplification", "divdist", SHE, {"counts": "odd.csv", "generated": "odd.csv"}, "The table of counts has the groups old, young"),
        ("hypothesis/amplification", "divdist", SHE, {"counts": "text.csv", "generated": "shares.csv"}, "The counts of nurse in shares.csv are no whole numbers of contexts"),
        ("hypothesis/amplification", "divdist(soa=counts)", "text.csv", {"counts": "text.csv", "representations": "x"}, "The measure takes counts only"),
        ("hypothesis/mitigation", "divdist(soa=counts)", "text.csv", {}, "takes no vectors"),
        ("hypothesis/mitigation", "semaxis", SHE, {}, "hard-debias:gender"),
    ],
)  # fmt: skip
def test_a_study_says_why_it_is_not_run(files, study, measure, vectors, given, reason):
    criterion, _, name = study.partition("/")
    evidence = found(criterion, measure, vectors, **given)[name]
    assert reason in evidence.not_run
    assert not evidence.figures


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"criteria": ["fase"]}, "no criterion 'fase'; did you mean face?"),
        ({"measure": "lpbs", "vectors": "glove-sample"}, "glove-sample"),
        ({"counts": ["."]}, "--counts: there is no file"),
        ({"census": "none.csv"}, "--census: there is no file"),
        ({"answers": "x = "}, "answers.toml: this is not TOML"),
        ({"answers": 'grops = "All."'}, "'grops' has no question; did you mean groups?"),
        ({"answers": "groups = 5"}, "the answer to 'groups' is not a string"),
    ],
)
def test_what_cannot_be_used_is_refused_before_any_work(files, tmp_path, given, message):
    if "answers" in given:
        (tmp_path / "answers.toml").write_text(given["answers"])
        given = {"answers": "answers.toml"}
    with pytest.raises(eatlas.EatlasError) as caught:
        eatlas.protocol(given.pop("measure", "weat"), given.pop("vectors", None), **given)
    assert message in str(caught.value)
