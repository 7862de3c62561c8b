"""Draw docs/images/findings-*.png: the first screen of a report, light and dark, desktop and phone.

Use it as: python tools/docs/draw_findings.py (needs chromium, playwright and Pillow).
Draw them again if the report looks different.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from itertools import product
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

import eatlas

IMAGES = Path(__file__).resolve().parents[2] / "docs" / "images"
SCREENS = {
    "": (1240, 1.2, "#findings", 14),
    "-phone": (390, 2.0, "#findings article:nth-of-type(2)", 0),
}
"""By the end of the file name: width of the page, pixels of the picture for each of the page, the
element at which the picture ends, and pixels below it. A phone gets two findings at its width."""
COLOURS = 128
"""Enough to keep orange apart from red; a picture stays below 200 kB."""


def main() -> None:
    """Run the ten tests and photograph the findings, light and dark."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.html"
        eatlas.write_report(eatlas.run(), report)
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
            )
            for screen, scheme in product(SCREENS, ("light", "dark")):
                path = IMAGES / f"findings{screen}-{scheme}.png"
                path.write_bytes(smaller(photograph(chromium, report, screen, scheme)))
                print(f"{path.name}: {path.stat().st_size // 1024} kB")
            chromium.close()


def photograph(chromium: Browser, report: Path, screen: str, scheme: str) -> bytes:
    """The report from its title to the last element of the screen."""
    width, scale, last, margin = SCREENS[screen]
    context = chromium.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,  # type: ignore[arg-type]
        device_scale_factor=scale,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(report.as_uri())
    page.add_style_tag(content="nav, #theme { display: none !important }")
    found = page.locator(last).bounding_box()
    if found is None:
        raise RuntimeError(f"the report has no {last}")
    high = found["y"] + found["height"] + margin
    taken = page.screenshot(clip={"x": 0, "y": 0, "width": width, "height": high}, full_page=True)
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
