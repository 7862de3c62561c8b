"""The report: seconds to build, bytes, and seconds until Chromium shows it.

Run with ``python benchmarks/report.py``; needs chromium. The results are those of the ten Caliskan
tests on ``glove-sample``, with intervals, influence and cosines; more of them are the same under
other names of sources, and so their pages shrink better than those of different numbers. With
``python benchmarks/report.py RESULTS.jsonl`` the page is one of these results instead; ``--noise
FILE.jsonl`` first writes 1,200 results with different numbers, of 120 copies of the vectors with
random noise (minutes). A page is open when its load event has ended and a frame has been painted
after it; a packed result when its details stand in the page. Building and "cpu s" are processor
time, the others what a clock shows. Set PYTHONPATH to the ``src`` of another version to compare.
"""

from __future__ import annotations

import argparse
import platform
import shutil
import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import sync_playwright
from safetensors.numpy import load_file

import eatlas
from eatlas.present import report_html
from eatlas.results import Results, read_results
from eatlas.sources import word2vec

SIZES = (10, 40, 100, 1200)
"""Results on a page; of more than 40, details are packed."""
RUNS = 3
OPTIONS = ["--no-sandbox", "--disable-gpu"]
SOURCES, NOISE = 120, 0.25
"""Copies of the vectors, and the standard deviation of their noise beside that of the vectors."""
SAMPLE = Path(word2vec.__file__).parent / "data" / "glove-sample.safetensors"
PAINTED = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
UNFOLD = (
    "document.querySelectorAll('#summary, #results > details').forEach(d => { d.open = true; })"
)
UNTIL = """() => new Promise(done => {
  const look = () => %s ? done() : requestAnimationFrame(look); look();
})"""


def copies(ten: Results, size: int) -> Results:
    """So many results, of the ten tests on sources of different names."""
    named = (
        result
        if place < len(ten)
        else result.model_copy(update={"source": f"vectors-{place // 10}"})
        for place, result in enumerate(ten[place % 10] for place in range(size))
    )
    return Results(named)


def write_with_noise(path: Path) -> None:
    """Write the ten tests on copies of the sample with random noise."""
    (vectors,) = load_file(SAMPLE).values()
    words = SAMPLE.with_suffix(".vocab.txt").read_text(encoding="utf-8").splitlines()
    rng, every = np.random.default_rng(0), []
    for number in range(SOURCES):
        noise = NOISE * vectors.std() * rng.normal(size=vectors.shape)
        source = eatlas.ArraySource(
            words, vectors + noise, name=f"vectors-{number:03d}", ordered=True
        )
        every += eatlas.run("caliskan", vectors=source, measures="ml-eat(resamples=500)")
    Results(every).write(path)


def best(run):
    """The answer of a run, and the processor time of the quickest of several."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        answer = run()
        times.append(time.process_time() - start)
    return answer, min(times)


def seconds_to_open(browser, path: Path) -> tuple[float, ...]:
    """Until painted, and its processor time; until a word has filtered; until details are shown."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    meter = page.context.new_cdp_session(page)
    meter.send("Performance.enable", {"timeDomain": "threadTicks"})
    start = time.perf_counter()
    page.goto(path.as_uri(), wait_until="load")
    page.evaluate(PAINTED)
    opened = time.perf_counter() - start
    measured = {m["name"]: m["value"] for m in meter.send("Performance.getMetrics")["metrics"]}
    page.evaluate(UNFOLD)
    start = time.perf_counter()
    page.fill("#search", "weat-10")
    page.evaluate(UNTIL % "document.querySelector('#shown').textContent.includes(' of ')")
    filtered = time.perf_counter() - start
    page.fill("#search", "")
    start = time.perf_counter()
    page.evaluate("document.querySelector('table.summary tbody tr:last-child a').click()")
    page.evaluate(UNTIL % "document.querySelector('article.result table.cosines')")
    shown = time.perf_counter() - start
    page.close()
    return opened, measured["TaskDuration"], filtered, shown


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", nargs="?", type=Path, help="results of one page")
    parser.add_argument("--noise", type=Path, help="a file to write results with noise to")
    options = parser.parse_args()
    if options.noise:
        write_with_noise(options.noise)
        return
    print(f"python {platform.python_version()}, {platform.machine()}")
    if options.results:
        given = read_results(options.results)
        pages = {len(given): given}
    else:
        ten = eatlas.run()
        pages = {size: copies(ten, size) for size in SIZES}
    head = ("results", "build cpu s", "MB", "open s", "cpu s", "filter s", "details s")
    print(" ".join(f"{name:>11}" for name in head))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=chromium, args=OPTIONS)
        for size, results in pages.items():
            html, built = best(lambda given=results: report_html(given))
            path = Path(folder) / f"{size}.html"
            path.write_text(html, encoding="utf-8")
            times = [
                min(kind)
                for kind in zip(*(seconds_to_open(browser, path) for _ in range(RUNS)), strict=True)
            ]
            figures = (built, len(html.encode()) / 1e6, *times)
            print(f"{size:>11,} " + " ".join(f"{figure:>11.2f}" for figure in figures))
        browser.close()


if __name__ == "__main__":
    main()
