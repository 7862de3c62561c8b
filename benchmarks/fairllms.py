"""Time WEAT in fairllms 0.2.0 beside eatlas: the ten Caliskan tests on the bundled vectors.

Usage: pip download --no-deps fairllms==0.2.0, unzip the wheel into FOLDER, then
python benchmarks/fairllms.py FOLDER

Only its functions of arrays are loaded, so that its other dependencies are not needed. Both get
the same vectors, and loading is not timed.
"""

from __future__ import annotations

import importlib.util
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import eatlas


def functions(folder: Path) -> Any:
    """The module with its association, effect size and permutation test."""
    path = folder / "fairllms" / "utils" / "association.py"
    spec = importlib.util.spec_from_file_location("association", path)
    if spec is None or spec.loader is None:
        raise SystemExit(f"{path}: not found")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def main(folder: str) -> None:
    """Print both times, and how far effect sizes and p-values are apart."""
    theirs = functions(Path(folder))
    source = eatlas.open_vectors("glove-sample")
    results = eatlas.run(measures="weat", vectors=source)
    seconds, worst_d, worst_p = 0.0, 0.0, 0.0
    np.random.seed(0)  # noqa: NPY002  (its permutation test uses the global state)
    for result in results:
        groups = {role: result.coverage.group(role) for role in "XYAB"}
        keys = {role: [one.found_as.get(w, w) for w in one.used] for role, one in groups.items()}
        found = source.lookup([key for group in keys.values() for key in group])
        vectors = {role: np.array([found[key] for key in group]) for role, group in keys.items()}
        begun = time.process_time()
        x, y = (
            [theirs.association_vectorized(t, vectors["A"], vectors["B"]) for t in vectors[side]]
            for side in "XY"
        )
        d, refused = theirs.cohens_d(x, y), len(x) != len(y)
        p = None if refused else theirs.permutation_pval(x, y)
        seconds += time.process_time() - begun
        worst_d = max(worst_d, abs(d - result.effect_size))
        exact = result.level1.p.greater
        print(f"{result.test:8} d {d:.4f} {result.effect_size:.4f}  p {p or 'refused'} {exact:.2g}")
        worst_p = max(worst_p, 0.0 if p is None else abs(p - exact))
    begun = time.process_time()
    eatlas.run(measures="weat(resamples=0)", vectors=source, frequency="off")
    ours = time.process_time() - begun
    print(f"fairllms {seconds:.2f} s, eatlas {ours:.2f} s with look-up and records")
    print(f"d differs by {worst_d:.1g} at most")
    print(f"p differs by {worst_p:.1g} at most")


if __name__ == "__main__":
    main(sys.argv[1])
