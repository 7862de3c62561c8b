"""DivDist of counts, of contexts and against references that come from elsewhere."""

import numpy as np
import pytest
from tests.measures.test_divdist import TEST, VECTORS, groups_test

import eatlas
from eatlas import DivDist
from eatlas.engine.references import with_reference
from eatlas.errors import ResultsError, SourceError, StimulusError
from eatlas.sources.tables import open_counts

LONG = "term,group,count\nnurse,Female,30\nnurse,Male,10\npilot,Female,5\npilot,Male,15\n"
WIDE = """Census year,Occupation,Total Weight,Female,Male,other
1990,nurse,100,0.9,0.1,0
1990,pilot,50,0.05,0.95,0
2000,nurse,100,0.8,0.2,0
2000,pilot,50,0.1,0.9,0
"""


def written(folder, text, name="table.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names no column of terms"),
        ("word,Female\nnurse,1\n", "no column of terms and two of groups"),
        ("term,Female,Male\nnurse,1,-2\n", "line 2: not a count"),
        ("term,Female,Male\nnurse,1\n", "different numbers of cells"),
        ("term,Female,Male\nnurse,1,x\n", "not a count"),
        ("term,year,Female,Male\nnurse,abc,1,2\n", "not a year"),
        ("term,Female,Male\n", "the table has no rows"),
        (LONG + "nurse,Male,3\n", "this pair occurs twice"),
    ],
)
def test_damaged_tables(tmp_path, text, said):
    with pytest.raises(SourceError, match=said):
        open_counts(written(tmp_path, text))


@pytest.mark.parametrize("given", ["Female=0.8,Male=0.2", {"Female": 0.8, "Male": 0.2}])
def test_a_reference_that_is_given(given):
    result = eatlas.run(TEST, VECTORS, "divdist(resamples=0)", reference=given)[0]
    assert result.reference == (0.8, 0.2)
    nurse = result.targets[0]
    assert nurse.deviation == pytest.approx((4 / 7 - 0.8, 3 / 7 - 0.2))
    assert result.reference_from == "the run"


def test_a_census_as_the_reference(tmp_path):
    path = written(tmp_path, WIDE)
    result = eatlas.run(TEST, VECTORS, "divdist(resamples=0)", reference=f"{path}?year=1990")[0]
    assert result.references == {"nurse": (0.9, 0.1), "pilot": (0.05, 0.95)}
    assert result.reference == pytest.approx((0.475, 0.525))
    assert result.targets[1].deviation == pytest.approx((3 / 7 - 0.05, 4 / 7 - 0.95))
    with pytest.raises(StimulusError, match="the table has several years"):
        eatlas.run(TEST, VECTORS, reference=path)


def test_another_measurement_as_the_reference(tmp_path):
    before = eatlas.run("divdist-gender", measures="divdist(resamples=0,p=off)")
    now = eatlas.run(
        "divdist-gender", measures="divdist(resamples=0,p=off,means=unit)", reference=before
    )[0]
    was, target = before[0].targets[0], now.targets[0]
    assert target.deviation == pytest.approx(np.subtract(target.distribution, was.distribution))
    again = eatlas.run(
        "divdist-gender", measures="divdist(resamples=0,p=off)", reference=before[0]
    )[0]
    assert all(one.bias == pytest.approx(0) for one in again.targets if one.bias is not None)
    assert again.reference_from == "divdist-gender on glove-sample"
    path = tmp_path / "before.jsonl"
    before.write(path)
    of_file = eatlas.run(
        "divdist-gender", measures="divdist(resamples=0,p=off,means=unit)", reference=str(path)
    )[0]
    assert of_file == now
    assert eatlas.verify([now])[0].status == "same"
    assert not any("Give this test another id" in one for one in map(str, now.warnings))
    with pytest.raises(
        ResultsError, match="0 results have proportions of groups for test divdist-race"
    ):
        eatlas.run("divdist-race", reference=str(path))


def test_a_target_without_a_reference_has_no_bias(tmp_path):
    path = written(tmp_path, "term,Female,Male\nnurse,3,1\n")
    (test,) = with_reference([TEST], path)
    with pytest.warns(eatlas.EatlasWarning, match="Undefined bias of pilot"):
        result = DivDist(resamples=0, p="off")(test, VECTORS)
    assert result.targets[1].bias is None
    assert result.targets[1].distribution is not None
    assert result.mean_bias == result.targets[0].bias
    resampled = eatlas.run(TEST, VECTORS, "divdist(resamples=40)", reference=path)[0]
    assert resampled.resamples == 40
    assert resampled.targets[0].uncertainty is not None


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("Female=0.5,Male=0.4", "sum to 0.9"), ("Female=0.5,Men=0.5", "no group 'Men'"),
        ({"Female": 1.0}, "no weight for"),
        ({"Female": 1.2, "Male": -0.2}, "from 0 to 1|is not a number"),
        ("0.5,0.6", "reference"), ("nosuch.csv", "reference"),
        ("Female=half", "reference"), (3, "reference"), (object(), "reference"),
    ],
)  # fmt: skip
def test_references_that_are_refused(given, said):
    with pytest.raises(StimulusError) as raised:
        eatlas.run(TEST, VECTORS, reference=given)
    assert any(one in str(raised.value) for one in said.split("|"))


def test_a_reference_is_for_tests_of_groups():
    with pytest.raises(StimulusError, match="a reference needs tests of groups"):
        eatlas.run("weat-6", reference="uniform")


def of_labels(test, vectors, scale):
    """Shares of groups in the softmax of each target, written out."""
    unit = {term: v / np.linalg.norm(v) for term, v in vectors.items()}
    groups = [group.terms for group in test.groups]
    rows = []
    for target in test.targets.terms:
        powers = [[np.exp(scale * (unit[target] @ unit[w])) for w in words] for words in groups]
        rows.append([sum(some) / sum(map(sum, powers)) for some in powers])
    return np.array(rows)


def test_softmax_shares_are_those_of_plain_loops():
    words = {"f": ("f1", "f2", "f3"), "m": ("m1", "m2"), "n": ("n1",)}
    test = groups_test(["t1", "t2", "t3"], **words)
    rng = np.random.default_rng(2)
    names = ["t1", "t2", "t3", *(w for some in words.values() for w in some)]
    vectors = {name: rng.standard_normal(20) for name in names}
    result = DivDist(soa="softmax", scale=10, resamples=400)(test, vectors)
    expected = of_labels(test, vectors, 10)
    for one, shares in zip(result.targets, expected, strict=True):
        assert one.distribution == pytest.approx(shares, rel=1e-12)
        assert one.bias == pytest.approx(np.abs(shares - 1 / 3).sum(), rel=1e-12)
        for (low, high), deviation in zip(one.uncertainty.deviation, one.deviation, strict=True):
            assert low <= high
            assert -1 <= low <= deviation + 0.7
    assert result.concept.distribution == pytest.approx(expected.mean(axis=0), rel=1e-12)
    assert result.logit_scale == 10
    assert result.labels is None, "groups of 3, 2 and 1 words are not expected to have equal shares"
    assert any("f 3 (0.500); m 2 (0.333); n 1 (0.167)" in one for one in map(str, result.warnings))
    assert not any("mean of fewer words" in one for one in map(str, result.warnings))


def test_a_softmax_needs_a_scale():
    with pytest.raises(SourceError, match="states no logit scale") as caught:
        eatlas.run(TEST, VECTORS, DivDist(soa="softmax"))
    assert "divdist(scale=100, soa=softmax)" in caught.value.remedy
