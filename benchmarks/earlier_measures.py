"""Compare RND, MAC, RIPA, ECT and RNSB with WEFE's, over all bundled tests of words.

Both use the bundled vectors and the words that have one. Tests of groups are measured as they are,
those of more than two groups by MAC; of association tests X and Y are the groups, A and B the
targets. RIPA takes the pairs of a test, or else, for the comparison alone, the words of both groups
in their order. Only the computation is timed, the best of some runs, without p-values, which WEFE
does not have.

Usage::

    python benchmarks/earlier_measures.py                        # makes an environment for WEFE
    python benchmarks/earlier_measures.py --wefe-python PATH/TO/python --out comparison.csv

WEFE's pinned packages (wefe-requirements.txt) need Python 3.11 or 3.12.
"""

from __future__ import annotations

import argparse
import csv
import json
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from caliskan import CACHE, HERE, machine, wefe_environment

import eatlas

REASONS = {
    "rnsb, WEFE's tolerance": "WEFE lets the classifier stop at a tolerance of 1e-4, ours at 1e-10",
    "rnsb, WEFE's holdout": "WEFE trains on a random 80% of the words, ours on all",
}
SAME = 1e-6
LEAST = 2
"""Words of each list that have a vector."""


def main() -> None:
    arguments = parse_arguments()
    source = eatlas.open_vectors("glove-sample")
    tests = [test for test in map(with_vectors, bundled()) if test is not None]
    theirs = run_wefe(arguments, tests, source)
    rows = [
        compared(test, name, found, source, arguments.repeats)
        for test in tests
        for name, found in theirs["tests"][test.id].items()
    ]
    print(machine(theirs["versions"]))
    print(table(rows))
    if arguments.out:
        with arguments.out.open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(rows[0]))
            writer.writeheader()
            writer.writerows(rows)


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Compare earlier measures with WEFE's.")
    parser.add_argument("--wefe-python", type=Path, help="Python of an environment with WEFE")
    parser.add_argument("--venv", type=Path, default=CACHE, help="folder for WEFE's environment")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each; the best counts")
    parser.add_argument("--out", type=Path, help="CSV with every comparison")
    return parser.parse_args()


def bundled() -> list[Any]:
    """Bundled tests of words, as tests of groups."""
    tests = [test for name in eatlas.stimuli.battery_names() for test in eatlas.load_tests(name)]
    words = [t for t in tests if not any(one.sentences for one in t.concepts.values())]
    return [
        eatlas.GroupsTest.of_association(test, "XY") if test.kind == "association" else test
        for test in words
    ]


def with_vectors(test: Any) -> Any:
    """The test of the words that the bundled vectors have, with pairs; None if they are few."""
    try:
        covered = eatlas.MAC()(test, "glove-sample").coverage
    except eatlas.EatlasError:
        return None
    if any(len(group.used) < LEAST for group in covered.values()):
        return None
    used = {name: covered[name].used for name in covered}
    groups = [used[group.name] for group in test.groups]
    pairs = [
        pair
        for pair in test.pairs
        if all(term in group for term, group in zip(pair, groups, strict=True))
    ]
    concepts = {
        name: concept.model_copy(update={"terms": used[name]})
        for name, concept in test.concepts.items()
    }
    pairs = pairs or list(zip(*groups, strict=False))
    return type(test).of(concepts, id=test.id, reference=test.reference, pairs=pairs)


def run_wefe(arguments: argparse.Namespace, tests: list[Any], source: Any) -> dict[str, Any]:
    """What the runner prints."""
    python = arguments.wefe_python or wefe_environment(arguments.venv)
    with tempfile.TemporaryDirectory() as folder:
        paths = write_inputs(Path(folder), tests, source)
        command = [str(python), str(HERE / "_wefe_earlier_runner.py"), *map(str, paths)]
        command += ["--repeats", str(arguments.repeats)]
        text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    report: dict[str, Any] = json.loads(text)
    return report


def write_inputs(folder: Path, tests: list[Any], source: Any) -> tuple[Path, Path]:
    """Tests as JSON, in the spelling of the vectors, and their vectors as word2vec text."""
    listed, vectors = [], {}
    for test in tests:
        covered = eatlas.MAC()(test, source).coverage
        spelled = {k: v for group in covered.values() for k, v in group.found_as.items()}
        words = [spelled.get(term, term) for term in test.terms]
        vectors |= source.lookup(words)

        def as_found(terms: Any, spelled: Any = spelled) -> list[str]:
            return [spelled.get(term, term) for term in terms]

        listed.append(
            {
                "id": test.id,
                "targets": as_found(test.targets.terms),
                "groups": [as_found(group.terms) for group in test.groups],
                "pairs": [as_found(side) for side in zip(*test.pairs, strict=True)],
            }
        )
    lines = [f"{len(vectors)} {source.dim}"]
    lines += [f"{word} {' '.join(map(str, row.tolist()))}" for word, row in vectors.items()]
    (folder / "tests.json").write_text(json.dumps(listed), encoding="utf-8")
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "tests.json", folder / "vectors.txt"


def compared(
    test: Any, name: str, theirs: dict[str, float], source: Any, repeats: int
) -> dict[str, Any]:
    """One number here and in WEFE, and how long both took."""
    measure = eatlas.get_measure(name.partition(", ")[0])
    if hasattr(measure, "draws"):
        measure = measure.with_parameters(permutations=0)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        value = measure(test, source).value
        times.append(time.perf_counter() - start)
    return {
        "measure": name,
        "test": test.id,
        "ours": value,
        "WEFE": theirs["value"],
        "difference": abs(value - theirs["value"]),
        "seconds": min(times),
        "WEFE_seconds": theirs["seconds"],
        "reason": REASONS.get(name, ""),
    }


def table(rows: list[dict[str, Any]]) -> str:
    """The largest difference and the median ratio of times of each measure."""
    heads = f"{'largest difference':>19} {'ms':>7} {'WEFE ms':>8} {'ratio':>6}"
    lines = [f"{'':34} {'tests':>5} {heads}"]
    for name in dict.fromkeys(row["measure"] for row in rows):
        some = [row for row in rows if row["measure"] == name]
        largest = max(row["difference"] for row in some)
        ours, theirs = (median(row[k] for row in some) for k in ("seconds", "WEFE_seconds"))
        ratio = median(row["WEFE_seconds"] / row["seconds"] for row in some)
        remark = REASONS.get(name, "the same" if largest < SAME else "OTHER NUMBERS")
        lines.append(
            f"{name:34} {len(some):5} {largest:19.2g} {1000 * ours:7.1f} {1000 * theirs:8.1f}"
            f" {ratio:6.2f}  {remark}"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    main()
