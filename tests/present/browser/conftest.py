"""Pages of a real browser, which watch for faults."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page
from tests.present.records import full, ml_eat, sc_eat, weat

import eatlas
from eatlas.present import write_report
from eatlas.results import Results

PICTURES = Path(__file__).parents[3] / "build" / "screenshots"
"""What the pages look like, for people to look at; drawn where EATLAS_PICTURES is set."""
DESK, PHONE = 1280, 390

Opener = Callable[..., Page]


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Opener]:
    """Open results, or a file, as a reader would; at the end nothing may have gone wrong."""
    faults: list[str] = []
    contexts = []

    def opened(
        shown: Any, *, width: int = DESK, scheme: Any = "light", script: bool = True, at: str = ""
    ) -> Page:
        path = shown if isinstance(shown, Path) else tmp_path / f"{len(contexts)}.html"
        if path is not shown:
            write_report(shown, path)
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme,
            java_script_enabled=script, reduced_motion="reduce",
        )  # fmt: skip
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda said: faults.append(f"console: {said.text}"))
        page.on("pageerror", lambda error: faults.append(f"script: {error}"))
        page.on("request", lambda asked: faults.append(asked.url) if asked.url != url else None)
        url = path.as_uri()
        page.goto(url + at)
        url += at
        return page

    yield opened
    for context in contexts:
        context.close()
    assert not faults


@pytest.fixture(scope="session")
def ten_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the main job."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(eatlas.run(), path)
    return path


@pytest.fixture(scope="session")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Several measures, sources and patterns, with and without intervals, one undefined."""
    results = Results(
        [
            full(test="one", source="first.txt"),
            full("A-Uniform", test="one", source="second.txt", d=0.7),
            ml_eat("Non-Directional", test="two", source="first.txt", d=-1.2),
            ml_eat("AX-Singular", test="three", source="first.txt", d=None, undefined="Y"),
            weat(test="one", source="first.txt"),
            sc_eat({"nurse": -1.3, "void": None, "poet": 0.9}, test="two", source="second.txt"),
        ]
    )
    path = tmp_path_factory.mktemp("mixed") / "report.html"
    write_report(results, path)
    return path


@pytest.fixture
def picture() -> Callable[[Page, str], None]:
    """Keep what a page looks like, where that is wanted."""

    def take(page: Page, name: str) -> None:
        if not os.environ.get("EATLAS_PICTURES"):
            return
        PICTURES.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=PICTURES / f"report-{name}.png")

    return take
