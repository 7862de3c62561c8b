"""What a study adds to the measuring: 1,000 static jobs on the bundled sample.

    python benchmarks/multiverse.py [--repeats 3] [--workers N]

Prints the median time of ``eatlas multiverse`` (a process of its own: start, plan, jobs, store, all
files and the report) for 5 tests x 2 transforms x 2 ddof x 2 tails x 25 seeds; of the same jobs by
a bare loop of ``eatlas.run``, one call for each job, nothing written, in a process of its own,
with its start; and the ratio of both. The goal is 20 s on two processor cores. The last line is
processor time of one process for a specification, where half of them have a studentised statistic,
beside those that have none; both times 5 seeds.
"""

from __future__ import annotations

import argparse
import itertools
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

TESTS = [f"weat-{n}" for n in range(6, 11)]
TRANSFORMS = {"as-published": "none", "centered": "center"}
DDOF, TAILS, SEEDS = (1, 0), ("directional", "two-sided"), range(25)
GOAL = 20.0
PLAN = f"""\
[study]
tests = {TESTS!r}
measures = ["ml-eat"]
[choices]
transform = {{ {", ".join(f'{k} = "{v}"' for k, v in TRANSFORMS.items())} }}
ddof = {list(DDOF)}
tail = {list(TAILS)!r}
seed = {list(SEEDS)}
"""


def cost(plan_text: str) -> float:
    """Processor seconds of ``eatlas multiverse`` for a specification."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as folder:
        plan, out = Path(folder) / "plan.toml", Path(folder) / "out"
        plan.write_text(plan_text, encoding="utf-8")
        timed([sys.executable, "-m", "eatlas", "multiverse", str(plan), "--out", str(out),
               "--workers", "1"])  # fmt: skip
        count = len((out / "results.jsonl").read_text(encoding="utf-8").splitlines())
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (used.ru_utime - before.ru_utime + used.ru_stime - before.ru_stime) / count


def bare_loop() -> list[float | None]:
    """The same jobs one by one, as the results of a study are: no intervals, no random lists."""
    import eatlas  # noqa: PLC0415  (the start is timed)

    found = []
    for test, transform, ddof, tail, seed in itertools.product(
        TESTS, TRANSFORMS.values(), DDOF, TAILS, SEEDS
    ):
        vectors = "glove-sample" if transform == "none" else f"glove-sample?transform={transform}"
        measure = eatlas.MLEAT(ddof=ddof, tail=tail, resamples=0, frequency="off")
        (result,) = eatlas.run([test], vectors, [measure], seed=seed)
        found.append(result.effects()[0].d)
    return found


def timed(command: list[str]) -> float:
    """Seconds of a command."""
    begun = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--bare", action="store_true", help="the bare loop alone; prints nothing")
    given = parser.parse_args()
    if given.bare:
        bare_loop()
        return
    study, bare = [], []
    for _ in range(given.repeats):
        with tempfile.TemporaryDirectory() as folder:
            plan, out = Path(folder) / "plan.toml", Path(folder) / "out"
            plan.write_text(PLAN, encoding="utf-8")
            command = [sys.executable, "-m", "eatlas", "multiverse", str(plan), "--out", str(out)]
            workers = ["--workers", str(given.workers)] if given.workers else []
            study.append(timed([*command, *workers]))
            require_same(out)
            page = (out / "report.html").stat().st_size
        bare.append(timed([sys.executable, __file__, "--bare"]))
    ours, theirs = statistics.median(study), statistics.median(bare)
    print(f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores")
    print(f"eatlas multiverse, 1,000 jobs: {ours:.1f} s (goal {GOAL:.0f} s); report {page:,} bytes")
    print(f"bare loop of eatlas.run: {theirs:.1f} s; ratio {ours / theirs:.2f}")
    few = PLAN.replace(f"{list(SEEDS)}", f"{list(SEEDS)[:5]}")
    both = cost(f'{few}statistic = ["difference", "studentised"]\n')
    alone = cost(few)
    print(f"a specification, half studentised: {both * 1e3:.0f} ms; {both / alone:.2f} times")
    print(f"all: {', '.join(f'{one:.1f}' for one in study)}; {', '.join(f'{o:.1f}' for o in bare)}")


def require_same(out: Path) -> None:
    """Refuse to compare times of different numbers."""
    import eatlas  # noqa: PLC0415

    found = [one.d for one in eatlas.read_study(out).record.specifications]
    if not require_same.__dict__.setdefault("expected", bare_loop()) == found:
        raise SystemExit("the study and the bare loop found different effect sizes")


if __name__ == "__main__":
    main()
