"""SAME and the generalised WEAT: by their equations, and as their authors' code has them."""

from itertools import permutations

import numpy as np
import pytest

import eatlas
from eatlas import ArraySource, GroupsTest
from eatlas.errors import CoverageError, EatlasError, StimulusError
from eatlas.testing import check_measure

WORDS = [f"w{i}" for i in range(40)]
CLOSE = {"rel": 1e-10, "abs": 1e-12}
SAME_OF_AUTHORS = {
    "divdist-face-validity": (0.19117635462106203, -0.013583778133176273, 0.20158394233248791),
    "divdist-race": (0.17266972961717614, -0.0036843641136637246, 0.08973322988748728),
    "divdist-religion": (0.16003169159260627, 0.004941004897622048, 0.10608353353876719),
    2: (0.23856213896935655, 0.04215587079149293, 0.3001429770717467),
    3: (0.4354309752987403, 0.04215587079149293, 0.3001429770717467),
    6: (0.763290535775047, 0.04215587079149293, 0.3001429770717467),
}
"""SAME, and skew and stereotype of the first two groups, by HammerLabML/EmbeddingBiasScores
(commit ef1c49f) on the bundled GloVe sample, and on random vectors."""
WEAT_OF_AUTHORS = {2: 0.07381531715004014, 3: -0.006842490118443539, 6: -0.520611653211652}
"""Generalised WEAT by the same repository (commit bc463b1)."""


@pytest.fixture(scope="module")
def source():
    rows = np.random.default_rng(2024).standard_normal((40, 12))
    return ArraySource(WORDS, rows, name="random")


def of_groups(k, n=4, targets=9):
    return GroupsTest(
        id=f"k{k}",
        targets=WORDS[:targets],
        groups={f"g{i}": WORDS[10 + 4 * i : 10 + 4 * i + n] for i in range(k)},
        expected={f"g{i}": WORDS[:targets][i::k] for i in range(k)},
    )


def unit(source, terms):
    rows = np.array([source.lookup(terms)[term] for term in terms])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def same(means, targets):
    """The equation of the docstring."""
    sums, before = np.zeros(len(targets)), []
    for i, mean in enumerate(means[1:]):
        apart = mean - means[0]
        for direction in before:
            apart = apart - (apart @ direction) * direction
        size = np.linalg.norm(apart)
        before.append(apart / size)
        sums += np.abs(targets @ before[-1]) * (size if i else 1)
    return sums


def generalised(near, expected):
    away = near - near.mean(axis=1, keepdims=True)
    return sum(away[np.array(rows), g].mean() for g, rows in enumerate(expected))


@pytest.mark.parametrize("name", ["same", "generalised-weat"])
def test_the_contract_is_kept(name, source):
    check_measure(eatlas.get_measure(f"{name}(permutations=200)"), of_groups(3), source)


@pytest.mark.parametrize("test", SAME_OF_AUTHORS)
def test_same_is_the_authors(test, source):
    given, vectors = (test, "glove-sample") if isinstance(test, str) else (of_groups(test), source)
    (result,) = eatlas.run(given, vectors, "same(permutations=0)")
    first = result.pairwise[0]
    assert (result.value, first.skew, first.stereotype) == pytest.approx(
        SAME_OF_AUTHORS[test], rel=1e-12
    )
    k = len(result.groups)
    assert len(result.pairwise) == k * (k - 1) / 2
    assert result.rows()[0][f"skew_{first.groups[0]}_{first.groups[1]}"] == first.skew


@pytest.mark.parametrize("k", WEAT_OF_AUTHORS)
def test_generalised_weat_is_the_authors(k, source):
    result = eatlas.GeneralisedWEAT(permutations=50)(of_groups(k), source)
    assert result.value == pytest.approx(WEAT_OF_AUTHORS[k], rel=1e-12)


def test_same_of_three_groups_by_its_equation_and_its_relabellings(source):
    test = of_groups(3, n=2)
    result = eatlas.SAME()(test, source)
    targets, groups = unit(source, WORDS[:9]), [unit(source, g.terms) for g in test.groups]
    expected = same([g.mean(0) for g in groups], targets)
    assert [one.value for one in result.targets] == pytest.approx(expected, **CLOSE)
    assert result.targets[0].association == pytest.approx(
        [(targets[0] @ g.T).mean() for g in groups], **CLOSE
    )
    rows = np.concatenate(groups)
    values = {
        tuple(sorted(order[i : i + 2]) for i in (0, 2, 4)).__repr__(): same(
            [rows[list(order[i : i + 2])].mean(0) for i in (0, 2, 4)], targets
        ).mean()
        for order in permutations(range(6))
    }
    assert result.p_values.total == len(values) == 90
    reached = [value >= result.value - 1e-9 for value in values.values()]
    assert result.p_values.greater == pytest.approx(np.mean(reached))


def test_same_of_two_groups_has_the_sign_of_semaxis(source):
    test = of_groups(2)
    own, axis = eatlas.SAME()(test, source), eatlas.SemAxis(vectors="unit")(test, source)
    values = [one.value for one in own.targets]
    assert values == pytest.approx([one.value for one in axis.targets], **CLOSE)
    assert own.value == pytest.approx(np.abs(values).mean(), **CLOSE)
    assert own.pairwise[0].skew == pytest.approx(axis.value, **CLOSE)
    assert (own.whole.larger, own.each.larger) == (None, "g0")


def test_generalised_weat_of_two_groups_is_half_of_weat():
    (test,) = eatlas.load_tests("weat-6")
    weat = eatlas.WEAT()(test, "glove-sample").level1
    for turn in ("attributes", "targets"):
        result = eatlas.GeneralisedWEAT(groups=turn)(test, "glove-sample")
        assert 2 * result.value == pytest.approx(weat.difference, **CLOSE)
        assert (result.p_values == weat.p) == (turn == "attributes")


def test_generalised_weat_of_three_groups_and_its_relabellings(source):
    test = of_groups(3, targets=6)
    result = eatlas.GeneralisedWEAT()(test, source)
    near = np.stack(
        [(unit(source, WORDS[:6]) @ unit(source, g.terms).T).mean(1) for g in test.groups], axis=1
    )
    own = generalised(near, [(0, 3), (1, 4), (2, 5)])
    assert result.value == pytest.approx(own, **CLOSE)
    ways = {
        tuple(tuple(sorted(order[i : i + 2])) for i in (0, 2, 4))
        for order in permutations(range(6))
    }
    values = np.array([generalised(near, way) for way in ways])
    assert result.p_values.total == len(values) == 90
    assert result.p_values.greater == pytest.approx(np.mean(values >= own - 1e-9))
    assert result.p_values.less == pytest.approx(np.mean(values <= own + 1e-9))


def test_what_is_expected_is_written_read_and_checked(tmp_path, source):
    test = of_groups(3)
    test.save(tmp_path / "mine.toml")
    assert eatlas.load_tests(tmp_path / "mine.toml") == (test,)
    result = eatlas.GeneralisedWEAT(permutations=50)(test, source)
    assert result.to_test().expected == test.expected
    assert test.stimuli_sha256 != test.model_copy(update={"expected": ()}).stimuli_sha256
    fields = {"id": "t", "targets": ["a", "b"], "groups": {"G": ["c"], "H": ["d"]}}
    for expected, named in (
        ({"G": ["a"], "H": ["a"]}, "'a'"),
        ({"G": ["a", "b"]}, "'H'"),
        ({"G": ["a"], "H": ["b", "z"]}, "'z'"),
    ):
        with pytest.raises(EatlasError, match="expected") as caught:
            GroupsTest(**fields, expected=expected)
        assert named in str(caught.value)


def test_mistakes(source):
    with pytest.raises(StimulusError, match="needs the targets expected") as caught:
        eatlas.run("divdist-race", measures="generalised-weat")
    assert "expected = { Asian = [" in caught.value.allowed
    less = ArraySource(WORDS[1:], np.eye(39), name="less")
    test = GroupsTest(
        targets=WORDS[:3],
        groups={"G": ["w5"], "H": ["w6"]},
        expected={"G": ["w0"], "H": ["w1", "w2"]},
    )
    with pytest.raises(CoverageError, match="no target expected for G is usable"):
        eatlas.GeneralisedWEAT()(test, less)
