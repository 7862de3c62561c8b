"""A store of many results: memory of the run, bytes, seconds of frame, report and atlas.

Each source is a file with random vectors of the words of ten tests. Each size runs in a process of
its own, whose peak memory is that of the run alone.

    python benchmarks/store.py                   # 100,000 results, and 10,000 for comparison
    python benchmarks/store.py --count 12000 --copies 9

With copies, results are measured once, and the columns and pages are those of a store in which each
result also occurs on so many further sources of other names. Their effect sizes and intervals are
shifted at random, so that no page is small because numbers repeat.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from hashlib import sha256
from pathlib import Path

import numpy as np
import pyarrow as pa
from pyarrow import parquet

import eatlas
from eatlas.present.overview import overview_html
from eatlas.results.parquet import OWN

MEASURE = "weat(resamples=0,frequency=off,adjust=none)"
DIMENSIONS = 10


def write_sources(folder: Path, count: int) -> list[str]:
    """Write files of random vectors of the words of the tests."""
    terms = {term for test in eatlas.load_tests("caliskan") for term in test.terms}
    words = sorted({term.lower() for term in terms})
    paths = []
    for number in range(count):
        vectors = np.random.default_rng(number).standard_normal((len(words), DIMENSIONS))
        path = folder / f"random-{number:06d}.npz"
        np.savez(path, words=np.array(words), vectors=vectors.astype(np.float32))
        paths.append(str(path))
    return paths


def measure(folder: Path, count: int) -> None:
    """Run ten tests on each source into a store, and print what it took."""
    paths = [str(path) for path in sorted(folder.glob("random-*.npz"))[: count // 10]]
    begun, store = time.process_time(), folder / f"results-{count}.parquet"
    scan = eatlas.run("caliskan", paths, MEASURE, store=store)
    seconds = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    packed = sum(part.stat().st_size for part in scan.parts)
    written = {"results": len(scan), "peak MB": peak / 1024, "CPU s": seconds}
    print(json.dumps(written | {"ms each": 1e3 * seconds / len(scan), "bytes": packed / len(scan)}))


def copy(folder: Path, count: int, copies: int) -> None:
    """Add results under the names of other sources to a store."""
    store = folder / f"results-{count}.parquet"
    for part in eatlas.Results.scan(store).parts:
        table = parquet.read_table(part, partitioning=None)
        for number in range(1, copies):
            columns = {name: table[name].to_pylist() for name in OWN if name != "_alpha"}
            columns["source"] = [f"{name}-{number}" for name in table["source"].to_pylist()]
            columns["_record"] = [
                line.replace(f'"source": "{old}"', f'"source": "{new}"').replace(
                    "npz:", f"{number}npz:"
                )
                for line, old, new in zip(
                    columns["_record"], table["source"].to_pylist(), columns["source"], strict=True
                )
            ]
            columns["_sha256"] = [sha256(line.encode()).hexdigest() for line in columns["_record"]]
            for name in ("_setting", "_test", "_question"):
                columns[name] = [(value + number) % (1 << 63) for value in columns[name]]
            shift = np.random.default_rng(number).normal(0, 0.3, len(table))
            for name in ("effect_size", "low", "high"):
                columns[name] = (table[name].to_numpy(zero_copy_only=False) + shift).tolist()
            changed = table
            for name, values in columns.items():
                place = table.column_names.index(name)
                changed = changed.set_column(place, name, pa.array(values, table[name].type))
            parquet.write_table(
                changed, store / f"part-{900 + number}-{part.name[9:]}", compression="zstd",
                row_group_size=500, data_page_size=8 << 20, use_dictionary=["source"],
            )  # fmt: skip
    (store / "_run.json").unlink()


def read(folder: Path, count: int) -> None:
    """Read the frame of a store, and print what it took."""
    scan = eatlas.Results.scan(folder / f"results-{count}.parquet")
    scan.to_frame(["verdict"])  # imports pandas and pyarrow
    begun = time.process_time()
    frame = scan.to_frame()
    whole = time.process_time() - begun
    begun = time.process_time()
    scan.to_frame(["test", "source", "effect_size", "verdict"])
    few = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"rows": len(frame), "frame s": whole, "few s": few, "peak MB": peak / 1024}))


def report(folder: Path, count: int) -> None:
    """Write the report of a store, and print what it took."""
    scan = eatlas.Results.scan(folder / f"results-{count}.parquet")
    begun = time.process_time()
    page = overview_html(scan, scan.path)
    seconds = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"page MB": len(page) / 1e6, "CPU s": seconds, "peak MB": peak / 1024}))


def atlas(folder: Path, count: int) -> None:
    """Write the atlas of a store, and print what it took."""
    begun = time.process_time()
    page = eatlas.write_atlas(folder / f"results-{count}.parquet", folder / f"atlas-{count}").page
    seconds = time.process_time() - begun
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = page.stat().st_size / 1e6
    print(json.dumps({"atlas MB": size, "CPU s": seconds, "peak MB": peak / 1024}))


STEPS = {"measure": measure, "read": read, "report": report, "atlas": atlas}


def main() -> None:
    """Print figures of two sizes."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=100_000, help="results of the larger size")
    parser.add_argument("--copies", type=int, default=1, help="how often each result is there")
    parser.add_argument("--step", choices=STEPS, help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help="where files are written and left")
    options = parser.parse_args()
    if options.step:
        STEPS[options.step](options.folder, options.count)
        return
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.folder or Path(temporary)
        write_sources(folder, options.count // 10)
        for count in (options.count // 10, options.count):
            for step in STEPS:
                arguments = ["--step", step, "--count", str(count), "--folder", str(folder)]
                subprocess.run([sys.executable, __file__, *arguments], check=True)
                if step == "measure" and options.copies > 1:
                    copy(folder, count, options.copies)


if __name__ == "__main__":
    main()
