"""The association function as a parameter: projection on a given or a learned direction."""

from itertools import combinations

import numpy as np
import pytest
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.errors import CoverageError, SignatureError

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


def given_direction():
    v = {w: VECTORS[w] / np.linalg.norm(VECTORS[w]) for w in ("she", "he", "woman", "man")}
    return np.linalg.svd(np.array([v["she"] - v["he"], v["woman"] - v["man"]]))[2][0]


def test_a_given_direction_by_the_formulas():
    result = eatlas.MLEAT(association="projection", direction=PAIRS)(TEST, VECTORS)
    g = given_direction()
    x, y, a, b = (unit(role) @ g for role in "XYAB")
    s = {"X": x * (a.mean() - b.mean()), "Y": y * (a.mean() - b.mean())}
    assert result.level1.effect_size == pytest.approx(d(s["X"], s["Y"]))
    assert result.level1.p.method == "exact"
    assert result.level2.X.effect_size == pytest.approx(d(x.mean() * a, x.mean() * b))
    assert result.level2.Y.effect_size == pytest.approx(d(y.mean() * a, y.mean() * b))
    assert result.level2.X.p.method == "exact"
    assert result.level3.XB.mean == pytest.approx(np.outer(x, b).mean())
    assert abs(result.level2.X.effect_size) == pytest.approx(abs(result.level2.Y.effect_size))
    assert any(note.startswith("All associations are projections") for note in result.warnings)


def test_level_1_of_a_projection_is_a_test_of_the_projections_themselves():
    """d and p are those of the scores t . g, whatever A and B are, but for their sign."""
    result = eatlas.WEAT(association="projection", direction=PAIRS)(TEST, VECTORS)
    g = given_direction()
    scores = np.concatenate([unit("X") @ g, unit("Y") @ g])
    own = eatlas.permutation_test(scores, 4)
    assert result.level1.p.count.two_sided == own.two_sided.count
    assert abs(result.effect_size) == pytest.approx(abs(d(scores[:4], scores[4:])))


def learned(first, second):
    pairs = np.array([a - b for a in first for b in second])
    return np.linalg.svd(pairs)[2][0]


def test_a_learned_direction_is_learned_anew_for_each_relabelling():
    result = eatlas.MLEAT(association="projection")(TEST, VECTORS)
    attributes = np.concatenate([unit("A"), unit("B")])
    mean = unit("X").mean(axis=0)

    def statistic(first):
        a, b = attributes[list(first)], np.delete(attributes, list(first), axis=0)
        g = learned(a, b)
        return (mean @ g) * ((a @ g).mean() - (b @ g).mean())

    every = np.array([statistic(first) for first in combinations(range(8), 4)])
    t = statistic(range(4))
    p = result.level2.X.p
    assert (p.method, p.total) == ("exact", 70)
    assert p.count.greater == np.count_nonzero(every >= t - 1e-12)
    assert p.count.less == np.count_nonzero(every <= t + 1e-12)
    far = abs(t - every.mean())
    assert p.count.two_sided == np.count_nonzero(abs(every - every.mean()) >= far - 1e-12)
    assert result.level1.p.method == "exact"
    assert result.uncertainty.patterns is None  # each resample would need a direction of its own


def test_a_learned_direction_that_misses_what_the_groups_differ_in_says_so():
    """Terms are plural or not, which is more of their vectors than their gender."""
    gender, plural, _ = np.eye(3)
    vectors = make_vectors(TEST, dim=3)
    for terms, sign in ((TEST.A.terms, 1), (TEST.B.terms, -1)):
        rows = [sign * gender + number * plural for number in (3, -3, 3, -3 + sign / 10)]
        vectors |= dict(zip(terms, rows, strict=True))
    pairs = ";".join(map("/".join, zip(TEST.A.terms, TEST.B.terms, strict=True)))
    learned, named = (
        eatlas.WEAT(association="projection", direction=direction)(TEST, vectors)
        for direction in ("", pairs)
    )
    says = "The direction learned from A and B is mainly one in which"
    (remark,) = (note for note in learned.warnings if note.startswith(says))
    assert "the means of A and B is 0.0" in remark
    assert not any(note.startswith(says) for note in named.warnings)


def test_a_large_learned_design_is_sampled():
    result = eatlas.run(tests="weat-1", measures="ml-eat(association=projection,draws=50)")[0]
    p = result.level2.X.p
    assert (p.method, p.draws.greater) == ("sampled", 50)
    assert result.level1.p.method != "sampled"


def test_signatures_name_what_differs_from_cosine():
    plain = eatlas.MLEAT().signature
    assert "association" not in plain
    assert "direction=" not in plain
    text = 'ML-EAT(association=projection,direction="she/he;woman/man")'
    measure = eatlas.get_measure(text)
    assert 'direction="she/he;woman/man"' in measure.signature
    assert eatlas.get_measure(measure.signature) == measure
    assert measure.words == ("she", "he", "woman", "man")


def test_a_run_looks_the_pairs_up(tmp_path):
    path = tmp_path / "v.txt"
    lines = (f"{w} {' '.join(map(str, v))}" for w, v in VECTORS.items())
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    measure = f'weat(association=projection,direction="{PAIRS.title()}")'  # by the case rule
    result = eatlas.run(tests=TEST, vectors=path, measures=measure)[0]
    direct = eatlas.WEAT(association="projection", direction=PAIRS)(TEST, VECTORS)
    assert result.effect_size == pytest.approx(direct.effect_size, rel=1e-6)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"association": "euclid"}, "association has no such value\n  got: 'euclid'\n  allowed: c"),
        ({"direction": "she/he"}, "no direction, or association=projection"),
        ({"association": "projection", "direction": "she-he"}, "the direction cannot be read"),
        ({"association": "projection", "direction": "she/she"}, "pairs of two different terms"),
        ({"association": "projection", "direction": "she/he/it"}, "got: 'she/he/it'"),
        ({"association": "projection", "direction": 3}, "a text of defining pairs"),
    ],
)
def test_parameters_that_are_refused(parameters, message):
    with pytest.raises(SignatureError, match=message):
        eatlas.MLEAT(**parameters)


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


def test_attributes_that_coincide():
    same = dict.fromkeys((*TEST.A.terms, *TEST.B.terms), np.array([1.0, 2, 3, 4, 5, 6]))
    with pytest.raises(CoverageError, match="all attributes coincide"):
        eatlas.WEAT(association="projection")(TEST, VECTORS | same)
