"""Square arrays as transformations, occurrences as units, and conText's published figures."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np
import pytest
from tests.embedding.test_embed import WINDOW, contexts_of, corpus, documents, embed, vectors
from tests.embedding.test_regression import regress
from tests.inputs import load_benchmark, optional_data

from eatlas.errors import EatlasError, EatlasWarning

pytestmark = pytest.mark.filterwarnings("ignore:The transformation fits")  # random vectors
__all__ = ["corpus", "documents", "vectors"]


def test_an_array_is_a_transformation(corpus, vectors, tmp_path):
    learned = embed(corpus, vectors, out=tmp_path / "parts.npz")
    np.save(tmp_path / "A.npy", learned.matrix.astype(np.float64))
    by_parts = embed(corpus, vectors, matrix=tmp_path / "parts.npz")
    of_lists = learned.matrix.tolist()
    for matrix in (learned.matrix, of_lists, tmp_path / "A.npy", str(tmp_path / "A.npy")):
        parts = embed(corpus, vectors, matrix=matrix)
        np.testing.assert_array_equal(parts.matrix, by_parts.matrix)
        np.testing.assert_array_equal(parts.sums, by_parts.sums)
        said = parts.about.transformation
        assert said.words == learned.about.transformation.words
        assert said.quality > learned.about.transformation.quality  # no words were left out
        in_memory = matrix is learned.matrix or matrix is of_lists
        assert said.file == ("an array in memory" if in_memory else "A.npy")


@pytest.mark.parametrize(
    ("matrix", "says"),
    [
        (np.eye(4), r"got: float64, shape \(4, 4\)\n.*shape \(5, 5\)"),
        (np.ones(5), r"shape \(5,\)"),
        (5, r"shape \(\)"),
        (np.eye(5, dtype=complex), "complex128"),
        (np.array([["a"] * 5] * 5), "<U1"),
        (np.full((5, 5), np.nan), "too large or not finite"),
        (np.full((5, 5), 1e30), "too large or not finite"),
    ],
)
def test_arrays_that_are_refused(corpus, vectors, matrix, says, tmp_path):
    np.save(tmp_path / "A.npy", matrix)
    for given in (matrix, tmp_path / "A.npy"):
        with pytest.raises(EatlasError, match=says):
            embed(corpus, vectors, matrix=given)


def test_a_damaged_array_is_refused(corpus, vectors, tmp_path):
    (tmp_path / "A.npy").write_bytes(b"no array")
    with pytest.raises(EatlasError, match="this array"):
        embed(corpus, vectors, matrix=tmp_path / "A.npy")
    np.save(tmp_path / "B.npy", np.array([{"a": 1}], object))
    with pytest.raises(EatlasError, match="this array"):
        embed(corpus, vectors, matrix=tmp_path / "B.npy")


def test_each_occurrence_is_an_observation(corpus, documents, vectors):
    result = regress(corpus, vectors, ["ivy"], ["party"], unit="occurrence", matrix=np.eye(5))
    own = [(documents[n]["party"], v) for n, w, v in contexts_of(documents, vectors) if w == "ivy"]
    means = [np.mean([v for party, v in own if party == p], axis=0) for p in "ab"]
    (term,) = result.terms
    assert (term.units, term.observations, term.contexts) == (len(own),) * 3
    assert result.unit == "occurrence"
    assert "unit=occurrence" in result.signature
    expected = np.square(means[1] - means[0]).sum()
    assert term.coefficients[0].squared_norm == pytest.approx(expected, rel=1e-4)
    by_document = regress(corpus, vectors, ["ivy"], ["party"], matrix=np.eye(5)).terms[0]
    assert by_document.units < len(own)
    assert by_document.contexts == len(own)
    assert WINDOW == 3


def test_a_transposed_matrix_gets_a_warning(corpus, vectors):
    shuffled = np.random.default_rng(1).normal(size=(5, 5))
    with pytest.warns(EatlasWarning, match="The transformation fits"):
        embed(corpus, vectors, matrix=shuffled)


@pytest.mark.filterwarnings("ignore::UserWarning")  # of rdata, and of few words
def test_the_published_figures_of_context():
    folder = optional_data("context")
    if find_spec("rdata") is None:
        pytest.skip("needs optional data: the package rdata, which reads the files of R")
    study = load_benchmark("context_sample")
    number, norms, cosines = study.figures(folder)
    assert number == 924
    assert norms == pytest.approx(study.NORMS, abs=1e-5)
    assert cosines == pytest.approx(study.COSINES, abs=1e-6)
