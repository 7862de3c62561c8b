"""Words that a test names as one cluster are drawn together; words that are nearly one are named."""

import numpy as np
import pytest
from tests.inputs import make_test, make_vectors
from tests.stats.test_crossed import crossed_association, crossed_interaction

import eatlas
from eatlas.engine.verify import verify
from eatlas.stats.bootstrap import draw
from eatlas.stimuli import to_toml

TERMS = {role: tuple(f"{role}{i}" for i in range(8)) for role in "XYAB"}
TEST = make_test(**TERMS)
PAIRS = (("B0", "B1"), ("B2", "B3"), ("B6", "B7"))


def with_clusters(**clusters):
    concepts = {
        role: TEST.concept(role).model_copy(update={"clusters": clusters[role]})
        for role in clusters
    }
    return TEST.model_copy(update=concepts)


def alike(cosine=0.97, seed=3):
    """Vectors in which the words of each pair of B are nearly one."""
    vectors, rng = make_vectors(TEST, dim=30, seed=seed), np.random.default_rng(seed)
    for one, other in PAIRS:
        away = rng.standard_normal(30)
        vectors[other] = cosine * vectors[one] + np.sqrt(1 - cosine**2) * away
    return vectors


def test_clusters_of_two_alike_words_make_intervals_wider():
    """Of eight words of B there are five; effect sizes and p-values stay those of the words."""
    widths = []
    for seed in range(5):
        vectors = alike(seed=seed)
        plain = eatlas.MLEAT(resamples=1000)(TEST, vectors)
        found = eatlas.MLEAT(resamples=1000)(with_clusters(B=PAIRS), vectors)
        assert (found.level1, found.level2, found.pattern) == (
            plain.level1,
            plain.level2,
            plain.pattern,
        )
        assert (plain.uncertainty.unit, found.uncertainty.unit) == ("term", "cluster")
        assert found.uncertainty.patterns is None
        assert found.influence == plain.influence
        widths.append(found.uncertainty.level2.X.se / plain.uncertainty.level2.X.se)
    assert np.median(widths) > 1.03


def test_a_cluster_is_drawn_with_all_its_words():
    """Each resample by hand: words of a cluster as often as the cluster, means over words."""
    from eatlas.measures.base import generator_of

    vectors, test = alike(), with_clusters(B=PAIRS)
    result = eatlas.MLEAT(resamples=300)(test, vectors)
    unit = {term: v / np.linalg.norm(v) for term, v in vectors.items()}
    groups = {role: [[term] for term in sorted(TERMS[role])] for role in "XYA"}
    first = {other: one for one, other in PAIRS}
    groups["B"] = [
        [one, *(o for o, f in first.items() if f == one)]
        for one in sorted(set(TERMS["B"]) - set(first))
    ]
    names = {role: [some[0] for some in groups[role]] for role in "XYAB"}
    streams = {role: generator_of(0, {role: names[role]}, "resamples") for role in "XYAB"}
    sizes = {role: len(groups[role]) for role in "XYAB"}
    (weights,) = draw(sizes, 300, streams)
    drawn = []
    for k in range(300):
        rows = {}
        for side, roles in zip(weights, ("XY", "AB"), strict=True):
            counts = np.split(side[:, k].astype(int), [sizes[roles[0]]])
            for role, some in zip(roles, counts, strict=True):
                terms = [t for group, n in zip(groups[role], some, strict=True) for t in group * n]
                rows[role] = np.array([unit[t] for t in terms])
        away = rows["A"].mean(axis=0) - rows["B"].mean(axis=0)
        x, y = rows["X"] @ away, rows["Y"] @ away
        drawn.append((x.mean() - y.mean()) / np.concatenate([x, y]).std(ddof=1))
    expected = np.quantile(drawn, [0.025, 0.975])
    assert result.uncertainty.level1.interval == pytest.approx(tuple(expected), abs=1e-6)


def test_clusters_are_read_written_kept_and_verified(tmp_path):
    test = with_clusters(B=PAIRS, X=(("X0", "X5"),))
    (tmp_path / "mine.toml").write_text(to_toml([test]), encoding="utf-8")
    (read,) = eatlas.load_tests(str(tmp_path / "mine.toml"))
    assert read.B.clusters == PAIRS
    assert read.stimuli_sha256 == TEST.stimuli_sha256
    (result,) = eatlas.run("weat-6")
    assert result.coverage.A.cluster == {}
    (built_in,) = eatlas.load_tests("weat-5")
    b = built_in.B.model_copy(update={"clusters": (("awful", "horrible", "terrible"),)})
    found = eatlas.run(built_in.model_copy(update={"B": b}))
    assert found[0].coverage.B.cluster["terrible"] == "awful"
    assert [v.status for v in verify(found)] == ["same"]
    found.write(tmp_path / "results.jsonl")
    assert eatlas.read_results(tmp_path / "results.jsonl") == found


def test_words_that_are_nearly_one_are_remarked_on_until_they_share_a_cluster():
    vectors = alike(cosine=0.999)
    (said,) = (
        w for w in map(str, eatlas.MLEAT()(TEST, vectors).warnings) if "nearly the same vector" in w
    )
    assert said.startswith("B: B")
    assert "Intervals treat them as separate draws" in said
    assert ", and 2 other pairs, have nearly the same vector (cosine " in said
    assert said.endswith("in the test draws them together.")
    together = eatlas.MLEAT()(with_clusters(B=PAIRS), vectors)
    assert not any("nearly the same vector" in w for w in map(str, together.warnings))
    (published,) = eatlas.run("weat-1")
    assert any(
        w.startswith("B: jail and prison have nearly the same vector (cosine 0.9")
        and 'clusters = [["jail", "prison"]] in the test draws them together.' in w
        for w in map(str, published.warnings)
    )
    assert not any(
        "nearly the same vector" in w for w in map(str, eatlas.run("weat-6")[0].warnings)
    )


def test_the_crossed_test_takes_clusters_as_its_units():
    """As the function of statistics does that is told of them; the estimate stays that of words."""
    vectors, test = alike(), with_clusters(B=PAIRS)
    plain = eatlas.MLEAT(resamples=0)(TEST, vectors).generalisation
    result = eatlas.MLEAT(resamples=0)(test, vectors)
    found = result.generalisation
    assert (plain.unit, found.unit) == ("term", "cluster")
    unit = {term: vector / np.linalg.norm(vector) for term, vector in vectors.items()}
    targets, attributes = ([t for r in side for t in TERMS[r]] for side in ("XY", "AB"))
    table = np.array([[unit[t] @ unit[a] for a in attributes] for t in targets])
    first = {other: one for one, other in PAIRS}
    names = targets, [first.get(term, term) for term in attributes]
    clusters = tuple(np.unique(side, return_inverse=True)[1] for side in names)
    for level, expected in (
        (found.level1, crossed_interaction(table, 8, 8, clusters=clusters)),
        (found.level2.X, crossed_association(table[:8], 8, clusters=(targets[:8], clusters[1]))),
    ):
        assert level.p_two_sided == pytest.approx(expected.p_two_sided, rel=1e-9)
        assert level.se == pytest.approx(expected.se, rel=1e-9)
    assert found.level1.difference == pytest.approx(plain.level1.difference, rel=1e-12)
    assert found.level1.p_two_sided != plain.level1.p_two_sided
    assert [verdict.status for verdict in verify([result], vectors={"dict": vectors})] == ["same"]
