"""Every format gives back what the library that defines it wrote."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from tests.sources.files.writers import DIM, FORMATS, VECTORS, WORDS

from eatlas import open_vectors
from eatlas.sources.source import VectorTable


@pytest.fixture(params=FORMATS, ids=lambda writer: writer.__name__)
def spec(request, tmp_path) -> str:
    return request.param(tmp_path)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # what the writing libraries give
def test_round_trip(spec):
    source = open_vectors(spec)
    assert isinstance(source, VectorTable)
    assert (source.dim, source.name, source.notes) == (DIM, spec, ())
    found = source.lookup({*WORDS, "dog", "THE"})
    assert set(found) == set(WORDS)
    for word, vector in zip(WORDS, VECTORS, strict=True):
        np.testing.assert_array_equal(found[word], vector)
    assert sorted(source.vocabulary()) == sorted(WORDS)
    assert getattr(source, "expected", None) in {None, len(WORDS)}
    chunks = list(source.iter_chunks(5))
    assert [len(words) for words, _ in chunks] == [5, 5, 2]
    words = [word for chunk in chunks for word in chunk.words]
    assert words == list(source.vocabulary())
    rows = np.concatenate([vectors for _, vectors in chunks])
    np.testing.assert_array_equal(rows, VECTORS[[WORDS.index(word) for word in words]])


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fingerprint_is_stable_and_new_with_every_content(spec):
    source = open_vectors(spec)
    assert source.fingerprint == open_vectors(spec).fingerprint
    assert source.fingerprint.startswith("sha256:")
    assert len(source.fingerprint) == len("sha256:") + 64


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_lookup_of_nothing_and_again(spec):
    source = open_vectors(spec)
    assert dict(source.lookup(())) == {}
    assert dict(source.lookup({"dog"})) == {}
    for first, second in pairwise(WORDS):
        assert set(source.lookup([first, second, first])) == {first, second}


def test_compressed_text_has_the_fingerprint_of_the_text(tmp_path):
    from tests.sources.files import writers

    plain = open_vectors(writers.glove(tmp_path)).fingerprint
    for writer in (writers.gz, writers.zst, writers.zip_member, writers.tar_gz):
        assert open_vectors(writer(tmp_path)).fingerprint == plain
