"""A saved chart in a real browser without a network."""

import shutil
import subprocess

import pytest
from tests.present.charts.records import HOSTILE, full

import eatlas

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--virtual-time-budget=20000",
)  # fmt: skip
WATCH = """<script>
window.faults = [];
addEventListener("error", e => faults.push(e.message));
addEventListener("securitypolicyviolation", e => faults.push("asked for " + e.blockedURI));
const log = console.error; console.error = (...a) => { faults.push(a.join(" ")); log(...a); };
addEventListener("load", () => setTimeout(() => {
  document.documentElement.dataset.faults = JSON.stringify(faults);
  document.documentElement.dataset.asked = performance.getEntriesByType("resource").length;
}, 3000));
</script>"""


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
@pytest.mark.parametrize("kind", ["forest", "timeline"])
def test_a_page_draws_itself_and_asks_for_nothing(kind, tmp_path):
    path = tmp_path / "chart.html"
    eatlas.plot(full(names=HOSTILE, period=1990), kind=kind).save(path)
    page = path.read_text(encoding="utf-8")
    path.write_text(page.replace("<script>", f"{WATCH}<script>", 1), encoding="utf-8")
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    done = subprocess.run(
        [CHROMIUM, *OPTIONS, profile, "--dump-dom", path.as_uri()],
        capture_output=True, text=True, timeout=300,
    )  # fmt: skip
    assert 'data-faults="[]"' in done.stdout
    assert 'data-asked="0"' in done.stdout
    drawn = done.stdout.split('id="chart"')[1].split("<noscript>")[0]
    assert "<svg" in drawn
    assert "very long name very" in drawn
    assert drawn.count("<script") == 0
