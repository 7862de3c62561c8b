"""Time WEAT in WEFE; run by the Python of an environment that has WEFE, not by ours.

Usage: python _wefe_runner.py TESTS.json VECTORS.txt [--iterations 10000]

TESTS.json is a list of ``{"id", "X", "Y", "A", "B"}`` with lists of words that all have a vector;
VECTORS.txt is in the text format of word2vec. Each test runs at WEFE's defaults, which have no
p-value, and with a p-value from random permutations. Prints one JSON object with processor seconds.
Loading is not timed.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gensim.models import KeyedVectors
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel

PACKAGES = ("wefe", "gensim", "numpy", "scipy", "scikit-learn", "pandas")
RUNS = 5


def main() -> None:
    parser = argparse.ArgumentParser(description="Time WEAT in WEFE.")
    parser.add_argument("tests", type=Path)
    parser.add_argument("vectors", type=Path)
    parser.add_argument("--iterations", type=int, default=10_000)
    arguments = parser.parse_args()
    model = WordEmbeddingModel(KeyedVectors.load_word2vec_format(str(arguments.vectors)), "sample")
    options = {
        "calculate_p_value": True,
        "p_value_test_type": "right-sided",
        "p_value_method": "approximate",
        "p_value_iterations": arguments.iterations,
    }
    tests = json.loads(arguments.tests.read_text(encoding="utf-8"))
    report = {
        "versions": {"python": platform.python_version()} | {p: version(p) for p in PACKAGES},
        "options": options,
        "tests": [time_one(test, model, options) for test in tests],
    }
    print(json.dumps(report))


def time_one(
    test: dict[str, Any], model: WordEmbeddingModel, options: dict[str, Any]
) -> dict[str, Any]:
    """Run one test at the defaults, the best of several runs, and once with a p-value."""
    query = Query([test["X"], test["Y"]], [test["A"], test["B"]], ["X", "Y"], ["A", "B"])
    weat = WEAT()
    defaults = min(seconds(lambda: weat.run_query(query, model)) for _ in range(RUNS))
    found: list[dict[str, Any]] = []
    with_p = seconds(lambda: found.append(weat.run_query(query, model, **options)))
    return {
        "id": test["id"],
        "effect_size": float(found[0]["effect_size"]),
        "p_value": float(found[0]["p_value"]),
        "defaults": defaults,
        "with_p": with_p,
    }


def seconds(call: Callable[[], object]) -> float:
    """Processor seconds of the process."""
    start = time.process_time()
    call()
    return time.process_time() - start


if __name__ == "__main__":
    main()
