"""Time WEAT in WEFE; run by the Python of an environment that has WEFE, not by ours.

Usage: python _wefe_runner.py TESTS.json VECTORS.txt [--iterations 10000]

TESTS.json is a list of ``{"id", "X", "Y", "A", "B"}`` with lists of words that all have a vector;
VECTORS.txt is in the text format of word2vec. Prints one JSON object. Loading is not timed.
"""

from __future__ import annotations

import argparse
import json
import platform
import time
from importlib.metadata import version
from pathlib import Path
from typing import Any

from gensim.models import KeyedVectors
from wefe.metrics import WEAT
from wefe.query import Query
from wefe.word_embedding_model import WordEmbeddingModel

PACKAGES = ("wefe", "gensim", "numpy", "scipy", "scikit-learn", "pandas")


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
    """Run one test once; the clocks run for ``run_query`` alone.

    CPU seconds of the process stand beside wall-clock seconds to show whether it had to wait.
    """
    query = Query([test["X"], test["Y"]], [test["A"], test["B"]], ["X", "Y"], ["A", "B"])
    weat = WEAT()
    start, start_cpu = time.perf_counter(), time.process_time()
    result = weat.run_query(query, model, **options)
    seconds, cpu = time.perf_counter() - start, time.process_time() - start_cpu
    return {
        "id": test["id"],
        "effect_size": float(result["effect_size"]),
        "p_value": float(result["p_value"]),
        "seconds": seconds,
        "cpu_seconds": cpu,
    }


if __name__ == "__main__":
    main()
