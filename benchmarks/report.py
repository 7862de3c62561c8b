"""The report: seconds to build, bytes, and seconds until Chromium shows it.

Run with ``python benchmarks/report.py``; needs chromium. The results are those of the ten Caliskan
tests on ``glove-sample``, with intervals, influence and cosines; more of them are the same under
other names of sources. A page is open when its load event has ended and a frame has been painted
after it; a packed result when its details stand in the page. Building and "cpu s" are
processor time, the others what a clock shows.
"""

from __future__ import annotations

import platform
import shutil
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

import eatlas
from eatlas.present import report_html
from eatlas.results import Results

SIZES = (10, 40, 100, 1000)
"""Results on a page; of more than 40, details are packed."""
RUNS = 3
OPTIONS = ["--no-sandbox", "--disable-gpu"]
PAINTED = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done)))"
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
    start = time.perf_counter()
    page.fill("#search", "weat-10")
    page.evaluate(UNTIL % "document.querySelector('#shown').textContent.includes(' of ')")
    filtered = time.perf_counter() - start
    page.fill("#search", "")
    start = time.perf_counter()
    page.evaluate("document.querySelector('table.summary tbody tr:last-child a').click()")
    page.evaluate(UNTIL % "document.querySelector('article.result:last-of-type .finding')")
    shown = time.perf_counter() - start
    page.close()
    return opened, measured["TaskDuration"], filtered, shown


def main():
    print(f"python {platform.python_version()}, {platform.machine()}")
    ten = eatlas.run()
    head = ("results", "build cpu s", "MB", "open s", "cpu s", "filter s", "details s")
    print(" ".join(f"{name:>11}" for name in head))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = playwright.chromium.launch(executable_path=chromium, args=OPTIONS)
        for size in SIZES:
            results = copies(ten, size)
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
