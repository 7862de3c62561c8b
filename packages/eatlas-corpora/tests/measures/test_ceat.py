"""CEAT: draws against ML-EATs of single contexts, the published combination, bad input."""

import math

import numpy as np
import pytest
from scipy import stats
from tests.inputs import load_benchmark, make_sentences, make_test, make_vectors

import eatlas
from eatlas import CEAT, AssociationTest, Concept
from eatlas.errors import CoverageError, StimulusError, UndefinedWarning
from eatlas.stats.effect_size import union_variance
from eatlas.stats.permutation import permutation_test
from eatlas.testing import check_measure
from eatlas_corpora.measures.ceat import StimulusContexts

COUNTS = {"X": (5, 9, 7, 4), "Y": (6, 6, 1, 8), "A": (5, 7, 9, 3), "B": (4, 4, 6, 12)}
DRAWS = 30
AGREEMENT = 1e-12
"""Worst difference of an effect size of a draw from an ML-EAT of its contexts: 2e-15."""


@pytest.fixture(scope="module")
def said():
    return make_sentences(COUNTS)


@pytest.fixture(scope="module")
def vectors(said):
    """Contexts scatter about their stimulus; X lies nearer to A."""
    rng = np.random.default_rng(3)
    centre = {role: rng.normal(size=12) for role in "XYAB"}
    centre["X"] = centre["X"] + 0.8 * centre["A"]
    own = {}
    found = {}
    for role in "XYAB":
        for text, stimulus in said.concept(role).stimulus_of.items():
            own.setdefault(stimulus, centre[role] + rng.normal(size=12))
            found[text] = own[stimulus] + 0.7 * rng.normal(size=12)
    return found


def run(measure, test, vectors, seed=0):
    return measure(test, eatlas.open_vectors(vectors), seed=seed)


@pytest.fixture(scope="module")
def result(said, vectors):
    return run(CEAT(n=DRAWS), said, vectors)


@pytest.fixture(scope="module")
def draws(said, vectors):
    """The contexts of the draws behind `result`, by role, and the ML-EAT of each."""
    seed = 0  # of the run
    terms = {role: list(said.concept(role).terms) for role in "XYAB"}
    stimulus = said.concept
    order = {
        role: sorted(terms[role], key=lambda t, r=role: (stimulus(r).stimulus_of[t], t))
        for role in "XYAB"
    }
    counts = {
        role: {f"{role.lower()}{i}": n for i, n in enumerate(COUNTS[role])} for role in "XYAB"
    }
    flat = [text for role in "XYAB" for text in order[role]]
    chosen = StimulusContexts(None, counts).draw(DRAWS, "auto", seed)
    measure = eatlas.MLEAT(resamples=0)
    found = []
    for row in chosen:
        texts = iter(flat[place] for place in row)
        concepts = {
            role: Concept(name=role, terms=[next(texts) for _ in COUNTS[role]]) for role in "XYAB"
        }
        found.append(run(measure, AssociationTest(id="one", **concepts), vectors))
    return found


def sizes_of(results):
    return np.array(
        [[r.level1.effect_size, r.level2.X.effect_size, r.level2.Y.effect_size] for r in results]
    )


def test_effect_sizes_are_the_means_of_those_of_single_draws(result, draws):
    d = sizes_of(draws)
    found = [result.level1, result.level2.X, result.level2.Y]
    assert [level.effect_size for level in found] == pytest.approx(d.mean(axis=0), abs=AGREEMENT)
    assert np.abs(np.array(result.samples.kept) - d).max() <= 0.5e-4 + AGREEMENT
    over = [result.samples.level1, result.samples.level2.X, result.samples.level2.Y]
    assert [one.sd for one in over] == pytest.approx(d.std(axis=0, ddof=1))
    for one, column in zip(over, d.T, strict=True):
        assert one.quantiles == pytest.approx(np.quantile(column, [0.025, 0.25, 0.5, 0.75, 0.975]))
    differences = [[r.level1.difference, r.level2.X.difference] for r in draws]
    assert [found[0].difference, found[1].difference] == pytest.approx(np.mean(differences, axis=0))


def test_its_metrics_are_numbers(result):
    metrics, numbers = result.metrics(), result.numbers()
    assert list(numbers)[:6] == ["d", "p", "p_two_sided", "p_claim", "low", "high"]
    assert all(map(math.isfinite, metrics.values()))
    assert metrics["d"] == result.level1.effect_size


def test_patterns_of_draws_are_those_of_ml_eat(result, draws):
    labels = [one.pattern.label for one in draws]
    assert result.samples.p_error == 0
    assert sum(result.samples.patterns.values()) == pytest.approx(1)
    for label, share in result.samples.patterns.items():
        assert share == pytest.approx(labels.count(label) / DRAWS, abs=1e-6)
    assert len(set(labels)) > 1


def test_p_is_the_exact_p_of_the_mean_effect(result, draws):
    scores = []
    for one in draws:
        s = np.array([*one.scores.X, *one.scores.Y])
        scores.append((s - s.mean()) / s.std(ddof=1))
    answer = permutation_test(np.mean(scores, axis=0), 4)
    assert result.level1.p.count.two_sided == answer.two_sided.count
    assert result.level1.p.count.greater == answer.greater.count
    assert result.level1.p.total == 70


def test_level_3_and_scores_are_means_over_draws(result, draws):
    n = DRAWS * 16
    for cell in ("XA", "XB", "YA", "YB"):
        ours = result.level3[cell]
        theirs = [one.level3[cell] for one in draws]
        assert ours.mean == pytest.approx(np.mean([one.mean for one in theirs]), abs=AGREEMENT)
        assert ours.n == n
        assert ours.quantiles[0] == pytest.approx(min(one.quantiles[0] for one in theirs))
        assert ours.quantiles[4] == pytest.approx(max(one.quantiles[4] for one in theirs))
        squares = sum(15 * c.sd**2 + 16 * c.mean**2 for c in theirs)
        mean = np.mean([c.mean for c in theirs])
        assert ours.sd == pytest.approx(math.sqrt((squares - n * mean**2) / (n - 1)))
    for role in "XY":
        scores = [getattr(one.scores, role) for one in draws]
        assert getattr(result.scores, role) == pytest.approx(np.mean(scores, axis=0))
        attributes = [getattr(one.scores, f"attributes_with_{role}").B for one in draws]
        ours = getattr(result.scores, f"attributes_with_{role}").B
        assert ours == pytest.approx(np.mean(attributes, axis=0))
    assert list(result.samples.contexts.Y.items()) == [("y0", 6), ("y1", 6), ("y2", 1), ("y3", 8)]


def published(d, v):
    """The published combination, as its authors' code has it."""
    w = 1 / v
    q = np.sum(w * d**2) - np.sum(w * d) ** 2 / np.sum(w)
    tau2 = (q - (len(d) - 1)) / (np.sum(w) - np.sum(w**2) / np.sum(w)) if q > len(d) - 1 else 0.0
    w = 1 / (v + tau2)
    mean, variance = np.sum(w * d) / np.sum(w), 1 / np.sum(w)
    return mean, tau2, q, stats.norm.sf(mean / np.sqrt(variance))


@pytest.mark.parametrize(
    ("how", "place"),
    [({"variance": "ceat"}, "combined"), ({}, "published"), ({"model": "pm"}, "published")],
)
def test_published_variance_gives_the_published_combination(said, vectors, draws, how, place):
    found = getattr(run(CEAT(n=DRAWS, **how), said, vectors).samples.level1, place)
    d = sizes_of(draws)[:, 0]
    v = np.array([np.var([*one.scores.X, *one.scores.Y], ddof=1) for one in draws])
    mean, tau2, q, p = published(d, v)
    assert found.effect_size == pytest.approx(mean, rel=1e-10)
    assert found.tau2 == pytest.approx(tau2, rel=1e-10)
    assert found.q == pytest.approx(q, rel=1e-10)
    assert found.p.greater == pytest.approx(p, rel=1e-8)
    assert found.p.two_sided == pytest.approx(2 * p, rel=1e-8)
    assert found.z == pytest.approx(mean / found.se)
    assert found.samples == DRAWS


def test_the_published_combination_is_in_tables(result):
    (row,) = result.rows()
    found = result.samples.level1.published
    assert row["published_effect_size"] == found.effect_size
    assert (row["published_se"], row["published_z"]) == (found.se, found.z)
    assert row["published_p_two_sided"] == found.p.two_sided
    assert row["published_effect_size_X"] == result.samples.level2.X.published.effect_size


def test_by_default_no_draw_is_weighed_by_its_own_effect_size(said, vectors, draws):
    result = run(CEAT(n=DRAWS), said, vectors)
    found, d = result.samples.level1.combined, sizes_of(draws)[:, 0]
    assert result.samples.variance == "common"
    assert result.signature.endswith("variance=common)")
    assert found.effect_size == pytest.approx(d.mean(), rel=1e-10)
    v = union_variance(d, 4, 4).mean()
    _, tau2, q, p = published(d, np.full(DRAWS, v))
    assert (found.tau2, found.q) == (pytest.approx(tau2, abs=1e-10), pytest.approx(q, rel=1e-10))
    assert found.p.greater == pytest.approx(p, rel=1e-8)


def test_variance_shares_are_those_of_all_contexts(said, vectors, result):
    shares = result.samples.level1.shares
    assert shares.contexts + shares.stimuli + shares.groups == pytest.approx(1)

    def unit(text):
        return vectors[text] / np.linalg.norm(vectors[text])

    def stimuli(role):
        groups = {}
        for text, stimulus in said.concept(role).stimulus_of.items():
            groups.setdefault(stimulus, []).append(unit(text))
        return [np.array(group) for group in groups.values()]

    a, b = (np.mean([g.mean(axis=0) for g in stimuli(role)], axis=0) for role in "AB")
    s = [[group @ (a - b) for group in stimuli(role)] for role in "XY"]
    several = [one for group in s for one in group if len(one) > 1]
    within = np.mean([one.var(ddof=1) for one in several])
    assert shares.contexts * shares.variance == pytest.approx(within)
    means = [np.array([one.mean() for one in group]) for group in s]
    pooled = sum(((m - m.mean()) ** 2).sum() for m in means) / 6
    gap = means[0].mean() - means[1].mean()
    assert shares.groups * shares.variance == pytest.approx((gap**2 - pooled / 2) / 4)


@pytest.mark.parametrize("measure", ["ceat(n=40)", "ceat(n=40,replace=always,p=sampled)"])
def test_the_order_of_sentences_changes_no_bit(said, vectors, measure):
    def shuffled(concept, rng):
        sentences = [concept.sentences[i] for i in rng.permutation(len(concept.sentences))]
        return Concept(name=concept.name, sentences=sentences)

    rng = np.random.default_rng(0)
    other = AssociationTest(
        id="said", **{role: shuffled(said.concept(role), rng) for role in "XYAB"}
    )
    one, two = (run(eatlas.get_measure(measure), test, vectors) for test in (said, other))
    for part in ("level1", "level2", "level3", "pattern", "scores", "samples"):
        assert getattr(one, part) == getattr(two, part)


def test_one_context_each_is_the_ml_eat_of_those_contexts():
    test = make_sentences(dict.fromkeys("XYAB", (1, 1, 1, 1)))
    vectors = make_vectors(test)
    ours, theirs = run(CEAT(n=3), test, vectors), run(eatlas.MLEAT(), test, vectors)
    for place in ("X", "Y"):
        level, other = ours.level2[place], theirs.level2[place]
        assert level.effect_size == pytest.approx(other.effect_size, abs=AGREEMENT)
        assert level.p == other.p
    assert ours.pattern == theirs.pattern
    assert ours.samples.patterns[ours.pattern.label] == 1
    shares = ours.samples.level1.shares
    assert shares.contexts is None
    assert shares.stimuli + shares.groups == pytest.approx(1)


def flat_vectors(test, groups):
    """Vectors of which some contexts give all units of a group of roles one score."""
    vectors = make_vectors(test)
    for role in groups:
        for text in test.concept(role).terms:
            if text.endswith(" 0."):
                vectors[text] = np.ones(5)
    return vectors


def test_draws_without_spread_are_counted_and_said():
    test = make_sentences({**dict.fromkeys("XY", (2, 2)), **dict.fromkeys("AB", (3, 3, 3))})
    with pytest.warns(UndefinedWarning) as caught:
        result = run(CEAT(n=64, replace="always"), test, flat_vectors(test, "XY"))
    lost = result.samples.level1.undefined
    assert 0 < lost < 20
    said = (
        f"Undefined effect size of level 1 in {lost} of 64 samples: their associations do not "
        "differ. The mean and the p-values leave these samples out."
    )
    assert said in map(str, result.warnings)
    assert str(caught[0].message) == f"said: {said}"
    assert sum(row[0] is None for row in result.samples.kept) == lost
    assert result.samples.level1.combined.samples == 64 - lost
    assert result.samples.level2.X.undefined == 0


def test_without_any_spread_nothing_is_defined():
    test = make_sentences(dict.fromkeys("XYAB", (2, 2)))
    vectors = make_vectors(test)
    vectors.update(dict.fromkeys((*test.X.terms, *test.Y.terms), np.ones(5)))
    with pytest.warns(UndefinedWarning):
        result = run(CEAT(n=5), test, vectors)
    assert result.level1.effect_size is None
    assert result.level1.p.two_sided == 1
    over = result.samples.level1
    assert (over.undefined, over.sd, over.quantiles, over.combined, over.shares) == (
        5, None, None, None, None,
    )  # fmt: skip
    assert result.samples.level1.combined is None
    assert result.samples.level1.published is None


def test_words_are_refused_before_anything_is_looked_up():
    with pytest.raises(StimulusError) as error:
        CEAT()(make_test(), {"aster": [1.0]})
    assert str(error.value).startswith(
        "the measure ceat takes contexts, but test tiny has words\n  got: X: aster, clover, iris"
    )
    assert "--contexts FILE" in error.value.remedy


def test_contexts_of_one_stimulus_are_too_few():
    test = make_sentences({**COUNTS, "B": (5,)})
    with pytest.raises(CoverageError) as error:
        run(CEAT(n=5), test, make_vectors(test))
    assert str(error.value).startswith(
        "test said, group B (Unpleasant): only 1 stimulus has a usable vector in dict\n"
        "  got: only 'b0'\n  allowed: at least 2 usable stimuli, because ceat permutes their labels"
    )


def test_the_contract_of_measures_is_kept():
    check_measure(eatlas.CEAT(n=50), "sent-weat-9", "cbow:glove-sample")


@pytest.mark.slow
def test_claims_err_as_seldom_as_said_and_the_published_p_does_not():
    """Draws of contexts are within words, so that the crossed test of words has their noise."""
    study = load_benchmark("ceat_claims")
    found = study.rates(study.WORLDS[0], 60)
    assert found["crossed"] < 0.14
    assert found["published"] > 0.4
