"""Measure and time five metrics in WEFE; run by the Python of an environment that has WEFE.

Usage: python _wefe_earlier_runner.py TESTS.json VECTORS.txt [--repeats 5]

TESTS.json is a list of ``{"id", "targets", "groups", "pairs"}``: words that all have a vector;
``groups`` are lists, ``pairs`` the words of pairs, one list for each group. VECTORS.txt is in the
text format of word2vec. Prints one JSON object: by test and measure the number and the best
seconds. Loading is not timed.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
import warnings
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gensim.models import KeyedVectors
from wefe.metrics import ECT, MAC, RIPA, RND, RNSB
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel

PACKAGES = ("wefe", "gensim", "numpy", "scipy", "scikit-learn", "pandas")
CLASSIFIER = {"solver": "liblinear", "max_iter": 10_000}


def queries(test: dict[str, Any]) -> dict[str, tuple[Any, Query, dict[str, Any]]]:
    """Metric, query and options by the signature of ours that should give the same."""
    groups, targets, pairs = test["groups"], test["targets"], test["pairs"]
    names = [f"group {number}" for number in range(len(groups))]
    scored = Query([targets], groups, ["targets"], names)
    if len(groups) > 2:
        return {"mac": (MAC(), scored, {})}
    neutral = Query(groups, [targets], names, ["targets"])
    paired = Query(pairs, [targets], names, ["targets"])
    exact = {**CLASSIFIER, "tol": 1e-10}
    return {
        "rnd(vectors=raw)": (RND(), neutral, {}),
        "rnd": (RND(), neutral, {"normalize": True}),
        "rnd(distance=cosine,vectors=raw)": (RND(), neutral, {"distance": "cos"}),
        "mac": (MAC(), scored, {}),
        "ect": (ECT(), neutral, {}),
        "ect(vectors=unit)": (ECT(), neutral, {"normalize": True}),
        "rnsb": (RNSB(), scored, {"holdout": False, "estimator_params": exact}),
        "rnsb, WEFE's tolerance": (RNSB(), scored, {"holdout": False}),
        "rnsb, WEFE's holdout": (RNSB(), scored, {"random_state": 0}),
        "ripa(relation=mean)": (RIPA(), paired, {}),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure and time five metrics in WEFE.")
    parser.add_argument("tests", type=Path)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    model = WordEmbeddingModel(KeyedVectors.load_word2vec_format(str(arguments.vectors)), "sample")
    tests = {
        test["id"]: {
            name: measured(model, arguments.repeats, *query)
            for name, query in queries(test).items()
        }
        for test in json.loads(arguments.tests.read_text(encoding="utf-8"))
    }
    versions = {"python": platform.python_version()} | {p: version(p) for p in PACKAGES}
    print(json.dumps({"versions": versions, "tests": tests}))


def measured(
    model: WordEmbeddingModel, repeats: int, metric: Any, query: Query, options: dict[str, Any]
) -> dict[str, float]:
    """The number, and the best seconds of some runs."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        # what WEFE changes in its options would show in the next run
        found = metric.run_query(query, model, **json.loads(json.dumps(options)))
        times.append(time.perf_counter() - start)
    return {"value": float(found["result"]), "seconds": min(times)}


if __name__ == "__main__":
    main()
