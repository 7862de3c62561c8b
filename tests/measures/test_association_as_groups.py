"""Measures of groups on association tests, as WEFE's queries are; and all measures at once."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from scipy.stats import spearmanr
from tests.inputs import make_test, make_vectors

import eatlas
from eatlas.engine import make_plan
from eatlas.errors import EatlasError, EatlasWarning, SignatureError

pytestmark = pytest.mark.filterwarnings("ignore::eatlas.errors.UndefinedWarning")
TEST = make_test()
VECTORS = make_vectors(TEST, dim=6, seed=4)
X, Y, A, B = (np.array([VECTORS[t] for t in TEST.concept(role).terms]) for role in "XYAB")


def value(measure, test=TEST, vectors=VECTORS):
    return eatlas.run(tests=test, vectors={"v": vectors}, measures=measure)[0].value


def wefe_rnd(first, second, attributes):
    """Mean over the attribute words of the difference of their distances from both means."""
    near = [np.linalg.norm(attributes - group.mean(axis=0), axis=1) for group in (first, second)]
    return (near[0] - near[1]).mean()


def wefe_mac(targets, attribute_sets):
    """Mean of the mean distances of each target word from each set of attributes."""
    return np.mean([[cdist([t], s, "cosine").mean() for s in attribute_sets] for t in targets])


def wefe_ect(first, second, attributes):
    near = [1 - cdist([g.mean(axis=0)], attributes, "cosine")[0] for g in (first, second)]
    return spearmanr(*near)[0]


def wefe_rnsb(targets, positive, negative):
    """Divergence of the shares of negative probabilities from equal ones."""
    sklearn = pytest.importorskip("sklearn.linear_model")
    classifier = sklearn.LogisticRegression(solver="liblinear", tol=1e-10, max_iter=10_000)
    classifier.fit(np.vstack([positive, negative]), [0] * len(positive) + [1] * len(negative))
    p = classifier.predict_proba(targets)[:, 1]
    p /= p.sum()
    return float((p * np.log(p * len(p))).sum())


def test_numbers_are_those_of_wefe_on_the_same_query():
    targets, attributes = np.vstack([X, Y]), np.vstack([A, B])
    assert value("rnd(vectors=raw)") == pytest.approx(wefe_rnd(X, Y, attributes), rel=1e-12)
    assert value("ect") == pytest.approx(wefe_ect(X, Y, attributes), rel=1e-12)
    assert value("mac") == pytest.approx(wefe_mac(targets, [A, B]), rel=1e-12)
    assert value("rnsb") == pytest.approx(wefe_rnsb(targets, A, B), rel=1e-6)


def test_groups_are_turned():
    targets, attributes = np.vstack([X, Y]), np.vstack([A, B])
    turned = value("rnd(vectors=raw,groups=attributes)")
    assert turned == pytest.approx(wefe_rnd(A, B, targets), rel=1e-12)
    assert value("mac(groups=targets)") == pytest.approx(wefe_mac(attributes, [X, Y]), rel=1e-12)


@pytest.mark.parametrize("name", ["rnd", "mac", "ect", "semaxis", "divdist"])
@pytest.mark.parametrize(("turn", "groups"), [("targets", "XY"), ("attributes", "AB")])
def test_a_test_is_read_as_one_of_groups(name, turn, groups):
    own = eatlas.GroupsTest.of_association(TEST, groups)
    (given,) = eatlas.run(tests=own, vectors={"v": VECTORS}, measures=name)
    (read,) = eatlas.run(tests=TEST, vectors={"v": VECTORS}, measures=f"{name}(groups={turn})")
    assert read.test == own.id == f"tiny-{groups}"
    assert (read.targets, read.coverage) == (given.targets, given.coverage)
    measure = eatlas.get_measure(f"{name}(groups={turn})")
    assert measure(TEST, {**VECTORS}).targets == read.targets
    assert read.signature == measure.signature


def test_pairs_come_from_a_test_of_groups():
    own = eatlas.GroupsTest.of_association(TEST, "XY", pairs=[("aster", "ant")])
    b = VECTORS["aster"] - VECTORS["ant"]
    mean = (np.vstack([A, B]) @ (b / np.linalg.norm(b))).mean()
    assert value("ripa(relation=mean)", own) == pytest.approx(mean, rel=1e-12)


def test_pairs_are_those_of_the_order_of_terms():
    (result,) = eatlas.run(TEST, {"v": VECTORS}, "ripa(pairs=order,relation=mean)")
    pairs = tuple(zip(TEST.A.terms, TEST.B.terms, strict=True))
    own = eatlas.GroupsTest.of_association(TEST, "AB", pairs=pairs)
    (named,) = eatlas.run(own, {"v": VECTORS}, "ripa(relation=mean)")
    assert (result.value, result.targets, result.pairs) == (named.value, named.targets, pairs)
    assert result.signature == "RIPA(pairs=order,relation=mean,vectors=raw)"
    (note,) = [note for note in result.warnings if note.code == "measure.pairs-in-order"]
    assert " and ".join(pairs[0]) in str(note)
    (of_targets,) = eatlas.run(TEST, {"v": VECTORS}, "direct-bias(pairs=order,groups=targets)")
    assert of_targets.pairs[0] == (TEST.X.terms[0], TEST.Y.terms[0])
    verdicts = eatlas.verify([result, of_targets], vectors={"v": VECTORS})
    assert [verdict.status for verdict in verdicts] == ["same", "same"]


def test_pairs_in_order_replace_those_of_a_test():
    (result,) = eatlas.run("divdist-gender", measures="ripa(pairs=order)", frequency="off")
    (test,) = eatlas.load_tests("divdist-gender")
    assert result.pairs == tuple(zip(*(group.terms for group in test.groups), strict=True))
    assert [verdict.status for verdict in eatlas.verify([result])] == ["same"]


def test_without_pairs_the_error_names_those_of_the_order():
    with pytest.raises(EatlasError, match="needs pairs of terms") as caught:
        value("ripa")
    first, remedy = f"{TEST.A.terms[0]} and {TEST.B.terms[0]}", caught.value.remedy
    pairing = f"pairs the terms of {TEST.A.name} and {TEST.B.name} in their order: {first}, "
    assert remedy.startswith(f"ripa(pairs=order) {pairing}")
    assert "of_association(test, pairs=...)" in caught.value.remedy
    shorter = eatlas.Concept(name="B", terms=TEST.B.terms[1:])
    uneven = TEST.model_copy(update={"B": shorter})
    with pytest.raises(EatlasError, match="needs pairs of terms") as caught:
        value("ripa(pairs=order)", uneven)
    sizes = f"{TEST.A.name} has {len(TEST.A.terms)} terms, B {len(TEST.B.terms) - 1}"
    assert sizes in caught.value.got
    assert "order" not in caught.value.remedy


def test_a_measure_of_groups_takes_tests_of_groups_where_there_are_any():
    jobs = make_plan(["weat-6", "divdist-face-validity"], measures=["ml-eat", "rnd"])
    assert [(job.test.id, job.measure.name) for job in jobs] == [
        ("weat-6", "ml-eat"),
        ("divdist-face-validity", "rnd"),
    ]
    jobs = make_plan(["weat-6", "weat-7"], measures=["ml-eat", "rnd"])
    assert [job.test.id for job in jobs] == ["weat-6", "weat-7", "weat-6-XY", "weat-7-XY"]
    jobs = make_plan(["weat-6", "divdist-face-validity"], measures="rnd")
    assert [job.test.id for job in jobs] == ["weat-6-XY", "divdist-face-validity"]
    with pytest.raises(EatlasError, match="the measure 'ml-eat' does not take the test 'divdist"):
        make_plan("divdist-face-validity", measures="ml-eat")


def test_all_measures_on_one_test():
    with pytest.warns(EatlasWarning, match="are left out") as caught:
        results = eatlas.run("weat-6", measures="all", frequency="off")
    measured = {result.signature.partition("(")[0].lower() for result in results}
    plain = {"ml-eat", "weat", "sc-eat", "divdist", "rnd", "mac", "ect", "rnsb", "semaxis"}
    plain |= {"same", "generalised-weat"}
    assert measured == plain
    assert not results.failures
    (text,) = [str(one.message) for one in caught if "left out" in str(one.message)]
    assert all(f"{name} (" in text for name in ("ripa", "direct-bias", "indirect-bias"))
    assert "ripa (needs pairs of terms that differ only in their group)" in text


def test_mistakes():
    with pytest.raises(SignatureError) as caught:
        eatlas.run("weat-6", measures=["all", "rnd"])
    assert caught.value.allowed == "all alone, or measures by name"
    with pytest.raises(
        SignatureError, match="the parameter groups cannot have this value"
    ) as caught:
        eatlas.run("weat-6", measures="rnd(groups=XY)")
    assert caught.value.allowed == "targets or attributes"
