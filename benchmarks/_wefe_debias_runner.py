"""Debias in WEFE; run by the Python of an environment that has WEFE, not by ours.

Usage: python _wefe_debias_runner.py SETS.json VECTORS.txt OUT.npz

SETS.json is a list of ``{"family", "defining", "equalize", "specific"}``; VECTORS.txt is in the
text format of word2vec. Writes the debiased vectors of each family, in the order of the words, and
prints one JSON object with versions and seconds. Loading is not timed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import platform
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np
from gensim.models import KeyedVectors
from wefe.debias.hard_debias import HardDebias
from wefe.debias.multiclass_hard_debias import MulticlassHardDebias
from wefe.word_embedding_model import WordEmbeddingModel

PACKAGES = ("wefe", "gensim", "numpy", "scipy", "scikit-learn", "pandas")


def main() -> None:
    parser = argparse.ArgumentParser(description="Debias in WEFE.")
    parser.add_argument("sets", type=Path)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("out", type=Path)
    arguments = parser.parse_args()
    model = WordEmbeddingModel(KeyedVectors.load_word2vec_format(str(arguments.vectors)), "sample")
    seconds, found = {}, {}
    for one in json.loads(arguments.sets.read_text(encoding="utf-8")):
        start = time.perf_counter()
        with contextlib.redirect_stdout(sys.stderr):
            found[one["family"]] = debiased(model, one)
        seconds[one["family"]] = time.perf_counter() - start
    np.savez(arguments.out, **found)
    versions = {"python": platform.python_version()} | {p: version(p) for p in PACKAGES}
    print(json.dumps({"versions": versions, "seconds": seconds}))


def debiased(model: WordEmbeddingModel, sets: dict[str, list]) -> np.ndarray:
    """All vectors after hard debiasing: of pairs, or of sets of several."""
    if len(sets["defining"][0]) == 2:
        method = HardDebias().fit(model, sets["defining"], equalize_pairs=sets["equalize"])
    else:
        components = {"n_components": len(sets["defining"][0]) - 1}
        method = MulticlassHardDebias(pca_args=components)
        method.fit(model, sets["defining"], equalize_sets=sets["equalize"])
    return np.asarray(method.transform(model, ignore=sets["specific"]).wv.vectors)


if __name__ == "__main__":
    main()
