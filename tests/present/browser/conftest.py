"""Pages of a real browser, which watch for faults."""

from __future__ import annotations

import os
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page
from tests.browsing import Tabs
from tests.present.records import full, ml_eat, sc_eat, weat

import eatlas
from eatlas.present import write_report
from eatlas.results import Results

PICTURES = Path(__file__).parents[3] / "build" / "screenshots"
"""What the pages look like, for people to look at; drawn where EATLAS_PICTURES is set."""
DESK, PHONE = 1280, 390

Opener = Callable[..., Page]


def unfold(page: Page) -> None:
    """Open the numbers of all results and, where settings are compared, every result."""
    page.evaluate(
        "document.querySelectorAll('#summary, #results > details').forEach(part => { part.open = true; })"
    )


@pytest.fixture
def open_page(tabs: Tabs, tmp_path: Path) -> Opener:
    """Open results, or a file, as a reader would; the page may ask for nothing but itself."""
    written = count()

    def opened(
        shown: Any, *, width: int = DESK, scheme: Any = "light", script: bool = True, at: str = ""
    ) -> Page:
        path = shown if isinstance(shown, Path) else tmp_path / f"{next(written)}.html"
        if path is not shown:
            write_report(shown, path)
        url = path.as_uri()
        return tabs.open(
            url + at, width=width, scheme=scheme, java_script_enabled=script,
            allowed={url, url + at}.__contains__,
        )  # fmt: skip

    return opened


@pytest.fixture(scope="session")
def ten_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of the main job."""
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(eatlas.run(measures="ml-eat(resamples=200)"), path)
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
