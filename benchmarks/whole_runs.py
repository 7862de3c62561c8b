"""Whole processes of ``eatlas run`` of this version beside those of another, in turns.

    git worktree add /tmp/before REVISION
    python benchmarks/whole_runs.py /tmp/before [--runs 6] [-- ARGUMENTS OF EATLAS]

Prints processor time (of the process and of the system for it), time by the clock, and peak memory
of each: the median of the runs, after one of each that is not counted; the median of the ratios of
runs that follow each other; and how many modules of eatlas a run of one test loads. By default the
ten Caliskan tests on the bundled vectors, with results and report, by one process; then also this
version with as many processes as it chooses. The machine's other work moves times by the clock a
lot, processor time less, and ratios least. Not for Windows, which has no `wait4`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

HERE = Path(__file__).parents[1]
FIGURES = ("CPU s", "clock s", "peak MB")
COUNT = (
    "import sys\n"
    "from eatlas.cli import main\n"
    "try:\n    main()\nexcept SystemExit:\n    pass\n"
    "print(sum(name.split('.')[0] == 'eatlas' for name in sys.modules), file=sys.stderr)"
)


def measured(source: Path, command: list[str], folder: str) -> tuple[float, float, float]:
    """Processor time, time by the clock and peak memory of one run."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "eatlas", *command],
        env=os.environ | {"PYTHONPATH": str(source / "src")},
        cwd=folder,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    spent = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{source}: eatlas ended with exit code {process.returncode}")
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return used.ru_utime + used.ru_stime, spent, used.ru_maxrss / unit


def modules_of(source: Path, folder: str) -> int:
    """Modules of eatlas that a run of one test loads."""
    done = subprocess.run(
        [sys.executable, "-c", COUNT, "run", "--tests", "weat-6"],
        env=os.environ | {"PYTHONPATH": str(source / "src")},
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    return int(done.stderr.split()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("before", type=Path, help="checkout of the other version")
    parser.add_argument("--runs", type=int, default=6)
    end = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    given, command = parser.parse_args(sys.argv[1:end]), sys.argv[end + 1 :]
    sources = {"before": given.before.resolve(), "now": HERE}
    one_process = command or ["run", "--workers", "1"]
    runs = {name: (source, one_process) for name, source in sources.items()}
    if not command:
        runs["chosen"] = HERE, ["run"]
    found: dict[str, list[tuple[float, float, float]]] = {name: [] for name in runs}
    with tempfile.TemporaryDirectory() as folder:
        for turn in range(given.runs + 1):
            for name, (source, arguments) in runs.items():
                figures = measured(source, arguments, folder)
                if turn:  # the first compiles and fills caches
                    found[name].append(figures)
        modules = {name: modules_of(source, folder) for name, source in sources.items()}
    print(f"{'':8}", *(f"{figure:>9}" for figure in FIGURES), "  modules")
    for name, figures in found.items():
        medians = (median(column) for column in zip(*figures, strict=True))
        print(f"{name:8}", *(f"{value:9.2f}" for value in medians), f"{modules.get(name, ''):9}")
    for name, over in (("now", "before"), ("chosen", "now"))[: len(runs) - 1]:
        pairs = list(zip(found[name], found[over], strict=True))
        ratios = (median(one[i] / other[i] for one, other in pairs) for i in range(len(FIGURES)))
        print(f"{name} / {over}", *(f"{ratio:9.2f}" for ratio in ratios))


if __name__ == "__main__":
    main()
