"""The site of 100 models by 50 tests: seconds to write, bytes, and seconds until Chromium shows it.

Run with ``python benchmarks/atlas.py [FOLDER]``; needs chromium. The limit is 2 s until the page is
open. The results are ML-EATs of random vectors by the library itself: 100 sources of 50 dimensions,
50 tests whose groups are words of the Caliskan tests, drawn at random. They are kept in FOLDER,
where one is named, for the next time. The page is open when its load event has ended and a frame
has been painted after it; a cell is open when its details are in the page.
"""

from __future__ import annotations

import platform
import resource
import shutil
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright
from report import OPTIONS, PAINTED, UNTIL

import eatlas

MODELS, TESTS, SIZE, DIM = 100, 50, 8, 50
LIMIT = 2.0
RUNS = 5


def tests_of(words: list[str]) -> list[eatlas.AssociationTest]:
    """Fifty tests in five families, each with four groups of eight words."""
    rng = np.random.default_rng(0)
    made = []
    for number in range(TESTS):
        drawn = [words[i] for i in rng.choice(len(words), 4 * SIZE, replace=False)]
        groups = {
            role: eatlas.Concept(name=f"{role} of {number}", terms=drawn[at * SIZE :][:SIZE])
            for at, role in enumerate("XYAB")
        }
        family = ("career", "arts", "age", "health", "place")[number % 5]
        made.append(eatlas.AssociationTest(id=f"{family}-{number // 5 + 1}", **groups))
    return made


def measured(folder: Path) -> list[Path]:
    """One results file for each model."""
    names = {
        word
        for test in eatlas.load_tests("caliskan")
        for role in "XYAB"
        for word in test.concept(role).terms
    }
    words = sorted(names)
    tests = tests_of(words)
    files = []
    for number in range(MODELS):
        path = folder / f"model-{number:03}" / "results.jsonl"
        files.append(path)
        if path.exists():
            continue
        rng = np.random.default_rng(number)
        family = ("glove", "word2vec", "fasttext", "bert", "clip")[number % 5]
        vectors = eatlas.ArraySource(
            words, rng.normal(size=(len(words), DIM)) + 0.3 * rng.normal(size=DIM),
            name=f"{family}-{number:03}",
        )  # fmt: skip
        path.parent.mkdir(parents=True, exist_ok=True)
        eatlas.run(tests=tests, vectors=vectors, measures="ml-eat(resamples=0)").write(path)
    return files


def seconds_to_open(browser, page: Path) -> tuple[float, ...]:
    """Until painted, its processor time, until a filter has acted, until a cell is open."""
    tab = browser.new_page(viewport={"width": 1280, "height": 900})
    meter = tab.context.new_cdp_session(tab)
    meter.send("Performance.enable", {"timeDomain": "threadTicks"})
    start = time.perf_counter()
    tab.goto(page.as_uri(), wait_until="load")
    tab.evaluate(PAINTED)
    opened = time.perf_counter() - start
    metrics = {m["name"]: m["value"] for m in meter.send("Performance.getMetrics")["metrics"]}
    start = time.perf_counter()
    tab.fill("#find-models", "glove")
    tab.evaluate(UNTIL % "document.querySelector('#shown').textContent.includes(' of ')")
    tab.evaluate(PAINTED)
    filtered = time.perf_counter() - start
    start = time.perf_counter()
    tab.locator("td a").first.click()
    tab.evaluate(UNTIL % "document.querySelector('#cell-body table')")
    shown = time.perf_counter() - start
    tab.close()
    return opened, metrics["TaskDuration"], filtered, shown


def main():
    print(f"python {platform.python_version()}, {platform.machine()}")
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as playwright:
        kept = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(scratch) / "results"
        start = time.perf_counter()
        files = measured(kept)
        print(f"results: {time.perf_counter() - start:.1f} s")
        start = time.perf_counter()
        site = eatlas.write_atlas(files, Path(scratch) / "site")
        written = time.perf_counter() - start
        data = sum(file.stat().st_size for file in files) / 1e6
        size = site.page.stat().st_size / 1e6
        memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"{site.models} models, {site.tests} tests, {site.results} cells of {data:.0f} MB")
        print(f"written in {written:.1f} s, peak memory {memory:.0f} MiB, page {size:.2f} MB")
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=chromium, args=OPTIONS)
        times = [seconds_to_open(browser, site.page) for _ in range(RUNS)]
        opened, cpu, filtered, shown = (sorted(one) for one in zip(*times, strict=True))
        browser.close()
        half = RUNS // 2
        print(f"open: median {opened[half]:.2f} s, worst {opened[-1]:.2f} s; limit {LIMIT} s")
        print(f"processor time of that: {cpu[half]:.2f} s")
        print(f"a filter: {filtered[half]:.2f} s; a cell: {shown[half]:.2f} s; medians of {RUNS}")


if __name__ == "__main__":
    main()
