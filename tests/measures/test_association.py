"""The association function as a parameter: projection on a given direction."""

import numpy as np
import pytest
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.errors import CoverageError

TEST = make_test()
VECTORS = make_vectors(TEST, dim=6) | {
    "she": np.array([0.0, 1.0, 0.2, 0.0, 0.0, 0.1]),
    "he": np.array([0.0, -1.0, 0.2, 0.0, 0.3, 0.1]),
    "woman": np.array([0.1, 0.8, 0.5, 0.0, 0.0, 0.0]),
    "man": np.array([0.1, -0.7, 0.5, 0.1, 0.0, 0.0]),
}
PAIRS = "she/he;woman/man"


def unit(role):
    rows = np.array([VECTORS[term] for term in TEST.concept(role).terms])
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def d(first, second):
    return (first.mean() - second.mean()) / np.std(np.concatenate([first, second]), ddof=1)


def given_direction(pca="uncentred"):
    v = {w: VECTORS[w] / np.linalg.norm(VECTORS[w]) for w in ("she", "he", "woman", "man")}
    differences = np.array([v["she"] - v["he"], v["woman"] - v["man"]])
    return np.linalg.svd(differences - (pca == "centred") * differences.mean(axis=0))[2][0]


@pytest.mark.parametrize("pca", ["uncentred", "centred"])
def test_a_given_direction_by_the_formulas(pca):
    result = eatlas.MLEAT(association="projection", direction=PAIRS, pca=pca)(TEST, VECTORS)
    g = given_direction(pca)
    x, y, a, b = (unit(role) @ g for role in "XYAB")
    s = {"X": x * (a.mean() - b.mean()), "Y": y * (a.mean() - b.mean())}
    assert result.level1.effect_size == pytest.approx(d(s["X"], s["Y"]))
    assert result.level1.p.method == "exact"
    assert result.level2.X.effect_size == pytest.approx(d(x.mean() * a, x.mean() * b))
    assert result.level2.Y.effect_size == pytest.approx(d(y.mean() * a, y.mean() * b))
    assert result.level2.X.p.method == "exact"
    assert result.level3.XB.mean == pytest.approx(np.outer(x, b).mean())
    assert abs(result.level2.X.effect_size) == pytest.approx(abs(result.level2.Y.effect_size))
    assert any(
        note.startswith("All associations are projections") for note in map(str, result.warnings)
    )


def test_level_1_of_a_projection_is_a_test_of_the_projections_themselves():
    """d and p are those of the scores t . g, whatever A and B are, but for their sign."""
    result = eatlas.WEAT(association="projection", direction=PAIRS)(TEST, VECTORS)
    g = given_direction()
    scores = np.concatenate([unit("X") @ g, unit("Y") @ g])
    own = eatlas.permutation_test(scores, 4)
    assert result.level1.p.count.two_sided == own.two_sided.count
    assert abs(result.effect_size) == pytest.approx(abs(d(scores[:4], scores[4:])))


def test_signatures_name_what_differs_from_cosine():
    plain = eatlas.MLEAT().signature
    assert "association" not in plain
    assert "direction=" not in plain
    text = 'ML-EAT(association=projection,direction="she/he;woman/man")'
    measure = eatlas.get_measure(text)
    assert 'direction="she/he;woman/man"' in measure.signature
    assert eatlas.get_measure(measure.signature) == measure
    assert measure.needs.words == ("she", "he", "woman", "man")


def test_a_pair_without_a_vector():
    measure = eatlas.MLEAT(association="projection", direction="she/he;queen/king")
    with pytest.raises(
        CoverageError, match=r"the direction needs terms[\s\S]*missing: queen, king"
    ):
        measure(TEST, VECTORS)


def test_pairs_that_coincide():
    measure = eatlas.WEAT(association="projection", direction="she/twin")
    vectors = VECTORS | {"twin": VECTORS["she"]}
    with pytest.raises(CoverageError, match="the terms of each defining pair coincide"):
        measure(TEST, vectors)
    centred = eatlas.WEAT(association="projection", direction="she/he", pca="centred")
    with pytest.raises(CoverageError, match="have the same difference, which pca=centred removes"):
        centred(TEST, VECTORS)
