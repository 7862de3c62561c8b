"""Time the ten Caliskan tests here and in WEFE, each at two settings, and print the ratios.

``eatlas.run`` at its defaults computes exact p-values of three tails, intervals, the association
adjusted for word frequency, a baseline of random topics and what a reader should know; with all of
that off, effect sizes and p-values alone. WEFE at its defaults computes an effect size alone; with
``calculate_p_value=True`` it samples permutations, 10,000 by default, for one tail. Both use the
bundled vectors, in processor seconds. Only the computation is timed: files are read and modules
loaded before. WEFE's time grows in proportion to its permutations, so that with fewer
``--iterations`` the time for 10,000 is extrapolated.

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
from importlib.metadata import version
from pathlib import Path
from typing import Any

import eatlas

HERE = Path(__file__).resolve().parent
CACHE = Path.home() / ".cache" / "eatlas-benchmarks" / "wefe"
ROLES = ("X", "Y", "A", "B")
OFF = "(resamples=0,frequency=off,adjust=none)"
SETTINGS = {
    "weat": "weat, defaults",
    f"weat{OFF}": "weat, all optional parts off",
    "ml-eat": "ml-eat, defaults",
    f"ml-eat{OFF}": "ml-eat, all optional parts off",
}
DEFAULT_ITERATIONS = 10_000
"""Permutations that WEFE samples by default if a p-value is wanted."""


def main() -> None:
    arguments = parse_arguments()
    tests = list(eatlas.load_tests("caliskan"))
    source = eatlas.open_vectors("glove-sample")
    ours = {name: time_ours(tests, source, name, arguments.repeats) for name in SETTINGS}
    theirs = run_wefe(arguments, tests, source)
    check_same_question(ours["weat"]["results"], theirs["tests"])
    print(machine(theirs["versions"]))
    print(table(tests, ours["weat"]["results"], theirs))
    print(verdict(ours, theirs))


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Time the Caliskan tests here and in WEFE.")
    parser.add_argument("--wefe-python", type=Path, help="Python of an environment with WEFE")
    parser.add_argument("--wefe-output", type=Path, help="use what the runner printed earlier")
    parser.add_argument("--venv", type=Path, default=CACHE, help="folder for WEFE's environment")
    parser.add_argument("--iterations", type=int, default=10_000, help="permutations of WEFE")
    parser.add_argument("--repeats", type=int, default=5, help="runs here; the best counts")
    return parser.parse_args()


def time_ours(tests: list[Any], source: Any, measure: str, repeats: int) -> dict[str, Any]:
    """Results, and the least processor seconds of several runs of all tests, after one run."""

    def run() -> Any:
        return eatlas.run(tests=tests, vectors=source, measures=[measure])

    results = run()
    for failure in results.failures:
        raise SystemExit(f"{measure} failed on {failure.test}: {failure.error}")
    times = []
    for _ in range(repeats):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return {"results": results, "seconds": min(times)}


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


def table(tests: list[Any], results: Any, theirs: dict[str, Any]) -> str:
    """Effect size and one-sided p-value of each test, here and there."""
    lines = [f"{'':8} {'d':>6} {'WEFE d':>7} {'p':>10} {'WEFE p':>8}"]
    for test in tests:
        level, wefe = results[test.id].level1, theirs["tests"][test.id]
        lines.append(
            f"{test.id:8} {level.effect_size:6.3f} {wefe['effect_size']:7.3f}"
            f" {level.p.greater:10.3g} {wefe['p_value']:8.2g}"
        )
    return "\n".join(lines)


def verdict(ours: dict[str, Any], theirs: dict[str, Any]) -> str:
    """Processor seconds for the ten tests, and the ratios that this benchmark is for."""
    sampled = theirs["options"]["p_value_iterations"]
    defaults, with_p = (
        sum(test[key] for test in theirs["tests"].values()) for key in ("defaults", "with_p")
    )
    whole = defaults + (with_p - defaults) * DEFAULT_ITERATIONS / sampled
    lines = [
        "d: ours divides by N - 1, WEFE's by N.",
        f"WEFE, defaults, no p-value: {defaults:.3f} s",
        f"WEFE, one tail, {sampled:,} permutations: {with_p:.1f} s;"
        f" {DEFAULT_ITERATIONS:,}: {whole:.0f} s",
    ]
    for name, setting in SETTINGS.items():
        seconds, results = ours[name]["seconds"], ours[name]["results"]
        lines.append(
            f"{setting}: {seconds:.3f} s; WEFE takes {defaults / seconds:.2f} times as long without"
            f" p-values, {whole / seconds:,.0f} times with them ({methods(results)})"
        )
    return "\n".join(lines)


def methods(results: Any) -> str:
    """How the p-values of a measure were found, at levels 1 and 2, with the number of each."""
    levels = [level for result in results for level in (result.level1, *levels_2(result))]
    found = Counter(level.p.method_of("greater") for level in levels)
    return ", ".join(f"{number} {method}" for method, number in found.items())


def levels_2(result: Any) -> tuple[Any, ...]:
    """Level 2 of X and of Y, where the measure has it."""
    level2 = getattr(result, "level2", None)
    return () if level2 is None else (level2.X, level2.Y)


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
