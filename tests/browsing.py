"""Tabs of a browser, and what went wrong in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Page

PATIENCE = 120_000
"""Milliseconds until what is waited for counts as missing; on a busy machine a click takes long."""
CUT_LABELS = """() => {
  const seen = part => part.checkVisibility() && !part.closest('.sr, .skip, .cards > thead'), said = part => part.textContent.trim().slice(0, 60);
  const boxes = [...document.querySelectorAll('body *')].filter(seen);
  const cut = boxes.filter(part => part.tagName !== 'SELECT' && ['hidden', 'clip'].includes(getComputedStyle(part).overflowX)
    && part.scrollWidth > part.clientWidth + 1 && !part.ownerSVGElement && part.tagName !== 'svg');
  const pen = document.createElement('canvas').getContext('2d');
  const chosen = [...document.querySelectorAll('select')].filter(select => {
    pen.font = getComputedStyle(select).font;
    return seen(select) && pen.measureText(select.selectedOptions[0].label).width + 24 > select.clientWidth;
  });
  const letters = [...document.querySelectorAll('svg text')].filter(seen).filter(text => {
    const [a, b] = [text, text.ownerSVGElement].map(part => part.getBoundingClientRect());
    const within = a.left >= b.left - 1 && a.right <= b.right + 1 && a.top >= b.top - 2 && a.bottom <= b.bottom + 2;
    const clipped = getComputedStyle(text.ownerSVGElement).overflow === 'hidden' && !within;
    return clipped || a.left < -1 || a.right > innerWidth + 1 || text.textContent.includes('…');
  });
  return [...cut, ...chosen, ...letters].map(said);
}"""
"""Labels that are cut, end in an ellipsis, or are partly outside of a drawing or the window."""


class Tabs:
    """Tabs that one test opens, each with a memory of its own.

    Attributes
    ----------
    faults : list of str
        Errors of scripts; where a tab is watched, also what is said in the console, and requests
        that are not allowed.
    forgiven : tuple of str
        Faults with one of these texts are none.
    """

    def __init__(self, browser: Browser) -> None:
        self.browser = browser
        self.faults: list[str] = []
        self.forgiven: tuple[str, ...] = ()
        self._contexts: list[BrowserContext] = []

    def open(
        self,
        address: str,
        *,
        width: int,
        height: int = 900,
        scheme: Literal["light", "dark"] = "light",
        still: bool = True,
        allowed: Callable[[str], bool] | None = None,
        **options: Any,
    ) -> Page:
        """Open a page as a reader would.

        Parameters
        ----------
        address : str
        width, height : int
            Of the window.
        scheme : {"light", "dark"}
            Colours that the reader prefers.
        still : bool, default: True
            Whether the reader prefers that nothing moves.
        allowed : callable, optional
            Whether the page may ask for an address. Without it only errors of scripts count.
        **options : Any
            Of playwright's ``new_context``.
        """
        context = self.browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme,
            reduced_motion="reduce" if still else "no-preference", **options,
        )  # fmt: skip
        context.set_default_timeout(PATIENCE)
        self._contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(f"script: {error}"))
        if allowed is not None:
            page.on("console", lambda said: self.faults.append(f"console: {said.text}"))
            page.on(
                "request",
                lambda asked: None if allowed(asked.url) else self.faults.append(asked.url),
            )
        page.goto(address)
        return page

    def close(self) -> list[str]:
        """Close all; the faults that are not forgiven."""
        for context in self._contexts:
            context.close()
        return [one for one in self.faults if not any(text in one for text in self.forgiven)]


def violations(page: Page, part: str | None = None) -> list[str]:
    """What axe finds on a page, or in a part of it: rules with the nodes that break them."""
    wanted = {"resultTypes": ["violations"]}  # of what is well, nothing is written down
    found = Axe().run(page, context=part, options=wanted).response["violations"]
    return [f"{rule['id']}: {node['html']}" for rule in found for node in rule["nodes"]]
