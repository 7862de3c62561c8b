"""The measures before DivDist: by hand, against their equations, and where they are refused."""

import math
import sys
from itertools import combinations

import numpy as np
import pytest
from sklearn.decomposition import PCA

import eatlas
from eatlas import ArraySource, Concept, GroupsTest
from eatlas.errors import CoverageError, EatlasError, StimulusError, UndefinedWarning
from eatlas.testing import check_measure

NAMES = ("rnd", "mac", "ect", "rnsb", "semaxis", "ripa", "direct-bias", "indirect-bias")
CLOSE = {"rel": 1e-12, "abs": 1e-12}
"""Sums of a few products in another order: 3e-15 at most."""


def tiny(pairs=(("she", "he"), ("woman", "man"))):
    return GroupsTest(
        id="tiny",
        targets=Concept(name="Work", terms=("nurse", "pilot", "clerk")),
        groups=(
            Concept(name="Women", terms=("she", "woman", "girl")),
            Concept(name="Men", terms=("he", "man", "boy")),
        ),
        reference="uniform",
        pairs=pairs,
    )


def vectors(seed=3, d=5, **given):
    words = [term for concept in tiny().concepts.values() for term in concept.terms]
    rows = np.random.default_rng(seed).standard_normal((len(words), d))
    for word, row in given.items():
        rows[words.index(word)] = row
    return ArraySource(words, rows, name="random")


def rows_of(source, *words):
    found = source.lookup(words)
    return np.array([found[word] for word in words])


def unit(rows):
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)


@pytest.fixture
def found():
    source = vectors()
    test = tiny()
    parts = [rows_of(source, *concept.terms) for concept in test.concepts.values()]
    return lambda spec: eatlas.get_measure(spec)(test, source), *parts


@pytest.mark.parametrize("name", NAMES)
def test_the_contract_is_kept(name):
    check_measure(eatlas.get_measure(name), "divdist-face-validity")


def test_rnd_is_the_difference_of_distances_from_the_means(found):
    measured, targets, first, second = found
    result = measured("rnd(vectors=raw)")
    expected = [
        np.linalg.norm(t - first.mean(0)) - np.linalg.norm(t - second.mean(0)) for t in targets
    ]
    assert [one.value for one in result.targets] == pytest.approx(expected, **CLOSE)
    assert result.value == pytest.approx(np.mean(expected), **CLOSE)
    near, far = result.targets[0].association
    assert near - far == pytest.approx(expected[0], **CLOSE)
    assert (result.whole.larger, result.whole.high) == ("Men", None)
    of_unit = measured("rnd")
    means = [unit(group).mean(0) for group in (first, second)]
    expected = [np.linalg.norm(t - means[0]) - np.linalg.norm(t - means[1]) for t in unit(targets)]
    assert of_unit.value == pytest.approx(np.mean(expected), **CLOSE)
    assert of_unit.whole.high == 2


@pytest.mark.parametrize("spec", ["rnd", "rnd(vectors=raw)", "rnd(distance=cosine)", "semaxis"])
def test_labels_are_permuted(spec):
    test, source = tiny(), vectors(7)
    measure = eatlas.get_measure(spec)
    result = measure(test, source)
    terms = test.groups[0].terms + test.groups[1].terms
    values = []
    for chosen in combinations(terms, 3):
        groups = (chosen, tuple(term for term in terms if term not in chosen))
        concepts = tuple(Concept(name=n, terms=g) for n, g in zip("AB", groups, strict=True))
        other = GroupsTest(id="o", targets=test.targets, groups=concepts, reference="uniform")
        values.append(measure(other, source).value)
    assert result.p_values.total == math.comb(6, 3)
    assert result.p_values.method == "exact"
    assert result.p_values.greater == np.mean(np.array(values) >= result.value - 1e-12)
    assert result.p_values.less == np.mean(np.array(values) <= result.value + 1e-12)


def test_mac_is_a_mean_over_groups_of_any_number(found):
    measured, targets, first, second = found
    expected = [1 - (unit(targets) @ unit(group).T).mean(1) for group in (first, second)]
    result = measured("mac")
    assert result.value == pytest.approx(np.mean(expected), **CLOSE)
    assert result.targets[1].association == pytest.approx(np.array(expected)[:, 1], **CLOSE)
    assert result.p_values is None
    (race,) = eatlas.load_tests("divdist-race")
    many = eatlas.MAC()(race, "glove-sample")
    assert len(many.targets[0].association) == 3
    assert many.value == pytest.approx(np.mean([one.association for one in many.targets]), **CLOSE)


def test_mac_over_words_is_a_mean_over_those_of_all_groups():
    """Of groups of several sizes; of one size both means are the same."""
    race, gender = eatlas.load_tests(["divdist-race", "divdist-gender-104"])
    for test in (race, gender):
        over_words = eatlas.MAC(over="words")(test, "glove-sample")
        over_groups = eatlas.MAC()(test, "glove-sample")
        sizes = [len(over_words.coverage[name].used) for name in over_words.groups]
        distances = np.array([one.association for one in over_words.targets])
        values = [one.value for one in over_words.targets]
        assert values == pytest.approx(distances @ sizes / sum(sizes), **CLOSE)
        assert over_words.value == pytest.approx(np.mean(values), **CLOSE)
        same = values == pytest.approx([one.value for one in over_groups.targets], **CLOSE)
        assert same == (len(set(sizes)) == 1)
    assert (over_words.signature, over_groups.signature) == ("MAC(over=words)", "MAC()")


def test_ect_is_a_rank_correlation(found):
    stats = pytest.importorskip("scipy.stats")
    measured, targets, first, second = found
    near = [unit(targets) @ unit(group.mean(0)) for group in (first, second)]
    result = measured("ect")
    assert result.value == pytest.approx(stats.spearmanr(*near).statistic, **CLOSE)
    ranks = [stats.rankdata(one) for one in near]
    assert [one.value for one in result.targets] == list(ranks[0] - ranks[1])


def test_semaxis_is_the_cosine_with_the_axis(found):
    measured, targets, first, second = found
    axis = unit(first.mean(0) - second.mean(0))
    result = measured("semaxis")
    assert [one.value for one in result.targets] == pytest.approx(unit(targets) @ axis, **CLOSE)


def test_ripa_of_one_pair_and_of_two(found):
    _, targets, first, second = found
    one = eatlas.RIPA()(tiny((("she", "he"),)), vectors())
    relation = unit(first[0] - second[0])
    assert [t.value for t in one.targets] == pytest.approx(targets @ relation, **CLOSE)
    differences = first[:2] - second[:2]
    mean = eatlas.RIPA(relation="mean")(tiny(), vectors())
    assert [t.value for t in mean.targets] == pytest.approx(
        targets @ unit(differences).mean(0), **CLOSE
    )
    axis = np.linalg.svd(differences)[2][0]
    axis *= np.sign((differences @ axis).sum())
    principal = eatlas.RIPA()(tiny(), vectors())
    assert [t.value for t in principal.targets] == pytest.approx(targets @ axis, **CLOSE)


def test_direct_bias_is_the_mean_size_of_cosines(found):
    measured, targets, first, second = found
    differences = (unit(first) - unit(second))[:2]
    axis = np.linalg.svd(differences)[2][0]
    axis *= np.sign((differences @ axis).sum())
    cosines = unit(targets) @ axis
    result = measured("direct-bias(strictness=2)")
    assert result.value == pytest.approx((cosines**2).mean(), **CLOSE)
    assert [one.value for one in result.targets] == pytest.approx(cosines, **CLOSE)
    assert measured("direct-bias(strictness=0)").value == 1


@pytest.mark.parametrize(
    ("spec", "numbers"),
    [
        # the code of Bommasani and Liang: raw vectors, and the PCA of the pairs' differences
        ("direct-bias(vectors=raw,pca=centred)", lambda targets, axis: unit(targets) @ axis),
        ("ripa(pca=centred)", lambda targets, axis: targets @ axis),
    ],
)
def test_the_published_code_takes_the_mean_difference_out(spec, numbers):
    three = (("she", "he"), ("woman", "man"), ("girl", "boy"))
    test, source = tiny(three), vectors()
    differences = np.subtract(*(rows_of(source, *some) for some in zip(*three, strict=True)))
    (axis,) = PCA(n_components=1).fit(differences).components_
    axis *= np.sign((differences @ axis).sum())
    result = eatlas.get_measure(spec)(test, source)
    targets = rows_of(source, *test.targets.terms)
    assert [one.value for one in result.targets] == pytest.approx(numbers(targets, axis), **CLOSE)
    mean = unit(differences.mean(axis=0))
    (note,) = (note for note in result.warnings if note.code == "measure.centred-pairs")
    assert note.values["cosine"] == pytest.approx(abs(mean @ axis), **CLOSE)
    as_they_are = eatlas.get_measure(spec.replace("pca=centred", "pca=uncentred"))(test, source)
    assert "pca" not in as_they_are.signature
    assert as_they_are.targets[0].value != pytest.approx(result.targets[0].value, rel=0.01)


def test_indirect_bias_of_centred_pairs():
    three = (("she", "he"), ("woman", "man"), ("girl", "boy"))
    test, source = tiny(three), vectors()
    first, second = (unit(rows_of(source, *some)) for some in zip(*three, strict=True))
    (axis,) = PCA(n_components=1).fit(first - second).components_
    rows = unit(rows_of(source, *test.targets.terms))
    rest = unit(rows - np.outer(rows @ axis, axis))
    similar = rows @ rows.T
    shares = ((similar - rest @ rest.T) / similar)[np.triu_indices(3, 1)]
    found = eatlas.IndirectBias(pca="centred")(test, source)
    assert found.value == pytest.approx(np.median(shares), **CLOSE)


@pytest.mark.parametrize("measure", [eatlas.RIPA, eatlas.DirectBias, eatlas.IndirectBias])
def test_one_pair_has_no_centred_direction(measure):
    with pytest.raises(CoverageError) as caught:
        measure(pca="centred")(tiny((("she", "he"),)), vectors())
    assert str(caught.value) == (
        "there is no direction in which the pairs differ from their mean difference\n"
        "  got: 1 pair with the same difference\n"
        "  allowed: two pairs or more, with different differences\n"
        "  remedy: add pairs, or remove pca=centred"
    )


def test_indirect_bias_is_a_share_of_similarity(found):
    measured, targets, first, second = found
    axis = np.linalg.svd((unit(first) - unit(second))[:2])[2][0]
    rows = unit(targets)
    rest = unit(rows - np.outer(rows @ axis, axis))
    similar, left = rows @ rows.T, rest @ rest.T
    shares = (similar - left) / similar
    result = measured("indirect-bias")
    upper = shares[np.triu_indices(3, 1)]
    assert result.value == pytest.approx(np.median(upper), **CLOSE)
    assert result.targets[0].value == pytest.approx(np.median(shares[0, 1:]), **CLOSE)
    of_word = measured("indirect-bias(word=girl)")
    girl = unit(first[2])
    without = unit(girl - (girl @ axis) * axis)
    expected = (rows @ girl - rest @ without) / (rows @ girl)
    assert [one.value for one in of_word.targets] == pytest.approx(expected, **CLOSE)


def test_rnsb_is_a_divergence_of_negative_probabilities(found):
    linear = pytest.importorskip("sklearn.linear_model")
    measured, targets, first, second = found
    classifier = linear.LogisticRegression(solver="liblinear", tol=1e-10, max_iter=10_000)
    classifier.fit(np.concatenate([first, second]), [1, 1, 1, -1, -1, -1])
    negative = classifier.predict_proba(targets)[:, 0]
    shares = negative / negative.sum()
    result = measured("rnsb")
    assert [one.value for one in result.targets] == pytest.approx(negative, rel=1e-9)
    assert result.value == pytest.approx((shares * np.log(shares * 3)).sum(), rel=1e-9)
    assert result.whole.high == math.log(3)
    assert result.each.larger == "Men"


def test_rnsb_names_the_package_that_it_needs(monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(EatlasError, match=r"pip install 'eatlas\[probes\]'"):
        eatlas.RNSB()(tiny(), vectors())


THREE = "compares two groups\n  got: the test divdist-race of 3: Asian, Hispanic, White\n"
NO_PAIRS = (
    "needs pairs of terms that differ only in their group\n  got: the test tiny, which names none\n"
    "  allowed: pairs that the test names, or terms that are paired in their order\n"
)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        *((name, THREE) for name in NAMES if name != "mac"),
        *((name, NO_PAIRS) for name in ("ripa", "direct-bias", "indirect-bias")),
    ],
)
def test_tests_that_do_not_fit_are_refused(name, message):
    (race,) = eatlas.load_tests("divdist-race")
    with pytest.raises(StimulusError) as caught:
        eatlas.get_measure(name)(race if message == THREE else tiny(()), vectors())
    assert str(caught.value).startswith(f"the measure {name} {message}")


def test_pairs_without_a_vector_are_left_out_and_named():
    source = vectors()
    words = [word for word in source.lookup(tiny().terms) if word != "man"]
    less = ArraySource(words, rows_of(source, *words), name="less")
    result = eatlas.RIPA()(tiny(), less)
    assert "Pairs without a vector of both terms: woman and man." in map(str, result.warnings)
    alone = eatlas.RIPA()(tiny((("she", "he"),)), less)
    assert [t.value for t in result.targets] == [t.value for t in alone.targets]
    with pytest.raises(CoverageError, match="no pair of the test has a vector for both"):
        eatlas.RIPA()(tiny((("woman", "man"),)), less)


def test_what_is_undefined_is_none_and_said():
    ahead = np.eye(5)[0]
    rows = {"she": ahead, "woman": 2 * ahead, "girl": -3 * ahead}
    with pytest.warns(UndefinedWarning):
        result = eatlas.RND(distance="cosine", vectors="raw")(tiny(), vectors(**rows))
    assert result.value is None
    assert {one.value for one in result.targets} == {None}
    assert result.p_values is None
    rows |= {"he": 3 * ahead, "man": -ahead, "boy": -2 * ahead}
    with pytest.warns(UndefinedWarning):
        result = eatlas.SemAxis()(tiny(), vectors(**rows))
    assert result.value is None
    assert "Undefined semaxis of all targets." in map(str, result.warnings)
    level = dict.fromkeys(("nurse", "pilot", "clerk"), ahead)
    with pytest.warns(UndefinedWarning):
        assert eatlas.ECT()(tiny(), vectors(**level)).value is None
