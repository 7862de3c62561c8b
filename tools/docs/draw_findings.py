"""Draw docs/images/findings-light.png and findings-dark.png, the first screen of a report.

Use it as: python tools/docs/draw_findings.py (needs chromium, playwright and Pillow).
Draw them again where the report looks different.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

import eatlas

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
WIDTH = 1240
SCALE = 1.2
"""Pixels of the picture for each of the page, for sharp type on dense screens."""
COLOURS = 128
"""Enough to keep orange apart from red; a picture stays below 200 kB."""
MARGIN = 14


def main() -> None:
    """Run the ten tests and photograph the findings, light and dark."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        eatlas.write_report(eatlas.run(), report)
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            for scheme in ("light", "dark"):
                path = IMAGES / f"findings-{scheme}.png"
                path.write_bytes(smaller(photograph(chromium, report, scheme)))
                print(f"{path.name}: {path.stat().st_size // 1024} kB")
            chromium.close()


def photograph(chromium: Browser, report: Path, scheme: str) -> bytes:
    """The report from its title to the end of the findings."""
    context = chromium.new_context(
        viewport={"width": WIDTH, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]
        device_scale_factor=SCALE,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(report.as_uri())
    page.add_style_tag(content="nav, #theme { display: none !important }")
    found = page.locator("#findings").bounding_box()
    if found is None:
        raise RuntimeError("the report has no findings")
    high = found["y"] + found["height"] + MARGIN
    taken = page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": high}, full_page=True)
    context.close()
    return taken


def smaller(picture: bytes) -> bytes:
    """The same picture with a palette."""
    with Image.open(io.BytesIO(picture)) as whole:
        reduced = whole.convert("RGB").quantize(
            COLOURS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE
        )
    kept = io.BytesIO()
    reduced.save(kept, "PNG", optimize=True)
    return kept.getvalue()


if __name__ == "__main__":
    main()
