"""A run: checked before any work, done in order, a failure costs no other job."""

import numpy as np
import pytest
from tests.inputs import make_test

import eatlas
from eatlas.engine import execute, make_plan
from eatlas.errors import CoverageError, EatlasError, SourceError


class Counting:
    """A source that counts how often it is asked."""

    name, dim, fingerprint, notes = "counting", 5, "none", ()

    def __init__(self, vectors):
        self.vectors, self.asked = vectors, []

    def lookup(self, keys):
        self.asked.append(set(keys))
        return {key: self.vectors[key] for key in keys if key in self.vectors}


def test_the_order_is_sources_measures_tests(tiny_vectors):
    tests = [make_test("one"), make_test("two")]
    plan = make_plan(tests, [Counting(tiny_vectors), "glove-sample"], ["weat", "ml-eat"])
    jobs = [(job.source.name, job.measure.name, job.test.id) for job in plan]
    assert jobs[:3] == [("glove-sample", "weat", "one"), ("glove-sample", "weat", "two"),
                        ("glove-sample", "ml-eat", "one")]  # fmt: skip
    assert jobs[4:6] == [("counting", "weat", "one"), ("counting", "weat", "two")]


def test_a_source_is_asked_for_all_words_at_once_before_any_work(tiny_vectors):
    source = Counting(tiny_vectors)
    make_plan([make_test("one"), make_test("two", X=("rose", "tulip"))], source)
    assert len(source.asked) == 1
    assert {"aster", "Aster", "ASTER", "rose", "war"} <= source.asked[0]


def test_a_fault_of_any_source_ends_the_run_before_any_work(tmp_path, tiny_vectors):
    bad = tmp_path / "bad.txt"
    bad.write_text("aster 1 2\nclover x y\n", encoding="utf-8")
    source = Counting(tiny_vectors)
    with pytest.raises(SourceError, match="line 2: a component is not a number"):
        eatlas.run(tests=make_test(), vectors=[source, bad])


def test_progress_is_told_after_each_job(tiny_vectors):
    told = []
    plan = make_plan([make_test("one"), make_test("two")], tiny_vectors)
    execute(plan, progress=lambda done, jobs: told.append((done, jobs)))
    assert told == [(1, 2), (2, 2)]


def test_the_seed_is_recorded_and_changes_only_what_is_drawn(tiny_vectors):
    one, two = (eatlas.run(make_test(), tiny_vectors, seed=seed)[0] for seed in (1, 2))
    assert (one.provenance.seed, two.provenance.seed) == (1, 2)
    assert one.uncertainty != two.uncertainty
    drawn = {"provenance": two.provenance, "uncertainty": two.uncertainty}
    assert one.model_copy(update=drawn) == two


def test_no_global_random_state_is_touched(tiny_vectors):
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    eatlas.run(make_test(), tiny_vectors, ["ml-eat", "weat", "sc-eat"])
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002


def test_an_unexpected_fault_is_not_hidden(tiny_vectors):
    class Broken(Counting):
        def lookup(self, keys):
            raise RuntimeError("disk on fire")

    with pytest.raises(RuntimeError, match="disk on fire"):
        eatlas.run(make_test(), Broken(tiny_vectors))


def test_provenance_tells_what_was_run(tiny_vectors):
    test = make_test()
    (result,) = eatlas.run(test, tiny_vectors, "ml-eat(alpha=0.01)", case="exact")
    source = eatlas.open_vectors(tiny_vectors)
    assert result.provenance.version == eatlas.__version__
    assert result.provenance.stimuli_sha256 == test.stimuli_sha256
    assert result.provenance.source_fingerprint == source.fingerprint
    assert result.provenance.case == "exact"
    assert eatlas.get_measure(result.signature) == eatlas.MLEAT(alpha=0.01)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"tests": 5}, "not a test\n  got: 5 (int)\n  allowed: the name of a battery"),
        ({"tests": []}, "no test was given\n  allowed: the name of a battery"),
        ({"measures": []}, "no measure was given\n  allowed: ml-eat, weat, sc-eat"),
        ({"measures": 5}, "not a measure\n  got: 5"),
        ({"measures": eatlas.MLEAT}, "not a measure\n  got: the class MLEAT"),
        (
            {"vectors": []},
            "no vectors were given\n  allowed: a file, a name, or vectors in memory",
        ),
        ({"vectors": 5}, "eatlas cannot open this object as vectors\n  got: 5 (int)"),
        ({"workers": 0}, "the number of workers is not usable\n  got: 0"),
        ({"case": "upper"}, "unknown case rule\n  got: 'upper'"),
        ({"seed": True}, "the seed is not usable\n  got: True (bool)\n  allowed: a whole"),
        (
            {"vectors": eatlas.ArraySource},
            "eatlas cannot open this object as vectors\n  got: the class ArraySource",
        ),
        ({"seed": "x"}, "the seed is not usable\n  got: 'x' (str)\n  allowed: a whole"),
    ],
)
def test_what_cannot_be_run(given, message, tiny, tiny_vectors):
    with pytest.raises(EatlasError) as caught:
        eatlas.run(**{"tests": tiny, "vectors": tiny_vectors, **given})
    assert message in str(caught.value)


def test_a_seed_from_numpy(tiny, tiny_vectors):
    given = eatlas.run(tiny, tiny_vectors, seed=np.int64(3))
    assert given == eatlas.run(tiny, tiny_vectors, seed=3)
    assert type(given[0].provenance.seed) is int


def test_a_concept_is_no_test(tiny, tiny_vectors):
    with pytest.raises(EatlasError, match=r"not a test\n  got: Concept\n"):
        eatlas.run(tiny.X, tiny_vectors)


def test_one_job_that_cannot_be_done_raises_its_own_error(tiny, tiny_vectors):
    fewer = {word: vector for word, vector in tiny_vectors.items() if word not in tiny.X.terms}
    with pytest.raises(CoverageError) as caught:
        eatlas.run(tests=tiny, vectors=fewer)
    assert caught.value.what == (
        "test tiny, group X (Flowers): no term has a usable vector in dict"
    )
    assert caught.value.got.startswith("missing: aster (not in dict), ")
    assert caught.value.allowed.startswith("at least 2 usable terms, because ml-eat permutes")
    assert caught.value.remedy


def test_several_jobs_of_which_none_can_be_done_raise_the_first_error(tiny, tiny_vectors):
    fewer = {word: vector for word, vector in tiny_vectors.items() if word not in tiny.X.terms}
    with pytest.raises(CoverageError) as caught:
        eatlas.run(tests=tiny, vectors=fewer, measures=["weat", "ml-eat"])
    assert caught.value.what == (
        "none of 2 jobs could be done; the first, tiny on dict: test tiny, group X (Flowers): no "
        "term has a usable vector in dict"
    )
    assert caught.value.got.startswith("missing: aster (not in dict), ")
