"""Functions that read a corpus show their progress as ``eatlas.run`` does."""

import json

import numpy as np
import pytest
from tests.inputs import make_test

import eatlas
from eatlas.errors import EatlasError
from eatlas_corpora.reading import find_pairs

TEST = make_test()
GROUPS = eatlas.GroupsTest(
    targets=["aster"], groups={"Love": ["love"], "Agony": ["agony"]}, reference="uniform"
)
WORDS = [*TEST.terms, "of", "my", "old"]


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Two files, which are two parts, with enough texts to embed words."""
    folder = tmp_path_factory.mktemp("corpus")
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        lines = [
            json.dumps({"text": " ".join(rng.choice(WORDS, 30)), "side": "lr"[n % 2]})
            for n in range(60)
        ]
        (folder / f"{name}.jsonl").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def vectors():
    rng = np.random.default_rng(1)
    return {word: rng.normal(size=2).astype(np.float32) for word in WORDS}


READERS = {
    "count_text": lambda corpus, _, **options: eatlas.count_text(corpus, GROUPS, **options),
    "find_contexts": lambda corpus, _, **options: eatlas.find_contexts(corpus, TEST, **options),
    "find_pairs": lambda corpus, _, **options: find_pairs(corpus, TEST, **options),
    "embed": lambda corpus, vectors, **options: eatlas.embed(corpus, TEST, vectors, **options),
    "embedding_regression": lambda corpus, vectors, **options: eatlas.embedding_regression(
        corpus, "aster", vectors, "side", **options
    ),
}
pytestmark = [
    pytest.mark.parametrize("read", READERS.values(), ids=READERS),
    pytest.mark.filterwarnings("ignore:The transformation fits"),  # random vectors
]


def test_true_shows_parts_and_false_nothing(read, corpus, vectors, capsys, monkeypatch):
    monkeypatch.setattr("eatlas.cli.progress._is_in_notebook", lambda: True)
    read(corpus, vectors, progress=True)
    assert capsys.readouterr().err.endswith("parts: 2 of 2\n")
    read(corpus, vectors, progress=False)
    read(corpus, vectors)
    assert capsys.readouterr().err == ""


def test_a_function_gets_the_parts_that_are_read(read, corpus, vectors):
    calls = []
    read(corpus, vectors, progress=lambda done, total: calls.append((done, total)))
    assert calls[-2:] == [(1, 2), (2, 2)]


def test_progress_that_is_neither_is_refused(read, corpus, vectors):
    with pytest.raises(EatlasError, match=r"(?s)progress is not usable.*got: 'yes'"):
        read(corpus, vectors, progress="yes")
