"""What the engine adds to the measuring, and how runs grow: jobs on the bundled sample.

    python benchmarks/engine.py [--jobs 1000]

Prints the time of as many jobs (weat-6 to weat-10 under as many levels of alpha as it takes, by
ML-EAT) measured one by one without the engine, by the engine in this process with a store, and by
the engine in two processes with a store; and the overhead a job.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import eatlas
from eatlas.engine import Store, execute, make_plan
from eatlas.executors import Processes, here

TESTS = [f"weat-{n}" for n in range(6, 11)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--jobs", type=int, default=1000)
    jobs = parser.parse_args().jobs
    measures = [eatlas.MLEAT(alpha=0.05 + i * 1e-6) for i in range(jobs // len(TESTS))]
    begun = time.perf_counter()
    plan = make_plan(TESTS, "glove-sample", measures)
    planned = time.perf_counter() - begun
    execute(make_plan(TESTS, "glove-sample", measures[:1]))  # everything is imported and warm

    begun = time.perf_counter()
    bare = [job.measure(job.test, job.source) for job in plan]
    alone = time.perf_counter() - begun
    print(f"{len(bare)} jobs planned in {planned:.2f} s; measured without the engine {alone:.2f} s")
    for name, executor in (("one process", here), ("two processes", Processes(2))):
        with tempfile.TemporaryDirectory() as directory:
            begun = time.perf_counter()
            with Store(Path(directory)) as store:
                results = execute(plan, executor, store=store)
            spent = time.perf_counter() - begun
        per_job = (spent - alone) / len(results) * 1e3
        print(
            f"{name}, with a store: {spent:.2f} s, {len(results) / spent:.0f} jobs a second, "
            f"{per_job:+.2f} ms a job beside the measuring, ratio {spent / alone:.2f}"
        )


if __name__ == "__main__":
    main()
