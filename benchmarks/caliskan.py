"""Time the ten Caliskan tests here and in WEFE, and print the ratio.

WEFE samples 10,000 permutations for one tail of WEAT and takes about an hour for the ten tests;
we count all of them for three tails (or, where there are too many, invert to a stated error), for
one statistic (WEAT) or three (ML-EAT). Both use the bundled vectors. Only the computation is timed:
files are read and compiled code is warm before. Run it on a quiet machine: on a busy one the
ratios came out at half of what they were.

Usage::

    python benchmarks/caliskan.py                             # makes an environment for WEFE
    python benchmarks/caliskan.py --wefe-python PATH/TO/python
    python benchmarks/caliskan.py --wefe-output FILE          # what the runner printed earlier

WEFE's pinned packages (wefe-requirements.txt) need Python 3.11 or 3.12.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import subprocess
import sys
import tempfile
import time
import venv
from collections import Counter
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import eatlas

HERE = Path(__file__).resolve().parent
CACHE = Path.home() / ".cache" / "eatlas-benchmarks" / "wefe"
ROLES = ("X", "Y", "A", "B")
MEASURES = ("weat", "ml-eat")


def main() -> None:
    arguments = parse_arguments()
    tests = list(eatlas.load_tests("caliskan"))
    source = eatlas.open_vectors("glove-sample")
    ours = {name: time_ours(tests, source, name, arguments.repeats) for name in MEASURES}
    theirs = run_wefe(arguments, tests, source)
    check_same_question(ours["weat"]["results"], theirs["tests"])
    print(machine(theirs["versions"]))
    print(table(tests, ours, theirs))
    print(verdict(ours, theirs))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time the Caliskan tests here and in WEFE.")
    parser.add_argument("--wefe-python", type=Path, help="Python of an environment with WEFE")
    parser.add_argument("--wefe-output", type=Path, help="use what the runner printed earlier")
    parser.add_argument("--venv", type=Path, default=CACHE, help="folder for WEFE's environment")
    parser.add_argument("--iterations", type=int, default=10_000, help="permutations WEFE draws")
    parser.add_argument("--repeats", type=int, default=5, help="runs here; the best counts")
    return parser.parse_args()


def time_ours(tests: list[Any], source: Any, measure: str, repeats: int) -> dict[str, Any]:
    """Best wall-clock seconds of each test alone and of the battery, after one warm-up."""

    def run(chosen: list[Any]) -> Any:
        return eatlas.run(tests=chosen, vectors=source, measures=[measure])

    results = run(tests)
    for failure in results.failures:
        raise SystemExit(f"{measure} failed on {failure.test}: {failure.error}")
    each = {test.id: best(partial(run, [test]), repeats) for test in tests}
    return {"results": results, "seconds": each, "total": best(partial(run, tests), repeats)}


def best(call: Callable[[], object], repeats: int) -> float:
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def run_wefe(arguments: argparse.Namespace, tests: list[Any], source: Any) -> dict[str, Any]:
    """What the runner prints, with its tests by id."""
    if arguments.wefe_output is not None:
        text = arguments.wefe_output.read_text(encoding="utf-8")
    else:
        python = arguments.wefe_python or wefe_environment(arguments.venv)
        with tempfile.TemporaryDirectory() as folder:
            paths = write_inputs(Path(folder), tests, source)
            options = ["--iterations", str(arguments.iterations)]
            command = [str(python), str(HERE / "_wefe_runner.py"), *map(str, paths), *options]
            text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    report: dict[str, Any] = json.loads(text)
    return report | {"tests": {test["id"]: test for test in report["tests"]}}


def wefe_environment(folder: Path) -> Path:
    """Python of an environment with WEFE, made if it is not there yet."""
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    done = folder / "installed"
    if not done.exists():
        print(f"installing WEFE into {folder}", file=sys.stderr)
        venv.create(folder, with_pip=True)
        requirements = str(HERE / "wefe-requirements.txt")
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", requirements], check=True)
        done.touch()
    return python


def write_inputs(folder: Path, tests: list[Any], source: Any) -> tuple[Path, Path]:
    """Tests as JSON and their vectors as word2vec text; words that have no vector are left out."""
    groups = {
        test.id: {role: [term.lower() for term in test.concept(role).terms] for role in ROLES}
        for test in tests
    }
    words = {word for test in groups.values() for terms in test.values() for word in terms}
    vectors = source.lookup(sorted(words))
    listed = [
        {"id": name} | {role: [w for w in terms if w in vectors] for role, terms in roles.items()}
        for name, roles in groups.items()
    ]
    lines = [f"{len(vectors)} {source.dim}"]
    lines += [f"{word} {' '.join(map(str, row.tolist()))}" for word, row in vectors.items()]
    (folder / "tests.json").write_text(json.dumps(listed), encoding="utf-8")
    (folder / "vectors.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "tests.json", folder / "vectors.txt"


def check_same_question(results: Any, theirs: dict[str, Any]) -> None:
    """Both must find the same effect, or the times compare different work."""
    for result in results:
        size = sum(result.level1.n)
        expected = result.level1.effect_size * math.sqrt(size / (size - 1))
        # WEFE works in float32, and differs from us by 1e-7 at most on these tests.
        if abs(theirs[result.test]["effect_size"] - expected) > 1e-5:
            raise SystemExit(f"{result.test}: WEFE measured other words or vectors")


def table(tests: list[Any], ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    head = f"{'':8} {'d':>6} {'WEFE d':>7} {'p':>10} {'WEFE p':>8}"
    head += f" {'WEAT s':>9} {'ML-EAT s':>9} {'WEFE s':>9} {'/ WEAT':>9} {'/ ML-EAT':>9}"
    lines = [head]
    for test in tests:
        level = ours["weat"]["results"][test.id].level1
        weat, ml_eat = (ours[name]["seconds"][test.id] for name in MEASURES)
        wefe = theirs["tests"][test.id]
        seconds = wefe["seconds"]
        lines.append(
            f"{test.id:8} {level.effect_size:6.3f} {wefe['effect_size']:7.3f}"
            f" {level.p.greater:10.3g} {wefe['p_value']:8.2g} {weat:9.4f} {ml_eat:9.4f}"
            f" {seconds:9.2f} {seconds / weat:9,.0f} {seconds / ml_eat:9,.0f}"
        )
    return "\n".join(lines)


def verdict(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """Totals of the battery, and the ratios that this benchmark is for."""
    wall = sum(test["seconds"] for test in theirs["tests"].values())
    cpu = sum(test["cpu_seconds"] for test in theirs["tests"].values())
    drawn = theirs["options"]["p_value_iterations"]
    lines = [
        "d: ours divides by N - 1, WEFE's by N.",
        f"WEFE, {drawn:,} permutations, one tail, one run: {wall:.1f} s (CPU {cpu:.1f} s)",
    ]
    for name in MEASURES:
        total = ours[name]["total"]
        lines.append(
            f"{name}, {methods(ours[name]['results'])}, three tails, ten tests in one run, best: "
            f"{total:.4f} s; WEFE / {name} = {wall / total:,.0f} ({cpu / total:,.0f} by CPU time)"
        )
    return "\n".join(lines)


def methods(results: Any) -> str:
    """How the p-values of a measure were found, at levels 1 and 2, with the number of each."""
    levels = [level for result in results for level in (result.level1, *levels_2(result))]
    found = Counter(level.p.method_of("greater") for level in levels)
    return ", ".join(f"{number} {method}" for method, number in found.items())


def levels_2(result: Any) -> tuple[Any, ...]:
    """Level 2 of X and of Y, where the measure has it."""
    return (result.level2.X, result.level2.Y) if hasattr(result, "level2") else ()


def machine(wefe_versions: dict[str, str]) -> str:
    ours = {name: version(name) for name in ("numpy", "numba")}
    ours = {"python": platform.python_version(), "eatlas": eatlas.__version__} | ours
    return "\n".join(
        [
            f"{platform.platform()}, {processor()}, {os.cpu_count()} cores",
            "here: " + ", ".join(f"{name} {number}" for name, number in ours.items()),
            "WEFE: " + ", ".join(f"{name} {number}" for name, number in wefe_versions.items()),
            "",
        ]
    )


def processor() -> str:
    """Model of the processor where Linux tells it, else what Python knows."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        lines = info.read_text(encoding="utf-8").splitlines()
        models = [line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")]
        if models:
            return models[0]
    return platform.processor() or "unknown processor"


if __name__ == "__main__":
    main()
