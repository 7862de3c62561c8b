"""Every format gives back what the library that defines it wrote."""

from __future__ import annotations

import re
from functools import cache
from itertools import islice, pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.sources.files import writers
from tests.sources.files.writers import DIM, FORMATS, VECTORS, WORDS, Data

import eatlas
from eatlas import open_vectors
from eatlas.errors import SourceError
from eatlas.sources.coverage import items_to_request
from eatlas.sources.source import VectorTable

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of the writing libraries
WRITERS = pytest.mark.parametrize("writer", FORMATS, ids=lambda writer: writer.__name__)
ONE_FILE = [w for w in FORMATS if "?" not in w.__code__.co_consts and w.__name__ not in {
    # these need files beside them, a member, or an option
    "gensim_kv", "gensim_model", "npy",
    "zip_member", "npz_compressed_with_vocabulary", "safetensors",
}]  # fmt: skip


@WRITERS
def test_round_trip(writer, tmp_path):
    spec = writer(tmp_path)
    source = open_vectors(spec)
    assert isinstance(source, VectorTable)
    assert (source.dim, source.name, source.notes) == (DIM, spec, ())
    found = source.lookup({*WORDS, "dog", "THE"})
    assert set(found) == set(WORDS)
    for word, vector in zip(WORDS, VECTORS, strict=True):
        np.testing.assert_array_equal(found[word], vector)
    assert getattr(source, "expected", None) in {None, len(WORDS)}
    chunks = list(source.iter_chunks(5))
    assert [len(words) for words, _ in chunks] == [5, 5, 2]
    words = [word for chunk in chunks for word in chunk[0]]
    assert words == list(source.vocabulary())
    assert sorted(words) == sorted(WORDS)
    rows = np.concatenate([vectors for _, vectors in chunks])
    np.testing.assert_array_equal(rows, VECTORS[[WORDS.index(word) for word in words]])
    assert source.fingerprint == open_vectors(spec).fingerprint
    assert re.fullmatch("sha256:[0-9a-f]{64}", source.fingerprint)
    for first, second in pairwise(WORDS):
        assert set(source.lookup([first, second, first])) == {first, second}
    assert dict(source.lookup(())) == {}


@pytest.mark.parametrize("name", ["v", "v.bin"])
@pytest.mark.parametrize("writer", ONE_FILE, ids=lambda writer: writer.__name__)
def test_a_name_that_says_nothing_or_lies(writer, name, tmp_path):
    path = Path(writer(tmp_path)).rename(tmp_path / name)
    if name == "v.bin" and writer.__name__ in {"word2vec_text", "fasttext_vec"}:
        path = path.rename(tmp_path / "v.txt")  # a header and .bin: then binary is meant
    found = open_vectors(path).lookup(WORDS)
    np.testing.assert_array_equal([found[word] for word in WORDS], VECTORS)


@WRITERS
def test_a_file_that_grows_before_a_lookup_or_between_chunks(writer, tmp_path):
    spec = writer(tmp_path)
    path = Path(re.split("[?#]", spec)[0])
    source, chunks = open_vectors(spec), open_vectors(spec).iter_chunks(5)
    next(chunks)
    with path.open("ab") as file:
        file.write(b"more")
    for read in (lambda: source.lookup(WORDS), lambda: list(chunks)):
        with pytest.raises(SourceError, match="the file changed while it was read\n  got: "):
            read()


@cache
def sample() -> Data:
    """Every word of the ten Caliskan tests that the bundled vectors have, and some more."""
    source = open_vectors("glove-sample")
    others = islice((word for chunk in source.iter_chunks() for word in chunk[0]), 500)
    needed = items_to_request(source, eatlas.load_tests("caliskan"), (), "auto")
    keys = sorted({*(item.content for item in needed), *others} - {"."})
    # HDF5 takes / and . for paths, a table quotation marks for its own
    found = source.lookup([key for key in keys if not set(key) & set('/"')])
    return Data(list(found), np.array(list(found.values()), np.float32))


@cache
def numbers(spec: str) -> list[float]:
    results = eatlas.run(["weat-6", "weat-9"], spec, "ml-eat(resamples=0)")
    levels = [lv for r in results for lv in (r.level1, r.level2.X, r.level2.Y)]
    return [x for lv in levels for x in (lv.effect_size, lv.p.greater, lv.p.less, lv.p.two_sided)]


@pytest.mark.parametrize(
    "writer",
    [writers.glove, writers.word2vec_binary, writers.fasttext_bin, writers.gensim_kv, writers.npz,
     writers.csv_file, writers.parquet_lists, writers.hdf5, writers.gz],
    ids=lambda writer: writer.__name__,
)  # fmt: skip
def test_same_numbers_from_every_format(writer, tmp_path):
    """``benchmarks/every_format.py`` shows it for all ten tests and 400,000 words."""
    assert numbers(writer(tmp_path, sample())) == pytest.approx(numbers("glove-sample"), rel=1e-6)


# --- words outside the vocabulary -----------------------------------------------------------------


@pytest.mark.parametrize("kind", ["bin", "model", "side"])
def test_ngrams_are_those_of_gensim(kind, tmp_path):
    from gensim.models import FastText
    from gensim.models.fasttext import save_facebook_model

    words = ["night", "nights", "nightly", "Über", "naïve", "日本語", "x"]
    model = FastText(
        [words] * 3, vector_size=6, min_count=1, bucket=50, min_n=2, max_n=4, epochs=1, workers=1
    )
    spec = f"{tmp_path}/m.{kind}?oov=subword" + ("&trust=yes" if kind != "bin" else "")
    if kind == "bin":
        save_facebook_model(model, f"{tmp_path}/m.bin")
    else:
        model.save(f"{tmp_path}/m.{kind}", sep_limit=1 if kind == "side" else 1 << 30)
    assert set(open_vectors(spec.replace("oov=subword", "oov=none")).lookup(["knight"])) == set()
    source = open_vectors(spec)
    found = source.lookup(
        [*words, "knight", "日本", "NIGHTS", "This is John.", "New York", "tab\tbed"]
    )
    assert set(found) == {*words, "knight", "日本"}  # a spelling that is there goes before n-grams
    for word, vector in found.items():
        np.testing.assert_allclose(vector, model.wv[word], atol=1e-6)
    assert "with a vector from character n-grams (in some spelling): knight" in str(source.notes[0])
    with pytest.raises(SourceError, match="this model has no subword vectors"):
        open_vectors(writers.gensim_kv(tmp_path) + "&oov=subword")
