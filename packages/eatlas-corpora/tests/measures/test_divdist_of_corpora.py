"""DivDist from counts and contexts of a corpus, its probe, and what it refuses of them."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import beta, binom
from tests.inputs import optional_data
from tests.measures.test_divdist import TEST, groups_test
from tests.measures.test_divdist_sources import LONG, WIDE, written

import eatlas
from eatlas import Concept, DivDist, GroupsTest
from eatlas.errors import CoverageError, EatlasError, SourceError, StimulusError
from eatlas.present import report_html
from eatlas.sources import embed, open_vectors
from eatlas.sources.tables import open_counts
from eatlas.testing import check_measure

COUNTS = DivDist(soa="counts")


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
    assert any("also has other groups" in one for one in map(str, results[0].warnings))
    assert {one.status for one in eatlas.verify(results)} == {"same"}
    (one,) = eatlas.run(TEST, f"{path}?year=2000", COUNTS)
    assert one.targets == results[1].targets
    assert eatlas.verify([one])[0].status == "same"


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


@pytest.mark.filterwarnings("ignore::eatlas.errors.EatlasWarning")
def test_the_contract_of_measures_is_kept():
    (test,) = eatlas.load_tests("divdist-face-validity")
    rows = {term: {"Female": 3 + i, "Male": 5} for i, term in enumerate(test.targets.terms)}
    check_measure(DivDist(permutations=50, resamples=20), test)
    check_measure(DivDist(soa="counts", resamples=20), test, rows)


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
    assert remark.startswith(
        "Mean bias 1.000 rests on 1 to 3 independent contexts per target (median 2); as"
    )
    # by hand: |2 x / 3 - 1| is 1 in 1 of 4 and 1/3 in 3 of 4, |2 x - 1| is 1
    by_chance = float(re.search(r"itself give (\S+)\. A", remark)[1])
    assert by_chance == pytest.approx((1 / 4 + 3 / 4 / 3 + 1) / 2, abs=0.03)
    many = {"nurse": {"Female": 3000, "Male": 20}, "pilot": {"Female": 30, "Male": 1000}}
    assert eatlas.run(TEST, many, COUNTS)[0].warnings == ()
