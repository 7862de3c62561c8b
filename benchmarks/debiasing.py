"""Compare hard debiasing with WEFE's, word by word, and time all methods on many vectors.

Both use the bundled vectors and word sets, those whose words all have a vector. WEFE computes in
single precision. The second table is of ours alone, on random vectors.

Usage::

    python benchmarks/debiasing.py                        # makes an environment for WEFE
    python benchmarks/debiasing.py --wefe-python PATH/TO/python
    python benchmarks/debiasing.py --no-wefe --rows 400000 --dim 50
"""

from __future__ import annotations

import argparse
import json
import subprocess
import tempfile
import time
from itertools import islice, product
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np
from caliskan import CACHE, HERE, machine, wefe_environment

import eatlas
from eatlas_vocabulary.sources.debiasing import FAMILIES, bias_sets

METHODS = ("hard-debias", "soft-debias", "inlp")


def main() -> None:
    arguments = parse_arguments()
    if not arguments.no_wefe:
        compare(arguments)
    source = many(arguments.rows, arguments.dim)
    print(f"{arguments.rows:,} x {arguments.dim}, seconds{'fit':>14} {'all words':>10}")
    for method in METHODS:
        start = time.perf_counter()
        debiased = eatlas.transformed(source, f"{method}:gender")
        debiased.lookup(["she"])
        fitted = time.perf_counter()
        words = sum(len(rows) for _, rows in debiased.iter_chunks())
        done = time.perf_counter()
        print(f"{method:26} {fitted - start:11.2f} {done - fitted:10.2f}  ({words:,} words)")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare hard debiasing with WEFE's.")
    parser.add_argument("--wefe-python", type=Path, help="Python of an environment with WEFE")
    parser.add_argument("--venv", type=Path, default=CACHE, help="folder for WEFE's environment")
    parser.add_argument("--no-wefe", action="store_true", help="only time ours")
    parser.add_argument("--rows", type=int, default=400_000)
    parser.add_argument("--dim", type=int, default=50)
    return parser.parse_args()


def compare(arguments: argparse.Namespace) -> None:
    """Print the largest difference of a component and the seconds of both, by family."""
    plain = eatlas.open_vectors("glove-sample")
    words = [word for some, _ in plain.iter_chunks() for word in some]
    python = arguments.wefe_python or wefe_environment(arguments.venv)
    with tempfile.TemporaryDirectory() as folder:
        sets, vectors, out = (Path(folder, one) for one in ("sets.json", "v.vec", "out.npz"))
        sets.write_text(json.dumps([found(one, set(words)) for one in FAMILIES]))
        eatlas.write_vectors(plain, vectors)
        command = [
            str(python),
            str(HERE / "_wefe_debias_runner.py"),
            *map(str, (sets, vectors, out)),
        ]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        report, theirs = json.loads(text), dict(np.load(out))
    print(machine(report["versions"]))
    print(f"{'family':10} {'words':>7} {'largest difference':>19} {'s':>6} {'WEFE s':>7}")
    for family in FAMILIES:
        start = time.perf_counter()
        source = eatlas.transformed(plain, f"hard-debias:{family}")
        ours = np.concatenate([rows for _, rows in source.iter_chunks()])
        seconds = time.perf_counter() - start
        largest = np.abs(ours - theirs[family]).max()
        times = f"{seconds:6.2f} {report['seconds'][family]:7.2f}"
        print(f"{family:10} {len(words):7,} {largest:19.1e} {times}")


def found(family: str, words: set[str]) -> dict[str, Any]:
    """The sets of a family whose words all have a vector, in lower case as the vectors."""
    sets = bias_sets(family)
    defining = [[word.lower() for word in one] for one in sets.defining]
    equalize = [[word.lower() for word in one] for one in sets.equalize]
    return {
        "family": family,
        "defining": [one for one in defining if words.issuperset(one)],
        "equalize": [one for one in equalize if words.issuperset(one)],
        "specific": sorted(sets.specific),
    }


def many(rows: int, dim: int) -> Any:
    """Random vectors, the words of the gender sets among them."""
    sets = bias_sets("gender")
    first = {word.lower() for one in sets.defining for word in one} | sets.specific
    made = ("".join(letters) for letters in product(ascii_lowercase, repeat=5))
    words = list(dict.fromkeys([*sorted(first), *islice(made, rows)]))[:rows]
    vectors = np.random.default_rng(0).standard_normal((len(words), dim)).astype(np.float32)
    return eatlas.ArraySource(words, vectors)


if __name__ == "__main__":
    main()
