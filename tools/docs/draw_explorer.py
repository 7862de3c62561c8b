"""Draw docs/images/explore-light.png and explore-dark.png, the explorer after two changes.

Use it as: python tools/docs/draw_explorer.py (needs chromium, playwright and Pillow).
Draw them again where the page looks different.
"""

from __future__ import annotations

import shutil

from draw_findings import IMAGES, SCALE, smaller
from playwright.sync_api import Browser, sync_playwright

import eatlas

WIDTH, HEIGHT = 1280, 800


def main() -> None:
    """Serve weat-6, change words, and photograph the page, light and dark."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        for scheme in ("light", "dark"):
            with eatlas.explore("weat-6") as served:
                path = IMAGES / f"explore-{scheme}.png"
                path.write_bytes(smaller(photograph(chromium, served.address, scheme)))
                print(f"{path.name}: {path.stat().st_size // 1024} kB")
        chromium.close()


def photograph(chromium: Browser, address: str, scheme: str) -> bytes:
    """The first screen after a word was switched off and others were added."""
    context = chromium.new_context(
        viewport={"width": WIDTH, "height": HEIGHT},
        color_scheme=scheme,  # type: ignore[arg-type]
        device_scale_factor=SCALE,
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(address)
    for word in ("Diana", "career"):
        page.get_by_role("button", name=word, exact=True).click()
        page.wait_for_selector(f".chip[aria-pressed=false] >> text={word}")
    page.locator("#add-X").fill("Robert, David")
    page.locator("#add-X").press("Enter")
    page.wait_for_selector("#others table")
    page.locator("#headline").hover()
    page.evaluate("document.activeElement.blur()")
    taken = page.screenshot()
    context.close()
    return taken


if __name__ == "__main__":
    main()
