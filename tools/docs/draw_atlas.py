"""Draw docs/images/atlas.png, the first screen of an atlas of ten tests on five sources.

Use it as: python tools/docs/draw_atlas.py (needs chromium, playwright and Pillow).
Draw it again where the atlas looks different.
"""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from draw_findings import IMAGES, smaller
from playwright.sync_api import sync_playwright

import eatlas

WIDTH, HEIGHT = 1200, 706
SOURCES = {
    "GloVe 100d": "glove-sample",
    "GloVe centred": "glove-sample?transform=center",
    "GloVe standardized": "glove-sample?transform=standardize",
    "GloVe all-but-the-top": "glove-sample?transform=all-but-the-top:3",
    "GloVe 840B": "glove-840b-words",
}


def main() -> None:
    """Write the atlas, and photograph its head and first rows."""
    path = IMAGES / "atlas.png"
    with tempfile.TemporaryDirectory() as folder:
        lines = Path(folder) / "results.jsonl"
        eatlas.run(vectors=SOURCES).write(lines)
        site = Path(folder) / "site"
        eatlas.write_atlas(lines, site, title="Ten tests on five sources")
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            page = chromium.new_page(
                viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light"
            )
            page.goto((site / "index.html").as_uri())
            path.write_bytes(smaller(page.screenshot()))
            chromium.close()
    print(f"{path.name}: {path.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
