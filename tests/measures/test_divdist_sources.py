"""DivDist of counts, of contexts and against references that come from elsewhere."""

import json
import re
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta, binom
from tests.inputs import optional_data
from tests.measures.test_divdist import TEST, VECTORS, groups_test

import eatlas
from eatlas import Concept, DivDist, GroupsTest
from eatlas.engine.references import with_reference
from eatlas.errors import CoverageError, EatlasError, ResultsError, SourceError, StimulusError
from eatlas.present import report_html
from eatlas.sources import embed, open_vectors
from eatlas.sources.tables import open_counts
from eatlas.testing import check_measure

LONG = "term,group,count\nnurse,Female,30\nnurse,Male,10\npilot,Female,5\npilot,Male,15\n"
WIDE = """Census year,Occupation,Total Weight,Female,Male,other
1990,nurse,100,0.9,0.1,0
1990,pilot,50,0.05,0.95,0
2000,nurse,100,0.8,0.2,0
2000,pilot,50,0.1,0.9,0
"""
COUNTS = DivDist(soa="counts")


def written(folder, text, name="table.csv"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_counts_of_a_table(tmp_path):
    path = written(tmp_path, LONG)
    (result,) = eatlas.run(TEST, path, COUNTS)
    nurse, pilot = result.targets
    assert nurse.association == (30, 10)
    assert nurse.signed == pytest.approx(0.25)
    assert pilot.signed == pytest.approx(-0.25)
    assert result.concept.association == (35, 25)
    assert result.labels is None
    low, high = nurse.uncertainty.deviation[0]
    assert low < 0.25 < high
    assert result.source == path
    assert eatlas.verify([result])[0].status == "same"
    Path(path).write_text(LONG.replace("30", "31"))
    assert eatlas.verify([result])[0].status == "differs"
    (in_memory,) = eatlas.run(
        TEST, {"nurse": {"Female": 30, "Male": 10}, "pilot": {"Female": 5, "Male": 15}}, COUNTS
    )
    assert [one.bias for one in in_memory.targets] == [one.bias for one in result.targets]
    for separator, name in ((";", "table.csv"), ("\t", "table.tsv"), ("\t", "table.txt")):
        (other,) = eatlas.run(TEST, written(tmp_path, LONG.replace(",", separator), name), COUNTS)
        assert other.targets == result.targets


def test_a_table_with_years_is_a_series(tmp_path):
    path = written(tmp_path, WIDE)
    results = eatlas.run(TEST, path, COUNTS)
    assert [one.period for one in results] == [1990, 2000]
    assert results[0].mean_bias == pytest.approx((0.8 + 0.9) / 2)
    assert results[0].targets[0].uncertainty is None, "shares are no contexts"
    assert any("other groups too" in one for one in map(str, results[0].warnings))
    assert {one.status for one in eatlas.verify(results)} == {"same"}
    (one,) = eatlas.run(TEST, f"{path}?year=2000", COUNTS)
    assert one.targets == results[1].targets
    assert eatlas.verify([one])[0].status == "same"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "names no column of terms"),
        ("word,Female\nnurse,1\n", "no column of terms and two of groups"),
        ("term,Female,Male\nnurse,1,-2\n", "line 2: this is not a count"),
        ("term,Female,Male\nnurse,1\n", "another number of cells"),
        ("term,Female,Male\nnurse,1,x\n", "this is not a count"),
        ("term,year,Female,Male\nnurse,abc,1,2\n", "this is not a year"),
        ("term,Female,Male\n", "the table has no rows"),
        (LONG + "nurse,Male,3\n", "the pair occurs twice"),
    ],
)
def test_damaged_tables(tmp_path, text, said):
    with pytest.raises(SourceError, match=said):
        open_counts(written(tmp_path, text))


def test_refusals_of_tables(tmp_path):
    path = written(tmp_path, WIDE)
    with pytest.raises(SourceError, match="no such year"):
        open_counts(f"{path}?year=1800")
    with pytest.raises(SourceError, match="cannot be read"):
        open_counts(tmp_path / "none.csv")
    other = groups_test(["nurse"], Women=["she"], Men=["he"])
    with pytest.raises(EatlasError, match="no number for Women, Men"):
        eatlas.run(other, f"{path}?year=2000", COUNTS)
    absent = groups_test(["astronaut"], Female=["she"], Male=["he"])
    with pytest.raises(CoverageError, match="no term has a usable vector|targets"):
        eatlas.run(absent, f"{path}?year=2000", COUNTS)


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
    with pytest.raises(ResultsError, match="0 results have shares of groups for test divdist-race"):
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
        ("0.5,0.6", "not a reference"), ("nosuch.csv", "not a reference"),
        ("Female=half", "not a reference"), (3, "not a reference"), (object(), "not a reference"),
    ],
)  # fmt: skip
def test_references_that_are_refused(given, said):
    with pytest.raises(StimulusError) as raised:
        eatlas.run(TEST, VECTORS, reference=given)
    assert any(one in str(raised.value) for one in said.split("|"))


def test_a_reference_is_for_tests_of_groups():
    with pytest.raises(StimulusError, match="a reference needs tests of groups"):
        eatlas.run("weat-6", reference="uniform")


@pytest.fixture(scope="module")
def jobs(tmp_path_factory):
    """A test, and contexts in which nurses stand beside women and pilots beside men."""
    female, male = ["she", "her", "woman", "mother"], ["he", "him", "man", "father"]
    rng = np.random.default_rng(0)
    ends = [f"{a} {b} {c}" for a in ("today", "later", "then", "again") for b in ("by", "with")
            for c in ("car", "train", "bike", "foot", "bus")]  # fmt: skip
    lines = [f"then {word} went home {end}." for word in female + male for end in ends[:3]]
    for i in range(240):
        job, chance = [("nurse", 0.8), ("pilot", 0.2)][i % 2]
        words = female if rng.random() < chance else male
        beside = "" if rng.random() < 0.3 else f" and {rng.choice(words)}"
        lines.append(f"the {job}{beside} went home {rng.choice(ends)}.")
    folder = tmp_path_factory.mktemp("corpus")
    (folder / "corpus.txt").write_text("\n".join(lines))
    test = groups_test(["nurse", "pilot"], Female=female, Male=male)
    found = eatlas.find_contexts(folder / "corpus.txt", tests=[test], per_term=200)
    found.write(folder / "contexts.jsonl")
    return test, found, folder / "contexts.jsonl"


def test_reduction_is_the_mean_over_contexts(jobs):
    test, contexts, path = jobs
    (result,) = eatlas.run(
        test, "cbow:glove-sample", "divdist(soa=reduction,resamples=20)", contexts=path
    )
    nurse, pilot = result.targets
    assert nurse.signed > 0 > pilot.signed
    assert result.coverage["targets"].contexts["nurse"] > 20
    assert result.labels.total == 70
    assert all(one.uncertainty.bias[0] <= one.uncertainty.bias[1] for one in result.targets)
    found = embed(eatlas.with_contexts(test, contexts)[0], open_vectors("cbow:glove-sample"))
    means = {}
    for name, group in found.coverage.items():
        of = np.array([group.stimulus[text] for text in group.used])
        means |= {one: found.vectors[name][of == one].mean(axis=0) for one in group.stimuli}
    female = np.mean([means[word] for word in ("she", "her", "woman", "mother")], axis=0)
    expected = means["nurse"] @ female / np.linalg.norm(means["nurse"]) / np.linalg.norm(female)
    assert nurse.association[0] == pytest.approx(expected)
    assert eatlas.verify([result], contexts=[path])[0].status == "same"


def test_a_probe_finds_groups_beside_targets(jobs):
    test, contexts, _ = jobs
    (result,) = eatlas.run(
        test, "cbow:glove-sample", "divdist(soa=probe,resamples=50)", contexts=contexts
    )
    probe = result.probe
    assert "The probe predicts the group of" in report_html(eatlas.Results([result]))
    assert sum(probe.contexts.values()) == sum(result.coverage["targets"].contexts.values())
    assert probe.accuracy > 0.9
    assert probe.control_accuracy < 0.7
    nurse, pilot = result.targets
    assert nurse.signed > 0.1
    assert pilot.signed < -0.1
    assert sum(nurse.association) <= result.coverage["targets"].contexts["nurse"]
    assert "probe" in json.loads(json.dumps(result.to_dict()))
    assert eatlas.verify([result], contexts=[contexts])[0].status == "same"


def test_a_probe_is_trained_on_labels_of_people_where_there_are_some(jobs, tmp_path):
    test, contexts, _ = jobs
    items = eatlas.sample_items(contexts, test, per_target=60)
    words = {"she": "Female", "her": "Female", "woman": "Female", "mother": "Female"}
    words |= {"he": "Male", "his": "Male", "man": "Male", "father": "Male"}
    labels = {
        one.id: next((words[word] for word in one.text.split() if word in words), "none")
        for one in items
    }
    found = eatlas.read_labels(items, {"Anna": labels}).adjudicated()
    path = tmp_path / "labelled.parquet"
    found.labelled(contexts).write(path)
    measure = "divdist(soa=probe,resamples=20)"
    (result,) = eatlas.run(test, "cbow:glove-sample", measure, contexts=path)
    (by_words,) = eatlas.run(test, "cbow:glove-sample", measure, contexts=contexts)
    probe = result.probe
    assert (probe.labels, by_words.probe.labels) == ("people", "words")
    assert sum(probe.contexts.values()) == len(labels) == 120
    every = result.coverage["targets"].contexts
    assert probe.unlabelled == sum(every.values()) - 120 > 0
    assert probe.accuracy > 0.85
    for one, other in zip(result.targets, by_words.targets, strict=True):
        assert sum(one.association) <= every[one.term]
        assert one.signed == pytest.approx(other.signed, abs=0.1)
    assert "unlabelled" not in by_words.to_dict()["probe"]
    assert eatlas.verify([result], contexts=[path])[0].status == "same"
    (without,) = eatlas.verify([result], contexts=[contexts])
    assert without.status != "same"
    turned = {
        item: {"Female": "Male", "Male": "Female"}.get(one, one) for item, one in labels.items()
    }
    other_way = eatlas.read_labels(items, {"Anna": turned}).adjudicated().labelled(contexts)
    (result,) = eatlas.run(test, "cbow:glove-sample", measure, contexts=other_way)
    assert [one.signed > 0 for one in result.targets] == [False, True]
    odd = replace(other_way, labels=dict.fromkeys(other_way.labels, "Women"))
    with pytest.raises(StimulusError, match="labels of the contexts are not groups of the test"):
        eatlas.run(test, "cbow:glove-sample", measure, contexts=odd)
    some = dict(list(other_way.labels.items())[:12])
    with pytest.raises(CoverageError, match="too few contexts of a kind(.|\n)*label more contexts"):
        eatlas.run(test, "cbow:glove-sample", measure, contexts=replace(other_way, labels=some))


def test_refusals_of_contexts(jobs):
    test, contexts, _ = jobs
    with pytest.raises(StimulusError, match="the measure divdist takes words"):
        eatlas.run(test, "cbow:glove-sample", "divdist", contexts=contexts)
    with pytest.raises(StimulusError, match="the measure rnd takes words"):
        eatlas.run(test, "cbow:glove-sample", "rnd", contexts=contexts)
    alone = GroupsTest(
        id="t",
        targets=test.targets,
        groups=(test.groups[0], Concept(name="Old", terms=["went", "older"])),
        reference="uniform",
    )
    put = contexts.of_stimulus("nurse")[:5]
    with pytest.raises(EatlasError, match="no stimulus has a context"):
        eatlas.run(alone, "cbow:glove-sample", "divdist(soa=probe)", contexts=contexts)
    few = eatlas.Contexts.of(
        [*put, *(contexts.of_stimulus(word)[0] for word in ("pilot", "she", "he"))]
    )
    with pytest.raises(CoverageError, match="too few contexts of a kind\n  got: .* of Female"):
        eatlas.run(test, "cbow:glove-sample", "divdist(soa=probe)", contexts=few)


@pytest.mark.parametrize(("kind", "names"), [
    ("gender", ("Female", "Male")), ("race", ("White", "Hispanic", "Asian")),
])  # fmt: skip
def test_figures_of_the_census(kind, names):
    folder = optional_data("census")
    expected = json.loads((folder / "census_bias_expected.json").read_text())
    path = str(folder / f"occupation_percentages_{kind}_occ1950.csv")
    groups = {name: [name.lower()] for name in names}
    measure = "divdist(soa=counts,resamples=0)"
    by_year = {str(one.period): one for one in open_counts(path)}
    of_years = expected[f"{kind}_census"]
    common = sorted(set.intersection(*(set(by_year[year].terms) for year in of_years)))
    assert len(common) == 95
    results = eatlas.run(groups_test(common, **groups), path, measure)
    found = {str(one.period): one.mean_bias for one in results}
    assert {year: found[year] for year in of_years} == pytest.approx(of_years, abs=1e-12)
    of_2010 = expected[f"{kind}_2010"]
    (result,) = eatlas.run(groups_test(list(of_2010), **groups), f"{path}?year=2010", measure)
    assert len(result.targets) == 104
    assert {one.term: one.bias for one in result.targets} == pytest.approx(of_2010, abs=1e-12)


@pytest.mark.filterwarnings("ignore::eatlas.errors.EatlasWarning")
def test_the_contract_of_measures_is_kept():
    (test,) = eatlas.load_tests("divdist-face-validity")
    rows = {term: {"Female": 3 + i, "Male": 5} for i, term in enumerate(test.targets.terms)}
    check_measure(DivDist(draws=50, resamples=20), test)
    check_measure(DivDist(soa="counts", resamples=20), test, rows)


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


def test_two_groups_of_a_softmax_are_a_zero_shot_reading():
    words = {"A": tuple("abcd"), "B": tuple("efgh")}
    rng = np.random.default_rng(4)
    vectors = {name: rng.standard_normal(30) for name in (*"abcdefgh", "x", "y", "z", "w")}
    found = DivDist(soa="softmax", scale=30)(groups_test(["x", "y", "z", "w"], **words), vectors)
    read = eatlas.ZeroShot(scale=30, resamples=0)(
        eatlas.AssociationTest(
            id="t", X=Concept(name="X", terms=("x", "y")), Y=Concept(name="Y", terms=("z", "w")),
            **{role: Concept(name=role, terms=terms) for role, terms in words.items()},
        ),
        vectors,
    )  # fmt: skip
    shares = [one.distribution[0] - 0.5 for one in found.targets]
    assert (*read.scores.X, *read.scores.Y) == pytest.approx(shares, rel=1e-12)
    # relabelling words of a target alone is what level 2 does
    alone = DivDist(soa="softmax", scale=30, resamples=0)(groups_test(["x"], **words), vectors)
    table = np.array(read.readings)[0]
    sums = [table[list(some)].sum() for some in combinations(range(8), 4)]
    away = np.abs(np.array(sums) - np.mean(sums))
    expected = int((away >= abs(table[:4].sum() - np.mean(sums)) - 1e-5).sum())
    assert alone.targets[0].labels.count == expected


def test_a_softmax_needs_a_scale():
    with pytest.raises(SourceError, match="states no logit scale") as caught:
        eatlas.run(TEST, VECTORS, DivDist(soa="softmax"))
    assert "divdist(scale=100, soa=softmax)" in caught.value.remedy


@pytest.mark.parametrize("n", [5, 10, 20])
@pytest.mark.parametrize("share", [0.8, 0.95])
def test_intervals_of_counts_hold_the_true_share(n, share):
    """Coverage over every count that n contexts can give, each by its binomial probability.

    Worst seen: .942 of deviations, .956 of biases; of resampled contexts .225, for 5 at .95.
    """
    table = {f"t{x}": {"Female": x, "Male": n - x} for x in range(n + 1)}
    (result,) = eatlas.run(groups_test([*table], Female=["she"], Male=["he"]), table, COUNTS)
    chances = binom.pmf(np.arange(n + 1), n, share)
    sure = [one.uncertainty for one in result.targets]
    low, high = np.array([one.deviation[0] for one in sure]).T
    assert chances @ ((low <= share - 0.5) & (share - 0.5 <= high)) > 0.93
    low, high = np.array([one.bias for one in sure]).T
    assert chances @ ((low <= 2 * share - 1) & (2 * share - 1 <= high)) > 0.93


def test_intervals_of_few_contexts_hold_what_was_observed_and_more():
    table = {"nurse": {"Female": 3, "Male": 0}, "pilot": {"Female": 0, "Male": 1}}
    (result,) = eatlas.run(TEST, table, COUNTS)
    for one in result.targets:
        low, high = one.uncertainty.bias
        assert low < 0.2
        assert high == one.bias == 1.0
    nurse = result.targets[0]
    assert nurse.contexts == 3
    assert result.concept.contexts == 4
    # 2.5% of Beta(3.5, 0.5)
    assert nurse.uncertainty.deviation[0] == pytest.approx(
        (beta.ppf(0.025, 3.5, 0.5) - 0.5, 0.5), abs=1e-6
    )
    low, high = result.mean_bias_interval
    assert low < 0.5
    assert high == result.mean_bias == 1.0
    (remark,) = map(str, result.warnings)
    assert remark.startswith("Mean bias 1.000 is that of 1 to 3 contexts a target (median 2); as")
    # by hand: |2 x / 3 - 1| is 1 in 1 of 4 and 1/3 in 3 of 4, |2 x - 1| is 1
    by_chance = float(re.search(r"itself give (\S+)\. A", remark)[1])
    assert by_chance == pytest.approx((1 / 4 + 3 / 4 / 3 + 1) / 2, abs=0.03)
    many = {"nurse": {"Female": 3000, "Male": 20}, "pilot": {"Female": 30, "Male": 1000}}
    assert eatlas.run(TEST, many, COUNTS)[0].warnings == ()
