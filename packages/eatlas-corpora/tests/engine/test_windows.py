"""Runs over several windows of the same contexts."""

import pytest
from tests.inputs import TERMS, make_test

import eatlas
from eatlas.engine import Store, execute, make_plan
from eatlas.engine.verify import verify
from eatlas.errors import EatlasError
from eatlas.results import Failure
from eatlas_corpora.reading import Context, Contexts, find_contexts

TEST = make_test()
WORDS = [term for group in TERMS.values() for term in group]
NEAR = ["happy", "sad", "pretty", "ugly", "garden", "house", "old", "new"]
FAR = ["river", "mountain", "city", "school", "music", "work", "summer", "winter"]


@pytest.fixture(scope="module")
def contexts(tmp_path_factory) -> Contexts:
    path = tmp_path_factory.mktemp("corpus") / "some.txt"
    lines = [
        f"{FAR[k % 8]} {FAR[(n + k) % 8]} {NEAR[(n + 3 * k) % 8]} {word} {NEAR[(n + k) % 8]} "
        f"{FAR[(2 * n + k) % 8]} {FAR[n % 8]}"
        for n, word in enumerate(WORDS)
        for k in range(6)
    ]
    path.write_text("\n".join(lines))
    return find_contexts(path, TEST, window=3)


@pytest.fixture(scope="module")
def results(contexts):
    return eatlas.run(TEST, "cbow:glove-sample", "ceat(n=50)", contexts=contexts, windows=[3, 1, 2])


def test_every_window_is_measured_and_said(results, contexts):
    assert [one.contexts.window for one in results] == [3, 1, 2]
    assert len({one.provenance.stimuli_sha256 for one in results}) == 3
    assert {one.provenance.sentences_from for one in results} == {str(contexts.origin)}
    assert results[1].coverage.X.contexts == {"aster": 6, "clover": 6, "iris": 6, "lily": 6}
    assert len({one.level1.effect_size for one in results}) == 3
    frame = results.to_frame()
    assert frame["window"].tolist() == [3, 1, 2]
    assert "distance" not in frame


def test_a_window_alone_gives_the_same(results, contexts, tmp_path):
    contexts.write(tmp_path / "c.parquet")
    (alone,) = eatlas.run(TEST, "cbow:glove-sample", "ceat(n=50)", contexts=contexts.cut(1))
    assert alone == results[1]
    (read,) = eatlas.run(
        TEST, "cbow:glove-sample", "ceat(n=50)", contexts=tmp_path / "c.parquet", windows=1
    )
    assert (read.level1, read.contexts.window) == (alone.level1, 1)


def test_they_are_verified(results, contexts, tmp_path):
    results.write(tmp_path / "results.jsonl")
    read = eatlas.read_results(tmp_path / "results.jsonl")
    assert read == results
    assert [one.status for one in verify(read, contexts=contexts)] == ["same"] * 3
    wide = verify(read, contexts=contexts.cut(2))
    assert [one.status for one in wide] == ["not repeated", "same", "same"]


def test_a_run_that_was_cut_off_tells_windows_apart(contexts, tmp_path):
    def plan(*windows):
        return make_plan(TEST, "cbow:glove-sample", "weat", contexts=contexts, windows=windows)

    both = plan(1, 2)
    assert len({job.identity for job in both}) == 2
    with Store(tmp_path) as store:
        execute(plan(2), store=store)
    with Store(tmp_path) as store:
        assert list(store.done) == [both[1].identity]
        ended = execute(both, store=store)
    assert [one.contexts.window for one in ended] == [1, 2]
    assert ended[0].level1.effect_size != ended[1].level1.effect_size


def test_a_failure_says_its_window():
    names = ["Qzxa", "Qzxb"]
    test = make_test(X=names)
    words = [*names, *(word for role in "YAB" for word in TERMS[role])]
    rows = [
        Context(w, f"{one} {w} {one}", 6, 6 + len(w)) for w in words for one in ("happy", "river")
    ]
    ended = execute(
        make_plan(test, "cbow:glove-sample", "weat", contexts=Contexts.of(rows), windows=[0, 1])
    )
    (failure,) = [outcome for outcome in ended if isinstance(outcome, Failure)]
    assert failure.contexts.window == 0, (
        "nobody knows a vector of Qzxa, but of what stands beside it"
    )
    assert [outcome.contexts.window for outcome in ended] == [0, 1]


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        (
            {"windows": [1, 3]},
            "a window shortens contexts, but no contexts were given\n  got: window 1, window 3\n",
        ),
        (
            {"contexts": Contexts.of([]), "windows": 1.5},
            "window is not usable\n"
            "  got: 1.5 (float)\n"
            "  allowed: a whole number from 0 or 'sentence'",
        ),
        ({"contexts": 3, "windows": 1}, "these are not contexts\n  got: 3 (int)"),
    ],
)
def test_mistakes(choices, message):
    with pytest.raises(EatlasError) as said:
        eatlas.run(TEST, "cbow:glove-sample", **choices)
    assert str(said.value).startswith(message)
