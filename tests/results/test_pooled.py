"""Several sources of one test in one claim: tables, verdicts, heterogeneity, what is refused."""

import runpy
from pathlib import Path

import numpy as np
import pytest

import eatlas
from eatlas.errors import ResultsError
from eatlas.present import report_html
from eatlas.present.tables import report_table
from eatlas.results.pooled import pool_groups
from eatlas.results.unit_tables import SOURCES, CommonWords, StimulusTable
from eatlas.stats.facets import contrast

PLACES = ("level1", "level2.X", "level2.Y")


def noisy(tests, count, noise=0.15):
    """The sample's vectors of the words of some tests, as other trainings may have them."""
    terms = {term for test in eatlas.load_tests(tests) for term in _terms(test)}
    words = sorted(terms | {term.lower() for term in terms})
    sample = eatlas.open_vectors("glove-sample").lookup(words)
    runs = {}
    for number in range(count):
        rng = np.random.default_rng(number)
        runs[f"run {number}"] = {
            word: vector + noise * rng.standard_normal(vector.shape)
            for word, vector in sample.items()
        }
    return runs


def _terms(test):
    return [term for concept in test.concepts.values() for term in concept.terms]


@pytest.fixture(scope="module")
def results():
    tests = ["weat-1", "weat-6", "weat-7"]
    return eatlas.run(tests, noisy(tests, 4), ["ml-eat", "weat"])


@pytest.fixture(scope="module")
def pooled(results):
    return results.pooled()


def test_one_source_is_the_crossed_test_of_its_result():
    (result,) = eatlas.run("weat-6")
    common = CommonWords.of([result])
    for place in PLACES:
        table, effect = common.level(place), result.effect(place)
        assert table.effect_sizes == pytest.approx([effect.d], rel=1e-5)
        plain, at_ranks = table.test([SOURCES]), table.test_at_equal_ranks([SOURCES])
        assert plain.p_two_sided == pytest.approx(effect.crossed.p_two_sided, rel=1e-4)
        assert at_ranks.p_two_sided == pytest.approx(effect.adjusted.p.two_sided, rel=1e-4)
        assert (at_ranks.low, at_ranks.high) == pytest.approx(effect.adjusted.interval, rel=1e-4)


def test_a_claim_over_words_and_sources(pooled):
    found = pooled["weat-6 (ML-EAT)"]
    question = found.questions["level1"]
    assert (question.verdict, question.facets) == ("supported", ("words", "sources"))
    assert question.sentence == (
        "Male names are more strongly associated with Career than Female names are, for other "
        "words and other embeddings."
    )
    assert question.effect_size == pytest.approx(np.mean(found.effect_sizes["level1"]))
    low, high = question.interval
    assert low < question.effect_size < high
    assert found.sentence == " ".join(one.sentence for one in found.questions.values())
    assert "is shown over these four embeddings" in pooled["weat-7"].sentence
    assert found.heterogeneity["level1"].sd >= 0
    assert len(found.differences) == 3 * 6, "six pairs of four sources at three places"
    assert all(pair.p_holm >= pair.p for pair in found.differences)


def test_without_associations_of_attributes_a_claim_is_about_these_words(pooled):
    found = pooled["weat-6 (WEAT)"]
    question = found.questions["level1"]
    assert (question.verdict, question.p.new) == ("these words", None)
    assert question.sentence.startswith("In these word lists and four embeddings, Male names are")
    assert (found.heterogeneity, found.differences) == ({}, ())


def test_runs_and_two_sources_say_what_is_random(results):
    runs = results.pooled("run")["weat-6 (ML-EAT)"].questions["level1"]
    assert runs.sentence.endswith("for other words and other training runs.")
    two = eatlas.Results(r for r in results if r.source in {"run 0", "run 1"})
    question = two.pooled()["weat-6 (ML-EAT)"].questions["level1"]
    assert question.sentence.endswith("for other words, in these two embeddings.")
    assert question.facets == ("words",)


@pytest.mark.parametrize("over", ["layer", "prompt", "period", "measure"])
def test_fixed_facets_are_refused(results, over):
    with pytest.raises(ResultsError, match=f"{over} is a fixed facet") as caught:
        results.pooled(over)
    assert f'compare("{over}")' in str(caught.value)


def test_transforms_of_one_source_are_no_sources():
    both = ["glove-sample", "glove-sample?transform=center"]
    results = eatlas.run("weat-6", both)
    with pytest.raises(ResultsError, match="no test was measured on several sources"):
        results.pooled()
    with pytest.raises(ResultsError, match="cannot be pooled over 'sorce'"):
        results.pooled("sorce")


def test_words_that_a_source_lacks_are_left_out():
    sources = noisy("weat-6", 3)
    for name in ("Amy", "amy"):
        sources["run 1"].pop(name, None)
    found = eatlas.run("weat-6", sources).pooled()[0]
    assert (found.left_out, found.units["Y"]) == (1, 7)


def test_near_synonyms_are_one_unit_if_half_of_the_sources_join_them():
    (result,) = eatlas.run("weat-6")
    assert result.units.clusters["X"] == (("John", "Paul"),)
    apart = result.model_copy(update={"units": None})
    for results, units in (((result, apart), 7), ((result, apart, apart), 8)):
        assert CommonWords.of(results).sizes["X"] == units


def test_means_alone_are_more_cautious_and_keep_their_means():
    result = eatlas.run("weat-6")[0].model_copy(update={"units": None})
    without = result.model_copy(update={"similarities": None})
    whole, means = StimulusTable.of(result), StimulusTable.of(without)
    assert means.of_attributes
    assert not np.allclose(whole.values, means.values)
    for place in PLACES:
        full, some = (CommonWords.of([r]).level(place) for r in (result, without))
        assert some.effect_sizes == pytest.approx(full.effect_sizes, rel=1e-4)
        first, second = full.test([SOURCES]), some.test([SOURCES])
        assert second.variances[0,] == pytest.approx(first.variances[0,], rel=1e-3)
        assert second.variances[1,] == pytest.approx(first.variances[1,], rel=1e-3)
        assert second.variances[0, 1] == pytest.approx(0, abs=1e-12)
        assert second.p_two_sided >= first.p_two_sided


def test_the_delta_method_is_the_derivative_of_d():
    """Against d with the weight of one word a little larger."""
    (result,) = eatlas.run("weat-1", measures="ml-eat")
    table = CommonWords.of([result.model_copy(update={"units": None})]).level("level1")
    values, (n, m) = table.values[..., 0], (table.sizes[0], table.column_sizes[0])

    def d(rows, columns):
        scores = values[:, :m] @ columns[:m] / columns[:m].sum()
        scores = scores - values[:, m:] @ columns[m:] / columns[m:].sum()
        mean = np.average(scores, weights=rows)
        spread = np.sqrt(rows @ (scores - mean) ** 2 / (rows.sum() - 1))
        first, second = (np.average(scores[g], weights=rows[g]) for g in (slice(n), slice(n, None)))
        return (first - second) / spread

    ones, step = [np.ones(size) for size in values.shape], 1e-5
    variances = contrast(table._linear, table._facets, fixed=[SOURCES]).variances
    for axis, size in enumerate((n, m)):
        slopes = []
        for i in range(values.shape[axis]):
            weights = [of.copy() for of in ones]
            weights[axis][i] += step
            slopes.append((d(*weights) - d(*ones)) / step)
        groups = np.split(np.array(slopes), [size])
        expected = sum(len(g) ** 2 * g.var(ddof=1) / len(g) for g in groups)
        assert variances[axis,] == pytest.approx(expected, rel=0.05)


def test_page_terminal_and_tables_begin_with_the_claim(results, pooled, eatlas_cli, tmp_path):
    of_one = eatlas.Results(r for r in results if r.measure == "ml-eat")
    title = "4 sources: two of three associations hold for other words and other embeddings"
    page = report_html(of_one)
    assert title in page
    assert (
        "Heterogeneity: the estimated standard deviation of the true d between embeddings is"
        in page
    )
    assert report_table(of_one).startswith("**3 tests, each as one claim over 4 embeddings**")
    assert str(of_one.pooled()).startswith("3 tests, each as one claim over 4 embeddings\nTest ")
    assert pooled.to_frame()["place"].tolist()[:3] == list(PLACES)
    assert len(pool_groups(of_one)) == 3


def test_an_effect_depends_on_the_source_only_if_a_difference_is_significant():
    sources = noisy("weat-6", 3)
    names = eatlas.load_tests("weat-6")[0]
    turned = dict(sources["run 2"])
    for male, female in zip(names.X.terms, names.Y.terms, strict=True):
        for pair in ((male, female), (male.lower(), female.lower())):
            if set(pair) <= turned.keys():
                turned[pair[0]], turned[pair[1]] = turned[pair[1]], turned[pair[0]]
    results = eatlas.run("weat-6", sources)
    assert "The effect size depends on" not in report_html(results)
    apart = eatlas.run("weat-6", {**sources, "run 2": turned})
    assert "The effect size depends on the embedding: d is" in report_html(apart)
    found = apart.pooled()[0]
    assert found.heterogeneity["level1"].p < 0.001
    assert found.heterogeneity["level1"].sd > 1
    assert found.questions["level1"].verdict != "supported"


def test_rounding_is_no_heterogeneity():
    (result,) = eatlas.run("weat-6")
    table = CommonWords.of([result] * 3).level("level1")
    assert table.between().sd == pytest.approx(0, abs=1e-12)
    assert np.isnan(table.between().p)
    assert np.isnan(table.difference(0, 1).p_two_sided)


def test_a_title_says_no_more_than_each_of_its_claims():
    results = eatlas.run(["weat-1", "weat-6"], noisy(["weat-1", "weat-6"], 3))
    some = eatlas.Results(r for r in results if (r.test, r.source) != ("weat-1", "run 2"))
    title = "3 sources: two of two associations hold for other words in these embeddings: "
    page = report_html(some)
    assert title in page
    assert "with three embeddings or more, other embeddings" in report_table(some)


def test_what_stands_against_a_claim_of_a_source_stands_against_one_over_sources(
    results, monkeypatch
):
    of_one = eatlas.Results(r for r in results if (r.test, r.measure) == ("weat-6", "ml-eat"))
    reason = "refusals could explain it"
    lacking = {"run 1", "run 2"}
    monkeypatch.setattr(
        type(of_one[0]),
        "further_obstacles",
        lambda self, effect: [reason] * (self.source in lacking),  # noqa: ARG005
    )
    question = of_one.pooled()[0].questions["level1"]
    assert (question.verdict, question.facets) == ("these words", ())
    assert question.reason == f"{reason} (in run 1)"


def test_sources_without_words_in_common_are_refused():
    sources = noisy("weat-6", 2)
    names = [term.lower() for term in eatlas.load_tests("weat-6")[0].X.terms]
    for run, gone in zip(sources.values(), (names[:4], names[4:]), strict=True):
        for name in gone:
            run.pop(name, None)
            run.pop(name.capitalize(), None)
    with pytest.raises(ResultsError, match="words in common"):
        eatlas.run("weat-6", sources).pooled()


@pytest.mark.slow
@pytest.mark.parametrize("k", [3, 8])
def test_claims_keep_their_level_and_find_what_is_there(k):
    """The small form of benchmarks/sources.py."""
    script = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "sources.py"))
    world = script["World"](16, k, shared=0.5)
    nothing = script["rates"](world, 400)
    tastes = script["rates"](world._replace(taste=0.4), 400)
    there = script["rates"](world._replace(d=0.8), 400)
    for found in (nothing, tastes):
        assert 0.02 <= found["words and sources"] <= 0.1, "0.05 with an error of 0.011"
        assert 0.9 <= found["covers"] <= 0.98
    assert nothing["DerSimonian, Laird"] > 0.15
    assert 0.02 <= nothing["sources differ"] <= 0.1
    assert tastes["sources differ"] > 2 * nothing["sources differ"]
    assert there["words and sources"] >= there["words, sources fixed"] - 0.1
